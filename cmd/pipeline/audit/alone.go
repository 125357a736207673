package audit

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/pipelines/proof"
)

// Alone runs each task again by itself, on the stored bytes of its inputs: a difference shows where it
// arises and not in every task downstream.
func Alone(con *console.Console, c *results.Current, o Options) error {
	a := &auditor{con, o}
	tasks, sum, err := a.toAudit(c)
	if err != nil {
		return err
	}
	if len(tasks) == 0 {
		return a.endAudit(sum)
	}
	room, err := NewRoom(con, filepath.Dir(c.Store.Dir()), a.Keep)
	if err != nil {
		return err
	}
	defer room.Close()
	chosen := map[*dag.Node]bool{}
	for _, n := range tasks {
		chosen[n] = true
	}
	g := proof.Cut(c.Pipeline.Graph, chosen, false, c.Stored)
	passes := make([]comparison, len(a.Threads))
	failed := map[string]*dag.Error{}
	for i, threads := range a.Threads {
		clean, result, err := room.run(g, dag.Options{Workers: a.Workers, Threads: threads})
		if err != nil {
			return err
		}
		for _, e := range result.Errors {
			failed[e.Task] = cmp.Or(failed[e.Task], e)
		}
		passes[i] = comparison{c.Pipeline.Graph, c.Results(), ofResult(clean, result)}
	}
	differ := map[*dag.Node]comparison{}
	for _, n := range tasks {
		e, pass, err := comparePasses(n, passes, a.Threads, failed[n.ID])
		if err != nil {
			return err
		}
		if e.State == "different" || e.State == "allowed" {
			differ[n] = pass
		}
		sum.add(e.State)
		a.audited(e, n)
	}
	if len(differ) > 0 && a.Downstream {
		if err := a.followUp(c, room, differ, a.Workers); err != nil {
			return err
		}
	}
	if a.Fetched && sum.Different > 0 {
		n, err := c.Store.ForgetFetched()
		if err != nil {
			return err
		}
		a.Warn("the store %s removed %s fetched from remotes; run without --remote, or with --trusted-keys, to compute %s here",
			c.Store.Dir(), words.Count(n, "result"), map[bool]string{true: "it", false: "them"}[n == 1])
	}
	return a.endAudit(sum)
}

// comparePasses is what became of a task: the worst of its passes. The number of
// threads is told only when it matters.
func comparePasses(n *dag.Node, passes []comparison, threads []int,
	failed *dag.Error) (auditedEvent, comparison, error) {
	if failed != nil {
		e := auditedEvent{Event: "audited", Task: n.ID, Stage: n.Stage.Name}
		e.fail(failed)
		return e, comparison{}, nil
	}
	rank := []string{"identical", "allowed", "different"}
	var worst auditedEvent
	at, states := 0, map[string]bool{}
	for i, pass := range passes {
		e, err := pass.task(n)
		if err != nil {
			return e, pass, err
		}
		states[e.State] = true
		if i == 0 || slices.Index(rank, e.State) > slices.Index(rank, worst.State) {
			worst, at = e, i
		}
	}
	if len(states) > 1 {
		worst.Threads = threads[at]
	}
	return worst, passes[at], nil
}

func ofResult(s *artifacts.Store, r *dag.Result) proof.Results {
	out := proof.Results{Name: "this audit", Tasks: map[string]proof.Result{}, Store: s}
	for id, refs := range r.Outputs {
		out.Tasks[id] = proof.Result{Outputs: refs}
	}
	return out
}

// followUp runs what depends on the tasks that gave other bytes, on those bytes,
// to see how far the difference goes.
func (a *auditor) followUp(c *results.Current, room *Room, differ map[*dag.Node]comparison, workers int) error {
	g := c.Pipeline.Graph
	of := map[*dag.Node]bool{}
	for n := range differ {
		of[n] = true
	}
	rest := proof.Downstream(g, of)
	maps.DeleteFunc(rest, func(n *dag.Node, _ bool) bool {
		s := c.Steps[n]
		return s == nil || s.State != dag.Cached || !c.InputsStored(n) || c.DamagedInput(n) != ""
	})
	for n := -1; n != len(rest); { // who lacks an input is not run, so that its stored outputs are inputs of others
		n = len(rest)
		anew := maps.Clone(rest)
		maps.Copy(anew, of)
		come, err := a.fetch(c, slices.Collect(maps.Keys(rest)), anew)
		if err != nil {
			return err
		}
		maps.DeleteFunc(rest, func(n *dag.Node, _ bool) bool {
			return !slices.Contains(come, n) || c.DamagedInput(n) != ""
		})
	}
	reached := maps.Clone(rest)
	all := comparison{g, c.Results(), proof.Results{Name: "this audit", Tasks: map[string]proof.Result{}}}
	for n, pass := range differ {
		all.again.Tasks[n.ID] = pass.again.Tasks[n.ID]
		reached[n] = true
	}
	if len(rest) > 0 {
		a.Note("running the tasks downstream of %s", words.Count(len(differ), "different task"))
		clean, result, err := room.run(proof.Cut(g, rest, true, func(n *dag.Node, output string) (string, string) {
			if pass, ok := differ[n]; ok {
				return results.InFile(pass.again.Store, pass.again.Tasks[n.ID].Outputs.Of(output))
			}
			return c.Stored(n, output)
		}), dag.Options{Workers: workers})
		if err != nil {
			return err
		}
		for id, refs := range result.Outputs {
			all.again.Tasks[id] = proof.Result{Outputs: refs}
		}
		for _, e := range result.Errors {
			a.Note("%s failed on the different inputs: %v", e.Task, e.Err)
		}
		all.again.Store = clean
		var other []string
		for _, v := range proof.Compare(g, all.stored, all.again) {
			if rest[v.Node] && v.Ports != nil {
				other = append(other, v.Node.ID)
			}
		}
		if !a.JSON {
			fmt.Fprintf(a.Out, "downstream: %s ran on the different inputs", words.Count(len(rest), "task"))
			if len(other) > 0 {
				fmt.Fprintf(a.Out, ", and %d give different bytes: %s", len(other), words.Some(other, 6))
			} else {
				fmt.Fprint(a.Out, ", and all give the same bytes")
			}
			fmt.Fprintln(a.Out)
		}
	}
	for n := range reached { // what failed, or was skipped, concludes nothing
		if _, ok := all.again.Tasks[n.ID]; !ok {
			delete(reached, n)
		}
	}
	return a.concludeMixed(all, differ, reached)
}

