//go:build !purego

package gnn

import (
	"math"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// fastest gives the kernels for this machine; their results are those of the
// portable ones, bit for bit. In float32, on a processor with AVX2 and FMA, they are
// written in assembly (by internal/asm); gemm has a form for AVX-512 too.
func fastest[T Float]() *kernels[T] {
	k := portable[T]()
	if k, ok := any(k).(*kernels[float32]); ok && cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		vectorize(k, cpu.X86.HasAVX512F)
	}
	return k
}

// The functions below check that every access of the assembly is inside the
// slices, and pass on addresses, strides in bytes and blocks of columns.

// vectorize sets each kernel; it is long as a table is.
func vectorize(k *kernels[float32], wide bool) {
	sixteen, spread16, spread16back, dots16, edgeDots16 := gemm16, spread16, spread16back, dotRows16, edgeDot16
	rows, exp, height := 4, expVec, 6 // height: rows that gemm takes together
	if wide {
		sixteen, spread16, spread16back, dots16, edgeDots16 = gemm16wide, spread16wide, spread16wideback,
			dotRows16wide, edgeDot16wide
		rows, exp, height = 8, expVecWide, 12
	}
	k.gemm = func(c []float32, cs int, a []float32, ai, ap int, b []float32, bs, m, n, w int, soon []float32) {
		if m == 0 {
			return
		}
		_, _, _ = c[(m-1)*cs+w-1], a[(m-1)*ai+(n-1)*ap], b[(n-1)*bs+w-1]
		next, step := &a[0], 0
		if len(soon) > 0 {
			steps := (m + height - 1) / height * n
			next, step = &soon[0], min(64, (4*len(soon)+steps-1)/steps)
		}
		j := 0
		for ; j+16 <= w; j += 16 {
			sixteen(&c[j], 4*cs, &a[0], 4*ai, 4*ap, &b[j], 4*bs, m, n, next, step)
		}
		if j < w {
			gemm8(&c[j], 4*cs, &a[0], 4*ai, 4*ap, &b[j], 4*bs, m, n, next, step)
		}
	}
	k.dots = func(out, a, b []float32, n, w int) {
		_, _, _ = out[n-1], a[n*w-1], b[w-1]
		if w == 16 && n >= 8 {
			dots16(&out[0], &a[0], &b[0], n)
			return
		}
		dotRows(&out[0], &a[0], &b[0], n, 4*w)
	}
	k.outerAdd = func(y, c, v []float32, n, w int) {
		_, _, _ = y[n*w-1], c[n-1], v[w-1]
		j := 0
		for ; j+16 <= w; j += 16 {
			outerAdd16(&y[j], &c[0], &v[j], n, 4*w)
		}
		if j < w {
			outerAdd8(&y[j], &c[0], &v[j], n, 4*w)
		}
	}
	k.add = func(y, x []float32) {
		n := len(y)
		_ = x[:n]
		if n >= lanes {
			addVec(&y[0], &x[0], n/lanes)
		}
		add(y[n&^(lanes-1):], x[n&^(lanes-1):n])
	}
	k.attend = func(alpha []float32, a *adjacency[float32], f, g []float32, slope float32) {
		_, _, _ = alpha[a.size()-1], f[len(a.degree)-1], g[a.n-1]
		slices := len(a.degree) / lanes
		logitSlices(&alpha[0], &a.start[0], &a.row[0], &a.degree[0], &a.col[0], &a.weight[0], &f[0], &g[0], slope,
			slices)
		exp(&alpha[0], a.size()/lanes)
		scaleSlices(&alpha[0], &a.start[0], &a.row[0], &a.degree[0], slices)
	}
	k.attendBack = func(d, alpha []float32, a *adjacency[float32], f, g []float32, slope float32, df []float32) {
		_, _, _, _, _ = d[a.size()-1], alpha[a.size()-1], f[len(a.degree)-1], g[a.n-1], df[len(a.degree)-1]
		attendBackSlices(&d[0], &alpha[0], &a.start[0], &a.row[0], &a.degree[0], &a.col[0], &a.weight[0], &f[0], &g[0],
			slope, &df[0], len(a.degree)/lanes)
	}
	k.spread = func(out []float32, a *adjacency[float32], coef, z []float32, w int, back bool) {
		_, _, _ = out[a.n*w-1], coef[a.size()-1], z[a.n*w-1]
		sixteen, eight := spread16, spread8
		if back {
			sixteen, eight = spread16back, spread8back
		}
		j := 0
		for ; j+16 <= w; j += 16 {
			sixteen(&out[j], a.n, &a.first[0], &a.degree[0], &a.row[0], &a.col[0], &a.reverse[0], &coef[0], &z[j], 4*w,
				len(a.row)/rows)
		}
		if j < w {
			eight(&out[j], a.n, &a.first[0], &a.degree[0], &a.row[0], &a.col[0], &a.reverse[0], &coef[0], &z[j], 4*w,
				len(a.row)/lanes)
		}
	}
	k.edgeDots = func(d []float32, a *adjacency[float32], y, z []float32, w int) {
		_, _, _ = d[a.size()-1], y[a.n*w-1], z[a.n*w-1]
		if w == 16 {
			edgeDots16(&d[0], a.n, &a.first[0], &a.degree[0], &a.row[0], &a.col[0], &y[0], &z[0], len(a.row)/lanes)
			return
		}
		edgeDotRows(&d[0], a.n, &a.first[0], &a.degree[0], &a.col[0], &y[0], &z[0], 4*w)
	}
	k.collect = func(out []float32, a *adjacency[float32], d []float32) {
		_, _ = out[len(a.degree)-1], d[a.size()-1]
		collectSlices(&out[0], &a.start[0], &a.row[0], &a.degree[0], &a.reverse[0], &d[0], len(a.degree)/lanes)
	}
	k.spread1 = func(out []float32, a *adjacency[float32], coef, z []float32, back bool) {
		_, _, _ = out[len(a.degree)-1], coef[a.size()-1], z[a.n-1]
		sum := spread1Slices
		if back {
			sum = spread1BackSlices
		}
		sum(&out[0], &a.start[0], &a.row[0], &a.degree[0], &a.col[0], &a.reverse[0], &coef[0], &z[0],
			len(a.degree)/lanes)
	}
	k.edgeDots1 = func(d []float32, a *adjacency[float32], y, z []float32) {
		_, _, _ = d[a.size()-1], y[len(a.degree)-1], z[a.n-1]
		edgeDots1Slices(&d[0], &a.start[0], &a.row[0], &a.degree[0], &a.col[0], &y[0], &z[0], len(a.degree)/lanes)
	}
	k.sigmoid = func(s, tail, r []float32) {
		n := len(r) &^ (lanes - 1)
		_, _ = s[len(r)-1], tail[len(r)-1]
		if n > 0 {
			sigmoidVec(&s[0], &tail[0], &r[0], n/lanes)
		}
		sigmoid(s[n:], tail[n:], r[n:])
	}
	k.softmax = func(v []float32) {
		n := len(v) &^ (lanes - 1)
		tail := [lanes]float32{}
		for i := copy(tail[:], v[n:]); i < lanes; i++ {
			tail[i] = float32(math.Inf(-1))
		}
		softmaxVec(unsafe.SliceData(v), n/lanes, &tail[0])
		copy(v[n:], tail[:])
	}
	k.rank = func(rank []int32, r []float32, n int) {
		_, _ = rank[padded(n)-1], r[padded(n)-1]
		rankVec(&rank[0], &r[0], n, padded(n)/lanes)
	}
	vectorizeRows(&k.rowKernels)
	k.blank = func(a *adjacency[float32]) {
		slices := len(a.row) / lanes
		_, _, _, _, _ = a.col[a.start[slices]-1], a.reverse[a.start[slices]-1], a.weight[a.start[slices]-1],
			a.first[len(a.row)-1], a.row[slices*lanes-1]
		blankSlices(&a.col[0], &a.reverse[0], &a.weight[0], &a.first[0], &a.start[0], &a.row[0], a.self, a.n, slices)
	}
	k.link = func(a *adjacency[float32], last []int32) {
		edges, size := len(a.from), len(a.col)
		if edges == 0 {
			return
		}
		_, _, _, _, _ = a.to[edges-1], a.strength[edges-1], last[a.n-1], a.reverse[size-1], a.weight[size-1]
		linkEdges(&a.col[0], &a.reverse[0], &a.weight[0], &last[0], &a.from[0], &a.to[0], &a.strength[0], edges)
	}
	k.gate = func(out, h, s []float32, kept []int32, w int) {
		_, _ = out[len(kept)*w-1], s[:len(h)/w]
		gateRows(&out[0], &h[0], &s[0], &kept[0], len(kept), 4*w)
	}
	k.gateBack = func(dh, dr, dOut, h, s []float32, kept []int32, w int) {
		n := len(dh) / w
		_, _, _, _ = dr[:n], dOut[len(kept)*w-1], h[len(dh)-1], s[:n]
		gateBackRows(&dh[0], &dr[0], &dOut[0], &h[0], &s[0], &kept[0], len(kept), 4*w)
	}
	k.unfold = func(x, upper []float32, n int) {
		if n < lanes {
			unfold(x, upper, n)
			return
		}
		_ = x[n*n-1]
		rest := upper[:n*(n+1)/2]
		for rows := lanes - 1; rows > 0; rows-- { // the last, which are shorter than a register
			copy(x[(n-rows+1)*n-rows:], rest[len(rest)-rows*(rows+1)/2:][:rows])
		}
		unfoldRows(&x[0], &upper[0], n)
	}
	k.integers = func(to []int32, from []uint8) {
		eights := len(from) / lanes
		if eights > 0 {
			_ = to[len(from)-1]
			integersVec(&to[0], &from[0], eights)
		}
		integers(to[eights*lanes:], from[eights*lanes:])
	}
	k.repeated = func(to []int32, times []uint8) {
		end := 0
		for _, n := range times {
			end += int(n)
		}
		_ = to[end+lanes-1]
		repeatedVec(&to[0], &times[0], len(times))
	}
	k.mmdSums = func(value, slope, s, weight []float32, inside float32, n int) {
		p := padded(n)
		_, _, _, _ = value[p-1], slope[p-1], s[p-1], weight[p-1]
		mmdVec(&value[0], &slope[0], &s[0], &weight[0], inside, n, p/lanes)
	}
}

