package pipelines

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// The example of docs/when-prgnn.md chooses in each outer fold, and its headline is the chosen setting's.
func TestChoosePage(t *testing.T) {
	page, err := os.ReadFile("../docs/when-prgnn.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(page), "```yaml\n")
	example, _, _ := strings.Cut(after, "```")
	t.Chdir(t.TempDir())
	if err := os.WriteFile("study.yaml", []byte(example), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := Load("study.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := tasks(p); got["train"] != 20 || got["inner"] != 40 || got["leakage_inner"] != 5 || got["chosen"] != 1 {
		t.Errorf("%v", got)
	}
}

// The example of several seeds in docs/statistics.md loads, with one comparison of all classifiers.
func TestSeedsPage(t *testing.T) {
	page := need.Value(os.ReadFile("../docs/statistics.md"))(t)
	_, after, _ := strings.Cut(string(page), "## Several seeds")
	_, after, _ = strings.Cut(after, "```yaml\n")
	example, _, _ := strings.Cut(after, "```")
	t.Chdir(t.TempDir())
	need.NoError(t, os.WriteFile("study.yaml", []byte(example), 0o644))
	p := need.Value(Load("study.yaml", nil))(t)
	if got := tasks(p); got["train"] != 20 || got["comparison"] != 1 || got["summary"] != 1 {
		t.Errorf("%v", got)
	}
	one := strings.Replace(example, "reference: null", "reference: [stage=train]", 1)
	need.NoError(t, os.WriteFile("study.yaml", []byte(one), 0o644))
	_, err := Load("study.yaml", nil)
	need.Error(t, err, "give one, such as comparison: { with: { reference: [seed=1, stage=train] } }")
	one = strings.Replace(example, "reference: null", "reference: [seed=1, stage=train]", 1)
	need.NoError(t, os.WriteFile("study.yaml", []byte(one), 0o644))
	need.Value(Load("study.yaml", nil))(t)
}

// The experiments of docs/when-prgnn.md load with this version of the program.
func TestWhenFiles(t *testing.T) {
	bench, err := filepath.Abs("../bench/when")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file, data   string
		inner, outer int
	}{{"nyu.yaml", "abide_nyu", 160, 80}, {"abide.yaml", "abide_pcp", 40, 40}, {"simulated.yaml", "", 40, 20}} {
		t.Run(c.file, func(t *testing.T) {
			var set []string
			if c.data != "" {
				set = []string{"data=" + need.Shared(t, "data", c.data)}
			}
			p, err := Load(filepath.Join(bench, c.file), set)
			if err != nil {
				t.Fatal(err)
			}
			if got := tasks(p); got["inner_eight"] != c.inner || got["eight"] != c.outer || got["chosen"] != 1 {
				t.Errorf("%v", got)
			}
		})
	}
}
