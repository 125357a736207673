package baseline

import (
	"prgnn/gnn"
	"prgnn/internal/dense"
	"prgnn/internal/random"
)

// A full layer is y = x·W + b for rows x; W is in × out.
type full[T gnn.Float] struct {
	in, out int
	w, b    gnn.Param
}

// fulls adds the layers of an MLP of these widths to a layout.
func fulls[T gnn.Float](l *gnn.Layout, widths []int, name func(i int) string) []full[T] {
	var layers []full[T]
	for i := range len(widths) - 1 {
		f := full[T]{in: widths[i], out: widths[i+1]}
		f.w, f.b = add(l, name(i)+"_W", f.in, f.out), add(l, name(i)+"_b", f.out)
		layers = append(layers, f)
	}
	return layers
}

// add appends an array to a layout.
func add(l *gnn.Layout, name string, shape ...int) gnn.Param {
	p := gnn.Param{Name: name, Shape: shape, Offset: l.Len()}
	*l = append(*l, p)
	return p
}

func of[T any](params []T, p gnn.Param) []T { return params[p.Offset:][:p.Len()] }

func (f full[T]) forward(y, x, params []T, n, threads int) {
	b := of(params, f.b)
	for i := range n {
		copy(y[i*f.out:], b)
	}
	dense.Multiply(y, f.out, dense.Rows(x, f.in), dense.Rows(of(params, f.w), f.out), n, f.in, f.out, true, threads)
}

// backward: dW = xᵀ·dy; db = Σ dy; dx = dy·Wᵀ, unless dx is nil. dx is computed as
// its transpose, which is quicker for a batch that is smaller than the layer.
func (f full[T]) backward(dx, dy, x, params, grad []T, n, threads int) {
	dense.Multiply(of(grad, f.w), f.out, dense.Rows(x, f.in).T(), dense.Rows(dy, f.out), f.in, n, f.out, false, threads)
	db := of(grad, f.b)
	clear(db)
	for i := range n {
		for j, v := range dy[i*f.out:][:f.out] {
			db[j] += v
		}
	}
	if dx == nil {
		return
	}
	turned := make([]T, f.in*n)
	dense.Multiply(turned, n, dense.Rows(of(params, f.w), f.out), dense.Rows(dy, f.out).T(), f.in,
		f.out, n, false, threads)
	for i := range n {
		for j := range f.in {
			dx[i*f.in+j] = turned[j*n+i]
		}
	}
}

// relu is max(x, 0) + slope·min(x, 0), in place.
func relu[T gnn.Float](v []T, slope T) {
	for i, x := range v {
		v[i] = max(x, 0) + T(slope*min(x, 0))
	}
}

// reluBack multiplies a gradient by the slope where the result was not above 0.
func reluBack[T gnn.Float](d, y []T, slope T) {
	for i, v := range y {
		if !(v > 0) {
			d[i] *= slope
		}
	}
}

// drop sets each value to 0 with probability p, and divides the others by 1−p; it
// gives the factors.
func drop[T gnn.Float](v []T, p float64, r *random.Stream) []T {
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

func times[T gnn.Float](v, factor []T) {
	for i, f := range factor {
		v[i] *= f
	}
}
