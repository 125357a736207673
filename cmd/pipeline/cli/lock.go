package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/audit"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag/engine"
	"prgnn/dag/why"
	"prgnn/internal/version"
	"prgnn/internal/words"
	"prgnn/pipelines"
	"prgnn/pipelines/layer"
	"prgnn/pipelines/lock"
	"prgnn/stages/column"
	"prgnn/stages/finding/locked"
	"prgnn/stages/role"
)

func (a *app) lockCommand() *cobra.Command {
	var path string
	var plan bool
	cmd := &cobra.Command{
		Use:   "lock FILE|RUN",
		Short: "record every input and result by digest, for others to repeat",
		Long: `Writes run.lock beside the pipeline file: a text with the pipeline as it was run, the code of its
stages, every input file and every result by digest. Commit it with the pipeline file. Anyone
with the inputs can then repeat the run and compare the results; no result
has to be shared. All results must exist: run first. RUN is the id of an earlier run. The lock of
another pipeline file is only replaced with --replace: with several studies in a directory, name
the lock of each with -o.

With --plan nothing needs to have run. FILE.plan then states every parameter and connection and all
universes, with the time and a digest, to preregister the analysis. It is that of FILE with --set of this
command: settings of the last run are listed, and not in the plan. Give it to the report, as
in: { plan: { file: FILE.plan } }, and the report states what differs from it.`,
		Example: `  pipeline run biopoint.yaml && pipeline lock biopoint.yaml
  pipeline run biopoint.yaml --locked            refuses to run anything else, and compares
  pipeline audit --lock run.lock                 a reviewer runs everything again
  pipeline lock --plan study.yaml                before the results: writes study.plan`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !plan {
				return a.writeLock(args[0], path)
			}
			if results.IsRun(args[0]) {
				return flags.Usage(cmd, "--plan needs a pipeline file, not a run: a plan is locked before its results")
			}
			return a.writePlan(args[0], path)
		},
	}
	a.outputFlags(cmd, &path, "", "write to `PATH` (default: run.lock or FILE.plan beside FILE); - is stdout")
	cmd.Flags().BoolVar(&plan, "plan", false, "lock the plan, before its results")
	a.asRunFlags(cmd)
	return cmd
}

type lockEvent struct {
	Path  string `json:"path"`
	Tasks int    `json:"tasks"`
	Bytes int    `json:"bytes"`
}

func (a *app) writeLock(file, path string) error {
	c, err := a.lookAt(file)
	if err != nil {
		return err
	}
	defer c.Store.Close()
	if path == "" {
		path = filepath.Join(c.Pipeline.Dir, lock.FileName)
	}
	if err := a.MayWrite(path); err != nil {
		return err
	}
	l, err := c.Lock(a.Console)
	if err != nil {
		return err
	}
	text, err := l.Encode()
	if err != nil {
		return err
	}
	what := fmt.Sprintf("the lock of %s (pipeline %s)", l.File, l.Pipeline)
	if err := a.MayReplace(path, what, func(path string) bool {
		was, err := audit.ReadLock(path)
		return err == nil && was.File == l.File && was.Pipeline == l.Pipeline
	}); err != nil {
		return err
	}
	if err := a.WriteTo(path, console.Content(text)); err != nil || path == "-" {
		return err
	}
	if e := (lockEvent{path, len(l.Tasks()), len(text)}); !a.AsJSON("lock", e) {
		a.Note("wrote %s (%s, %s)", path, words.Count(e.Tasks, "task"), console.ByteCount(int64(e.Bytes)))
	}
	return nil
}

// writePlan writes down what the analyses of a file are, as it is written and with --set of this command.
func (a *app) writePlan(file, path string) error {
	pipeline, err := a.load(file, a.sets)
	if err != nil {
		return err
	}
	if path == "" {
		name := filepath.Base(pipeline.File)
		path = filepath.Join(pipeline.Dir, strings.TrimSuffix(name, filepath.Ext(name))+".plan")
	}
	settings, err := pipeline.Settings()
	if err != nil {
		return err
	}
	store, done, err := a.openToLook(pipeline)
	if err != nil {
		return err
	}
	defer done()
	if !a.asWritten {
		a.dropped(file, store)
	}
	steps, err := why.Plan(context.Background(), pipeline.Graph, store, engine.Options{})
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	p := &locked.Plan{Locked: now.Format(time.RFC3339), Program: version.Number}
	if p.Lines, err = locked.Of(settings); err != nil {
		return err
	}
	trained := results.Trained(store, steps, axisOf(pipeline), now)
	for _, s := range steps { // also of runs whose records are gone
		if _, trains := s.Node.Instance().(role.Trainer); trains && s.State == engine.Cached {
			trained[s.Key] = true
		}
	}
	p.Trained = len(trained)
	text := p.Text()
	if was, err := os.ReadFile(path); err == nil && !a.Replace {
		if earlier, err := locked.Read(was); err == nil {
			return exit.Wrongf("%s is the plan that was locked on %s, and a plan counts from its first lock\n"+
				"  write another one with -o PATH, or over this one with --replace", path, earlier.Locked)
		}
	}
	if err := a.MayReplace(path, "a plan", func(string) bool { return false }); err != nil {
		return err
	}
	if err := a.WriteTo(path, console.Content(text)); err != nil || path == "-" {
		return err
	}
	if p, err = locked.Read(text); err != nil {
		return err
	}
	if a.AsJSON("plan-lock", planLockEvent{path, p.Locked, p.Digest, p.Trained}) {
		return nil
	}
	a.Note("wrote %s (%s, SHA-256 %s)", path, p.Locked, p.Digest)
	if p.Trained > 0 {
		a.Warn("%s of these participants %s already been trained, with these or other groups: the report will state this",
			words.Count(p.Trained, "model"), words.Verb(p.Trained, "has", "have"))
	}
	a.Note("publish it with its date, and give it to the report: in: { plan: { file: %s } }", filepath.Base(path))
	return nil
}

