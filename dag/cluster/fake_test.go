//go:build unix

package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/artifacts/remote/address"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/machine"
	"prgnn/internal/need"
)

// These tests stand on a Slurm of shell scripts, which can do what a real one does
// on a bad day only. What a real one does on all days is tested in cmd/pipeline.

// A double is a stage that gives twice its number, unless a file says otherwise.
type double struct {
	N    int    `param:"n"`
	Fail string `param:"fail"` // a file: fails while it is there
}

func (*double) Ports() dag.Ports {
	return dag.Ports{
		In:  []dag.Port{{Name: "in", Type: dag.Format("text"), Optional: true}},
		Out: []dag.Port{{Name: "out", Type: dag.Format("text")}},
	}
}

func (d *double) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	if _, err := os.Stat(d.Fail); err == nil {
		return nil, fmt.Errorf("%d is too much", d.N)
	}
	return dag.Outputs{"out": artifacts.Text(strconv.Itoa(2 * d.N))}, nil
}

var doubleKind = &dag.Kind{Name: "double", Code: "1", New: func() dag.Stage { return &double{} }}

func lookup(name string) (*dag.Kind, bool) { return doubleKind, name == doubleKind.Name }

// The program that the arrays call is this test.
func TestMain(m *testing.M) {
	looking, beating, retrying = 50*time.Millisecond, 0, 100*time.Millisecond
	if os.Getenv("QUICK_LEASES") != "" {
		leaseTime, renewing = time.Second, 100*time.Millisecond
	}
	if len(os.Args) > 4 && os.Args[1] == "exec-pilot" {
		os.Exit(pilotMain(os.Args[2:]))
	}
	if len(os.Args) < 4 || os.Args[1] != "exec-task" {
		os.Exit(m.Run())
	}
	s, err := disk.Open(os.Args[3])
	if err != nil {
		panic(err)
	}
	var keys []artifacts.Key
	for _, text := range os.Args[4:] {
		k, err := artifacts.ParseKey(text)
		if err != nil {
			panic(err)
		}
		keys = append(keys, k)
	}
	ctx, done := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	err = ExecTasks(ctx, s, lookup, keys, os.Stdout)
	s.Close()
	done()
	if err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// What sbatch leaves behind has the pipe alive open, with all that it starts, so that a test can wait for its end.
const fakeSbatch = `#!/bin/sh
dir=$(dirname "$0")
exec 9>"$dir/alive"
for a; do case $a in
  --array=0-*) last=${a#--array=0-};;
  --job-name=*) name=${a#--job-name=};;
  --output=*) out=${a#--output=};;
esac; done
[ $((last + 1)) -gt $(cat "$dir/longest") ] && { echo "sbatch: error: Batch job submission failed: Invalid job array specification" >&2; exit 1; }
[ $((last + 1 + $(grep -l PENDING "$dir"/q/* 2>/dev/null | wc -l))) -gt $(cat "$dir/most") ] && { echo "sbatch: error: AssocMaxSubmitJobLimit" >&2; exit 1; }
for a; do printf '%s\n' "$a"; done >"$dir/args"
id=$(($(cat "$dir/id") + 1)); echo $id >"$dir/id"; echo $id
cat >"$dir/script.$id"
out=$(printf %s "$out" | sed 's/%%/%/g')
for i in $(seq 0 $last); do echo "$id|$i|PENDING|None|$name" >"$dir/q/$id.$i"; done
( while [ -e "$dir/held" ]; do sleep 0.05; done
  for i in $(seq 0 $last); do
    echo "$id|$i|RUNNING|None|$name" >"$dir/q/$id.$i"
    if SLURM_ARRAY_TASK_ID=$i sh "$dir/script.$id" >"${out%-%a}-$i" 2>&1; then state=COMPLETED; else state=FAILED; fi
    echo "$id|$i|$state|None|$name" >"$dir/q/$id.$i"
  done ) >/dev/null 2>&1 &
`

const fakeSqueue = `#!/bin/sh
echo >>"$(dirname "$0")/asked"
[ -e "$(dirname "$0")/deaf" ] && { echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1; }
cat "$(dirname "$0")"/q/* 2>/dev/null || true
`

const fakeScancel = `#!/bin/sh
echo "$@" >>"$(dirname "$0")/cancelled"
`

// A fake is where the scripts are, and what they know.
type fake struct {
	t         *testing.T
	dir       string
	s         *disk.Store
	executors []*Executor
	runs      sync.WaitGroup
}

func newFake(t *testing.T, store string) *fake {
	t.Helper()
	f := &fake{t: t, dir: t.TempDir()}
	for name, text := range map[string]string{"sbatch": fakeSbatch, "squeue": fakeSqueue, "scancel": fakeScancel} {
		need.NoError(t, os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o777))
	}
	os.Mkdir(filepath.Join(f.dir, "q"), 0o777)
	f.set("id", "0")
	f.set("longest", "1000")
	f.set("most", "1000")
	t.Setenv("PATH", f.dir+":"+os.Getenv("PATH"))
	s := need.Value(disk.Open(filepath.Join(t.TempDir(), store)))(t)
	f.s = s
	alive := filepath.Join(f.dir, "alive")
	need.NoError(t, syscall.Mkfifo(alive, 0o600))
	jobs := need.Value(os.OpenFile(alive, os.O_RDONLY|syscall.O_NONBLOCK, 0))(t)
	t.Cleanup(func() { // in the order in which one starts the next
		f.unset("held")
		f.runs.Wait()
		for _, x := range f.executors {
			close(x.quit)
			x.work.Wait()
		}
		jobs.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := io.Copy(io.Discard, jobs); err != nil {
			t.Errorf("a job of the fake Slurm outlives its test: %v", err)
		}
		jobs.Close()
		s.Close()
	})
	return f
}

