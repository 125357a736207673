package engine

import (
	"context"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
)

// A given is a stage that has its value already.
type given struct {
	value, foretold artifacts.Bytes
}

func (*given) Ports() dag.Ports {
	return dag.Ports{Out: []dag.Port{{Name: "out", Type: dag.Format("text")}}}
}

func (g *given) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	return dag.Outputs{"out": g.value}, nil
}

func (g *given) KnownOutputs() artifacts.Refs {
	ref, err := artifacts.RefOf(g.foretold)
	if err != nil {
		panic(err)
	}
	return artifacts.Refs{{Name: "out", Ref: ref}}
}

// cohortSketch has a table that all members read, and a gather.
func cohortSketch(table string, members ...string) *sketch {
	s := newSketch()
	s.task("table", &given{artifacts.Text(table), artifacts.Text(table)})
	s.task("regions", &given{artifacts.Text("84"), artifacts.Text("84")})
	for _, m := range members {
		s.task(m, &join{Text: m}, "regions")
	}
	s.task("folds", &join{}, "table")
	s.task("all", &join{}, members...)
	return s
}

// TestForetold: a plan sees past a task that has its values already, and a run
// does what it says.
func TestForetold(t *testing.T) {
	st := newStore(t)
	cohortSketch("1 2", "one", "two").run(t, st, Options{})
	for _, tt := range []struct {
		s         *sketch
		plan, ran string
	}{
		{cohortSketch("1 2", "one", "two"), "cached cached cached cached cached cached", ""},
		{cohortSketch("1 2 3", "one", "two", "three"), "stale cached cached cached stale stale unknown", "table:ran three:ran folds:ran all:ran"},
		{cohortSketch("1", "one"), "stale cached cached stale stale", "table:ran folds:ran all:ran"},
	} {
		steps := need.Value(Plan(context.Background(), tt.s.Draft(), st, Options{}))(t)
		states := lists.Map(steps, func(s Step) string { return string(s.State) })
		need.Equal(t, strings.Join(states, " "), tt.plan, "planned")
		if tt.ran != "" {
			if _, ran := tt.s.run(t, st, Options{}); ran != tt.ran {
				t.Errorf("%q ran, want %q", ran, tt.ran)
			}
			cohortSketch("1 2", "one", "two").run(t, st, Options{})
		}
	}
	// Only: what it needs must have been run, foretold or not.
	res, ran := cohortSketch("9", "one").run(t, st, Options{Only: []string{"folds"}})
	if ran != "folds:failed" || !strings.Contains(res.Errors[0].Error(), "needs table, which is not up to date; upstream tasks are not run with only") {
		t.Errorf("%q ran, %v", ran, res.Errors)
	}
}

func TestForetoldWrongly(t *testing.T) {
	s := newSketch()
	s.task("table", &given{artifacts.Text("this"), artifacts.Text("that")})
	res, ran := s.run(t, newStore(t), Options{})
	if ran != "table:failed" || !strings.Contains(res.Errors[0].Error(), "other values than it announced") {
		t.Errorf("%q ran, %v", ran, res.Errors)
	}
}
