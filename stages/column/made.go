package column

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/words"
)

// How something was made is kept in the metadata of its tables, under "made": a line a
// parameter, "graph.density = 0.1", of the stage and of those before it. A trained model
// carries the lines of its graphs, so that it can refuse others.

// MadeBy describes how a stage makes its outputs: the description of its input, and the parameters of the
// stage, except for those that do not change the outputs.
func MadeBy(kind string, s dag.Stage, of string, except ...string) map[string]string {
	var lines []string
	if of != "" {
		lines = strings.Split(of, "\n")
	}
	for _, l := range param.Text(s) {
		if name, _, _ := strings.Cut(l, " = "); !slices.Contains(except, name) {
			lines = append(lines, kind+"."+l)
		}
	}
	return map[string]string{"made": strings.Join(lines, "\n")}
}

// MadeOf is the description of how an input was made; "" when the port is not connected.
func MadeOf(t *dag.Task, port string) (string, error) {
	if !t.Has(port) {
		return "", nil
	}
	table, err := t.In(port).Table()
	if err != nil {
		return "", err
	}
	return table.Meta["made"], nil
}

// MadeApart lists the parameters in which two descriptions differ.
func MadeApart(made, want string) []string {
	return lists.Map(MadeDiffers(made, want), func(d Difference) string { return d.Text })
}

// A Difference is one between data and those that a model was trained on.
type Difference struct {
	Key  string // by which a user accepts it: the parameter; "" where it cannot be accepted
	Text string
	Who  []string // participants that have it
}

// MadeDiffers are the parameters in which two descriptions differ.
func MadeDiffers(made, want string) (out []Difference) {
	a, b := MadeLines(made), MadeLines(want)
	names := slices.Collect(maps.Keys(a))
	for n := range b {
		if _, both := a[n]; !both {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	say := func(m map[string]string, n string) string {
		if v, ok := m[n]; ok {
			return v
		}
		return "not there"
	}
	for _, n := range names {
		if a[n] != b[n] {
			out = append(out, Difference{Key: n, Text: fmt.Sprintf("%s is %s, not %s", n, say(a, n), say(b, n))})
		}
	}
	return out
}

// Differences are all of some participants, each once, in the order in which they were found.
type Differences []Difference

// Add adds the differences of a participant. Those of a text are one; each further one of a key of one is left to the
// first, whose text is its example.
func (all *Differences) Add(id string, one bool, more ...Difference) {
	for _, d := range more {
		at := slices.IndexFunc(*all, func(o Difference) bool { return o.Key == d.Key && (one || o.Text == d.Text) })
		if at < 0 {
			at, *all = len(*all), append(*all, d)
		}
		if o := &(*all)[at]; !slices.Contains(o.Who, id) {
			o.Who = append(o.Who, id)
		}
	}
}

// Texts are the differences, with the participants of those that not all of so many have.
func (all Differences) Texts(of int) []string {
	return lists.Map(all, func(d Difference) string {
		if len(d.Who) == of {
			return d.Text
		}
		return d.Text + " (" + words.Some(d.Who, 6) + ")"
	})
}

// MadeLines reads lines "name = value" of the metadata made, by name.
func MadeLines(made string) map[string]string {
	m := map[string]string{}
	for l := range strings.Lines(made) {
		name, value, _ := strings.Cut(strings.TrimSuffix(l, "\n"), " = ")
		m[name] = value
	}
	return m
}

type nameRow struct {
	Name string `column:"name"`
}

// NodeNames are the names of a list of nodes, in order; nil when it is not connected.
func NodeNames(t *dag.Task) ([]string, error) {
	if !t.Has("nodes") {
		return nil, nil
	}
	rows, err := Read[nameRow](t.In("nodes"))
	if err != nil {
		return nil, err
	}
	names := lists.Map(rows, func(r nameRow) string { return r.Name })
	return names, nil
}

// WithMeta adds metadata to a table.
func WithMeta(t *encoding.Table, meta map[string]string) *encoding.Table {
	t.Meta = meta
	return t
}
