package pipelines

import (
	"errors"
	"strings"
	"testing"

	"prgnn/pipelines/layer"
	"prgnn/pipelines/tree"
)

// FuzzSets: whatever two --set give, there is a pipeline or there are Errors with a place; a pipeline that is made
// keeps its settings in its text, which is read as the same pipeline.
func FuzzSets(f *testing.F) {
	for _, set := range []string{"first.value=2", "second.value", "=", "first=", ".value=1",
		"first..value=1", "first.value.=1",
		"stages.first.with.value=1", "stages=null", "stages.first=null", "first.in.input=second", "second.in=[first]",
		"first.value=[1, {a: b}]", "first.value=*a", "first.value=&a [*a]", "first.value='", "first.value=\"\\x\"",
		"vars.a=${b}",
		"vars.b=${a}", "a=1", "first[0].value=1", "first.value=\x00", "seed=1e99", "seed=18446744073709551616", "<<.a=1",
		"first.value=!!binary x", "stages.first.use=nothing", "stages.third.use=echo", "pipeline=\n", "größe=1", "first.value=# x",
		"stages.\"first\".with.value=1", "cohort.rows.file=x", "extends=biopoint.yaml", "first.value=" + strings.Repeat("[", 200)} {
		f.Add(set, "")
		f.Add("first.value=3", set)
	}
	const text = "vars: { a: 1, b: 2 }\nstages:\n  first: { use: echo, with: { value: \"${a}\" } }\n" +
		"  second: { use: echo, in: { input: first }, with: { value: 2 } }\n"
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, one, other string) {
		var sets []string
		for _, set := range []string{one, other} {
			if strings.Contains(set, "simulate") {
				return // it may have 100,000 participants
			}
			if set != "" {
				sets = append(sets, set)
			}
		}
		p, err := build("x.yaml", []byte(text), dir, sets, 1000)
		if err != nil {
			var mistakes tree.Errors
			if !errors.As(err, &mistakes) || len(mistakes) == 0 {
				t.Fatalf("%q: %T: %v", sets, err, err)
			}
			for _, m := range mistakes {
				if m.Text == "" || m.Pos.File == "" || strings.Contains(m.Text, "%!") || len(m.Text) > 10_000 {
					t.Errorf("%q: a mistake without text or place, or too long: %v", sets, m)
				}
			}
			return
		}
		kept, again := layer.SplitSource(p.Graph.Source())
		same, err := build("x.yaml", []byte(kept), dir, again, 1000)
		if err != nil {
			t.Fatalf("%q: the text that is kept is no pipeline: %v\n%s", sets, err, p.Graph.Source())
		}
		if describe(same.Graph) != describe(p.Graph) {
			t.Errorf("%q: the text that is kept is another pipeline:\n%s", sets, p.Graph.Source())
		}
	})
}
