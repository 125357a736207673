// Package gorgonia takes arrays to the tensors of gorgonia.org/tensor and back, for a lab's own
// stages. The program itself does not import it: with that package every exported method of every
// type stays in the binary (it embeds reflect.Type), which is 14 MB.
//
// Two traps of tensors: arithmetic on views is slow, and the product of a view of some columns is
// wrong unless the view is copied first (Materialize).
package gorgonia

import (
	"errors"
	"fmt"

	"gorgonia.org/tensor"

	"prgnn/artifacts/encoding"
)

// Tensor is an array as a dense tensor of the same shape over the same memory: what is written to
// one is seen in the other. An array without axes becomes a tensor of shape [1]. An array without
// elements becomes a tensor without elements, whose method Data panics; FromTensor takes it back.
func Tensor(a *encoding.Array) *tensor.Dense {
	shape := a.Shape
	if len(shape) == 0 {
		shape = []int{1}
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(a.Values()))
}

// FromTensor is a tensor as an array of the same shape. It shares the tensor's memory if the elements
// lie in C order without gaps; it copies views with gaps, transposes and column-major tensors.
// Masked tensors and element types other than those of Element are errors.
func FromTensor(t *tensor.Dense) (*encoding.Array, error) {
	if t == nil {
		return nil, errors.New("there is no tensor (nil)")
	}
	if t.Shape().TotalSize() == 0 && !t.IsScalar() {
		return withoutElements(t)
	}
	if t.IsMasked() {
		return nil, errors.New("the tensor is masked, but an array has no mask: fill its masked elements first")
	}
	switch data := t.Data().(type) {
	case complex64:
		return encoding.NewArray([]complex64{data}), nil
	case complex128:
		return encoding.NewArray([]complex128{data}), nil
	case []complex64:
		return fromTensor(t, data)
	case []complex128:
		return fromTensor(t, data)
	case float64:
		return encoding.NewArray([]float64{data}), nil
	case float32:
		return encoding.NewArray([]float32{data}), nil
	case int64:
		return encoding.NewArray([]int64{data}), nil
	case int32:
		return encoding.NewArray([]int32{data}), nil
	case int16:
		return encoding.NewArray([]int16{data}), nil
	case uint8:
		return encoding.NewArray([]uint8{data}), nil
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
	return nil, errElement(t)
}

func errElement(t *tensor.Dense) error {
	return fmt.Errorf("the tensor holds %v: arrays hold float64, float32, int64, int32, int16, uint8, complex64 or complex128",
		t.Dtype())
}

// withoutElements is the array of a tensor that has none: the package cannot give its data.
func withoutElements(t *tensor.Dense) (*encoding.Array, error) {
	shape := []int(t.Shape())
	switch t.Dtype() {
	case tensor.Float64:
		return encoding.NewArray([]float64{}, shape...), nil
	case tensor.Float32:
		return encoding.NewArray([]float32{}, shape...), nil
	case tensor.Int64:
		return encoding.NewArray([]int64{}, shape...), nil
	case tensor.Int32:
		return encoding.NewArray([]int32{}, shape...), nil
	case tensor.Int16:
		return encoding.NewArray([]int16{}, shape...), nil
	case tensor.Uint8:
		return encoding.NewArray([]uint8{}, shape...), nil
	case tensor.Complex64:
		return encoding.NewArray([]complex64{}, shape...), nil
	case tensor.Complex128:
		return encoding.NewArray([]complex128{}, shape...), nil
	}
	return nil, errElement(t)
}

func fromTensor[T encoding.Element](t *tensor.Dense, data []T) (*encoding.Array, error) {
	shape, strides := []int(t.Shape()), t.Strides()
	if len(strides) != len(shape) {
		return nil, fmt.Errorf("the tensor has shape %v and strides %v: copy it first (Materialize)", shape, strides)
	}
	n := t.Shape().TotalSize()
	inOrder, step := true, 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		inOrder = inOrder && (strides[axis] == step || shape[axis] == 1)
		step *= shape[axis]
	}
	if inOrder {
		return encoding.NewArray(data[:n], shape...), nil
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
	return encoding.NewArray(out, shape...), nil
}
