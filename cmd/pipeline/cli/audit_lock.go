package cli

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/pipelines"
	"prgnn/pipelines/lock"
	"prgnn/pipelines/proof"
)

// auditLock runs everything that a lock describes, from the inputs on, and holds
// it against the digests of the lock.
func (a *app) auditLock(au audit) error {
	l, err := readLock(au.lock)
	if err != nil {
		return err
	}
	dir := filepath.Dir(au.lock)
	p, err := a.loadLock(l, au.lock, dir, au.sets)
	if err != nil {
		return err
	}
	tasks, err := audited(p.Graph, au.stages)
	if err != nil {
		return wrong(fmt.Errorf("%s: %w", au.lock, err))
	}
	if au.sample < 1 {
		au.stages = idsOf(au.sampled(tasks))
	}
	room, err := a.cleanRoom(dir, au.keep)
	if err != nil {
		return err
	}
	defer room.close()
	stored := proof.OfLock(au.lock, l)
	// The bytes behind the digests, if they happen to be here, tell how far apart
	// results are.
	if s := a.openThere(a.storeDir(dir)); s != nil {
		defer s.Close()
		stored.Store = s
	}
	return a.auditWhole(au, p, l, room, p.Graph, stored)
}

// loadLock makes the pipeline of a lock, and refuses one that contradicts itself.
func (a *app) loadLock(l *lock.Lock, path, dir string, sets []string) (*pipelines.Pipeline, error) {
	p, err := l.Load(dir, sets)
	var mistakes pipelines.Errors
	if errors.As(err, &mistakes) {
		for _, m := range mistakes {
			fmt.Fprintln(a.stderr, m)
		}
		return nil, wrongf("%s: the pipeline in it cannot be loaded here; --set says where its data are", path)
	}
	if err != nil {
		return nil, wrong(fmt.Errorf("%s: %w", path, err))
	}
	if ds := l.Contradictions(p.Graph); len(ds) > 0 {
		return nil, wrongf("%s contradicts itself, so it is of no one run: %s (and %d more)", path, ds[0], len(ds)-1)
	}
	return p, nil
}

// openThere opens a store that is there; nil when there is none.
func (a *app) openThere(dir string) *artifacts.Store {
	if _, err := os.Stat(filepath.Join(dir, "version")); err != nil {
		return nil
	}
	s, err := artifacts.Open(dir)
	if err != nil {
		a.note("%v", err)
		return nil
	}
	return s
}

// auditWhole runs a graph, once for each number of threads, and compares. What is
// not as a lock has it (the code, the data) is told before anything runs.
func (a *app) auditWhole(au audit, p *pipelines.Pipeline, l *lock.Lock, room *cleanRoom, g *dag.Graph, stored proof.Results) error {
	sum := auditEvent{Event: "audit"}
	var passes []comparison
	failed := map[string]string{}
	for i, threads := range au.threads {
		clean, err := room.open()
		if err != nil {
			return err
		}
		if i == 0 && p != nil && l != nil {
			ds, err := l.Before(p.Graph, l.Text, hasher(clean))
			if err != nil {
				return err
			}
			a.causes(stored.Name, ds)
		}
		result, err := room.runIn(clean, g, dag.Options{Workers: au.workers, Threads: threads, Until: au.stages})
		if err != nil {
			return err
		}
		for _, e := range result.Errors {
			failed[e.Task] = e.Err.Error()
		}
		passes = append(passes, comparison{g, stored, ofResult(clean, result)})
	}
	events, differ, err := a.verdicts(passes, au.threads, failed)
	if err != nil {
		return err
	}
	for _, s := range g.Stages {
		for _, n := range s.Tasks {
			e, ok := events[n]
			if !ok {
				continue
			}
			if _, known := stored.Tasks[n.ID]; !known && l == nil {
				sum.Skipped++ // it was run for others: there is nothing to hold it against
				continue
			}
			sum.add(e.State)
			a.audited(e, n)
		}
	}
	if len(differ) > 0 {
		a.follows(events)
		if err := a.conclude(worst(passes, g, differ)); err != nil {
			return err
		}
	} else if sum.Failed == 0 && !a.json {
		fmt.Fprintf(a.out, "every digest of %s came out again, with %s threads each\n", stored.Name, eachOf(au.threads))
	}
	return a.endAudit(sum)
}

