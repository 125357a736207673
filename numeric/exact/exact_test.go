package exact

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"prgnn/internal/need"
)

// The oracle: power series summed in 192 bits with math/big.
const prec = 192

func num(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }
func zero() *big.Float         { return new(big.Float).SetPrec(prec) }

// inverse are 1/k: a product takes a third of the time of a quotient.
var inverse = func() []*big.Float {
	inv := make([]*big.Float, 20_000)
	for k := range inv[1:] {
		inv[k+1] = zero().Quo(num(1), num(float64(k+1)))
	}
	return inv
}()

// series sums t, t·f(1), t·f(1)·f(2) … until the terms vanish.
func series(t *big.Float, next func(k int, t *big.Float)) *big.Float {
	t = zero().Set(t)
	s := zero().Set(t)
	for k := 1; ; k++ {
		next(k, t)
		if t.Sign() == 0 || t.MantExp(nil) < s.MantExp(nil)-prec {
			return s
		}
		s.Add(s, t)
	}
}

// bigAtanh is x + x³/3 + x⁵/5 + … for a small x.
func bigAtanh(x *big.Float) *big.Float {
	s, p, x2, term := zero().Set(x), zero().Set(x), zero().Mul(x, x), zero()
	for k := 3; ; k += 2 {
		p.Mul(p, x2)
		if p.Sign() == 0 || p.MantExp(nil) < s.MantExp(nil)-prec {
			return s
		}
		s.Add(s, term.Mul(p, inverse[k]))
	}
}

var bigLn2 = zero().Mul(num(2), bigAtanh(zero().Quo(num(1), num(3))))

func bigExp(x *big.Float) *big.Float {
	y := zero().SetMantExp(x, -16) // exp(x) = exp(x/2^16)^(2^16)
	s := series(num(1), func(k int, t *big.Float) { t.Mul(t.Mul(t, y), inverse[k]) })
	for range 16 {
		s.Mul(s, s)
	}
	return s
}

func bigLog(x *big.Float) *big.Float {
	m := zero()
	k := x.MantExp(m)
	s := bigAtanh(zero().Quo(zero().Sub(m, num(1)), zero().Add(m, num(1))))
	return s.Add(s.Mul(s, num(2)), zero().Mul(bigLn2, zero().SetInt64(int64(k))))
}

func bigLog1p(x *big.Float) *big.Float {
	if f, _ := x.Float64(); math.Abs(f) > 0.25 {
		return bigLog(zero().Add(x, num(1)))
	}
	s := bigAtanh(zero().Quo(x, zero().Add(x, num(2))))
	return s.Mul(s, num(2))
}

func bigTanh(x *big.Float) *big.Float {
	if x.MantExp(nil) < -40 { // x − x³/3 + 2x⁵/15
		x2 := zero().Mul(x, x)
		c := zero().Sub(zero().Mul(x2, zero().Quo(num(2), num(15))), zero().Quo(num(1), num(3)))
		return zero().Mul(x, c.Add(c.Mul(c, x2), num(1)))
	}
	e := bigExp(zero().Mul(x, num(2)))
	return zero().Quo(zero().Sub(e, num(1)), zero().Add(e, num(1)))
}

func bigAtanhAny(x *big.Float) *big.Float {
	t := zero().Quo(zero().Mul(x, num(2)), zero().Sub(num(1), x))
	l := bigLog1p(t)
	return l.Mul(l, num(0.5))
}

// bigPi by Machin's formula.
var bigPi = func() *big.Float {
	atan := func(n float64) *big.Float {
		x := zero().Quo(num(1), num(n))
		s, p, x2 := zero().Set(x), zero().Set(x), zero().Mul(x, x)
		for k := int64(1); k < 300; k++ {
			p.Neg(p.Mul(p, x2))
			s.Add(s, zero().Quo(p, zero().SetInt64(2*k+1)))
		}
		return s
	}
	d := zero().Sub(zero().Mul(num(4), atan(5)), atan(239))
	return d.Mul(d, num(4))
}()

func bigSin(x *big.Float) *big.Float {
	turns, _ := zero().Quo(x, zero().Mul(bigPi, num(2))).Float64()
	y := zero().Sub(x, zero().Mul(zero().Mul(bigPi, num(2)), num(math.Round(turns))))
	y2 := zero().Neg(zero().Mul(y, y))
	return series(y, func(k int, t *big.Float) { t.Mul(t.Mul(t, y2), inverse[2*k*(2*k+1)]) })
}

