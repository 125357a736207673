package column

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
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

// MadeApart lists the parameters in which two descriptions differ, except for the allowed ones.
func MadeApart(made, want string, allowed []string) []string {
	a, b := MadeLines(made), MadeLines(want)
	var names, out []string
	for n := range a {
		names = append(names, n)
	}
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
		if a[n] != b[n] && !slices.Contains(allowed, n) {
			out = append(out, fmt.Sprintf("%s is %s, not %s", n, say(a, n), say(b, n)))
		}
	}
	return out
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
