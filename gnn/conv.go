package gnn

// A conv is the graph attention convolution of Eq. (1)–(2), laid out for the
// kernels. P is d' padded to a multiple of 8; the padding holds zeros.
type conv[T Float] struct {
	in, out int // d, d'
	thetaT  []T // d × P: Θ transposed
	theta   []T // d' × padded(d): Θ, for the gradient of the input
	a       []T // 2 × P: the halves of the attention vector that meet i and j
	bias    []T // P, or nil

	pTheta, pA, pBias  Param // in Params
	dThetaT, dA, dBias span  // in a graph's gradient
	tied               bool
}

func newConv[T Float](m *Model[T], l, in, out int) conv[T] {
	w := padded(out)
	c := conv[T]{in: in, out: out, tied: m.Tied,
		thetaT: make([]T, in*w), theta: make([]T, out*padded(in)), a: make([]T, 2*w),
		pTheta: m.param("conv%d_Theta", l+1), pA: m.param("conv%d_a", l+1),
		dThetaT: m.room(in * w), dA: m.room(2 * w)}
	if m.ConvBias {
		c.bias, c.pBias, c.dBias = make([]T, w), m.param("conv%d_b", l+1), m.room(w)
	}
	return c
}

// prepare lays out Θ (d' × d) transposed and padded, and a as two rows.
func (c *conv[T]) prepare(params []T) {
	w, wi := padded(c.out), padded(c.in)
	for i, x := range of(params, c.pTheta) {
		row, col := i/c.in, i%c.in
		c.thetaT[col*w+row] = x
		c.theta[row*wi+col] = x
	}
	a := of(params, c.pA)
	copy(c.a, a[:c.out])
	copy(c.a[w:], a[len(a)-c.out:])
	if c.bias != nil {
		copy(c.bias, of(params, c.pBias))
	}
}

func (c *conv[T]) finish(grad, working []T) {
	w := padded(c.out)
	dTheta, dThetaT := of(grad, c.pTheta), part(working, c.dThetaT)
	for i := range dTheta {
		row, col := i/c.in, i%c.in
		dTheta[i] = dThetaT[col*w+row]
	}
	dA, da := of(grad, c.pA), part(working, c.dA)
	copy(dA, da[:c.out])
	if c.tied {
		for i := range dA {
			dA[i] += da[w+i]
		}
	} else {
		copy(dA[c.out:], da[w:][:c.out])
	}
	if c.bias != nil {
		copy(of(grad, c.pBias), part(working, c.dBias))
	}
}

// A convState is what the forward pass leaves for the backward pass: arrays of
// one graph of n nodes.
type convState[T Float] struct {
	z     []T // n × P: Θh
	f, g  []T // padded(n): a₁·z_i, a₂·z_i
	alpha []T // per entry of the adjacency: α_ij
	h     []T // n × P: the output
}

// A convScratch is working memory of the backward pass.
type convScratch[T Float] struct {
	d  []T // per entry
	dz []T // n × P
	df []T // 2 × padded(n): df, dg
}

// forward computes, for each node i,
//
//	z_i = Θh_i
//	α_ij = softmax_j(e_ij·ReLU(a₁·z_i + a₂·z_j)),  j ∈ N(i) ∪ {i}
//	h'_i = Σ_j α_ij z_j (+ bias)
//
// from the rows of h (n × stride).
func (c *conv[T]) forward(k *kernels[T], s *convState[T], adj *adjacency[T], h []T, stride int, slope T, soon []T) {
	n, w := adj.n, padded(c.out)
	s.z, s.h = resize(s.z, n*w), resize(s.h, n*w)
	s.f, s.g = resize(s.f, padded(n)), resize(s.g, padded(n))
	s.alpha = resize(s.alpha, adj.size())
	k.gemm(s.z, w, h, stride, 1, c.thetaT, w, n, c.in, w, soon)
	k.dots(s.f, s.z, c.a[:w], n, w)
	k.dots(s.g, s.z, c.a[w:], n, w)
	k.attend(s.alpha, adj, s.f, s.g, slope)
	k.spread(s.h, adj, s.alpha, s.z, w, false)
	if c.bias != nil {
		for i := range n {
			h := s.h[i*w:][:w]
			for j, b := range c.bias {
				h[j] += b
			}
		}
	}
}

// backward takes dh = dL/dh' (n × P), writes the gradients of Θᵀ, a and the bias
// into grad and, when dIn is not nil, dL/dh into it (n × padded(d)).
//
//	dα_ij = dh_i·z_j
//	dpre_ij = dL/d(f_i + g_j)                      by attendBack
//	dz_j = Σ_i α_ij dh_i + df_j a₁ + dg_j a₂,      df_i = Σ_j dpre_ij, dg_j = Σ_i dpre_ij
//	da₁ = Σ_i df_i z_i, da₂ = Σ_i dg_i z_i
//	dΘᵀ = Σ_i h_i ⊗ dz_i, dh_i = Θᵀdz_i
func (c *conv[T]) backward(k *kernels[T], s *convState[T], adj *adjacency[T], h []T, stride int, slope T,
	dh []T, scratch *convScratch[T], grad, dIn, soon []T) {
	n, w := adj.n, padded(c.out)
	x := scratch
	x.d, x.dz, x.df = resize(x.d, adj.size()), resize(x.dz, n*w), resize(x.df, 2*padded(n))
	df, dg := x.df[:padded(n)], x.df[padded(n):]
	k.edgeDots(x.d, adj, dh, s.z, w)
	k.attendBack(x.d, s.alpha, adj, s.f, s.g, slope, df)
	k.collect(dg, adj, x.d)
	k.spread(x.dz, adj, s.alpha, dh, w, true)
	k.outerAdd(x.dz, df, c.a[:w], n, w)
	k.outerAdd(x.dz, dg, c.a[w:], n, w)
	k.gemm(part(grad, c.dA), w, x.df, padded(n), 1, s.z, w, 2, n, w, nil)
	if c.bias != nil {
		db := part(grad, c.dBias)
		clear(db)
		for i := range n {
			for j, d := range dh[i*w:][:w] {
				db[j] += d
			}
		}
	}
	k.gemm(part(grad, c.dThetaT), w, h, 1, stride, x.dz, w, c.in, n, w, soon)
	if dIn != nil {
		wi := padded(c.in)
		k.gemm(dIn, wi, x.dz, w, 1, c.theta, wi, n, c.out, wi, nil)
	}
}
