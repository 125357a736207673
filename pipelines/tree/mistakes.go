package tree

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
)

// A Mistake is one thing that is wrong with a pipeline file.
type Mistake struct {
	Pos   dag.Pos
	Text  string
	Stage string // that it is of, if any
	Cause error  // the text without the stage
}

func (m *Mistake) Error() string { return m.Pos.String() + ": " + m.Text }

// Errors are all mistakes of a pipeline file, sorted by their places: those of
// the file first, then those of --set.
type Errors []*Mistake

func (e Errors) Error() string {
	lines := lists.Map(e, func(m *Mistake) string { return m.Error() })
	return strings.Join(lines, "\n")
}

// Unwrap gives the mistakes one by one.
func (e Errors) Unwrap() []error {
	errs := lists.Map(e, func(m *Mistake) error { return m })
	return errs
}

// Mistakes collects what is wrong, in any order.
type Mistakes struct {
	List  Errors
	Files []string // in the order of extends
}

// Add adds a mistake at a place of the file.
func (m *Mistakes) Add(pos dag.Pos, format string, args ...any) {
	m.List = append(m.List, &Mistake{Pos: pos, Text: clipped(fmt.Sprintf(format, args...))})
}

// Stage adds a mistake of a stage.
func (m *Mistakes) Stage(pos dag.Pos, stage string, err error) {
	m.Add(pos, "stage %s: %s", stage, strings.ReplaceAll(err.Error(), "\n", "; "))
	last := m.List[len(m.List)-1]
	last.Stage, last.Cause = stage, err
}

// longestMistake bounds the text of one mistake, which may quote a value of the file.
const longestMistake = 2000

func clipped(text string) string {
	if len(text) <= longestMistake {
		return text
	}
	return strings.ToValidUTF8(text[:longestMistake], "") + " …"
}

// Each adds the parts of a joined error one by one, each where its place is.
func (m *Mistakes) Each(err error, place func(text string) dag.Pos, format string, args ...any) {
	for _, e := range Parts(err) {
		m.Add(place(e.Error()), format+"%v", append(slices.Clone(args), e)...)
	}
}

// Parts takes errors.Join apart.
func Parts(err error) []error {
	if err == nil {
		return nil
	}
	var joined interface{ Unwrap() []error }
	if _, mistake := err.(Errors); !mistake && errors.As(err, &joined) &&
		err.Error() == errors.Join(joined.Unwrap()...).Error() {
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, Parts(e)...)
		}
		return all
	}
	return []error{err}
}

// natural compares texts with the numbers in them as numbers: line 2 is before line 10.
func natural(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x == "" || y == "" {
			x, y = a[:1], b[:1]
		}
		if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); c != 0 {
			return c
		}
		a, b = a[len(x):], b[len(y):]
	}
	return cmp.Compare(len(a), len(b))
}

// digits are those that a text begins with.
func digits(text string) string {
	return text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
}

// Sorted returns what was collected by place, each once: the file, the files that it extends,
// what --set says.
func (m *Mistakes) Sorted() Errors {
	slices.SortStableFunc(m.List, func(a, b *Mistake) int {
		return cmp.Or(
			-cmp.Compare(min(a.Pos.Line, 1), min(b.Pos.Line, 1)),
			cmp.Compare(slices.Index(m.Files, a.Pos.File), slices.Index(m.Files, b.Pos.File)),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col),
			cmp.Compare(a.Pos.File, b.Pos.File),
			natural(a.Text, b.Text), cmp.Compare(a.Text, b.Text))
	})
	return slices.CompactFunc(m.List, func(a, b *Mistake) bool { return a.Pos == b.Pos && a.Text == b.Text })
}
