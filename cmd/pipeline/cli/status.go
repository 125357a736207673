package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/dag/cluster"
	"prgnn/dag/engine"
	"prgnn/internal/lists"
	"prgnn/internal/regular"
	"prgnn/internal/words"
)

func (a *app) statusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status FILE",
		Short: "progress of a run on a cluster or in the background",
		Long: `Prints for each stage how many tasks are done, and how many tasks a cluster has, pending and
running. Nothing is run or changed.`,
		Example: `  pipeline run biopoint.yaml --executor slurm --detach
  pipeline status biopoint.yaml`,
		RunE: func(_ *cobra.Command, args []string) error { return a.status(args[0]) },
	}
	a.asRunFlags(cmd)
	return cmd
}

// A statusEvent is how far one stage is.
type statusEvent struct {
	Stage   string `json:"stage"`
	Tasks   int    `json:"tasks"`
	Done    int    `json:"done"`
	Waiting int    `json:"waiting"` // in Slurm's queue
	Running int    `json:"running"` // on its machines
	Note    string `json:"note,omitempty"`
}

func (a *app) status(file string) error {
	c, err := a.look(file)
	if err != nil {
		return err
	}
	defer c.Store.Close()
	where, err := cluster.Status(context.Background(), c.Store)
	if err != nil && !errors.Is(err, cluster.ErrAbsent) {
		a.Note("Slurm does not answer: %v", err)
	}
	g := console.Grid{Wide: a.Wide()}
	done, all := 0, 0
	// The tables and the files of a cohort are one stage.
	stages := lists.By(c.Pipeline.Graph.Stages(), func(s *dag.StageNode) string { return s.Name() })
	for _, of := range stages {
		e := stageStatus(c, of.Key, of.All, where)
		done += e.Done
		all += e.Tasks
		if a.AsJSON("status", e) {
			continue
		}
		g.Add(e.Stage, fmt.Sprintf("%d of %d", e.Done, e.Tasks), e.words())
	}
	if a.JSON {
		return nil
	}
	g.Print(a.Out)
	fmt.Fprintf(a.Out, "status: %d of %s done\n", done, words.Count(all, "task"))
	if pid, log := background(c.Store); pid != 0 {
		fmt.Fprintf(a.Out, "a run is in progress in the background: process %d, %s\n", pid, log)
	}
	return nil
}

func stageStatus(c *results.Current, name string, parts []*dag.StageNode, where map[artifacts.Key]string) statusEvent {
	var tasks []*dag.Node
	for _, s := range parts {
		tasks = append(tasks, s.Tasks()...)
	}
	e := statusEvent{Stage: name, Tasks: len(tasks)}
	for _, n := range tasks {
		step := c.Steps[n]
		if step == nil {
			continue
		}
		state, inSlurm := where[step.Key]
		switch {
		case step.State == engine.Cached:
			e.Done++
		case !inSlurm || step.Key == (artifacts.Key{}):
		case strings.HasPrefix(state, "pending"):
			e.Waiting++
			e.Note = strings.TrimPrefix(strings.TrimPrefix(state, "pending"), ": ")
		default:
			e.Running++
		}
	}
	return e
}

func (e statusEvent) words() string {
	var words []string
	if e.Running > 0 {
		words = append(words, fmt.Sprintf("%d running", e.Running))
	}
	if e.Waiting > 0 {
		text := fmt.Sprintf("%d waiting", e.Waiting)
		if e.Note != "" {
			text += " (" + e.Note + ")"
		}
		words = append(words, text)
	}
	return strings.Join(words, ", ")
}

// A run in the background writes into the store what it would show.
func backgroundLog(s string) string { return filepath.Join(s, "cluster", "run.log") }

func backgroundPID(s string) string { return filepath.Join(s, "cluster", "run.pid") }

// background finds a run that --detach began and that is still going on.
func background(s *disk.Store) (pid int, log string) {
	b, err := regular.ReadFile(backgroundPID(s.Dir()))
	if err != nil {
		return 0, ""
	}
	if _, err := fmt.Sscan(string(b), &pid); err != nil || !alive(pid) {
		return 0, ""
	}
	return pid, backgroundLog(s.Dir())
}
