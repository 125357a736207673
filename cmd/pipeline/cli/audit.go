package cli

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/workdir"
	"prgnn/pipelines/compare"
	"prgnn/pipelines/proof"
)

func (a *app) auditCommand() *cobra.Command {
	var au audit
	cmd := &cobra.Command{
		Use:   "audit [FILE]",
		Short: "run again from scratch elsewhere, and compare bit for bit",
		Long: `Runs again, in an empty place, and compares what comes out with what is stored, bit for bit:

audit FILE           every task that has a result, each by itself on its stored inputs, so that a
                     difference shows where it begins; then what depends on those that differ,
                     to see whether conclusions change
--from-inputs        everything from your files on, with nothing that is stored: what a task makes
                     is what the next ones take, and results that gc has freed are audited too
audit --lock LOCK    the same against the digests of a lock: what a reviewer does with a lock, the
                     data and this program
--fetched            only the tasks whose results were fetched from a remote. When one differs, the
                     fetched results are removed from the store: the next run computes them
--against PLACE      nothing is run: results are compared with those of another store, or of a lock
                     or statement from another machine; may be repeated

Each task is run with one thread and again with several. Where results differ it is said where
that begins in the graph, in which cells, by how many units in the last place and by which
relative error. A kind promises the same bits unless it says otherwise (exec: promise); what
stays within its promise is told, and is no fault. Without --fetched nothing stored is changed.
Exit code 1 when anything differs.`,
		Example: `  pipeline audit biopoint.yaml
  pipeline audit biopoint.yaml --stage connectivity
  pipeline audit biopoint.yaml --sample 0.1          a tenth of the tasks, chosen by --seed
  pipeline audit biopoint.yaml --fetched --sample 0.05
  pipeline audit biopoint.yaml --from-inputs --threads 1,8
  pipeline audit --lock run.lock --set data=DIR
  pipeline audit biopoint.yaml --against colleague/.pipeline --against arm64.lock`,
		Args:              between(0, 1),
		ValidArgsFunction: completeFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case !(au.sample > 0 && au.sample <= 1):
				return usage(cmd, "--sample must be above 0 and at most 1")
			case slices.ContainsFunc(au.threads, func(n int) bool { return n < 1 }) || len(au.threads) == 0:
				return usage(cmd, "--threads takes numbers of at least 1, such as 1,4")
			case len(args) == 1 && au.lock != "":
				return usage(cmd, "FILE and --lock exclude each other: the lock holds the pipeline")
			case len(args) == 0 && au.lock == "":
				return usage(cmd, "FILE is missing, or --lock LOCK")
			case len(au.against) > 0 && au.sample < 1:
				return usage(cmd, "--sample is for tasks that are run again: without --against")
			case au.fetched && (au.inputs || au.lock != "" || len(au.against) > 0):
				return usage(cmd, "--fetched goes with FILE alone")
			case au.inputs && (au.lock != "" || len(au.against) > 0):
				return usage(cmd, "--from-inputs goes with FILE alone: --lock begins at the inputs anyway, and --against runs nothing")
			}
			if len(args) == 1 {
				au.file = args[0]
			}
			if au.fetched && !cmd.Flags().Changed("seed") {
				au.seed = rand.Uint64() // nobody who changes a remote shall know the sample
			}
			switch {
			case len(au.against) > 0:
				return a.auditAgainst(au)
			case au.lock != "":
				return a.auditLock(au)
			case au.inputs:
				return a.auditFromInputs(au)
			}
			return a.auditAlone(au)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVar(&au.stages, "stage", nil, "audit only this `STAGE` or task; may be repeated")
	f.BoolVar(&au.inputs, "from-inputs", false, "begin at your files and read nothing that is stored")
	f.BoolVar(&au.fetched, "fetched", false, "audit only results that were fetched from a remote")
	f.Float64Var(&au.sample, "sample", 1, "audit this share `P` of the tasks (and run what they need)")
	f.Uint64Var(&au.seed, "seed", 0, "`N` that chooses the sample (with --fetched: a random one)")
	f.IntSliceVar(&au.threads, "threads", []int{1, 4}, "run each task once for each of these `NUMBERS` of threads")
	f.VarP(positive{&au.workers}, "jobs", "j", "run at most `N` tasks at once (default: one for each CPU)")
	f.BoolVar(&au.downstream, "downstream", true, "also run what depends on a task that differs")
	f.StringVar(&au.lock, "lock", "", "run everything that `LOCK` describes, and compare with it")
	f.StringArrayVar(&au.against, "against", nil, "compare with the results of `PLACE`: a store, a lock or a statement")
	f.StringVar(&au.signedBy, "signed-by", "", "with --against: statements must be signed by the public key in `FILE`")
	f.StringVar(&au.keep, "keep", "", "keep what was run again as a store in `DIR`")
	setFlag(cmd, &au.sets)
	return cmd
}

