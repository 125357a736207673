package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/artifacts/storetest"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
)

// damage changes a byte of an output in the store, leaving its size.
func damage(t *testing.T, st *disk.Store, ref artifacts.Ref) {
	t.Helper()
	storetest.Find(t, st.Dir(), ref.Digest).Flip(t)
}

func lose(t *testing.T, st *disk.Store, ref artifacts.Ref) {
	t.Helper()
	need.NoError(t, st.Health.Remove(ref.Digest))
}

func TestHealing(t *testing.T) {
	for _, tt := range []struct {
		name   string
		spoil  []string // tasks whose output is lost or damaged
		how    func(*testing.T, *disk.Store, artifacts.Ref)
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
		{"damaged, and read", []string{"b"}, damage, "new", Options{}, "b:ran c:ran", "cached stale stale cached"},
		{"damaged, and not read", []string{"b"}, damage, "c", Options{}, "b:ran", "cached stale cached cached"},
		{"a damaged result", []string{"c"}, damage, "c", Options{}, "c:ran", "cached cached stale cached"},
		{"damaged, and only allows no other", []string{"b"}, damage, "c", Options{Only: []string{"c"}}, "", "cached"},
		{"damaged all the way up", []string{"a", "b"}, damage, "new", Options{Workers: 1}, "a:ran b:ran c:ran", "stale stale stale cached"},
		{"lost, and only allows no other", []string{"b"}, lose, "new", Options{Only: []string{"c"}}, "c:failed", "stale"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := newStore(t)
			res, _ := chain("a").run(t, st, Options{})
			for _, id := range tt.spoil {
				tt.how(t, st, res.Outputs[id].Of("out"))
			}
			s := chain("a")
			s.nodes["c"].Instance().(*join).Text = tt.change
			steps := need.Value(Plan(context.Background(), s.Draft(), st, tt.o))(t)
			var states []string
			for _, step := range steps {
				states = append(states, string(step.State))
				if step.State == Unknown && step.Reason == "" || step.Damaged && step.Reason == "" {
					t.Errorf("%s is %s for no reason", step.Node.ID(), step.State)
				}
			}
			need.Equal(t, strings.Join(states, " "), tt.plan, "plan")
			res, ran := s.run(t, st, tt.o)
			need.Equal(t, ran, tt.ran, "ran")
			if res.Failed == 0 && tt.o.Until == nil {
				need.Equal(t, s.text(t, st, res, "c"), tt.change+"(b(a))(a)", "c")
			}
		})
	}
}

// A record that is damaged is named as such before and after the work is done again.
func TestDamagedRecord(t *testing.T) {
	for name, harm := range map[string]func([]byte) []byte{
		"flipped": func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"cut":     func(b []byte) []byte { return b[:len(b)/2] },
		"emptied": func([]byte) []byte { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			st := newStore(t)
			s := chain("a")
			s.run(t, st, Options{})
			plan := func(s *sketch) Step {
				t.Helper()
				steps := need.Value(Plan(context.Background(), s.Draft(), st, Options{}))(t)
				for _, step := range steps {
					if step.Node.ID() == "b" {
						return step
					}
				}
				t.Fatal("b is not planned")
				return Step{}
			}
			record := storetest.Find(t, st.Dir(), plan(s).Key)
			record.Write(t, harm(record.Read(t)))
			if step := plan(s); step.Reason != "its record in the store is damaged" || !step.Damaged {
				t.Errorf("plan: %q, damaged %v", step.Reason, step.Damaged)
			}
			res, ran := s.run(t, st, Options{})
			if ran != "b:ran" || len(res.Damaged) != 1 || res.Damaged[0] != "b" {
				t.Errorf("%s; damaged %q", ran, res.Damaged)
			}
			if _, ran := s.run(t, st, Options{}); ran != "" {
				t.Errorf("then %s", ran)
			}
		})
	}
}

// TestDamagedReadByPath reads a blob behind the engine's back: what was made of
// it is not kept.
func TestDamagedReadByPath(t *testing.T) {
	st := newStore(t)
	good := strings.Repeat("good", 50000) // no small result has a path
	draw := func(during func(context.Context, *dag.Task) error) *sketch {
		s := newSketch()
		s.task("a", &join{Text: good})
		s.task("b", &pathReader{during: during})
		s.blob("b", "a")
		return s
	}
	s := newSketch()
	s.task("a", &join{Text: good})
	res, _ := s.run(t, st, Options{})
	var c counter
	s = draw(func(context.Context, *dag.Task) error {
		if c.n.Add(1) == 1 {
			damage(t, st, res.Outputs["a"].Of("out"))
		}
		return nil
	})
	res, ran := s.run(t, st, Options{})
	if ran != "a:ran b:ran" || s.text(t, st, res, "b") != good || c.n.Load() != 2 {
		t.Errorf("%s; b is %q after %d attempts", ran, s.text(t, st, res, "b"), c.n.Load())
	}
}

type pathReader struct {
	during func(context.Context, *dag.Task) error
	after  func()
}

func (*pathReader) Ports() dag.Ports {
	return dag.Ports{In: []dag.Port{{Name: "file"}}, Out: []dag.Port{{Name: "out"}}}
}

func (p *pathReader) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	if err := p.during(ctx, t); err != nil {
		return nil, err
	}
	b, err := os.ReadFile(t.In("file").Path)
	if p.after != nil {
		p.after()
	}
	return dag.Outputs{"out": artifacts.Text(string(b))}, err
}

