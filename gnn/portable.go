package gnn

import (
	"math"
	"unsafe"

	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
)

func portable[T Float]() *kernels[T] {
	return &kernels[T]{
		gemm: gemm[T], dots: dots[T], outerAdd: outerAdd[T], add: add[T],
		attend: attendBy(exps[T]), attendBack: attendBack[T], spread: spread[T],
		edgeDots: edgeDots[T], collect: collect[T], spread1: spread1[T], edgeDots1: edgeDots1[T],
		sigmoid: sigmoid[T], softmax: softmaxBy(exps[T]),
		rank: rank[T], blank: blank[T], link: link[T],
		gate: gate[T], gateBack: gateBack[T], mmdSums: mmdSums[T],
		unfold: unfold[T], integers: integers[uint8], repeated: repeated[uint8],
		rowKernels: rowKernels[T]{
			scale: scale[T], affine: affine[T], relu: relu[T], reluBack: reluBack[T], drop: drop[T], drawn: drawn,
			sum: sum[T], center: center[T], unscale: unscale[T], uncenter: uncenter[T],
			products: products[T], softmaxBack: softmaxBack[T], adam: adam[T],
		},
	}
}

// Exp is e**x in the precision of T.
func Exp[T Float](x T) T {
	if unsafe.Sizeof(x) == 4 {
		return T(exact.Exp32(float32(x)))
	}
	return T(exact.Exp(float64(x)))
}

// gemm has no form of its own here: package dense sums in the same order, in both precisions
// with the vectors of the machine.
func gemm[T Float](c []T, cs int, a []T, ai, ap int, b []T, bs int, m, n, w int, _ []T) {
	dense.Multiply(c, cs, dense.View[T]{Data: a, Row: ai, Col: ap}, dense.View[T]{Data: b, Row: bs, Col: 1}, m, n, w,
		false, 1)
}

func dot[T Float](a, b []T, w int) T {
	x, y := a[:8:8], b[:8:8]
	s0, s1, s2, s3 := T(x[0]*y[0]), T(x[1]*y[1]), T(x[2]*y[2]), T(x[3]*y[3])
	s4, s5, s6, s7 := T(x[4]*y[4]), T(x[5]*y[5]), T(x[6]*y[6]), T(x[7]*y[7])
	for j := lanes; j < w; j += lanes {
		a, b := a[j:][:8:8], b[j:][:8:8]
		s0 += T(a[0] * b[0])
		s1 += T(a[1] * b[1])
		s2 += T(a[2] * b[2])
		s3 += T(a[3] * b[3])
		s4 += T(a[4] * b[4])
		s5 += T(a[5] * b[5])
		s6 += T(a[6] * b[6])
		s7 += T(a[7] * b[7])
	}
	return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
}

func dots[T Float](out, a, b []T, n, w int) {
	for i := range n {
		out[i] = dot(a[i*w:][:w], b, w)
	}
}

// exps replaces numbers by their exponentials.
func exps[T Float](v []T) {
	for i, x := range v {
		v[i] = Exp(x)
	}
}

// attendBy takes the largest logit off before the exponentials, so that none
// overflows; the sum of a row is then at least 1. Places that are no entries have the exponential of −∞, 0.
func attendBy[T Float](exps func(v []T)) func(alpha []T, a *adjacency[T], f, g []T, slope T) {
	return func(alpha []T, a *adjacency[T], f, g []T, slope T) {
		alpha = alpha[:a.size()]
		for e := range alpha {
			alpha[e] = T(math.Inf(-1))
		}
		for i := range a.n {
			e0 := int(a.first[i])
			e1 := e0 + lanes*int(a.degree[i])
			var largest T
			for e := e0; e < e1; e += lanes {
				pre := f[i] + g[a.col[e]]
				l := T(a.weight[e] * activate(pre, slope))
				alpha[e] = l
				if e == e0 || l > largest {
					largest = l
				}
			}
			for e := e0; e < e1; e += lanes {
				alpha[e] -= largest
			}
		}
		exps(alpha)
		for i := range a.n {
			e0 := int(a.first[i])
			e1 := e0 + lanes*int(a.degree[i])
			var sum T
			for e := e0; e < e1; e += lanes {
				sum += alpha[e]
			}
			scale := 1 / sum
			for e := e0; e < e1; e += lanes {
				alpha[e] *= scale
			}
		}
	}
}

func attendBack[T Float](d, alpha []T, a *adjacency[T], f, g []T, slope T, df []T) {
	for i := range a.n {
		e0 := int(a.first[i])
		e1 := e0 + lanes*int(a.degree[i])
		var mean T // Σ α·dα
		for e := e0; e < e1; e += lanes {
			mean += T(alpha[e] * d[e])
		}
		var sum T
		for e := e0; e < e1; e += lanes {
			// α = softmax(l): dl = α·(dα − mean); l = e·act(pre)
			x := alpha[e] * (d[e] - mean) * a.weight[e]
			x = T(x * activateBack(f[i]+g[a.col[e]], slope))
			d[e] = x
			sum += x
		}
		df[i] = sum
	}
}