type audit struct {
	file, lock, keep      string
	signedBy              string
	sets, stages, against []string
	sample                float64
	seed                  uint64
	workers               int
	threads               []int
	downstream            bool
	inputs, fetched       bool
}

// An auditedEvent is one task that was run again.
type auditedEvent struct {
	Event   string                   `json:"event"` // "audited"
	Task    string                   `json:"task"`
	Stage   string                   `json:"stage"`
	State   string                   `json:"state"`             // identical, different, allowed (within what its kind promises), failed, absent
	Promise string                   `json:"promise,omitempty"` // of one that differs
	Threads int                      `json:"threads,omitempty"` // with how many it differs
	From    []string                 `json:"from,omitempty"`    // the tasks in which the difference begins, when it does not begin here
	Outputs map[string]auditedOutput `json:"outputs,omitempty"`
	Error   string                   `json:"error,omitempty"`
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
	Skipped   int    `json:"skipped"` // without a stored result, or without stored inputs
}

func (s *auditEvent) add(state string) {
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

// end prints the last line, and gives the exit code.
func (a *app) endAudit(sum auditEvent) error {
	if a.json {
		a.object(sum)
	} else {
		fmt.Fprintf(a.out, "audit: %s: %d identical, %d different", count(sum.Tasks, "task"), sum.Identical, sum.Different)
		if sum.Allowed > 0 {
			fmt.Fprintf(a.out, ", %d different within what is promised", sum.Allowed)
		}
		if sum.Failed > 0 {
			fmt.Fprintf(a.out, ", %d failed", sum.Failed)
		}
		fmt.Fprintln(a.out)
		if sum.Skipped > 0 {
			a.note("%s could not be audited: their results or inputs are not stored", count(sum.Skipped, "more task"))
		}
	}
	if sum.Different+sum.Failed > 0 {
		return &exit{code: exitFailed}
	}
	return nil
}

// A cleanRoom is an empty place to run in.
type cleanRoom struct {
	a      *app
	dir    *workdir.Dir
	keep   string
	stores []*artifacts.Store
}

// auditRooms begins the names of clean rooms.
const auditRooms = ".pipeline-audit-"

// cleanRoom makes one, on the file system of a directory.
func (a *app) cleanRoom(beside, keep string) (*cleanRoom, error) {
	if keep != "" {
		if entries, err := os.ReadDir(keep); err == nil && len(entries) > 0 {
			return nil, wrongf("%s is not empty: --keep takes a new directory", keep)
		}
	}
	dir, err := workdir.Make(beside, auditRooms)
	if err != nil {
		return nil, fmt.Errorf("an audit needs a place to work in: %w", err)
	}
	return &cleanRoom{a: a, dir: dir, keep: keep}, nil
}

func (r *cleanRoom) close() {
	for _, s := range r.stores {
		s.Close()
	}
	r.dir.Remove()
}

// open makes an empty store. The first one is the one that is kept.
func (r *cleanRoom) open() (*artifacts.Store, error) {
	dir := filepath.Join(r.dir.Path, fmt.Sprint(len(r.stores)))
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
func (r *cleanRoom) run(g *dag.Graph, o dag.Options) (*artifacts.Store, *dag.Result, error) {
	clean, err := r.open()
	if err != nil {
		return nil, nil, err
	}
	result, err := r.runIn(clean, g, o)
	return clean, result, err
}

func (r *cleanRoom) runIn(clean *artifacts.Store, g *dag.Graph, o dag.Options) (*dag.Result, error) {
	a := r.a
	shown := a.progressFor(g, clean, o)
	if a.json {
		shown = silent{a} // its tasks are told as audited
	}
	ctx, done := interruptible(shown.say)
	defer done()
	o.Progress = shown.event
	result, err := dag.Run(ctx, g, clean, o)
	shown.close()
	if err != nil && ctx.Err() != nil {
		fmt.Fprintln(a.stderr, "interrupted; an audit keeps nothing, so it begins anew next time")
		err = &exit{code: exitInterrupted}
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
	before, after := c.stored.Tasks[n.ID].Outputs[p.Name], c.again.Tasks[n.ID].Outputs[p.Name]
	o := auditedOutput{Stored: before.Digest.String(), Again: after.Digest.String()}
	if before.Digest == after.Digest {
		return o, nil
	}
	for _, side := range []struct {
		r   proof.Results
		ref artifacts.Ref
	}{{c.stored, before}, {c.again, after}} {
		if side.r.Store == nil || !side.r.Store.Has(side.ref) {
			o.Difference = &compare.Difference{Kind: "bytes", Text: fmt.Sprintf("other bytes; how far apart cannot be said, since those of %s are not here", cmp.Or(side.r.Name, "one side"))}
			return o, nil
		}
	}
	var err error
	o.Difference, err = differenceOf(c.stored.Store, before, c.again.Store, after, p.Type)
	return o, err
}

// task compares one task in which a difference may begin.
func (c comparison) task(n *dag.Node) (auditedEvent, error) {
	e := auditedEvent{Event: "audited", Task: n.ID, Stage: n.Stage.Name, State: "identical", Outputs: map[string]auditedOutput{}}
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

// keeps tells whether a difference stays within a promise.
func keeps(p dag.Promise, d *compare.Difference) bool {
	return p.Nothing || p.Tolerance > 0 && (d.Kind == "values" && !d.Other && d.MaxRel <= p.Tolerance)
}

// audited prints what became of one task.
func (a *app) audited(e auditedEvent, n *dag.Node) {
	if a.json {
		a.object(e)
		return
	}
	switch {
	case e.State == "failed":
		fmt.Fprintf(a.out, "%s: %s: %s\n", e.Task, a.page.red("failed"), e.Error)
	case e.State == "absent":
		fmt.Fprintf(a.out, "%s: %s\n", e.Task, e.Error)
	case e.From != nil:
		if a.verbose {
			fmt.Fprintf(a.out, "%s: %s, which follows from %s\n", e.Task, e.State, some(e.From, 3))
		}
	case e.State == "different", e.State == "allowed":
		what := a.page.red("different")
		if e.State == "allowed" {
			what = "different, as may be (it promises " + e.Promise + ")"
		}
		if e.Threads > 0 {
			what += fmt.Sprintf(" with %s", count(e.Threads, "thread"))
		}
		for _, p := range n.Work.Ports().Out {
			if d := e.Outputs[p.Name].Difference; d != nil {
				fmt.Fprintf(a.out, "%s.%s: %s: %s\n", e.Task, p.Name, what, d.Text)
				printDifference(a.out, d, "    ")
			}
		}
	case a.verbose:
		fmt.Fprintf(a.out, "%s: identical\n", e.Task)
	}
}

// conclude prints the outputs that no task takes further, as far as a difference
// could have reached them.
func (a *app) conclude(c comparison, reached map[*dag.Node]bool) error {
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
				if a.json {
					a.object(e)
				}
			}
		}
	}
	if a.json || same+len(lines) == 0 {
		return nil
	}
	if len(lines) == 0 {
		fmt.Fprintf(a.out, "no conclusion changes: %s that nothing takes further, downstream of what differs, %s the same bytes\n", count(same, "output"), map[bool]string{true: "has", false: "have"}[same == 1])
		return nil
	}
	fmt.Fprintf(a.out, "conclusions change: of %s that nothing takes further, downstream of what differs, %d differ\n", count(same+len(lines), "output"), len(lines))
	const most = 20
	for i, line := range lines {
		if i == most && !a.verbose {
			fmt.Fprintf(a.out, "  … and %d more; -v shows all of them\n", len(lines)-most)
			break
		}
		fmt.Fprintln(a.out, line)
	}
	return nil
}
