package audit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines/lock"
	"prgnn/pipelines/tree"
)

// A lock holds no paths: those of --set are left out, so that the same study has one lock wherever its data lie. What
// is run from a lock looks for the data where the text of the pipeline file says, unless a --set says otherwise.

// A place is a value of the pipeline file that is a path, with the name that --set has for it.
type place struct {
	set  string // "cohort.bids.dir", or a variable
	path string // absolute
}

// places are those values of the text of a lock whose paths are wanted; relative ones begin in dir.
func places(l *lock.Lock, dir string, wanted func(path string) bool) (found []place) {
	at := func(line, col int) dag.Pos { return dag.Pos{} }
	root := tree.Parse([]byte(l.Text), at, &tree.Mistakes{})
	dir, err := filepath.Abs(dir)
	if root == nil || err != nil {
		return nil
	}
	var walk func(t *tree.Node, name string)
	walk = func(t *tree.Node, name string) {
		if path := filepath.FromSlash(t.Text); t.Kind == tree.Scalar && path != "" {
			if !filepath.IsAbs(path) {
				path = filepath.Join(dir, path)
			}
			if wanted(path) {
				found = append(found, place{strings.TrimPrefix(name, "vars."), path})
			}
		}
		for _, k := range t.Keys {
			walk(k.Value, name+"."+k.Name)
		}
	}
	for _, k := range root.Keys {
		walk(k.Value, k.Name)
	}
	return found
}

// remedy is what a user may give to have other data; "" when nothing is known.
func remedy(found []place) string {
	return words.Some(lists.Map(found, func(p place) string { return "--set " + p.set + "=PATH" }), 3)
}

// readPlaces are the places that a pipeline was loaded with, and where there is something.
func readPlaces(l *lock.Lock, dir string, paths []string) []place {
	return places(l, dir, func(path string) bool {
		_, err := os.Stat(path)
		return err == nil && slices.Contains(paths, path)
	})
}

// ofData reports whether a difference is one of data, or may follow from one.
func ofData(d lock.Difference) bool {
	return strings.HasPrefix(d.Place, "cohort.") || strings.Contains(d.Place, " input ") || d.Place == "task"
}
