package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/artifacts/whole"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/machine"
)

// A Pool is a engine.Executor whose jobs are carried out by pilots: processes that a scheduler starts,
// and that take one job after the other from the store for as long as the run, or their time, lasts.
//
// In the store, one directory for each pool:
//
//	cluster/pools/<pool>/queue/<job>        a job that nobody has
//	cluster/pools/<pool>/pilots/<id>/<job>  one that a pilot has: taking it is a rename
//	cluster/pools/<pool>/pilots/<id>/lease  renewed by the pilot while it lives
//	cluster/pools/<pool>/done/<key>         how a job ended: a report
//	cluster/pools/<pool>/ended/<id>         a pilot that ended
//	cluster/pools/<pool>/beat               renewed by the run
//
// The name of a job is its key, and what it needs. No lock is needed, and no two clocks are compared: a process that
// watches a lease sees by its own clock whether the time of the lease changes within leaseTime.
type Pool struct {
	Kinds     func(name string) (*dag.Kind, bool)
	Scheduler Scheduler
	Pilots    int               // how many
	Needs     dag.Needs         // what each of them has; tasks share it
	Large     *Executor         // carries out the jobs that need more memory; nil: pilots do, each alone
	Note      func(line string) // something for the person; may be nil

	begin   sync.Once
	problem error // why it could not begin
	store   *disk.Store
	space   space
	name    string
	dir     string
	program string
	others  []string        // pools of earlier runs
	live    context.Context // until Cancel
	stop    context.CancelFunc
	work    sync.WaitGroup // what goes on in the background

	mu        sync.Mutex
	orders    map[artifacts.Key]*order
	leases    leases
	submitted int       // pilots, so far
	handed    time.Time // when the last of them were
	lonely    time.Time // since when work waits and no pilot is there
	told      bool      // the person knows that
	barren    int       // how often all pilots that were handed over came to nothing
	asking    bool      // the scheduler is being asked
	refused   bool      // it takes no more pilots for now, and the person knows
	anew      struck    // what is queued again
}

// A Scheduler starts processes on other machines.
type Scheduler interface {
	// Start hands over up to n pilots, each of which runs the command of the request, and tells how many.
	Start(ctx context.Context, n int, r Request) (int, error)
	// Left tells how many pilots of that name have not ended by what the scheduler says, and -1 when it cannot tell.
	Left(ctx context.Context, name string) int
	// Cancel takes back those that have not begun.
	Cancel(ctx context.Context, name string) error
}

// A Request is what a scheduler has to know of a pilot.
type Request struct {
	Name    string // of the pool
	Command []string
	Needs   dag.Needs
	Log     string // a path: where a pilot may write what it says
}

const (
	poolsDir  = "pools"
	queueDir  = "queue"
	pilotsDir = "pilots"
	doneDir   = "done"
	endedDir  = "ended"
	beatFile  = "beat"

	gonePrefix = ".gone-"
	leaseFile  = "lease"

	// Between two looks into a directory, while things move and while they do not.
	leastPause = 40 * time.Millisecond
	mostPause  = time.Second

	// PilotTime is what a pilot asks for where nobody says otherwise.
	PilotTime = 4 * time.Hour
)

// An order is a job that a pool has to have carried out.
type order struct {
	job   *engine.Job
	done  chan engine.JobResult
	tries map[cause]int
	seen  time.Time // since when it is said to be done, and the result cannot be seen
	lost  int       // how often it was in no place where a job may be
	held  string    // by a pilot of another pool: its directory
}

// Execute has a job carried out by a pilot, and waits until the store has its result.
func (p *Pool) Execute(ctx context.Context, s *disk.Store, j *engine.Job) engine.JobResult {
	if k, ok := p.Kinds(j.Kind.Name); !ok || k != j.Kind {
		return engine.Local{}.Execute(ctx, s, j)
	}
	if p.Large != nil && j.Memory > p.Needs.Memory {
		return p.Large.Execute(ctx, s, j)
	}
	if lost := fetch(ctx, s, j); lost != nil {
		return engine.JobResult{Lost: lost}
	}
	p.begin.Do(func() { p.problem = p.start(s) })
	o := &order{job: j, done: make(chan engine.JobResult, 1), tries: map[cause]int{}}
	err := p.problem
	if err == nil {
		err = p.add(o)
	}
	if err != nil {
		return engine.JobResult{Err: &engine.StoreError{Err: err}}
	}
	select {
	case r := <-o.done:
		return r
	case <-ctx.Done():
		p.mu.Lock()
		delete(p.orders, j.Key)
		p.mu.Unlock()
		return engine.JobResult{Err: context.Cause(ctx)}
	}
}

