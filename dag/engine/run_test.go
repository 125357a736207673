package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
)

// chain is a → b → c ← a, with d beside.
func chain(text string) *sketch {
	s := newSketch()
	s.task("a", &join{Text: text})
	s.task("b", &join{Text: "b"}, "a")
	s.task("c", &join{Text: "c"}, "b", "a")
	s.task("d", &join{Text: "d"})
	return s
}

func TestRunTwice(t *testing.T) {
	st := newStore(t)
	for i, want := range []string{"a:ran b:ran c:ran d:ran", ""} {
		s := chain("a")
		res, ran := s.run(t, st, Options{})
		need.Equal(t, ran, want, "run", i+1, "ran")
		if res.Tasks != 4 || res.Ran+res.Cached != 4 || res.Failed+res.Skipped != 0 {
			t.Errorf("run %d: %+v", i+1, res)
		}
		need.Equal(t, s.text(t, st, res, "c"), "c(b(a))(a)", "run", i+1, "c is")
	}
}

// A closed store takes no run and no plan.
func TestStoreIsClosed(t *testing.T) {
	st := newStore(t)
	g := chain("a").Draft()
	need.NoError(t, st.Close())
	want := "store " + st.Dir() + " is closed"
	_, err := Run(t.Context(), g, st, Options{})
	need.Equal(t, err.Error(), want)
	_, err = Plan(t.Context(), g, st, Options{})
	need.Equal(t, err.Error(), want)
}

// A counting stage changes its parameter while it runs.
type counting struct {
	Vals []int `param:"vals"`
	N    int   `param:"n"`
}

func (*counting) Ports() dag.Ports {
	return dag.Ports{Out: []dag.Port{{Name: "out", Type: dag.Format("text")}}}
}

func (s *counting) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	s.Vals[0]++
	s.N++
	return dag.Outputs{"out": artifacts.Text(fmt.Sprint(s.Vals, s.N))}, nil
}

// A stage that changes its parameters runs again with those of the graph.
func TestInstancesAreCopied(t *testing.T) {
	b := dag.NewGraph("counts")
	kind := &dag.Kind{Name: "counting", Code: "1", New: func() dag.Stage { return &counting{} }}
	n := b.Task(b.Stage("s", kind), &counting{Vals: []int{1}})
	g := need.Value(b.Build())(t)
	s := need.Value(disk.Open(t.TempDir()))(t)
	t.Cleanup(func() { s.Close() })
	for range 2 {
		res := need.Value(Run(t.Context(), g, s, Options{Force: []string{"s"}}))(t)
		need.Equal(t, fmt.Sprint(res.Ran, n.Instance()), "1 &{[1] 0}")
	}
}

func TestChangeAndRevert(t *testing.T) {
	st := newStore(t)
	for _, step := range []struct{ text, ran string }{
		{"a", "a:ran b:ran c:ran d:ran"},
		{"A", "a:ran b:ran c:ran"},
		{"a", ""}, // history: what was made before is still there
		{"A", ""},
	} {
		s := chain(step.text)
		res, ran := s.run(t, st, Options{})
		need.Equal(t, ran, step.ran, "a", step.text, "ran")
		need.Equal(t, s.text(t, st, res, "c"), fmt.Sprintf("c(b(%s))(%[1]s)", step.text), "c")
	}
}

// TestEarlyCutoff changes a task in a way that its output does not show.
func TestEarlyCutoff(t *testing.T) {
	st := newStore(t)
	for _, step := range []struct{ text, ran string }{
		{"one", "a:ran b:ran c:ran"},
		{"two", "a:ran"},
		{"three", "a:ran b:ran c:ran"},
	} {
		s := newSketch()
		s.task("a", &join{Text: step.text, Round: true})
		s.task("b", &join{Text: "b"}, "a")
		s.task("c", &join{Text: "c"}, "b")
		if _, ran := s.run(t, st, Options{}); ran != step.ran {
			t.Errorf("a = %q: %q ran, want %q", step.text, ran, step.ran)
		}
	}
}

