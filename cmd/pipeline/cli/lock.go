package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/pipelines"
	"prgnn/pipelines/lock"
)

// lockFile is the name of a lock beside its pipeline file.
const lockFile = "run.lock"

func (a *app) lockCommand() *cobra.Command {
	var sets []string
	var path string
	cmd := &cobra.Command{
		Use:   "lock FILE|RUN",
		Short: "write down every result, to be repeated by others",
		Long: `Writes run.lock beside the pipeline file: a text with the pipeline as it was run, the code of its
stages, every input file and every result by digest. Commit it with the pipeline file. Then
anybody who has the inputs can repeat the whole and see whether the same came out; no result
has to be sent along. All results must be there: run first. RUN is a past run, by its id.`,
		Example: `  pipeline run biopoint.yaml && pipeline lock biopoint.yaml
  pipeline run biopoint.yaml --locked            refuses to run anything else, and compares
  pipeline audit --lock run.lock                 a reviewer runs everything again`,
		Args:              exactly(1),
		ValidArgsFunction: completeFile,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.writeLock(args[0], sets, path)
		},
	}
	cmd.Flags().StringVarP(&path, "output", "o", "", "write to `PATH` (default: run.lock beside FILE); - is stdout")
	setFlag(cmd, &sets)
	return cmd
}

type lockEvent struct {
	Event string `json:"event"` // "lock"
	Path  string `json:"path"`
	Tasks int    `json:"tasks"`
	Bytes int    `json:"bytes"`
}

func (a *app) writeLock(file string, sets []string, path string) error {
	c, err := a.lookAt(file, sets)
	if err != nil {
		return err
	}
	defer c.store.Close()
	l, err := c.lock()
	if err != nil {
		return err
	}
	text, err := l.Encode()
	if err != nil {
		return err
	}
	if path == "" {
		path = filepath.Join(c.pipeline.Dir, lockFile)
	}
	if path == "-" {
		return a.bytes(func(w io.Writer) error { _, err := w.Write(text); return err })
	}
	if err := os.WriteFile(path, text, 0o666); err != nil {
		return err
	}
	if e := (lockEvent{"lock", path, len(l.Tasks()), len(text)}); a.json {
		a.object(e)
	} else {
		a.note("wrote %s (%s, %s)", path, count(e.Tasks, "task"), byteCount(int64(e.Bytes)))
	}
	return nil
}

// lock writes down what the store holds for the pipeline now.
func (c *current) lock() (*lock.Lock, error) {
	var steps []dag.Step
	for _, s := range c.pipeline.Graph.Stages {
		for _, n := range s.Tasks {
			if step := c.steps[n]; step != nil {
				steps = append(steps, *step)
			}
		}
	}
	return lock.Of(c.pipeline, steps, hasher(c.store))
}

// hasher digests files of the user's as runs do.
func hasher(s *artifacts.Store) func(string) (artifacts.Ref, error) {
	return func(path string) (artifacts.Ref, error) { return s.HashFile(path, false) }
}

// readLock reads a lock from a file.
func readLock(path string) (*lock.Lock, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, wrongf("there is no lock %s; pipeline lock FILE writes one", path)
	}
	if err != nil {
		return nil, err
	}
	l, err := lock.Parse(text)
	if err != nil {
		return nil, wrong(fmt.Errorf("%s: %w", path, err))
	}
	return l, nil
}

// A held is a lock that a run is held to.
type held struct {
	path string
	lock *lock.Lock
}

type unlockedEvent struct {
	Event string `json:"event"` // "unlocked": one fact that is not that of the lock
	Place string `json:"place"`
	Lock  string `json:"lock"`
	Now   string `json:"now"`
}

// hold refuses a pipeline that is not the one of the lock, before anything runs.
func (a *app) hold(p *pipelines.Pipeline, store *artifacts.Store, path string) (*held, error) {
	if path == "" {
		path = filepath.Join(p.Dir, lockFile)
	}
	l, err := readLock(path)
	if err != nil {
		return nil, err
	}
	ds, err := l.Before(p.Graph, p.Shared.Text, hasher(store))
	if err != nil {
		return nil, err
	}
	if err := a.unlocked(path, ds); err != nil {
		fmt.Fprintln(a.stderr, "nothing was run. If the change is meant: pipeline run without --locked, then pipeline lock")
		return nil, err
	}
	return &held{path, l}, nil
}

// unlocked prints in what something is not that of a lock.
func (a *app) unlocked(path string, ds []lock.Difference) error {
	const most = 20
	for i, d := range ds {
		switch {
		case a.json:
			a.object(unlockedEvent{"unlocked", d.Place, d.Lock, d.Now})
		case i == most && !a.verbose:
			fmt.Fprintf(a.stderr, "  … and %d more; -v shows all of them\n", len(ds)-most)
		case i < most || a.verbose:
			if i == 0 {
				a.complain(fmt.Sprintf("this is not what %s has:", path))
			}
			fmt.Fprintf(a.stderr, "  %s\n", d)
		}
	}
	if len(ds) > 0 {
		return &exit{code: exitFailed}
	}
	return nil
}

// compareHeld holds what a run gave against the lock.
func (a *app) compareHeld(h *held, r *dag.Result) error {
	if h == nil {
		return nil
	}
	var ds []lock.Difference
	for _, s := range h.lock.Stages {
		for _, t := range s.Tasks {
			out, ran := r.Outputs[t.ID]
			for _, name := range slices.Sorted(maps.Keys(t.Outputs)) {
				was, now := t.Outputs[name], out[name]
				if ran && now.Digest != was.Digest {
					ds = append(ds, lock.Difference{Place: t.ID + "." + name, Lock: was.Digest.String()[:12], Now: now.Digest.String()[:12]})
				}
			}
		}
	}
	if err := a.unlocked(h.path, ds); err != nil {
		fmt.Fprintf(a.stderr, "pipeline audit --lock %s tells where it starts, and by how much\n", h.path)
		return err
	}
	a.note("all results are those of %s", h.path)
	return nil
}
