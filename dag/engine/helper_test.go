package engine

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
	"prgnn/artifacts/disk"
	"prgnn/artifacts/storetest"
	"prgnn/dag"
	"prgnn/internal/need"
)

// A join is the stage of most tests: it gives its own text followed by those of
// its inputs. What a test needs to happen in the middle of it, it does in a
// function that is no parameter.
type join struct {
	Text  string   `param:"text"`
	Round bool     `param:"round"` // give only the length of what it would give
	Many  []string `param:"many"`

	during func(context.Context, *dag.Task) error
}

func (j *join) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{{Name: "in", Type: dag.Format("text"), Gather: true, Optional: true}, {Name: "file",
			Optional: true}},
		Out: []dag.Port{{Name: "out", Type: dag.Format("text")}},
	}
}

func (j *join) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
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
	return dag.Outputs{"out": artifacts.Text(text)}, nil
}

var joinKind = &dag.Kind{Name: "join", Code: "1", New: func() dag.Stage { return &join{} }}

// A sketch draws a graph by hand: one stage a task unless more is asked for.
type sketch struct {
	*dag.Builder
	nodes map[string]*dag.Node
}

func newSketch() *sketch {
	s := &sketch{dag.NewGraph("test"), map[string]*dag.Node{}}
	s.Title("test", "test.yaml", "")
	return s
}

// task adds a task of kind join that takes the outputs of others.
func (s *sketch) task(id string, work dag.Stage, from ...string) *dag.Node {
	return s.taskOf(joinKind, id, work, from...)
}

func (s *sketch) taskOf(k *dag.Kind, id string, work dag.Stage, from ...string) *dag.Node {
	stage := s.Stage(id, k)
	s.Locate(stage, dag.Pos{File: "test.yaml", Line: len(s.Draft().Stages())})
	n := s.Task(stage, work)
	s.nodes[id] = n
	if len(from) > 0 {
		var all []dag.Source
		for k, f := range from {
			up, ok := s.nodes[f]
			if !ok {
				panic("no task " + f)
			}
			all = append(all, dag.Source{Node: up, Output: "out", Coords: []dag.Coord{{Axis: "from",
				Value: strconv.Itoa(k + 1)}}})
		}
		s.Connect(n, "in", all...)
	}
	return n
}

// file connects the port "file" of a task to a file of the user's.
func (s *sketch) file(id, path string) {
	s.Connect(s.nodes[id], "file", dag.Source{File: path, Format: "text"})
}

// blob connects the port "file" of a task to the output of another.
func (s *sketch) blob(id, from string) { s.Connect(s.nodes[id], "file", s.nodes[from].Output("out")) }

func newStore(t testing.TB) *disk.Store {
	t.Helper()
	s := need.Value(disk.Open(filepath.Join(t.TempDir(), "store")))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

func write(t testing.TB, path, text string) {
	t.Helper()
	need.NoError(t, os.WriteFile(path, []byte(text), 0o666))
}

// run brings a sketch up to date and says what ran, in the order of the graph.
func (s *sketch) run(t testing.TB, st *disk.Store, o Options) (*Result, string) {
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
	res := need.Value(Run(context.Background(), s.Draft(), st, o))(t)
	var words []string
	for _, stage := range s.Draft().Stages() {
		for _, n := range stage.Tasks() {
			if st, ok := ran[n.ID()]; ok && st != Cached {
				words = append(words, fmt.Sprintf("%s:%s", n.ID(), st))
			}
		}
	}
	return res, strings.Join(words, " ")
}

// text reads the output of a task.
func (s *sketch) text(t testing.TB, st *disk.Store, res *Result, id string) string {
	t.Helper()
	ref, ok := res.Outputs[id].Get("out")
	if !ok {
		t.Fatalf("%s has no output", id)
	}
	return string(storetest.Find(t, st.Dir(), ref.Digest).Read(t))
}

// counter counts how often a stage came to its middle.
type counter struct{ n atomic.Int64 }