// What is skipped, or unknown in a plan, has the task where that begins for a reason, and not its neighbor alone.
func TestReasonsBeginUpstream(t *testing.T) {
	s := chain("a")
	s.task("e", &join{Text: "e"}, "c")
	s.task("f", &join{Text: "f"}, "e")
	st := newStore(t)
	for _, step := range need.Value(Plan(t.Context(), s.Draft(), st, Options{}))(t) {
		if want := map[string]string{"b": "needs a, which is not up to date",
			"f": "needs e, which may not be up to date, as a is not up to date"}[step.Node.ID()]; want != "" {
			need.Equal(t, step.Reason, want)
		}
	}
	s.nodes["b"].Instance().(*join).during = func(context.Context, *dag.Task) error { return errors.New("no voxels") }
	skipped := map[string]string{}
	s.run(t, st, Options{Progress: func(e Event) {
		if e.State == Skipped {
			skipped[e.Task] = e.Err.Error()
		}
	}})
	need.Equal(t, fmt.Sprint(skipped), fmt.Sprint(map[string]string{"c": "needs b, which failed",
		"e": "needs c, which was skipped, as b failed", "f": "needs e, which was skipped, as b failed"}))
}

func TestFailure(t *testing.T) {
	s := chain("a")
	broken := errors.New("the scan has no voxels")
	s.nodes["b"].Instance().(*join).during = func(context.Context, *dag.Task) error { return broken }
	var skipped error
	res, ran := s.run(t, newStore(t), Options{Workers: 1, Progress: func(e Event) {
		if e.State == Skipped {
			skipped = e.Err
		}
	}})
	need.Equal(t, ran, "a:ran b:failed c:skipped d:ran", "ran")
	if len(res.Errors) != 1 || res.Errors[0].Error() != "test.yaml:2: b: the scan has no voxels" || !errors.Is(res.Errors[0], broken) {
		t.Errorf("errors: %v", res.Errors)
	}
	if skipped == nil || skipped.Error() != "needs b, which failed" {
		t.Errorf("c was skipped because it %v", skipped)
	}
	if res.Failed != 1 || res.Skipped != 1 || res.Ran != 2 {
		t.Errorf("%+v", res)
	}
}

func TestFailFast(t *testing.T) {
	for _, failFast := range []bool{false, true} {
		s := newSketch()
		for i := range 20 {
			s.task(fmt.Sprintf("t%02d", i),
				&join{during: func(context.Context, *dag.Task) error { return errors.New("no") }})
		}
		res, _ := s.run(t, newStore(t), Options{Workers: 1, FailFast: failFast})
		if failed := len(res.Errors); failFast && (failed != 1 || res.Skipped != 19) || !failFast && failed != 20 {
			t.Errorf("fail fast %v: %d failed, %d skipped", failFast, failed, res.Skipped)
		}
	}
}

func TestProblem(t *testing.T) {
	s := chain("a")
	s.Refuse(s.nodes["a"], errors.New("participant sub-003 has no group"))
	res, ran := s.run(t, newStore(t), Options{})
	need.Equal(t, ran, "a:failed b:skipped c:skipped d:ran", "ran")
	if len(res.Errors) != 1 || res.Errors[0].Error() != "test.yaml:1: a: participant sub-003 has no group" {
		t.Errorf("errors: %v", res.Errors)
	}
}

func TestPanic(t *testing.T) {
	for name, during := range map[string]func(context.Context, *dag.Task) error{
		"a panic": func(_ context.Context, task *dag.Task) error { return fmt.Errorf("%v", task.All("nothing")[0]) },
		"Goexit":  func(context.Context, *dag.Task) error { runtime.Goexit(); return nil },
	} {
		s := chain("a")
		s.nodes["b"].Instance().(*join).during = during
		res, ran := s.run(t, newStore(t), Options{})
		need.Equal(t, ran, "a:ran b:failed c:skipped d:ran", name, "ran")
		var p *Panic
		if name == "a panic" && (!errors.As(res.Errors[0], &p) || !strings.Contains(res.Errors[0].Error(),
			"index out of range [0] with length 0") || !strings.Contains(string(p.Stack), "TestPanic")) {
			t.Errorf("%v", res.Errors[0])
		}
	}
}

