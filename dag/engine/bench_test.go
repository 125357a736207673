package engine

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/dag/recipe"
	"prgnn/internal/need"
)

// trivial is a stage that does nothing: what is measured is the engine.
type trivial struct {
	Value   int     `param:"value"`
	Density float64 `param:"density"`
	Subject string  `param:"subject"`
}

var trivialPorts = dag.Ports{
	In:  []dag.Port{{Name: "in", Type: dag.Format("text"), Optional: true}},
	Out: []dag.Port{{Name: "out", Type: dag.Format("text")}},
}

func (*trivial) Ports() dag.Ports { return trivialPorts }

func (s *trivial) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	return dag.Outputs{"out": artifacts.Text(strconv.Itoa(s.Value))}, nil
}

// wide is a graph of n tasks in columns of ten that follow each other, as the
// stages of one participant do.
func wide(n int) *dag.Graph {
	kind := &dag.Kind{Name: "trivial", Code: "1"}
	g := dag.NewGraph("wide")
	g.BareAxis("subject")
	above := make([]*dag.Node, n/10)
	for row := range 10 {
		stage := g.Stage(fmt.Sprintf("s%d", row), kind, "subject")
		for col := range above {
			subject := fmt.Sprintf("sub-%05d", col)
			t := g.Task(stage, &trivial{Value: row*n + col, Density: 0.1, Subject: subject}, subject)
			if row > 0 {
				g.Connect(t, "in", above[col].Output("out"))
			}
			above[col] = t
		}
	}
	return g.Draft()
}

// BenchmarkNothingToDo checks graphs that are up to date, over a store that was
// opened anew.
func BenchmarkNothingToDo(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			dir := b.TempDir()
			g := wide(n)
			once := func() *Result {
				st := need.Value(disk.Open(dir + "/store"))(b)
				defer st.Close()
				res := need.Value(Run(context.Background(), g, st, Options{}))(b)
				return res
			}
			if res := once(); res.Ran != n {
				b.Fatalf("%+v", res)
			}
			for b.Loop() {
				if res := once(); res.Cached != n {
					b.Fatalf("%+v", res)
				}
			}
		})
	}
}

// BenchmarkFirstRun carries out trivial tasks, each stored durably.
func BenchmarkFirstRun(b *testing.B) {
	const n = 1000
	g := wide(n)
	for b.Loop() {
		st := newStore(b)
		res, err := Run(context.Background(), g, st, Options{})
		if err != nil || res.Ran != n {
			b.Fatalf("%+v %v", res, err)
		}
	}
}

func BenchmarkRecipe(b *testing.B) {
	n := wide(20).Stages()[1].Tasks()[0]
	task := &recipe.Task{Kind: "trivial", Code: "1", Stage: n.Instance(), Inputs: n.Inputs()}
	refs := [][]artifacts.Ref{{{Format: "text"}}}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = recipe.Append(buf[:0], task, trivialPorts.In, refs)
	}
}
