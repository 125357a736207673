package audit

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/pipelines/differ"
)

type conclusionEvent struct {
	Task   string       `json:"task"`
	Output string       `json:"output"`
	State  differ.State `json:"state"` // identical, different
	Text   string       `json:"text,omitempty"`
}

type auditEvent struct {
	Tasks     int `json:"tasks"`
	Identical int `json:"identical"`
	Different int `json:"different"`
	Allowed   int `json:"allowed"` // differ, within what their kinds promise
	Failed    int `json:"failed"`
	Damaged   int `json:"damaged"` // not audited: their stored result or inputs are damaged
	Skipped   int `json:"skipped"` // without a stored result, or without stored inputs
	away      int // skipped ones whose results came from a remote, if no remote is set
	reasons   []reason
	earlier   string // which command audits the results of earlier inputs
}

// A reason is why tasks are not audited.
type reason struct {
	text  string
	tasks []string
}

// report counts and prints the outcomes of tasks.
func (a *auditor) report(outcomes ...*differ.Outcome) {
	a.count(outcomes)
	a.print(outcomes)
}

func (a *auditor) count(outcomes []*differ.Outcome) {
	for _, o := range outcomes {
		switch a.sum.Tasks++; o.State {
		case differ.Identical:
			a.sum.Identical++
		case differ.Different, differ.Absent:
			a.sum.Different++
		case differ.Allowed:
			a.sum.Allowed++
		case differ.Failed:
			a.sum.Failed++
		case differ.Damaged:
			a.sum.Tasks--
			a.sum.Damaged++
		}
	}
}

func (a *auditor) print(outcomes []*differ.Outcome) {
	follow := 0
	for _, o := range outcomes {
		switch {
		case a.JSON:
			a.Object("", o)
		case o.State == differ.Failed:
			fmt.Fprintf(a.Out, "%s: %s: %s\n", o.Task, a.Page.Red("failed"), o.Error)
			if o.Log != "" {
				fmt.Fprintf(a.Out, "    its log ends\n      %s\n", strings.ReplaceAll(o.Log, "\n", "\n      "))
			}
		case o.Error != "":
			fmt.Fprintf(a.Out, "%s: %s\n", o.Task, o.Error)
		case o.Begins():
			what := a.Page.Red("different")
			if o.State == differ.Allowed {
				what = "different within the promise (" + o.Promise + ")"
			}
			if o.Threads > 0 {
				what += fmt.Sprintf(" with %s", words.Count(o.Threads, "thread"))
			}
			for _, p := range o.Node.Instance().Ports().Out {
				if d := o.Outputs[p.Name].Difference; d != nil {
					fmt.Fprintf(a.Out, "%s.%s: %s: %s\n", o.Task, p.Name, what, d.Text)
					results.PrintDifference(a.Out, d, "    ")
				}
			}
		case o.From != nil:
			if follow++; a.Verbose {
				fmt.Fprintf(a.Out, "%s: %s, a consequence of %s\n", o.Task, o.State, words.Some(o.From, 3))
			}
		case a.Verbose:
			fmt.Fprintf(a.Out, "%s: identical\n", o.Task)
		}
	}
	if follow > 0 {
		fmt.Fprintf(a.Out, "as a consequence, %s %s different bytes too; -v lists them\n", words.Count(follow, "task"), words.Verb(follow, "has", "have"))
	}
}

// conclude prints the outputs that no task takes further, as far as a difference
// could have reached them.
func (a *auditor) conclude(g *dag.Graph, outcomes []*differ.Outcome) error {
	ends, reached := differ.Conclusions(g), map[*dag.Node]bool{}
	for _, o := range outcomes {
		reached[o.Node] = o.Differs()
	}
	reached = differ.From(g, reached)
	var lines []string
	same := 0
	for _, o := range outcomes {
		for _, p := range o.Node.Instance().Ports().Out {
			if o.Outputs == nil || !reached[o.Node] || !slices.Contains(ends[o.Node], p.Name) {
				continue
			}
			d, err := o.Difference(p)
			if err != nil {
				return err
			}
			e := conclusionEvent{Task: o.Task, Output: p.Name, State: differ.Identical}
			if d == nil {
				same++
			} else {
				e.State, e.Text = differ.Different, d.Text
				lines = append(lines, fmt.Sprintf("  %s.%s: %s", o.Task, p.Name, d.Text))
			}
			if a.JSON {
				a.Object("conclusion", e)
			}
		}
	}
	switch all := same + len(lines); {
	case a.JSON || all == 0:
	case len(lines) == 0:
		fmt.Fprintf(a.Out, "no conclusion changes: %s downstream of the difference that no other task reads %s the same bytes\n",
			words.Count(same, "output"), words.Verb(same, "has", "have"))
	default:
		fmt.Fprintf(a.Out, "conclusions change: of %s downstream of the difference that no other task reads, %d differ\n", words.Count(all, "output"), len(lines))
		a.Few(a.Out, len(lines), 20, func(i int) { fmt.Fprintln(a.Out, lines[i]) })
	}
	return nil
}

// end prints the last line, and gives the exit code.
func (a *auditor) end() error {
	sum := a.sum
	if !a.AsJSON("audit", sum) {
		fmt.Fprintf(a.Out, "audit: %s: %d identical, %d different", words.Count(sum.Tasks, "task"), sum.Identical, sum.Different)
		for _, some := range []struct {
			n    int
			what string
		}{{sum.Allowed, "different within the promise"}, {sum.Failed, "failed"}, {sum.Damaged, "not audited for damage"},
			{sum.Skipped, "not audited"}} {
			if some.n > 0 {
				fmt.Fprintf(a.Out, ", %d %s", some.n, some.what)
			}
		}
		fmt.Fprintln(a.Out)
		if sum.Skipped > 0 {
			remedy := "pipeline run makes results"
			if sum.away > 0 {
				remedy = "--remote ADDRESS fetches what came from a remote, " + remedy
			}
			if sum.earlier != "" {
				remedy = sum.earlier + ", " + remedy
			}
			a.Warn("%s not audited, without a stored result or stored inputs%s: %s, --from-inputs needs no stored inputs, --partial accepts this", words.Count(sum.Skipped, "task"), a.reasons(), remedy)
		}
	}
	switch {
	case sum.Different+sum.Failed > 0:
		return &exit.Error{Code: exit.Failed}
	case sum.Damaged > 0:
		return &exit.Error{Code: exit.Damaged}
	case sum.Skipped > 0 && !a.Partial:
		return &exit.Error{Code: exit.NotAudited}
	}
	return nil
}
