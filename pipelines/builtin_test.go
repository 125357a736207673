package pipelines

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/pipelines/tree"
	"prgnn/stages/builtin"
)

// template is the commented pipeline with every step: the built-in biopoint.yaml.
func template() string {
	text, _ := builtin.Text("biopoint.yaml")
	return text
}

// tasks counts the tasks of each stage.
func tasks(p *Pipeline) map[string]int {
	n := map[string]int{}
	for _, s := range p.Graph.Stages() {
		n[s.Name()] += len(s.Tasks())
	}
	return n
}

func TestBuiltins(t *testing.T) {
	for _, name := range []string{"abide.yaml", "abide-bnt.yaml", "abide-nyu.yaml", "biopoint.yaml",
		"matrices.yaml", "quick.yaml",
		"rest40.yaml", "timeseries.yaml", "timeseries-runs.yaml", "timeseries-sessions.yaml"} {
		if !slices.Contains(builtin.Names(), name) {
			t.Errorf("there is no built-in %s", name)
		}
	}
	if !strings.HasPrefix(template(), "# Pooling Regularized GNN") {
		t.Errorf("the template begins with %.40q", template())
	}
	t.Chdir(t.TempDir())
	p, err := Load("biopoint.yaml", nil)
	need.NoError(t, err)
	got := tasks(p)
	for stage, want := range map[string]int{"cohort": 119, "parcels": 118, "graphs": 118, "train": 5, "summary": 1} {
		need.Equal(t, got[stage], want, "biopoint", "tasks of", stage)
	}
	if p, err = Load("quick.yaml", nil); err != nil {
		t.Fatal(err)
	}
	if got := tasks(p); got["train"] != 3 || got["clean"] != 42 {
		t.Errorf("quick: %v", got)
	}
}

// TestNumberOfFolds: one variable has the number of folds, also of nested cross-validation and of permutation tests.
func TestNumberOfFolds(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, want := range map[string]map[string]int{
		"biopoint.yaml": {"train": 10, "baselines": 40},
		"quick.yaml":    {"train": 10},
		"sites.yaml":    {"train": 10, "combat": 10},
		"target.yaml":   {"train": 10, "models": 40},
		"paper.yaml":    {"variations": 200, "inner_folds": 10, "inner": 200, "permuted": 1000},
	} {
		got := tasks(need.Value(Load(name, []string{"folds=10"}))(t))
		for stage, n := range want {
			need.Equal(t, got[stage], n, name, "tasks of", stage)
		}
	}
}

// TestOwnCohort: biopoint.yaml runs on a table of scans when its cohort is
// changed and nothing else.
func TestOwnCohort(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.nii.gz": "", "b.nii.gz": "", "labels.nii.gz": dk84(t)} {
		testdir.Write(t, filepath.Join(dir, name), text)
	}
	table := "participant_id\tgroup\tscan\nsub-1\tASD\ta.nii.gz\nsub-2\tHC\tb.nii.gz\n"
	need.NoError(t, os.WriteFile(filepath.Join(dir, "participants.tsv"), []byte(table), 0o644))
	lines := strings.Split(template(), "\n")
	from := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "  simulate: {") })
	text := strings.Join(slices.Concat(lines[:from],
		[]string{"  table: { file: participants.tsv, bold: scan, labels: labels.nii.gz }"}, lines[from+1:]), "\n")
	p := need.Value(build("biopoint.yaml", []byte(text), dir, nil, maxTasks))(t)
	if got := tasks(p); got["cohort"] != 1 || got["parcels"] != 2 {
		t.Errorf("%v", got)
	}
	if want := []string{"stage clean: input confounds is not connected: the cohort (table) has no confounds",
		"stage folds will fail: cohort.participants: group \"ASD\" has only one participant, who cannot be in the training and the test set: add participants, exclude the group by select, or set stratify to false"}; !slices.Equal(p.Notes, want) {
		t.Errorf("notes %q, want %q", p.Notes, want)
	}
}

// A built-in stage whose models a file removes lacks its input: the message states how to leave it out, too.
func TestInheritedStageLacksInput(t *testing.T) {
	_, err := build("x.yaml", []byte("extends: quick.yaml\npipeline: x\nstages: { train: null, biomarkers: null, "+
		"baselines: null, evaluate: null }\n"), t.TempDir(), nil, maxTasks)
	if err == nil || !strings.Contains(err.Error(),
		"stage subgroups: its input predictions is not connected (subgroups: null leaves the stage out)") {
		t.Error(err)
	}
}

func TestRest40(t *testing.T) {
	t.Run("without data", func(t *testing.T) {
		t.Chdir(t.TempDir())
		_, err := Load("rest40.yaml", nil)
		want := `rest40.yaml:8:9: the variable "data" is empty: --set data=DIR, the directory that holds participants.csv and the scans
rest40.yaml:9:11: the variable "labels" is empty: --set labels=FILE, a label image in the space of the scans, with the values 1 to 84`
		if err == nil || err.Error() != want || !errors.As(err, new(tree.Errors)) {
			t.Errorf("%v\nwant\n%s", err, want)
		}
	})
	data := need.Shared(t, "data", "bold", "coinstac_rest40_mni10mm")
	t.Chdir(t.TempDir())
	p, err := Load("rest40.yaml", []string{"data=" + data, "labels=" + need.Shared(t, "data", "atlas", "dk84_coinstac10mm_node_majority.nii.gz")})
	need.NoError(t, err)
	if got := tasks(p); got["parcels"] != 40 || got["cohort"] != 1 {
		t.Errorf("%v", got)
	}
	groups, err := p.Roster.Participants.Strings("group")
	need.NoError(t, err)
	male := lists.Count(groups, func(g string) bool { return g == "Male" })
	// Counted with: cut -d, -f5 participants.csv | sort | uniq -c
	if male != 24 || len(groups) != 40 {
		t.Errorf("%d of %d are male", male, len(groups))
	}
}

// abide.yaml reads the directory that nilearn leaves, as it is. The numbers of participants are those that
// the project and nilearn state: 1,035, less the four of two scans and five who lack regions, and 871 with nilearn's
// quality_checked, of whom two are of one scan.
func TestAbide(t *testing.T) {
	data := need.Shared(t, "data", "abide_pcp")
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		more string
		want int
	}{{"refuse=none", 1026}, {"refuse=fail", 869}} {
		p := need.Value(Load("abide.yaml", []string{"data=" + data, c.more}))(t)
		if got := tasks(p)["series"]; got != c.want || p.Roster.Participants.Rows() != c.want {
			t.Errorf("%s: %d participants, want %d", c.more, got, c.want)
		}
		if n := p.Roster.Nodes.Rows(); n != 111 {
			t.Errorf("%d nodes, want 111", n)
		}
	}
}

func TestAbideNYU(t *testing.T) {
	data := need.Shared(t, "data", "abide_nyu")
	t.Chdir(t.TempDir())
	p := need.Value(Load("abide-nyu.yaml", []string{"data=" + data}))(t)
	if got := tasks(p); got["series"] != 175 || got["train"] != 5 {
		t.Errorf("%v", got)
	}
	if n := p.Roster.Nodes.Rows(); n != 111 {
		t.Errorf("%d nodes, want 111", n)
	}
}
