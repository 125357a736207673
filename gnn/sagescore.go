package gnn

// A score is the same convolution with a single output, by which SAGE pooling
// rates the nodes: φ^θ(H, E) of Eq. (3). Its vectors are plain numbers.
type score[T Float] struct {
	theta  []T // P: θ
	a1, a2 T

	pTheta, pA Param
	dTheta, dA span
	tied       bool
}

func newScore[T Float](m *Model[T], l, width int) score[T] {
	w := padded(width)
	return score[T]{theta: make([]T, w), tied: m.Tied,
		pTheta: m.param("pool%d_theta", l+1), pA: m.param("pool%d_a", l+1), dTheta: m.room(w), dA: m.room(2)}
}

func (c *score[T]) prepare(params []T) {
	copy(c.theta, of(params, c.pTheta))
	a := of(params, c.pA)
	c.a1, c.a2 = a[0], a[len(a)-1]
}

func (c *score[T]) finish(grad, working []T) {
	copy(of(grad, c.pTheta), part(working, c.dTheta))
	dA, da := of(grad, c.pA), part(working, c.dA)
	dA[0] = da[0]
	dA[len(dA)-1] = da[1]
	if c.tied {
		dA[0] = da[0] + da[1]
	}
}

type scoreState[T Float] struct {
	z, f, g []T // padded(n)
	alpha   []T
}

// forward writes the raw scores r (padded(n)) of the rows of h (n × w).
func (c *score[T]) forward(k *kernels[T], s *scoreState[T], adj *adjacency[T], h []T, w int, slope T, r []T) {
	n := adj.n
	s.z, s.f, s.g = resize(s.z, padded(n)), resize(s.f, padded(n)), resize(s.g, padded(n))
	s.alpha = resize(s.alpha, adj.size())
	k.dots(s.z, h, c.theta, n, w)
	for i, z := range s.z[:n] {
		s.f[i], s.g[i] = c.a1*z, c.a2*z
	}
	k.attend(s.alpha, adj, s.f, s.g, slope)
	k.spread1(r, adj, s.alpha, s.z, false)
}

// backward takes dr (padded(n)), adds dL/dh to dh (n × w) and writes the gradients of θ and a.
func (c *score[T]) backward(k *kernels[T], s *scoreState[T], adj *adjacency[T], h []T, w int, slope T,
	dr, dh []T, scratch *convScratch[T], grad []T) {
	n := adj.n
	x := scratch
	x.d, x.df = resize(x.d, adj.size()), resize(x.df, 2*padded(n))
	x.dz = resize(x.dz, padded(n))
	df, dg := x.df[:padded(n)], x.df[padded(n):]
	k.edgeDots1(x.d, adj, dr, s.z)
	k.attendBack(x.d, s.alpha, adj, s.f, s.g, slope, df)
	k.collect(dg, adj, x.d)
	k.spread1(x.dz, adj, s.alpha, dr, true)
	var da1, da2 T
	for i := range n {
		x.dz[i] += T(df[i]*c.a1) + T(dg[i]*c.a2)
		da1 += T(df[i] * s.z[i])
		da2 += T(dg[i] * s.z[i])
	}
	da := part(grad, c.dA)
	da[0], da[1] = da1, da2
	k.gemm(part(grad, c.dTheta), w, x.dz, 0, 1, h, w, 1, n, w, nil) // dθ = Σ dz_i h_i
	k.outerAdd(dh, x.dz, c.theta, n, w)
}
