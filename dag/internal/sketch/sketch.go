// Package sketch draws small graphs, for tests.
package sketch

import (
	"context"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/need"
)

// A Join gives its own text followed by those of its inputs.
type Join struct {
	Text string   `param:"text"`
	Many []string `param:"many"`
}

func (*Join) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{{Name: "in", Type: dag.Format("text"), Gather: true, Optional: true},
			{Name: "file", Optional: true}},
		Out: []dag.Port{{Name: "out", Type: dag.Format("text")}},
	}
}

func (j *Join) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	text := j.Text + strings.Join(j.Many, "+")
	for _, in := range append(t.All("in"), t.All("file")...) {
		b, err := in.Bytes()
		if err != nil {
			return nil, err
		}
		text += "(" + string(b) + ")"
	}
	return dag.Outputs{"out": artifacts.Text(text)}, nil
}

// Kind is that of a Join with this code.
func Kind(name, code string) *dag.Kind {
	return &dag.Kind{Name: name, Code: code, New: func() dag.Stage { return &Join{} }}
}

// A Sketch has one task a stage.
type Sketch struct {
	*dag.Builder
	nodes map[string]*dag.Node
}

// New begins a sketch of the file test.yaml with this text.
func New(source string) *Sketch {
	s := &Sketch{dag.NewGraph("test"), map[string]*dag.Node{}}
	s.Title("test", "test.yaml", source)
	return s
}

// Task adds a task that takes the outputs of others.
func (s *Sketch) Task(id string, k *dag.Kind, work *Join, from ...string) {
	n := s.Builder.Task(s.Stage(id, k), work)
	s.nodes[id] = n
	if from == nil {
		return
	}
	sources := make([]dag.Source, len(from))
	for i, f := range from {
		sources[i] = s.nodes[f].Output("out")
		sources[i].Coords = []dag.Coord{{Axis: "stage", Value: f}}
	}
	s.Connect(n, "in", sources...)
}

// File connects the port file of a task.
func (s *Sketch) File(id, path string) {
	s.Connect(s.nodes[id], "file", dag.Source{File: path, Format: "text"})
}

// Fail has a task fail before it runs.
func (s *Sketch) Fail(id string, why error) { s.Refuse(s.nodes[id], why) }

// Run brings the graph up to date.
func (s *Sketch) Run(t testing.TB, st *disk.Store, o engine.Options) *engine.Result {
	t.Helper()
	return need.Value(engine.Run(t.Context(), need.Value(s.Build())(t), st, o))(t)
}

// Graph ends the sketch.
func (s *Sketch) Graph(t testing.TB) *dag.Graph {
	t.Helper()
	return need.Value(s.Build())(t)
}

// Store is an empty store.
func Store(t testing.TB) *disk.Store {
	t.Helper()
	s := need.Value(disk.Open(t.TempDir() + "/store"))(t)
	t.Cleanup(func() { s.Close() })
	return s
}
