package artifacts

import (
	"fmt"
	"strings"

	"gorgonia.org/tensor"
)

// This file is the one that knows the package gorgonia.org/tensor. Arrays are
// handed to it where something n-dimensional is wanted and speed is not: slices
// for a look, and printing. Arithmetic on its views is slow, and a
// product of a view that was cut by columns is wrong unless the view is made
// into an array of its own first (Materialize).

// Tensor is the array as a dense tensor over the same memory: read-only.
func (a *Array) Tensor() (*tensor.Dense, error) {
	if a.Len() == 0 {
		return nil, fmt.Errorf("an array of shape %v has no elements, and a tensor must have some", a.Shape)
	}
	shape := a.Shape
	if len(shape) == 0 {
		shape = []int{1}
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(a.data)), nil
}

// Preview is the array for a person to look at: its corners when it is large, and of
// more than three axes the first three-dimensional block.
func (a *Array) Preview() string {
	t, err := a.Tensor()
	if err != nil {
		return fmt.Sprintf("(no elements: %s %v)\n", a.DType(), a.Shape)
	}
	var view tensor.View = t
	note := ""
	if extra := len(a.Shape) - 3; extra > 0 {
		first := make([]tensor.Slice, extra)
		for i := range first {
			first[i] = tensor.S(0)
		}
		if v, err := t.Slice(first...); err == nil {
			view = v
			note = "[" + strings.Repeat("0, ", extra) + "…]:\n"
		}
	}
	format := "%v"
	switch a.data.(type) {
	case []float64, []float32:
		format = "%.6v"
	}
	lines := strings.Split(fmt.Sprintf(format, view), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return note + strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}
