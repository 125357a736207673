package dag

import (
	"context"
	"os"
	"strings"
	"testing"

	"prgnn/artifacts"
)

// damage changes a byte of an output in the store, leaving its size.
func damage(t *testing.T, st *artifacts.Store, ref artifacts.Ref) {
	t.Helper()
	path := st.BlobPath(ref.Digest)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func lose(t *testing.T, st *artifacts.Store, ref artifacts.Ref) {
	t.Helper()
	if err := st.Remove(ref.Digest); err != nil {
		t.Fatal(err)
	}
}

func TestHealing(t *testing.T) {
	for _, tt := range []struct {
		name   string
		spoil  []string // tasks whose output is lost or damaged
		how    func(*testing.T, *artifacts.Store, artifacts.Ref)
		change string // the text of c in the second run
		o      Options
		ran    string
		plan   string // as the plan says it before
	}{
		{"lost, and nobody needs it", []string{"a", "b"}, lose, "c", Options{}, "", "cached cached cached cached"},
		{"lost, and asked for", []string{"b"}, lose, "c", Options{Until: []string{"b"}}, "b:ran", "cached stale"},
		{"a result is lost", []string{"c"}, lose, "c", Options{}, "c:ran", "cached cached stale cached"},
		{"a result and what it needs", []string{"c", "a", "b"}, lose, "c", Options{}, "a:ran b:ran c:ran", "stale stale stale cached"},
		{"lost, and needed by what has changed", []string{"b"}, lose, "new", Options{}, "b:ran c:ran", "cached stale stale cached"},
		{"lost all the way up", []string{"a", "b"}, lose, "new", Options{}, "a:ran b:ran c:ran", "stale stale stale cached"},
		{"damaged, and read", []string{"b"}, damage, "new", Options{}, "b:ran c:ran", "cached cached stale cached"},
		{"damaged, and not read", []string{"b"}, damage, "c", Options{}, "", "cached cached cached cached"},
		{"damaged all the way up", []string{"a", "b"}, damage, "new", Options{Workers: 1}, "a:ran b:ran c:ran", "cached cached stale cached"},
		{"lost, and only allows no other", []string{"b"}, lose, "new", Options{Only: []string{"c"}}, "c:failed", "stale"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := newStore(t)
			res, _ := chain("a").run(t, st, Options{})
			for _, id := range tt.spoil {
				tt.how(t, st, res.Outputs[id]["out"])
			}
			s := chain("a")
			s.nodes["c"].Work.(*join).Text = tt.change
			steps, err := Plan(&s.Graph, st, tt.o)
			if err != nil {
				t.Fatal(err)
			}
			var states []string
			for _, step := range steps {
				states = append(states, string(step.State))
				if step.State == Stale && step.Reason == "" {
					t.Errorf("%s is stale for no reason", step.Node.ID)
				}
			}
			if got := strings.Join(states, " "); got != tt.plan {
				t.Errorf("plan: %s, want %s", got, tt.plan)
			}
			res, ran := s.run(t, st, tt.o)
			if ran != tt.ran {
				t.Errorf("%q ran, want %q", ran, tt.ran)
			}
			if res.Failed == 0 && tt.o.Until == nil {
				if got, want := s.text(t, st, res, "c"), tt.change+"(b(a))(a)"; got != want {
					t.Errorf("c is %q, want %q", got, want)
				}
			}
		})
	}
}

// TestDamagedReadByPath reads a blob behind the engine's back: what was made of
// it is not kept.
func TestDamagedReadByPath(t *testing.T) {
	st := newStore(t)
	draw := func(during func(context.Context, *Task) error) *sketch {
		s := newSketch()
		s.task("a", &join{Text: "good"})
		s.task("b", &pathReader{during: during})
		s.nodes["b"].Inputs = []Binding{{Port: "file", Sources: []Source{{Node: s.nodes["a"], Output: "out"}}}}
		return s
	}
	s := newSketch()
	s.task("a", &join{Text: "good"})
	res, _ := s.run(t, st, Options{})
	damage(t, st, res.Outputs["a"]["out"])
	var c counter
	s = draw(c.count)
	res, ran := s.run(t, st, Options{})
	if ran != "a:ran b:ran" || s.text(t, st, res, "b") != "good" || c.n.Load() != 2 {
		t.Errorf("%s; b is %q after %d attempts", ran, s.text(t, st, res, "b"), c.n.Load())
	}
}

type pathReader struct {
	during func(context.Context, *Task) error
}

func (*pathReader) Ports() Ports {
	return Ports{In: []Port{{Name: "file"}}, Out: []Port{{Name: "out"}}}
}

func (p *pathReader) Run(ctx context.Context, t *Task) (Outputs, error) {
	b, err := os.ReadFile(t.In("file").Path)
	if err == nil {
		err = p.during(ctx, t)
	}
	return Outputs{"out": artifacts.Text(string(b))}, err
}

// TestDamagedAgainAndAgain has a disk that spoils one blob every time.
func TestDamagedAgainAndAgain(t *testing.T) {
	st := newStore(t)
	s := chain("a")
	s.nodes["c"].Work.(*join).during = func(_ context.Context, task *Task) error {
		damage(t, st, task.All("in")[0].Ref)
		_, err := task.All("in")[0].Bytes()
		return err
	}
	res, ran := s.run(t, st, Options{})
	if ran != "a:ran b:ran c:failed d:ran" || !strings.Contains(res.Errors[0].Error(), "made again 3 times, and are lost again") {
		t.Errorf("%s %v", ran, res.Errors)
	}
}

// TestNotDeterministic makes a lost result again, and gets another.
func TestNotDeterministic(t *testing.T) {
	st := newStore(t)
	var c counter
	draw := func(text string) *sketch {
		s := newSketch()
		s.task("a", &clock{c: &c})
		s.task("b", &join{Text: text}, "a")
		return s
	}
	res, _ := draw("b").run(t, st, Options{})
	lose(t, st, res.Outputs["a"]["out"])
	var note string
	s := draw("new")
	res, ran := s.run(t, st, Options{Progress: func(e Event) {
		if e.State == Ran && e.Task == "a" {
			note = e.Note
		}
	}})
	if ran != "a:ran b:ran" || s.text(t, st, res, "b") != "new(xx)" {
		t.Errorf("%s; b is %q", ran, s.text(t, st, res, "b"))
	}
	if !strings.Contains(note, "not deterministic") {
		t.Errorf("note %q", note)
	}
}

// TestNotDeterministicWhenAsked: a task that has a result, and runs all the same,
// is compared with it too.
func TestNotDeterministicWhenAsked(t *testing.T) {
	for name, o := range map[string]Options{"forced": {Force: []string{"a"}}, "a lost result": {}} {
		st := newStore(t)
		var c counter
		s := newSketch()
		s.task("a", &clock{c: &c})
		res, _ := s.run(t, st, Options{})
		if o.Force == nil {
			lose(t, st, res.Outputs["a"]["out"])
		}
		note := ""
		o.Progress = func(e Event) { note += e.Note }
		if _, ran := s.run(t, st, o); ran != "a:ran" || !strings.Contains(note, "not deterministic") {
			t.Errorf("%s: %q ran, with the note %q", name, ran, note)
		}
	}
}

// clock gives something else each time.
type clock struct{ c *counter }

func (*clock) Ports() Ports { return Ports{Out: []Port{{Name: "out", Type: Format("text")}}} }

func (k *clock) Run(ctx context.Context, t *Task) (Outputs, error) {
	k.c.n.Add(1)
	return Outputs{"out": artifacts.Text(strings.Repeat("x", int(k.c.n.Load())))}, nil
}
