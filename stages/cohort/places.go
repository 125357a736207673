package cohort

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Results name a file by its place in the dataset; where the dataset lies is told to the person
// at this machine alone. So notes and reasons, which enter reports, are written by NameIn and
// withoutPlaces, and errors, which enter none, have whole paths.

// NameIn is what a file is called wherever the data lie: its path within root, or its last
// part alone when it lies elsewhere.
func NameIn(root, path string) string {
	if rel, err := filepath.Rel(root, path); root != "" && err == nil && filepath.IsLocal(rel) && rel != "." {
		return filepath.ToSlash(rel)
	}
	return filepath.Base(path)
}

// whereFound tells the person at this machine where the data were found.
func whereFound(root, table string) string {
	return fmt.Sprintf("data: %s; participants: %s", root, table)
}

// isPlace reports whether a text is the path of a file on some machine.
func isPlace(text string) bool {
	return filepath.IsAbs(text) && text != "/" || strings.HasPrefix(text, "~/") || strings.HasPrefix(text, "file://")
}

// A placed error has a path of this machine in its text.
type placed struct {
	error
	path string
}

func (p placed) Unwrap() error { return p.error }

// withoutPlaces is the text of an error for a result: its paths are written by NameIn.
func withoutPlaces(root string, err error) string {
	text := err.Error()
	var walk func(error)
	walk = func(err error) {
		if p, ok := err.(placed); ok && p.path != "" {
			text = strings.ReplaceAll(text, p.path, NameIn(root, p.path))
		}
		switch w := err.(type) {
		case interface{ Unwrap() []error }:
			for _, e := range w.Unwrap() {
				walk(e)
			}
		default:
			if inner := errors.Unwrap(err); inner != nil {
				walk(inner)
			}
		}
	}
	walk(err)
	return text
}
