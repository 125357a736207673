package network

import (
	"math"

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
			for j, v := range dy[i*f.Out:][:f.Out] {
				db[j] += v
			}
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
			ReLU(y, slope)
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
			ReLUBack(dx, values[i], slope)
		}
		d = dx
	}
	return d
}

// ReLU is max(x, 0) + slope·min(x, 0), in place.
func ReLU[T gnn.Float](v []T, slope T) {
	for i, x := range v {
		v[i] = max(x, 0) + T(slope*min(x, 0))
	}
}

// ReLUBack multiplies a gradient by the slope where the result was not above 0.
func ReLUBack[T gnn.Float](d, y []T, slope T) {
	slopes := [2]T{slope, 1}
	for i, v := range y { // which of the two is as good as random: it picks a number, not a branch
		above := 0
		if v > 0 {
			above = 1
		}
		d[i] *= slopes[above]
	}
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

// Mask draws factors of dropout, two of each random word: 0 with probability p, otherwise 1/(1−p).
func Mask[T gnn.Float](n int, p float64, r *random.Stream) []T {
	keep, factors, least := make([]T, n), [2]T{0, T(1 / (1 - p))}, uint32(p*(1<<32))
	word := uint64(0)
	for j := range keep {
		if word >>= 32; j%2 == 0 {
			word = r.Uint64()
		}
		kept := 0 // no branch, which would be guessed wrong half of the time
		if uint32(word) >= least {
			kept = 1
		}
		keep[j] = factors[kept]
	}
	return keep
}

// Times multiplies by the factors of Drop or Mask.
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
	inverse := T(1 / math.Sqrt(float64(Center(v)+epsilon)))
	for j := range v {
		v[j] *= inverse
	}
	return inverse
}

// Center takes the mean from v, in place, and returns the variance (n in the denominator).
func Center[T gnn.Float](v []T) T {
	mean, sum := T(0), T(0)
	for _, x := range v {
		mean += x
	}
	mean /= T(len(v))
	for j, x := range v {
		v[j] = x - mean
		sum += T(v[j] * v[j])
	}
	return sum / T(len(v))
}

// Unnormalize turns the gradient d of scale·normal + shift into that of what was normalized, and adds to
// those of scale and shift.
func Unnormalize[T gnn.Float](d, normal, scale, ds, dt []T, inverse T) {
	mean, along := T(0), T(0)
	for j, v := range d {
		ds[j] += T(v * normal[j])
		dt[j] += v
		d[j] = T(v * scale[j])
		mean += d[j]
		along += T(d[j] * normal[j])
	}
	mean /= T(len(d))
	along /= T(len(d))
	for j, v := range d {
		d[j] = inverse * (v - mean - T(normal[j]*along))
	}
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
