package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/regular"
)

// A Pilot takes jobs of a pool, as many at once as fit, and carries them out. It is called by "pipeline
// exec-pilot".
type Pilot struct {
	Kinds  func(name string) (*dag.Kind, bool)
	Needs  dag.Needs // what it has
	Pilots int       // how many share the queue
	Out    io.Writer

	store *disk.Store
	pool  string // directories
	dir   string
	until time.Time // zero: not known

	threads int   // free
	memory  int64 // free
	running int
	ended   chan finished
	longest time.Duration // that a job took
	found   []string      // names in the queue, in the order in which they are tried
	listed  time.Time
	late    bool // the last list had a job that takes longer than what is left
	out     sync.Mutex
}

// A finished is a job that has ended, and how long it took.
type finished struct {
	load
	took time.Duration
}

const (
	closing = 15 * time.Second // before its end, when a pilot stops what it carries out
	// ShortestPilot is the shortest time of a pilot that has all of closing.
	ShortestPilot = 10 * closing
	stale         = 2 * time.Second // after which the queue is listed again
)

// Work takes jobs until the pool is gone, or the time is over, or ctx is done. What it has not finished then goes back.
func (p *Pilot) Work(ctx context.Context, s *disk.Store, pool string) error {
	if !strings.HasPrefix(pool, namePrefix) || filepath.Base(pool) != pool {
		return fmt.Errorf("%q is not the name of a pool, such as %s1f0c…", pool, namePrefix)
	}
	p.store, p.pool, p.ended = s, spaceOf(s).path(poolsDir, pool), make(chan finished)
	p.threads, p.memory = p.Needs.Threads, p.Needs.Memory
	if p.Needs.Time > 0 {
		p.until = time.Now().Add(p.Needs.Time)
	}
	p.dir = filepath.Join(p.pool, pilotsDir, newID())
	if err := p.board(); errors.Is(err, fs.ErrNotExist) {
		p.say("the run has ended: nothing to do")
		return nil
	} else if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go p.renew(ctx, stop)
	p.say("pilot %s: %d CPUs, %d MB, %v", filepath.Base(p.dir), p.threads, p.memory>>20, p.Needs.Time)
	p.loop(ctx)
	if err := context.Cause(ctx); err != nil {
		p.say("stopped: %v", err)
	}
	err := os.Rename(p.dir, filepath.Join(p.pool, endedDir, filepath.Base(p.dir)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the pool has gone
	}
	return err
}

// board makes the pilot's directory, with its lease.
func (p *Pilot) board() error {
	if err := os.Mkdir(p.dir, 0o777); err != nil {
		return err
	}
	host, _ := os.Hostname()
	return os.WriteFile(filepath.Join(p.dir, leaseFile), []byte(host), 0o666)
}

// whose tells the machine of a pilot, for the person.
func whose(dir string) string {
	b, err := regular.ReadFile(filepath.Join(dir, leaseFile))
	if err != nil {
		return "pilot " + filepath.Base(dir)
	}
	return "pilot " + filepath.Base(dir) + " on " + strings.TrimSpace(string(b))
}

var (
	errRunOver  = errors.New("the run has ended, or counts this pilot as dead")
	errTimeOver = errors.New("the time is over")
)

// renew keeps the lease, and stops the pilot when nobody waits for it any more, or its end is near.
func (p *Pilot) renew(ctx context.Context, stop context.CancelCauseFunc) {
	tick := time.NewTicker(renewing)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := time.Now()
		err := os.Chtimes(filepath.Join(p.dir, leaseFile), now, now)
		if errors.Is(err, fs.ErrNotExist) {
			stop(errRunOver)
		}
		if !p.until.IsZero() && time.Until(p.until) < min(closing, p.Needs.Time/10) {
			stop(errTimeOver)
		}
	}
}

func (p *Pilot) loop(ctx context.Context) {
	beat := leases{}
	most := max(mostPause, time.Duration(p.Pilots)*10*time.Millisecond) // 100 looks a second for all of them
	pause := leastPause
	for ctx.Err() == nil {
		took := p.fill(ctx)
		if took {
			pause = leastPause
		}
		if p.running == 0 && !took {
			_, err := os.Stat(p.pool)
			if errors.Is(err, fs.ErrNotExist) || p.late || p.leaving(0) ||
				beat.expired(filepath.Join(p.pool, beatFile)) {
				return
			}
		}
		var again <-chan time.Time
		if p.threads > 0 && !p.leaving(0) {
			again = time.After(jitter(pause))
			pause = min(slower(pause), most)
		}
		select {
		case f := <-p.ended:
			p.free(f)
			pause = leastPause
		case <-again:
		case <-ctx.Done():
		}
	}
	for p.running > 0 {
		p.free(<-p.ended)
	}
}

