// Package dense multiplies matrices, fast and with the same bits on every machine:
// each element of a product is one sum over the depth, in its order, each step of which
// is a fused multiply-add, x·y + z with one rounding (math.FMA, exact.FMA32). Vector code
// works on many such sums side by side, and neither blocking nor the number of goroutines
// changes the order within one. Dot and the sums over one vector have lanes instead, as
// each of them states.
//
// Slices are row-major. A slice that is too short for the sizes given panics.
package dense

import "sync"

//go:generate -command asm go run -C ../../internal/asm . -pkg dense
//go:generate asm -out ../../numeric/dense/kernel_amd64.s -stubs ../../numeric/dense/kernel_stubs_amd64.go products
//go:generate asm -out ../../numeric/dense/vectors_amd64.s -stubs ../../numeric/dense/vectors_stubs_amd64.go vectors
//go:generate asm -out ../../numeric/dense/kernel_arm64.s -stubs ../../numeric/dense/kernel_stubs_arm64.go neonproducts
//go:generate asm -out ../../numeric/dense/vectors_arm64.s -stubs ../../numeric/dense/vectors_stubs_arm64.go neonvectors

// Float is the precision of a computation.
type Float interface{ float32 | float64 }

// A View is a matrix within a slice: element (i, j) is Data[i·Row + j·Col].
type View[T Float] struct {
	Data     []T
	Row, Col int
}

// Rows is the view of a row-major matrix of this width.
func Rows[T Float](data []T, width int) View[T] { return View[T]{data, width, 1} }

// T is the transpose.
func (v View[T]) T() View[T] { return View[T]{v.Data, v.Col, v.Row} }

// from is the view that begins at element (i, j).
func (v View[T]) from(i, j int) View[T] {
	return View[T]{v.Data[min(len(v.Data), i*v.Row+j*v.Col):], v.Row, v.Col}
}

// depthOfPanel is how much of the depth one panel of b holds: with 32 columns of float32, half a MiB.
const depthOfPanel = 4096

// Multiply computes c = a·b, or c += a·b with add, for a of m × depth and b of
// depth × n; c is row-major with rows cs apart. With add, the sum of an element
// begins at what is there: two products of depths p and q give the bits of
// one of depth p+q.
func Multiply[T Float](c []T, cs int, a, b View[T], m, depth, n int, add bool, threads int) {
	if m == 0 || n == 0 {
		return
	}
	if depth == 0 {
		for i := 0; !add && i < m; i++ {
			clear(c[i*cs:][:n])
		}
		return
	}
	k := kernelOf[T]()
	panels := (n + k.cols - 1) / k.cols
	if a.Row == 1 && a.Col >= 128 && depth >= 256 && panels > 1 {
		k.turned(c, cs, a, b, m, depth, n, add, threads)
		return
	}
	// Panels of columns are shared out; where there are few, their rows as well.
	strips := 1
	if threads > 1 && panels < 2*threads {
		strips = min(2*threads, (m+k.rows-1)/k.rows)
	}
	height := ((m+strips-1)/strips + k.rows - 1) / k.rows * k.rows
	strips = (m + height - 1) / height
	Each(threads, panels*strips, func(i int) {
		i0, j0 := i/panels*height, i%panels*k.cols
		k.panel(c[i0*cs+j0:], cs, a.from(i0, 0), b.from(0, j0), min(height, m-i0), depth, min(k.cols, n-j0), add)
	})
}

// turned multiplies by a tall a that is transposed: its elements along the depth lie so far apart that they fall
// into one another's lines of the cache. Strips of rows are laid side by side first, part of the depth at a time.
func (k *kernel[T]) turned(c []T, cs int, a, b View[T], m, depth, n int, add bool, threads int) {
	const part = 256
	height := 20 * k.rows
	Each(threads, (m+height-1)/height, func(s int) {
		work := workspaceOf[T]()
		defer work.release()
		i0 := s * height
		rows := min(height, m-i0)
		strip := work.take(0, part*rows)
		for p0 := 0; p0 < depth; p0 += part {
			d := min(part, depth-p0)
			for p := range d {
				copy(strip[p*rows:][:rows], a.Data[(p0+p)*a.Col+i0:])
			}
			for j0 := 0; j0 < n; j0 += k.cols {
				k.panel(c[i0*cs+j0:], cs, View[T]{strip, 1, rows}, b.from(p0, j0), rows, d, min(k.cols, n-j0),
					add || p0 > 0)
			}
		}
	})
}

