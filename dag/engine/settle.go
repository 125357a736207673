package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"prgnn/artifacts"
	"prgnn/dag"
)

// take moves a node on after it was compared with the store.
func (r *runner) take(ctx context.Context, v *verdict) {
	p := &r.at[v.node]
	p.key, p.asked = v.key, int32(r.clock().Seconds())
	switch {
	case v.err != nil && ctx.Err() != nil: // whatever it says: its files were not read to their ends
		p.phase = waiting
		return
	case v.err != nil:
		r.settle(v.node, Failed, nil, v.err)
		return
	case v.outputs != nil && !v.lost && p.ran:
		r.settle(v.node, Ran, v.outputs, nil)
		return
	case v.outputs != nil && !v.lost && !p.forced:
		r.settle(v.node, Cached, v.outputs, nil)
		return
	}
	p.remake = v.lost
	p.missing = v.missing && (p.missing || !p.damaged)
	p.damaged = p.damaged || v.damaged
	if v.outputs != nil { // to compare with what it gives now
		p.outputs.Store(&v.outputs)
		p.fetched = v.fetched
	}
	if f, ok := r.Nodes[v.node].Instance().(dag.Precomputed); ok && r.dry && p.wanted {
		p.known = true
		r.settle(v.node, Stale, f.KnownOutputs(), nil)
		return
	}
	if r.dry && p.wanted && v.lost { // it will give what it gave before
		p.known = true
		r.settle(v.node, Stale, v.outputs, nil)
		return
	}
	if r.dry || !p.wanted {
		r.settle(v.node, Stale, nil, nil)
		return
	}
	r.makeReady(v.node)
}

// finish moves a node on after its task came to an end.
func (r *runner) finish(ctx context.Context, o *outcome) {
	i, p := o.node, &r.at[o.node]
	_, memory := r.need(i)
	r.threads += int(p.threads)
	if p.storing {
		p.storing = false
		r.storing--
	}
	r.memory += memory
	r.sampleMemory()
	r.active = slices.DeleteFunc(r.active, func(j int32) bool { return j == i })
	s := p.write()
	p.key, s.seconds, s.read = o.key, o.seconds, o.read
	if o.Seconds > 0 { // it waited for its turn elsewhere
		s.seconds, s.start = o.Seconds, s.start+max(0, o.seconds-o.Seconds)
	}
	s.said = o.Log
	if o.Memory > 0 { // of its own processes, which are not this one
		s.memory = o.Memory
	}
	var broken *StoreError
	switch {
	case errors.As(o.Err, &broken):
		r.fatal, r.stopped = broken, broken
		p.phase = waiting
	case o.Err == nil && o.lost == nil && o.adopted && !p.ran:
		r.settle(i, Cached, o.Outputs, nil)
	case o.Err == nil && o.lost == nil:
		p.ran, r.untold = true, true
		r.settle(i, Ran, o.Outputs, nil)
	case ctx.Err() != nil: // whatever it says: it was told to stop
		p.phase = waiting
	case o.lost != nil:
		r.makeAgain(i, o.lost)
	default:
		r.settle(i, Failed, nil, o.Err)
	}
}

// maxHeals bounds how often an input of a task is made again within a run: a disk
// that damages everything must not keep it going for ever.
const maxHeals = 3

// makeAgain sends the producers of lost bytes back to work, and the task that
// needs the bytes back to wait for them.
func (r *runner) makeAgain(user int32, producers []int32) {
	p := &r.at[user]
	p.phase, p.waits = waiting, 0
	for _, j := range producers {
		q := &r.at[j]
		r.heals[heal{user, j}]++
		switch {
		case r.heals[heal{user, j}] > maxHeals:
			r.settle(user, Failed, nil, fmt.Errorf("its input from %s was recomputed %d times and lost each time: %w", r.Nodes[j].ID(), maxHeals, ErrLost))
			return
		case !q.wanted:
			r.settle(user, Failed, nil, fmt.Errorf("needs %s, whose bytes are no longer in the store; %w", r.Nodes[j].ID(), ErrOnly))
			return
		case q.phase == settled && q.state != Ran && q.state != Cached:
			r.settle(user, Skipped, nil, r.because(user, j))
			return
		}
	}
	for _, j := range producers {
		p.waits++
		r.heldBack[j] = append(r.heldBack[j], user)
		if q := &r.at[j]; q.phase == settled {
			q.state, q.remake = Waiting, true
			r.left++
			r.makeReady(j)
		}
	}
}

// settle ends a node's part in the run and moves on what waited for it: to its
// check, or, when it ended badly, to an end of its own.
func (r *runner) settle(i int32, s State, outputs artifacts.Refs, err error) {
	type ending struct {
		node int32
		s    State
		err  error
	}
	// A list and not a recursion: a chain of tasks may be long.
	for todo := []ending{{i, s, err}}; len(todo) > 0; {
		e := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		p, n := &r.at[e.node], r.Nodes[e.node]
		if p.phase == settled {
			continue
		}
		p.phase, p.state = settled, e.s
		if e.err != nil || p.story != nil {
			p.write().err = e.err
		}
		r.left--
		r.readLast(e.node)
		if e.s == Failed {
			p.write().err = &Error{Task: n.ID(), Pos: n.Stage().Pos(), Err: e.err, Key: p.key, Log: p.tale().said}
		}
		if outputs != nil {
			if before := p.outputs.Load(); before != nil {
				p.write().note = otherBytes(*before, outputs, p.fetched)
			}
			p.fetched = false
			mine := outputs
			p.outputs.Store(&mine)
			outputs = nil // those of the first, not of what it moves on
		}
		r.report(e.node)
		tell := r.heldBack[e.node]
		delete(r.heldBack, e.node)
		if !p.passedOn {
			p.passedOn = true
			tell = append(tell, r.Users.Of(e.node)...)
		}
		for k := len(tell) - 1; k >= 0; k-- { // the list is taken from its end
			u := tell[k]
			switch q := &r.at[u]; {
			case q.phase != waiting:
			case e.s == Ran || e.s == Cached || p.known:
				if q.waits--; q.waits == 0 {
					r.queue(u)
				}
			default:
				todo = append(todo, ending{u, r.after(u, e.node), r.because(u, e.node)})
			}
		}
		if e.s == Failed && r.opt.FailFast && !r.dry && r.stopped == nil {
			r.stopped = fmt.Errorf("not started because %s failed", n.ID())
		}
	}
}

