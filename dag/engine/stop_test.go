package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/internal/detail"
	"prgnn/internal/need"
)

// TestCancel stops a run while one task is finished, one at work, one waiting.
func TestCancel(t *testing.T) {
	st := newStore(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("the user pressed Ctrl-C")
	s := chain("a")
	s.nodes["b"].Instance().(*join).during = func(ctx context.Context, _ *dag.Task) error {
		cancel(why)
		<-ctx.Done()
		return ctx.Err()
	}
	res, err := Run(ctx, s.Draft(), st, Options{Workers: 1})
	if !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
	if res == nil || res.Failed+res.Skipped != 0 || res.Outputs["a"] == nil || res.Outputs["c"] != nil {
		t.Fatalf("%+v", res)
	}
	rr, err := st.LoadRun(res.ID)
	need.NoError(t, err)
	var d detail.Run
	if err := json.Unmarshal(rr.Detail, &d); err != nil || d.Stopped != why.Error() || rr.Finished.IsZero() {
		t.Errorf("%+v, %v", rr, err)
	}
	if _, ran := chain("a").run(t, st, Options{}); strings.Contains(ran, "a:ran") ||
		!strings.Contains(ran, "b:ran c:ran") {
		t.Errorf("then %q ran", ran)
	}
}

// TestTimesOfKilledRun: what tasks took is known while the run goes on, so that it stays known of a run that is killed.
func TestTimesOfKilledRun(t *testing.T) {
	defer func(was time.Duration) { saveEvery = was }(saveEvery)
	saveEvery = 0
	st, s := newStore(t), chain("a")
	s.nodes["b"].Instance().(*join).during = func(context.Context, *dag.Task) error {
		var d detail.Run
		for range 1000 { // the runner writes while this task is at work
			if runs, err := st.Runs(); err == nil && len(runs) == 1 {
				if err := json.Unmarshal(runs[0].Detail, &d); err != nil || len(d.Tasks) > 0 {
					break
				}
			}
			time.Sleep(10 * time.Millisecond)
		}
		if len(d.Tasks) == 0 || d.Tasks[0].ID != "a" || d.Tasks[0].Seconds <= 0 || d.Tasks[0].Key == "" {
			return fmt.Errorf("the tasks ran: %+v", d.Tasks)
		}
		return nil
	}
	res, err := Run(context.Background(), s.Draft(), st, Options{Workers: 1})
	if err != nil || res.Failed > 0 {
		t.Fatal(err, res.Errors)
	}
	var d detail.Run
	rr := need.Value(st.LoadRun(res.ID))(t)
	if need.NoError(t, json.Unmarshal(rr.Detail, &d)); rr.Finished.IsZero() || len(d.Tasks) != res.Tasks {
		t.Errorf("the record at the end has %d tasks of %d", len(d.Tasks), res.Tasks)
	}
}

// TestStoreBreaks takes the store away under a run: that is nobody's fault in
// particular, and the run ends.
func TestStoreBreaks(t *testing.T) {
	st := newStore(t)
	s := chain("a")
	s.nodes["b"].Instance().(*join).during = func(context.Context, *dag.Task) error {
		for { // the run writes its record meanwhile, and makes the directory for it again
			err := os.RemoveAll(st.Dir())
			if err == nil {
				err = os.WriteFile(st.Dir(), nil, 0o666)
			}
			if info, stat := os.Stat(st.Dir()); err == nil || stat == nil && !info.IsDir() {
				return err
			}
		}
	}
	res, err := Run(context.Background(), s.Draft(), st, Options{Workers: 1})
	need.Error(t, err, st.Dir())
	if res.Failed != 0 || res.Outputs["c"] != nil {
		t.Errorf("%+v", res)
	}
}

// TestStoreReadOnly has a store in which nothing can be written: to see that all
// is there takes no more.
func TestStoreReadOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	open := func() *disk.Store {
		st := need.Value(disk.Open(dir))(t)
		return st
	}
	st := open()
	chain("a").run(t, st, Options{})
	st.Close()
	for _, part := range []string{"tmp", "runs"} { // root may write anywhere, but not below a file
		need.NoError(t, os.RemoveAll(filepath.Join(dir, part)))
		write(t, filepath.Join(dir, part), "")
	}
	st = open()
	defer st.Close()
	res, ran := chain("a").run(t, st, Options{})
	if ran != "" || res.Cached != 4 || res.ID != unrecorded {
		t.Errorf("%q ran, %+v", ran, res)
	}
	if _, err := Run(context.Background(), chain("new").Draft(), st, Options{}); err == nil {
		t.Error("a run that has to store something ends well")
	}
}

// broken does not encode.
type broken struct{ panics bool }

func (broken) Format() string { return "text" }

func (b broken) Encode(w io.Writer) error {
	if b.panics {
		panic("encoder")
	}
	io.WriteString(w, "some of it")
	return errors.New("half of it is missing")
}