func (p *Pilot) free(f finished) {
	p.running--
	p.threads += f.threads
	p.memory += f.memory
	p.longest = max(p.longest, f.took)
}

// leaving reports whether too little time is left for a job that takes so long. For one that does not say (0) that is
// less than the longest job took so far, or than a tenth of the pilot's time, at most ten minutes. A pilot with nine
// tenths of its time takes everything: no other has much more.
func (p *Pilot) leaving(takes time.Duration) bool {
	if p.until.IsZero() {
		return false
	}
	left := time.Until(p.until)
	if left > p.Needs.Time*9/10 {
		return false
	}
	if takes == 0 {
		takes = max(p.longest, min(p.Needs.Time/10, 10*time.Minute))
	}
	return left < takes
}

// fill takes jobs that fit, and reports whether there was one.
func (p *Pilot) fill(ctx context.Context) (took bool) {
	misses := 0
	for p.threads > 0 && misses < 8 {
		if len(p.found) == 0 || time.Since(p.listed) > stale {
			if misses > 0 || time.Since(p.listed) < leastPause/2 {
				return took
			}
			p.found, p.listed = list(filepath.Join(p.pool, queueDir)), time.Now()
			p.late = false
			rand.Shuffle(len(p.found), func(i, j int) { p.found[i], p.found[j] = p.found[j], p.found[i] })
			if len(p.found) == 0 {
				return took
			}
		}
		name := p.found[0]
		p.found = p.found[1:]
		l, ok := parseLoad(name)
		if !ok {
			continue
		}
		l.threads, l.memory = min(l.threads, p.Needs.Threads), min(l.memory, p.Needs.Memory)
		if l.alone {
			l.threads, l.memory = p.Needs.Threads, p.Needs.Memory
		}
		if p.leaving(l.time) {
			p.late = true
			continue
		}
		if l.threads > p.threads || l.memory > p.memory {
			continue
		}
		held := filepath.Join(p.dir, name)
		if os.Rename(filepath.Join(p.pool, queueDir, name), held) != nil {
			// Where an answer of the server was lost, the client asks twice, and is refused the second time.
			if _, err := os.Stat(held); err != nil {
				misses++
				continue
			}
		}
		p.threads -= l.threads
		p.memory -= l.memory
		p.running++
		took = true
		began := time.Now()
		go func() {
			p.carryOut(ctx, l, held)
			p.ended <- finished{l, time.Since(began)}
		}()
	}
	return took
}

// carryOut carries out one job, and says how it ended.
func (p *Pilot) carryOut(ctx context.Context, l load, held string) {
	began := time.Now()
	text, err := regular.ReadFile(held)
	var j *engine.Job
	if err == nil {
		j, err = decodeJob(text, p.Kinds)
	}
	if err == nil && j.Key != l.key {
		err = errOtherKey
	}
	task, rep := l.key.String(), &report{}
	if err != nil {
		rep.Error = err.Error()
	} else {
		task = j.Task
		if !l.alone || j.Forced || !there(p.store, l.key) {
			rep = carryOut(ctx, p.store, j)
		}
		rep.Done = rep.Error == ""
	}
	if ctx.Err() != nil && !rep.Done {
		*rep = report{Stopped: true, Late: errors.Is(context.Cause(ctx), errTimeOver)}
	}
	rep.Pilot = whose(p.dir)
	switch {
	case rep.Done:
		p.say("%s: done in %.1f s", task, time.Since(began).Seconds())
	case rep.Stopped:
		p.say("%s: stopped", task)
	default:
		p.say("%s: %s", task, rep.Error)
	}
	b, err := json.Marshal(rep)
	if err == nil {
		err = publish(p.dir, filepath.Join(p.pool, doneDir, l.key.String()), b, 0o666)
	}
	if err != nil {
		p.say("%s: its report could not be written: %v", task, err)
		return // the run finds that nobody has it
	}
	os.Remove(held)
}

func (p *Pilot) say(format string, args ...any) {
	p.out.Lock()
	defer p.out.Unlock()
	fmt.Fprintf(p.Out, format+"\n", args...)
}
