package export

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/pipelines/differ"
	"prgnn/stages/mat5"
)

// writeMat writes results as one MAT-file. The array, or each column of the table, is a
// variable. An array has its last two axes in front, the way MATLAB thinks of matrices,
// then the axes before them from the innermost out: regions × regions × draws ×
// participants. The cell axes names them; the cells roi, subject … name their places.
func (x *job) writeMat(sel *results.Selection, tasks []*dag.Node) error {
	first, err := x.Read(tasks[0], sel.Port)
	if err != nil {
		return err
	}
	var variables []mat5.Variable
	switch {
	case first.Array != nil:
		whole, axes, err := x.stacked(sel, tasks)
		if err != nil {
			return err
		}
		if whole.IsComplex() {
			return exit.Wrongf("it is an array of complex numbers (%s): write .npy, or .csv with their parts", whole.DType())
		}
		variables = matArray(sel.Port.Name, whole, axes)
	case first.Table != nil:
		keyed, err := x.keyed(sel, tasks)
		if err != nil {
			return err
		}
		var renamed []string
		if variables, renamed, err = matTable(keyed); err != nil {
			return err
		}
		if renamed != nil {
			x.Note("columns renamed for MATLAB: %s", strings.Join(renamed, ", "))
		}
	default:
		return exit.Wrongf("it is %s, but a .mat file holds only arrays and tables", first.Format)
	}
	return x.toPath(func(w io.Writer) error { return mat5.Write(w, variables) })
}

func matArray(name string, a *encoding.Array, axes []axisJSON) []mat5.Variable {
	shape, v := a.Shape, a.Float64s()
	array := mat5.Variable{Name: mat5.Name(name), Class: "double"}
	var order []axisJSON
	if len(shape) >= 2 {
		rows, cols := shape[len(shape)-2], shape[len(shape)-1]
		array.Shape = []int{rows, cols}
		order = append(order, axes[len(axes)-2:]...)
		front := slices.Clone(shape[:len(shape)-2])
		slices.Reverse(front)
		array.Shape = append(array.Shape, front...)
		before := slices.Clone(axes[:len(axes)-2])
		slices.Reverse(before)
		order = append(order, before...)
		for ; len(v) > 0; v = v[rows*cols:] {
			array.Numbers = append(array.Numbers, mat5.Matrix("", v[:rows*cols], rows, cols).Numbers...)
		}
	} else {
		array, order = mat5.Matrix(array.Name, v, a.Len()), axes
	}
	variables := []mat5.Variable{array}
	var names []string
	for _, x := range order {
		names = append(names, x.Name)
		seen := slices.ContainsFunc(variables, func(v mat5.Variable) bool { return v.Name == mat5.Name(x.Name) })
		if x.Values != nil && !seen {
			variables = append(variables, mat5.Texts(mat5.Name(x.Name), x.Values))
		}
	}
	if names != nil && array.Name != "axes" {
		variables = append(variables, mat5.Texts("axes", names))
	}
	return variables
}

// matTable makes a variable of each column. A column whose name MATLAB takes has it; renamed are the others.
func matTable(t *encoding.Table) (variables []mat5.Variable, renamed []string, err error) {
	t, err = t.Decoded()
	if err != nil {
		return nil, nil, err
	}
	taken := map[string]bool{}
	for _, c := range t.Columns {
		taken[c.Name] = taken[c.Name] || mat5.Name(c.Name) == c.Name
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		name := mat5.Name(c.Name)
		if name != c.Name || slices.ContainsFunc(variables, func(v mat5.Variable) bool { return v.Name == name }) {
			for k := 2; taken[name]; k++ {
				name = mat5.Name(fmt.Sprintf("%.50s_%d", mat5.Name(c.Name), k))
			}
			taken[name] = true
			renamed = append(renamed, fmt.Sprintf("%q as %s", c.Name, name))
		}
		if _, text := c.Values.([]string); text {
			v, err := t.Strings(c.Name)
			variables = append(variables, mat5.Texts(name, must(v, err)))
			continue
		}
		if c.IsArrow() { // dates, lists and others without a class of numbers
			texts := make([]string, t.Rows())
			for r := range texts {
				texts[r] = differ.Full(c.Value(r))
			}
			variables = append(variables, mat5.Texts(name, texts))
			continue
		}
		v := make([]float64, t.Rows())
		for r := range v {
			v[r] = matNumber(c, r)
		}
		variables = append(variables, mat5.Matrix(name, v, len(v)))
	}
	return variables, renamed, nil
}

// matNumber is a cell as MATLAB's double; a missing one is NaN.
func matNumber(c *encoding.Column, row int) float64 {
	if c.Valid != nil && !c.Valid[row] {
		return math.NaN()
	}
	if b, ok := c.Values.([]bool); ok {
		if b[row] {
			return 1
		}
		return 0
	}
	v, err := strconv.ParseFloat(differ.Full(c.Value(row)), 64)
	return must([]float64{v}, err)[0]
}
