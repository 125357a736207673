package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/audit"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag/engine"
	"prgnn/internal/words"
	"prgnn/pipelines"
	"prgnn/pipelines/layer"
	"prgnn/pipelines/lock"
)

func (a *app) lockCommand() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "lock FILE|RUN",
		Short: "record every input and result by digest, for others to repeat",
		Long: `Writes run.lock beside the pipeline file: a text with the pipeline as it was run, the code of its
stages, every input file and every result by digest. Commit it with the pipeline file. Anyone
with the inputs can then repeat the run and compare the results; no result
has to be shared. All results must exist: run first. RUN is the id of an earlier run. The lock of
another pipeline file is only replaced with --replace: with several studies in a directory, name
the lock of each with -o.`,
		Example: `  pipeline run biopoint.yaml && pipeline lock biopoint.yaml
  pipeline run biopoint.yaml --locked            refuses to run anything else, and compares
  pipeline audit --lock run.lock                 a reviewer runs everything again`,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.writeLock(args[0], path)
		},
	}
	a.outputFlags(cmd, &path, "", "write to `PATH` (default: run.lock beside FILE); - is stdout")
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
			a.Warn("%s was made with --set %s", path, strings.Join(l.Sets, " --set "))
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
