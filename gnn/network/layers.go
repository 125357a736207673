package network

import (
	"math"
	"slices"
	"sync"

	"prgnn/gnn"
	"prgnn/numeric/dense"
	"prgnn/numeric/random"
)

// A Full layer is y = x·W + b for rows x; W is in × out.
type Full[T gnn.Float] struct {
	In, Out int
	W, B    gnn.Param
}

// Fulls adds the layers of an MLP of these widths to a layout.
func Fulls[T gnn.Float](l *gnn.Layout, widths []int, name func(i int) string) []Full[T] {
	var layers []Full[T]
	for i := range len(widths) - 1 {
		f := Full[T]{In: widths[i], Out: widths[i+1]}
		f.W, f.B = Add(l, name(i)+"_W", f.In, f.Out), Add(l, name(i)+"_b", f.Out)
		layers = append(layers, f)
	}
	return layers
}

// Add appends an array to a layout.
func Add(l *gnn.Layout, name string, shape ...int) gnn.Param {
	p := gnn.Param{Name: name, Shape: shape, Offset: l.Len()}
	*l = append(*l, p)
	return p
}

// Size makes room for n values, whose former values may be left in it.
func Size[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	*s = (*s)[:n]
	return *s
}

// Memory lends slices, so that the batches after the first one need no new ones. What is in them is undefined. Batches
// of series of any lengths need about as much as the largest of them.
type Memory[T any] struct {
	lock sync.Mutex
	free [][]T // by length, the shortest first
	lent [][]T
}

// Take lends a slice of n values until Give or Reset: the shortest of n to 2n that is free. A new one takes the place
// of one that is free and shorter.
func (m *Memory[T]) Take(n int) []T {
	m.lock.Lock()
	defer m.lock.Unlock()
	s := []T(nil)
	at, _ := slices.BinarySearchFunc(m.free, n, func(s []T, n int) int { return len(s) - n })
	switch {
	case at < len(m.free) && len(m.free[at]) <= 2*n:
		s = m.free[at]
		m.free = slices.Delete(m.free, at, at+1)
	case at > 0 && 2*len(m.free[at-1]) > n:
		m.free = slices.Delete(m.free, at-1, at)
		fallthrough
	default:
		s = make([]T, n)
	}
	m.lent = append(m.lent, s)
	return s[:n]
}

// Give takes one slice back.
func (m *Memory[T]) Give(s []T) {
	m.lock.Lock()
	defer m.lock.Unlock()
	for i, lent := range slices.Backward(m.lent) {
		if &lent[0] == &s[0] {
			m.lent = slices.Delete(m.lent, i, i+1)
			m.back(lent)
			return
		}
	}
}

// Reset takes back all that is lent.
func (m *Memory[T]) Reset() {
	m.lock.Lock()
	defer m.lock.Unlock()
	for _, s := range m.lent {
		m.back(s)
	}
	clear(m.lent)
	m.lent = m.lent[:0]
}

func (m *Memory[T]) back(s []T) {
	at, _ := slices.BinarySearchFunc(m.free, len(s), func(s []T, n int) int { return len(s) - n })
	m.free = slices.Insert(m.free, at, s)
}

// Of are the values of an array.
func Of[T any](params []T, p gnn.Param) []T { return params[p.Offset:][:p.Len()] }

// Forward computes n rows.
func (f Full[T]) Forward(y, x, params []T, n, threads int) {
	b := Of(params, f.B)
	for i := range n {
		copy(y[i*f.Out:], b)
	}
	dense.Multiply(y, f.Out, dense.Rows(x, f.In), dense.Rows(Of(params, f.W), f.Out), n, f.In, f.Out, true, threads)
}

