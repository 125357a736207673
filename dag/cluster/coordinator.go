package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag/engine"
)

// A coordinator hands jobs over and watches the store for their results.
type coordinator struct {
	x       *Executor
	store   *disk.Store
	space   space
	program string

	fresh   []*tracked // not handed over yet
	waiting map[artifacts.Key]*tracked
	arrays  map[string]*array // that are under way, by name
	seen    map[place]element // as the controller told last
	asked   time.Time         // when that was
	beat    time.Time         // when the arrays were last marked as waited for
	most    int               // elements of an array
	piece   int               // jobs that are handed over at once
	full    bool              // Slurm takes none at the moment
	deaf    time.Time         // since when the controller does not answer
	anew    struck            // what is handed over again
}

// An array is a batch that Slurm has.
type array struct {
	*batch
	id   string
	left int // keys that somebody waits for

	warned bool // the person knows that it will not start
}

type place struct {
	name  string
	index int
}

var (
	looking  = 500 * time.Millisecond // between two looks into the store
	retrying = 3 * time.Second        // before jobs are handed over again that were not taken
	beating  = abandoned / 6          // between two marks of an array
	grace    = 10 * time.Second       // a network file system may show a report later than Slurm shows the end
)

const (
	gathering = 300 * time.Millisecond // jobs that come together go together
	// Interval is the time between two questions to the controller. Results are seen without one.
	Interval = 10 * time.Second
	// NFS remembers for 60 s what was not there: then a job that succeeded is lost.
	longGrace = 70 * time.Second
	abandoned = time.Hour      // after which an array that nobody marks is waited for by nobody
	outdated  = 24 * time.Hour // after which a program that nobody marks is that of a former run
)

func (c *coordinator) loop() {
	var gather <-chan time.Time
	var first time.Time // of those that are gathered
	look := time.NewTicker(looking)
	defer look.Stop()
	for {
		select {
		case t := <-c.x.requests:
			if c.adopt(t) {
				continue
			}
			c.fresh = append(c.fresh, t)
			if gather == nil {
				first = time.Now()
			}
			if time.Since(first) < 10*gathering { // a trickle is not waited out
				gather = time.After(gathering)
			}
		case <-gather:
			gather = nil
			c.handOver()
			if len(c.fresh) > 0 && !c.full { // in smaller pieces
				gather = time.After(gathering)
			}
		case <-look.C:
			c.look()
			if len(c.fresh) > 0 && gather == nil { // what could not be handed over
				gather = time.After(retrying)
			}
		case answer := <-c.x.cancels:
			answer <- c.cancel()
		case <-c.x.quit:
			return
		}
	}
}

// find looks for arrays of an earlier coordinator that are still under way, and
// takes away what is left of the others.
func (c *coordinator) find() error {
	if err := c.ask(); err != nil {
		return fmt.Errorf("no answer from the Slurm controller: %w", err)
	}
	ids := map[string]string{}
	for at, e := range c.seen {
		if underWay(e.state) {
			ids[at.name] = e.id
		}
	}
	for _, b := range c.space.batches() {
		if id, ok := ids[b.name]; ok {
			c.arrays[b.name] = &array{batch: b, id: id}
			// others may be on their way to Slurm, or have a coordinator that is about to look
		} else if age(c.space.path(batchesDir, b.name)) > abandoned {
			c.takeAway(b)
		}
	}
	if len(c.space.batches()) == 0 { // no array needs one
		c.space.dropPrograms()
	}
	return nil
}

// adopt waits for a job that is under way already. One that has a report has ended,
// although others of its element go on.
func (c *coordinator) adopt(t *tracked) bool {
	if _, ended := c.space.readReport(t.key); ended {
		return false
	}
	for name, a := range c.arrays {
		for i, keys := range a.elements {
			if slices.Contains(keys, t.key) && underWay(c.seen[place{name, i}].state) {
				t.name, t.index, t.since = name, i, time.Now()
				c.waiting[t.key] = t
				a.left++
				return true
			}
		}
	}
	return false
}

// ask lets the controller tell where the elements are.
func (c *coordinator) ask() error {
	list, err := commands{}.list(context.Background())
	c.asked = time.Now()
	if err != nil {
		if c.deaf.IsZero() {
			c.deaf = time.Now()
			c.note("no answer from the Slurm controller; running jobs continue, and the request is repeated (%v)", err)
		}
		return err
	}
	if !c.deaf.IsZero() {
		c.note("Slurm's controller answers again")
		c.deaf = time.Time{}
	}
	c.seen = make(map[place]element, len(list))
	for _, e := range list {
		c.seen[place{e.name, e.index}] = e
	}
	return nil
}

func (c *coordinator) note(format string, args ...any) {
	if c.x.Note != nil {
		c.x.Note(fmt.Sprintf(format, args...))
	}
}

