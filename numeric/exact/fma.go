package exact

import "math"

// FMA32 is x·y + z with one rounding, as processors compute it; math.FMA is the same in double
// precision. The product is exact in float64 and the sum has 53 bits there. Rounding it again to 24
// is wrong only where it lies halfway between two numbers, or between 0 and the normal ones: there it is
// rounded to odd first.
func FMA32(x, y, z float32) float32 {
	p := float64(float64(x) * float64(y))
	s := p + float64(z)
	if b := math.Float64bits(s); b<<35 == 1<<63 || b<<1-1 < fma32Normal-1 {
		return odd(p, s, z)
	}
	return float32(s)
}

const fma32Normal = 2 * (1023 - 126) << 52 // the bits of the smallest normal number, without the sign

// odd is s, the sum of p and z, rounded to odd (Boldo & Melquiond 2008, IEEE Trans Comput 57:462),
// toward the error of the sum (Knuth 1997, The Art of Computer Programming 2, 4.2.2), and then to float32.
//
//go:noinline
func odd(p, s float64, z float32) float32 {
	t, c, b := s-p, float64(z), math.Float64bits(s)
	if e := (p - (s - t)) + (c - t); e != 0 && b&1 == 0 {
		if (e > 0) == (s > 0) {
			b++
		} else {
			b--
		}
		s = math.Float64frombits(b)
	}
	return float32(s)
}
