// Package mat5 reads and writes MATLAB's MAT-files of version 5, which `save` has
// written since 1997 (-v6, and compressed since 2005: -v7, the default). The format is
// that of MathWorks' "MAT-File Format" (R2024a); scipy.io and GNU Octave are the oracles.
//
// A Variable holds numbers, texts, or further values: the elements of a cell, the fields of
// a struct. Sparse matrices are filled up with zeros. Of the rest (objects, functions,
// complex arrays) only the name and the class are read, and Problem gives the reason. Arrays
// are in MATLAB's order: the first index runs fastest.
//
// Files of version 7.3 are HDF5 behind a header of 512 bytes. Their dimensions are reversed,
// cells refer to their elements in /#refs#, and attributes have the classes (scipy cannot
// read them; mat73 and pymatreader are the oracles). Their numbers are read when they are
// asked for.
//
// Version 4 is refused, with what to do.
package mat5

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Variable is one variable of a file, or a value within one.
type Variable struct {
	Name  string
	Shape []int // at least two, as MATLAB's arrays have
	// Numbers in MATLAB's order: element (i, j) of a matrix is Numbers[i+j*Shape[0]].
	Numbers []float64
	// Texts of a cell of texts, or of the rows of a character array.
	Texts []string
	// Cells are the elements of a cell that holds more than texts, in MATLAB's order; of a struct
	// array the values of all Fields of the first element, then of the second …
	Cells   []Variable
	Fields  []string
	Class   string // "double", "cell" …
	Problem error  // why it has no content
	Stated  []int  // the shape as a file of another order states it; nil: Shape

	load func(from, to int) ([]float64, error) // reads numbers, by the last index from 0; nil where Numbers has them
}

// Size is the shape as the file states it.
func (v Variable) Size() []int {
	if v.Stated != nil {
		return v.Stated
	}
	return v.Shape
}

// Numeric reports whether it holds numbers.
func (v Variable) Numeric() bool { return v.Numbers != nil || v.load != nil }

// All are its numbers.
func (v Variable) All() ([]float64, error) {
	if v.load == nil {
		return v.Numbers, nil
	}
	return v.load(0, v.Shape[len(v.Shape)-1])
}

// Member are the numbers whose last index is k, from 0.
func (v Variable) Member(k int) ([]float64, error) {
	if v.load != nil {
		return v.load(k, k+1)
	}
	n := len(v.Numbers) / v.Shape[len(v.Shape)-1]
	return v.Numbers[k*n : (k+1)*n], nil
}

// classes are MATLAB's, by their number in a file.
var classes = [...]string{1: "cell", 2: "struct", 3: "object", 4: "char", 5: "sparse", 6: "double", 7: "single",
	8: "int8", 9: "uint8", 10: "int16", 11: "uint16", 12: "int32", 13: "uint32", 14: "int64", 15: "uint64",
	16: "function", 17: "opaque"}

const (
	classCell   = 1
	classStruct = 2
	classChar   = 4
	classSparse = 5
	classReal   = 6 // this and the following are numbers, up to classLast
	classLast   = 15
)

// The types of data elements.
const (
	miINT8       = 1
	miUINT8      = 2
	miINT16      = 3
	miUINT16     = 4
	miINT32      = 5
	miUINT32     = 6
	miSINGLE     = 7
	miDOUBLE     = 9
	miINT64      = 12
	miUINT64     = 13
	miMATRIX     = 14
	miCOMPRESSED = 15
	miUTF8       = 16
	miUTF16      = 17
	miUTF32      = 18
)

// Flags of an array.
const (
	flagComplex = 0x0800
	flagLogical = 0x0200
)

// HeaderSize is the length of the header of a file, bytes.
const HeaderSize = 128

// Is reports whether a file with these first HeaderSize bytes is a MAT-file.
func Is(first []byte) bool {
	return bytes.HasPrefix(first, []byte("MATLAB")) || len(first) >= HeaderSize &&
		(string(first[126:128]) == "IM" || string(first[126:128]) == "MI")
}

// Name makes a name that MATLAB takes of any text: letters, digits and underscores, a
// letter first, at most 63.
func Name(s string) string {
	name := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, s)
	if name == "" || name[0] == '_' || name[0] >= '0' && name[0] <= '9' {
		name = "x" + name
	}
	return name[:min(len(name), 63)]
}

// Matrix makes a variable of numbers in C order (the last index runs fastest), with the
// same indices.
func Matrix(name string, c []float64, shape ...int) Variable {
	v := Variable{Name: name, Shape: shape, Numbers: make([]float64, len(c)), Class: "double"}
	if len(shape) == 1 {
		v.Shape = []int{shape[0], 1}
	}
	// Step through C order, keeping the place in MATLAB's.
	stride, index := make([]int, len(shape)), make([]int, len(shape))
	n := 1
	for i, size := range shape {
		stride[i] = n
		n *= size
	}
	if n != len(c) {
		panic(fmt.Sprintf("mat5: %d numbers for the shape %v", len(c), shape))
	}
	at := 0
	for _, x := range c {
		v.Numbers[at] = x
		for i := len(shape) - 1; i >= 0; i-- {
			index[i]++
			at += stride[i]
			if index[i] < shape[i] {
				break
			}
			at -= stride[i] * shape[i]
			index[i] = 0
		}
	}
	return v
}