// look takes in the results that have come, and sees after the jobs that have none.
func (c *coordinator) look() {
	c.mark()
	defer c.anew.note(c.note)
	for _, t := range c.waiting {
		select {
		case <-t.gone: // it goes on in Slurm; who comes next may wait for it, or cancel may end it
			delete(c.waiting, t.key)
			continue
		default:
		}
		if !t.job.Forced {
			if out, ok := result(c.store, t.key); ok {
				c.end(t, engine.JobResult{Outputs: out})
				continue
			}
		}
		if r, ok := c.space.readReport(t.key); ok {
			switch out, ok := result(c.store, t.key); {
			case r.NoJob:
				c.again(t, c.seen[place{t.name, t.index}], vanished)
			case !r.Done:
				c.end(t, r.asReport())
			case ok:
				c.end(t, engine.JobResult{Outputs: out})
			}
		}
	}
	if len(c.waiting) == 0 || time.Since(c.asked) < c.x.Interval || c.ask() != nil {
		return
	}
	for _, t := range c.waiting {
		c.see(t)
	}
}

// see judges a job that has neither result nor report by what the controller says.
func (c *coordinator) see(t *tracked) {
	e, known := c.seen[place{t.name, t.index}]
	state := strings.TrimRight(e.state, "+")
	switch {
	case known && held(e):
		_ = commands{}.cancel(context.Background(), fmt.Sprintf("%s_%d", e.id, e.index))
		c.again(t, e, nodeLost)
	case known && underWay(state):
		t.off = time.Time{}
		c.tell(t, e)
		if a := c.arrays[t.name]; a != nil && !a.warned && stuck(e) {
			a.warned = true
			c.note("%s: Slurm cannot start it (%s): it requests %d CPUs, %d MB and %v. Request less or another partition by `resources` of its stage or --slurm-args; scancel %s cancels it", t.job.Task, e.reason, max(t.job.Threads, 1), t.memory>>20, t.limit, e.id)
		}
	case t.off.IsZero(): // by one clock for all, so that those that an outage strikes come to one end
		t.off = c.asked
	case c.asked.Sub(t.off) < grace, !known && c.asked.Sub(t.since) < 2*grace, state == "COMPLETED" &&
		c.asked.Sub(t.off) < longGrace:
	default:
		c.again(t, e, causeOf(state, known, func() string { return commands{}.exitOf(context.Background(), e) }))
	}
}

// tell passes on where a job is, when that has changed.
func (c *coordinator) tell(t *tracked, e element) {
	said := fmt.Sprintf("Slurm %s_%d %s", e.id, e.index, e.text())
	if said != t.said && t.job.Progress != nil {
		t.said = said
		t.job.Progress(0, 0, said)
	}
}

// end passes on how a job ended.
func (c *coordinator) end(t *tracked, r engine.JobResult) {
	if r.Err == nil && r.Lost == nil {
		c.store.Remote.Offer(t.key)
		c.space.remove(jobsDir, t.key.String())
		c.space.remove(reportsDir, t.key.String())
	}
	t.done <- r
	c.leave(t)
}

// leave forgets a job, and an array with its last one.
func (c *coordinator) leave(t *tracked) {
	delete(c.waiting, t.key)
	a := c.arrays[t.name]
	if a == nil {
		return
	}
	if a.left--; a.left > 0 {
		return
	}
	delete(c.arrays, a.name)
	if !c.stillNeeded(a) {
		c.takeAway(a.batch)
	}
}

// stillNeeded reports whether jobs of an array have no result yet: a run that comes
// later may wait for them.
func (c *coordinator) stillNeeded(a *array) bool {
	for _, keys := range a.elements {
		for _, k := range keys {
			if !there(c.store, k) {
				return true
			}
		}
	}
	return false
}

// takeAway removes what was written down for an array, but for jobs that stand in
// another one too: they were handed over again, by us or by somebody else.
func (c *coordinator) takeAway(b *batch) {
	c.space.remove(batchesDir, b.name)
	others := map[artifacts.Key]bool{}
	for _, o := range c.space.batches() {
		for _, k := range slices.Concat(o.elements...) {
			others[k] = true
		}
	}
	for i, keys := range b.elements {
		c.space.remove(logsDir, fmt.Sprintf("%s-%d", b.name, i))
		for _, k := range keys {
			if c.waiting[k] == nil && !others[k] {
				c.space.remove(jobsDir, k.String())
				c.space.remove(reportsDir, k.String())
			}
		}
	}
}

// mark tells other coordinators that our arrays are waited for.
func (c *coordinator) mark() {
	if time.Since(c.beat) < beating {
		return
	}
	c.beat = time.Now()
	touch(c.program)
	for name, a := range c.arrays {
		if a.left > 0 {
			touch(c.space.path(batchesDir, name))
		}
	}
}

// cancel asks Slurm to end the arrays whose jobs we wait for. Of the others in this
// store, those of another run, it knows too.
func (c *coordinator) cancel() error {
	c.fresh = nil
	var ids []string
	for _, a := range c.arrays {
		if a.left > 0 {
			ids = append(ids, a.id)
		}
	}
	slices.Sort(ids)
	return commands{}.cancel(context.Background(), ids...)
}