// badOutputs gives what a test tells it, whatever its ports say.
type badOutputs struct{ out dag.Outputs }

func (b *badOutputs) Ports() dag.Ports {
	p := dag.Ports{Out: []dag.Port{{Name: "array", Type: dag.NPY("<f8", "draw", "roi")},
		{Name: "table", Type: dag.Arrow("id", "score")}}}
	for _, name := range []string{"text", "json"} {
		if b.out[name] != nil {
			p.Out = append(p.Out, dag.Port{Name: name, Type: dag.Format(name)})
		}
	}
	if b.out["any"] != nil {
		p.Out = append(p.Out, dag.Port{Name: "any"})
	}
	return p
}

func (b *badOutputs) Run(context.Context, *dag.Task) (dag.Outputs, error) { return b.out, nil }

func TestOutputsAreChecked(t *testing.T) {
	array := encoding.NewArray([]float64{1, 2}, 1, 2)
	table := encoding.NewTable(encoding.Column{Name: "id", Values: []string{"a"}},
		encoding.Column{Name: "score", Values: []float64{1}})
	reshaped := encoding.NewArray([]float64{1, 2}, 1, 2)
	reshaped.Shape[1] = 3
	tests := []struct {
		name string
		out  dag.Outputs
		want string
	}{
		{"nil", dag.Outputs{"array": (*encoding.Array)(nil), "table": (*encoding.Table)(nil)},
			"the stage's output \"array\" is a nil *encoding.Array: return a value, or an error\n" +
				"the stage's output \"table\" is a nil *encoding.Table: return a value, or an error"},
		{"empty", dag.Outputs{"array": &encoding.Array{}, "table": table}, `the stage's output "array" is not valid npy: ` +
			`the array has no elements: NewArray makes it of a slice and a shape`},
		{"shape", dag.Outputs{"array": reshaped, "table": table}, `the stage's output "array" is not valid npy: ` +
			`an array of shape [1 3] holds 3 elements, not 2: NewArray makes one of another shape`},
		{"right", dag.Outputs{"array": array, "table": table}, ""},
		{"missing", dag.Outputs{"array": array}, `the stage did not return its output "table"`},
		{"undeclared", dag.Outputs{"array": array, "table": table, "more": table}, `the stage returned an output "more" that its ports do not declare`},
		{"format", dag.Outputs{"array": table, "table": table}, `the stage's output "array" is arrow, not npy`},
		{"dtype", dag.Outputs{"array": encoding.NewArray([]float32{1}, 1, 1), "table": table}, `the stage's output "array" has elements of type <f4, not <f8`},
		{"rank", dag.Outputs{"array": encoding.NewArray([]float64{1}, 1), "table": table}, `the stage's output "array" has the shape [1], not the axes [draw, roi]`},
		{"column", dag.Outputs{"array": array, "table": encoding.NewTable(encoding.Column{Name: "id",
			Values: []string{"a"}})}, `the stage's output "table" has no column score`},
		{"bytes", dag.Outputs{"array": artifacts.Bytes{Kind: "npy", Data: []byte("no array")}, "table": table},
			"output \"array\" "},
		{"text", dag.Outputs{"array": array, "table": table, "text": artifacts.Text("a\xff")}, `the stage's output "text" is not UTF-8: declare it as bin, or write UTF-8`},
		{"JSON", dag.Outputs{"array": array, "table": table, "json": artifacts.Bytes{Kind: "json", Data: []byte("{")}},
			`the stage's output "json" is not JSON: encode it by json.Marshal`},
		{"bytes on an open port", dag.Outputs{"array": array, "table": table, "any": artifacts.Bytes{Kind: "npy"}},
			`the stage's output "any" is not valid npy: npy: shorter than a header: EOF`},
		{"no format", dag.Outputs{"array": array, "table": table, "any": artifacts.Bytes{}},
			`the stage's output "any" has the format "", which is not one word: return a word such as bin from Format of ` +
				`artifacts.Bytes`},
		{"a format of two words", dag.Outputs{"array": array, "table": table, "any": artifacts.Bytes{Kind: "my text"}},
			`the stage's output "any" has the format "my text", which is not one word: return a word such as bin from ` +
				`Format of artifacts.Bytes`},
		{"right text and JSON", dag.Outputs{"array": array, "table": table, "text": artifacts.Text("é"),
			"json": artifacts.Bytes{Kind: "json", Data: []byte("{}\n")}}, ""},
		{"two mistakes", dag.Outputs{}, "the stage did not return its output \"array\"\nthe stage did not return its output \"table\""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSketch()
			s.task("x", &badOutputs{tt.out})
			res, _ := s.run(t, newStore(t), Options{})
			got := ""
			if len(res.Errors) > 0 {
				got = res.Errors[0].Err.Error()
			}
			if tt.name == "bytes" && strings.Contains(got, tt.want) {
				return
			}
			need.Equal(t, got, tt.want, "error")
		})
	}
}