// readLast takes off the shelf what this node was the last one to read.
func (r *runner) readLast(i int32) {
	for _, j := range r.Needs.Of(i) {
		if r.at[j].readers.Add(-1) > 0 {
			continue
		}
		if out := r.at[j].outputs.Load(); out != nil {
			for _, ref := range *out {
				r.shelf.Drop(ref.Digest)
			}
		}
	}
}

// after is what becomes of a node when one that it needs did not end well.
func (r *runner) after(u, cause int32) State {
	switch s := r.at[cause].state; {
	case s == Failed || s == Skipped:
		return Skipped
	case r.at[u].wanted && !r.at[cause].wanted:
		return Failed // only: what it needs must be there
	}
	return Unknown
}

// because is the reason of a task that needs another one, which did not end well: with the task upstream where that
// begins.
func (r *runner) because(u, cause int32) error {
	how := map[State]string{
		Failed: "failed", Skipped: "was skipped", Stale: "is not up to date", Unknown: "may not be up to date",
	}
	why := fmt.Sprintf("needs %s, which %s", r.Nodes[cause].ID(), how[r.at[cause].state])
	if root := r.root(cause); root != cause && r.at[root].state != Unknown {
		why += fmt.Sprintf(", as %s %s", r.Nodes[root].ID(), how[r.at[root].state])
	}
	if r.at[u].wanted && !r.at[cause].wanted {
		return fmt.Errorf("%s; %w", why, ErrOnly)
	}
	return errors.New(why)
}

// root is the task that a skipped or unknown task waits for at last: one that failed, say.
func (r *runner) root(i int32) int32 {
	var path []int32
	for {
		if known, ok := r.roots[i]; ok {
			i = known
			break
		}
		if s := r.at[i].state; s != Skipped && s != Unknown {
			break
		}
		next := r.cause(i)
		if next == i {
			break
		}
		path = append(path, i)
		i = next
	}
	for _, j := range path {
		r.roots[j] = i
	}
	return i
}

// giveUp settles what was never started after the first failure.
func (r *runner) giveUp() {
	for _, i := range r.Order {
		if p := &r.at[i]; p.phase != settled && p.phase != outside {
			r.settle(i, Skipped, nil, r.stopped)
		}
	}
}

// OtherBytes is the note of a task that ran again and gave other bytes than its
// record promised: its stage is not a function of its inputs alone.
const OtherBytes = "recomputed with different bytes: the stage is not deterministic"

// OtherRecord is the note of a task that gave other bytes here than a record from a remote
// promised: that record is wrong, or the stage is not deterministic.
const OtherRecord = "recomputed here with different bytes than in its remote record; the local result is used"

func otherBytes(before, after artifacts.Refs, fetched bool) string {
	switch {
	case slices.Equal(before, after):
		return ""
	case fetched:
		return OtherRecord
	}
	return OtherBytes
}

func (r *runner) emit(e Event) {
	if r.opt.Progress != nil && !r.dry {
		r.opt.Progress(e)
	}
}

// report tells the world how a node ended.
func (r *runner) report(i int32) {
	p, n, s := &r.at[i], r.Nodes[i], r.at[i].tale()
	if r.opt.Progress == nil || !p.wanted || p.told == p.state {
		return
	}
	p.told = p.state
	e := Event{Task: n.ID(), Stage: n.Stage().Name(), State: p.state, Key: p.key, Note: s.note}
	switch p.state {
	case Ran, Cached:
		e.Outputs = *p.outputs.Load()
	}
	if p.state == Ran || p.state == Failed {
		e.Seconds, e.Read, e.Memory = s.seconds, s.read, s.memory
	}
	e.Err = s.err
	r.emit(e)
}

func (r *runner) result() *Result {
	res := &Result{ID: r.id, Outputs: make(map[string]artifacts.Refs, len(r.Nodes))}
	for i := range r.at {
		p := &r.at[i]
		if p.phase == outside {
			continue
		}
		if out := p.outputs.Load(); out != nil && (p.state == Ran || p.state == Cached) {
			res.Outputs[r.Nodes[i].ID()] = *out
		}
		if !p.wanted {
			continue
		}
		res.Tasks++
		switch again := p.state == Ran || p.state == Cached; {
		case again && p.missing:
			res.Missing = append(res.Missing, r.Nodes[i].ID())
		case again && p.damaged:
			res.Damaged = append(res.Damaged, r.Nodes[i].ID())
		}
		switch p.state {
		case Ran:
			res.Ran++
		case Cached:
			res.Cached++
		case Failed:
			res.Failed++
			res.Errors = append(res.Errors, p.story.err.(*Error))
		case Skipped:
			res.Skipped++
		default:
			res.Unfinished++
		}
	}
	res.Seconds = time.Since(r.began).Seconds()
	return res
}
