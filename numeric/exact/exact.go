// Package exact holds the elementary functions whose bits must be the same on
// every machine. The functions of package math will not do: math.Exp, Log and
// Tanh choose their code by processor and architecture, and their last bits
// differ. Here each is one algorithm in plain Go; every product that feeds a sum is
// rounded first (float64(a*b)), so that no compiler may fuse the two. math.Sqrt,
// FMA, Floor, Frexp, Ldexp and the like are exact everywhere and are used as they are.
//
// The method is the same throughout: reduce the argument to a short interval by
// an exact subtraction (Cody & Waite 1980, Software Manual for the Elementary
// Functions), keep the rounding error of that subtraction as a second, small
// number, and sum the Taylor series there from its smallest term. The bounds
// in ulp are held by the tests against math/big.
package exact

import "math"

// ln 2, 2/π and π/2 in pieces. The high piece of ln 2 ends in 21 zero bits, the
// first three of π/2 hold 33 bits each, so that their products with the integers
// of the reductions (|k| < 2^11, |n| < 2^20) are exact.
const (
	log2e = 1 / math.Ln2
	ln2Hi = 0x1.62e42fee00000p-1
	ln2Lo = 0x1.a39ef35793c76p-33
)

// Exp is e**x, within 1 ulp.
func Exp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 0x1.62e42fefa39efp+9: // ln of the largest number
		return math.Inf(1)
	case x < -0x1.74910d52d3052p+9: // ln of half the smallest
		return 0
	}
	k := math.Floor(float64(x*log2e) + 0.5)
	s, e := expm1(x, k)
	return ldexp(1+(s+e), int(k))
}

// expm1 is exp(x − k·ln 2) − 1 as a sum of two numbers, the second within half an
// ulp of the first, for |x − k·ln 2| ≤ 0.36 and |k| < 2^11.
func expm1(x, k float64) (s, e float64) {
	hi := x - float64(k*ln2Hi)
	lo := float64(k * ln2Lo)
	r := hi - lo
	// 1/2 + r/6 + r²/24 + … + r¹¹/13!
	p := 1.0 / 6227020800
	p = float64(p*r) + 1.0/479001600
	p = float64(p*r) + 1.0/39916800
	p = float64(p*r) + 1.0/3628800
	p = float64(p*r) + 1.0/362880
	p = float64(p*r) + 1.0/40320
	p = float64(p*r) + 1.0/5040
	p = float64(p*r) + 1.0/720
	p = float64(p*r) + 1.0/120
	p = float64(p*r) + 1.0/24
	p = float64(p*r) + 1.0/6
	p = float64(p*r) + 0.5
	q := float64(float64(r*r)*p) - lo
	s = hi + q
	return s, (hi - s) + q
}

// ldexp is math.Ldexp for a finite m in [1/2, 2), without its special cases.
func ldexp(m float64, k int) float64 {
	if k > -1021 && k < 1023 {
		return m * math.Float64frombits(uint64(1023+k)<<52)
	}
	return math.Ldexp(m, k)
}

// Log is the natural logarithm, within 1 ulp.
func Log(x float64) float64 {
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x == 0:
		return math.Inf(-1)
	case x < 0:
		return math.NaN()
	}
	m, k := frexp(x)
	return log1p(m-1, 0, float64(k))
}

// Log1p is log(1+x), within 1 ulp.
func Log1p(x float64) float64 {
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x == -1:
		return math.Inf(-1)
	case x < -1:
		return math.NaN()
	case math.Abs(x) < 0x1p-54:
		return x // keeps the sign of zero
	case x > math.Sqrt2/2-1 && x < math.Sqrt2-1:
		return log1p(x, 0, 0)
	}
	u := 1 + x
	var c float64 // (1+x)/u − 1, what rounding took away
	if x < 1 {
		c = (x - (u - 1)) / u
	} else {
		c = (1 - (u - x)) / u
	}
	m, k := frexp(u)
	return log1p(m-1, c, float64(k))
}

// frexp gives x = m·2^k with m in [√½, √2), for x above 0. Nothing in it depends on x where that is not tiny: of
// random numbers, every other comparison would be foretold wrongly.
func frexp(x float64) (m float64, k int) {
	const tiny = 0x1p-1022
	if x < tiny {
		m, k = frexp(x * 0x1p54)
		return m, k - 54
	}
	b := int64(math.Float64bits(x))
	e := (b - rootHalf) >> 52
	return math.Float64frombits(uint64(b - e<<52)), int(e)
}

