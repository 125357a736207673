package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/dag/internal/detail"
	"prgnn/internal/need"
)

// An elsewhere is an executor that does what one on other machines would do: it
// opens the store anew for each job, and goes by what stands in the job.
type elsewhere struct {
	mu   sync.Mutex
	jobs []string
	spy  func(*Job) *JobResult // in place of carrying out, when not nil
}

func (e *elsewhere) Execute(ctx context.Context, s *disk.Store, j *Job) JobResult {
	e.mu.Lock()
	e.jobs = append(e.jobs, j.Task)
	e.mu.Unlock()
	if e.spy != nil {
		if rep := e.spy(j); rep != nil {
			return *rep
		}
	}
	own, err := disk.Open(s.Dir())
	if err != nil {
		return JobResult{Err: &StoreError{err}}
	}
	defer own.Close()
	return Local{}.Execute(ctx, own, j)
}

func TestExecutor(t *testing.T) {
	st := newStore(t)
	e := &elsewhere{spy: func(j *Job) *JobResult {
		if j.Key != artifacts.KeyOf(j.Recipe) || j.Kind != joinKind || j.Threads < 1 ||
			!strings.Contains(j.Recipe, "\nstage join\n") {
			t.Errorf("%+v", j)
		}
		for _, in := range j.Inputs {
			if !strings.Contains(j.Recipe, in.Ref.Digest.String()) {
				t.Errorf("%s has an input that its recipe does not name", j.Task)
			}
		}
		return nil
	}}
	s := chain("a")
	path := t.TempDir() + "/file"
	write(t, path, "!")
	s.file("d", path)
	res, ran := s.run(t, st, Options{Executor: e})
	if ran != "a:ran b:ran c:ran d:ran" || s.text(t, st, res, "c") != "c(b(a))(a)" || s.text(t, st, res, "d") != "d!" {
		t.Errorf("%s ran", ran)
	}
	// What is there is not handed over, and what a job finds lost is made again.
	lose(t, st, res.Outputs["a"].Of("out"))
	e.jobs = nil
	s = chain("a")
	s.nodes["b"].Instance().(*join).Text = "B"
	s.file("d", path)
	if _, ran := s.run(t, st, Options{Executor: e, Workers: 1}); ran != "a:ran b:ran c:ran" {
		t.Errorf("then %s ran", ran)
	}
	if want := []string{"b", "a", "b", "c"}; !slices.Equal(e.jobs, want) {
		t.Errorf("jobs %v, want %v", e.jobs, want)
	}
}

func TestExecutorFails(t *testing.T) {
	full := errors.New("no space")
	for name, tt := range map[string]struct {
		rep  JobResult
		want string
	}{
		"the task":  {JobResult{Err: errors.New("node7 said no"), Log: "step 1\nstep 2"}, "a:ran b:failed c:skipped d:ran"},
		"the store": {JobResult{Err: &StoreError{full}}, ""},
	} {
		e := &elsewhere{spy: func(j *Job) *JobResult {
			if j.Task == "b" {
				return &tt.rep
			}
			return nil
		}}
		s := chain("a")
		if tt.want == "" {
			if _, err := Run(context.Background(), s.Draft(), newStore(t),
				Options{Executor: e}); !errors.Is(err, full) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		res, ran := s.run(t, newStore(t), Options{Executor: e})
		if ran != tt.want || res.Errors[0].Log != tt.rep.Log || res.Errors[0].Key == (artifacts.Key{}) {
			t.Errorf("%s: %s, %+v", name, ran, res.Errors)
		}
	}
}

// TestLogOfTask: what a stage says lies under the key of its work, and its end is
// told when the task fails.
func TestLogOfTask(t *testing.T) {
	st := newStore(t)
	s := chain("a")
	s.nodes["a"].Instance().(*join).during = func(_ context.Context, task *dag.Task) error {
		task.Progress(1, 2, "epoch 1")
		task.Progress(1, 2, "epoch 1")
		fmt.Fprint(task.Log(), "half a line")
		task.TookMemory(12345)
		task.TookMemory(123)
		return nil
	}
	s.nodes["b"].Instance().(*join).during = func(_ context.Context, task *dag.Task) error {
		for i := range 30 {
			fmt.Fprint(task.Log(), "\nline ", i) // the last one has no end
		}
		return errors.New("it broke")
	}
	res, _ := s.run(t, st, Options{})
	rr := need.Value(st.LoadRun(res.ID))(t)
	var d detail.Run
	need.NoError(t, json.Unmarshal(rr.Detail, &d))
	keys := []artifacts.Key{rr.Tasks[0].Key, res.Errors[0].Key, {}, {}}
	for i, want := range []string{"epoch 1\nhalf a line", "line 29\nerror: it broke\n", "", ""} {
		b, err := os.ReadFile(st.Work.LogPath(keys[i]))
		if !strings.HasSuffix(string(b), want) || (err != nil) != (want == "") || i == 0 && string(b) != want {
			t.Errorf("the log of %d: %q, %v", i, b, err)
		}
	}
	need.Equal(t, d.Tasks[0].Memory, 12345, "a took", "bytes")
	if said := res.Errors[0].Log; !strings.HasPrefix(said, "line 10\n") || !strings.HasSuffix(said, "\nline 29") {
		t.Errorf("b said %q", said)
	}
}

// Free threads of other machines are not given away: a cluster would look for a
// machine with as many.
func TestExecutorElsewhereGetsWhatIsAskedFor(t *testing.T) {
	kind := &dag.Kind{Name: "join", Code: "1", New: joinKind.New, MaxThreads: 8}
	s := newSketch()
	s.taskOf(kind, "a", &join{Text: "a"})
	got := 0
	e := &elsewhere{spy: func(j *Job) *JobResult { got = j.Threads; return nil }}
	if _, err := Run(context.Background(), s.Draft(), newStore(t), Options{Workers: 1000, Executor: e}); err != nil ||
		got != 1 {
		t.Errorf("%d threads, %v", got, err)
	}
}