func (f *fake) set(name, text string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o666); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fake) unset(name string) { os.Remove(filepath.Join(f.dir, name)) }

func (f *fake) text(name string) string {
	b, _ := os.ReadFile(filepath.Join(f.dir, name))
	return string(b)
}

func (f *fake) executor(args ...string) *Executor {
	f.t.Helper()
	x, err := New(lookup, args, func(line string) { f.t.Log(line) })
	if err != nil {
		f.t.Fatal(err)
	}
	return f.watch(x)
}

// watch has the end of the test wait for what an executor does.
func (f *fake) watch(x *Executor) *Executor {
	x.Interval, x.quit = 100*time.Millisecond, make(chan struct{})
	f.executors = append(f.executors, x)
	return x
}

// doubles is a graph of n tasks that need nothing of each other.
func doubles(n int, fail string) *dag.Graph { return doublesOf(n, fail, dag.Needs{}) }

func doublesOf(n int, fail string, needs dag.Needs) *dag.Graph {
	b := dag.NewGraph("test")
	addDoubles(b, "doubles", 0, n, fail, needs)
	return built(b)
}

func built(b *dag.Builder) *dag.Graph {
	b.Title("test", "test.yaml", "")
	g, err := b.Build()
	if err != nil {
		panic(err)
	}
	return g
}

// addDoubles adds a stage of tasks for the numbers from first up to last.
func addDoubles(b *dag.Builder, name string, first, last int, fail string, needs dag.Needs) {
	s := b.Stage(name, doubleKind, "n")
	b.Require(s, needs)
	for i := first; i < last; i++ {
		b.Task(s, &double{N: i, Fail: fail}, strconv.Itoa(i))
	}
}

func (f *fake) run(x *Executor, g *dag.Graph) *engine.Result {
	f.t.Helper()
	return <-f.start(x, g)
}

// start runs a graph in the background.
func (f *fake) start(x engine.Executor, g *dag.Graph) <-chan *engine.Result {
	return f.startWith(f.t.Context(), x, g)
}

