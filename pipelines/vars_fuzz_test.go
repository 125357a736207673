package pipelines

import (
	"errors"
	"strings"
	"testing"

	"prgnn/pipelines/tree"
)

// FuzzVars: what variables come to is bounded, whatever refers to what.
func FuzzVars(f *testing.F) {
	f.Add("a: x\nb: \"${a}${a}\"\nc: [\"${b}\", \"${b}\"]", "${c}")
	f.Add("a: &x [1, 2]\nb: [*x, *x]", "${b}")
	f.Add("a: \"${b}\"\nb: \"${a}\"", "$${a} ${b")
	f.Add("a: "+strings.Repeat("x", 2000)+"\nb: \""+strings.Repeat("${a}", 100)+"\"\nc: \""+
		strings.Repeat("${b}", 100)+"\"", "${c}")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, vars, value string) {
		var b strings.Builder
		b.WriteString("vars:\n")
		for line := range strings.Lines(vars) {
			b.WriteString("  " + strings.TrimRight(line, "\n") + "\n")
		}
		b.WriteString("stages:\n  s:\n    use: echo\n    with: { value: '" + strings.ReplaceAll(value, "'", "''") + "' }\n")
		p, err := build("x.yaml", []byte(b.String()), dir, nil, 1000)
		if err != nil {
			var mistakes tree.Errors
			if !errors.As(err, &mistakes) || len(mistakes) == 0 {
				t.Fatalf("%T: %v", err, err)
			}
			for _, m := range mistakes {
				if len(m.Text) > 2010 {
					t.Errorf("a mistake of %d characters", len(m.Text))
				}
			}
			return
		}
		if len(p.Graph.Stages()) == 0 {
			t.Error("a pipeline without its stage")
		}
	})
}
