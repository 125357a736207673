package export

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/pipelines/differ"
	"prgnn/stages/cohort"
	"prgnn/stages/column"
	"prgnn/stages/sheet"
)

// withKeys joins the tables of a fan-out into one, a column for each axis in
// front. A table that has such a column already, with the same values, keeps it.
func withKeys(tasks []*dag.Node, parts []*encoding.Table) (*encoding.Table, error) {
	whole, err := encoding.Concat(parts...)
	if err != nil {
		return nil, err
	}
	if len(tasks[0].Coords()) == 0 {
		return whole, nil
	}
	var keys []encoding.Column
	for i, coord := range tasks[0].Coords() {
		var values []string
		for j, n := range tasks {
			for range parts[j].Rows() {
				values = append(values, n.Coords()[i].Value)
			}
		}
		name := coord.Axis
		if c, ok := whole.Column(name); ok {
			if sameText(c, values) {
				continue
			}
			name += "_of_task"
		}
		keys = append(keys, encoding.Column{Name: name, Values: typed(values), Doc: "coordinate of the task"})
	}
	return &encoding.Table{Columns: append(keys, whole.Columns...), Meta: whole.Meta}, nil
}

func sameText(c *encoding.Column, values []string) bool {
	for i, v := range values {
		if dag.CompareValues(differ.Full(c.Value(i)), v) != 0 && differ.Full(c.Value(i)) != v {
			return false
		}
	}
	return true
}

// typed are whole numbers, numbers or texts, whatever all of them are. Numbers are written as in tables of users: 007
// and nan are names, and so are digits beyond an int64.
func typed(values []string) any {
	floats, notAt := sheet.Numbers(values)
	ints, allInts := make([]int64, len(values)), true
	for i, v := range values {
		var err error
		if ints[i], err = strconv.ParseInt(v, 10, 64); errors.Is(err, strconv.ErrRange) {
			return values
		}
		allInts = allInts && strconv.FormatInt(ints[i], 10) == v
	}
	switch {
	case len(values) == 0 || slices.Contains(values, ""):
		return values
	case allInts: // also those beyond 2⁵³
		return ints
	case notAt < len(values):
		return values
	}
	return floats
}

// longTable has a row for each element of an array: its place on every axis, and
// the value. The axis draw counts from 0, because draw 0 is the plain mean; all
// others count from 1, as node numbers do.
func longTable(a *encoding.Array, axes []string) *encoding.Table {
	n := a.Len()
	var cols []encoding.Column
	seen := map[string]int{}
	step := n
	for i, size := range a.Shape {
		name := fmt.Sprintf("axis_%d", i+1)
		if len(axes) == len(a.Shape) {
			name = axes[i]
		}
		seen[name]++
		first := int32(1)
		if name == "draw" {
			first = 0
		}
		if seen[name] > 1 {
			name = fmt.Sprintf("%s_%d", name, seen[name])
		}
		step /= max(size, 1)
		at := make([]int32, n)
		for j := range at {
			at[j] = first + int32(j/step%size)
		}
		cols = append(cols, encoding.Column{Name: name, Values: at})
	}
	if a.IsComplex() {
		re, im := make([]float64, n), make([]float64, n)
		for i, x := range a.Parts() {
			[][]float64{re, im}[i%2][i/2] = x
		}
		return encoding.NewTable(append(cols, encoding.Column{Name: "real", Values: re},
			encoding.Column{Name: "imag", Values: im})...)
	}
	return encoding.NewTable(append(cols, encoding.Column{Name: "value", Values: elements(a)})...)
}

// elements are those of an array in a type that a table has.
func elements(a *encoding.Array) any {
	switch v := a.Values().(type) {
	case []int16:
		return widened(v)
	case []uint8:
		return widened(v)
	case []float32, []int64, []int32:
		return v
	}
	return a.Float64s()
}

func must[T any](v []T, err error) []T {
	if err != nil {
		panic("cli: " + err.Error())
	}
	return v
}

func widened[T int16 | uint8](v []T) []int32 {
	return lists.Map(v, func(x T) int32 { return int32(x) })
}