// start makes the pool, and the goroutine that looks after it.
func (p *Pool) start(s *disk.Store) (err error) {
	p.store, p.space, p.name = s, spaceOf(s), newName()
	p.orders, p.leases = map[artifacts.Key]*order{}, leases{}
	p.live, p.stop = context.WithCancel(context.Background())
	if err := able(s, p.note); err != nil {
		return err
	}
	if p.program, err = p.space.keepProgram(); err != nil {
		return err
	}
	for _, e := range list(filepath.Join(p.space.dir, poolsDir)) {
		if dir := p.space.path(poolsDir, e); strings.HasPrefix(e, gonePrefix) || deserted(dir) {
			os.RemoveAll(dir)
		} else {
			p.others = append(p.others, dir)
		}
	}
	p.dir = p.space.path(poolsDir, p.name)
	for _, sub := range []string{queueDir, pilotsDir, doneDir, endedDir} {
		if err := whole.MkdirAll(filepath.Join(p.dir, sub)); err != nil {
			return err
		}
	}
	if err := p.space.write(filepath.Join(poolsDir, p.name), beatFile, nil, 0o666); err != nil {
		return err
	}
	// A scheduler opens the log before anything runs.
	if err := p.space.write(logsDir, ".keep", nil, 0o666); err != nil {
		return err
	}
	p.work.Go(p.loop)
	return nil
}

// deserted reports whether neither a run nor a pilot has looked after a pool for long.
func deserted(dir string) bool {
	all := []string{filepath.Join(dir, beatFile)}
	for _, id := range list(filepath.Join(dir, pilotsDir)) {
		all = append(all, filepath.Join(dir, pilotsDir, id, leaseFile))
	}
	return !slices.ContainsFunc(all, func(path string) bool { return age(path) <= abandoned })
}

// Begun reports whether any pilot or job was asked for.
func (p *Pool) Begun() bool { return p.live != nil || p.Large != nil && p.Large.Begun() }

// Cancel ends the pool, and with it its pilots and jobs.
func (p *Pool) Cancel() error {
	var err error
	if p.Large != nil {
		err = p.Large.Cancel()
	}
	if p.live == nil || p.problem != nil || p.live.Err() != nil {
		return err
	}
	p.stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	err = errors.Join(err, p.Scheduler.Cancel(context.Background(), p.name))
	// Renamed first: nobody finds half of it.
	gone := filepath.Join(filepath.Dir(p.dir), gonePrefix+p.name)
	if moved := os.Rename(p.dir, gone); moved != nil {
		return errors.Join(err, moved)
	}
	for _, l := range p.logs() {
		os.Remove(l)
	}
	return errors.Join(err, os.RemoveAll(gone))
}

// loop looks at what the pilots have done, often while they do something.
func (p *Pool) loop() {
	pause, tended, searched := leastPause, time.Time{}, time.Now()
	for {
		select {
		case <-p.live.Done():
			return
		case <-time.After(jitter(pause)):
		}
		p.mu.Lock()
		if p.live.Err() != nil { // cancelled meanwhile
			p.mu.Unlock()
			return
		}
		if p.look() {
			pause = p.least()
		} else {
			pause = min(slower(pause), mostPause, renewing/2)
		}
		if time.Since(tended) > renewing/2 {
			tended = time.Now()
			touch(filepath.Join(p.dir, beatFile))
			p.tend()
		}
		if time.Since(searched) > leaseTime {
			searched = time.Now()
			p.search()
		}
		p.anew.note(p.note)
		p.mu.Unlock()
	}
}

// least is the shortest pause: the more pilots there are, the more each look costs.
func (p *Pool) least() time.Duration {
	return max(leastPause, time.Duration(p.Pilots)*time.Millisecond)
}

// slower is the next pause while nothing happens. Growing by a tenth, each is a tenth of the idle time so far, so that
// an event is seen, on average, after a twentieth of it.
func slower(pause time.Duration) time.Duration { return pause * 11 / 10 }

// jitter keeps many processes from asking at the same moment.
func jitter(d time.Duration) time.Duration { return d/2 + rand.N(d) }

// add takes a job on: it stands in the queue when add returns, or a pilot of an earlier run has it.
func (p *Pool) add(o *order) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.orders[o.job.Key] = o
	o.held = p.elsewhere(o.job.Key)
	if o.held != "" {
		return nil
	}
	return p.enqueue(o)
}

// elsewhere is the directory of the pilot of an earlier run that has a job. One that still stands in a queue there is
// taken out of it.
func (p *Pool) elsewhere(k artifacts.Key) (dir string) {
	p.others = slices.DeleteFunc(p.others, func(pool string) bool {
		queue, pilots := list(filepath.Join(pool, queueDir)), list(filepath.Join(pool, pilotsDir))
		if job := nameOf(queue, k); job != "" && os.Remove(filepath.Join(pool, queueDir, job)) == nil {
			return false
		}
		for _, id := range pilots {
			if d := filepath.Join(pool, pilotsDir, id); nameOf(list(d), k) != "" {
				dir = d
			}
		}
		return len(queue) == 0 && len(pilots) == 0
	})
	return dir
}

