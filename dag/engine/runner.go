package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/artifacts/remote"
	"prgnn/dag"
	"prgnn/dag/content"
	"prgnn/dag/internal/order"
	"prgnn/dag/shelf"
)

// A runner carries out one run, or one plan (dry). The goroutine in loop owns
// it; workers get order.Numbers of nodes and send answers back. A node goes
//
//	waiting → queued → checking → settled                     its result is in the store
//	                            → ready → running → settled   it is not
//
// and, when bytes that it needs turn out to be lost, from running back to
// waiting while their producer goes back to ready.
type runner struct {
	*order.Index[*dag.Node]
	graph   *dag.Graph
	store   *disk.Store
	opt     Options
	dry     bool
	id      string // of the run
	began   time.Time
	clock   func() time.Duration // since then
	remote  bool                 // the store has one
	known   bool                 // the store has a record of the run, which says that it is going on
	untold  bool                 // tasks ran since their times were saved
	saveAt  time.Duration
	files   content.Digests
	hash    content.Hashing      // while the run goes on
	code    map[*dag.Kind]string // digests of the code identities
	listing []artifacts.Ref      // of what the kinds reach, for the record

	at        []status          // by node
	left      int               // nodes not settled
	toCheck   order.Numbers     // the ranks of queued nodes
	toRun     order.Numbers     // the turns of ready nodes
	turn      []int32           // of each node: when it begins, if it is ready
	inTurn    []int32           // the nodes, by turn
	heldBack  map[int32][]int32 // by producer of lost bytes: who waits for it
	heals     map[heal]int      // how often a task had an input made again
	elsewhere []int32           // ready, but another process is at it
	checks    int               // batches under way
	jobs      int               // tasks under way
	active    []int32           // which they are
	shelf     shelf.Shelf       // what tasks have made of their inputs, for others
	storing   int               // of them, how many gave back their threads and wait for the disk
	threads   int               // free
	memory    int64             // free, when opt.Memory sets a limit
	stopped   error             // why nothing more is started
	fatal     error             // why the run as a whole cannot go on
	readOnly  error             // why nothing can be stored

	roots map[int32]int32 // of skipped and unknown tasks; see root

	batches  chan []int32
	checked  chan []verdict
	waiting  chan int32 // tasks that wait for the disk
	outcomes chan outcome
	notes    chan Event
}

// A heal is a task, and one that had to run again to give it its bytes.
type heal struct{ user, producer int32 }

// A phase is how far the runner is with a node.
type phase uint8

const (
	outside phase = iota // not part of this run
	waiting
	queued
	checking
	ready
	running
	settled // state says how
)

// A status is what the runner knows of one node. Only the runner's goroutine
// writes it. Checks and tasks read target and remake, which stay as they are while
// a node is with them, and outputs, also of the nodes upstream.
type status struct {
	key      artifacts.Key
	outputs  atomic.Pointer[artifacts.Refs]
	story    *story // nil as long as there is none
	waits    int32
	readers  atomic.Int32 // the nodes that are still to be settled that need it
	threads  int32        // that it was given, and has not given back
	asked    int32        // when the store and the remote were asked for it, in s by the runner's clock
	phase    phase
	state    State
	wanted   bool // selected; else it is only looked up
	target   bool // its bytes must be there, not only the record of them
	forced   bool
	remake   bool  // there is a record, but bytes of it that somebody needs are lost
	damaged  bool  // bytes of it were found damaged
	missing  bool  // they were so only since the remote lacks them
	fetched  bool  // the record, with which outputs are compared, came from a remote
	ran      bool  // in this run; it may be looked at again all the same, when bytes are lost
	known    bool  // of a plan: stale, but what it will give is known
	passedOn bool  // its users know that it is settled
	told     State // the end that was reported last
	others   bool  // another process is at it
	storing  bool
}

// A story is what there is to say of a node that ran, or did not come to a good end: of few, where there are many.
type story struct {
	err            error  // Failed: an *Error. Skipped: what it waited for
	reason         string // Stale, Unknown: why
	note           string
	said           string // the last lines of its log, when it failed
	start, seconds float64
	read, memory   int64 // see TaskRecord
}

// tale is the story of a node, to be read.
func (p *status) tale() story {
	if p.story == nil {
		return story{}
	}
	return *p.story
}

// write is the story of a node, to be written.
func (p *status) write() *story {
	if p.story == nil {
		p.story = &story{}
	}
	return p.story
}

