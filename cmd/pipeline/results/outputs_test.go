package results

import (
	"context"
	"strings"
	"testing"

	"prgnn/cmd/pipeline/exit"
	"prgnn/dag"
	"prgnn/internal/need"
)

// twoOutputs is a stage for graphs that are looked at and never run.
type twoOutputs struct{}

func (*twoOutputs) Ports() dag.Ports {
	return dag.Ports{Out: []dag.Port{{Name: "predictions"}, {Name: "history"}}}
}

func (*twoOutputs) Run(context.Context, *dag.Task) (dag.Outputs, error) { panic("never run") }

func TestChoose(t *testing.T) {
	kind := &dag.Kind{Name: "two", New: func() dag.Stage { return &twoOutputs{} }}
	b := dag.NewGraph("x")
	b.Title("x", "x.yaml", "")
	stage := b.Stage("train", kind, "lambda", "fold")
	for _, lambda := range []string{"[0, 0]", "[0.1, 0.1]"} {
		for _, fold := range []string{"1", "2"} {
			b.Task(stage, &twoOutputs{}, lambda, fold)
		}
	}
	b.Task(b.Stage("folds", kind), &twoOutputs{})
	g := need.Value(b.Build())(t)
	for _, c := range []struct{ text, tasks, port string }{
		{"train", "train[lambda=[0, 0],fold=1] train[lambda=[0, 0],fold=2] train[lambda=[0.1, 0.1],fold=1] train[lambda=[0.1, 0.1],fold=2]", "predictions"},
		{"folds.history", "folds", "history"},
		{"train[lambda=[0, 0],fold=2].history", "train[lambda=[0, 0],fold=2]", "history"},
		{"train[fold=2]", "train[lambda=[0, 0],fold=2] train[lambda=[0.1, 0.1],fold=2]", "predictions"},
		{"train[lambda=[0.1*]", "train[lambda=[0.1, 0.1],fold=1] train[lambda=[0.1, 0.1],fold=2]", "predictions"},
	} {
		sel, err := Choose(g, c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := strings.Join(IDs(sel.Tasks), " "); got != c.tasks || sel.Port.Name != c.port {
			t.Errorf("%s: got %s, %s", c.text, got, sel.Port.Name)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"trian", `did you mean "train"?`},
		{"train.histry", `stage train has no output "histry" (did you mean "history"?)`},
		{"train[fold=3]", `train[fold=3]`},
		{"train[fold=1]history", `only a dot and an output may follow the ]`},
		{"*", "several stages"},
	} {
		_, err := Choose(g, c.text)
		need.Error(t, err, c.want, c.text)
		if e, ok := err.(*exit.Error); !ok || e.Code != exit.Usage {
			t.Errorf("%s: %#v is no mistake of the command line", c.text, err)
		}
	}
}

// Of several texts of one stage, what an earlier one has is not printed again.
func TestDiffering(t *testing.T) {
	const first = "Summary\n  a\n\nQuality\n  dof 175\n\nChecks\n  b"
	for text, want := range map[string]string{first: "", "Summary\n  a\n\nQuality\n  dof 63\n\nChecks\n  b": "Quality\n  dof 63",
		"c": "c"} {
		need.Equal(t, differing(text, first), want)
	}
}
