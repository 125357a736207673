package page

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/export"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/role"
)

// Checklists are the reporting checklists that the program fills.
func Checklists() []string {
	if kind := Kind(); kind != nil {
		return kind.New().(role.Reporter).Checklists()
	}
	return nil
}

// WriteChecklist fills a checklist from the results that are there, and writes it in the format of the path's ending: -
// is stdout, which gets Markdown.
func WriteChecklist(ctx context.Context, a *console.Console, c *results.Current, name, path string) error {
	task := Stage(c.Pipeline.Graph)
	in, of, err := there(ctx, a, c, task, nil)
	if err != nil {
		return err
	}
	files, err := reporter(task).Checklist(dag.NewTask(in.ports), of, name)
	if err != nil {
		return fmt.Errorf("%s: %w", task.ID(), err)
	}
	ending := ".md"
	if path != "-" {
		ending = strings.ToLower(filepath.Ext(path))
	}
	at := slices.IndexFunc(files, func(f role.File) bool { return f.Name == ending })
	if at < 0 {
		endings := lists.Map(files, func(f role.File) string { return f.Name })
		return exit.Wrongf("a checklist is written as %s, but PATH ends in %q: change its ending",
			strings.Join(endings, ", "), ending)
	}
	text, err := files[at].Text()
	if err != nil {
		return err
	}
	written := output("checklist "+name, c.Pipeline, c.Store)
	same := func(old []byte) bool { // authors edit Markdown and CSV
		return bytes.Equal(old, text) || ending == ".html" && export.Wrote(c.Store, old, written)
	}
	if err := a.MayReplace(path, "this checklist, unedited", console.Holds(same)); err != nil {
		return err
	}
	if err := a.WriteTo(path, console.Content(text)); err != nil || path == "-" {
		return err
	}
	export.Remember(c.Store, text, written)
	if a.JSON {
		a.Object("checklist", event{path, len(text), in.missing})
		return nil
	}
	a.Note("wrote %s (%s)", path, console.ByteCount(int64(len(text))))
	if len(in.missing) > 0 {
		a.Note("%s without a result, not in the checklist: %s", words.Count(len(in.missing), "task"),
			words.Some(in.missing, 6))
	}
	return nil
}
