package gorgonia

import (
	"slices"
	"testing"

	"gorgonia.org/tensor"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
)

// An array and its tensor share memory, both ways, for every element type.
func TestTensorSharesMemory(t *testing.T) {
	t.Run("float64", sharesMemory[float64])
	t.Run("float32", sharesMemory[float32])
	t.Run("int64", sharesMemory[int64])
	t.Run("int32", sharesMemory[int32])
	t.Run("int16", sharesMemory[int16])
	t.Run("uint8", sharesMemory[uint8])
	t.Run("complex64", sharesMemory[complex64])
	t.Run("complex128", sharesMemory[complex128])
}

func sharesMemory[T encoding.Element](t *testing.T) {
	data := []T{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	a := encoding.NewArray(data, 2, 3, 2)
	d := Tensor(a)
	if x, err := d.At(1, 0, 1); err != nil || x != T(7) {
		t.Errorf("(1, 0, 1) is %v, %v, want 7", x, err)
	}
	if err := d.SetAt(T(70), 1, 0, 1); err != nil || data[7] != 70 {
		t.Errorf("70 was written to the tensor, and the array has %v, %v", data[7], err)
	}
	back, err := FromTensor(d)
	need.NoError(t, err)
	got, err := encoding.Data[T](back)
	if err != nil || !slices.Equal(back.Shape, a.Shape) || &got[0] != &data[0] || len(got) != len(data) {
		t.Errorf("the array that comes back is of shape %v over other memory: %v", back.Shape, err)
	}
	none := encoding.NewArray([]T{}, 0, 3)
	empty := need.Value(FromTensor(Tensor(none)))(t)
	if !slices.Equal(empty.Shape, none.Shape) || empty.DType() != none.DType() {
		t.Errorf("an array without elements comes back as %s %v", empty.DType(), empty.Shape)
	}
	scalar, err := FromTensor(tensor.New(tensor.FromScalar(T(5))))
	if err != nil || len(scalar.Shape) != 0 || scalar.Parts()[0] != 5 {
		t.Errorf("a scalar becomes %v, %v", scalar, err)
	}
}

// What does not lie in C order is copied, in the order of its indices.
func TestTensorOfAnotherOrder(t *testing.T) {
	of := func() *tensor.Dense {
		return tensor.New(tensor.WithShape(3, 4), tensor.WithBacking([]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}))
	}
	columns := need.Value(of().Slice(nil, tensor.S(1, 3)))(t)
	column := need.Value(of().Slice(nil, tensor.S(2)))(t)
	rows := need.Value(of().Slice(tensor.S(1, 3)))(t)
	transposed := of()
	need.NoError(t, transposed.T())
	for name, c := range map[string]struct {
		t     *tensor.Dense
		shape []int
		want  []float64
	}{
		"columns":    {columns.(*tensor.Dense), []int{3, 2}, []float64{1, 2, 5, 6, 9, 10}},
		"a column":   {column.(*tensor.Dense), []int{3}, []float64{2, 6, 10}},
		"rows":       {rows.(*tensor.Dense), []int{2, 4}, []float64{4, 5, 6, 7, 8, 9, 10, 11}},
		"transposed": {transposed, []int{4, 3}, []float64{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}},
		"column-major": {tensor.New(tensor.WithShape(2, 3), tensor.AsFortran([]float64{0, 1, 2, 3, 4, 5})), []int{2, 3},
			[]float64{0, 1, 2, 3, 4, 5}},
	} {
		a, err := FromTensor(c.t)
		if err != nil || !slices.Equal(a.Shape, c.shape) || !slices.Equal(a.Float64s(), c.want) {
			t.Errorf("%s: %v, %v, want %v of %v", name, a, err, c.want, c.shape)
			continue
		}
		for i, x := range c.want { // the definition, by the package's own index
			at := make([]int, len(c.shape))
			for axis, rest := len(at)-1, i; axis >= 0; axis-- {
				at[axis], rest = rest%c.shape[axis], rest/c.shape[axis]
			}
			if y, err := c.t.At(at...); err != nil || y != x {
				t.Errorf("%s: the tensor has %v at %v, %v, the array %v", name, y, at, err, x)
			}
		}
	}
}

func TestTensorRefused(t *testing.T) {
	masked := tensor.New(tensor.WithShape(2), tensor.WithBacking([]float64{1, 2}, []bool{false, true}))
	text := tensor.New(tensor.WithShape(2), tensor.WithBacking([]string{"a", "b"}))
	for want, d := range map[string]*tensor.Dense{
		"the tensor is masked, but an array has no mask: fill its masked elements first":                             masked,
		"the tensor holds string: arrays hold float64, float32, int64, int32, int16, uint8, complex64 or complex128": text,
	} {
		if a, err := FromTensor(d); err == nil || err.Error() != want {
			t.Errorf("%v, %v, want %q", a, err, want)
		}
	}
}

func TestFromNil(t *testing.T) {
	if a, err := FromTensor(nil); err == nil {
		t.Errorf("no tensor is the array %v", a)
	}
}
