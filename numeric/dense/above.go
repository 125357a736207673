package dense

import (
	"math"
	"unsafe"
)

// Above calls found for each row i of a (m × depth, depth > 0) and row j of b (n × depth) whose product has a magnitude
// of least or more, least > 0, in a fixed order. It leaves out no such pair of rows that were rounded to float32: what
// the roundings may take away is allowed for, so some with a little less are found as well. A row with a NaN is found
// with every other; all other numbers are finite.
func Above(a, b []float32, m, n, depth int, least float64, found func(i, j int)) {
	// |fl(a·b) − a·b| ≤ γ|a||b|, γ = depth·2⁻²⁴ (Higham 2002, Accuracy and Stability of Numerical Algorithms, 3.1) for
	// the sum, one 2⁻²⁴ for either row and one for the scale; one more for the terms of second order.
	least -= float64(float64(depth+4) / (1 << 24) * longest(a, depth) * longest(b, depth))
	const width, strip = 32, 512
	// Scaled so that 2 is least, bit 30 of a product says whether it is that much; it is set in a NaN, too.
	scale := math.Inf(1)
	if least > 0 {
		scale = 2 / least
	}
	if scale > 1e30 {
		for i := range m * n {
			found(i/n, i%n)
		}
		return
	}
	panels := make([]float32, (n+width-1)/width*width*depth)
	for j := range n {
		panel := panels[j/width*width*depth+j%width:]
		for p, x := range b[j*depth:][:depth] {
			panel[p*width] = x * float32(scale)
		}
	}
	words := make([]uint64, strip*width/2) // the bits of two products each
	products := unsafe.Slice((*float32)(unsafe.Pointer(&words[0])), strip*width)
	for i0 := 0; i0 < m; i0 += strip {
		rows := min(strip, m-i0)
		for j0 := 0; j0 < n; j0 += width {
			panel := Rows(panels[j0*depth:][:width*depth], width)
			Multiply(products, width, Rows(a[i0*depth:], depth), panel, rows, depth, width, false, 1)
			for i := range rows {
				w := (*[width / 2]uint64)(words[i*width/2:])
				if (w[0]|w[1]|w[2]|w[3]|w[4]|w[5]|w[6]|w[7]|w[8]|w[9]|w[10]|w[11]|w[12]|w[13]|w[14]|w[15])&
					0x4000_0000_4000_0000 == 0 {
					continue
				}
				for j, x := range products[i*width:][:min(width, n-j0)] {
					if !(x > -2 && x < 2) {
						found(i0+i, j0+j)
					}
				}
			}
		}
	}
}

// longest is the largest length of a row that is a number.
func longest(a []float32, depth int) float64 {
	most := 0.0
	for ; len(a) > 0 && depth > 0; a = a[depth:] {
		squares := 0.0
		for _, x := range a[:depth] {
			squares += float64(float64(x) * float64(x))
		}
		if squares > most { // not of NaN
			most = squares
		}
	}
	return math.Sqrt(most)
}
