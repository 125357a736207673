package results

import (
	"fmt"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/progress"
	"prgnn/internal/lists"
	"prgnn/internal/words"
)

// An axisEvent names the places along an axis of the arrays that follow.
type axisEvent struct {
	Axis   string   `json:"axis"`
	Values []string `json:"values"`
}

// A fileEvent is one stored artifact, for a program that reads it itself.
type fileEvent struct {
	Task   string `json:"task"`
	Stage  string `json:"stage"`
	Output string `json:"output"`
	Doc    string `json:"doc,omitempty"`
	progress.Artifact
	Path        string           `json:"path"`           // of the bytes, in the store: not to be written to
	Axes        []string         `json:"axes,omitempty"` // of an array
	Coordinates []coordinateJSON `json:"coordinates"`    // of the task, in the order of its fan-out
}

type coordinateJSON struct {
	Axis  string `json:"axis"`
	Value string `json:"value"`
}

type missingEvent struct {
	Task   string `json:"task"`
	Reason string `json:"reason"`
}

// PrintPlaces prints in which files of the store an output lies. What lies in a pack is written out, and what only the
// remote has is fetched. Unless partial, all results must be there.
func PrintPlaces(a *console.Console, c *Current, what string, partial bool) error {
	sel, err := Choose(c.Pipeline.Graph, what)
	if err != nil {
		return err
	}
	there, others := c.Shown(sel.Tasks)
	if len(others) > 0 && (!partial || len(there) == 0) {
		return c.Missing(a, sel, there, others, "; --partial (in Python: partial=True) uses the others")
	}
	if a.JSON {
		printAxes(a, c, sel)
	}
	for _, n := range there {
		ref := c.Ref(n, sel.Port.Name)
		blob, err := c.Store.OpenBlob(ref)
		if err != nil {
			return fmt.Errorf("%s: %w", n.ID(), err)
		}
		blob.Close()
		if c.Store.Health.Damaged(ref) { // the other program reads it without a check
			return fmt.Errorf("%s: blob %s: %w", n.ID(), c.Store.Health.BlobPath(ref.Digest), artifacts.ErrCorrupt)
		}
		path, err := c.Store.File(ref)
		if err != nil {
			return fmt.Errorf("%s: %w", n.ID(), err)
		}
		e := fileEvent{n.ID(), n.Stage().Name(), sel.Port.Name, sel.Port.Doc, progress.ArtifactOf(ref), path,
			sel.Port.Type.Axes, []coordinateJSON{}}
		for _, coord := range n.Coords() {
			e.Coordinates = append(e.Coordinates, coordinateJSON(coord))
		}
		if !a.AsJSON("file", e) {
			fmt.Fprintf(a.Out, "%s.%s  %s\n", e.Task, e.Output, e.Path)
		}
	}
	for _, n := range others {
		if a.JSON {
			e := missingEvent{Task: n.ID()}
			if step := c.Steps[n]; step != nil {
				e.Reason = step.Reason
			}
			a.Object("missing", e)
		}
	}
	if !a.JSON && len(others) > 0 {
		a.Note("%d of %s %s missing: %s", len(others), words.Count(len(sel.Tasks), "result"),
			words.Verb(len(others), "is", "are"), words.Some(IDs(others), 6))
	}
	return nil
}

// printAxes names the regions, where the output has an axis of them.
func printAxes(a *console.Console, c *Current, sel *Selection) {
	for _, axis := range sel.Port.Type.Axes {
		if axis != "roi" {
			continue
		}
		if regions, err := c.Regions(); err == nil { // a pipeline without a cohort names none
			a.Object("axis", axisEvent{axis, lists.Map(regions, func(r Region) string { return r.Name })})
		}
		return
	}
}
