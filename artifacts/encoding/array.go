package encoding

import (
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"

	"prgnn/internal/lists"
)

// A Number is an element type of an Array that stages compute with.
type Number interface {
	float64 | float32 | int64 | int32 | int16 | uint8
}

// An Element is any element type of an Array.
type Element interface {
	Number | complex64 | complex128
}

// An Array is an n-dimensional array in C order (the last axis runs fastest).
// As a Value it is an npy file, version 1.0, little-endian, its data aligned to
// 64 bytes, so that numpy can map it into memory.
type Array struct {
	Shape  []int
	data   any    // a slice of an Element
	stored string // the type in the file that it was read from, where it is not that of data
}

// NewArray wraps data (not copied). It panics unless the product of shape is
// len(data).
func NewArray[T Element](data []T, shape ...int) *Array {
	if n, err := elements(shape); err != nil || n != len(data) {
		panic(fmt.Sprintf("encoding: an array of shape %v does not hold %d elements", shape, len(data)))
	}
	return &Array{Shape: slices.Clone(shape), data: data}
}

// elements is the product of the lengths of the axes: 1 for no axis at all, a
// single number.
func elements(shape []int) (int, error) {
	n := 1
	for _, d := range shape {
		switch {
		case d < 0:
			return 0, fmt.Errorf("shape %v has a negative axis", shape)
		case d > 0 && n > math.MaxInt/d:
			return 0, fmt.Errorf("shape %v has too many elements", shape)
		}
		n *= d
	}
	return n, nil
}

// check reports why an array cannot be encoded: it was not made by NewArray, or Shape does not fit the elements.
func (a *Array) check() error {
	if a == nil || a.data == nil {
		return errors.New("the array has no elements: NewArray makes it of a slice and a shape")
	}
	n, err := elements(a.Shape)
	if have := reflect.ValueOf(a.data).Len(); err == nil && n != have {
		err = fmt.Errorf("an array of shape %v holds %d elements, not %d: NewArray makes one of another shape", a.Shape, n,
			have)
	}
	return err
}

// Values are the elements in C order, as a slice of their type: []float64 and so on.
func (a *Array) Values() any { return a.data }

// DType is numpy's name of the element type: "<f8", "<f4", "<i8", "<i4", "<i2", "|u1", "<c8" or "<c16".
func (a *Array) DType() string {
	switch a.data.(type) {
	case []float64:
		return "<f8"
	case []float32:
		return "<f4"
	case []int64:
		return "<i8"
	case []int32:
		return "<i4"
	case []int16:
		return "<i2"
	case []uint8:
		return "|u1"
	case []complex64:
		return "<c8"
	case []complex128:
		return "<c16"
	}
	panic("encoding: the Array was not made by NewArray")
}

// Len is the number of elements.
func (a *Array) Len() int {
	n, err := elements(a.Shape)
	if err != nil {
		panic("encoding: " + err.Error())
	}
	return n
}

// Data returns the elements without copying; it fails when the array's element
// type is not T.
func Data[T Element](a *Array) ([]T, error) {
	if d, ok := a.data.([]T); ok {
		return d, nil
	}
	want := Array{data: []T(nil)}
	return nil, fmt.Errorf("the array holds %s, not %s", a.DType(), want.DType())
}

// IsComplex reports whether the elements are complex numbers, which no stage of this program computes with.
func (a *Array) IsComplex() bool {
	switch a.data.(type) {
	case []complex64, []complex128:
		return true
	}
	return false
}

// Parts are the real and the imaginary part of each element, one after the other: twice as many numbers as elements.
func (a *Array) Parts() []float64 {
	var out []float64
	switch d := a.data.(type) {
	case []complex64:
		for _, x := range d {
			out = append(out, float64(real(x)), float64(imag(x)))
		}
	case []complex128:
		for _, x := range d {
			out = append(out, real(x), imag(x))
		}
	default:
		for _, x := range a.Float64s() {
			out = append(out, x, 0)
		}
	}
	return out
}

// Float64s returns the elements converted to float64 (without copying when they
// are float64 already: read-only). It panics where they are complex: see IsComplex and Parts.
func (a *Array) Float64s() []float64 {
	switch d := a.data.(type) {
	case []float64:
		return d
	case []float32:
		return floats(d)
	case []int64:
		return floats(d)
	case []int32:
		return floats(d)
	case []int16:
		return floats(d)
	case []uint8:
		return floats(d)
	}
	panic("encoding: an array of " + a.DType() + " has no real numbers")
}

func floats[T Number](d []T) []float64 {
	out := lists.Map(d, func(x T) float64 { return float64(x) })
	return out
}

// Format is "npy".
func (a *Array) Format() string { return "npy" }

// Encode writes the array as npy.
func (a *Array) Encode(w io.Writer) error { return writeNPY(w, a) }

// Stack joins arrays of one shape and element type along a new first axis:
// n arrays of shape (r, c) become one of shape (n, r, c).
func Stack(arrays []*Array) (*Array, error) {
	if len(arrays) == 0 {
		return nil, fmt.Errorf("stack: no arrays, so the shape of the result is unknown")
	}
	first := arrays[0]
	stored := first.stored
	for i, a := range arrays {
		if a.stored != stored {
			stored = ""
		}
		if a.DType() != first.DType() || !slices.Equal(a.Shape, first.Shape) {
			return nil, fmt.Errorf("stack: array %d is %s %v, but array 0 is %s %v",
				i, a.DType(), a.Shape, first.DType(), first.Shape)
		}
	}
	shape := append([]int{len(arrays)}, first.Shape...)
	whole := func(a *Array) (*Array, error) {
		a.stored = stored
		return a, nil
	}
	switch first.data.(type) {
	case []float64:
		return whole(stack[float64](arrays, shape))
	case []float32:
		return whole(stack[float32](arrays, shape))
	case []int64:
		return whole(stack[int64](arrays, shape))
	case []int32:
		return whole(stack[int32](arrays, shape))
	case []int16:
		return whole(stack[int16](arrays, shape))
	case []complex64:
		return whole(stack[complex64](arrays, shape))
	case []complex128:
		return whole(stack[complex128](arrays, shape))
	default:
		return whole(stack[uint8](arrays, shape))
	}
}

func stack[T Element](arrays []*Array, shape []int) *Array {
	out := make([]T, 0, len(arrays)*arrays[0].Len())
	for _, a := range arrays {
		out = append(out, a.data.([]T)...)
	}
	return NewArray(out, shape...)
}
