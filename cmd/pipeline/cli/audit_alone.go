package cli

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/pipelines/compare"
	"prgnn/pipelines/proof"
)

// auditAlone runs tasks again one by one, each on the stored bytes of what it
// needs: a difference shows where it arises and not in all that follows.
func (a *app) auditAlone(au audit) error {
	c, err := a.look(au.file, au.sets)
	if err != nil {
		return err
	}
	defer c.store.Close()
	tasks, skipped, err := c.toAudit(au)
	if err != nil {
		return err
	}
	room, err := a.cleanRoom(filepath.Dir(c.store.Dir()), au.keep)
	if err != nil {
		return err
	}
	defer room.close()
	chosen := map[*dag.Node]bool{}
	for _, n := range tasks {
		chosen[n] = true
	}
	g := proof.Cut(c.pipeline.Graph, chosen, false, c.stored)
	passes := make([]comparison, len(au.threads))
	failed := map[string]error{}
	for i, threads := range au.threads {
		clean, result, err := room.run(g, dag.Options{Workers: au.workers, Threads: threads})
		if err != nil {
			return err
		}
		for _, e := range result.Errors {
			failed[e.Task] = cmp.Or(failed[e.Task], e.Err)
		}
		passes[i] = comparison{c.pipeline.Graph, c.results(), ofResult(clean, result)}
	}
	sum := auditEvent{Event: "audit", Skipped: skipped}
	differ := map[*dag.Node]comparison{}
	for _, n := range tasks {
		e, pass, err := comparePasses(n, passes, au.threads, failed[n.ID])
		if err != nil {
			return err
		}
		if e.State == "different" || e.State == "allowed" {
			differ[n] = pass
		}
		sum.add(e.State)
		a.audited(e, n)
	}
	if len(differ) > 0 && au.downstream {
		if err := a.followUp(c, room, differ, au.workers); err != nil {
			return err
		}
	}
	if au.fetched && sum.Different > 0 {
		n, err := c.store.ForgetFetched()
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stderr, "the store %s has forgotten %s from remotes; run without --remote, or with --trusted-keys, to compute %s here\n",
			c.store.Dir(), count(n, "result"), map[bool]string{true: "it", false: "them"}[n == 1])
	}
	return a.endAudit(sum)
}

