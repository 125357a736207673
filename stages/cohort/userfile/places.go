package userfile

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"prgnn/internal/lists"
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

// WhereFound tells the person at this machine where the data were found.
func WhereFound(root, table string) string {
	return fmt.Sprintf("data: %s; participants: %s", root, table)
}

// IsPlace reports whether a text is the path of a file on some machine.
func IsPlace(text string) bool {
	return filepath.IsAbs(text) && text != "/" || strings.HasPrefix(text, "~/") || strings.HasPrefix(text, "file://")
}

// A placed error has a path of this machine in its text.
type placed struct {
	error
	path string
}

// Place marks the path of this machine in the text of an error.
func Place(err error, path string) error { return placed{err, path} }

func (p placed) Unwrap() error { return p.error }

// WithoutPlaces is the text of an error for a result: its paths are written by NameIn.
func WithoutPlaces(root string, err error) string {
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

// OneLine makes one line of several mistakes.
func OneLine(problems []error) error {
	if len(problems) == 1 {
		return problems[0]
	}
	return oneLine(problems)
}

type oneLine []error

func (e oneLine) Unwrap() []error { return e }

func (e oneLine) Error() string {
	texts := lists.Map(e, func(p error) string { return p.Error() })
	return strings.Join(texts, "; ")
}