// activate is ReLU, or LeakyReLU with a slope below zero.
func activate[T Float](x, slope T) T {
	return max(x, 0) + T(slope*min(x, 0))
}

// activateBack is its derivative; at 0 it is the slope.
func activateBack[T Float](x, slope T) T {
	if x > 0 {
		return 1
	}
	return slope
}

func spread[T Float](out []T, a *adjacency[T], coef, z []T, w int, back bool) {
	for i := range a.n {
		e0 := int(a.first[i])
		e1 := e0 + lanes*int(a.degree[i])
		row := out[i*w:][:w]
		clear(row)
		for e := e0; e < e1; e += lanes {
			k := e
			if back {
				k = int(a.reverse[e])
			}
			dense.Axpy(row, coef[k], z[int(a.col[e])*w:][:w])
		}
	}
}

func edgeDots[T Float](d []T, a *adjacency[T], y, z []T, w int) {
	for i := range a.n {
		e0 := int(a.first[i])
		e1 := e0 + lanes*int(a.degree[i])
		y := y[i*w:][:w]
		for e := e0; e < e1; e += lanes {
			d[e] = dot(y, z[int(a.col[e])*w:][:w], w)
		}
	}
}

func collect[T Float](out []T, a *adjacency[T], d []T) {
	for i := range a.n {
		e0 := int(a.first[i])
		e1 := e0 + lanes*int(a.degree[i])
		var sum T
		for e := e0; e < e1; e += lanes {
			sum += d[a.reverse[e]]
		}
		out[i] = sum
	}
}

func sigmoid[T Float](s, tail, r []T) {
	for i, r := range r {
		e := Exp(-abs(r))
		q := 1 / (1 + e)
		tail[i] = e
		if r >= 0 {
			s[i] = q
		} else {
			s[i] = e * q
		}
	}
}

func softmaxBy[T Float](exps func(v []T)) func(v []T) {
	return func(v []T) {
		largest, lane := v[0], [lanes]T{}
		for _, x := range v {
			largest = max(largest, x)
		}
		for i := range v {
			v[i] -= largest
		}
		exps(v)
		sum(&lane, v)
		scale := 1 / sumOf(lane[:])
		for i := range v {
			v[i] *= scale
		}
	}
}

func abs[T Float](x T) T { return max(x, -x) }

func rank[T Float](rank []int32, r []T, n int) {
	r = r[:n]
	for i, x := range r {
		before := int32(0)
		for _, y := range r[:i] {
			if y >= x {
				before++
			}
		}
		for _, y := range r[i:] {
			if y > x {
				before++
			}
		}
		rank[i] = before
	}
}

func blank[T Float](a *adjacency[T]) {
	clear(a.weight)
	for i := range a.reverse {
		a.reverse[i] = int32(i)
	}
	for s, e := range a.start[:len(a.start)-1] {
		for lane, i := range a.row[s*lanes:][:lanes] {
			a.first[i] = e + int32(lane)
			if int(i) < a.n {
				a.weight[int(e)+lane] = a.self
			}
			for at := int(e) + lane; at < int(a.start[s+1]); at += lanes {
				a.col[at] = min(i, int32(a.n-1))
			}
		}
	}
}

func link[T Float](a *adjacency[T], last []int32) {
	from, to, strength := a.from, a.to[:len(a.from)], a.strength[:len(a.from)]
	col, reverse, weight := a.col, a.reverse[:len(a.col)], a.weight[:len(a.col)]
	for i, p := range from {
		q, w := to[i], strength[i]
		here, there := last[p]+lanes, last[q]+lanes
		last[p], last[q] = here, there
		col[here], reverse[here], weight[here] = q, there, w
		col[there], reverse[there], weight[there] = p, here, w
	}
}

func outerAdd[T Float](y, c, v []T, n, w int) {
	for i, c := range c[:n] {
		dense.Axpy(y[i*w:][:w], c, v[:w])
	}
}

func add[T Float](y, x []T) {
	x = x[:len(y)]
	for i := range y {
		y[i] += x[i]
	}
}

func spread1[T Float](out []T, a *adjacency[T], coef, z []T, back bool) {
	for i := range a.n {
		e0 := int(a.first[i])
		e1 := e0 + lanes*int(a.degree[i])
		var sum T
		for e := e0; e < e1; e += lanes {
			k := e
			if back {
				k = int(a.reverse[e])
			}
			sum += T(coef[k] * z[a.col[e]])
		}
		out[i] = sum
	}
}

