package gnn

import (
	"math"

	"prgnn/numeric/exact"
)

// The distance losses push the scores of kept and dropped nodes of each graph
// apart. A batch's loss is the mean over its graphs.

// distance computes one graph's loss into st.dist and its gradient by the raw
// scores, times scale (λ₁/M), into st.dRaw.
func (m *Model[T]) distance(st *blockState[T], scale float64) {
	n := st.adj.n
	st.dRaw = resize(st.dRaw, padded(n))[:n]
	switch {
	case m.Distance == "mmd" && m.Kernel == "authors":
		st.dist = 0 // a loss of the whole batch
		clear(st.dRaw)
	case m.Distance == "mmd":
		m.mmd(st, scale)
	case m.BCE == "authors":
		m.bceAuthors(st, scale)
	default:
		m.bce(st, scale)
	}
}

// bce is Eq. (5): −(1/N)[Σ_kept log s + Σ_dropped log(1−s)]. With log s =
// −softplus(−r), log(1−s) = −softplus(r) and softplus(x) = max(x, 0) +
// log(1+exp(−|x|)) nothing overflows. The logarithms are gathered as one
// logarithm of a product, which errs by 1e-16 per node. d/dr: s−1 for kept, s for
// dropped nodes.
func (m *Model[T]) bce(st *blockState[T], scale float64) {
	n := len(st.raw)
	loss, product := 0.0, 1.0
	factor := T(scale / float64(n))
	// Whether a node is kept is as good as random: it picks numbers, not branches.
	target, sign := [2]T{0, 1}, [2]T{1, -1}
	for i, r := range st.raw {
		kept := uint32(int(st.rank[i])-st.k) >> 31
		loss += float64(max(r*sign[kept], 0))
		product = float64(product * (1 + float64(st.tail[i])))
		if i%512 == 511 {
			loss += exact.Log(product)
			product = 1
		}
		st.dRaw[i] = factor * (st.s[i] - target[kept])
	}
	st.dist = (loss + exact.Log(product)) / float64(n)
}

// bceAuthors is the released program's form: −mean over the top ⌊rN⌋ of
// log(s+1e-15) − mean over the bottom ⌊rN⌋ of log(1−s+1e-15), r counted from the
// nearer end.
func (m *Model[T]) bceAuthors(st *blockState[T], scale float64) {
	const eps = 1e-15
	n := len(st.raw)
	ratio := m.Ratio
	if ratio > 0.5 {
		ratio = 1 - ratio
	}
	share := int(ratio * float64(n))
	clear(st.dRaw)
	st.dist = 0
	if share == 0 {
		return
	}
	sum := 0.0
	for p := range share {
		i := st.order[p]
		s := float64(st.s[i])
		sum -= exact.Log(s + eps)
		st.dRaw[i] += T(scale / float64(share) * (-s * (1 - s) / (s + eps)))
	}
	for p := n - share; p < n; p++ {
		i := st.order[p]
		s := float64(st.s[i])
		sum -= exact.Log(1 - s + eps)
		st.dRaw[i] += T(scale / float64(share) * (s * (1 - s) / (1 - s + eps)))
	}
	st.dist = sum / float64(share)
}

// mmd is the negative squared maximum mean discrepancy between the scores a of
// kept and b of dropped nodes, in its biased form (i = j included):
//
//	−[Σκ(a,a')/k² + Σκ(b,b')/(N−k)² − 2Σκ(a,b)/(k(N−k))]
//
// With weights c_ij = 1/k², 1/(N−k)² or −1/(k(N−k)) it is −Σ_ij c_ij κ((s_i−s_j)²),
// and d/ds_i = −4 Σ_j c_ij κ'((s_i−s_j)²)(s_i−s_j).
func (m *Model[T]) mmd(st *blockState[T], scale float64) {
	n := len(st.raw)
	kept := T(1) / T(st.k)
	var dropped T
	if st.k < n {
		dropped = -1 / T(n-st.k)
	}
	kernel := mmdKernels[m.Kernel]
	inside, factor, slope := kernel(m.Sigma) // κ = factor·exp(inside·d²), κ' = slope·κ
	st.weight, st.value, st.slope = resize(st.weight, padded(n)), resize(st.value, padded(n)),
		resize(st.slope, padded(n))
	for i, r := range st.rank {
		st.weight[i] = dropped
		if int(r) < st.k {
			st.weight[i] = kept
		}
	}
	m.k.mmdSums(st.value, st.slope, st.s[:padded(n)], st.weight, T(inside), n)
	sum := 0.0
	for i, s := range st.s {
		c := st.weight[i]
		sum += float64(c * st.value[i])
		st.dRaw[i] = T(-4*scale*factor*slope) * c * st.slope[i] * (s * (1 - s))
	}
	st.dist = float64(-factor * sum)
}

// The kernels by name, as functions of σ: κ(d²) = factor·exp(inside·d²), and
// slope = κ'/κ, the derivative being by d².
var mmdKernels = map[string]func(sigma float64) (inside, factor, slope float64){
	"gauss":   func(s float64) (a, b, c float64) { return -1 / s, 1, -1 / s },
	"outside": func(s float64) (a, b, c float64) { return -1, 1 / s, -1 },
	"rbf2":    func(s float64) (a, b, c float64) { return -1 / (2 * s * s), 1, -1 / (2 * s * s) },
	"literal": func(s float64) (a, b, c float64) { return 1, 1 / s, 1 },
}

// mmdAuthors is the released program's form: over the batch, the vectors of the
// top and of the bottom ⌊rN⌋ sorted scores of each graph are two samples, compared by
// a sum of five Gaussian kernels whose width follows the mean distance (held
// constant in the derivative). It adds to dS and returns the loss.
func (m *Model[T]) mmdAuthors(batch []*slot[T], l int, scale float64) float64 {
	n := len(batch[0].blocks[l].s)
	share := int(m.Ratio * float64(n))
	if share == 0 {
		return 0
	}
	q := 2 * len(batch)
	// node of place t of vector v: tops first, then bottoms, both ascending
	place := func(v, t int) (*blockState[T], int32) {
		st := &batch[v%len(batch)].blocks[l]
		if v < len(batch) {
			return st, st.order[share-1-t]
		}
		return st, st.order[n-1-t]
	}
	x := make([]float64, q*share)
	for v := range q {
		for t := range share {
			st, i := place(v, t)
			x[v*share+t] = float64(st.s[i])
		}
	}
	d2 := make([]float64, q*q)
	total := 0.0
	for u := range q {
		for v := range q {
			sum := 0.0
			for t := range share {
				d := x[u*share+t] - x[v*share+t]
				sum += float64(d * d)
			}
			d2[u*q+v] = sum
			total += sum
		}
	}
	width := total / float64(q*q-q) / 4
	if width == 0 {
		return 0 // all vectors equal: every kernel is 1, and they cancel
	}
	b2 := float64(len(batch) * len(batch))
	loss := 0.0
	grad := make([]float64, q*share)
	for u := range q {
		for v := range q {
			sign := -1 / b2
			if (u < len(batch)) != (v < len(batch)) {
				sign = 1 / b2
			}
			slope := 0.0
			for i := range 5 {
				w := math.Ldexp(width, i)
				k := exact.Exp(-d2[u*q+v] / w)
				loss += float64(sign * k)
				slope -= float64(sign * k / w)
			}
			for t := range share {
				grad[u*share+t] += float64(4 * slope * (x[u*share+t] - x[v*share+t]))
			}
		}
	}
	for v := range q {
		for t := range share {
			st, i := place(v, t)
			st.dS[i] += T(scale * grad[v*share+t])
		}
	}
	return loss
}
