package audit

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines"
	"prgnn/pipelines/lock"
	"prgnn/pipelines/proof"
)

// Lock runs everything that a lock describes, from the inputs on, and compares with
// its digests. The bytes behind them, if they are at hand, tell how far apart results are.
func Lock(con *console.Console, p *pipelines.Pipeline, l *lock.Lock, path string,
	bytes *artifacts.Store, o Options) error {
	a := &auditor{con, o}
	tasks, err := allOr(p.Graph, a.Stages)
	if err != nil {
		return exit.Wrong(fmt.Errorf("%s: %w", path, err))
	}
	if a.Sample < 1 {
		a.Stages = results.IDs(a.sampled(tasks))
	}
	room, err := NewRoom(con, filepath.Dir(path), a.Keep)
	if err != nil {
		return err
	}
	defer room.Close()
	stored := proof.OfLock(path, l)
	stored.Store = bytes
	return a.whole(p, l, room, p.Graph, stored)
}

// whole runs a graph, once for each number of threads, and compares. What is
// not as a lock has it (the code, the data) is told before anything runs.
func (a *auditor) whole(p *pipelines.Pipeline, l *lock.Lock, room *Room, g *dag.Graph, stored proof.Results) error {
	named, err := allOr(g, a.Stages)
	if err != nil {
		return err
	}
	asked := map[*dag.Node]bool{}
	for _, n := range proof.Needed(named) {
		asked[n] = true
	}
	sum := auditEvent{Event: "audit"}
	var passes []comparison
	failed := map[string]*dag.Error{}
	for i, threads := range a.Threads {
		clean, err := room.open()
		if err != nil {
			return err
		}
		if i == 0 && p != nil && l != nil {
			ds, err := l.Before(p.Graph, l.Text, nil, results.Hasher(clean))
			if err != nil {
				return err
			}
			w := a.Stderr
			if a.Quiet {
				w = io.Discard
			}
			PrintUnlocked(a.Console, w, ds, 10, func() { a.Note("differences from %s:", stored.Name) })
			if read := readPlaces(l, p.Dir, p.Paths); len(read) > 0 && slices.ContainsFunc(ds, ofData) {
				a.Note("the data were read from %s, as %s says: a lock holds no paths. If its run had others by --set, add %s",
					words.Some(lists.Map(read, func(p place) string { return p.path }), 3), l.File, remedy(read))
			}
		}
		result, err := room.runIn(clean, g, dag.Options{Workers: a.Workers, Threads: threads, Until: a.Stages})
		if err != nil {
			return err
		}
		for _, e := range result.Errors {
			failed[e.Task] = e
		}
		passes = append(passes, comparison{g, stored, ofResult(clean, result)})
	}
	events, differ, err := verdicts(asked, passes, a.Threads, failed)
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
		if err := a.conclude(worst(g, differ)); err != nil {
			return err
		}
	} else if sum.Failed == 0 && !a.JSON {
		a.reproduced(sum.Identical, stored)
	}
	return a.endAudit(sum)
}

// reproduced says that the n tasks that were audited gave the digests of the stored ones.
func (a *auditor) reproduced(n int, stored proof.Results) {
	text := "every digest of " + stored.Name + " was reproduced"
	if all := len(stored.Tasks); n < all {
		be := map[bool]string{true: "was", false: "were"}[n == 1]
		text = fmt.Sprintf("%d of %s of %s %s audited: no digest differs", n, words.Count(all, "task"), stored.Name, be)
	}
	fmt.Fprintf(a.Out, "%s, with %s threads each\n", text, eachOf(a.Threads))
}

// worst is the pass in which a difference begins, and all that it could have reached
// there.
func worst(g *dag.Graph, differ map[*dag.Node]comparison) (comparison, map[*dag.Node]bool) {
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

// verdicts are what became of each task, or of those that were run (asked), the worst of its passes; and those that
// differ.
func verdicts(asked map[*dag.Node]bool, passes []comparison, threads []int, failed map[string]*dag.Error) (
	map[*dag.Node]auditedEvent, map[*dag.Node]comparison, error) {
	rank := []string{"identical", "allowed", "different", "absent", "failed"}
	events, differ := map[*dag.Node]auditedEvent{}, map[*dag.Node]comparison{}
	states := map[*dag.Node]map[string]bool{}
	for i, pass := range passes {
		inPass := map[*dag.Node]string{}
		for _, v := range proof.Compare(pass.graph, pass.stored, pass.again) {
			n := v.Node
			_, wanted := pass.stored.Tasks[n.ID]
			if asked != nil && !asked[n] {
				continue
			}
			e := auditedEvent{Event: "audited", Task: n.ID, Stage: n.Stage.Name, State: string(v.State)}
			var err error
			switch {
			case failed[n.ID] != nil:
				e.fail(failed[n.ID])
			case v.State == proof.Absent && wanted:
				e.State, e.Error = "failed", "it did not run: an upstream task failed"
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
func (a *auditor) follows(events map[*dag.Node]auditedEvent) {
	n := 0
	for _, e := range events {
		if e.From != nil {
			n++
		}
	}
	if n > 0 && !a.JSON {
		fmt.Fprintf(a.Out, "as a consequence, %s different bytes too; -v names them\n", map[bool]string{true: "1 task has", false: fmt.Sprintf("%d tasks have", n)}[n == 1])
	}
}
