//go:build unix

package cluster

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/need"
)

// pilotMain is "pipeline exec-pilot" of this test.
func pilotMain(args []string) int {
	var p Pilot
	f := flag.NewFlagSet("exec-pilot", flag.ExitOnError)
	store := f.String("store", "", "")
	f.IntVar(&p.Needs.Threads, "cpus", 0, "")
	f.Int64Var(&p.Needs.Memory, "memory", 0, "")
	f.DurationVar(&p.Needs.Time, "time", 0, "")
	f.IntVar(&p.Pilots, "pilots", 0, "")
	f.Parse(args)
	s, err := disk.Open(*store)
	if err != nil {
		panic(err)
	}
	p.Kinds, p.Out = pilotKinds, os.Stdout
	ctx, done := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer done()
	err = errors.Join(p.Work(ctx, s, f.Arg(0)), s.Close())
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// A nap is a stage that says in a file that it began, and takes as long as another file is there.
type nap struct {
	N     int    `param:"n"`
	Began string `param:"began"` // a file: gets a line each time
	While string `param:"while"`
}

func (*nap) Ports() dag.Ports {
	return dag.Ports{Out: []dag.Port{{Name: "out", Type: dag.Format("text")}}}
}

func (n *nap) Run(ctx context.Context, _ *dag.Task) (dag.Outputs, error) {
	f, err := os.OpenFile(n.Began, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(f, n.N)
	f.Close()
	for {
		if _, err := os.Stat(n.While); err != nil {
			return dag.Outputs{"out": artifacts.Text(fmt.Sprint(n.N))}, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

var napKind = &dag.Kind{Name: "nap", Code: "1", New: func() dag.Stage { return &nap{} }}

func pilotKinds(name string) (*dag.Kind, bool) {
	if name == "nap" {
		return napKind, true
	}
	return lookup(name)
}

// An office is a scheduler that starts pilots at once, on this machine.
type office struct {
	t     *testing.T
	mu    sync.Mutex
	procs []*exec.Cmd
	ends  sync.WaitGroup
	calls []int // how many pilots were asked for
	fail  error
	idle  bool // accepts pilots, and starts none
}

func (o *office) Start(_ context.Context, n int, r Request) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fail != nil {
		return 0, o.fail
	}
	o.calls = append(o.calls, n)
	for range n {
		if o.idle {
			continue
		}
		cmd := exec.Command(r.Command[0], r.Command[1:]...)
		if err := cmd.Start(); err != nil {
			return 0, err
		}
		o.procs = append(o.procs, cmd)
		o.ends.Go(func() { cmd.Wait() })
	}
	return n, nil
}

func (o *office) Left(context.Context, string) int     { return 0 }
func (o *office) Cancel(context.Context, string) error { return nil }

func (o *office) pilot(i int) *os.Process {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.procs[i].Process
}

func (o *office) asked() []int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.calls)
}

type crew struct {
	*fake
	office *office
	notes  *lines
}

type lines struct {
	mu   sync.Mutex
	text string
}

func (l *lines) add(line string) { l.mu.Lock(); defer l.mu.Unlock(); l.text += line + "\n" }
func (l *lines) all() string     { l.mu.Lock(); defer l.mu.Unlock(); return l.text }

func newCrew(t *testing.T) *crew {
	t.Setenv("QUICK_LEASES", "1")
	lease, renew := leaseTime, renewing
	leaseTime, renewing = time.Second, 100*time.Millisecond
	c := &crew{newFake(t, "store"), &office{t: t}, &lines{}}
	t.Cleanup(func() {
		leaseTime, renewing = lease, renew
		for i := range c.office.procs {
			c.office.pilot(i).Kill()
		}
		c.office.ends.Wait()
	})
	c.set("while", "")
	return c
}

func (c *crew) pool(n int, needs dag.Needs) *Pool {
	p := &Pool{Kinds: pilotKinds, Scheduler: c.office, Pilots: n, Needs: needs,
		Note: func(line string) { c.t.Log(line); c.notes.add(line) }}
	c.t.Cleanup(func() {
		c.unset("while")
		c.runs.Wait()
		p.Cancel()
		p.work.Wait()
	})
	return p
}

func (c *crew) naps(n int) *dag.Graph {
	b := dag.NewGraph("test")
	s := b.Stage("naps", napKind, "n")
	for i := range n {
		b.Task(s, &nap{N: i, Began: filepath.Join(c.dir, "began"), While: filepath.Join(c.dir, "while")}, fmt.Sprint(i))
	}
	return built(b)
}

// began counts the times that each nap began.
func (c *crew) began() map[string]int {
	n := map[string]int{}
	for line := range strings.Lines(c.text("began")) {
		n[strings.TrimSpace(line)]++
	}
	return n
}

// times counts all.
func (c *crew) times() int { return strings.Count(c.text("began"), "\n") }

var one = dag.Needs{Threads: 1, Memory: 1 << 30, Time: time.Hour}

// Each task is done once, by pilots that then end; the pool leaves nothing behind.
func TestPilots(t *testing.T) {
	c := newCrew(t)
	p := c.pool(3, dag.Needs{Threads: 2, Memory: 1 << 30, Time: time.Hour})
	c.unset("while")
	r, err := engine.Run(context.Background(), c.naps(40), c.s, engine.Options{Workers: 1000, Executor: p})
	if err != nil || r.Ran != 40 {
		t.Fatalf("%+v, %v", r, err)
	}
	for n, times := range c.began() {
		if times != 1 {
			t.Errorf("nap %s: %d times", n, times)
		}
	}
	if err := p.Cancel(); err != nil {
		t.Error(err)
	}
	c.waitFor("the pilots have ended", func() bool {
		for i := range c.office.asked()[0] {
			if c.office.pilot(i).Signal(syscall.Signal(0)) == nil {
				return false
			}
		}
		return true
	})
	for _, dir := range []string{poolsDir, jobsDir, reportsDir} {
		if left := list(filepath.Join(c.s.Dir(), clusterDir, dir)); len(left) > 0 {
			t.Errorf("%s: %q", dir, left)
		}
	}
}

// What a task took is told by its pilot: it does not contain the time in the queue. So the tasks of a single slot
// take no longer together than their run.
func TestSecondsOfAPilot(t *testing.T) {
	c := newCrew(t)
	c.unset("while")
	var sum float64
	count := func(e engine.Event) {
		if e.State == engine.Ran && e.Seconds > 0 {
			sum += e.Seconds
		}
	}
	r, err := engine.Run(context.Background(), c.naps(8), c.s,
		engine.Options{Workers: 1000, Executor: c.pool(1, one), Progress: count})
	if err != nil || r.Ran != 8 || sum == 0 || sum > r.Seconds {
		t.Errorf("%+v, %v: the tasks took %v s of %v", r, err, sum, r.Seconds)
	}
}

// A pilot that is killed costs its lease: others do what it had, and another one is started. So does one that stops
// for longer than its lease.
func TestPilotDies(t *testing.T) {
	for _, sign := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP, syscall.SIGTERM} {
		t.Run(sign.String(), func(t *testing.T) {
			c := newCrew(t)
			ended := c.start(c.pool(2, one), c.naps(4))
			c.waitFor("two at work", func() bool { return len(c.began()) == 2 })
			c.office.pilot(0).Signal(sign)
			c.waitFor("another one at work", func() bool {
				return c.times() > 2
			})
			c.unset("while")
			if r := <-ended; r.Ran != 4 {
				t.Errorf("%+v", r)
			}
			if !strings.Contains(c.notes.all(), "was ended; queued again") {
				t.Error(c.notes.all())
			}
			c.office.pilot(0).Signal(syscall.SIGCONT)
			if n := c.times(); n != 5 { // one was begun twice
				t.Errorf("%d naps", n)
			}
		})
	}
}

// A task that ends its pilot each time is given up, and the rest is done.
func TestTaskEndsItsPilots(t *testing.T) {
	c := newCrew(t)
	ended := c.start(c.pool(1, one), c.naps(1))
	for i := range 4 {
		c.waitFor("at work again", func() bool { return c.began()["0"] == i+1 })
		c.office.pilot(i).Kill()
	}
	r := <-ended
	if r.Failed != 1 || !strings.Contains(r.Errors[0].Error(), "resources: { memory:") ||
		!strings.Contains(r.Errors[0].Error(), "4 times") {
		t.Errorf("%+v", r.Errors)
	}
}

// A pilot takes no task when its time is nearly over, and stops what it has before its end; another one is
// started.
func TestPilotTime(t *testing.T) {
	c := newCrew(t)
	short := dag.Needs{Threads: 1, Memory: 1 << 30, Time: 2 * time.Second}
	ended := c.start(c.pool(1, short), c.naps(2))
	c.waitFor("another one at work", func() bool { return c.times() == 2 })
	c.unset("while")
	if r := <-ended; r.Ran != 2 {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(c.notes.all(), "the time of its pilot") {
		t.Error(c.notes.all())
	}
}

// The coordinator is killed; the next run waits for what a pilot has, and takes the rest out of the old queue.
func TestAnotherRunTakesOver(t *testing.T) {
	c := newCrew(t)
	ctx, kill := context.WithCancel(context.Background())
	first := c.pool(1, one)
	ended := c.startWith(ctx, first, c.naps(3))
	c.waitFor("one at work", func() bool { return len(c.began()) == 1 })
	kill()
	<-ended
	first.stop() // as if the process had gone
	again := c.start(c.pool(1, one), c.naps(3))
	c.waitFor("a second one at work", func() bool { return len(c.began()) == 2 })
	c.unset("while")
	if r := <-again; r.Ran+r.Cached != 3 {
		t.Errorf("%+v", r)
	}
	for n, times := range c.began() {
		if times != 1 {
			t.Errorf("nap %s: %d times", n, times)
		}
	}
	// The first pilot has nobody who waits for it.
	c.waitFor("it has ended", func() bool { return c.office.pilot(0).Signal(syscall.Signal(0)) != nil })
}

// What a task says when it fails is shown; a scheduler that refuses ends the run; pilots that never come are
// started three times.
func TestPoolFails(t *testing.T) {
	c := newCrew(t)
	c.set("bad", "")
	r, err := engine.Run(context.Background(), doubles(2, filepath.Join(c.dir, "bad")), c.s,
		engine.Options{Workers: 10, Executor: c.pool(1, one)})
	if err != nil || r.Failed != 2 || !strings.Contains(r.Errors[0].Error(), "is too much") {
		t.Errorf("%+v, %v", r, err)
	}
	c.office.fail = errors.New("no such queue")
	_, err = engine.Run(context.Background(), c.naps(2), c.s, engine.Options{Workers: 10, Executor: c.pool(1, one)})
	if err == nil || !strings.Contains(err.Error(), "no such queue") {
		t.Errorf("%v", err)
	}
}

// The values of placeholders are quoted; a variable of the shell is left alone.
func TestTemplate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "template")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r := Request{Name: "prgnn-1",
		Command: []string{"/it's/a $(touch " + dir + "/bad)", "exec-pilot", "--time", "4h0m0s"},
		Needs:   dag.Needs{Threads: 2, Memory: 3 << 30, Time: 100*time.Minute + time.Second}, Log: "/a b"}
	write("for w in {command} {log}; do printf '%s\\n' \"$w\"; done >" + dir + "/out\n" +
		"n={n}; echo ${n} {cpus} {time} {minutes} {seconds} {memory} {megabytes} {name} { other } >>" + dir + "/out\n")
	tpl, err := ReadTemplate(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tpl.Start(context.Background(), 7, r); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(dir + "/out")
	want := r.Command[0] + "\nexec-pilot\n--time\n4h0m0s\n/a b\n7 2 01:40:01 101 6001 3072M 3072 prgnn-1 { other }\n"
	if string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
	if _, err := os.Stat(dir + "/bad"); err == nil {
		t.Error("a word of the command was carried out")
	}
	write("echo {command} >>" + dir + "/each")
	if tpl, err = ReadTemplate(path); err != nil {
		t.Fatal(err)
	}
	tpl.Start(context.Background(), 3, r)
	if got, _ := os.ReadFile(dir + "/each"); strings.Count(string(got), "\n") != 3 {
		t.Errorf("%s", got)
	}
	write("n=4; echo \"${n}\" '${n}' {command} >>" + dir + "/shell") // no placeholder, so a pilot each
	if tpl, err = ReadTemplate(path); err != nil {
		t.Fatal(err)
	}
	tpl.Start(context.Background(), 3, r)
	if got, _ := os.ReadFile(dir + "/shell"); strings.Count(string(got), "\n") != 3 ||
		!strings.HasPrefix(string(got), "4 ${n} ") {
		t.Errorf("%s", got)
	}
	write("no-such-qsub {command}; true")
	tpl, _ = ReadTemplate(path)
	t.Setenv("PATH", "/usr/bin:/bin") // in a directory that may not be read, the shell reports another error
	if _, err := tpl.Start(context.Background(), 1, r); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Error(err)
	}
	for text, says := range map[string]string{"qsub -t 1-{n}": "{command} is missing", "qsub '{command}'": "line 1",
		"qsub ${command}": "{command} is missing",
		"#!/bin/sh\n#PBS -l mem={mem}\nqsub {command}": `line 2: {mem} is no placeholder (did you mean "memory"?); those are {n}, {command}`,
		"qsub -R 'rusage[mem={n_tasks}]' {command}":    "line 1: {n_tasks} is no placeholder; those are",
		"qsub {comand}":      `line 1: {comand} is no placeholder (did you mean "command"?)`,
		"qsub {N} {command}": "line 1: {N} is no placeholder", "n={n}\nqsub \"${n}\" {command} \"{log}": `line 2: "{log}`} {
		write(text)
		if _, err := ReadTemplate(path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
	// Braces of other programs, and the line ends of Windows.
	write("\ufeff" + strings.ReplaceAll(`V=4
printf '%s\n' '{"a": {}}' "${V}${undefined:-}" '%{http_code}' '{{json}} {{json .}}' \
  '{ name }' | awk '{print} END {print NR}' >`+dir+`/braces; : {1..3} {command}
`, "\n", "\r\n"))
	if tpl, err = ReadTemplate(path); err != nil {
		t.Fatal(err)
	}
	if _, err := tpl.Start(context.Background(), 1, r); err != nil {
		t.Fatal(err)
	}
	got, _ = os.ReadFile(dir + "/braces")
	need.Equal(t, string(got), "{\"a\": {}}\n4\n%{http_code}\n{{json}} {{json .}}\n{ name }\n5\n")
}

func TestSlurmTime(t *testing.T) {
	for text, want := range map[string]time.Duration{"1-02:03:04": 26*time.Hour + 3*time.Minute + 4*time.Second,
		"59:30": 59*time.Minute + 30*time.Second, "4:00:00": 4 * time.Hour, "UNLIMITED": 0, "INVALID": 0, "": 0} {
		if got := slurmTime(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// The times of a lease are compared with each other only: a server whose clock is years off or goes back is as good.
func TestOtherClock(t *testing.T) {
	c := newCrew(t)
	path := filepath.Join(c.dir, "lease")
	c.set("lease", "")
	watch := leases{}
	for i := range 30 {
		at := time.Date(2001, 1, 30-i%2, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		if watch.expired(path) {
			t.Fatal("a lease that changes has expired")
		}
		time.Sleep(leaseTime / 20)
	}
	far := time.Now().Add(time.Hour) // not renewed any more, and younger than now
	if err := os.Chtimes(path, far, far); err != nil {
		t.Fatal(err)
	}
	c.waitFor("expired", func() bool { return watch.expired(path) })
}

// A task that each pilot stops for want of time is given up.
func TestLate(t *testing.T) {
	c := newCrew(t)
	p := c.pool(1, dag.Needs{Threads: 1, Memory: 1 << 30, Time: time.Second})
	r := <-c.start(p, c.naps(1))
	if r.Failed != 1 || !strings.Contains(r.Errors[0].Error(), "Give pilots more: --pilot-time 2s") {
		t.Errorf("%+v", r.Errors)
	}
}

// Pilots that end before they reach the store are started three times; then the run stops.
func TestNoPilotComes(t *testing.T) {
	c := newCrew(t)
	before := lonesome
	lonesome = 200 * time.Millisecond
	defer func() { lonesome = before }()
	c.office.idle = true
	_, err := engine.Run(context.Background(), c.naps(2), c.s, engine.Options{Workers: 10, Executor: c.pool(2, one)})
	if err == nil || !strings.Contains(err.Error(), "3 times all pilots ended before they reached the store") {
		t.Errorf("%v", err)
	}
	if asked := c.office.asked(); !slices.Equal(asked, []int{2, 2, 2}) {
		t.Errorf("%v", asked)
	}
}

// Without a log there are no words of a pilot that could not begin: the person learns how to get them.
func TestNoLog(t *testing.T) {
	c := newCrew(t)
	p := c.pool(1, one)
	p.space = spaceOf(c.s)
	p.Scheduler = &Template{"/site/submit.sh", "qsub {command}"}
	if said := p.lastWords(); !strings.Contains(said, "submit.sh has no {log}") {
		t.Errorf("%q", said)
	}
	p.Scheduler = &Template{"/site/submit.sh", "qsub -o {log} {command}"}
	if said := p.lastWords(); said != "" {
		t.Errorf("%q", said)
	}
}

// A cluster that takes short arrays, and few jobs of one user, gets as many pilots as it takes.
func TestPilotsOnANarrowCluster(t *testing.T) {
	f := newFake(t, "100% full, it's a store")
	f.set("longest", "3")
	f.set("most", "7")
	f.set("held", "")
	p := &SlurmPilots{Args: []string{"--comment=two words"}}
	n, err := p.Start(context.Background(), 10, Request{Name: newName(), Command: []string{"true"}, Needs: one,
		Log: f.s.Dir() + "/log"})
	if n != 7 || err == nil || !passing(err) {
		t.Errorf("%d, %v", n, err)
	}
	if args := f.text("args"); !strings.Contains(args, "--time=60\n") || !strings.Contains(args, "--mem=1024M\n") ||
		!strings.Contains(args, "100%% full") || !strings.HasSuffix(args, "--no-requeue\n--comment=two words\n") {
		t.Error(args)
	}
	f.unset("held")
	f.waitFor("all have ended", func() bool {
		out, _ := exec.Command("squeue").Output()
		return !strings.Contains(string(out), "PENDING") && !strings.Contains(string(out), "RUNNING")
	})
}

// What needs more memory than a pilot has is a job of its own.
func TestLargeJobs(t *testing.T) {
	c := newCrew(t)
	p := c.pool(1, one)
	p.Large = c.executor()
	b := dag.NewGraph("test")
	addDoubles(b, "doubles", 0, 3, "", dag.Needs{})
	addDoubles(b, "large", 3, 4, "", dag.Needs{Memory: one.Memory + 1<<20})
	r, err := engine.Run(context.Background(), built(b), c.s, engine.Options{Workers: 10, Executor: p})
	need.NoError(t, errors.Join(err, p.Cancel()))
	c.waitFor("ended", func() bool {
		out, _ := exec.Command("squeue").Output()
		return c.office.pilot(0).Signal(syscall.Signal(0)) != nil && strings.Contains(string(out), "COMPLETED")
	})
	need.Equal(t, fmt.Sprint(r.Ran, r.Outputs["large[n=3]"].Of("out").Size > 0, c.office.asked()), "4 true [1]")
	need.Equal(t, c.text("id"), "1\n", "jobs")
	if args := c.text("args"); !strings.Contains(args, "--array=0-0\n") || !strings.Contains(args, "--mem=1025M\n") {
		t.Error(args)
	}
}

// The number of one element of an array is that of the whole array, too.
func TestTimeLeft(t *testing.T) {
	f := newFake(t, "store")
	text := "#!/bin/sh\ncase \" $* \" in *\" 16_2 \"*) echo 1:30;; *\" 16 \"*) echo 4:00; echo 1:30;; *) echo 3:00; esac\n"
	if err := os.WriteFile(filepath.Join(f.dir, "squeue"), []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		job, array, task, begin, end string
		want                         time.Duration
	}{
		{want: 0},
		{job: "17", want: 3 * time.Minute},
		{job: "16", array: "16", task: "2", want: 90 * time.Second},
		{job: "16", array: "16", task: "2", begin: "1000", end: "1300", want: 5 * time.Minute},
	} {
		t.Setenv("SLURM_JOB_ID", c.job)
		t.Setenv("SLURM_ARRAY_JOB_ID", c.array)
		t.Setenv("SLURM_ARRAY_TASK_ID", c.task)
		t.Setenv("SLURM_JOB_START_TIME", c.begin)
		t.Setenv("SLURM_JOB_END_TIME", c.end)
		if got := TimeLeft(context.Background()); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// What a pilot still takes, by the time that it has left.
func TestLeaving(t *testing.T) {
	for _, c := range []struct {
		left, longest, takes time.Duration
		want                 bool
	}{
		{95 * time.Minute, 0, 3 * time.Hour, false}, // no pilot has more
		{50 * time.Minute, 0, 0, false},
		{50 * time.Minute, 0, 49 * time.Minute, false},
		{50 * time.Minute, 0, 51 * time.Minute, true},
		{50 * time.Minute, time.Hour, 0, true},
		{11 * time.Minute, 0, 0, false},
		{9 * time.Minute, 0, 0, true},
	} {
		p := Pilot{Needs: dag.Needs{Time: 100 * time.Minute}, until: time.Now().Add(c.left), longest: c.longest}
		if got := p.leaving(c.takes); got != c.want {
			t.Errorf("%v left, the longest took %v, a task of %v: %v", c.left, c.longest, c.takes, got)
		}
	}
	if (&Pilot{}).leaving(time.Hour) {
		t.Error("a pilot without an end leaves")
	}
}