func bigCos(x *big.Float) *big.Float { return bigSin(zero().Add(x, zero().Mul(bigPi, num(0.5)))) }

// ulps is |got − want| in units of the last place of want.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	if math.IsInf(w, 0) || math.IsInf(got, 0) {
		if w == got {
			return 0
		}
		return math.Inf(1)
	}
	_, e := math.Frexp(w)
	u := math.Ldexp(1, max(e-53, -1074))
	d, _ := zero().Quo(zero().Sub(num(got), want), num(u)).Float64()
	return math.Abs(d)
}

func uniform(a, b float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return a + (b-a)*r.Float64() }
}

// logUniform draws ±2^u with u in [a, b].
func logUniform(a, b float64, signed bool) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		x := math.Exp2(a + (b-a)*r.Float64())
		if signed && r.IntN(2) == 0 {
			return -x
		}
		return x
	}
}

func TestUlps(t *testing.T) {
	sin := func(x float64) float64 { s, _ := Sincos(x); return s }
	cos := func(x float64) float64 { _, c := Sincos(x); return c }
	nearTurns := func(r *rand.Rand) float64 { // next to a multiple of π/2, where digits cancel
		x := float64(r.IntN(636619)) * (math.Pi / 2)
		return math.Float64frombits(math.Float64bits(x) + uint64(r.IntN(5)) - 2)
	}
	cases := []struct {
		name   string
		got    func(float64) float64
		want   func(*big.Float) *big.Float
		limit  float64
		ranges []func(*rand.Rand) float64
	}{
		{"exp", Exp, bigExp, 1, []func(*rand.Rand) float64{uniform(-1, 1), uniform(-40, 40), uniform(-745, 709.7),
			logUniform(-60, 0, true)}},
		{"log", Log, bigLog, 1, []func(*rand.Rand) float64{uniform(0.5, 2), uniform(0.99, 1.01),
			logUniform(-1074, 1023, false), uniform(0, 100)}},
		{"log1p", Log1p, bigLog1p, 1, []func(*rand.Rand) float64{uniform(-0.999999, 1), logUniform(-60, 0, true),
			logUniform(-2, 1000, false), uniform(0.4, 0.42), uniform(-0.3, -0.28)}},
		{"tanh", Tanh, bigTanh, 2, []func(*rand.Rand) float64{uniform(-1, 1), uniform(-20, 20),
			logUniform(-100, 0, true), uniform(0.1, 0.6)}},
		{"atanh", Atanh, bigAtanhAny, 2, []func(*rand.Rand) float64{uniform(-1, 1), uniform(0.99, 1),
			logUniform(-100, 0, true), uniform(0.15, 0.55)}},
		{"sin", sin, bigSin, 2, []func(*rand.Rand) float64{uniform(-1, 1), uniform(-10, 10), uniform(-1e6, 1e6),
			logUniform(-60, 19, true), nearTurns}},
		{"cos", cos, bigCos, 2, []func(*rand.Rand) float64{uniform(-1, 1), uniform(-10, 10), uniform(-1e6, 1e6),
			logUniform(-60, 19, true), nearTurns}},
	}
	points := 8000
	if testing.Short() {
		points = 1000
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			worst, at := 0.0, 0.0
			for _, draw := range c.ranges {
				for range points {
					x := draw(r)
					if u := ulps(c.got(x), c.want(num(x))); !(u <= worst) {
						worst, at = u, x
					}
				}
			}
			t.Logf("worst error %.3f ulp at %x", worst, at)
			if !(worst <= c.limit) {
				t.Errorf("error %.3f ulp at %v (%x), limit %v", worst, at, at, c.limit)
			}
		})
	}
}

// Exp32 is held against math.Exp, rounded to float32.
func TestExp32(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	worst := 0.0
	for i := range 400000 {
		x := float32(-87.3 + 176*r.Float64())
		if i%2 == 0 {
			x = float32(2*r.Float64() - 1)
		}
		want := math.Exp(float64(x))
		_, e := math.Frexp(want)
		worst = max(worst, math.Abs(float64(Exp32(x))-want)/math.Ldexp(1, e-24))
	}
	t.Logf("worst error %.3f ulp", worst)
	if worst > 1 {
		t.Errorf("error %.3f ulp, limit 1", worst)
	}
	inf := float32(math.Inf(1))
	for _, c := range []struct{ x, want float32 }{{0, 1}, {-88, 0}, {-inf, 0}, {89, inf}, {inf, inf}} {
		need.Equal(t, Exp32(c.x), c.want, "Exp32(", c.x)
	}
	if got := Exp32(float32(math.NaN())); got == got {
		t.Errorf("Exp32(NaN) = %v", got)
	}
}