// enqueue writes a job down for the pilots. One that ended badly before runs alone.
func (p *Pool) enqueue(o *order) error {
	text, err := encodeJob(o.job)
	if err != nil {
		return err
	}
	l := load{key: o.job.Key, threads: max(o.job.Threads, 1), memory: o.job.Memory,
		time: o.job.Time, alone: len(o.tries) > 0}
	o.seen, o.lost, o.held = time.Time{}, 0, ""
	return p.space.write(filepath.Join(poolsDir, p.name, queueDir), l.name(), text, 0o666)
}

// look takes in what has ended, and reports whether anything has.
func (p *Pool) look() (moved bool) {
	for _, name := range list(filepath.Join(p.dir, doneDir)) {
		k, err := artifacts.ParseKey(name)
		if err != nil {
			continue
		}
		path := filepath.Join(p.dir, doneDir, name)
		r, ok := readReport(path)
		o := p.orders[k]
		switch {
		case o == nil: // it was done twice, or nobody waits for it any more
			os.Remove(path)
		case ok:
			moved = p.judge(o, r, path) || moved
		}
	}
	return moved
}

// judge deals with the report of a job. What counts is what the store holds.
func (p *Pool) judge(o *order, r *report, path string) (moved bool) {
	out, there := result(p.store, o.job.Key)
	switch {
	case r.Stopped:
		os.Remove(path)
		p.again(o, map[bool]cause{true: outOfTime, false: nodeLost}[r.Late], r.Pilot)
	case r.Done && there:
		os.Remove(path)
		p.end(o, engine.JobResult{Outputs: out, Seconds: r.Seconds})
	case r.Done && o.seen.IsZero():
		o.seen = time.Now()
		return false
	case r.Done && time.Since(o.seen) < longGrace: // it is on its way through a network file system
		return false
	case r.Done || len(r.Lost) > 0 && p.haveAll(r.asReport().Lost):
		os.Remove(path)
		p.again(o, vanished, r.Pilot)
	default:
		os.Remove(path)
		p.end(o, r.asReport())
	}
	return true
}

// haveAll reports whether blobs are here that a pilot could not see.
func (p *Pool) haveAll(lost []artifacts.Digest) bool {
	return !slices.ContainsFunc(lost, func(d artifacts.Digest) bool { return p.store.Health.Stored(d) != nil })
}

func (p *Pool) end(o *order, r engine.JobResult) {
	if r.Err == nil && r.Lost == nil {
		p.store.Remote.Offer(o.job.Key)
	}
	delete(p.orders, o.job.Key)
	o.done <- r
}

// again puts a job back into the queue, or gives it up.
func (p *Pool) again(o *order, why cause, where string) {
	o.tries[why]++
	if o.tries[why] <= why.tries() {
		p.anew.add(inPilot(why, where)+"; queued again", o.job.Task)
		if err := p.enqueue(o); err != nil {
			p.end(o, engine.JobResult{Err: &engine.StoreError{Err: err}})
		}
		return
	}
	text := fmt.Sprintf("%s, %d times", inPilot(why, where), o.tries[why])
	switch why {
	case nodeLost:
		text += fmt.Sprintf("; a pilot has %d MB. If the task needs more, give its stage more:\n  resources: { memory: %dG }",
			p.Needs.Memory>>20, 1+2*max(p.Needs.Memory, o.job.Memory)/1e9)
	case outOfTime:
		text += fmt.Sprintf("; a pilot has %v. Give pilots more: --pilot-time %v", p.Needs.Time, 2*p.Needs.Time)
	case vanished:
		text += ". Check the store's file system, then run again"
	}
	p.end(o, engine.JobResult{Err: &machine.Fault{Err: errors.New(text), OfStage: why == nodeLost}})
}

// inPilot says for the person what happened to a task.
func inPilot(why cause, where string) string {
	switch why {
	case nodeLost:
		return "its " + where + " was ended"
	case outOfTime:
		return "the time of its " + where + " is over"
	}
	return "no pilot is running it and the store has no result of it"
}

// fail ends all that is waited for.
func (p *Pool) fail(err error) {
	for _, o := range p.orders {
		p.end(o, engine.JobResult{Err: &engine.StoreError{Err: err}})
	}
}

func (p *Pool) note(format string, args ...any) {
	if p.Note != nil {
		p.Note(fmt.Sprintf(format, args...))
	}
}
