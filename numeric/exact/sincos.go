package exact

import "math"

// π/2 = sum of the four; the first three have 33 bits, so that n times each is
// exact for |n| < 2^20.
const (
	pio2a = 0x1.921fb54400000p+0
	pio2b = 0x1.0b4611a600000p-34
	pio2c = 0x1.3198a2e000000p-69
	pio2d = 0x1.b839a252049c1p-104
)

// Sincos is the sine and the cosine of x, |x| ≤ 1e6, within 2 ulp. Beyond that
// range, where the reduction would lose digits, both are NaN.
func Sincos(x float64) (sin, cos float64) {
	if !(math.Abs(x) <= 1e6) {
		return math.NaN(), math.NaN()
	}
	if math.Abs(x) < 0x1p-27 {
		return x, 1
	}
	n := math.Floor(float64(x*(2/math.Pi)) + 0.5)
	// r + e = x − n·π/2. The first difference is exact, the others keep their
	// rounding errors.
	a := x - float64(n*pio2a)
	b, eb := twoDiff(a, float64(n*pio2b))
	c, ec := twoDiff(b, float64(n*pio2c))
	r, e := twoDiff(c, float64(n*pio2d)-(eb+ec))
	s, co := sinKernel(r, e), cosKernel(r, e)
	switch int(n) & 3 {
	case 0:
		return s, co
	case 1:
		return co, -s
	case 2:
		return -s, -co
	}
	return -co, s
}

// twoDiff gives a−b rounded, and the error of that rounding (Knuth, TAOCP 4.2.2).
func twoDiff(a, b float64) (d, e float64) {
	d = a - b
	bb := a - d
	return d, (a - (d + bb)) - (b - bb)
}

// sinKernel is sin(r+e) for |r| ≤ 0.79 and a tiny e.
func sinKernel(r, e float64) float64 {
	z := float64(r * r)
	p := 1.0 / 355687428096000
	p = float64(p*z) - 1.0/1307674368000
	p = float64(p*z) + 1.0/6227020800
	p = float64(p*z) - 1.0/39916800
	p = float64(p*z) + 1.0/362880
	p = float64(p*z) - 1.0/5040
	p = float64(p*z) + 1.0/120
	p = float64(p*z) - 1.0/6
	// sin(r+e) ≈ sin r + e·(1 − r²/2)
	return r + (float64(float64(r*z)*p) + float64(e*(1-float64(0.5*z))))
}

// cosKernel is cos(r+e) for |r| ≤ 0.79 and a tiny e.
func cosKernel(r, e float64) float64 {
	z := float64(r * r)
	p := 1.0 / 20922789888000
	p = float64(p*z) - 1.0/87178291200
	p = float64(p*z) + 1.0/479001600
	p = float64(p*z) - 1.0/3628800
	p = float64(p*z) + 1.0/40320
	p = float64(p*z) - 1.0/720
	p = float64(p*z) + 1.0/24
	// 1 − z/2 loses bits; the second sum gives them back.
	h := float64(0.5 * z)
	w := 1 - h
	return w + (((1 - w) - h) + (float64(float64(z*z)*p) - float64(r*e)))
}