func edgeDots1[T Float](d []T, a *adjacency[T], y, z []T) {
	for i := range a.n {
		e0 := int(a.first[i])
		e1 := e0 + lanes*int(a.degree[i])
		for e := e0; e < e1; e += lanes {
			d[e] = y[i] * z[a.col[e]]
		}
	}
}

func gate[T Float](out, h, s []T, kept []int32, w int) {
	for p, i := range kept {
		s, h, out := s[i], h[int(i)*w:][:w], out[p*w:][:w]
		for j := range out {
			out[j] = s * h[j]
		}
	}
}

func gateBack[T Float](dh, dr, dOut, h, s []T, kept []int32, w int) {
	for p, i := range kept {
		s, dOut, dh := s[i], dOut[p*w:][:w], dh[int(i)*w:][:w]
		dr[i] += dot(dOut, h[int(i)*w:][:w], w)
		for j := range dh {
			dh[j] = s * dOut[j]
		}
	}
}

func unfold[T Float](x, upper []T, n int) {
	for i := range n {
		row := upper[:n-i]
		upper = upper[copy(x[i*n+i:], row):]
		for j, v := range row[1:] { // its column
			x[(i+1+j)*n+i] = v
		}
	}
}

func integers[N uint8 | uint16 | uint32](to []int32, from []N) {
	for i, x := range from {
		to[i] = int32(x)
	}
}

func repeated[N uint8 | uint16 | uint32](to []int32, times []N) {
	at := 0
	for i, n := range times {
		for end := at + int(n); at < end; at++ {
			to[at] = int32(i)
		}
	}
}

func mmdSums[T Float](value, slope, s, weight []T, inside T, n int) {
	for i, si := range s[:n] {
		var v, g T
		for j, sj := range s[:n] {
			d := si - sj
			x := T(weight[j] * Exp(T(inside*T(d*d))))
			v += x
			g += T(x * d)
		}
		value[i], slope[i] = v, g
	}
}

// sumOf adds eight lanes.
func sumOf[T Float](l []T) T {
	return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

func scale[T Float](y []T, f T) {
	for i := range y {
		y[i] *= f
	}
}

func affine[T Float](out, v, scale, shift []T) {
	out, scale, shift = out[:len(v)], scale[:len(v)], shift[:len(v)]
	for i, x := range v {
		out[i] = T(x*scale[i]) + shift[i]
	}
}

func relu[T Float](v []T, slope T) {
	for i, x := range v {
		v[i] = activate(x, slope)
	}
}

func reluBack[T Float](d, y []T, slope T) {
	slopes := [2]T{slope, 1}
	for i, v := range y { // which of the two is as good as random: it picks a number, not a branch
		above := 0
		if v > 0 {
			above = 1
		}
		d[i] *= slopes[above]
	}
}

func drop[T Float](out, x []T, kept []uint8, factor T) {
	factors := [2]T{0, factor}
	for i, k := range kept {
		out[i] = x[i] * factors[k>>7]
	}
}

func drawn(kept []uint8, words []uint64, least uint32) {
	for i := range kept {
		x := uint32(words[i/2] >> (i % 2 * 32))
		kept[i] = uint8(int64(uint64(least)-uint64(x)-1) >> 63) // below 0 where x is at least least
	}
}

func sum[T Float](lane *[lanes]T, v []T) {
	for i, x := range v {
		lane[i%lanes] += x
	}
}

func center[T Float](lane *[lanes]T, v []T, mean T) {
	for i, x := range v {
		v[i] = x - mean
		lane[i%lanes] += T(v[i] * v[i])
	}
}

func unscale[T Float](lane *[2 * lanes]T, d, normal, scale, ds, dt []T) {
	for i, v := range d {
		ds[i] += T(v * normal[i])
		dt[i] += v
		d[i] = T(v * scale[i])
		lane[i%lanes] += d[i]
		lane[lanes+i%lanes] += T(d[i] * normal[i])
	}
}

func uncenter[T Float](d, normal []T, inverse, mean, along T) {
	for i, v := range d {
		d[i] = inverse * (v - mean - T(normal[i]*along))
	}
}

func products[T Float](lane *[lanes]T, a, b []T) {
	for i, x := range a {
		lane[i%lanes] += T(x * b[i])
	}
}

func softmaxBack[T Float](d, p []T, along, factor T) {
	for i, x := range p {
		d[i] = T(x*(d[i]-along)) * factor
	}
}

func adam[T Float](params, grad, m, v []T, r *adamRates[T]) {
	for i, p := range params {
		g := T(r.decay*p) + grad[i]
		m[i] = T(r.b1*m[i]) + T(r.c1*g)
		v[i] = T(r.b2*v[i]) + T(r.c2*T(g*g))
		params[i] = p - T(r.step*(m[i]/(T(math.Sqrt(float64(v[i])))/r.root+r.epsilon)))
	}
}