// fragile panics where a test has it panic.
type fragile struct {
	Where string `param:"where"`
}

func (f *fragile) fail(where string) {
	if f.Where == where {
		panic("no " + where)
	}
}

func (f *fragile) Ports() dag.Ports {
	f.fail("ports")
	return dag.Ports{Out: []dag.Port{{Name: "out"}}}
}

func (f *fragile) EnvNames() []string { f.fail("names"); return nil }

func (f *fragile) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	var none *os.PathError
	if f.Where == "error" {
		return nil, none
	}
	return dag.Outputs{"out": f}, nil
}

func (f *fragile) Format() string           { f.fail("format"); return "text" }
func (f *fragile) Size() int64              { f.fail("size"); return 1 }
func (f *fragile) Encode(w io.Writer) error { f.fail("bytes"); return nil }

// TestPanicsAreErrors: whichever method of a stage or of an output panics, only its task fails.
func TestPanicsAreErrors(t *testing.T) {
	for where, want := range map[string]string{
		"ports": "the stage panicked: no ports", "names": "the stage panicked: no names",
		"format": `the stage's output "out" cannot be checked: the stage panicked: no format`,
		"size":   "the stage panicked: no size", "bytes": `output "out" does not encode: the stage panicked: no bytes`,
		"error": "the stage panicked: runtime error: invalid memory address",
	} {
		s := newSketch()
		s.task("x", &fragile{where})
		s.task("y", &join{Text: "y"})
		if steps, err := Plan(t.Context(), s.Draft(), newStore(t), Options{}); err != nil || len(steps) != 2 ||
			steps[0].Recipe() == "" != (where == "ports" || where == "names") {
			t.Errorf("%s: %v, %v", where, steps, err)
		}
		res, ran := s.run(t, newStore(t), Options{})
		need.Equal(t, ran, "x:failed y:ran", where)
		if got := res.Errors[0].Err; !strings.HasPrefix(got.Error(), want) || !errors.As(got, new(*Panic)) {
			t.Errorf("%s: %v", where, got)
		}
	}
}

// An error without text has one for a person, and stays the error that it is.
func TestErrorWithoutText(t *testing.T) {
	empty := errors.New("")
	s := newSketch()
	s.task("x", &join{during: func(context.Context, *dag.Task) error { return empty }})
	res, _ := s.run(t, newStore(t), Options{})
	need.Error(t, res.Errors[0], "x: the stage failed with an error without text (*errors.errorString): give the error that "+
		"its Run returns a text")
	if !errors.Is(res.Errors[0].Err, empty) {
		t.Error("another error")
	}
}

