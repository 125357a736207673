package encoding

import (
	"errors"
	"fmt"
	"strings"

	"gorgonia.org/tensor"
)

// This file is the one that knows the package gorgonia.org/tensor: previews are printed by it, and
// a lab's own stage may compute with it. Two traps of the package: arithmetic on its views is slow,
// and the product of a view of some columns is wrong unless the view is copied first (Materialize).

// Tensor is the array as a dense tensor of the same shape over the same memory: what is written to
// one is seen in the other. An array without axes becomes a tensor of shape [1]. An array without
// elements is an error: the package has no such tensors.
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

// FromTensor is a tensor as an array of the same shape. It shares the tensor's memory if the elements
// lie in C order without gaps; it copies views with gaps, transposes and column-major tensors.
// Masked tensors and element types other than those of Number are errors.
func FromTensor(t *tensor.Dense) (*Array, error) {
	if t.IsMasked() {
		return nil, errors.New("the tensor is masked, and an array has no mask: fill its masked elements first")
	}
	switch data := t.Data().(type) {
	case float64:
		return NewArray([]float64{data}), nil
	case float32:
		return NewArray([]float32{data}), nil
	case int64:
		return NewArray([]int64{data}), nil
	case int32:
		return NewArray([]int32{data}), nil
	case int16:
		return NewArray([]int16{data}), nil
	case uint8:
		return NewArray([]uint8{data}), nil
	case []float64:
		return fromTensor(t, data)
	case []float32:
		return fromTensor(t, data)
	case []int64:
		return fromTensor(t, data)
	case []int32:
		return fromTensor(t, data)
	case []int16:
		return fromTensor(t, data)
	case []uint8:
		return fromTensor(t, data)
	}
	return nil, fmt.Errorf("the tensor holds %v: arrays hold float64, float32, int64, int32, int16 or uint8", t.Dtype())
}

func fromTensor[T Number](t *tensor.Dense, data []T) (*Array, error) {
	shape, strides := []int(t.Shape()), t.Strides()
	if len(strides) != len(shape) {
		return nil, fmt.Errorf("the tensor has shape %v and strides %v: copy it first (Materialize)", shape, strides)
	}
	n, err := elements(shape)
	if err != nil {
		return nil, err
	}
	inOrder, step := true, 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		inOrder = inOrder && (strides[axis] == step || shape[axis] == 1)
		step *= shape[axis]
	}
	if inOrder {
		return NewArray(data[:n], shape...), nil
	}
	out := make([]T, n)
	for i := range out {
		at, rest := 0, i
		for axis := len(shape) - 1; axis >= 0; axis-- {
			at += rest % shape[axis] * strides[axis]
			rest /= shape[axis]
		}
		out[i] = data[at]
	}
	return NewArray(out, shape...), nil
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
