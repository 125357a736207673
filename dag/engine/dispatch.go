package engine

import (
	"cmp"
	"container/heap"
	"context"
	"slices"
	"strings"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
)

// dispatchChecks hands queued nodes to the checkers, in batches that are small
// enough to keep all of them busy and large enough that 100,000 checks are not
// 100,000 messages.
func (r *runner) dispatchChecks(checkers, most int) {
	for len(r.toCheck) > 0 && r.checks < checkers && r.stopped == nil {
		n := min(max(len(r.toCheck)/(2*checkers), 1), most)
		batch := make([]int32, 0, n)
		for len(r.toCheck) > 0 && len(batch) < n && r.stopped == nil {
			i := r.Order[heap.Pop(&r.toCheck).(int32)]
			if problem := r.Nodes[i].Problem(); problem != nil {
				r.settle(i, Failed, nil, problem)
				continue
			}
			r.at[i].phase = checking
			batch = append(batch, i)
		}
		if len(batch) > 0 {
			r.checks++
			r.batches <- batch
		}
	}
}

// lookahead is how many ready tasks that do not fit are passed over for a later
// one that does.
const lookahead = 64

func (r *runner) dispatchTasks(ctx context.Context) {
	var passed []int32
	again := 0
	for len(r.toRun) > 0 && r.threads > 0 && len(passed)+again < lookahead && r.stopped == nil {
		turn := heap.Pop(&r.toRun).(int32)
		i := r.inTurn[turn]
		if !r.fits(i) {
			passed = append(passed, turn)
			continue
		}
		if r.checkAgain(i) {
			again++
			continue
		}
		p := &r.at[i]
		claim, err := r.claim(p.key)
		if err == nil && !r.known {
			r.known = true
			err = r.save(false)
		}
		if err != nil {
			r.fatal, r.stopped = err, err
			break
		}
		if claim == nil {
			p.others = r.jobs == 0 // and no other task of this run, which may have the same key
			r.elsewhere = append(r.elsewhere, i)
			continue
		}
		p.phase, p.write().start = running, time.Since(r.began).Seconds()
		p.told = Running
		r.active = append(r.active, i)
		threads, memory := r.need(i)
		threads += r.spare(i, threads)
		p.threads = int32(threads)
		r.threads -= threads
		r.memory -= memory
		r.jobs++
		r.emit(Event{Task: r.Nodes[i].ID(), Stage: r.Nodes[i].Stage().Name(), State: Running, Key: p.key})
		w := assignment{node: i, key: p.key, threads: cmp.Or(r.opt.Threads, threads), forced: p.forced}
		go func() {
			o := r.carryOut(ctx, w)
			// What is not released is released with the process.
			_ = claim.Release()
			r.outcomes <- o
		}()
	}
	for _, turn := range passed {
		heap.Push(&r.toRun, turn)
	}
}

// askRemoteAgain is how long a task may wait for its turn before the remote is asked for it once more.
const askRemoteAgain = time.Minute

// checkAgain sends a task back to its check whose result another machine may have shared since then. A task itself
// does not ask: it would hold its threads for a round trip.
func (r *runner) checkAgain(i int32) bool {
	p := &r.at[i]
	if !r.remote || p.forced || r.clock()-time.Duration(p.asked)*time.Second < askRemoteAgain {
		return false
	}
	r.queue(i)
	return true
}

// askAgain is how often a task that another process was at is looked at again.
const askAgain = 25 * time.Millisecond

// tellWait tells what a run waits for that has nothing to do itself.
func (r *runner) tellWait() {
	if r.checks > 0 || r.jobs > 0 || len(r.elsewhere) == 0 || r.stopped != nil {
		return
	}
	i := slices.MinFunc(r.elsewhere, func(a, b int32) int { return cmp.Compare(r.Rank[a], r.Rank[b]) })
	if r.at[i].told == Waiting || !r.at[i].others {
		return
	}
	r.at[i].told = Waiting
	note := "another run is at it"
	if who := r.store.Work.Claimants(); who != nil {
		note += " (" + strings.Join(who, "; ") + ")"
	}
	r.emit(Event{Task: r.Nodes[i].ID(), Stage: r.Nodes[i].Stage().Name(), State: Waiting, Key: r.at[i].key, Note: note})
}

// claim takes the right to do a piece of work, so that of two runs on one store
// each does it once; nil when another has it.
func (r *runner) claim(k artifacts.Key) (*disk.Claim, error) {
	if r.readOnly != nil {
		return nil, &StoreError{r.readOnly}
	}
	c, ok, err := r.store.Work.TryClaim(k)
	if err != nil {
		return nil, &StoreError{err}
	}
	if !ok {
		return nil, nil
	}
	return c, nil
}

// need is what a task takes of the free threads and memory. One that asks for
// more than there is takes all of it, so that it runs alone.
func (r *runner) need(i int32) (threads int, memory int64) {
	n := r.Nodes[i].Stage().Needs()
	return min(n.Threads, r.opt.Workers), min(n.Memory, r.opt.Memory)
}

// spare is how many threads more a task gets that can use them: its share of
// those that are free, among the tasks that could begin as well. What other machines
// have free is not for us to give: a cluster would look for one that has as many.
func (r *runner) spare(i int32, threads int) int {
	if _, here := r.opt.Executor.(Local); !here {
		return 0
	}
	free := (r.threads - threads) / (1 + len(r.toRun))
	return max(0, min(free, r.Nodes[i].Stage().Kind().MaxThreads-threads))
}

// mostStoring is how many tasks may wait for the disk while others compute. Disks and file systems serve many
// syncs in the time of one; each of these tasks holds a claim and open files.
const mostStoring = 16

// rest takes back the threads of a task that waits for the disk. Its memory is not free yet.
func (r *runner) rest(i int32) {
	if p := &r.at[i]; r.storing < mostStoring {
		r.threads += int(p.threads)
		p.threads, p.storing = 0, true
		r.storing++
	}
}

func (r *runner) fits(i int32) bool {
	threads, memory := r.need(i)
	return threads <= r.threads && memory <= r.memory
}

func (r *runner) queue(i int32) {
	r.at[i].phase = queued
	heap.Push(&r.toCheck, r.Rank[i])
}

// takeTurns sets in which order tasks begin that are ready: stage by stage, and of one stage those that read the same
// one after the other, so that the shelf holds it for a short time.
func (r *runner) takeTurns() {
	stage, first := make([]int, len(r.Nodes)), make([]int32, len(r.Nodes))
	number := map[string]int{}
	for i, n := range r.Nodes {
		name := n.Stage().Name()
		if _, known := number[name]; !known {
			number[name] = len(number)
		}
		stage[i] = number[name]
		if needs := r.Needs.Of(int32(i)); len(needs) > 0 {
			first[i] = r.Rank[needs[0]]
		}
	}
	r.inTurn = slices.Clone(r.Order)
	slices.SortStableFunc(r.inTurn, func(a, b int32) int {
		return cmp.Or(cmp.Compare(stage[a], stage[b]), cmp.Compare(first[a], first[b]))
	})
	r.turn = make([]int32, len(r.Nodes))
	for at, i := range r.inTurn {
		r.turn[i] = int32(at)
	}
}

func (r *runner) makeReady(i int32) {
	r.at[i].phase = ready
	heap.Push(&r.toRun, r.turn[i])
}