// comparePasses is what became of a task: the worst of its passes. The number of
// threads is told only when it matters.
func comparePasses(n *dag.Node, passes []comparison, threads []int, failed error) (auditedEvent, comparison, error) {
	if failed != nil {
		return auditedEvent{Event: "audited", Task: n.ID, Stage: n.Stage.Name, State: "failed", Error: failed.Error()}, comparison{}, nil
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

// results are what the store holds for the pipeline now.
func (c *current) results() proof.Results {
	out := proof.Results{Name: c.store.Dir(), Tasks: map[string]proof.Result{}, Store: c.store}
	for n, s := range c.steps {
		if s.State == dag.Cached {
			out.Tasks[n.ID] = proof.Result{Key: s.Key, Outputs: s.Outputs}
		}
	}
	return out
}

// stored is where the bytes of an output lie.
func (c *current) stored(n *dag.Node, output string) (path, format string) {
	ref := c.steps[n].Outputs[output]
	return c.store.BlobPath(ref.Digest), ref.Format
}

// followUp runs what depends on the tasks that gave other bytes, on those bytes,
// to see how far the difference goes.
func (a *app) followUp(c *current, room *cleanRoom, differ map[*dag.Node]comparison, workers int) error {
	g := c.pipeline.Graph
	of := map[*dag.Node]bool{}
	for n := range differ {
		of[n] = true
	}
	rest := proof.Downstream(g, of)
	maps.DeleteFunc(rest, func(n *dag.Node, _ bool) bool {
		s := c.steps[n]
		return s == nil || s.State != dag.Cached || !c.inputsStored(n)
	})
	reached := maps.Clone(rest)
	all := comparison{g, c.results(), proof.Results{Name: "this audit", Tasks: map[string]proof.Result{}}}
	for n, pass := range differ {
		all.again.Tasks[n.ID] = pass.again.Tasks[n.ID]
		reached[n] = true
	}
	if len(rest) > 0 {
		a.note("running what depends on %s that differ", count(len(differ), "task"))
		clean, result, err := room.run(proof.Cut(g, rest, true, func(n *dag.Node, output string) (string, string) {
			if pass, ok := differ[n]; ok {
				ref := pass.again.Tasks[n.ID].Outputs[output]
				return pass.again.Store.BlobPath(ref.Digest), ref.Format
			}
			return c.stored(n, output)
		}), dag.Options{Workers: workers})
		if err != nil {
			return err
		}
		for id, refs := range result.Outputs {
			all.again.Tasks[id] = proof.Result{Outputs: refs}
		}
		for _, e := range result.Errors {
			a.note("%s failed on what differs: %v", e.Task, e.Err)
		}
		all.again.Store = clean
		var other []string
		for _, v := range proof.Compare(g, all.stored, all.again) {
			if rest[v.Node] && v.Ports != nil {
				other = append(other, v.Node.ID)
			}
		}
		if !a.json {
			fmt.Fprintf(a.out, "downstream: %s ran on what differs", count(len(rest), "task"))
			if len(other) > 0 {
				fmt.Fprintf(a.out, ", and %d give other bytes: %s", len(other), some(other, 6))
			} else {
				fmt.Fprint(a.out, ", and all give the same bytes")
			}
			fmt.Fprintln(a.out)
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
func (a *app) concludeMixed(c comparison, differ map[*dag.Node]comparison, reached map[*dag.Node]bool) error {
	for n, pass := range differ {
		// Their own bytes go beside those of what followed.
		for _, ref := range pass.again.Tasks[n.ID].Outputs {
			if c.again.Store == nil {
				c.again.Store = pass.again.Store
			}
			if !c.again.Store.Has(ref) {
				if err := copyBlob(pass.again.Store, c.again.Store, ref); err != nil {
					return err
				}
			}
		}
	}
	return a.conclude(c, reached)
}

// copyBlob brings a blob from one store to another.
func copyBlob(from, to *artifacts.Store, ref artifacts.Ref) error {
	b, err := readAll(from, ref)
	if err != nil {
		return err
	}
	_, err = to.Put(artifacts.Bytes{Kind: ref.Format, Data: b})
	return err
}

// toAudit chooses the tasks that can be run again: those with a stored result
// whose inputs are stored too.
func (c *current) toAudit(au audit) (tasks []*dag.Node, skipped int, err error) {
	all, err := audited(c.pipeline.Graph, au.stages)
	if err != nil {
		return nil, 0, wrong(err)
	}
	what := "a stored result with stored inputs"
	if au.fetched {
		all = slices.DeleteFunc(slices.Clone(all), func(n *dag.Node) bool { return !c.fetched(n) })
		what = "a result from a remote, with stored inputs"
	}
	there, others := c.split(all)
	skipped = len(others)
	for _, n := range there {
		if c.inputsStored(n) && c.outputsStored(n) {
			tasks = append(tasks, n)
		} else {
			skipped++
		}
	}
	if len(tasks) == 0 {
		return nil, 0, fmt.Errorf("there is nothing to audit: no task has %s\n  pipeline run %s makes them", what, c.pipeline.File)
	}
	return au.sampled(tasks), skipped, nil
}

// fetched tells whether the result of a task came from a remote.
func (c *current) fetched(n *dag.Node) bool {
	s := c.steps[n]
	if s == nil || s.State != dag.Cached {
		return false
	}
	a, err := c.store.LookupHere(s.Key)
	return err == nil && a.Origin != ""
}

func (c *current) inputsStored(n *dag.Node) bool {
	for _, b := range n.Inputs {
		for _, s := range b.Sources {
			if s.Node != nil && (c.steps[s.Node] == nil || !c.store.Has(c.steps[s.Node].Outputs[s.Output])) {
				return false
			}
		}
	}
	return true
}

func (c *current) outputsStored(n *dag.Node) bool {
	for _, r := range c.steps[n].Outputs {
		if !c.store.Has(r) {
			return false
		}
	}
	return true
}

// sampled are the share of tasks that is asked for.
func (au audit) sampled(tasks []*dag.Node) []*dag.Node {
	if n := int(math.Ceil(au.sample*float64(len(tasks)) - 1e-9)); n < len(tasks) {
		return sample(tasks, n, au.seed)
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

// differenceOf reads two artifacts of one port and compares them. Bytes may
// differ where contents do not (another version of a library); that is said too.
func differenceOf(s1 *artifacts.Store, r1 artifacts.Ref, s2 *artifacts.Store, r2 artifacts.Ref, typ dag.Type) (*compare.Difference, error) {
	read := func(s *artifacts.Store, r artifacts.Ref) (content, error) {
		b, err := readAll(s, r)
		if err != nil {
			return content{}, err
		}
		return decode(b, r.Format, typ)
	}
	x, err1 := read(s1, r1)
	y, err2 := read(s2, r2)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	if d := compareContents(x, y); d != nil {
		return d, nil
	}
	return &compare.Difference{Kind: "bytes", Text: "the values are the same, the bytes around them differ"}, nil
}
