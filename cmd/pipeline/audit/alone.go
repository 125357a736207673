package audit

import (
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines/differ"
)

// Alone runs each task again by itself, on the stored bytes of its inputs: a difference shows where it
// arises and not in every task downstream.
func Alone(con *console.Console, c *results.Current, o Options) error {
	a := start(con, o)
	tasks, err := a.toAudit(c)
	if err != nil {
		return err
	}
	if len(tasks) == 0 {
		return a.end()
	}
	room, err := NewRoom(con, filepath.Dir(c.Store.Dir()), a.Keep)
	if err != nil {
		return err
	}
	defer room.Close()
	g, err := differ.Cut(c.Pipeline.Graph, lists.Set(tasks), false, c.Stored)
	if err != nil {
		return err
	}
	outcomes, err := a.repeat(room, g, c.Results(), nil, nil)
	if err != nil {
		return err
	}
	a.report(outcomes...)
	if a.Downstream {
		if err := a.followUp(c, room, outcomes); err != nil {
			return err
		}
	}
	if a.Fetched && a.sum.Different > 0 {
		n, err := c.Store.Remote.Forget()
		if err != nil {
			return err
		}
		a.Warn("the store %s removed %s fetched from remotes; run without --remote, or with --trusted-keys, to compute %s here",
			c.Store.Dir(), words.Count(n, "result"), words.Verb(n, "it", "them"))
	}
	return a.end()
}

// followUp runs what depends on the tasks that gave other bytes, on those bytes,
// to see how far the difference goes.
func (a *auditor) followUp(c *results.Current, room *Room, outcomes []*differ.Outcome) error {
	g, again, differing := c.Pipeline.Graph, map[string]differ.Result{}, map[*dag.Node]bool{}
	for _, o := range outcomes {
		if o.Differs() {
			again[o.Task] = o.Again
		}
	}
	for n := range g.Tasks() {
		if _, ok := again[n.ID()]; ok {
			differing[n] = true
		}
	}
	if len(differing) == 0 {
		return nil
	}
	rest := differ.From(g, differing)
	maps.DeleteFunc(rest, func(n *dag.Node, reached bool) bool {
		s := c.Steps[n]
		return !reached || differing[n] || s == nil || s.State != engine.Cached || !c.InputsStored(n) ||
			c.DamagedInput(n) != ""
	})
	for n := -1; n != len(rest); { // what lacks an input is not run, so that its stored outputs are inputs of others
		n = len(rest)
		anew := maps.Clone(rest)
		maps.Copy(anew, differing)
		come, err := a.fetch(c, slices.Collect(maps.Keys(rest)), anew)
		if err != nil {
			return err
		}
		fetched := lists.Set(come)
		maps.DeleteFunc(rest, func(n *dag.Node, _ bool) bool { return !fetched[n] || c.DamagedInput(n) != "" })
	}
	if len(rest) > 0 {
		a.Note("running the tasks downstream of %s", words.Count(len(differing), "different task"))
		part, err := differ.Cut(g, rest, true, func(n *dag.Node, output string) (path, format string) {
			if r, ok := again[n.ID()]; ok {
				return results.InFile(r.Store, r.Outputs.Of(output))
			}
			return c.Stored(n, output)
		})
		if err != nil {
			return err
		}
		pass, err := room.run(part, engine.Options{Workers: a.Workers}, nil)
		if err != nil {
			return err
		}
		for _, e := range pass.Failed {
			a.Note("%s failed on the different inputs: %v", e.Task, e.Err)
		}
		maps.Copy(again, pass.Again.Tasks)
	}
	reached, err := differ.Compare(g, c.Results(), differ.Pass{Again: differ.Results{Name: "this audit", Tasks: again}})
	if err != nil {
		return err
	}
	if len(rest) > 0 && !a.JSON {
		var other []string
		for _, o := range reached {
			if rest[o.Node] && o.Differs() {
				other = append(other, o.Task)
			}
		}
		same := "all give the same bytes"
		if other != nil {
			same = fmt.Sprintf("%d give different bytes: %s", len(other), words.Some(other, 6))
		}
		fmt.Fprintf(a.Out, "downstream: %s ran on the different inputs, and %s\n", words.Count(len(rest), "task"), same)
	}
	return a.conclude(g, reached)
}

