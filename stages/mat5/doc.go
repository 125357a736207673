// Package mat5 reads and writes MATLAB's MAT-files of version 5, which `save` has
// written since 1997 (-v6, and compressed since 2005: -v7, the default). The format is
// that of MathWorks' "MAT-File Format" (R2024a); scipy.io and GNU Octave are the oracles.
//
// A Variable holds numbers or texts. Numbers of every class, logicals, characters and
// cells of characters are read; of the rest (structs, objects, sparse and complex
// arrays) only the name and the class are, and Problem says so. Arrays are in MATLAB's
// order: the first index runs fastest.
//
// Version 4 and version 7.3 (which is HDF5) are refused, with what to do.
package mat5

import (
	"bytes"
	"fmt"
	"strings"
)

// A Variable is one variable of a file.
type Variable struct {
	Name  string
	Shape []int // at least two, as MATLAB's arrays have
	// Numbers in MATLAB's order: element (i, j) of a matrix is Numbers[i+j*Shape[0]].
	Numbers []float64
	// Texts of a cell of texts, or of the rows of a character array.
	Texts   []string
	Class   string // "double", "cell" …
	Problem error  // why it has neither numbers nor texts
}

// classes are MATLAB's, by their number in a file.
var classes = [...]string{1: "cell", 2: "struct", 3: "object", 4: "char", 5: "sparse", 6: "double", 7: "single",
	8: "int8", 9: "uint8", 10: "int16", 11: "uint16", 12: "int32", 13: "uint32", 14: "int64", 15: "uint64",
	16: "function", 17: "opaque"}

const (
	classCell = 1
	classChar = 4
	classReal = 6 // this and the following are numbers, up to classLast
	classLast = 15
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
