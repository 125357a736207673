package exact

import "math"

// FMA32 is x·y + z with one rounding, as processors compute it; math.FMA is the same in double
// precision. The product is exact in float64 and the sum has 53 bits there. Rounding it again to 24
// is wrong only where it lies halfway between two numbers, or below the normal ones: there it is
// rounded to odd first (Boldo & Melquiond 2008, IEEE Trans Comput 57:462), toward the error of the
// sum (Knuth 1997, The Art of Computer Programming 2, 4.2.2).
func FMA32(x, y, z float32) float32 {
	p, c := float64(float64(x)*float64(y)), float64(z)
	s := p + c
	b := math.Float64bits(s)
	if b&(1<<29-1) == 1<<28 || b<<1 < fma32Normal {
		t := s - p
		if e := (p - (s - t)) + (c - t); e != 0 && b&1 == 0 {
			if (e > 0) == (s > 0) {
				b++
			} else {
				b--
			}
			s = math.Float64frombits(b)
		}
	}
	return float32(s)
}

const fma32Normal = 2 * (1023 - 126) << 52 // the bits of the smallest normal number, without the sign
