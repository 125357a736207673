package audit

import (
	"fmt"
	"maps"
	"slices"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/internal/words"
)

// fetch brings from the remote, where there is one, what tasks take from others: a store that fetched results has the
// bytes of few of them. It returns the tasks without those whose inputs did not come, and marks the results that the
// remote has lost as damaged. The outputs of the tasks of anew are not needed.
func (a *auditor) fetch(c *results.Current, tasks []*dag.Node, anew map[*dag.Node]bool) ([]*dag.Node, error) {
	from := c.Store.Remote.Report()
	if from == nil {
		return tasks, nil
	}
	at := map[artifacts.Digest]int{}
	var refs []artifacts.Ref
	for _, n := range tasks {
		for src := range n.Upstream() {
			ref := c.Ref(src.Node, src.Output)
			if _, seen := at[ref.Digest]; !seen && !anew[src.Node] {
				at[ref.Digest] = len(refs)
				refs = append(refs, ref)
			}
		}
	}
	ctx, done := console.Interruptible("what was fetched stays in the store", func(s string) { a.Warn("%s", s) })
	defer done()
	here := c.Store.Remote.Fetch(ctx, refs...)
	if ctx.Err() != nil {
		return nil, &exit.Error{Code: exit.Interrupted}
	}
	missing := map[string]bool{}
	lacks := func(n *dag.Node) (some bool) {
		for src := range n.Upstream() {
			step, ref := c.Steps[src.Node], c.Ref(src.Node, src.Output)
			if anew[src.Node] || here[at[ref.Digest]] {
				continue
			}
			if c.Store.Remote.Lost(step.Key, ref) {
				step.Damaged = true // which is reported for each task
			} else {
				some, missing[src.Node.ID()+"."+src.Output] = true, true
			}
		}
		return some
	}
	tasks = slices.DeleteFunc(slices.Clone(tasks), lacks)
	now := c.Store.Remote.Report()
	if n := now.Fetched - from.Fetched; n > 0 {
		a.Note("%s: %s fetched, which the audited tasks take", now.Name, words.Count(n, "file"))
	}
	if len(missing) > 0 {
		why := ""
		if now.Down != nil {
			why = fmt.Sprintf(" (it does not answer: %v)", now.Down)
		}
		a.Warn("%s: %s, which tasks take, could not be fetched%s", now.Name,
			words.Some(slices.Sorted(maps.Keys(missing)), 4), why)
	}
	return tasks, nil
}
