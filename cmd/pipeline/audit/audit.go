package audit

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/progress"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/internal/workdir"
	"prgnn/pipelines/compare"
	"prgnn/pipelines/proof"
)

// Options say which tasks are run again, and how.
type Options struct {
	Stages     []string
	Sample     float64
	Seed       uint64
	Workers    int
	Threads    []int
	Downstream bool
	Fetched    bool
	Partial    bool   // tasks that cannot be audited are no failure
	Keep       string // where what was run again is kept
}

// An auditor is one audit: where it says things, and what is asked for.
type auditor struct {
	*console.Console
	Options
}

// An auditedEvent is one task that was run again.
type auditedEvent struct {
	Event string `json:"event"` // "audited"
	Task  string `json:"task"`
	Stage string `json:"stage"`
	// identical, different, allowed (within what its kind promises), failed, absent, damaged
	State   string                   `json:"state"`
	Promise string                   `json:"promise,omitempty"` // of one that differs
	Threads int                      `json:"threads,omitempty"` // with how many it differs
	From    []string                 `json:"from,omitempty"`    // the tasks in which the difference begins, when it does not begin here
	Outputs map[string]auditedOutput `json:"outputs,omitempty"`
	Error   string                   `json:"error,omitempty"`
	Log     string                   `json:"log,omitempty"` // its end, of one that failed
}

func (e *auditedEvent) fail(err *dag.Error) {
	e.State, e.Error, e.Log = "failed", err.Err.Error(), err.Said
}

type auditedOutput struct {
	Stored     string              `json:"stored"` // digests
	Again      string              `json:"again"`
	Difference *compare.Difference `json:"difference,omitempty"`
}

type conclusionEvent struct {
	Event  string `json:"event"` // "conclusion": an output that no task takes further
	Task   string `json:"task"`
	Output string `json:"output"`
	State  string `json:"state"` // identical, different
	Text   string `json:"text,omitempty"`
}

type auditEvent struct {
	Event     string `json:"event"` // "audit"
	Tasks     int    `json:"tasks"`
	Identical int    `json:"identical"`
	Different int    `json:"different"`
	Allowed   int    `json:"allowed"` // differ, within what their kinds promise
	Failed    int    `json:"failed"`
	Damaged   int    `json:"damaged"` // not audited: their stored result or inputs are damaged
	Skipped   int    `json:"skipped"` // without a stored result, or without stored inputs
	away      int    // those of them whose results came from a remote, where no remote is named
}

func (s *auditEvent) add(state string) {
	if state == "damaged" {
		s.Damaged++
		return
	}
	s.Tasks++
	switch state {
	case "identical":
		s.Identical++
	case "different", "absent":
		s.Different++
	case "allowed":
		s.Allowed++
	case "failed":
		s.Failed++
	}
}

