package mat5

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"

	"prgnn/internal/budget"
	"prgnn/nifti/hdf5"
)

// An hdf reads the variables of a file of version 7.3.
type hdf struct {
	*hdf5.File
	mem *budget.Budget
}

// Is73 reports whether a file has version 7.3, by its first HeaderSize bytes.
func Is73(first []byte) bool {
	return strings.HasPrefix(string(first), "MATLAB 7.3") ||
		len(first) >= HeaderSize && string(first[124:128]) == "\x00\x02IM"
}

// ReadHDF reads the variables of a file of version 7.3, in the order of their names. Their numbers are read from r
// when they are asked for.
func ReadHDF(r io.ReaderAt, size int64) ([]Variable, error) {
	f, err := hdf5.Open(r, size)
	if err != nil {
		return nil, fmt.Errorf("a MAT-file of version 7.3: %w", err)
	}
	h := &hdf{f, budget.For(size)}
	root, err := f.Root()
	if err != nil {
		return nil, err
	}
	names, at, err := root.Links()
	if err != nil {
		return nil, err
	}
	var all []Variable
	for _, name := range names {
		if strings.HasPrefix(name, "#") { // the elements of cells, and the contents of objects
			continue
		}
		v, err := h.value(at[name], 0)
		if err != nil {
			return nil, fmt.Errorf("variable %.80q: %w", name, err)
		}
		v.Name = name
		all = append(all, v)
	}
	return all, nil
}

// value describes an object of the file.
func (h *hdf) value(at uint64, depth int) (v Variable, err error) {
	if depth > deepest {
		return v, fmt.Errorf("cells and structs in each other, more than %d deep", deepest)
	}
	if err := h.mem.Take(1, 512, "further values"); err != nil {
		return v, err
	}
	o, err := h.At(at)
	if err != nil {
		return v, err
	}
	_, class, known := o.Attribute("MATLAB_class")
	v.Class = class
	rows, _, sparse := o.Attribute("MATLAB_sparse")
	empty, _, _ := o.Attribute("MATLAB_empty")
	if o.Class != hdf5.Group {
		v.Shape = shapeOf(o.Dims)
	}
	switch {
	case sparse && o.Class == hdf5.Group:
		return v, h.sparse(&v, o, int(rows))
	case o.Class == hdf5.Group && (!known || class == "struct"):
		v.Class = "struct"
		return v, h.structs(&v, o, depth)
	case o.Class == hdf5.Compound:
		v.Problem = errors.New("it is complex, which is not supported: save real(x)")
	case !known && o.Class == hdf5.Reference:
		return v, h.cells(&v, o, depth)
	case !known:
		v.Class = "dataset"
		v.Problem = errors.New("it has no MATLAB_class: MATLAB did not write it, and rows and columns may be exchanged")
	case empty != 0:
		return v, h.empty(&v, o)
	case class == "cell":
		return v, h.cells(&v, o, depth)
	case class == "char":
		return v, h.chars(&v, o)
	case class == "logical" || slices.Contains(classes[classReal:classLast+1], class):
		v.load = func(from, to int) ([]float64, error) {
			if len(o.Dims) < 2 { // MATLAB's column
				from, to = 0, v.Count()
			}
			x, err := o.Numbers(from, to)
			if err != nil {
				err = fmt.Errorf("variable %s: %w", v.Name, err)
			}
			return x, err
		}
	default:
		v.Problem = object(class)
	}
	return v, nil
}

// object is why an object of MATLAB is not read, and what to save instead.
func object(class string) error {
	instead := map[string]string{"table": "save table2array(x), or write it with writetable",
		"timetable": "save x.Variables", "string": "save cellstr(x)", "categorical": "save cellstr(x)"}[class]
	if instead == "" {
		instead = "save the numbers in it as a separate variable"
	}
	return fmt.Errorf("it is a MATLAB %s, an object: %s", class, instead)
}

// shapeOf are MATLAB's dimensions, of which there are at least two.
func shapeOf(dims []int) []int {
	shape := slices.Clone(dims)
	slices.Reverse(shape)
	for len(shape) < 2 {
		shape = append(shape, 1)
	}
	return shape
}

// empty reads the dimensions of an array without elements, which stand in place of its content.
func (h *hdf) empty(v *Variable, o *hdf5.Object) error {
	if o.Count() > 32 {
		return fmt.Errorf("%d dimensions", o.Count())
	}
	dims, err := numbers(o)
	if err != nil {
		return err
	}
	v.Shape = nil
	for _, d := range dims {
		if !(d >= 0 && d < 1<<31) {
			return fmt.Errorf("a dimension of %g", d)
		}
		v.Shape = append(v.Shape, int(d))
	}
	if len(v.Shape) < 2 || v.Count() != 0 {
		return fmt.Errorf("an array without elements and the dimensions %v", v.Shape)
	}
	switch v.Class {
	case "char", "cell":
		v.Texts = []string{}
	case "struct":
	default:
		v.Numbers = []float64{}
	}
	return nil
}