// Backward: dW = xᵀ·dy and db = Σ dy, unless grad is nil; dx = dy·Wᵀ, unless dx is nil. dx is computed as
// its transpose, which is quicker for a batch that is smaller than the layer.
func (f Full[T]) Backward(dx, dy, x, params, grad []T, n, threads int) {
	if grad != nil {
		dense.Multiply(Of(grad, f.W), f.Out, dense.Rows(x, f.In).T(), dense.Rows(dy, f.Out), f.In, n, f.Out, false,
			threads)
		db := Of(grad, f.B)
		clear(db)
		for i := range n {
			gnn.Add(db, dy[i*f.Out:][:f.Out])
		}
	}
	switch {
	case dx == nil:
		return
	case n >= f.In:
		dense.Multiply(dx, f.In, dense.Rows(dy, f.Out), dense.Rows(Of(params, f.W), f.Out).T(), n, f.Out,
			f.In, false, threads)
		return
	}
	turned := make([]T, f.In*n)
	dense.Multiply(turned, n, dense.Rows(Of(params, f.W), f.Out), dense.Rows(dy, f.Out).T(), f.In,
		f.Out, n, false, threads)
	for i := range n {
		for j := range f.In {
			dx[i*f.In+j] = turned[j*n+i]
		}
	}
}

// Through computes the layers of an MLP for n rows, with a ReLU of this slope between them. The first value is x.
func Through[T gnn.Float](layers []Full[T], params, x []T, slope T, n, threads int) [][]T {
	values := [][]T{x}
	for i, f := range layers {
		y := make([]T, n*f.Out)
		f.Forward(y, values[i], params, n, threads)
		if i < len(layers)-1 {
			gnn.ReLU(y, slope)
		}
		values = append(values, y)
	}
	return values
}

// ThroughBack carries the gradient d of the last value to the parameters, and returns that of x if it is wanted.
func ThroughBack[T gnn.Float](layers []Full[T], params, grad []T, values [][]T, d []T, slope T, wanted bool, n,
	threads int) []T {
	for i := len(layers) - 1; i >= 0; i-- {
		var dx []T
		if i > 0 || wanted {
			dx = make([]T, len(values[i]))
		}
		layers[i].Backward(dx, d, values[i], params, grad, n, threads)
		if i > 0 {
			gnn.ReLUBack(dx, values[i], slope)
		}
		d = dx
	}
	return d
}

// Drop sets each value to 0 with probability p, and divides the others by 1−p; it
// gives the factors.
func Drop[T gnn.Float](v []T, p float64, r *random.Stream) []T {
	keep := T(1 / (1 - p))
	mask := make([]T, len(v))
	for i := range v {
		if r.Float64() >= p {
			mask[i] = keep
		}
		v[i] *= mask[i]
	}
	return mask
}

// A Mask is a dropout of numbers: which are kept, as gnn.Drawn draws them, and their factor.
type Mask[T gnn.Float] struct {
	Kept   []uint8
	Factor T
}

// NewMask draws a dropout of so many numbers with the probability p.
func NewMask[T gnn.Float](kept []uint8, p float64, r *random.Stream) Mask[T] {
	m := Mask[T]{kept, T(1 / (1 - p))}
	gnn.Drawn(m.Kept, p, r)
	return m
}

// Drop sets out to x after the dropout, of numbers from place at on.
func (m Mask[T]) Drop(out, x []T, at int) { gnn.Drop(out, x, m.Kept[at:][:len(x)], m.Factor) }

// Times multiplies by the factors of Drop.
func Times[T gnn.Float](v, factor []T) {
	for i, f := range factor {
		v[i] *= f
	}
}

// epsilon is added to the variance of a layer normalization, as in PyTorch.
const epsilon = 1e-5

// Normalize centers v and scales it to variance 1, in place: a layer normalization before its scale and
// shift. It returns the factor.
func Normalize[T gnn.Float](v []T) T {
	inverse := T(1 / math.Sqrt(float64(gnn.Center(v)+epsilon)))
	gnn.Scale(v, inverse)
	return inverse
}

// Contrast sets d to the gradient of the logit of class 1 less that of class 0, or with more classes of the
// largest logit less the mean of the others.
func Contrast[T gnn.Float](d, logits []T) {
	if len(d) == 2 {
		d[0], d[1] = -1, 1
		return
	}
	class := 0
	for c := range d {
		d[c] = -1 / T(len(d)-1)
		if logits[c] > logits[class] {
			class = c
		}
	}
	d[class] = 1
}