func (f *fake) startWith(ctx context.Context, x engine.Executor, g *dag.Graph) <-chan *engine.Result {
	ended := make(chan *engine.Result, 1)
	f.runs.Go(func() {
		r, err := engine.Run(ctx, g, f.s, engine.Options{Workers: 1000, Executor: x})
		if err != nil && ctx.Err() == nil {
			f.t.Error(err)
		}
		if r == nil {
			r = &engine.Result{}
		}
		ended <- r
	})
	return ended
}

func (f *fake) waitFor(what string, that func() bool) {
	f.t.Helper()
	for range 1000 {
		if that() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	f.t.Fatalf("not %s", what)
}

// Slurm writes %a of --output as the number of the element; a store may have signs
// of that kind in its path, and blanks.
func TestOddStore(t *testing.T) {
	f := newFake(t, "100%done, it's a store")
	if r := f.run(f.executor("--comment=two words"), doubles(3, "")); r.Ran != 3 {
		t.Errorf("%+v", r)
	}
	args := f.text("args")
	if !strings.Contains(args, "/100%%done, it's a store/cluster/logs/prgnn-") || !strings.HasSuffix(args, "\n--comment=two words\n") {
		t.Error(args)
	}
}

// What a task gets whose stage says nothing, and whose stage says more.
func TestUsualSize(t *testing.T) {
	f := newFake(t, "store")
	for want, r := range map[string]dag.Needs{
		"--cpus-per-task=1\n--mem=512M\n--time=60\n":   {},
		"--cpus-per-task=1\n--mem=4096M\n--time=120\n": {Memory: 4 << 30, Time: 2 * time.Hour},
	} {
		g := doublesOf(1, "", r)
		if res, err := engine.Run(context.Background(), g, f.s, engine.Options{Workers: 1000, Executor: f.executor(),
			Force: []string{"doubles"}}); err != nil || res.Ran != 1 {
			t.Fatal(res, err)
		}
		if args := f.text("args"); !strings.Contains(args, want) {
			t.Errorf("%+v: %s", r, args)
		}
	}
}

// A cluster may take shorter arrays than we would make, and fewer jobs of one user.
func TestNarrowCluster(t *testing.T) {
	f := newFake(t, "store")
	f.set("longest", "7")
	if r := f.run(f.executor(), doubles(20, "")); r.Ran != 20 {
		t.Errorf("%+v", r)
	}
	need.Equal(t, f.text("id"), "1\n", "arrays, and one would have done")
}

func TestFewJobs(t *testing.T) {
	f := newFake(t, "store")
	f.set("most", "6")
	if r := f.run(f.executor(), doubles(10, "")); r.Ran != 10 {
		t.Errorf("%+v", r)
	}
	if n, _ := strconv.Atoi(strings.TrimSpace(f.text("id"))); n < 2 || n > 8 {
		t.Errorf("%d arrays", n)
	}
}

// What failed in a former run is tried again, and its report is not believed.
func TestStaleReport(t *testing.T) {
	f := newFake(t, "store")
	fail := filepath.Join(f.dir, "fail")
	f.set("fail", "")
	if r := f.run(f.executor(), doubles(2, fail)); r.Failed != 2 ||
		!strings.Contains(r.Errors[0].Error(), "0 is too much") {
		t.Errorf("%+v", r)
	}
	f.unset("fail")
	if r := f.run(f.executor(), doubles(2, fail)); r.Ran != 2 {
		t.Errorf("%v", r.Errors)
	}
}

// A coordinator that comes takes away what is left of arrays that nobody waits for;
// it must not take the jobs of those that somebody does wait for.
func TestTakingAway(t *testing.T) {
	f := newFake(t, "store")
	f.set("held", "")
	g := doubles(2, "")
	ended := f.start(f.executor(), g)
	c := spaceOf(f.s)
	f.waitFor("handed over", func() bool {
		return len(c.batches()) == 1 &&
			strings.Contains(f.text("q/1.1"), "PENDING")
	})
	// An array of former days, of the same jobs.
	now := c.batches()[0]
	old := &batch{name: namePrefix + "old", elements: append(now.elements, []artifacts.Key{artifacts.KeyOf("other")})}
	need.NoError(t, c.saveBatch(old))
	long := time.Now().Add(-2 * abandoned)
	os.Chtimes(c.path(batchesDir, old.name), long, long)
	late := &coordinator{x: f.executor(), store: f.s, space: c, arrays: map[string]*array{}}
	need.NoError(t, late.find())
	if all := c.batches(); len(all) != 1 || all[0].name != now.name {
		t.Errorf("%d arrays are left", len(all))
	}
	for _, keys := range now.elements {
		if _, err := os.Stat(c.path(jobsDir, keys[0].String())); err != nil {
			t.Errorf("the job of an array that is under way was taken away: %v", err)
		}
	}
	// It would cancel what it waits for, and it waits for nothing.
	if err := late.cancel(); err != nil || f.text("cancelled") != "" {
		t.Errorf("cancelled: %s, %v", f.text("cancelled"), err)
	}
	f.unset("held")
	if r := <-ended; r.Ran != 2 {
		t.Errorf("%v", r.Errors)
	}
}

// A job that is not written down any more is handed over again.
func TestNoJob(t *testing.T) {
	f := newFake(t, "store")
	f.set("held", "")
	ended := f.start(f.executor(), doubles(1, ""))
	c := spaceOf(f.s)
	f.waitFor("handed over", func() bool { return strings.Contains(f.text("q/1.0"), "PENDING") })
	for _, k := range c.batches()[0].elements[0] {
		c.remove(jobsDir, k.String())
	}
	f.unset("held")
	if r := <-ended; r.Ran != 1 {
		t.Errorf("%v", r.Errors)
	}
}

// A job that Slurm will never start as it stands is told once, with what it asks for, and waited for.
func TestTellsOfAStuckJob(t *testing.T) {
	f := newFake(t, "store")
	f.set("held", "")
	told := make(chan string, 10)
	x := f.watch(need.Value(New(lookup, nil, func(line string) { told <- line }))(t))
	ended := f.start(x, doubles(1, ""))
	f.waitFor("handed over", func() bool { return f.text("q/1.0") != "" })
	f.set("q/1.0", strings.Replace(f.text("q/1.0"), "|None|", "|PartitionTimeLimit|", 1))
	const want = "doubles[n=0]: Slurm cannot start it (PartitionTimeLimit): it requests 1 CPUs, 512 MB and 1h0m0s"
	f.waitFor("told", func() bool {
		select {
		case line := <-told:
			return strings.HasPrefix(line, want)
		default:
			return false
		}
	})
	f.unset("held")
	if r := <-ended; r.Ran != 1 {
		t.Errorf("%+v", r)
	}
	for len(told) > 0 {
		if line := <-told; strings.HasPrefix(line, want) {
			t.Errorf("told again: %s", line)
		}
	}
}

// strike has the controller give all jobs that wait another state, or "" forget them.
func (f *fake) strike(state string) {
	f.t.Helper()
	for _, path := range need.Value(filepath.Glob(filepath.Join(f.dir, "q", "*")))(f.t) {
		name := filepath.Join("q", filepath.Base(path))
		switch text := f.text(name); {
		case state == "":
			f.unset(name)
		case strings.Contains(text, "|PENDING|"):
			f.set(name, strings.Replace(text, "|PENDING|", "|"+state+"|", 1))
		}
	}
}

// briefly has coordinators wait for reports for a moment only. It comes before newFake, whose end waits for them.
func briefly(t *testing.T) {
	was := grace
	t.Cleanup(func() { grace = was })
	grace = 200 * time.Millisecond
}

// What ends without a result by scancel, with its node or by a limit is no fault of an input, and is one cause.
func TestClusterFaults(t *testing.T) {
	for state, want := range map[string]string{"CANCELLED": "it was cancelled. Run again", "NODE_FAIL": "its node failed",
		"OUT_OF_MEMORY": "its memory limit, 3 times", "TIMEOUT": "its time limit, 3 times", "FAILED": "without a message"} {
		t.Run(state, func(t *testing.T) {
			briefly(t)
			f := newFake(t, "store")
			f.set("held", "")
			ended := f.start(f.executor(), doubles(3, ""))
			var r *engine.Result
			f.waitFor("given up", func() bool {
				f.strike(state)
				select {
				case r = <-ended:
					return true
				default:
					return false
				}
			})
			need.Equal(t, r.Failed, 3)
			for _, e := range r.Errors {
				if !machine.Caused(e.Err) || !strings.Contains(e.Error(), want) {
					t.Errorf("machine: %v, %v", machine.Caused(e.Err), e)
				}
			}
		})
	}
}

// After an outage of the controller, which knows no job any more, one line lists all that are handed over again.
func TestOutage(t *testing.T) {
	briefly(t)
	f := newFake(t, "store")
	f.set("held", "")
	told := make(chan string, 100)
	x := f.watch(need.Value(New(lookup, nil, func(line string) { told <- line }))(t))
	ended := f.start(x, doubles(8, ""))
	f.waitFor("handed over", func() bool { return f.text("q/1.7") != "" })
	f.set("deaf", "")
	need.Equal(t, strings.HasPrefix(<-told, "no answer from the Slurm controller"), true)
	f.strike("")
	f.unset("deaf")
	need.Equal(t, <-told, "Slurm's controller answers again")
	need.Equal(t, <-told, "doubles[n=0], doubles[n=1], doubles[n=2], doubles[n=3], doubles[n=4] and 3 more: "+
		"Slurm is not running it and has no result of it; submitted again")
	f.unset("held")
	if r := <-ended; r.Ran != 8 {
		t.Errorf("%+v", r)
	}
	need.Equal(t, len(told), 0)
}

// A report carries over whether the machine failed, and the remedy.
func TestReportOfAFault(t *testing.T) {
	for _, c := range []struct {
		r      report
		caused bool
		remedy string
	}{
		{report{Error: "it is damaged"}, false, ""}, {report{Error: "killed", Fault: true}, true, ""},
		{report{Error: "full", Fault: true, Remedy: "free space"}, true, "free space"},
	} {
		err := c.r.asReport().Err
		need.Equal(t, machine.Caused(err), c.caused, err)
		need.Equal(t, machine.Remedy(err), c.remedy, err)
	}
}

// What was not handed over yet when the run is stopped, never is.
func TestStoppedBeforehand(t *testing.T) {
	f := newFake(t, "store")
	gone := make(chan struct{})
	close(gone)
	c := &coordinator{x: f.executor(), store: f.s, space: spaceOf(f.s), most: maxElements, piece: wholePiece}
	c.fresh = []*tracked{{job: &engine.Job{Kind: doubleKind}, gone: gone}}
	if c.handOver(); f.text("id") != "0" || len(c.fresh) != 0 {
		t.Errorf("handed over: %s", f.text("id"))
	}
}

// Slurm counts in minutes.
func TestMinutes(t *testing.T) {
	c := &coordinator{x: &Executor{}, space: space{t.TempDir()}}
	for limit, want := range map[time.Duration]string{time.Second: "1", 90 * time.Second: "2", time.Hour: "60"} {
		if args := strings.Join(c.arguments(shape{limit: limit}, &batch{}, 1), " "); !strings.Contains(args,
			"--time="+want+" ") {
			t.Errorf("%v: %s", limit, args)
		}
	}
}

// An array that is waited for is marked, so that no other coordinator takes it
// for abandoned.
func TestMark(t *testing.T) {
	c := &coordinator{space: space{t.TempDir()}}
	b := &batch{name: namePrefix + "1", elements: [][]artifacts.Key{{artifacts.KeyOf("a")}}}
	need.NoError(t, c.space.saveBatch(b))
	long := time.Now().Add(-2 * abandoned)
	os.Chtimes(c.space.path(batchesDir, b.name), long, long)
	c.arrays = map[string]*array{b.name: {batch: b, left: 1}}
	if c.look(); age(c.space.path(batchesDir, b.name)) > abandoned {
		t.Error("it looks abandoned")
	}
}

// Each build that ran leaves itself in the store; when nothing is under way, those of
// former days go.
func TestPrograms(t *testing.T) {
	f := newFake(t, "store")
	c := spaceOf(f.s)
	for _, name := range []string{"old", "recent"} {
		need.NoError(t, c.write(binDir, name, nil, 0o555))
	}
	long := time.Now().Add(-2 * outdated)
	os.Chtimes(c.path(binDir, "old"), long, long)
	self := need.Value(c.keepProgram())(t)
	os.Chtimes(self, long, long)
	if r := f.run(f.executor(), doubles(1, "")); r.Ran != 1 { // which marks its own
		t.Errorf("%+v", r)
	}
	left, _ := os.ReadDir(filepath.Join(c.dir, binDir))
	if len(left) != 2 || age(self) > outdated || age(c.path(binDir, "recent")) > outdated {
		t.Errorf("%v are left", left)
	}
}

// A job's inputs are brought before it is handed over, and a result of the cluster's
// is shared: its machines seldom reach the remote.
func TestRemote(t *testing.T) {
	f := newFake(t, "store")
	r, err := address.Open("file://" + t.TempDir())
	if err == nil {
		err = f.s.Remote.Attach(t.Context(), r)
	}
	need.NoError(t, err)
	if res := f.run(f.executor(), doubles(2, "")); res.Ran != 2 {
		t.Fatalf("%v", res.Errors)
	}
	f.s.Remote.Share(t.Context(), func(int) {})
	need.Equal(t, f.s.Remote.Report().Shared, 2, "of 2 results are shared")
	// What the store has lost and the remote has is brought, and not made again.
	ref, err := f.s.Put(artifacts.Text("input"))
	need.NoError(t, err)
	object := "blobs/" + ref.Digest.String()[:2] + "/" + ref.Digest.String()
	file, err := f.s.File(ref)
	need.NoError(t, errors.Join(err, r.Put(t.Context(), object, file), f.s.Health.Remove(ref.Digest)))
	away := artifacts.Ref{Digest: artifacts.DigestOf([]byte("nowhere")), Size: 7, Format: "text"}
	lost := fetch(t.Context(), f.s, &engine.Job{Inputs: []engine.JobInput{{Ref: ref}, {Ref: away}}})
	if len(lost) != 1 || lost[0] != away.Digest {
		t.Errorf("lost: %v", lost)
	}
}

// The controller is asked once at the beginning, and then once in each interval.
func TestInterval(t *testing.T) {
	f := newFake(t, "store")
	f.set("held", "")
	x := f.executor()
	x.Interval = time.Hour
	ended := f.start(x, doubles(3, ""))
	c := spaceOf(f.s)
	f.waitFor("handed over", func() bool { return len(c.batches()) == 1 && f.text("q/1.0") != "" })
	for range 3 { // each look marks the array
		path, long := c.path(batchesDir, c.batches()[0].name), time.Now().Add(-time.Hour)
		need.NoError(t, os.Chtimes(path, long, long))
		f.waitFor("looked at", func() bool { return age(path) < time.Minute })
	}
	f.unset("held")
	if r := <-ended; r.Ran != 3 {
		t.Errorf("%+v", r)
	}
	if asked := strings.Count(f.text("asked"), "\n"); asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}
