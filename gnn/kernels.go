package gnn

import "prgnn/numeric/random"

//go:generate -command asm go run -C ../internal/asm . -pkg gnn
//go:generate asm -out ../../gnn/vector_amd64.s -stubs ../../gnn/vector_amd64.go gnn
//go:generate asm -out ../../gnn/vector_arm64.s -stubs ../../gnn/vector_arm64.go neongnn

// kernels are the inner loops of the model, in one precision. The portable ones
// (portable.go) define the result: every other implementation does the same
// operations on the same numbers in the same order, and rounds after each; products of gemm, spread,
// outerAdd and within exponentials are fused with what they are added to (package dense). Where a
// loop runs over something that is summed, the sum is sequential in that loop's order;
// vector code works on several sums side by side. The one exception is dot,
// whose order is its own.
//
// Rows of node features are w values long, w being a multiple of 8, and lie one
// after the other unless a stride is given. Vectors with a value for each node
// have room for padded(n) of them, and what is beyond n is not defined. Coefficients of
// entries, alpha and coef, are zero in places that are no entries, or are not looked at there.
type kernels[T Float] struct {
	// gemm: c[i·cs+j] = Σ_p a[i·ai+p·ap]·b[p·bs+j], i < m, p < n in order, j < w. What
	// will be read soon may be fetched meanwhile: this makes an epoch a quarter shorter than
	// the kernels of package dense, which has the same sums.
	gemm func(c []T, cs int, a []T, ai, ap int, b []T, bs int, m, n, w int, soon []T)
	// dots: out[i] = dot(row i of a, b) for i < n.
	dots func(out, a, b []T, n, w int)
	// outerAdd: row i of y += c[i]·v for i < n.
	outerAdd func(y, c, v []T, n, w int)
	// add: y += x.
	add func(y, x []T)

	// attend: alpha = softmax over each row of e_ij·act(f_i+g_j).
	attend func(alpha []T, a *adjacency[T], f, g []T, slope T)
	// attendBack: from d = dL/dα to d = dL/d(f_i+g_j), and df_i = Σ_j of it.
	attendBack func(d, alpha []T, a *adjacency[T], f, g []T, slope T, df []T)
	// spread: row i of out = Σ coef[entry]·(row col of z) over the entries of i;
	// with back, coef is taken at the reverse entry.
	spread func(out []T, a *adjacency[T], coef, z []T, w int, back bool)
	// edgeDots: d[entry (i,j)] = dot(row i of y, row j of z).
	edgeDots func(d []T, a *adjacency[T], y, z []T, w int)
	// collect: out[i] = Σ d[reverse entry] over the entries of i.
	collect func(out []T, a *adjacency[T], d []T)
	// spread1 and edgeDots1 are spread and edgeDots for rows of a single value.
	spread1   func(out []T, a *adjacency[T], coef, z []T, back bool)
	edgeDots1 func(d []T, a *adjacency[T], y, z []T)

	// sigmoid: s = 1/(1+exp(−r)), tail = exp(−|r|).
	sigmoid func(s, tail, r []T)
	// softmax: v[i] = exp(v[i] − max v)/Σ, where each of eight lanes sums every eighth value, and the
	// lanes i and i+4 are added, then i and i+2, then i and i+1.
	softmax func(v []T)
	// rank: rank[i] = how many of the n come before i in descending order of r,
	// equal ones in order of place.
	rank func(rank []int32, r []T, n int)
	// blank writes the first entry of each row, the node itself, where that is, and in all other places of a no entry
	// until link puts one there.
	blank func(a *adjacency[T])
	// link writes the two entries of each edge behind those that were last written in their rows, and where those are.
	link func(a *adjacency[T], last []int32)
	// gate: row p of out = s[i]·(row i of h), i = kept[p].
	gate func(out, h, s []T, kept []int32, w int)
	// gateBack: dr[i] += dot(row p of dOut, row i of h); row i of dh = s[i]·(row p of dOut).
	gateBack func(dh, dr, dOut, h, s []T, kept []int32, w int)
	// unfold: x (n × n) = the symmetric matrix whose upper triangle lies row by row in upper.
	unfold func(x, upper []T, n int)
	// integers: to[i] = from[i].
	integers func(to []int32, from []uint8)
	// repeated: to = each i < len(times) so many times, in order; to has room for eight more.
	repeated func(to []int32, times []uint8)
	// mmdSums: with x = weight[j]·exp(inside·(s[i]−s[j])²), value[i] = Σ_j x and
	// slope[i] = Σ_j x·(s[i]−s[j]); inside·(s[i]−s[j])² is at most 0, or small.
	mmdSums func(value, slope, s, weight []T, inside T, n int)
	rowKernels[T]
}