// toAudit chooses the tasks that can be run again: those with a stored result
// whose inputs are stored too. It reports those whose stored bytes are damaged: a difference would
// be blamed on a stage that is right.
func (a *auditor) toAudit(c *results.Current) (tasks []*dag.Node, err error) {
	all, err := a.chosen(c.Pipeline.Graph)
	if err != nil {
		return nil, exit.Wrong(err)
	}
	what := "a stored result with stored inputs"
	if a.Fetched {
		all = slices.DeleteFunc(all, func(n *dag.Node) bool { return !c.Fetched(n) })
		what = "a result from a remote, with stored inputs"
	}
	there, others := c.Split(all)
	for _, n := range there {
		if c.InputsStored(n) {
			tasks = append(tasks, n)
		} else {
			others = append(others, n)
		}
	}
	if c.Run != nil {
		if tasks, err = a.asNow(c, tasks); err != nil {
			return nil, err
		}
	}
	tasks = a.sampled(tasks)
	looked := len(tasks)
	a.sum.earlier = a.earlier(c, others)
	for _, n := range others {
		if !a.damaged(c, n) {
			a.sum.Skipped++
			if s := c.Steps[n]; s != nil && s.Reason != "" {
				a.because(s.Reason, n)
			}
			if c.Store.Remote.Report() == nil && c.Fetched(n) {
				a.sum.away++
			}
		}
	}
	if tasks, err = a.fetch(c, tasks, nil); err != nil {
		return nil, err
	}
	a.sum.Skipped += looked - len(tasks)
	tasks = slices.DeleteFunc(tasks, func(n *dag.Node) bool { return a.damaged(c, n) })
	if looked == 0 && a.sum.Damaged == 0 {
		remedy := c.RunAll(a.Console) + " makes them"
		what += a.reasons()
		if a.sum.earlier != "" {
			remedy += "; " + a.sum.earlier
		}
		if a.sum.away > 0 {
			remedy = a.With("--remote", "ADDRESS") + " fetches what came from a remote"
		}
		return nil, nothing("no task has %s\n  %s", what, remedy)
	}
	return tasks, nil
}

// earlier is the command that audits the results of a run whose inputs were others; "" for none.
func (a *auditor) earlier(c *results.Current, others []*dag.Node) string {
	if c.Run != nil {
		return ""
	}
	run, n := c.Earlier(others)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s audits %s of earlier inputs, parameters or code", a.Command("audit", run.ID), words.Count(n, "result"))
}

// asNow are the tasks of a run that would do the same work now on the inputs of that run. What reads another file by
// now, or has other code, would give another result for that reason.
func (a *auditor) asNow(c *results.Current, tasks []*dag.Node) (same []*dag.Node, err error) {
	g, err := differ.Cut(c.Pipeline.Graph, lists.Set(tasks), false, c.Stored)
	if err != nil {
		return nil, err
	}
	steps, err := engine.Plan(context.Background(), g, c.Store, engine.Options{})
	if err != nil {
		return nil, err
	}
	keys := map[string]artifacts.Key{}
	for _, s := range steps {
		keys[s.Node.ID()] = s.Key
	}
	for _, n := range tasks {
		if keys[n.ID()] == c.Steps[n].Key {
			same = append(same, n)
			continue
		}
		a.sum.Skipped++
		a.because("its own data or code have changed since the run", n)
	}
	return same, nil
}

// because notes why a task is not audited.
func (a *auditor) because(text string, n *dag.Node) {
	i := slices.IndexFunc(a.sum.reasons, func(r reason) bool { return r.text == text })
	if i < 0 {
		i = len(a.sum.reasons)
		a.sum.reasons = append(a.sum.reasons, reason{text: text})
	}
	a.sum.reasons[i].tasks = append(a.sum.reasons[i].tasks, n.ID())
}

// reasons states in parentheses why tasks are not audited; "" where nothing is known of them.
func (a *auditor) reasons() string {
	var texts []string
	for _, r := range a.sum.reasons {
		texts = append(texts, words.Some(r.tasks, 3)+": "+r.text)
	}
	if texts == nil {
		return ""
	}
	more := ""
	if n := len(texts) - 5; n > 0 {
		texts, more = texts[:5], fmt.Sprintf("; and %s", words.Count(n, "other reason"))
	}
	return " (" + strings.Join(texts, "; ") + more + ")"
}

func nothing(format string, args ...any) error {
	return &exit.Error{Code: exit.NotAudited, Err: fmt.Errorf("nothing to audit: "+format, args...)}
}

// damaged reports a task whose stored result or inputs are damaged.
func (a *auditor) damaged(c *results.Current, n *dag.Node) bool {
	what := "its stored result"
	if input := c.DamagedInput(n); input != "" {
		what = "its input " + input
	} else if !c.DamagedResult(n) {
		return false
	}
	a.report(&differ.Outcome{Event: "audited", Task: n.ID(), Stage: n.Stage().Name(), State: differ.Damaged,
		Error: fmt.Sprintf("not audited: %s is damaged; %s restores it", what, c.RunAll(a.Console))})
	return true
}

// sampled are the share of tasks that is asked for: the same ones for the same seed, whatever else is in the
// graph, those whose names hash lowest.
func (a *auditor) sampled(tasks []*dag.Node) []*dag.Node {
	n := max(1, int(math.Ceil(a.Sample*float64(len(tasks))-1e-9)))
	if n >= len(tasks) {
		return tasks
	}
	rank := func(t *dag.Node) string {
		return artifacts.DigestOf(fmt.Appendf(nil, "audit %d %s", a.Seed, t.ID())).String()
	}
	last := slices.Sorted(slices.Values(lists.Map(tasks, rank)))[n-1]
	return slices.DeleteFunc(slices.Clone(tasks), func(t *dag.Node) bool { return rank(t) > last })
}