// FMA32 is the exact x·y + z of math/big, rounded once: on any bits, on numbers of few bits whose sums lie
// halfway between two numbers or next to that, among the smallest and the largest.
func TestFMA32Ulps(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	between := func(low, high int) float32 { // a number with an exponent in this range, often of few bits
		bits := r.Uint32()&0x807fffff | uint32(127+low+r.IntN(high-low+1))<<23
		return math.Float32frombits(bits &^ (1<<r.IntN(24) - 1))
	}
	once, twice := 0, 0
	for i := range 1_500_000 {
		var x, y, z float32
		switch i % 6 {
		case 0:
			x, y, z = math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32()),
				math.Float32frombits(r.Uint32())
		case 1:
			x, y, z = between(-3, 3), between(-3, 3), between(-30, 30)
		case 2: // the product is a little less than 1, or than a half: half of the last place of z
			step := float32(r.IntN(300)) * 0x1p-23
			x, y = float32(1-2*r.IntN(2))*(1+step), 1-step
			z = math.Float32frombits(uint32(127+22+r.IntN(4))<<23 | r.Uint32()&0x807fffff)
		case 3: // results below the normal numbers
			x, y, z = between(-70, -60), between(-80, -60), math.Float32frombits(r.Uint32()&0x80ffffff)
		case 4: // at the largest
			x, y, z = between(60, 64), between(60, 63), between(125, 127)
		default: // what cancels
			x, y = between(0, 0), between(0, 0)
			z = -float32(x * y)
		}
		got, want := FMA32(x, y, z), fma32Big(x, y, z)
		if math.Float32bits(got) != math.Float32bits(want) && (got == got || want == want) {
			t.Fatalf("FMA32(%g, %g, %g) = %g, want %g", x, y, z, got, want)
		}
		if p := float64(x) * float64(y); want == want {
			if float32(float64(p)+float64(z)) != want {
				twice++
			}
			if float32(x*y)+z != want {
				once++
			}
		}
	}
	if twice < 100 || once < 100_000 {
		t.Errorf("only %d cases need the rounding to odd, and %d one rounding", twice, once)
	}
}

// fma32Big is the definition.
func fma32Big(x, y, z float32) float32 {
	p, c := float64(x)*float64(y), float64(z) // p is exact
	if p-p != 0 || c-c != 0 || p == 0 || c == 0 {
		return float32(p + c)
	}
	exact := new(big.Float).SetPrec(1000).Add(new(big.Float).SetFloat64(p), new(big.Float).SetFloat64(c))
	rounded, _ := exact.Float32()
	return rounded
}

func TestSpecialValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	negZero := math.Copysign(0, -1)
	type pair struct{ x, want float64 }
	for _, c := range []struct {
		name  string
		f     func(float64) float64
		pairs []pair
	}{
		{"Exp", Exp, []pair{{0, 1}, {negZero, 1}, {inf, inf}, {-inf, 0}, {710, inf}, {-746, 0}, {nan, nan},
			{-744.5, 5e-324}}},
		{"Log", Log, []pair{{1, 0}, {0, -inf}, {negZero, -inf}, {-1, nan}, {inf, inf}, {-inf, nan}, {nan, nan}}},
		{"Log1p", Log1p, []pair{{0, 0}, {negZero, negZero}, {-1, -inf}, {-2, nan}, {inf, inf}, {nan, nan},
			{5e-324, 5e-324}}},
		{"Tanh", Tanh, []pair{{0, 0}, {negZero, negZero}, {inf, 1}, {-inf, -1}, {30, 1}, {-30, -1}, {nan, nan},
			{1e-300, 1e-300}}},
		{"Atanh", Atanh, []pair{{0, 0}, {negZero, negZero}, {1, inf}, {-1, -inf}, {1.1, nan}, {-2, nan}, {nan, nan},
			{-1e-300, -1e-300}}},
		{"Sin", func(x float64) float64 { s, _ := Sincos(x); return s }, []pair{{0, 0}, {negZero, negZero}, {inf, nan},
			{nan, nan}, {2e6, nan}}},
		{"Cos", func(x float64) float64 { _, c := Sincos(x); return c }, []pair{{0, 1}, {negZero, 1}, {-inf, nan},
			{nan, nan}, {-2e6, nan}}},
	} {
		for _, p := range c.pairs {
			got := c.f(p.x)
			if math.IsNaN(p.want) && math.IsNaN(got) {
				continue
			}
			if math.Float64bits(got) != math.Float64bits(p.want) {
				t.Errorf("%s(%v) = %v, want %v", c.name, p.x, got, p.want)
			}
		}
	}
}