// vectorizeRows sets the kernels over rows; what is left of a row after the last eight is computed in plain Go.
func vectorizeRows(k *rowKernels[float32]) {
	k.scale = func(y []float32, f float32) {
		n := len(y) &^ (lanes - 1)
		if n > 0 {
			scaleVec(&y[0], f, n/lanes)
		}
		scale(y[n:], f)
	}
	k.affine = func(out, v, scale, shift []float32) {
		n := len(v) &^ (lanes - 1)
		out, scale, shift = out[:len(v)], scale[:len(v)], shift[:len(v)]
		if n > 0 {
			affineVec(&out[0], &v[0], &scale[0], &shift[0], n/lanes)
		}
		affine(out[n:], v[n:], scale[n:], shift[n:])
	}
	k.relu = func(v []float32, slope float32) {
		n := len(v) &^ (lanes - 1)
		if n > 0 {
			reluVec(&v[0], slope, n/lanes)
		}
		relu(v[n:], slope)
	}
	k.reluBack = func(d, y []float32, slope float32) {
		n := len(y) &^ (lanes - 1)
		d = d[:len(y)]
		if n > 0 {
			reluBackVec(&d[0], &y[0], slope, n/lanes)
		}
		reluBack(d[n:], y[n:], slope)
	}
	k.drop = func(out, x []float32, kept []uint8, factor float32) {
		n := len(kept) &^ (lanes - 1)
		out, x = out[:len(kept)], x[:len(kept)]
		if n > 0 {
			dropVec(&out[0], &x[0], &kept[0], factor, n/lanes)
		}
		drop(out[n:], x[n:], kept[n:], factor)
	}
	k.drawn = func(kept []uint8, words []uint64, least uint32) {
		n := len(kept) &^ 31
		words = words[:(len(kept)+1)/2]
		if n > 0 {
			drawnVec(&kept[0], &words[0], least, n/32)
		}
		drawn(kept[n:], words[n/2:], least)
	}
	k.sum = func(lane *[lanes]float32, v []float32) {
		n := len(v) &^ (lanes - 1)
		if n > 0 {
			sumVec(lane, &v[0], n/lanes)
		}
		sum(lane, v[n:])
	}
	k.center = func(lane *[lanes]float32, v []float32, mean float32) {
		n := len(v) &^ (lanes - 1)
		if n > 0 {
			centerVec(lane, &v[0], mean, n/lanes)
		}
		center(lane, v[n:], mean)
	}
	k.unscale = func(lane *[2 * lanes]float32, d, normal, scale, ds, dt []float32) {
		n := len(d) &^ (lanes - 1)
		normal, scale, ds, dt = normal[:len(d)], scale[:len(d)], ds[:len(d)], dt[:len(d)]
		if n > 0 {
			unscaleVec(lane, &d[0], &normal[0], &scale[0], &ds[0], &dt[0], n/lanes)
		}
		unscale(lane, d[n:], normal[n:], scale[n:], ds[n:], dt[n:])
	}
	k.uncenter = func(d, normal []float32, inverse, mean, along float32) {
		n := len(d) &^ (lanes - 1)
		normal = normal[:len(d)]
		if n > 0 {
			uncenterVec(&d[0], &normal[0], inverse, mean, along, n/lanes)
		}
		uncenter(d[n:], normal[n:], inverse, mean, along)
	}
	k.products = func(lane *[lanes]float32, a, b []float32) {
		n := len(a) &^ (lanes - 1)
		b = b[:len(a)]
		if n > 0 {
			productsVec(lane, &a[0], &b[0], n/lanes)
		}
		products(lane, a[n:], b[n:])
	}
	k.softmaxBack = func(d, p []float32, along, factor float32) {
		n := len(p) &^ (lanes - 1)
		d = d[:len(p)]
		if n > 0 {
			softmaxBackVec(&d[0], &p[0], along, factor, n/lanes)
		}
		softmaxBack(d[n:], p[n:], along, factor)
	}
	k.adam = func(params, grad, m, v []float32, r *adamRates[float32]) {
		n := len(params) &^ (lanes - 1)
		if n > 0 {
			adamVec(&params[0], &grad[0], &m[0], &v[0], (*[8]float32)(unsafe.Pointer(r)), n/lanes)
		}
		adam(params[n:], grad[n:], m[n:], v[n:], r)
	}
}