// axisOf is the axis of the participants.
func axisOf(p *pipelines.Pipeline) string {
	if p.Roster == nil {
		return column.Subject
	}
	return p.Roster.AxisName()
}

// refuted refuses a plan that states fewer models than the store trained before it was locked, maybe in another store:
// the report would take the plan to be older than the results.
func (a *app) refuted(p *pipelines.Pipeline, store *disk.Store) error {
	for _, s := range p.Graph.Stages() {
		for _, n := range s.Tasks() {
			for _, b := range n.Inputs() {
				_, reports := n.Instance().(role.Reporter)
				if !reports || b.Port != "plan" || len(b.Sources) != 1 || b.Sources[0].File == "" {
					continue
				}
				text, err := os.ReadFile(b.Sources[0].File)
				if err != nil {
					return err
				}
				plan, err := locked.Read(text)
				if err != nil {
					return exit.Wrong(fmt.Errorf("%s: %w", b.Sources[0].Name, err))
				}
				at, err := time.Parse(time.RFC3339, plan.Locked)
				if err != nil {
					return exit.Wrong(fmt.Errorf("%s: its time: %w", b.Sources[0].Name, err))
				}
				steps, err := engine.Plan(context.Background(), p.Graph, store, engine.Options{})
				if err != nil {
					return err
				}
				if models := len(results.Trained(store, steps, axisOf(p), at)); models > plan.Trained {
					return exit.Wrongf("the plan %s states that %s had been trained when it was locked on %s, but this store "+
						"has records of %s of these participants from before that time, so the report would be wrong\n"+
						"  lock a plan that states all of them: %s; or leave out the input plan of %s", b.Sources[0].Name,
						words.Count(plan.Trained, "model"), plan.Locked, words.Count(models, "model"),
						a.Command("lock", "--plan", p.File, "-o", "PATH"), s.Name())
				}
			}
		}
	}
	return nil
}

type planLockEvent struct {
	Path    string `json:"path"`
	Locked  string `json:"locked"`
	Digest  string `json:"sha256"`
	Trained int    `json:"trained"`
}

// A held is a lock that a run is held to.
type held struct {
	path string
	lock *lock.Lock
}

// hold refuses a pipeline that is not the one of the lock, before anything runs.
func (a *app) hold(p *pipelines.Pipeline, store *disk.Store, path string) (*held, error) {
	if path == "" {
		path = filepath.Join(p.Dir, lock.FileName)
	}
	l, err := audit.ReadLock(path)
	if err != nil {
		return nil, err
	}
	place := func(line int) string { return layer.Place(p.File, line) }
	ds, err := l.Before(p.Graph, p.Shared.Text, place, results.Hasher(store))
	if err != nil {
		return nil, err
	}
	if len(ds) == 0 { // with others, keys differ anyhow
		if ds, err = audit.Machines(l, p.Graph, path); err != nil {
			return nil, err
		}
	}
	if err := a.unlocked(path, ds); err != nil {
		if len(l.Sets) > 0 {
			a.Warn("%s was made with %s", path, strings.Join(results.WithSets(nil, l.Sets), " "))
		}
		fmt.Fprintln(a.Stderr, "nothing was run. If the change is intended: pipeline run without --locked, then pipeline lock")
		return nil, err
	}
	return &held{path, l}, nil
}

// unlocked prints in what something is not that of a lock.
func (a *app) unlocked(path string, ds []lock.Difference) error {
	audit.PrintUnlocked(a.Console, a.Stderr, ds, 20, func() { a.Complain(fmt.Sprintf("this differs from %s:", path)) })
	if len(ds) > 0 {
		return &exit.Error{Code: exit.Failed}
	}
	return nil
}

// compareHeld holds what a run gave against the lock.
func (a *app) compareHeld(h *held, r *engine.Result) error {
	if h == nil {
		return nil
	}
	var ds []lock.Difference
	for t := range h.lock.All() {
		out, ran := r.Outputs[t.ID]
		for _, was := range t.Outputs {
			if now := out.Of(was.Name); ran && now.Digest != was.Digest {
				ds = append(ds, lock.Difference{Place: t.ID + "." + was.Name, Lock: was.Digest.String()[:12],
					Now: now.Digest.String()[:12]})
			}
		}
	}
	if err := a.unlocked(h.path, ds); err != nil {
		a.Warn("pipeline audit --lock %s shows where it starts, and by how much", h.path)
		return err
	}
	a.Note("all results are identical to those of %s", h.path)
	return nil
}
