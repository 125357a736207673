//go:build !purego

package dense

import "golang.org/x/sys/cpu"

//go:generate -command asm go run -C ../../internal/asm . -pkg dense
//go:generate asm -out ../../numeric/dense/kernel_amd64.s -stubs ../../numeric/dense/kernel_stubs_amd64.go products

// kernels are those that this machine can run, the fastest last; their results
// are those of the portable one, bit for bit.
func kernels[T Float]() []*kernel[T] {
	all := []any{portable[T]()}
	if _, double := any(*new(T)).(float64); double && cpu.X86.HasAVX2 {
		all = append(all, &kernel[float64]{rows: 6, cols: 8, run: bytes(8, run64)})
		if cpu.X86.HasAVX512F {
			all = append(all, &kernel[float64]{rows: 12, cols: 16, run: bytes(8, run64wide)})
		}
	} else if cpu.X86.HasAVX2 {
		all = append(all, &kernel[float32]{rows: 6, cols: 16, run: bytes(4, run32)})
		if cpu.X86.HasAVX512F {
			all = append(all, &kernel[float32]{rows: 12, cols: 32, run: bytes(4, run32wide)})
		}
	}
	out := make([]*kernel[T], len(all))
	for i, k := range all {
		out[i] = k.(*kernel[T])
	}
	return out
}

// bytes checks that every access of the assembly is inside the slices, and passes
// on addresses and strides in bytes. The kernel that it calls has cols columns.
func bytes[T Float](size int, run func(c *T, cs int, a *T, ai, ap int, b *T, bs, m, depth, add int)) func(c []T, cs int,
	a []T, ai, ap int, b []T, bs, m, depth, cols int, add bool) {
	return func(c []T, cs int, a []T, ai, ap int, b []T, bs, m, depth, cols int, add bool) {
		_, _, _ = c[(m-1)*cs+cols-1], a[(m-1)*ai+(depth-1)*ap], b[(depth-1)*bs+cols-1]
		more := 0
		if add {
			more = 1
		}
		run(&c[0], size*cs, &a[0], size*ai, size*ap, &b[0], size*bs, m, depth, more)
	}
}

var hasAVX2 = cpu.X86.HasAVX2

func addTiles(c []float64, cs int, a, b []float64, ld, m, depth int) {
	if !hasAVX2 {
		addTilesGo(c, cs, a, b, ld, m, depth)
		return
	}
	_, _, _ = c[(m-1)*cs+tileCols-1], a[(depth-1)*ld+m-1], b[(depth-1)*ld+tileCols-1]
	run64(&c[0], 8*cs, &a[0], 8, 8*ld, &b[0], 8*ld, m, depth, 1)
}