func TestEncodingFails(t *testing.T) {
	for _, v := range []broken{{false}, {true}} {
		s := newSketch()
		s.task("x", &one{v})
		s.task("y", &join{Text: "y"})
		res, ran := s.run(t, newStore(t), Options{})
		if ran != "x:failed y:ran" || !strings.Contains(res.Errors[0].Error(), `output "out"`) {
			t.Errorf("%s %v", ran, res.Errors)
		}
	}
}

// one gives one value.
type one struct{ v artifacts.Value }

func (*one) Ports() dag.Ports {
	return dag.Ports{Out: []dag.Port{{Name: "out", Type: dag.Format("text")}}}
}
func (o *one) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	return dag.Outputs{"out": o.v}, nil
}

// TestProgressComesInOrder has tasks tell of themselves in the moment they end.
func TestProgressComesInOrder(t *testing.T) {
	s := newSketch()
	for i := range 200 {
		s.task(fmt.Sprintf("t%03d", i), &join{Text: fmt.Sprint(i), during: func(_ context.Context,
			task *dag.Task) error {
			task.Progress(1, 1, "")
			return nil
		}})
	}
	last := map[string]State{}
	s.run(t, newStore(t), Options{Workers: 4, Progress: func(e Event) {
		switch before := last[e.Task]; {
		case e.State == Running && before != "" && before != Running, e.State == Ran && before != Running:
			t.Errorf("%s is %s after it was %s", e.Task, e.State, before)
		}
		last[e.Task] = e.State
	}})
}

// TestCoordinatesOfInputs: what is not in the recipe, the stage does not see.
func TestCoordinatesOfInputs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	write(t, path, "x")
	s := newSketch()
	s.task("a", &join{Text: "a"})
	s.task("b", &join{Text: "b", during: func(_ context.Context, task *dag.Task) error {
		if c := task.In("file").Coords; c != nil {
			return fmt.Errorf("the file has the coordinates %v", c)
		}
		if c := task.All("in")[0]; c.Coord("from") != "1" || c.Coord("to") != "" {
			return fmt.Errorf("the member has the coordinates %v", c.Coords)
		}
		return nil
	}}, "a")
	s.file("b", path)
	s.nodes["b"].Inputs()[1].Sources[0].Coords = []dag.Coord{{Axis: "subject", Value: "sub-001"}}
	if res, _ := s.run(t, newStore(t), Options{}); res.Errors != nil {
		t.Error(res.Errors)
	}
}

// TestWiring runs graphs that no pipeline file could give.
func TestWiring(t *testing.T) {
	for want, spoil := range map[string]func(*sketch){
		`there is no input "other"`:                 func(s *sketch) { s.nodes["b"].Inputs()[0].Port = "other" },
		`input in: a has no output "other"`:         func(s *sketch) { s.nodes["b"].Inputs()[0].Sources[0].Output = "other" },
		"input file takes one source, not 2":        func(s *sketch) { s.nodes["c"].Inputs()[0].Port = "file" },
		"input file is connected 0 times, not once": func(s *sketch) { s.task("e", &fileReader{}) },
	} {
		s := chain("a")
		spoil(s)
		res, _ := s.run(t, newStore(t), Options{})
		if len(res.Errors) != 1 || res.Errors[0].Err.Error() != want {
			t.Errorf("%v, want %s", res.Errors, want)
		}
	}
	s := chain("a")
	s.Order(s.Draft().Stages()[1:]...)
	if _, err := Run(context.Background(), s.Draft(), newStore(t), Options{}); err == nil ||
		!strings.Contains(err.Error(), "not in the graph") {
		t.Error(err)
	}
}

func TestNewTask(t *testing.T) {
	task := dag.NewTask(map[string][]dag.Input{
		"in": {dag.InputOf(artifacts.Text("ten"), dag.Coord{Axis: "fold", Value: "10"}),
			dag.InputOf(artifacts.Text("two"), dag.Coord{Axis: "fold", Value: "2"})},
		"x": {dag.InputOf(encoding.NewArray([]float64{1, 2, 3}, 3))},
		"t": {dag.InputOf(encoding.NewTable(encoding.Column{Name: "id", Values: []string{"a"}}))},
	})
	var got []string
	for _, in := range task.All("in") {
		b := need.Value(in.Bytes())(t)
		got = append(got, in.Coord("fold")+string(b))
	}
	if strings.Join(got, " ") != "2two 10ten" {
		t.Errorf("%v", got)
	}
	if a, err := task.In("x").Array(); err != nil || a.Len() != 3 {
		t.Errorf("%v %v", a, err)
	}
	if tab, err := task.In("t").Table(); err != nil || tab.Rows() != 1 {
		t.Errorf("%v %v", tab, err)
	}
	if _, err := task.In("x").Table(); err == nil {
		t.Error("an array is a table")
	}
	for port, n := range map[string]int{"y": 0, "in": 2} {
		_, err := task.In(port).Bytes()
		need.Error(t, err, fmt.Sprintf("port %q: the stage reads one input there, but it has %d", port, n))
	}
	if task.Has("y") || !task.Has("x") || task.Threads != 1 {
		t.Errorf("%+v", task)
	}
	if task.Checkpoint() != nil || task.SaveCheckpoint([]byte("c")) != nil || string(task.Checkpoint()) != "c" {
		t.Error("a checkpoint is not kept")
	}
	task.Progress(1, 2, "")
}

