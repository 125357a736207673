package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"prgnn/dag/engine"
)

// maxElements bounds an array: Slurm's own bound is 1,000 where nobody has raised it,
// and it starts 13 to 20 elements a second, so that small tasks go several to an
// element.
const maxElements = 400

// wholePiece is more jobs than are ever handed over at once.
const wholePiece = 1 << 20

// A shape is what the jobs of one array have in common.
type shape struct {
	kind    string
	threads int
	memory  int64
	limit   time.Duration
}

// handOver submits what has come together, an array for each shape.
func (c *coordinator) handOver() {
	groups := map[shape][]*tracked{}
	var order []shape
	for _, t := range c.fresh {
		select {
		case <-t.gone:
			continue
		default:
		}
		s := shape{t.job.Kind.Name, max(t.job.Threads, 1), t.memory, t.limit}
		if groups[s] == nil {
			order = append(order, s)
		}
		groups[s] = append(groups[s], t)
	}
	c.fresh = nil
	refused := false // then the others wait too
	for _, s := range order {
		for ts := range slices.Chunk(groups[s], c.piece) {
			if refused = refused || !c.submit(s, ts); refused {
				c.fresh = append(c.fresh, ts...)
			}
		}
	}
}

// submit hands jobs over as one array. It tells whether they are dealt with; if not,
// they are to be handed over again.
func (c *coordinator) submit(s shape, ts []*tracked) bool {
	fail := func(err error) {
		for _, t := range ts {
			t.done <- engine.JobResult{Err: &engine.StoreError{Err: err}}
		}
	}
	b := &batch{name: newName()}
	each := (len(ts) + c.most - 1) / c.most
	for i, t := range ts {
		text, err := encodeJob(t.job)
		if err == nil {
			c.space.remove(reportsDir, t.key.String())
			err = c.space.write(jobsDir, t.key.String(), text, 0o666)
		}
		if err != nil {
			fail(err)
			return true
		}
		if i%each == 0 {
			b.elements = append(b.elements, nil)
		}
		last := len(b.elements) - 1
		b.elements[last] = append(b.elements[last], t.key)
		t.name, t.index = b.name, last
	}
	if err := c.space.saveBatch(b); err != nil {
		fail(err)
		return true
	}
	id, err := commands{}.submit(context.Background(), c.arguments(s, b, each), c.script(b))
	if err != nil {
		switch {
		case tooLong(err) && len(b.elements) > 1: // MaxArraySize
			c.most = len(b.elements) / 2
		case tooMany(err) && len(ts) > 1: // MaxSubmitJobs
			c.piece = len(ts) / 2
		case passing(err):
			if !c.full {
				c.note("Slurm is not accepting jobs; they will be submitted again (%v)", err)
			}
			c.full = true
		default:
			c.takeAway(b)
			fail(fmt.Errorf("sbatch refuses the jobs: %w\n  use --slurm-args for what your cluster requires, such as --slurm-args='--partition=… --account=…'", err))
			return true
		}
		c.space.remove(batchesDir, b.name)
		return false
	}
	c.full = false
	if c.piece == len(ts) { // as many as it took; perhaps it takes more
		c.piece = min(2*c.piece, wholePiece)
	}
	now := time.Now()
	for _, t := range ts {
		t.since, t.off = now, time.Time{}
		c.waiting[t.key] = t
	}
	c.arrays[b.name] = &array{batch: b, id: id, left: len(ts)}
	return true
}

// arguments are the words for sbatch. Those of the user come last, and win.
func (c *coordinator) arguments(s shape, b *batch, each int) []string {
	limit := time.Duration(each) * s.limit
	if each > 1 && s.limit == usualTime {
		limit = 4 * usualTime // many small ones
	}
	const mb = 1 << 20
	return append([]string{
		"--job-name=" + b.name,
		fmt.Sprintf("--array=0-%d", len(b.elements)-1),
		fmt.Sprintf("--cpus-per-task=%d", s.threads),
		fmt.Sprintf("--mem=%dM", (s.memory+mb-1)/mb),
		fmt.Sprintf("--time=%d", minutes(limit)),
		"--output=" + strings.ReplaceAll(c.space.path(logsDir, b.name), "%", "%%") + "-%a",
		"--open-mode=append",
		"--requeue",
	}, c.x.Args...)
}

// script is what an element runs: the keys of its line.
func (c *coordinator) script(b *batch) string {
	// sbatch opens the log before anything runs.
	_ = c.space.write(logsDir, ".keep", nil, 0o666)
	return "#!/bin/sh\n" +
		"keys=$(sed -n \"$((SLURM_ARRAY_TASK_ID+1))p\" " + quoted(c.space.path(batchesDir, b.name)) + ")\n" +
		"exec " + quoted(c.program) + " exec-task --store " + quoted(c.store.Dir()) + " $keys\n"
}

// quoted is a word of the shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// again hands a job over once more, or gives it up.
func (c *coordinator) again(t *tracked, e element, why cause) {
	t.tries[why]++
	if t.tries[why] > why.tries() {
		said := c.space.tail(t.name, t.index)
		c.end(t, engine.JobResult{Err: why.fault(e, t), Log: said})
		return
	}
	switch why {
	case outOfMemory:
		t.memory *= 2
	case outOfTime:
		t.limit *= 2
	}
	c.anew.add(why.brief(e)+"; submitted again"+more(t, why), t.job.Task)
	c.leave(t)
	t.name, t.off = "", time.Time{}
	c.fresh = append(c.fresh, t)
}

func more(t *tracked, why cause) string {
	switch why {
	case outOfMemory:
		return fmt.Sprintf(" with %d MB", t.memory>>20)
	case outOfTime:
		return fmt.Sprintf(" with %v", t.limit)
	}
	return ""
}
