package pipelines

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"prgnn/internal/need"
	"prgnn/pipelines/layer"
	"prgnn/pipelines/tree"
	"prgnn/stages/builtin"
)

// FuzzLoad: whatever the file, --set and the file that it extends (base.yaml) say, there is a
// pipeline or there are Errors, each with a place; never a panic, and never much of either. What
// is printed of a file is read as the same, and so is the text that is kept.
func FuzzLoad(f *testing.F) {
	for _, name := range builtin.Names() {
		text, _ := builtin.Text(name)
		f.Add(string(text), "", "")
		f.Add(string(text), "train.fold=[1..3]", "")
		f.Add("extends: "+name+"\nseed: 1\n", "", "")
	}
	f.Add(chain, "density=0.3", "")
	f.Add("extends: base.yaml\nvars: { density: 0.3 }\nstages: { more: { use: echo } }\n", "seed=3", chain)
	f.Add("extends: base.yaml\ncohort: { limit: 2 }\nstages:\n  connectivity: null\n  clean: { with: { detrend: 1 } }\n", "", chain)
	f.Add("extends: base.yaml\n", "", "extends: x.yaml\n")
	text := need.Value(os.ReadFile("testdata/mistakes.txt"))(f)
	for _, c := range strings.Split(string(text), "=== ")[1:] {
		if strings.HasPrefix(c, "aliases that grow") {
			continue // slow, and so would be all that is made of it
		}
		_, file, _ := strings.Cut(c, "\n")
		file, _, _ = strings.Cut(file, "\n---\n")
		set := ""
		for strings.HasPrefix(file, "--set ") {
			set, file, _ = strings.Cut(strings.TrimPrefix(file, "--set "), "\n")
		}
		f.Add(file, set, chain)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text, set, base string) {
		if strings.Contains(text, "asd") || strings.Contains(text, "hc") {
			// The simulated cohort may have 100,000 participants, which is not
			// what is tried here.
			text = strings.ReplaceAll(text, "simulate", "t-made")
		}
		if len(text) < 10_000 {
			checkPrinted(t, text)
		}
		if strings.Contains(text, "extends") {
			base = strings.ReplaceAll(base, "simulate", "t-made")
			need.NoError(t, os.WriteFile(dir+"/base.yaml", []byte(base), 0o600))
		}
		var sets []string
		if set != "" {
			sets = []string{set}
		}
		began := time.Now()
		p, err := build("x.yaml", []byte(text), dir, sets, 10_000)
		if d := time.Since(began); d > 20*time.Second {
			t.Errorf("took %v", d)
		}
		if err == nil {
			n := 0
			for _, s := range p.Graph.Stages() {
				n += len(s.Tasks())
				for _, task := range s.Tasks() {
					if task.ID() == "" || task.Instance() == nil || task.Stage() != s || s.Kind() == nil {
						t.Fatalf("an unfinished task %+v", task)
					}
				}
			}
			if n > 10_000+2*len(p.Graph.Stages())+200 {
				t.Errorf("%d tasks", n)
			}
			if len(p.Extends) > 0 && n < 1000 {
				kept, sets := layer.SplitSource(p.Graph.Source())
				again, err := build("x.yaml", []byte(kept), dir, sets, 10_000)
				if err != nil {
					t.Fatalf("the text that is kept is no pipeline: %v\n%s", err, kept)
				}
				if describe(again.Graph) != describe(p.Graph) {
					t.Errorf("the text that is kept is another pipeline:\n%s", kept)
				}
			}
			return
		}
		var mistakes tree.Errors
		if !errors.As(err, &mistakes) || len(mistakes) == 0 {
			t.Fatalf("%T: %v", err, err)
		}
		for _, m := range mistakes {
			if m.Text == "" || m.Pos.File == "" || strings.Contains(m.Text, "%!") {
				t.Errorf("a mistake without text or place: %v", m)
			}
		}
	})
}
