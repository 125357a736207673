package dag

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/storetest"
	"prgnn/internal/need"
)

// A join is the stage of most tests: it gives its own text followed by those of
// its inputs. What a test needs to happen in the middle of it, it does in a
// function that is no parameter.
type join struct {
	Text  string   `param:"text"`
	Round bool     `param:"round"` // give only the length of what it would give
	Many  []string `param:"many"`

	during func(context.Context, *Task) error
}

func (j *join) Ports() Ports {
	return Ports{
		In:  []Port{{Name: "in", Type: Format("text"), Gather: true, Optional: true}, {Name: "file", Optional: true}},
		Out: []Port{{Name: "out", Type: Format("text")}},
	}
}

func (j *join) Run(ctx context.Context, t *Task) (Outputs, error) {
	text := j.Text + strings.Join(j.Many, "+")
	for _, in := range t.All("in") {
		b, err := in.Bytes()
		if err != nil {
			return nil, err
		}
		text += "(" + string(b) + ")"
	}
	if t.Has("file") {
		b, err := t.In("file").Bytes()
		if err != nil {
			return nil, err
		}
		text += string(b)
	}
	if j.during != nil {
		if err := j.during(ctx, t); err != nil {
			return nil, err
		}
	}
	if j.Round {
		text = strconv.Itoa(len(text))
	}
	return Outputs{"out": artifacts.Text(text)}, nil
}

var joinKind = &Kind{Name: "join", Code: "1", New: func() Stage { return &join{} }}

// A sketch draws a graph by hand: one stage a task unless more is asked for.
type sketch struct {
	Graph
	nodes map[string]*Node
}

func newSketch() *sketch {
	return &sketch{Graph: Graph{name: "test", file: "test.yaml"}, nodes: map[string]*Node{}}
}

// task adds a task of kind join that takes the outputs of others.
func (s *sketch) task(id string, work Stage, from ...string) *Node {
	stage := &StageNode{name: id, kind: joinKind, pos: Pos{File: "test.yaml", Line: len(s.stages) + 1}}
	n := &Node{id: id, stage: stage, instance: work}
	stage.tasks = []*Node{n}
	s.stages = append(s.stages, stage)
	s.nodes[id] = n
	if len(from) > 0 {
		b := Binding{Port: "in"}
		for k, f := range from {
			up, ok := s.nodes[f]
			if !ok {
				panic("no task " + f)
			}
			b.Sources = append(b.Sources,
				Source{Node: up, Output: "out", Coords: []Coord{{"from", strconv.Itoa(k + 1)}}})
		}
		n.inputs = append(n.inputs, b)
	}
	return n
}

// file connects the port "file" of a task to a file of the user's.
func (s *sketch) file(id, path string) {
	n := s.nodes[id]
	n.inputs = append(n.inputs, Binding{Port: "file", Sources: []Source{{File: path, Format: "text"}}})
}

// blob connects the port "file" of a task to the output of another.
func (s *sketch) blob(id, from string) {
	source := Source{Node: s.nodes[from], Output: "out"}
	s.nodes[id].inputs = append(s.nodes[id].inputs, Binding{Port: "file", Sources: []Source{source}})
}

func newStore(t testing.TB) *artifacts.Store {
	t.Helper()
	s := need.Value(artifacts.Open(filepath.Join(t.TempDir(), "store")))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

func write(t testing.TB, path, text string) {
	t.Helper()
	need.NoError(t, os.WriteFile(path, []byte(text), 0o666))
}

// run brings a sketch up to date and says what ran, in the order of the graph.
func (s *sketch) run(t testing.TB, st *artifacts.Store, o Options) (*Result, string) {
	t.Helper()
	var mu sync.Mutex
	ran := map[string]State{}
	tell := o.Progress
	o.Progress = func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		ran[e.Task] = e.State
		if tell != nil {
			tell(e)
		}
	}
	res := need.Value(Run(context.Background(), &s.Graph, st, o))(t)
	var words []string
	for _, stage := range s.stages {
		for _, n := range stage.tasks {
			if st, ok := ran[n.id]; ok && st != Cached {
				words = append(words, fmt.Sprintf("%s:%s", n.id, st))
			}
		}
	}
	return res, strings.Join(words, " ")
}

// text reads the output of a task.
func (s *sketch) text(t testing.TB, st *artifacts.Store, res *Result, id string) string {
	t.Helper()
	ref, ok := res.Outputs[id].Get("out")
	if !ok {
		t.Fatalf("%s has no output", id)
	}
	return string(storetest.Find(t, st.Dir(), ref.Digest).Read(t))
}

// counter counts how often a stage came to its middle.
type counter struct{ n atomic.Int64 }
