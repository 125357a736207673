package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"prgnn/artifacts"
	"prgnn/dag"
)

func (a *app) auditCommand() *cobra.Command {
	var au audit
	cmd := &cobra.Command{
		Use:   "audit FILE",
		Short: "run again from scratch elsewhere, and compare bit for bit",
		Long: `Runs every task that has a result again, from the same inputs, in an empty place, and compares
what comes out with what is stored, bit for bit. Where they differ it says by how much: which
cells, how many units in the last place, which relative error. Nothing stored is changed.
Exit code 1 when anything differs.`,
		Example: `  pipeline audit biopoint.yaml
  pipeline audit biopoint.yaml --stage connectivity
  pipeline audit biopoint.yaml --sample 0.1          a tenth of the tasks, chosen by --seed`,
		Args:              exactly(1),
		ValidArgsFunction: completeFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !(au.sample > 0 && au.sample <= 1) {
				return usage(cmd, "--sample must be above 0 and at most 1")
			}
			return a.audit(args[0], au)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&au.stages, "stage", nil, "audit only this `STAGE` or task; may be repeated")
	f.Float64Var(&au.sample, "sample", 1, "audit this share `P` of the tasks")
	f.Uint64Var(&au.seed, "seed", 0, "`N` that chooses the sample")
	f.VarP(positive{&au.workers}, "jobs", "j", "run at most `N` tasks at once (default: one for each CPU)")
	setFlag(cmd, &au.sets)
	return cmd
}

type audit struct {
	sets, stages []string
	sample       float64
	seed         uint64
	workers      int
}

// An auditedEvent is one task that was run again.
type auditedEvent struct {
	Event   string                   `json:"event"` // "audited"
	Task    string                   `json:"task"`
	Stage   string                   `json:"stage"`
	State   string                   `json:"state"` // identical, different, failed
	Outputs map[string]auditedOutput `json:"outputs,omitempty"`
	Error   string                   `json:"error,omitempty"`
}

type auditedOutput struct {
	Stored     string      `json:"stored"` // digests
	Again      string      `json:"again"`
	Difference *difference `json:"difference,omitempty"`
}

type auditEvent struct {
	Event     string `json:"event"` // "audit"
	Tasks     int    `json:"tasks"`
	Identical int    `json:"identical"`
	Different int    `json:"different"`
	Failed    int    `json:"failed"`
	Skipped   int    `json:"skipped"` // without a stored result, or without stored inputs
}

func (a *app) audit(file string, au audit) error {
	c, err := a.look(file, au.sets)
	if err != nil {
		return err
	}
	defer c.store.Close()
	tasks, skipped, err := c.toAudit(au)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(c.store.Dir()), ".pipeline-audit-*")
	if err != nil {
		return fmt.Errorf("an audit needs a place to work in: %w", err)
	}
	defer os.RemoveAll(dir)
	clean, err := artifacts.Open(dir)
	if err != nil {
		return err
	}
	defer clean.Close()

	g := c.apart(tasks)
	shown := a.progressFor(g, c.store, dag.Options{})
	if a.json {
		shown = silent{a} // its tasks are told as audited
	}
	ctx, done := interruptible(shown.say)
	defer done()
	result, err := dag.Run(ctx, g, clean, dag.Options{Workers: au.workers, Progress: shown.event})
	shown.close()
	if err != nil {
		if ctx.Err() != nil {
			fmt.Fprintln(a.stderr, "interrupted; an audit keeps nothing, so it begins anew next time")
			return &exit{code: exitInterrupted}
		}
		return err
	}
	return a.compareAudit(c, clean, tasks, result, skipped)
}

// toAudit chooses the tasks that can be run again: those with a stored result
// whose inputs are stored too.
func (c *current) toAudit(au audit) (tasks []*dag.Node, skipped int, err error) {
	g := c.pipeline.Graph
	var all []*dag.Node
	if len(au.stages) > 0 {
		if all, err = g.Select(au.stages...); err != nil {
			return nil, 0, wrong(err)
		}
	} else {
		for _, s := range g.Stages {
			all = append(all, s.Tasks...)
		}
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
		return nil, 0, fmt.Errorf("there is nothing to audit: no task of %d has a stored result with stored inputs\n  pipeline run %s makes them", len(all), c.pipeline.File)
	}
	if n := int(math.Ceil(au.sample*float64(len(tasks)) - 1e-9)); n < len(tasks) {
		tasks = sample(tasks, n, au.seed)
	}
	return tasks, skipped, nil
}

