package exact

import "math"

// Exp32 is e**x in single precision, within 1 ulp; results below the smallest
// normal number are 0. It is one straight line of float32 operations between two
// comparisons, so that a vector unit can follow it operation by operation and
// come to the same bits: each product that is added is fused.
func Exp32(x float32) float32 {
	switch {
	case x > exp32Max:
		return float32(math.Inf(1))
	case x < exp32Min:
		return 0
	}
	k := FMA32(x, exp32Log2e, exp32Round)
	n := k - exp32Round // x/ln 2 rounded to the nearest integer, ties to even
	r := FMA32(n, -exp32Ln2Hi, x)
	r = FMA32(n, -exp32Ln2Lo, r)
	p := float32(1.0 / 5040)
	p = FMA32(p, r, 1.0/720)
	p = FMA32(p, r, 1.0/120)
	p = FMA32(p, r, 1.0/24)
	p = FMA32(p, r, 1.0/6)
	p = FMA32(p, r, 0.5)
	p = FMA32(p, r, 1)
	y := FMA32(p, r, 1)
	// The low bits of k's significand are n: adding them to the exponent of y
	// multiplies it by 2^n.
	return math.Float32frombits(math.Float32bits(y) + math.Float32bits(k)<<23)
}

const (
	exp32Max   = 0x1.62e42ep+6  // largest x whose exponential is finite
	exp32Min   = -0x1.5d589ep+6 // smallest x whose exponential is a normal number
	exp32Log2e = 1 / math.Ln2
	exp32Round = 0x1.8p+23 // adding it rounds to an integer
	exp32Ln2Hi = 0x1.62e4p-1
	exp32Ln2Lo = 0x1.7f7d1cp-20
)