// numbers are all of a dataset.
func numbers(o *hdf5.Object) ([]float64, error) {
	if len(o.Dims) == 0 {
		return o.Numbers(0, 1)
	}
	return o.Numbers(0, o.Dims[0])
}

// chars reads rows of UTF-16 units.
func (h *hdf) chars(v *Variable, o *hdf5.Object) error {
	units, err := numbers(o)
	if err != nil {
		return err
	}
	if len(v.Shape) != 2 {
		v.Problem = errors.New("characters of more than two dimensions are not supported")
		return nil
	}
	if err := h.mem.Take(int64(len(units)), 8, "further characters"); err != nil {
		return err
	}
	rows, columns := v.Shape[0], v.Shape[1]
	v.Texts = []string{}
	for i := range rows {
		line := make([]uint16, columns)
		for j := range line {
			line[j] = uint16(units[i+j*rows])
		}
		v.Texts = append(v.Texts, strings.TrimRight(string(utf16.Decode(line)), " \x00"))
	}
	return nil
}

// cells reads the elements of a cell, to which it has references.
func (h *hdf) cells(v *Variable, o *hdf5.Object, depth int) error {
	v.Class = "cell"
	at, err := o.References()
	if err != nil {
		return err
	}
	all := make([]Variable, 0, min(len(at), 1<<16))
	for i, reference := range at {
		one, err := h.value(reference, depth+1)
		if err != nil {
			return fmt.Errorf("cell %d: %w", i+1, err)
		}
		all = append(all, one)
	}
	v.hold(all)
	return nil
}

// structs reads the fields of a struct, or of an array of structs, whose fields have references to their values.
func (h *hdf) structs(v *Variable, o *hdf5.Object, depth int) error {
	names, at, err := o.Links()
	if err != nil {
		return err
	}
	v.Shape = []int{1, 1}
	var each [][]Variable // of a field, one for each struct
	for _, name := range names {
		one, err := h.value(at[name], depth+1)
		if err != nil {
			return fmt.Errorf("field %.80q: %w", name, err)
		}
		values := []Variable{one}
		if field, err := h.At(at[name]); err != nil {
			return err
		} else if _, _, known := field.Attribute("MATLAB_class"); !known && field.Class == hdf5.Reference {
			v.Shape = one.Shape
			if values = one.Cells; values == nil {
				for i := range one.Texts {
					values = append(values, Variable{Shape: []int{1, len(one.Texts[i])}, Class: "char",
						Texts: one.Texts[i : i+1]})
				}
			}
		}
		each = append(each, values)
	}
	v.Fields = names
	for i := range v.Count() {
		for f, values := range each {
			if i >= len(values) {
				return fmt.Errorf("field %.80q has %d values for %d structs: the file is damaged", names[f], len(values), v.Count())
			}
			v.Cells = append(v.Cells, values[i])
		}
	}
	return nil
}

// sparse reads a sparse matrix into a full one.
func (h *hdf) sparse(v *Variable, o *hdf5.Object, rows int) error {
	_, at, err := o.Links()
	if err != nil {
		return err
	}
	read := func(name string) []float64 {
		reference, there := at[name]
		if err != nil || !there { // without a value: no data, no ir
			return nil
		}
		var part *hdf5.Object
		var x []float64
		if part, err = h.At(reference); err == nil && part.Class == hdf5.Compound {
			v.Problem = errors.New("it is complex, which is not supported: save real(x)")
		} else if err == nil {
			x, err = numbers(part)
		}
		return x
	}
	data, ir, jc := read("data"), read("ir"), read("jc")
	v.Class, v.Shape = "sparse", []int{rows, max(len(jc)-1, 0)}
	if err != nil || v.Problem != nil {
		return err
	}
	if len(jc) == 0 || rows < 0 || len(ir) != len(data) {
		return fmt.Errorf("a sparse matrix of %d values, %d rows of values and %d columns: the file is damaged", len(data), len(ir), len(jc)-1)
	}
	if err := h.mem.Take(int64(rows), int64(24*v.Shape[1]), "rows of numbers"); err != nil {
		return err
	}
	place := func(of []float64) func(int) int {
		return func(k int) int {
			if x := of[k]; x >= 0 && x < 1<<31 {
				return int(x)
			}
			return -1
		}
	}
	v.Numbers, err = full(rows, v.Shape[1], len(data), place(ir), place(jc), data)
	return err
}
