package connectivity

import "golang.org/x/sys/cpu"

var hasAVX = cpu.X86.HasAVX

// tileAdd is tileAddGo, by the vector unit where there is one. Both add the same
// rounded products to the same element in the same order.
func tileAdd(c []float64, ldc int, a, b []float64, ld, n int) {
	if !hasAVX {
		tileAddGo(c, ldc, a, b, ld, n)
		return
	}
	_ = c[(tileRows-1)*ldc+tileCols-1]
	_ = a[(n-1)*ld+tileRows-1]
	_ = b[(n-1)*ld+tileCols-1]
	tileAddAVX(&c[0], ldc, &a[0], &b[0], ld, n)
}

//go:noescape
func tileAddAVX(c *float64, ldc int, a, b *float64, ld, n int)