// Rows are the numbers in C order.
func (v Variable) Rows() []float64 {
	// The transpose of the reversed shape: what Matrix does, the other way round.
	back := make([]int, len(v.Shape))
	for i, size := range v.Shape {
		back[len(back)-1-i] = size
	}
	return Matrix("", v.Numbers, back...).Numbers
}

// Texts makes a cell of texts, a column.
func Texts(name string, texts []string) Variable {
	return Variable{Name: name, Shape: []int{len(texts), 1}, Texts: texts, Class: "cell"}
}

// Count is the number of elements.
func (v Variable) Count() int {
	n := 1
	for _, d := range v.Shape {
		n *= d
	}
	return n
}

// Describe is the variable in a list: "ts (60×6 double)".
func (v Variable) Describe() string {
	one := fmt.Sprintf("%.80s (%s %s)", v.Name, strings.Trim(strings.ReplaceAll(fmt.Sprint(v.Size()), " ", "×"),
		"[]"), v.Class)
	if v.Problem != nil {
		one += " – " + v.Problem.Error()
	}
	return one
}

// Find finds a value as MATLAB names it: ts, out.timeseries, sub(2).ts, data{4}, with indices from 1.
func Find(all []Variable, path string) (Variable, error) {
	name, rest := cutName(path)
	at := slices.IndexFunc(all, func(v Variable) bool { return v.Name == name })
	if at < 0 || name == "" {
		return Variable{}, fmt.Errorf("there is no variable %.80q", name)
	}
	v, done := all[at], name
	for rest != "" {
		var err error
		switch rest[0] {
		case '.':
			name, rest = cutName(rest[1:])
			v, err = v.field(name)
			done += "." + name
		case '{', '(':
			open, end := rest[:1], strings.IndexAny(rest, "})")
			if end < 0 || (rest[end] == '}') != (open == "{") {
				return Variable{}, fmt.Errorf("%.80q: a bracket is not closed", path)
			}
			v, err = v.element(rest[1:end], open == "{")
			done, rest = done+rest[:end+1], rest[end+1:]
		default:
			return Variable{}, fmt.Errorf("%.80q is not the name of a value, such as out.timeseries, sub(2).ts or data{4}", path)
		}
		if err != nil {
			return Variable{}, fmt.Errorf("%.80s: %w", done, err)
		}
	}
	v.Name = path
	return v, nil
}

func cutName(path string) (name, rest string) {
	if end := strings.IndexAny(path, ".({"); end >= 0 {
		return path[:end], path[end:]
	}
	return path, ""
}

// field is a field of a struct.
func (v Variable) field(name string) (Variable, error) {
	at := slices.Index(v.Fields, name)
	switch {
	case v.Class != "struct":
		return v, fmt.Errorf("it is not in a struct, but in a %s", v.Class)
	case at < 0:
		return v, fmt.Errorf("the struct has no field %.80q; it has %.200s", name, strings.Join(v.Fields, ", "))
	case v.Count() != 1:
		return v, fmt.Errorf("there are %d structs: choose one, as in sub(2).%.80s", v.Count(), name)
	}
	return v.Cells[at], nil
}

// element is an element of a cell or of a struct array, by one index, or one for each dimension.
func (v Variable) element(indices string, curly bool) (Variable, error) {
	if curly != (v.Class == "cell") || !curly && v.Class != "struct" {
		return v, fmt.Errorf("a %s has no such elements; {} is for cells, and () for structs", v.Class)
	}
	parts := strings.Split(indices, ",")
	at, stride := 0, 1
	for i, p := range parts {
		k, err := strconv.Atoi(strings.TrimSpace(p))
		most := v.Count()
		if len(parts) > 1 && i < len(v.Shape) {
			most = v.Shape[i]
		}
		if err != nil || k < 1 || k > most || len(parts) > 1 && len(parts) != len(v.Shape) {
			return v, fmt.Errorf("the index %.40s is outside %v, or no index", indices, v.Shape)
		}
		at, stride = at+(k-1)*stride, stride*most
	}
	switch {
	case !curly:
		n := len(v.Fields)
		return Variable{Shape: []int{1, 1}, Class: v.Class, Fields: v.Fields, Cells: v.Cells[at*n : (at+1)*n]}, nil
	case v.Cells == nil:
		return Variable{Shape: []int{1, len(v.Texts[at])}, Class: "char", Texts: v.Texts[at : at+1]}, nil
	}
	return v.Cells[at], nil
}