// An axisJSON is one axis of an exported array.
type axisJSON struct {
	Name   string   `json:"name"`
	Size   int      `json:"size"`
	First  *int     `json:"first,omitempty"`  // the number of the first place, where places are numbered
	Values []string `json:"values,omitempty"` // the names of the places
}

// A sidecarJSON stands beside an exported array and says what its places mean.
type sidecarJSON struct {
	Array    string     `json:"array"` // the file
	Pipeline string     `json:"pipeline"`
	Stage    string     `json:"stage"`
	Output   string     `json:"output"`
	Doc      string     `json:"doc,omitempty"`
	DType    string     `json:"dtype"`
	Shape    []int      `json:"shape"`
	Axes     []axisJSON `json:"axes"`
	Sources  []origin   `json:"sources"` // in the order of the places of the axes in front
}

// axesOf names the axes of an array, and the regions along roi.
func axesOf(roster *cohort.Roster, port dag.Port, shape []int) []axisJSON {
	var axes []axisJSON
	for i, size := range shape {
		x := axisJSON{Name: fmt.Sprintf("axis_%d", i+1), Size: size}
		if len(port.Type.Axes) == len(shape) {
			x.Name = port.Type.Axes[i]
		}
		switch x.Name {
		case "roi":
			x.Values = nodeNames(roster, size)
		case "draw":
			x.First = new(int)
		}
		axes = append(axes, x)
	}
	return axes
}

// axes are those of an array of tasks. The places of an axis have the names that the tasks give them: the first column
// of another output, which is called as the axis (the groups of mean matrices).
func (x *job) axes(tasks []*dag.Node, port dag.Port, shape []int) ([]axisJSON, error) {
	axes := axesOf(x.Pipeline.Roster, port, shape)
	for i := range axes {
		a := &axes[i]
		for _, p := range tasks[0].Instance().Ports().Out {
			if p.Type.Format != "arrow" || len(p.Type.Columns) == 0 || p.Type.Columns[0] != a.Name {
				continue
			}
			for k, n := range tasks {
				got, err := x.Read(n, p)
				if err != nil {
					return nil, err
				}
				names, err := got.Table.Strings(a.Name)
				if err != nil || len(names) != a.Size || k > 0 && !slices.Equal(names, a.Values) {
					a.Values = nil
					break
				}
				a.Values = names
			}
		}
	}
	return axes, nil
}

// nodeNames are the names of the regions, when there are as many as places.
func nodeNames(roster *cohort.Roster, n int) []string {
	if roster == nil || roster.Nodes == nil || roster.Nodes.Rows() != n {
		return nil
	}
	regions, err := column.Rows[results.Region](roster.Nodes)
	if err != nil {
		return nil
	}
	return lists.Map(regions, func(r results.Region) string { return r.Name })
}

// stackOrder tells how members lie along new axes in front: an axis for each of
// theirs, its values sorted, when all combinations are there; else one axis of
// tasks. order gives, place by place, the member.
func stackOrder(tasks []*dag.Node) (order []int, front []axisJSON) {
	places := 1
	for i, coord := range tasks[0].Coords() {
		values := lists.Map(tasks, func(n *dag.Node) string { return n.Coords()[i].Value })
		slices.SortFunc(values, dag.CompareValues)
		values = slices.Compact(values)
		front = append(front, axisJSON{Name: coord.Axis, Size: len(values), Values: values})
		places *= len(values)
	}
	order = lists.UpTo(len(tasks))
	slices.SortFunc(order, func(x, y int) int {
		for i := range tasks[x].Coords() {
			if c := dag.CompareValues(tasks[x].Coords()[i].Value, tasks[y].Coords()[i].Value); c != 0 {
				return c
			}
		}
		return cmp.Compare(x, y)
	})
	if places != len(tasks) {
		names := axisJSON{Name: "task", Size: len(tasks)}
		for _, at := range order {
			names.Values = append(names.Values, tasks[at].ID())
		}
		front = []axisJSON{names}
	}
	return order, front
}
