package dag

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"prgnn/artifacts"
	"prgnn/internal/need"
)

// trivial is a stage that does nothing: what is measured is the engine.
type trivial struct {
	Value   int     `param:"value"`
	Density float64 `param:"density"`
	Subject string  `param:"subject"`
}

var trivialPorts = Ports{
	In:  []Port{{Name: "in", Type: Format("text"), Optional: true}},
	Out: []Port{{Name: "out", Type: Format("text")}},
}

func (*trivial) Ports() Ports { return trivialPorts }

func (s *trivial) Run(context.Context, *Task) (Outputs, error) {
	return Outputs{"out": artifacts.Text(strconv.Itoa(s.Value))}, nil
}

// wide is a graph of n tasks in columns of ten that follow each other, as the
// stages of one participant do.
func wide(n int) *Graph {
	kind := &Kind{Name: "trivial", Code: "1"}
	g := &Graph{name: "wide"}
	for row := range 10 {
		stage := &StageNode{name: fmt.Sprintf("s%d", row), kind: kind}
		for col := range n / 10 {
			subject := fmt.Sprintf("sub-%05d", col)
			t := &Node{
				stage: stage, coords: []Coord{{"subject", subject}},
				instance: &trivial{Value: row*n + col, Density: 0.1, Subject: subject},
			}
			t.id = stage.name + "[" + subject + "]"
			if row > 0 {
				t.inputs = []Binding{{Port: "in", Sources: []Source{{Node: g.stages[row-1].tasks[col], Output: "out"}}}}
			}
			stage.tasks = append(stage.tasks, t)
		}
		g.stages = append(g.stages, stage)
	}
	return g
}

// BenchmarkNothingToDo checks graphs that are up to date, over a store that was
// opened anew.
func BenchmarkNothingToDo(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			dir := b.TempDir()
			g := wide(n)
			once := func() *Result {
				st := need.Value(artifacts.Open(dir + "/store"))(b)
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
	n := wide(20).stages[1].tasks[0]
	refs := [][]artifacts.Ref{{{Format: "text"}}}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = appendRecipe(buf[:0], "1", nil, n, trivialPorts.In, refs)
	}
}