// worst is the pass in which a difference begins, and all that it could have reached
// there.
func worst(passes []comparison, g *dag.Graph, differ map[*dag.Node]comparison) (comparison, map[*dag.Node]bool) {
	of := map[*dag.Node]bool{}
	var pass *comparison
	for _, s := range g.Stages {
		for _, n := range s.Tasks {
			if p, ok := differ[n]; ok {
				of[n] = true
				if pass == nil {
					pass = &p
				}
			}
		}
	}
	reached := proof.Downstream(g, of)
	maps.Copy(reached, of)
	maps.DeleteFunc(reached, func(n *dag.Node, _ bool) bool {
		_, came := pass.again.Tasks[n.ID]
		_, stored := pass.stored.Tasks[n.ID]
		return !came || !stored
	})
	return *pass, reached
}

func eachOf(ns []int) string {
	text := ""
	for i, n := range ns {
		switch {
		case i == 0:
		case i == len(ns)-1:
			text += " and with "
		default:
			text += ", "
		}
		text += fmt.Sprint(n)
	}
	return text
}

// causes tells in what the pipeline here is not that of the lock: a difference in
// results may come from there.
func (a *app) causes(name string, ds []lock.Difference) {
	const most = 10
	for i, d := range ds {
		switch {
		case a.json:
			a.object(unlockedEvent{"unlocked", d.Place, d.Lock, d.Now})
		case i == most && !a.verbose:
			a.note("  … and %d more; -v shows all of them", len(ds)-most)
		case i < most || a.verbose:
			if i == 0 {
				a.note("here not everything is as in %s:", name)
			}
			a.note("  %s", d)
		}
	}
}

// verdicts are what became of each task, the worst of its passes, and those that
// differ.
func (a *app) verdicts(passes []comparison, threads []int, failed map[string]string) (map[*dag.Node]auditedEvent, map[*dag.Node]comparison, error) {
	rank := []string{"identical", "allowed", "different", "absent", "failed"}
	events, differ := map[*dag.Node]auditedEvent{}, map[*dag.Node]comparison{}
	states := map[*dag.Node]map[string]bool{}
	for i, pass := range passes {
		inPass := map[*dag.Node]string{}
		for _, v := range proof.Compare(pass.graph, pass.stored, pass.again) {
			n := v.Node
			_, wanted := pass.stored.Tasks[n.ID]
			_, came := pass.again.Tasks[n.ID]
			if !came && failed[n.ID] == "" && wanted && v.State == proof.Absent && len(failed) == 0 {
				continue // not asked for
			}
			e := auditedEvent{Event: "audited", Task: n.ID, Stage: n.Stage.Name, State: string(v.State)}
			var err error
			switch {
			case failed[n.ID] != "":
				e.State, e.Error = "failed", failed[n.ID]
			case v.State == proof.Absent && wanted:
				e.State, e.Error = "failed", "it was not run, since what it needs failed"
			case v.State == proof.Absent:
				e.Error = "there is no result of it in " + pass.stored.Name
			case v.State == proof.Begins:
				if e, err = pass.task(n); err != nil {
					return nil, nil, err
				}
			case v.State == proof.Follows:
				e.State = "allowed"
				e.Promise = n.Promise().String()
				for _, from := range v.From {
					e.From = append(e.From, from.ID)
					if inPass[from] == "different" {
						e.State = "different"
					}
				}
			}
			inPass[n] = e.State
			if states[n] == nil {
				states[n] = map[string]bool{}
			}
			states[n][e.State] = true
			if was, seen := events[n]; !seen || slices.Index(rank, e.State) > slices.Index(rank, was.State) {
				if e.State == "different" || e.State == "allowed" {
					e.Threads = threads[i]
					differ[n] = pass
				}
				events[n] = e
			}
		}
	}
	for n, e := range events {
		if len(states[n]) == 1 {
			e.Threads = 0
			events[n] = e
		}
	}
	return events, differ, nil
}

// follows says how many tasks differ in consequence.
func (a *app) follows(events map[*dag.Node]auditedEvent) {
	n := 0
	for _, e := range events {
		if e.From != nil {
			n++
		}
	}
	if n > 0 && !a.json {
		fmt.Fprintf(a.out, "in consequence %s other bytes too; -v names them\n", map[bool]string{true: "1 task has", false: fmt.Sprintf("%d tasks have", n)}[n == 1])
	}
}