func TestFiles(t *testing.T) {
	st := newStore(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "sub-003_bold.txt")
	draw := func() *sketch {
		s := newSketch()
		s.task("a", &join{Text: "a"})
		s.file("a", path)
		s.task("b", &join{Text: "b"}, "a")
		s.task("c", &join{Text: "c"})
		return s
	}
	res, ran := draw().run(t, st, Options{})
	need.Equal(t, ran, "a:failed b:skipped c:ran", "no file", "ran")
	if e := res.Errors[0]; !errors.Is(e, os.ErrNotExist) || !strings.Contains(e.Error(), path) {
		t.Errorf("no file: %v", e)
	}
	for _, step := range []struct{ text, ran string }{
		{"one", "a:ran b:ran"}, {"one", ""}, {"two", "a:ran b:ran"}, {"one", ""},
	} {
		write(t, path, step.text)
		s := draw()
		res, ran := s.run(t, st, Options{})
		need.Equal(t, ran, step.ran, "file", step.text, "ran")
		need.Equal(t, s.text(t, st, res, "b"), "b(a"+step.text+")", "b")
	}
	// The name of a file and where it lies are not part of the key.
	moved := filepath.Join(dir, "moved.txt")
	need.NoError(t, os.Rename(path, moved))
	path = moved
	if _, ran := draw().run(t, st, Options{}); ran != "" {
		t.Errorf("a file with another name: %q ran", ran)
	}
}

// TestFileChangesMeanwhile changes a file after it was hashed, in the ways that
// a stage can come upon it.
func TestFileChangesMeanwhile(t *testing.T) {
	for name, during := range map[string]func(path string) func(context.Context, *dag.Task) error{
		"before it is read": func(path string) func(context.Context, *dag.Task) error {
			return func(_ context.Context, task *dag.Task) error {
				if err := os.WriteFile(path, []byte("two"), 0o666); err != nil {
					return err
				}
				_, err := task.In("file").Bytes()
				return err
			}
		},
		"read by its path": func(path string) func(context.Context, *dag.Task) error {
			return func(_ context.Context, task *dag.Task) error {
				if err := os.WriteFile(path, []byte("two"), 0o666); err != nil {
					return err
				}
				_, err := os.ReadFile(task.In("file").Path)
				return err
			}
		},
		"another error comes of it": func(path string) func(context.Context, *dag.Task) error {
			return func(context.Context, *dag.Task) error {
				if err := os.WriteFile(path, []byte("two"), 0o666); err != nil {
					return err
				}
				return errors.New("header: bad magic")
			}
		},
		"removed": func(path string) func(context.Context, *dag.Task) error {
			return func(context.Context, *dag.Task) error { return os.Remove(path) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			st := newStore(t)
			path := filepath.Join(t.TempDir(), "bold.txt")
			write(t, path, "one")
			s := newSketch()
			s.task("a", &fileReader{during: during(path)})
			s.file("a", path)
			res, ran := s.run(t, st, Options{})
			if ran != "a:failed" || !errors.Is(res.Errors[0], artifacts.ErrChanged) {
				t.Errorf("%s, %v", ran, res.Errors)
			}
			steps := need.Value(Plan(context.Background(), s.Draft(), st, Options{}))(t)
			if steps[0].State == Cached {
				t.Error("a result was stored")
			}
		})
	}
}

// fileReader reads its file only in the test's own function.
type fileReader struct {
	during func(context.Context, *dag.Task) error
}

func (*fileReader) Ports() dag.Ports {
	return dag.Ports{In: []dag.Port{{Name: "file"}}, Out: []dag.Port{{Name: "out"}}}
}

func (f *fileReader) Run(ctx context.Context, t *dag.Task) (dag.Outputs, error) {
	return dag.Outputs{"out": artifacts.Text("read")}, f.during(ctx, t)
}