// rootHalf are the bits of √½.
const rootHalf = 0x3fe6a09e667f3bcd

// log1p is k·ln 2 + log(1+f) + c for f in [√½−1, √2−1] and a tiny c. With
// s = f/(2+f), log(1+f) = 2·atanh(s) = 2s + 2s³/3 + 2s⁵/5 + …, and 2s = f − s·f;
// writing s·f as f²/2 − s·f²/2 leaves f, which is exact, as the leading term.
func log1p(f, c, k float64) float64 {
	s := f / (2 + f)
	r := atanhTail(s)
	h := float64(0.5 * float64(f*f))
	t := float64(s*(h+r)) + (float64(k*ln2Lo) + c)
	return float64(k*ln2Hi) - ((h - t) - f)
}

// atanhTail is 2·(atanh(s)/s − 1) for |s| ≤ 0.172.
func atanhTail(s float64) float64 {
	z := float64(s * s)
	p := 2.0 / 23
	p = float64(p*z) + 2.0/21
	p = float64(p*z) + 2.0/19
	p = float64(p*z) + 2.0/17
	p = float64(p*z) + 2.0/15
	p = float64(p*z) + 2.0/13
	p = float64(p*z) + 2.0/11
	p = float64(p*z) + 2.0/9
	p = float64(p*z) + 2.0/7
	p = float64(p*z) + 2.0/5
	p = float64(p*z) + 2.0/3
	return float64(p * z)
}

// Tanh is the hyperbolic tangent, within 2 ulp.
func Tanh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x || a < 0x1p-28: // x − x³/3 rounds to x
		return x
	case a > 20:
		return math.Copysign(1, x)
	}
	var y float64
	if a > 0.55 {
		y = 1 - 2/(Exp(2*a)+1)
	} else { // t/(t+2) with t = e^2a − 1 = 2^k·(1+s+e) − 1, kept as u + lo
		k := math.Floor(float64(2*a*log2e) + 0.5)
		s, e := expm1(2*a, k)
		scale := float64(int(1) << int(k))
		c := 1 - 1/scale
		u := s + c
		lo := float64(scale * (((c - u) + s) + e))
		u = float64(u * scale)
		d := u + 2
		y = u / d
		y += (2*lo/d - float64(y*(u-(d-2)))) / d // what lo and the rounding of d change
	}
	return math.Copysign(y, x)
}

// Atanh is the inverse hyperbolic tangent (Fisher's z), within 2 ulp.
func Atanh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x || a < 0x1p-28:
		return x
	case a > 1:
		return math.NaN()
	case a == 1:
		return math.Inf(int(x))
	case a < 0.17:
		return x + float64(x*0.5*atanhTail(x))
	}
	// atanh(a) = ½·log1p(2a/(1−a)); 1−a is exact from one half on.
	var y float64
	if a < 0.5 {
		t := a + a
		y = 0.5 * Log1p(t+float64(t*a)/(1-a))
	} else {
		y = 0.5 * Log1p((a+a)/(1-a))
	}
	return math.Copysign(y, x)
}

// Mean is the mean, rounded once: whatever their order, and however many they are, equal numbers have their own value,
// and numbers of the same mean have the same one. The errors of the sum are exact (Knuth's two-sum), as is that of the
// division (Dekker 1971, Numerische Mathematik 18:224). NaN of none.
func Mean(v []float64) float64 {
	var s Sum
	for _, x := range v {
		s.Add(x)
	}
	return s.Mean(float64(len(v)))
}

// MeanSD is the mean and the standard deviation of a sample (n − 1), 0 of equal numbers; NaN where there is too little
// of it.
func MeanSD(v []float64) (mean, sd float64) {
	mean = Mean(v)
	for _, x := range v {
		sd += float64((x - mean) * (x - mean))
	}
	return mean, math.Sqrt(sd / float64(len(v)-1))
}

// A Sum adds numbers one by one for their Mean.
type Sum struct{ sum, rest float64 }

// Add adds a number.
func (s *Sum) Add(x float64) {
	sum := s.sum + x
	b := sum - s.sum
	s.rest += (s.sum - (sum - b)) + (x - b)
	s.sum = sum
}

// Join adds the numbers of another sum.
func (s *Sum) Join(other Sum) {
	s.Add(other.sum)
	s.rest += other.rest
}

// Mean is the sum divided by n, rounded once.
func (s *Sum) Mean(n float64) float64 {
	mean := s.sum / n
	if math.IsInf(mean, 0) {
		return mean
	}
	return mean + (math.FMA(-mean, n, s.sum)+s.rest)/n
}
