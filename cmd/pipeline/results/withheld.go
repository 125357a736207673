package results

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/dag/record"
	"prgnn/stages/role"
)

// Shown separates the tasks whose results may be given to a person from all others: those without a stored result
// (Split), and those that a leakage check withholds: one that failed, or that could run and has not passed. Such a
// check withholds the results of every stage that waits for checks (role.Checks) and of all that is made of them,
// whether they were made before the check or not.
func (c *Current) Shown(tasks []*dag.Node) (shown, others []*dag.Node) {
	there, others := c.Split(tasks)
	failed := c.failedChecks()
	if failed == nil {
		return there, others
	}
	for _, n := range there {
		if withholds(n, map[*dag.Node]bool{}) {
			others = append(others, n)
		} else {
			shown = append(shown, n)
		}
	}
	return shown, others
}

// failedChecks are the checks whose inputs are there, and that have not passed. That a check failed is in its log,
// which may be gone; that it passed is its result.
func (c *Current) failedChecks() (failed []*dag.Node) {
	for n := range c.Pipeline.Graph.Tasks() {
		s := c.Steps[n]
		if isCheck(n) && s != nil && s.Key != (artifacts.Key{}) && s.State != engine.Cached {
			failed = append(failed, n)
		}
	}
	return failed
}

// isCheck reports whether other tasks wait for a task.
func isCheck(n *dag.Node) bool {
	_, ok := n.Instance().(role.Check)
	return ok
}

// withholds reports whether a task, or one that it needs, waits for checks, of which one failed. A check itself is
// always shown.
func withholds(n *dag.Node, seen map[*dag.Node]bool) bool {
	if seen[n] || isCheck(n) {
		return false
	}
	seen[n] = true
	if role.Port(n.Instance(), role.Checks) != "" {
		return true
	}
	for src := range n.Upstream() {
		if withholds(src.Node, seen) {
			return true
		}
	}
	return false
}

// withheld says that results are there and why they are not shown; nil where no check failed, or
// none of the tasks has a result.
func (c *Current) withheld(a *console.Console, tasks []*dag.Node) error {
	there, _ := c.Split(tasks)
	if len(there) == 0 {
		return nil
	}
	failed := c.failedChecks()
	if failed == nil {
		return nil
	}
	var lines []string
	reason := "a leakage check has not passed"
	for _, f := range failed {
		said := c.Pipeline.Roster.CompleteExclude(c.Failure(f))
		if said == "" {
			lines = append(lines, "  "+f.ID()+" has no result, and no log of a failure is left")
			continue
		}
		reason = "a leakage check failed"
		lines = append(lines, "  "+f.ID()+" failed: "+strings.ReplaceAll(said, "\n", "\n  "))
	}
	if !IsRun(c.File) { // a run is over
		lines = append(lines, "  "+c.runUntil(a, failed[0].Stage().Name())+" repeats the check once the cause is fixed")
	}
	return fmt.Errorf("the results of %s are withheld because %s\n%s", there[0].Stage().Name(), reason,
		strings.Join(lines, "\n"))
}

// CheckRun fails where a run's own failed leakage check withholds results of it.
func CheckRun(a *console.Console, rec *record.Record, store *disk.Store, outs []Output) error {
	failed := map[string]bool{}
	for _, t := range rec.Tasks {
		if t.State == engine.Failed {
			failed[t.ID] = true
		}
	}
	if len(failed) == 0 {
		return nil
	}
	c, err := AsRun(rec, store)
	if err != nil {
		return fmt.Errorf("tasks of run %s failed, and whether a failed leakage check withholds its results is unknown: %w",
			rec.ID, err)
	}
	checked := false
	var tasks []*dag.Node
	for n := range c.Steps {
		checked = checked || failed[n.ID()] && isCheck(n)
		if slices.ContainsFunc(outs, func(o Output) bool { return o.Task.ID() == n.ID() }) {
			tasks = append(tasks, n)
		}
	}
	if _, others := c.Shown(tasks); checked && len(others) > 0 {
		return c.withheld(a, others)
	}
	return nil
}
