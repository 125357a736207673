// Package dense multiplies matrices, fast and with the same bits on every machine:
// each element of a product is one sum over the depth, in its order, each step of which
// is a fused multiply-add, x·y + z with one rounding (math.FMA, exact.FMA32). Vector code
// works on many such sums side by side, and neither blocking nor the number of goroutines
// changes the order within one. Dot and the sums over one vector have lanes instead, as
// each of them states.
//
// Slices are row-major. A slice that is too short for the sizes given panics.
package dense

import (
	"sync"
	"unsafe"
)

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

// depthOfPanel is how much of the depth one panel of b holds: with 32 columns of float32, 128 KiB.
const depthOfPanel = 1024

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
	turned := a.Row == 1 && a.Col >= 128 && depth >= 256
	if panels > 1 && (turned || m > manyRows*k.rows && m*depth > 1<<17) {
		k.blocked(c, cs, a, b, m, depth, n, add, turned, threads)
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

// manyRows is how many times the rows of a kernel are worth a copy of b.
const manyRows = 16

// blocked multiplies part of the depth and of the columns at a time (Goto & van de Geijn 2008, ACM Trans Math Softw
// 34:12): panels of b, half a MiB of them, are packed once for all rows of a, and so many rows of a as have a quarter
// of a MiB stay in the second-level cache while all these panels are multiplied by them. Of a turned a, the elements
// along the depth lie so far apart that they fall into one another's lines of the cache: its rows are laid side by
// side first.
func (k *kernel[T]) blocked(c []T, cs int, a, b View[T], m, depth, n int, add, turned bool, threads int) {
	part, size := depthOfPanel, int(unsafe.Sizeof(*new(T)))
	if turned {
		part = 256
	}
	shared := workspaceOf[T]()
	defer shared.release()
	for p0 := 0; p0 < depth; p0 += part {
		d := min(part, depth-p0)
		group := max(1, 1<<19/size/d/k.cols) * k.cols
		height := max(1, 1<<18/size/d/k.rows) * k.rows
		if threads > 1 {
			height = min(height, (m/(2*threads)+k.rows)/k.rows*k.rows)
		}
		for g0 := 0; g0 < n; g0 += group {
			w := min(group, n-g0)
			panels := (w + k.cols - 1) / k.cols
			packed := shared.take(0, panels*k.cols*d)
			// Some rows of all panels at a time: rows that lie in one piece are read in one piece.
			rows := (d + packRows - 1) / packRows
			Each(threads, rows, func(i int) {
				from := i * packRows
				for j := 0; j < w; j += k.cols {
					cols := k.of(w - j).cols
					pack(packed[j*d+from*cols:], b.from(p0+from, g0+j), min(packRows, d-from), min(k.cols, w-j), cols)
				}
			})
			Each(threads, (m+height-1)/height, func(s int) {
				work := workspaceOf[T]()
				defer work.release()
				i0 := s * height
				rows := min(height, m-i0)
				strip := a.from(i0, p0)
				if turned {
					side := work.take(1, d*rows)
					for p := range d {
						copy(side[p*rows:][:rows], strip.Data[p*a.Col:])
					}
					strip = View[T]{side, 1, rows}
				}
				for j := 0; j < w; j += k.cols {
					kernel := k.of(w - j)
					kernel.times(work, c[i0*cs+g0+j:], cs, strip, packed[j*d:], kernel.cols, rows, d, min(k.cols, w-j),
						add || p0 > 0)
				}
			})
		}
	}
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
	EachWith(threads, n, func() func(int) { return work })
}

// EachWith is Each with a function for each goroutine, which may have memory of its own.
func EachWith(threads, n int, worker func() func(i int)) {
	if threads = min(threads, n); threads < 2 {
		work := worker()
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
			work := worker()
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

// of is the kernel for so many columns, or for more.
func (k *kernel[T]) of(columns int) *kernel[T] {
	if k.half != nil && columns <= k.half.cols {
		return k.half
	}
	return k
}

// panel multiplies by up to k.cols columns of b, which it packs unless they are
// as the kernel wants them.
func (k *kernel[T]) panel(c []T, cs int, a, b View[T], m, depth, n int, add bool) {
	k = k.of(n)
	work := workspaceOf[T]()
	defer work.release()
	for p0 := 0; p0 < depth; p0 += depthOfPanel {
		d := min(depthOfPanel, depth-p0)
		part, bs := b.from(p0, 0), b.Row
		data := part.Data
		if n < k.cols || b.Col != 1 || m > manyRows*k.rows && b.Row > 4*k.cols {
			data, bs = work.take(1, d*k.cols), k.cols
			pack(data, part, d, n, k.cols)
		}
		k.times(work, c, cs, a.from(0, p0), data, bs, m, d, n, add || p0 > 0)
	}
}

// times multiplies by n columns, of which there are k.cols in data. What is narrower than the kernel is computed
// beside c.
func (k *kernel[T]) times(work *workspace[T], c []T, cs int, a View[T], data []T, bs, m, depth, n int, add bool) {
	if n == k.cols {
		k.run(c, cs, a.Data, a.Row, a.Col, data, bs, m, depth, k.cols, add)
		return
	}
	out := work.take(0, m*k.cols)
	for i := 0; add && i < m; i++ {
		copy(out[i*k.cols:][:n], c[i*cs:])
	}
	k.run(out, k.cols, a.Data, a.Row, a.Col, data, bs, m, depth, k.cols, add)
	for i := range m {
		copy(c[i*cs:][:n], out[i*k.cols:])
	}
}

// packRows are how many rows are packed at a time.
const packRows = 32

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
	for p0 := 0; p0 < depth; p0 += packRows {
		end := min(depth, p0+packRows)
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