// TestResources runs tasks that say what they need, and counts what is in use.
func TestResources(t *testing.T) {
	var threads, memory, most, mostMemory, alone atomic.Int64
	use := func(th, mem int64) func(context.Context, *dag.Task) error {
		return func(_ context.Context, task *dag.Task) error {
			if int64(task.Threads) != min(th, 4) {
				return fmt.Errorf("%d threads, want %d", task.Threads, min(th, 4))
			}
			now, nowMemory := threads.Add(int64(task.Threads)), memory.Add(mem)
			for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
			}
			for old := mostMemory.Load(); nowMemory > old &&
				!mostMemory.CompareAndSwap(old, nowMemory); old = mostMemory.Load() {
			}
			if mem > 100 && nowMemory != mem {
				alone.Add(1)
			}
			for range 100 {
				runtime.Gosched()
			}
			threads.Add(-int64(task.Threads))
			memory.Add(-mem)
			return nil
		}
	}
	s := newSketch()
	for i := range 60 {
		th, mem := int64(1+i%6), int64(10*(i%7))
		if i%20 == 19 {
			mem = 500 // more than there is: alone
		}
		s.taskOf(&dag.Kind{Name: "join", Code: "1", Threads: int(th), Memory: mem}, fmt.Sprintf("t%02d", i),
			&join{Text: fmt.Sprint(i), during: use(th, mem)})
	}
	res, _ := s.run(t, newStore(t), Options{Workers: 4, Memory: 100})
	if res.Ran != 60 {
		t.Errorf("%+v", res)
	}
	if most.Load() > 4 {
		t.Errorf("%d threads were in use, of 4", most.Load())
	}
	if mostMemory.Load() > 100 && alone.Load() > 0 {
		t.Errorf("%d bytes were in use, of 100, and not by one task alone", mostMemory.Load())
	}
}

// TestSpareThreads: a task that can use more threads gets those that nobody else
// could, and gives them back.
func TestSpareThreads(t *testing.T) {
	s := newSketch()
	var got [3]atomic.Int64
	for i, text := range []string{"alone", "after", "beside"} {
		from := []string{}
		if i > 0 {
			from = append(from, "alone")
		}
		k := &dag.Kind{Name: "join", Code: "1", MaxThreads: 6}
		s.taskOf(k, text, &join{Text: text, during: func(_ context.Context, task *dag.Task) error {
			got[i].Store(int64(task.Threads))
			return nil
		}}, from...)
	}
	s.run(t, newStore(t), Options{Workers: 8})
	// One of the two may be ready before the other, and then it is alone as well.
	if a, b, c := got[0].Load(), got[1].Load(), got[2].Load(); a != 6 || min(b, c) < 1 ||
		max(b, c) < 4 || max(b, c) > 6 {
		t.Errorf("of 8 threads the first had %d, the others %d and %d", a, b, c)
	}
	s.nodes["alone"].Instance().(*join).Text = "again"
	s.nodes["alone"].Stage().Kind().MaxThreads = 0
	if s.run(t, newStore(t), Options{Workers: 8}); got[0].Load() != 1 {
		t.Errorf("a task that can use one thread had %d", got[0].Load())
	}
}

func TestProgressAndCheckpoint(t *testing.T) {
	st := newStore(t)
	stop := errors.New("stopped")
	var had []byte
	step := func(save string, end error) *sketch {
		s := newSketch()
		s.task("a", &join{Text: "a", during: func(_ context.Context, task *dag.Task) error {
			had = task.Checkpoint()
			task.Progress(1, 10, "epoch 1")
			if err := task.SaveCheckpoint([]byte(save)); err != nil {
				return err
			}
			return end
		}})
		return s
	}
	notes := 0
	step("one", stop).run(t, st, Options{Progress: func(e Event) {
		if e.Total > 0 {
			notes++
			if e.Task != "a" || e.Done != 1 || e.Total != 10 || e.Note != "epoch 1" || e.State != Running {
				t.Errorf("%+v", e)
			}
		}
	}})
	if had != nil || notes != 1 {
		t.Errorf("first: checkpoint %q, %d notes", had, notes)
	}
	step("two", nil).run(t, st, Options{})
	if string(had) != "one" {
		t.Errorf("second: checkpoint %q, want one", had)
	}
	step("three", nil).run(t, st, Options{Force: []string{"a"}})
	if had != nil {
		t.Errorf("after the task was done, there is the checkpoint %q", had)
	}
}

