package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/progress"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/dag/record"
	"prgnn/internal/regular"
	"prgnn/internal/words"
)

func (a *app) logCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "log FILE|RUN TASK",
		Short: "the log of a task: notes, output of its command, error",
		Long: `Prints the log of a task: of its present result, or else of its last run. With a RUN: of that run.
A pattern names several tasks, and each log gets a heading. The logs are text files in the store
(logs/), named by the key of the work; gc removes those of old work.`,
		Example: `  pipeline log biopoint.yaml 'train[fold=2]'
  pipeline log biopoint.yaml train
  pipeline log 3f2a 'connectivity[sub-003]'`,
		RunE: func(_ *cobra.Command, args []string) error {
			if results.IsRun(args[0]) {
				return a.logOfRun(args[0], args[1])
			}
			return a.logOfFile(args[0], args[1])
		},
	}
	a.asRunFlags(cmd)
	return cmd
}

type logEvent struct {
	Task string `json:"task"`
	Key  string `json:"key,omitempty"`
	Path string `json:"path,omitempty"`
	Text string `json:"text"`
}

// A taskKey is a task, the key of its log, and whether the task has run; before is for one that has not run as it is
// now, but in an earlier run.
type taskKey struct {
	task        string
	key         artifacts.Key
	ran, before bool
}

func (a *app) logOfFile(file, pattern string) error {
	c, err := a.look(file)
	if err != nil {
		return err
	}
	defer c.Store.Close()
	nodes, err := c.Pipeline.Graph.Select(pattern)
	if err != nil {
		return exit.Wrong(fmt.Errorf("%s: %w", file, err))
	}
	last := record.LastKeys(c.Pipeline.Graph, c.Store)
	var tasks []taskKey
	for _, n := range nodes {
		t := taskKey{n.ID(), c.Steps[n].Key, c.Steps[n].State == engine.Cached, false}
		if _, err := os.Stat(c.Store.Work.LogPath(t.key)); err != nil && !t.ran {
			t.key, t.ran = last[n.ID()] // its present work has no result and no log
			t.before = t.ran
		}
		tasks = append(tasks, t)
	}
	return a.logs(c.Store, tasks)
}

func (a *app) logOfRun(id, pattern string) error {
	r, store, err := a.openRun(id)
	if err != nil {
		return err
	}
	defer store.Close()
	var tasks []taskKey
	var stages, ids []string
	for _, t := range r.Tasks {
		if stage := dag.StageOf(t.ID); !slices.Contains(stages, stage) {
			stages = append(stages, stage)
		}
		ids = append(ids, t.ID)
		if t.ID == pattern || dag.StageOf(t.ID) == pattern {
			tasks = append(tasks, taskKey{t.ID, t.Key, t.State == engine.Ran || t.State == engine.Cached ||
				t.State == engine.Failed, false})
		}
	}
	if tasks == nil {
		return exit.Wrongf("run %s has no task %q%s", r.ID, pattern, words.DidYouMean(pattern, append(stages, ids...)))
	}
	return a.logs(store, tasks)
}

func (a *app) logs(store *disk.Store, tasks []taskKey) error {
	var before []string
	silent := map[bool][]string{} // tasks without a log, by whether they have run
	for _, t := range tasks {
		if t.before {
			before = append(before, t.task)
		}
		path := store.Work.LogPath(t.key)
		f, err := regular.Open(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if a.JSON {
			e := logEvent{Task: t.task, Key: progress.KeyText(t.key)}
			if f != nil {
				text, err := io.ReadAll(f)
				f.Close()
				if err != nil {
					return err
				}
				e.Path, e.Text = path, string(text)
			}
			a.Object("log", e)
			continue
		}
		if f == nil {
			silent[t.ran] = append(silent[t.ran], t.task)
			continue
		}
		if len(tasks) > 1 {
			fmt.Fprintf(a.Out, "%s\n", a.Page.Bold(t.task))
		}
		_, err = io.Copy(a.Out, f)
		f.Close()
		if err != nil {
			return err
		}
		if len(tasks) > 1 {
			fmt.Fprintln(a.Out)
		}
	}
	if before != nil {
		a.Warn("%s: not run as it is now; the log is of an earlier run", words.Some(before, 4))
	}
	if names := silent[true]; names != nil {
		a.Note("%s: ran without messages", words.Some(names, 4))
	}
	if names := silent[false]; names != nil {
		a.Note("%s: not run yet", words.Some(names, 4))
	}
	return nil
}
