package connectivity

import (
	"math"

	"prgnn/numeric/exact"
)

// A section is one second-order part of a recursive filter,
// H(z) = (b0 + b1/z + b2/z²) / (1 + a1/z + a2/z²).
type section struct{ b0, b1, b2, a1, a2 float64 }

// butterworth designs a digital Butterworth filter of this order as second-order
// sections, by the bilinear transform of the analogue prototype (Oppenheim &
// Schafer 2010, Discrete-Time Signal Processing, §7.2). Frequencies are shares of
// the Nyquist frequency: high is the lower edge of the pass band (0: none), low
// its upper edge (0: none). A band-pass has twice the order, as everywhere.
//
// Products that feed sums are written out, real and imaginary part, and rounded:
// Go may fuse those of complex numbers.
func butterworth(order int, high, low float64) []section {
	poles, zerosAt1, zerosAtMinus1 := analogue(order, high, low)
	var sections []section
	var single []float64 // real digital poles wait for a partner
	zero := func() (float64, bool) {
		switch {
		case zerosAt1 >= zerosAtMinus1 && zerosAt1 > 0:
			zerosAt1--
			return 1, true
		case zerosAtMinus1 > 0:
			zerosAtMinus1--
			return -1, true
		}
		return 0, false
	}
	numerator := func(s section) section {
		s.b0 = 1
		if z, ok := zero(); ok {
			s.b1 = -z
			if s.a2 != 0 {
				if y, ok := zero(); ok {
					s.b1, s.b2 = -(z + y), z*y
				}
			}
		}
		return s
	}
	for _, p := range poles {
		d := p.bilinear()
		if p.im != 0 {
			sections = append(sections, numerator(section{a1: -2 * d.re, a2: float64(d.re*d.re) + float64(d.im*d.im)}))
			continue
		}
		if single = append(single, d.re); len(single) == 2 {
			sections = append(sections, numerator(section{a1: -(single[0] + single[1]), a2: single[0] * single[1]}))
			single = single[:0]
		}
	}
	for _, p := range single {
		sections = append(sections, numerator(section{a1: -p}))
	}

	// The gain is one in the middle of the pass band: at zero, at the Nyquist
	// frequency, or at the geometric mean of the warped edges.
	at := cplx{1, 0}
	switch {
	case high > 0 && low > 0:
		w := float64(math.Sqrt(float64(warp(high)*warp(low))) / 2) // tan of half the digital angle
		w2 := float64(w * w)
		at = cplx{(1 - w2) / (1 + w2), 2 * w / (1 + w2)}
	case high > 0:
		at = cplx{-1, 0}
	}
	for i := range sections {
		g := sections[i].gain(at)
		sections[i].b0 /= g
		sections[i].b1 /= g
		sections[i].b2 /= g
	}
	return sections
}

// warp is 2·tan(πf/2): the bilinear transform at sampling rate 1.
func warp(f float64) float64 {
	s, c := exact.Sincos(float64(math.Pi*f) / 2)
	return 2 * s / c
}

// analogue is the analogue filter: its poles, one of each conjugate pair (a real pole stands alone), and how many zeros
// the digital filter has at 1 and at −1.
func analogue(order int, high, low float64) (poles []cplx, zerosAt1, zerosAtMinus1 int) {
	switch {
	case high > 0 && low > 0:
		wl, wh := warp(high), warp(low)
		width, center := wh-wl, float64(wl*wh)
		for _, p := range prototype(order) {
			h := p.scale(width / 2)
			root := h.square().minus(cplx{center, 0}).sqrt()
			if p.im == 0 { // a conjugate pair, or two real poles
				if root.im != 0 {
					poles = append(poles, h.plus(root))
				} else {
					poles = append(poles, cplx{h.re + root.re, 0}, cplx{h.re - root.re, 0})
				}
				continue
			}
			poles = append(poles, h.plus(root), h.minus(root))
		}
		zerosAt1, zerosAtMinus1 = order, order
	case high > 0:
		w := warp(high)
		for _, p := range prototype(order) {
			poles = append(poles, p.inverse().scale(w))
		}
		zerosAt1 = order
	default:
		w := warp(low)
		for _, p := range prototype(order) {
			poles = append(poles, p.scale(w))
		}
		zerosAtMinus1 = order
	}
	return poles, zerosAt1, zerosAtMinus1
}

// prototype lists the poles of the analogue low-pass of this order at 1 rad/s, one
// of each conjugate pair: exp(iπ(2k+n−1)/2n).
func prototype(order int) []cplx {
	var p []cplx
	for k := 1; 2*k <= order+1; k++ {
		if 2*k == order+1 {
			p = append(p, cplx{-1, 0})
			continue
		}
		s, c := exact.Sincos(math.Pi * float64(2*k+order-1) / float64(2*order))
		p = append(p, cplx{c, s})
	}
	return p
}

// gain is |H| at a point of the unit circle.
func (s section) gain(z cplx) float64 {
	w := z.inverse()
	w2 := w.square()
	num := cplx{s.b0, 0}.plus(w.scale(s.b1)).plus(w2.scale(s.b2))
	den := cplx{1, 0}.plus(w.scale(s.a1)).plus(w2.scale(s.a2))
	return num.abs() / den.abs()
}

// A cplx is a complex number whose arithmetic is the same everywhere.
type cplx struct{ re, im float64 }

func (a cplx) plus(b cplx) cplx     { return cplx{a.re + b.re, a.im + b.im} }
func (a cplx) minus(b cplx) cplx    { return cplx{a.re - b.re, a.im - b.im} }
func (a cplx) scale(f float64) cplx { return cplx{float64(a.re * f), float64(a.im * f)} }
func (a cplx) norm() float64        { return float64(a.re*a.re) + float64(a.im*a.im) }
func (a cplx) abs() float64         { return math.Sqrt(a.norm()) }
func (a cplx) inverse() cplx        { n := a.norm(); return cplx{a.re / n, -a.im / n} }
func (a cplx) square() cplx {
	return cplx{float64(a.re*a.re) - float64(a.im*a.im), float64(2 * float64(a.re*a.im))}
}

// sqrt is the root with a positive real part (or a positive imaginary one).
func (a cplx) sqrt() cplx {
	r := a.abs()
	if r == 0 {
		return cplx{}
	}
	if a.re >= 0 {
		u := math.Sqrt((r + a.re) / 2)
		return cplx{u, a.im / (2 * u)}
	}
	v := math.Sqrt((r - a.re) / 2)
	if a.im < 0 {
		return cplx{-a.im / (2 * v), -v}
	}
	return cplx{a.im / (2 * v), v}
}

// bilinear maps an analogue pole to the digital one, z = (2+s)/(2−s).
func (a cplx) bilinear() cplx {
	num, den := cplx{2 + a.re, a.im}, cplx{2 - a.re, -a.im}
	n := den.norm()
	return cplx{
		(float64(num.re*den.re) + float64(num.im*den.im)) / n,
		(float64(num.im*den.re) - float64(num.re*den.im)) / n,
	}
}