func TestOdd(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 10000 {
		x := math.Exp2(20*r.Float64() - 18)
		if Tanh(-x) != -Tanh(x) {
			t.Fatalf("Tanh is not odd at %v", x)
		}
		if x < 1 && Atanh(-x) != -Atanh(x) {
			t.Fatalf("Atanh is not odd at %v", x)
		}
		s, c := Sincos(x)
		if sn, cn := Sincos(-x); sn != -s || cn != c {
			t.Fatalf("Sincos is not odd and even at %v", x)
		}
	}
}

// TestDigest holds the bits themselves: the digest must be the same for every
// GOARCH and GOAMD64.
func TestDigest(t *testing.T) {
	const want = "dacad029b2943259"
	r := rand.New(rand.NewPCG(7, 8))
	h := sha256.New()
	put := func(x float64) { binary.Write(h, binary.LittleEndian, x) }
	for range 20000 {
		x := 2*r.Float64() - 1
		put(Exp(700 * x))
		put(Log(math.Abs(x)))
		put(Log1p(x))
		put(Tanh(3 * x))
		put(Atanh(x))
		s, c := Sincos(1e6 * x)
		put(s)
		put(c)
		put(float64(Exp32(float32(80 * x))))
	}
	need.Equal(t, fmt.Sprintf("%x", h.Sum(nil)[:8]), want, "digest")
}

// frexp is math.Frexp with a mantissa from √½ on.
func TestFrexp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x := []float64{1, 2, 0.5, math.Sqrt2, math.Sqrt2 / 2, math.Nextafter(math.Sqrt2/2, 0),
		math.SmallestNonzeroFloat64, 0x1p-1022, math.Nextafter(0x1p-1022, 0), math.MaxFloat64}
	for range 100_000 {
		x = append(x, r.Float64()+0x1p-54, math.Float64frombits(r.Uint64N(0x7fefffffffffffff)+1))
	}
	for _, x := range x {
		m, k := math.Frexp(x)
		if m < math.Sqrt2/2 {
			m, k = 2*m, k-1
		}
		if gm, gk := frexp(x); gm != m || gk != k {
			t.Fatalf("frexp(%v) = %v, %d, want %v, %d", x, gm, gk, m, k)
		}
	}
}

// The oracle sums in so many bits that nothing is rounded, and rounds the quotient once.
func TestMean(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 0))
	for range 2000 {
		v := make([]float64, 1+r.IntN(12))
		sum := new(big.Rat)
		for i := range v {
			v[i] = math.Ldexp(r.Float64()-0.3, r.IntN(30))
			sum.Add(sum, new(big.Rat).SetFloat64(v[i]))
		}
		want, _ := sum.Quo(sum, big.NewRat(int64(len(v)), 1)).Float64()
		need.Equal(t, Mean(v), want)
		r.Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] })
		need.Equal(t, Mean(append(v, v...)), want)
		var all Sum // of sums
		for part := range slices.Chunk(v, 3) {
			var of Sum
			for _, x := range part {
				of.Add(x)
			}
			all.Join(of)
		}
		need.Equal(t, all.Mean(float64(len(v))), want)
	}
	for n := 1; n < 400; n++ {
		same := make([]float64, n)
		for i := range same {
			same[i] = 24.0 / 49 // whose sum of three is rounded
		}
		need.Equal(t, Mean(same), 24.0/49)
	}
	if v := Mean(nil); !math.IsNaN(v) {
		t.Error(v)
	}
	need.Equal(t, Mean([]float64{1, math.Inf(1)}), math.Inf(1))
}