func TestUntilOnlyForce(t *testing.T) {
	full := "a:ran b:ran c:ran d:ran"
	for _, tt := range []struct {
		name  string
		first bool // run everything before
		o     Options
		ran   string
		tasks int
	}{
		{"until", false, Options{Until: []string{"b"}}, "a:ran b:ran", 2},
		{"until, two", false, Options{Until: []string{"d", "a"}}, "a:ran d:ran", 2},
		{"only, without what it needs", false, Options{Only: []string{"b"}}, "b:failed", 1},
		{"only", true, Options{Only: []string{"b"}}, "", 1},
		{"only, forced", true, Options{Only: []string{"b"}, Force: []string{"b"}}, "b:ran", 1},
		{"force", true, Options{Force: []string{"a"}}, "a:ran", 4},
		{"force by pattern", true, Options{Force: []string{"?"}}, full, 4},
		{"force outside until", true, Options{Until: []string{"a"}, Force: []string{"d"}}, "", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := newStore(t)
			if tt.first {
				chain("a").run(t, st, Options{})
			}
			res, ran := chain("a").run(t, st, tt.o)
			if ran != tt.ran || res.Tasks != tt.tasks {
				t.Errorf("%q ran of %d, want %q of %d", ran, res.Tasks, tt.ran, tt.tasks)
			}
			for _, e := range res.Errors {
				if want := "test.yaml:2: b: needs a, which is not up to date; upstream tasks are not run with only; use until to run them too"; e.Error() != want {
					t.Errorf("%v, want %s", e, want)
				}
			}
		})
	}
	for _, o := range []Options{{Until: []string{"x"}}, {Force: []string{"a[fold=1]"}},
		{Only: []string{"a"}, Until: []string{"a"}}} {
		if _, err := Run(context.Background(), chain("a").Draft(), newStore(t), o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

func TestCircle(t *testing.T) {
	s := chain("a")
	s.Connect(s.nodes["a"], "in", s.nodes["c"].Output("out"))
	_, err := Run(context.Background(), s.Draft(), newStore(t), Options{})
	if err == nil || err.Error() != "the tasks form a cycle: a needs c needs b needs a\nthe tasks form a cycle: a needs c needs a" {
		t.Error(err)
	}
}

// TestGraphOrder writes the users of a task before it: the plan keeps the
// graph's order, and the run finds its own.
func TestGraphOrder(t *testing.T) {
	s := chain("a")
	slices.Reverse(s.Draft().Stages())
	st := newStore(t)
	res, ran := s.run(t, st, Options{})
	if ran != "d:ran c:ran b:ran a:ran" || res.Ran != 4 {
		t.Errorf("%s %+v", ran, res)
	}
}

// TestNegativeOptions: a number of workers, threads or bytes below 0 is an error.
func TestNegativeOptions(t *testing.T) {
	for name, o := range map[string]Options{
		"Workers": {Workers: -1}, "Threads": {Threads: -1}, "Memory": {Memory: -1},
	} {
		s := newSketch()
		s.task("a", &join{Text: "a"})
		_, err := Run(t.Context(), s.Draft(), newStore(t), o)
		need.Error(t, err, "the option "+name+" must not be negative, but is -1")
	}
}

// TestSources: a run reports that the code identities of its kinds are those of other sources.
func TestSources(t *testing.T) {
	s := newSketch()
	s.task("a", &join{Text: "a"})
	res, _ := s.run(t, newStore(t), Options{})
	need.Equal(t, res.Sources, "", "a code by hand")
	old := *joinKind
	old.Code = ""
	s.taskOf(&old, "empty", &join{Text: "empty"})
	res, _ = s.run(t, newStore(t), Options{})
	need.Equal(t, res.Sources, "the stage kind join has no code identity, so every build of this program runs its "+
		"stages again: make generate (in a module of your own: go generate ./...) writes it to codes.txt, and the "+
		"field Code of the kind takes it from there")
	s = newSketch()
	old.Code = dag.Codes("kind join 0123\n\nsource prgnn/absent.go 0123456789abcdef\n")["join"]
	s.taskOf(&old, "b", &join{Text: "b"})
	res, _ = s.run(t, newStore(t), Options{})
	if !strings.Contains(res.Sources, "prgnn/absent.go") || !strings.Contains(res.Sources, "go generate ./...") {
		t.Errorf("%q", res.Sources)
	}
}