// endAudit prints the last line, and gives the exit code.
func (a *auditor) endAudit(sum auditEvent) error {
	if a.JSON {
		a.Object(sum)
	} else {
		fmt.Fprintf(a.Out, "audit: %s: %d identical, %d different", words.Count(sum.Tasks, "task"), sum.Identical, sum.Different)
		if sum.Allowed > 0 {
			fmt.Fprintf(a.Out, ", %d different within the promise", sum.Allowed)
		}
		if sum.Failed > 0 {
			fmt.Fprintf(a.Out, ", %d failed", sum.Failed)
		}
		if sum.Damaged > 0 {
			fmt.Fprintf(a.Out, ", %d not audited for damage", sum.Damaged)
		}
		if sum.Skipped > 0 {
			fmt.Fprintf(a.Out, ", %d not audited", sum.Skipped)
		}
		fmt.Fprintln(a.Out)
		if sum.Skipped > 0 {
			remedy := "pipeline run makes results"
			if sum.away > 0 {
				remedy = "--remote ADDRESS fetches what came from a remote, " + remedy
			}
			a.Warn("%s not audited, without a stored result or stored inputs: %s, --from-inputs needs no stored inputs, --partial accepts this", words.Count(sum.Skipped, "task"), remedy)
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

// A Room is an empty place to run in.
type Room struct {
	*console.Console
	Dir    *workdir.Dir
	keep   string
	stores []*artifacts.Store
}

// RoomPrefix begins the names of rooms; gc sweeps those of dead processes.
const RoomPrefix = ".pipeline-audit-"

// NewRoom makes a room on the file system of a directory.
func NewRoom(a *console.Console, beside, keep string) (*Room, error) {
	if keep != "" {
		if err := a.MayWrite(keep); err != nil {
			return nil, err
		}
		if entries, err := os.ReadDir(keep); err == nil && len(entries) > 0 {
			return nil, exit.Wrongf("%s is not empty: --keep takes a new directory", keep)
		}
	}
	dir, err := workdir.Make(beside, RoomPrefix)
	if err != nil {
		return nil, fmt.Errorf("an audit needs a place to work in: %w", err)
	}
	return &Room{Console: a, Dir: dir, keep: keep}, nil
}

// Close removes the directory with the recomputed results, except those of --keep.
func (r *Room) Close() {
	for _, s := range r.stores {
		s.Close()
	}
	r.Dir.Remove()
}

// open makes an empty store. The first one is the one that is kept.
func (r *Room) open() (*artifacts.Store, error) {
	dir := filepath.Join(r.Dir.Path, fmt.Sprint(len(r.stores)))
	if r.keep != "" && len(r.stores) == 0 {
		dir = r.keep
	}
	clean, err := artifacts.Open(dir)
	if err == nil {
		r.stores = append(r.stores, clean)
	}
	return clean, err
}

// run runs a graph in a store of its own.
func (r *Room) run(g *dag.Graph, o dag.Options) (*artifacts.Store, *dag.Result, error) {
	clean, err := r.open()
	if err != nil {
		return nil, nil, err
	}
	result, err := r.runIn(clean, g, o)
	return clean, result, err
}

func (r *Room) runIn(clean *artifacts.Store, g *dag.Graph, o dag.Options) (*dag.Result, error) {
	shown := progress.For(r.Console, g, clean, o)
	if r.JSON {
		shown = progress.Silent{Console: r.Console} // its tasks are told as audited
	}
	ctx, done := console.Interruptible("the tasks that are run again are aborted, and the store stays as it is", shown.Say)
	defer done()
	o.Progress = shown.Event
	result, err := dag.Run(ctx, g, clean, o)
	shown.Close()
	if err != nil && ctx.Err() != nil {
		r.Warn("interrupted; an audit keeps nothing and starts again from the beginning")
		err = &exit.Error{Code: exit.Interrupted}
	}
	return result, err
}

// A comparison holds what was stored against what came out.
type comparison struct {
	graph         *dag.Graph
	stored, again proof.Results
}

// output compares one output of a task in numbers, where the bytes of both are at
// hand.
func (c comparison) output(n *dag.Node, p dag.Port) (auditedOutput, error) {
	before, after := c.stored.Tasks[n.ID].Outputs.Of(p.Name), c.again.Tasks[n.ID].Outputs.Of(p.Name)
	o := auditedOutput{Stored: before.Digest.String(), Again: after.Digest.String()}
	if before.Digest == after.Digest {
		return o, nil
	}
	for _, side := range []struct {
		r   proof.Results
		ref artifacts.Ref
	}{{c.stored, before}, {c.again, after}} {
		if side.r.Store == nil || !side.r.Store.Has(side.ref) {
			o.Difference = &compare.Difference{Kind: "bytes", Text: fmt.Sprintf("the bytes differ; the size of the difference is unknown because the bytes of %s are missing", cmp.Or(side.r.Name, "one side"))}
			return o, nil
		}
	}
	var err error
	o.Difference, err = results.Difference(c.stored.Store, before, c.again.Store, after, p.Type)
	return o, err
}

// task compares one task in which a difference may begin.
func (c comparison) task(n *dag.Node) (auditedEvent, error) {
	e := auditedEvent{Event: "audited", Task: n.ID, Stage: n.Stage.Name, State: "identical",
		Outputs: map[string]auditedOutput{}}
	kept := true
	for _, p := range n.Work.Ports().Out {
		o, err := c.output(n, p)
		if err != nil {
			return e, err
		}
		e.Outputs[p.Name] = o
		if o.Difference != nil {
			e.State, e.Promise = "different", n.Promise().String()
			kept = kept && keeps(n.Promise(), o.Difference)
		}
	}
	if e.State == "different" && kept {
		e.State = "allowed"
	}
	return e, nil
}

// keeps reports whether a difference stays within a promise.
func keeps(p dag.Promise, d *compare.Difference) bool {
	return p.Nothing || p.Tolerance > 0 && (d.Kind == "values" && !d.Other && d.MaxRel <= p.Tolerance)
}

// audited prints what became of one task.
func (a *auditor) audited(e auditedEvent, n *dag.Node) {
	if a.JSON {
		a.Object(e)
		return
	}
	switch {
	case e.State == "failed":
		fmt.Fprintf(a.Out, "%s: %s: %s\n", e.Task, a.Page.Red("failed"), e.Error)
		if e.Log != "" {
			fmt.Fprintf(a.Out, "    its log ends\n      %s\n", strings.ReplaceAll(e.Log, "\n", "\n      "))
		}
	case e.State == "absent", e.State == "damaged":
		fmt.Fprintf(a.Out, "%s: %s\n", e.Task, e.Error)
	case e.From != nil:
		if a.Verbose {
			fmt.Fprintf(a.Out, "%s: %s, a consequence of %s\n", e.Task, e.State, words.Some(e.From, 3))
		}
	case e.State == "different", e.State == "allowed":
		what := a.Page.Red("different")
		if e.State == "allowed" {
			what = "different within the promise (" + e.Promise + ")"
		}
		if e.Threads > 0 {
			what += fmt.Sprintf(" with %s", words.Count(e.Threads, "thread"))
		}
		for _, p := range n.Work.Ports().Out {
			if d := e.Outputs[p.Name].Difference; d != nil {
				fmt.Fprintf(a.Out, "%s.%s: %s: %s\n", e.Task, p.Name, what, d.Text)
				results.PrintDifference(a.Out, d, "    ")
			}
		}
	case a.Verbose:
		fmt.Fprintf(a.Out, "%s: identical\n", e.Task)
	}
}

// conclude prints the outputs that no task takes further, as far as a difference
// could have reached them.
func (a *auditor) conclude(c comparison, reached map[*dag.Node]bool) error {
	ends := proof.Conclusions(c.graph)
	var lines []string
	same := 0
	for _, s := range c.graph.Stages {
		for _, n := range s.Tasks {
			for _, p := range n.Work.Ports().Out {
				if !reached[n] || !slices.Contains(ends[n], p.Name) {
					continue
				}
				o, err := c.output(n, p)
				if err != nil {
					return err
				}
				e := conclusionEvent{Event: "conclusion", Task: n.ID, Output: p.Name, State: "identical"}
				if o.Difference == nil {
					same++
				} else {
					e.State, e.Text = "different", o.Difference.Text
					lines = append(lines, fmt.Sprintf("  %s.%s: %s", n.ID, p.Name, o.Difference.Text))
				}
				if a.JSON {
					a.Object(e)
				}
			}
		}
	}
	if a.JSON || same+len(lines) == 0 {
		return nil
	}
	if len(lines) == 0 {
		fmt.Fprintf(a.Out, "no conclusion changes: %s downstream of the difference that no other task reads %s the same bytes\n", words.Count(same, "output"), map[bool]string{true: "has", false: "have"}[same == 1])
		return nil
	}
	fmt.Fprintf(a.Out, "conclusions change: of %s downstream of the difference that no other task reads, %d differ\n", words.Count(same+len(lines), "output"), len(lines))
	a.Few(a.Out, len(lines), 20, func(i int) { fmt.Fprintln(a.Out, lines[i]) })
	return nil
}