// rowKernels are loops over rows of numbers of any length. Where they sum, each of eight lanes sums every eighth
// number, as in softmax; they add to the sums that the lanes have.
type rowKernels[T Float] struct {
	// scale: y ← f·y. affine: out[i] = v[i]·scale[i] + shift[i].
	scale  func(y []T, f T)
	affine func(out, v, scale, shift []T)
	// relu: v ← max(v, 0) + slope·min(v, 0). reluBack: d[i] is multiplied by the slope where y[i] is not above 0.
	relu     func(v []T, slope T)
	reluBack func(d, y []T, slope T)
	// drop: out[i] = x[i]·factor where kept[i] is 255, x[i]·0 where it is 0.
	drop func(out, x []T, kept []uint8, factor T)
	// drawn: kept[i] = 255 where half i of the words, lower halves first, is at least least, and 0 elsewhere.
	drawn func(kept []uint8, words []uint64, least uint32)
	// sum: Σ v. center: v ← v − mean, Σ v².
	sum    func(lane *[lanes]T, v []T)
	center func(lane *[lanes]T, v []T, mean T)
	// unscale: ds += d·normal, dt += d, d ← d·scale; Σ d in the first eight lanes, and Σ d·normal in the others.
	// uncenter: d ← inverse·(d − mean − normal·along).
	unscale  func(lane *[2 * lanes]T, d, normal, scale, ds, dt []T)
	uncenter func(d, normal []T, inverse, mean, along T)
	// products: Σ a·b. softmaxBack: d ← p·(d − along)·factor.
	products    func(lane *[lanes]T, a, b []T)
	softmaxBack func(d, p []T, along, factor T)
	adam        func(params, grad, m, v []T, r *adamRates[T])
}

var kernels32, kernels64 = fastest[float32](), fastest[float64]()

// kernelsOf are those of this machine.
func kernelsOf[T Float]() *kernels[T] {
	if k, ok := any(kernels32).(*kernels[T]); ok {
		return k
	}
	return any(kernels64).(*kernels[T])
}

// Rank sets rank[i] to how many values come before v[i] in descending order, equal ones in order of place.
func Rank[T Float](rank []int32, v []T) {
	k, n := kernelsOf[T](), len(v)
	if p := padded(n); p > n {
		out := make([]int32, p)
		k.rank(out, append(make([]T, 0, p), v...)[:p], n)
		copy(rank, out[:n])
		return
	}
	k.rank(rank, v, n)
}

// Softmax replaces v by its softmax. What is −∞ becomes 0.
func Softmax[T Float](v []T) { kernelsOf[T]().softmax(v) }

// Add adds x to the first numbers of y.
func Add[T Float](y, x []T) { kernelsOf[T]().add(y[:len(x)], x) }

// Scale multiplies y by f.
func Scale[T Float](y []T, f T) { kernelsOf[T]().scale(y, f) }

// Affine sets out[i] to v[i]·scale[i] + shift[i].
func Affine[T Float](out, v, scale, shift []T) { kernelsOf[T]().affine(out, v, scale, shift) }

// ReLU is max(x, 0) + slope·min(x, 0), in place.
func ReLU[T Float](v []T, slope T) { kernelsOf[T]().relu(v, slope) }

// ReLUBack multiplies a gradient by the slope where the result was not above 0.
func ReLUBack[T Float](d, y []T, slope T) { kernelsOf[T]().reluBack(d, y, slope) }

// Drop sets out[i] to x[i]·factor where kept[i] is 255, and to 0 where it is 0.
func Drop[T Float](out, x []T, kept []uint8, factor T) { kernelsOf[T]().drop(out, x, kept, factor) }

// Drawn draws what Drop keeps: each with the probability 1 − p, two of each random word.
func Drawn(kept []uint8, p float64, r *random.Stream) {
	var words [128]uint64
	for len(kept) > 0 {
		n := min(len(kept), 2*len(words))
		for i := range (n + 1) / 2 {
			words[i] = r.Uint64()
		}
		kernels32.drawn(kept[:n], words[:], uint32(p*(1<<32)))
		kept = kept[n:]
	}
}

// Center takes the mean from v, in place, and returns the variance (n in the denominator).
func Center[T Float](v []T) T {
	k, lane, squares := kernelsOf[T](), [lanes]T{}, [lanes]T{}
	k.sum(&lane, v)
	k.center(&squares, v, sumOf(lane[:])/T(len(v)))
	return sumOf(squares[:]) / T(len(v))
}

// Uncenter turns the gradient d of scale·normal + shift into that of what was normalized, and adds to
// those of scale and shift.
func Uncenter[T Float](d, normal, scale, ds, dt []T, inverse T) {
	k, lane, n := kernelsOf[T](), [2 * lanes]T{}, T(len(d))
	k.unscale(&lane, d, normal, scale, ds, dt)
	k.uncenter(d, normal, inverse, sumOf(lane[:lanes])/n, sumOf(lane[lanes:])/n)
}

// SoftmaxBack turns the gradient d of a softmax p of factor·x into that of x.
func SoftmaxBack[T Float](d, p []T, factor T) {
	k, lane := kernelsOf[T](), [lanes]T{}
	k.products(&lane, d, p)
	k.softmaxBack(d, p, sumOf(lane[:]), factor)
}
