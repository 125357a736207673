package results

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/progress"
	"prgnn/dag"
	"prgnn/dag/record"
	"prgnn/internal/words"
)

// An outputEvent is one artifact and what it holds.
type outputEvent struct {
	Task   string `json:"task"`
	Stage  string `json:"stage"`
	Output string `json:"output"`
	Doc    string `json:"doc,omitempty"`
	progress.Artifact
	ContentJSON
}

// PrintOutputs describes artifacts: all for --json and -v, else those of the
// first task (of each part, where a stage has two). run is the recorded run that they are of; nil for the present ones.
func PrintOutputs(a *console.Console, store *disk.Store, run *record.Record, outs []Output, rows int) error {
	if rows > 0 && !slices.ContainsFunc(outs, func(o Output) bool {
		return o.Ref.Format == "arrow" || o.Ref.Format == "npy" && a.JSON
	}) {
		return exit.Wrongf("%s is not a table, but --rows is for tables, and with --json for arrays; leave it out", outs[0].Name())
	}
	rows = cmp.Or(rows, 5)
	first, others := map[*dag.StageNode]*dag.Node{}, map[*dag.Node]bool{}
	for _, o := range outs {
		if first[o.Task.Stage()] == nil {
			first[o.Task.Stage()] = o.Task
		}
		if o.Task != first[o.Task.Stage()] && !a.Verbose && !a.JSON {
			others[o.Task] = true
			continue
		}
		got, err := readOutput(a, store, run, o)
		if err != nil {
			return err
		}
		if a.JSON {
			a.Object("output", outputEvent{o.Task.ID(), o.Task.Stage().Name(), o.Port.Name, o.Port.Doc,
				progress.ArtifactOf(o.Ref), got.JSON(rows)})
			continue
		}
		fmt.Fprintf(a.Out, "%s  %s, %s, sha256 %s\n", a.Page.Bold(o.Name()), o.Ref.Format,
			console.ByteCount(o.Ref.Size), console.Short(o.Ref.Digest.String()))
		if o.Port.Doc != "" {
			fmt.Fprintf(a.Out, "  %s\n", a.Page.Faint(o.Port.Doc))
		}
		got.Print(a, rows, "  ")
		fmt.Fprintln(a.Out)
	}
	if len(others) > 0 {
		fmt.Fprintf(a.Out, "%s have the same schema; -v shows all, %s[…] one\n", words.Count(len(others), "other member"), outs[0].Task.Stage().Name())
	}
	return nil
}

func readOutput(a *console.Console, store *disk.Store, run *record.Record, o Output) (Content, error) {
	got, err := Read(store, o.Ref, o.Port.Type)
	if errors.Is(err, artifacts.ErrMiss) && run != nil {
		return Content{}, fmt.Errorf("%s: %s\n  %s makes it", o.Name(), Freed,
			Remake(a, run, "--until", dag.StageOf(o.Task.ID())))
	}
	if err != nil {
		return Content{}, fmt.Errorf("%s: %w", o.Name(), err)
	}
	return got, nil
}