// TestDamagedAgainAndAgain has a disk that spoils one blob every time.
func TestDamagedAgainAndAgain(t *testing.T) {
	st := newStore(t)
	s := chain("a")
	s.nodes["c"].Instance().(*join).during = func(_ context.Context, task *dag.Task) error {
		damage(t, st, task.All("in")[0].Ref)
		_, err := task.All("in")[0].Bytes()
		return err
	}
	res, ran := s.run(t, st, Options{})
	if ran != "a:ran b:ran c:failed d:ran" || !strings.Contains(res.Errors[0].Error(), "recomputed 3 times and lost each time") {
		t.Errorf("%s %v", ran, res.Errors)
	}
}

// TestManyDamagedMembers damages more members of one gathered input than one input may
// be made again: all are found at the first attempt.
func TestManyDamagedMembers(t *testing.T) {
	const members = 8
	for _, first := range []int{1, members} { // the stage stops at its first damaged input, or reads none
		st := newStore(t)
		s := newSketch()
		var ids []string
		for i := range members {
			ids = append(ids, fmt.Sprint("m", i))
			s.task(ids[i], &join{Text: ids[i]})
		}
		var c counter
		s.task("all", &gatherer{during: func(task *dag.Task) error {
			if c.n.Add(1) == 1 {
				for _, in := range task.All("in") {
					damage(t, st, in.Ref)
				}
			}
			if first == members {
				return nil
			}
			_, err := task.All("in")[first].Bytes()
			return err
		}}, ids...)
		res, ran := s.run(t, st, Options{Workers: 2})
		if res.Failed != 0 || c.n.Load() != 2 || !strings.HasSuffix(ran, "m7:ran all:ran") {
			t.Errorf("%s after %d attempts: %v", ran, c.n.Load(), res.Errors)
		}
		if r, err := st.Health.Verify(t.Context(), nil); err != nil || r.Damaged() != 0 {
			t.Errorf("%v, %v", r, err)
		}
	}
}

type gatherer struct{ during func(*dag.Task) error }

func (*gatherer) Ports() dag.Ports {
	return dag.Ports{In: []dag.Port{{Name: "in", Gather: true}}, Out: []dag.Port{{Name: "out"}}}
}

func (g *gatherer) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	return dag.Outputs{"out": artifacts.Text("done")}, g.during(t)
}

// TestEveryBlobHeals flips a byte in each blob of a store, one after the other: the next
// run mends it, gives the same digests, and leaves a store without fault. So it does for
// records of actions.
func TestEveryBlobHeals(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	draw := func() *sketch {
		s := chain("a")
		s.task("e", &join{Text: "e"}, "a", "b", "c", "d")
		s.task("text", &join{Text: "f"}, "e")
		return s
	}
	open := func() *disk.Store {
		st := need.Value(disk.Open(dir))(t)
		return st
	}
	st := open()
	want, _ := draw().run(t, st, Options{})
	st.Close()
	for _, all := range [][]storetest.Object{storetest.Blobs(t, dir), storetest.Actions(t, dir)} {
		if len(all) < 6 {
			t.Fatal(all)
		}
		for _, path := range all {
			path.Flip(t)
			for _, memo := range []bool{true, false} { // with the memo, and without
				if !memo {
					storetest.Named(t, dir, path.Name).Flip(t) // it lies elsewhere now
					need.NoError(t, os.RemoveAll(filepath.Join(dir, "memo")))
				}
				st := open()
				res, ran := draw().run(t, st, Options{})
				if res.Failed != 0 || !maps.EqualFunc(res.Outputs, want.Outputs, slices.Equal) {
					t.Errorf("%s: %s: %v gave %v", path, ran, res.Errors, res.Outputs)
				}
				if r, err := st.Health.Verify(t.Context(), nil); err != nil || r.Damaged() != 0 {
					t.Errorf("%s: %s: %v, %v", path, ran, r.Findings, err)
				}
				st.Close()
			}
		}
	}
}

// TestPlanTellsKnownDamage: a plan reads no blob, but knows of what was found damaged.
func TestPlanTellsKnownDamage(t *testing.T) {
	st := newStore(t)
	s := chain("a")
	res, _ := s.run(t, st, Options{})
	ref := res.Outputs["b"].Of("out")
	damage(t, st, ref)
	if _, err := st.OpenBlob(ref); !errors.Is(err, artifacts.ErrCorrupt) {
		t.Fatal(err)
	}
	steps := need.Value(Plan(context.Background(), s.Draft(), st, Options{}))(t)
	states := lists.Map(steps, func(p Step) string { return fmt.Sprint(p.State, p.Damaged, p.Reason) })
	want := "cachedfalse staletrueits result in the store is damaged cachedfalse cachedfalse"
	need.Equal(t, strings.Join(states, " "), want, "plan")
	if _, ran := s.run(t, st, Options{}); ran != "b:ran" {
		t.Errorf("%q ran", ran)
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
	lose(t, st, res.Outputs["a"].Of("out"))
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
			lose(t, st, res.Outputs["a"].Of("out"))
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

func (*clock) Ports() dag.Ports {
	return dag.Ports{Out: []dag.Port{{Name: "out", Type: dag.Format("text")}}}
}

func (k *clock) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	k.c.n.Add(1)
	return dag.Outputs{"out": artifacts.Text(strings.Repeat("x", int(k.c.n.Load())))}, nil
}