// concludeMixed is conclude where the bytes lie in several stores.
func (a *auditor) concludeMixed(c comparison, differ map[*dag.Node]comparison, reached map[*dag.Node]bool) error {
	for n, pass := range differ {
		// Their own bytes go beside those of what followed.
		for _, ref := range pass.again.Tasks[n.ID].Outputs {
			if c.again.Store == nil {
				c.again.Store = pass.again.Store
			}
			if !c.again.Store.Has(ref.Ref) {
				if err := copyBlob(pass.again.Store, c.again.Store, ref.Ref); err != nil {
					return err
				}
			}
		}
	}
	return a.conclude(c, reached)
}

// copyBlob brings a blob from one store to another.
func copyBlob(from, to *artifacts.Store, ref artifacts.Ref) error {
	b, err := results.ReadBlob(from, ref)
	if err != nil {
		return err
	}
	_, err = to.Put(artifacts.Bytes{Kind: ref.Format, Data: b})
	return err
}

// toAudit chooses the tasks that can be run again: those with a stored result
// whose inputs are stored too. It tells of those whose stored bytes are damaged: a difference would
// be blamed on a stage that is right.
func (a *auditor) toAudit(c *results.Current) (tasks []*dag.Node, sum auditEvent, err error) {
	sum.Event = "audit"
	all, err := allOr(c.Pipeline.Graph, a.Stages)
	if err != nil {
		return nil, sum, exit.Wrong(err)
	}
	what := "a stored result with stored inputs"
	if a.Fetched {
		all = slices.DeleteFunc(slices.Clone(all), func(n *dag.Node) bool { return !c.Fetched(n) })
		what = "a result from a remote, with stored inputs"
	}
	there, others := c.Split(all)
	for _, n := range there {
		if c.InputsStored(n) && c.OutputsStored(n) {
			tasks = append(tasks, n)
		} else {
			others = append(others, n)
		}
	}
	tasks = a.sampled(tasks)
	looked := len(tasks)
	for _, n := range others {
		if !a.damaged(c, n, &sum) {
			sum.Skipped++
			if c.Store.Remote() == nil && c.Fetched(n) {
				sum.away++
			}
		}
	}
	if tasks, err = a.fetch(c, tasks, nil); err != nil {
		return nil, sum, err
	}
	sum.Skipped += looked - len(tasks)
	tasks = slices.DeleteFunc(tasks, func(n *dag.Node) bool { return a.damaged(c, n, &sum) })
	if looked == 0 && sum.Damaged == 0 {
		remedy := c.RunAll(a.Console) + " makes them"
		if sum.away > 0 {
			remedy = a.With("--remote", "ADDRESS") + " fetches what came from a remote"
		}
		err = &exit.Error{Code: exit.NotAudited,
			Err: fmt.Errorf("nothing to audit: no task has %s\n  %s", what, remedy)}
	}
	return tasks, sum, err
}

// damaged tells of a task whose stored result or inputs are damaged.
func (a *auditor) damaged(c *results.Current, n *dag.Node, sum *auditEvent) bool {
	what := ""
	if input := c.DamagedInput(n); input != "" {
		what = "its input " + input
	} else if c.DamagedResult(n) {
		what = "its stored result"
	}
	if what == "" {
		return false
	}
	e := auditedEvent{Event: "audited", Task: n.ID, Stage: n.Stage.Name, State: "damaged",
		Error: fmt.Sprintf("not audited: %s is damaged; %s restores it", what, c.RunAll(a.Console))}
	sum.add(e.State)
	a.audited(e, n)
	return true
}

// sampled are the share of tasks that is asked for.
func (a *auditor) sampled(tasks []*dag.Node) []*dag.Node {
	if n := int(math.Ceil(a.Sample*float64(len(tasks)) - 1e-9)); n < len(tasks) {
		return sample(tasks, n, a.Seed)
	}
	return tasks
}

// sample takes n tasks, the same ones for the same seed, whatever else is in the
// graph: those whose names hash lowest.
func sample(tasks []*dag.Node, n int, seed uint64) []*dag.Node {
	rank := func(t *dag.Node) artifacts.Digest {
		return artifacts.DigestOf(fmt.Appendf(nil, "audit %d %s", seed, t.ID))
	}
	chosen := slices.Clone(tasks)
	slices.SortFunc(chosen, func(x, y *dag.Node) int {
		p, q := rank(x), rank(y)
		return cmp.Or(slices.Compare(p[:], q[:]), cmp.Compare(x.ID, y.ID))
	})
	in := map[*dag.Node]bool{}
	for _, t := range chosen[:n] {
		in[t] = true
	}
	return slices.DeleteFunc(slices.Clone(tasks), func(t *dag.Node) bool { return !in[t] })
}
