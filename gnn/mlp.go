package gnn

// A linear layer of the MLP: y = Wx + b, followed by ReLU unless it is the last.
// P is the padded width of its input; vectors have room for the padded width, and
// zeros there.
type linear[T Float] struct {
	in, out int
	w       []T // out × P
	b       []T // out: part of the model's Params

	pW, pB Param
	dW, dB span
	last   bool
}

func newLinear[T Float](m *Model[T], i, in, out int) linear[T] {
	f := linear[T]{in: in, out: out, w: make([]T, out*padded(in)), pW: m.param("fc%d_W", i+1),
		pB: m.param("fc%d_b", i+1), last: i == len(m.Hidden)}
	f.b = of(m.Params, f.pB)
	f.dW, f.dB = m.room(out*padded(in)), m.room(out)
	return f
}

func (f *linear[T]) prepare(params []T) {
	w := of(params, f.pW)
	for i := range f.out {
		copy(f.w[i*padded(f.in):], w[i*f.in:][:f.in])
	}
}

func (f *linear[T]) finish(grad, working []T) {
	dst, src := of(grad, f.pW), part(working, f.dW)
	for i := range f.out {
		copy(dst[i*f.in:][:f.in], src[i*padded(f.in):])
	}
	copy(of(grad, f.pB), part(working, f.dB))
}

func (f *linear[T]) forward(k *kernels[T], y, x []T) {
	wi := padded(f.in)
	k.dots(y, f.w, x[:wi], f.out, wi)
	for i := range y {
		y[i] += f.b[i]
		if !f.last {
			y[i] = max(y[i], 0)
		}
	}
}

// backward takes dy, which it overwrites with the gradient before the ReLU:
// dy ⊙ [y > 0]; dW = dy ⊗ x; db = dy; dx = Wᵀdy.
func (f *linear[T]) backward(k *kernels[T], dx, dy, y, x, grad []T) {
	if !f.last {
		for i := range dy {
			dy[i] = T(dy[i] * activateBack(y[i], 0))
		}
	}
	wi := padded(f.in)
	dW := part(grad, f.dW)
	clear(dW)
	k.outerAdd(dW, dy, x[:wi], f.out, wi)
	copy(part(grad, f.dB), dy)
	k.gemm(dx[:wi], wi, dy, 0, 1, f.w, wi, 1, f.out, wi, nil)
}

// An mlpState is what one graph leaves in the MLP.
type mlpState[T Float] struct {
	x    [][]T // the input of each layer; x[0] is z, the last the logits
	relu [][]T // hidden layers: after the ReLU
	hat  [][]T // batch normalization: standardized
	mask [][]T // dropout: 0, or 1/(1−p)
	best []int32
}

func newMLPState[T Float](o Options) mlpState[T] {
	var s mlpState[T]
	vector := func(w int) []T { return make([]T, padded(w))[:w] }
	widths := o.mlpWidths()
	for _, w := range widths {
		s.x = append(s.x, vector(w))
	}
	for i, w := range o.Hidden {
		s.relu = append(s.relu, s.x[i+1])
		if o.BatchNorm || o.Dropout > 0 {
			s.relu[i] = vector(w)
		}
		s.hat = append(s.hat, vector(w))
		s.mask = append(s.mask, nil)
	}
	s.best = make([]int32, widths[0])
	return s
}

// mlpForward runs one graph through all layers; it is for models without batch
// normalization.
func (m *Model[T]) mlpForward(s *mlpState[T]) {
	for i := range m.fc {
		if m.fc[i].last {
			m.fc[i].forward(m.k, s.x[i+1], s.x[i])
			break
		}
		m.fc[i].forward(m.k, s.relu[i], s.x[i])
		if m.Dropout > 0 {
			copy(s.x[i+1], s.relu[i])
			s.drop(i, s.x[i+1])
		}
	}
}

// mlpBackward takes dL/dlogits and leaves dL/dz in sc.dz.
func (m *Model[T]) mlpBackward(s *mlpState[T], dLogits []T, sc *scratch[T], grad []T) {
	dy := append(sc.dy[:0], dLogits...)
	for i := len(m.fc) - 1; i >= 0; i-- {
		f := &m.fc[i]
		y := dy // not looked at in the last layer
		if !f.last {
			s.drop(i, dy)
			y = s.relu[i]
		}
		sc.dz = resize(sc.dz, padded(f.in))
		f.backward(m.k, sc.dz, dy, y, s.x[i], grad)
		dy = append(dy[:0], sc.dz[:f.in]...)
	}
	sc.dy = dy
}

// drop applies the dropout mask of hidden layer i, when there is one.
func (s *mlpState[T]) drop(i int, v []T) {
	for j, f := range s.mask[i] {
		v[j] *= f
	}
}