// A long value is written for as long as its writer takes it.
type long struct{ begin func() }

func (long) Format() string { return "text" }

func (l long) Encode(w io.Writer) error {
	l.begin()
	for range 2 * keptInAnyCase >> 16 {
		if _, err := w.Write(make([]byte, 1<<16)); err != nil {
			return err
		}
	}
	return nil
}

// gives is a stage with one output.
type gives struct {
	join
	v artifacts.Value
}

func (g *gives) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	return dag.Outputs{"out": g.v}, nil
}

// TestInterruptedAtFiles: one interrupt ends the reading and the storing of large files, and leaves nothing of them.
func TestInterruptedAtFiles(t *testing.T) {
	why := errors.New("the user pressed Ctrl-C")
	huge, small := filepath.Join(t.TempDir(), "huge"), filepath.Join(t.TempDir(), "small")
	write(t, huge, "")
	if err := os.Truncate(huge, 1<<40); err != nil { // to read it would take hours
		need.Missing(t, "a file system with sparse files: %v", err)
	}
	write(t, small, "A")
	for name, draw := range map[string]func(s *sketch, stop func()){
		"storing": func(s *sketch, stop func()) { s.task("a", &gives{v: long{stop}}) },
		"reading an input, whatever the stage makes of the error": func(s *sketch, stop func()) {
			s.task("a", &join{during: func(_ context.Context, t *dag.Task) error {
				stop()
				_, _ = t.In("file").Bytes()
				return nil
			}})
			s.file("a", small)
		},
		"hashing an input": func(s *sketch, stop func()) {
			s.task("a", &join{})
			s.file("a", huge)
			stop()
		},
	} {
		t.Run(name, func(t *testing.T) {
			st := newStore(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			s := newSketch()
			draw(s, func() { cancel(why) })
			res, err := Run(ctx, s.Draft(), st, Options{Workers: 1})
			if !errors.Is(err, why) || res.Failed != 0 || res.Outputs["a"] != nil || res.Unfinished != 1 {
				t.Errorf("%v, %+v", err, res)
			}
			for _, path := range need.Value(filepath.Glob(filepath.Join(st.Dir(), "tmp", "*", "*")))(t) {
				if info, err := os.Stat(path); err == nil && info.Size() > 4096 { // more than its lease
					t.Errorf("it leaves %d bytes in %s", info.Size(), path)
				}
			}
		})
	}
}

// TestKeptAtInterrupt: a stage that ended before an interrupt keeps what takes a moment to store.
func TestKeptAtInterrupt(t *testing.T) {
	s := newSketch()
	ctx, cancel := context.WithCancel(t.Context())
	s.task("a", &join{Text: "A", during: func(context.Context, *dag.Task) error { cancel(); return nil }})
	res, err := Run(ctx, s.Draft(), newStore(t), Options{Workers: 1})
	if res.Outputs["a"] == nil || err != nil && !errors.Is(err, context.Canceled) { // it may end before it looks
		t.Errorf("%v, %+v", err, res)
	}
}

// tooLarge is a file that no store has room for.
type tooLarge struct{ long }

func (tooLarge) Size() int64 { return 1 << 60 }

// TestNoRoomForOutput: a file that is larger than what is free is refused before anything of it is written.
func TestNoRoomForOutput(t *testing.T) {
	s := newSketch()
	s.task("a", &gives{v: tooLarge{long{func() { t.Error("it is written") }}}})
	s.task("b", &join{Text: "B"})
	st := newStore(t)
	res := need.Value(Run(t.Context(), s.Draft(), st, Options{Workers: 1}))(t)
	if res.Failed != 1 || res.Outputs["b"] == nil {
		t.Fatalf("%+v", res)
	}
	need.Error(t, res.Errors[0], `output "out" has 1152921504606846976 bytes, but the file system of the store `+st.Dir()+
		" has room for ")
}

// A graph without a file has no places.
func TestErrorPlace(t *testing.T) {
	e := &Error{Task: "a", Err: io.EOF}
	need.Equal(t, e.Error(), "a: EOF")
	e.Pos = dag.Pos{File: "x.yaml", Line: 2}
	need.Equal(t, e.Error(), "x.yaml:2: a: EOF")
}
