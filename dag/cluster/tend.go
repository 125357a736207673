package cluster

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"prgnn/dag/engine"
)

// tend looks after the pilots: what a dead one had goes back into the queue, and one that ended while there is work
// is replaced.
func (p *Pool) tend() {
	alive, ended := 0, len(list(filepath.Join(p.dir, endedDir)))
	for _, id := range list(filepath.Join(p.dir, pilotsDir)) {
		dir := filepath.Join(p.dir, pilotsDir, id)
		if !p.leases.expired(filepath.Join(dir, leaseFile)) {
			alive++
			continue
		}
		p.bury(dir)
		ended++
	}
	for _, o := range p.orders {
		if o.held == "" {
			continue
		}
		switch out, ok := result(p.store, o.job.Key); {
		case ok:
			p.end(o, engine.JobResult{Outputs: out})
		case nameOf(list(o.held), o.job.Key) == "" || p.leases.expired(filepath.Join(o.held, leaseFile)):
			if err := p.enqueue(o); err != nil {
				p.end(o, engine.JobResult{Err: &engine.StoreError{Err: err}})
			}
		}
	}
	p.replenish(alive, ended)
}

// bury puts what a dead pilot had back into the queue.
func (p *Pool) bury(dir string) {
	where := whose(dir)
	for _, name := range list(dir) {
		l, ok := parseLoad(name)
		if _, err := os.Stat(filepath.Join(p.dir, doneDir, l.key.String())); !ok || err == nil {
			continue
		}
		if o := p.orders[l.key]; o != nil {
			p.again(o, nodeLost, where)
		}
	}
	if err := os.Rename(dir, filepath.Join(p.dir, endedDir, filepath.Base(dir))); err != nil {
		os.RemoveAll(dir)
	}
}

// lonesome is how long work waits without a pilot before the scheduler is asked, and the person told.
var lonesome = time.Minute

const barrens = 3 // times that all pilots come to nothing

// replenish hands over as many pilots as there is work for.
func (p *Pool) replenish(alive, ended int) {
	if len(p.orders) == 0 || alive > 0 {
		p.lonely, p.told = time.Time{}, false
		if alive > 0 {
			p.barren = 0
		}
	} else if p.lonely.IsZero() {
		p.lonely = time.Now()
	}
	if p.asking {
		return
	}
	if !p.lonely.IsZero() && time.Since(p.lonely) > lonesome {
		p.lonely = time.Now()
		p.ask(func() func() {
			left := p.Scheduler.Left(context.Background(), p.name)
			return func() { p.without(left, ended) }
		})
		return
	}
	want := min(p.Pilots, len(p.orders))
	if p.submitted == 0 && want > 0 {
		want = p.Pilots // more is to come
	}
	missing := want - alive - max(0, p.submitted-alive-ended)
	if missing <= 0 || time.Since(p.handed) < 2*renewing {
		return
	}
	p.handed = time.Now()
	p.ask(func() func() {
		n, err := p.Scheduler.Start(context.Background(), missing, p.request())
		return func() {
			p.submitted += n
			switch {
			case err == nil:
				p.refused = false
			case passing(err):
				if !p.refused {
					p.note("%d pilots are not accepted at the moment; they will be submitted again (%v)", missing-n, err)
				}
				p.refused = true
				p.handed = time.Now().Add(lonesome) // a limit of the cluster goes by, or does not
			default:
				p.fail(err)
			}
		}
	})
}

// ask asks the scheduler while the pool goes on, and then does what follows.
func (p *Pool) ask(question func() (then func())) {
	p.asking = true
	p.work.Go(func() {
		then := question()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.asking = false
		then()
	})
}

// without deals with a pool that has had work and no pilot for a while.
func (p *Pool) without(left, ended int) {
	if left == 0 {
		p.submitted = ended
		if p.barren++; p.barren >= barrens {
			p.fail(fmt.Errorf("%d times all pilots ended before they reached the store%s", barrens, p.lastWords()))
		}
		return
	}
	if !p.told {
		p.told = true
		p.note("no pilot has started for %v; the run waits for the scheduler%s", lonesome, p.lastWords())
	}
}

// logs are the files that pilots wrote.
func (p *Pool) logs() (paths []string) {
	for _, name := range list(p.space.path(logsDir, "")) {
		if strings.HasPrefix(name, p.name) {
			paths = append(paths, p.space.path(logsDir, name))
		}
	}
	return paths
}

// lastWords are the end of what a pilot wrote.
func (p *Pool) lastWords() string {
	for _, l := range p.logs() {
		if said := tail(l); said != "" {
			return "; the end of " + l + ":\n" + said
		}
	}
	if t, ok := p.Scheduler.(*Template); ok && !t.has("log") {
		return fmt.Sprintf("; %s has no {log}: let the scheduler write the output of pilots there, and its end stands here", filepath.Base(t.path))
	}
	return ""
}

func (p *Pool) request() Request {
	return Request{Name: p.name, Needs: p.Needs, Log: p.space.path(logsDir, p.name), Command: []string{
		p.program, "exec-pilot", "--store", p.store.Dir(), "--cpus", strconv.Itoa(p.Needs.Threads),
		"--memory", strconv.FormatInt(p.Needs.Memory, 10), "--time", p.Needs.Time.String(),
		"--pilots", strconv.Itoa(p.Pilots), p.name}}
}

// search finds jobs that are in no directory where a job may be: a file system may lose a name in a crash.
func (p *Pool) search() {
	places := jobsIn(filepath.Join(p.dir, queueDir)) // in the order in which a job goes through them
	for _, id := range list(filepath.Join(p.dir, pilotsDir)) {
		maps.Copy(places, jobsIn(filepath.Join(p.dir, pilotsDir, id)))
	}
	maps.Copy(places, jobsIn(filepath.Join(p.dir, doneDir)))
	for k, o := range p.orders {
		if places[k] || o.held != "" {
			o.lost = 0
		} else if out, ok := result(p.store, k); ok && !o.job.Forced {
			p.end(o, engine.JobResult{Outputs: out})
		} else if o.lost++; o.lost > 1 {
			p.again(o, vanished, "")
		}
	}
}