func (c *current) inputsStored(n *dag.Node) bool {
	for _, b := range n.Inputs {
		for _, s := range b.Sources {
			if s.Node != nil && !c.store.Has(c.steps[s.Node].Outputs[s.Output]) {
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

// apart is a graph of these tasks alone, each reading the stored bytes of what it
// needs as a file. Inputs enter a key by content, so the keys stay what they are,
// and a difference shows where it arises and not in all that follows.
func (c *current) apart(tasks []*dag.Node) *dag.Graph {
	g := &dag.Graph{Name: c.pipeline.Graph.Name, File: c.pipeline.Graph.File, Source: c.pipeline.Graph.Source}
	stageOf := map[*dag.StageNode]*dag.StageNode{}
	for _, n := range tasks {
		s := stageOf[n.Stage]
		if s == nil {
			s = &dag.StageNode{Name: n.Stage.Name, Kind: n.Stage.Kind, Pos: n.Stage.Pos, Axes: n.Stage.Axes}
			stageOf[n.Stage] = s
			g.Stages = append(g.Stages, s)
		}
		alone := &dag.Node{ID: n.ID, Stage: s, Coords: n.Coords, Work: n.Work, Problem: n.Problem}
		for _, b := range n.Inputs {
			binding := dag.Binding{Port: b.Port}
			for _, src := range b.Sources {
				if src.Node != nil {
					ref := c.steps[src.Node].Outputs[src.Output]
					src = dag.Source{Coords: src.Coords, File: c.store.BlobPath(ref.Digest), Format: ref.Format}
				}
				binding.Sources = append(binding.Sources, src)
			}
			alone.Inputs = append(alone.Inputs, binding)
		}
		s.Tasks = append(s.Tasks, alone)
	}
	return g
}

// compareAudit holds what came out against what is stored, and prints it.
func (a *app) compareAudit(c *current, clean *artifacts.Store, tasks []*dag.Node, result *dag.Result, skipped int) error {
	sum := auditEvent{Event: "audit", Tasks: len(tasks), Skipped: skipped}
	failed := map[string]error{}
	for _, e := range result.Errors {
		failed[e.Task] = e.Err
	}
	for _, n := range tasks {
		e := auditedEvent{Event: "audited", Task: n.ID, Stage: n.Stage.Name, State: "identical"}
		if err := failed[n.ID]; err != nil {
			e.State, e.Error = "failed", err.Error()
			sum.Failed++
		} else {
			e.Outputs = map[string]auditedOutput{}
			for _, p := range n.Work.Ports().Out {
				before, after := c.ref(n, p.Name), result.Outputs[n.ID][p.Name]
				o := auditedOutput{Stored: before.Digest.String(), Again: after.Digest.String()}
				if before.Digest != after.Digest {
					d, err := differenceOf(c.store, before, clean, after, p.Type)
					if err != nil {
						return err
					}
					o.Difference, e.State = d, "different"
				}
				e.Outputs[p.Name] = o
			}
			if e.State == "different" {
				sum.Different++
			} else {
				sum.Identical++
			}
		}
		a.audited(e, n)
	}
	if a.json {
		a.object(sum)
	} else {
		fmt.Fprintf(a.out, "audit: %s: %d identical, %d different", count(sum.Tasks, "task"), sum.Identical, sum.Different)
		if sum.Failed > 0 {
			fmt.Fprintf(a.out, ", %d failed", sum.Failed)
		}
		fmt.Fprintln(a.out)
		if skipped > 0 {
			a.note("%s could not be audited: their results or inputs are not stored", count(skipped, "more task"))
		}
	}
	if sum.Different+sum.Failed > 0 {
		return &exit{code: exitFailed}
	}
	return nil
}

func (a *app) audited(e auditedEvent, n *dag.Node) {
	if a.json {
		a.object(e)
		return
	}
	switch {
	case e.State == "failed":
		fmt.Fprintf(a.out, "%s: %s: %s\n", e.Task, a.page.red("failed"), e.Error)
	case e.State == "different":
		for _, p := range n.Work.Ports().Out {
			if d := e.Outputs[p.Name].Difference; d != nil {
				fmt.Fprintf(a.out, "%s.%s: %s: %s\n", e.Task, p.Name, a.page.red("different"), d.Text)
				d.print(a.out, "    ")
			}
		}
	case a.verbose:
		fmt.Fprintf(a.out, "%s: identical\n", e.Task)
	}
}

// differenceOf reads two artifacts of one port and compares them. Bytes may
// differ where contents do not (another version of a library); that is said too.
func differenceOf(s1 *artifacts.Store, r1 artifacts.Ref, s2 *artifacts.Store, r2 artifacts.Ref, typ dag.Type) (*difference, error) {
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
	return &difference{Kind: "bytes", Text: "the values are the same, the bytes around them differ"}, nil
}