// Gram computes the products of the rows of a (m × depth) with one another:
// c = a·aᵀ, m × m.
func Gram[T Float](c []T, a View[T], m, depth, threads int) {
	k := kernelOf[T]()
	panels := (m + k.cols - 1) / k.cols
	b := a.T()
	Each(threads, panels, func(i int) {
		j0 := i * k.cols
		k.panel(c[j0*m+j0:], m, a.from(j0, 0), b.from(0, j0), m-j0, depth, min(k.cols, m-j0), false)
	})
	for i := range m {
		for j := i + 1; j < m; j++ {
			c[i*m+j] = c[j*m+i]
		}
	}
}

// Each calls work(i) for every i < n, in as many goroutines. Nothing that is
// computed may depend on which does what.
func Each(threads, n int, work func(i int)) {
	if threads = min(threads, n); threads < 2 {
		for i := range n {
			work(i)
		}
		return
	}
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	var wait sync.WaitGroup
	for range threads {
		wait.Go(func() {
			for i := range next {
				work(i)
			}
		})
	}
	wait.Wait()
}

// A kernel multiplies by one panel of columns.
type kernel[T Float] struct {
	rows, cols int
	half       *kernel[T] // one of half as many columns, or nil
	// run: c (m × cols) = or += a (m × depth, by strides) times b (depth rows of
	// cols values, bs apart); m and depth are above 0.
	run func(c []T, cs int, a []T, ai, ap int, b []T, bs, m, depth, cols int, add bool)
}

var (
	kernel32 = last(kernels[float32]())
	kernel64 = last(kernels[float64]())
)

// last is the fastest kernel; the one before it, unless it is the portable one, has half of its columns.
func last[T Float](s []*kernel[T]) *kernel[T] {
	k := s[len(s)-1]
	if len(s) > 2 {
		k.half = s[len(s)-2]
	}
	return k
}

// kernelOf is the fastest kernel of this machine.
func kernelOf[T Float]() *kernel[T] {
	if k, ok := any(kernel32).(*kernel[T]); ok {
		return k
	}
	return any(kernel64).(*kernel[T])
}

// panel multiplies by up to k.cols columns of b, which it packs unless they are
// as the kernel wants them.
func (k *kernel[T]) panel(c []T, cs int, a, b View[T], m, depth, n int, add bool) {
	if k.half != nil && n <= k.half.cols {
		k = k.half
	}
	work := workspaceOf[T]()
	defer work.release()
	// A panel that is narrower than the kernel is computed beside c.
	out, os := c, cs
	if n < k.cols {
		out, os = work.take(0, m*k.cols), k.cols
		for i := 0; add && i < m; i++ {
			copy(out[i*os:][:n], c[i*cs:])
		}
	}
	for p0 := 0; p0 < depth; p0 += depthOfPanel {
		d := min(depthOfPanel, depth-p0)
		part, bs := b.from(p0, 0), b.Row
		data := part.Data
		if n < k.cols || b.Col != 1 || m > 16*k.rows && b.Row > 4*k.cols {
			data, bs = work.take(1, d*k.cols), k.cols
			pack(data, part, d, n, k.cols)
		}
		k.run(out, os, a.from(0, p0).Data, a.Row, a.Col, data, bs, m, d, k.cols, add || p0 > 0)
	}
	for i := 0; n < k.cols && i < m; i++ {
		copy(c[i*cs:][:n], out[i*os:])
	}
}

// pack lays depth rows of n values side by side, filled up with zeros to cols.
func pack[T Float](to []T, b View[T], depth, n, cols int) {
	if b.Col == 1 {
		for p := range depth {
			row := to[p*cols:][:cols]
			copy(row, b.Data[p*b.Row:][:n])
			clear(row[n:])
		}
		return
	}
	if n < cols {
		clear(to[:depth*cols])
	}
	// Some rows at a time: what is written to stays in the nearest cache.
	const rows = 64
	for p0 := 0; p0 < depth; p0 += rows {
		end := min(depth, p0+rows)
		for j := range n {
			from := b.Data[j*b.Col:]
			for p := p0; p < end; p++ {
				to[p*cols+j] = from[p*b.Row]
			}
		}
	}
}

// A workspace is memory that products reuse.
type workspace[T Float] struct {
	part [2][]T
	pool *sync.Pool
}

var pools = [2]sync.Pool{{New: func() any { return new(workspace[float32]) }},
	{New: func() any { return new(workspace[float64]) }}}

func workspaceOf[T Float]() *workspace[T] {
	i := 0
	if _, double := any(*new(T)).(float64); double {
		i = 1
	}
	w := pools[i].Get().(*workspace[T])
	w.pool = &pools[i]
	return w
}

func (w *workspace[T]) release() { w.pool.Put(w) }

func (w *workspace[T]) take(i, n int) []T {
	if cap(w.part[i]) < n {
		w.part[i] = make([]T, n)
	}
	return w.part[i][:n]
}