func newRunner(g *dag.Graph, s *disk.Store, o Options) (*runner, error) {
	if g == nil || s == nil {
		return nil, errors.New("there is no graph or no store: the errors of Build and of disk.Open state why")
	}
	if err := s.Health.Readable(); err != nil {
		return nil, err
	}
	x, err := order.New(slices.Collect(g.Tasks()), (*dag.Node).ID, func(n *dag.Node, yield func(*dag.Node) bool) {
		for src := range n.Upstream() {
			if !yield(src.Node) {
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for _, n := range []struct {
		name  string
		value int64
	}{{"Workers", int64(o.Workers)}, {"Threads", int64(o.Threads)}, {"Memory", o.Memory}} {
		if n.value < 0 {
			return nil, fmt.Errorf("the option %s must not be negative, but is %d", n.name, n.value)
		}
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Executor == nil {
		o.Executor = Local{}
	}
	r := &runner{
		Index: x, graph: g, store: s, opt: o, began: time.Now(), remote: s.Remote.Report() != nil,
		at:       make([]status, len(x.Nodes)),
		heldBack: map[int32][]int32{}, heals: map[heal]int{}, roots: map[int32]int32{},
		threads: o.Workers, memory: o.Memory,
		batches: make(chan []int32), checked: make(chan []verdict),
		waiting: make(chan int32), outcomes: make(chan outcome),
		notes: make(chan Event, 64),
	}
	r.clock = func() time.Duration { return time.Since(r.began) }
	r.shelf.AtOnce = o.Workers
	r.takeTurns()
	r.files.Rehash, r.hash = o.Rehash, hashing(context.Background(), s)
	if err := r.choose(); err != nil {
		return nil, err
	}
	return r, r.identify()
}

// choose works out which nodes take part, and how.
func (r *runner) choose() error {
	o := r.opt
	if len(o.Until) > 0 && len(o.Only) > 0 {
		return errOnlyAndUntil
	}
	targets, err := r.marks(slices.Concat(o.Until, o.Only))
	if err != nil {
		return err
	}
	forced, err := r.marks(o.Force)
	if err != nil {
		return err
	}
	all := len(o.Until) == 0 && len(o.Only) == 0
	part := r.Upstream(targets)
	for i := range r.at {
		if !all && !part[i] {
			continue
		}
		p := &r.at[i]
		p.phase, p.state = waiting, Waiting
		p.wanted = len(o.Only) == 0 || targets[i]
		p.target = targets[i] || all && len(r.Users.Of(int32(i))) == 0
		p.forced = forced[i] && p.wanted
		p.waits = int32(len(r.Needs.Of(int32(i))))
		for _, j := range r.Needs.Of(int32(i)) {
			r.at[j].readers.Add(1)
		}
		r.left++
		if p.waits == 0 {
			r.queue(int32(i))
		}
	}
	return nil
}

func (r *runner) marks(patterns []string) ([]bool, error) {
	m := make([]bool, len(r.Nodes))
	nodes, err := r.graph.Select(patterns...)
	for _, n := range nodes {
		m[r.Of[n]] = true
	}
	return m, err
}

// hashing digests files until ctx ends.
func hashing(ctx context.Context, s *disk.Store) content.Hashing {
	return func(path string, rehash bool) (artifacts.Ref, error) { return s.HashFile(ctx, path, rehash) }
}

// loop runs until every node is settled, or nothing more may be started and
// what was started has answered.
func (r *runner) loop(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.hash = hashing(ctx, r.store)
	checkers, batch := max(2, min(r.opt.Workers, runtime.GOMAXPROCS(0))), 256
	if r.remote {
		checkers, batch = remote.Lookups, 16 // they wait for a network, not for a processor
	}
	for range checkers {
		go r.checker()
	}
	defer close(r.batches)
	if !r.dry && r.readOnly == nil {
		defer r.hashAhead().Wait()
	}
	interrupted := ctx.Done()
	ask := time.NewTicker(askAgain)
	defer ask.Stop()
	for {
		r.dispatchTasks(ctx)
		r.dispatchChecks(checkers, batch)
		r.tellWait()
		if r.checks == 0 && r.jobs == 0 && (len(r.elsewhere) == 0 || r.stopped != nil) {
			break
		}
		select {
		case <-ask.C:
			r.sampleMemory()
			r.saveTimes()
			// A few at a time, in turn: asking costs some 20 µs each.
			for _, i := range r.elsewhere[:min(len(r.elsewhere), 2*r.opt.Workers)] {
				r.makeReady(i)
				r.elsewhere = r.elsewhere[1:]
			}
		case vs := <-r.checked:
			r.checks--
			for i := range vs {
				r.take(ctx, &vs[i])
			}
		case i := <-r.waiting:
			r.rest(i)
		case o := <-r.outcomes:
			r.drainNotes() // what it told of itself comes before its end
			r.jobs--
			r.finish(ctx, &o)
			if r.fatal != nil {
				cancel(r.fatal)
			}
		case e := <-r.notes:
			r.emit(e)
		case <-interrupted:
			interrupted = nil
			if r.fatal == nil {
				r.fatal = context.Cause(ctx)
			}
			r.stopped = r.fatal
		}
	}
	if cause := context.Cause(ctx); r.fatal == nil && r.left > 0 && cause != nil { // the last answer came before it
		r.fatal, r.stopped = cause, cause
	}
	if r.fatal == nil && r.left > 0 {
		r.giveUp()
	}
	return r.fatal
}

func (r *runner) drainNotes() {
	for {
		select {
		case e := <-r.notes:
			r.emit(e)
		default:
			return
		}
	}
}

// identify finds the code digests of the kinds in the graph.
func (r *runner) identify() error {
	r.code = map[*dag.Kind]string{}
	for _, s := range r.graph.Stages() {
		if _, known := r.code[s.Kind()]; known {
			continue
		}
		d, err := s.Kind().CodeDigest()
		if err != nil {
			return err
		}
		r.code[s.Kind()] = d
	}
	return nil
}
