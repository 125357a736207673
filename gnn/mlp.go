package gnn

// A linear layer of the MLP: y = Wx + b, followed by ReLU unless it is the last.
type linear[T Float] struct {
	in, out int
	w, b    []T // out × in; out: parts of the model's Params

	pW, pB Param
	dW, dB span
	last   bool
}

func newLinear[T Float](m *Model[T], i, in, out int) linear[T] {
	f := linear[T]{in: in, out: out, pW: m.param("fc%d_W", i+1), pB: m.param("fc%d_b", i+1), last: i == len(m.Hidden)}
	f.w, f.b = of(m.Params, f.pW), of(m.Params, f.pB)
	f.dW, f.dB = m.room(in*out), m.room(out)
	return f
}

func (f *linear[T]) finish(grad, working []T) {
	copy(of(grad, f.pW), part(working, f.dW))
	copy(of(grad, f.pB), part(working, f.dB))
}

func (f *linear[T]) forward(y, x []T) {
	for i := range y {
		var sum T
		for j, w := range f.w[i*f.in:][:f.in] {
			sum += T(w * x[j])
		}
		sum += f.b[i]
		if !f.last {
			sum = max(sum, 0)
		}
		y[i] = sum
	}
}

// backward takes dy, which it overwrites with the gradient before the ReLU:
// dy ⊙ [y > 0]; dW = dy ⊗ x; db = dy; dx = Wᵀdy.
func (f *linear[T]) backward(dx, dy, y, x, grad []T) {
	if !f.last {
		for i := range dy {
			dy[i] *= activateBack(y[i], 0)
		}
	}
	dW := part(grad, f.dW)
	copy(part(grad, f.dB), dy)
	clear(dx)
	for i, d := range dy {
		w, dW := f.w[i*f.in:][:f.in], dW[i*f.in:][:f.in]
		for j, x := range x {
			dW[j] = d * x
			dx[j] += T(d * w[j])
		}
	}
}

// An mlpState is what one graph leaves in the MLP.
type mlpState[T Float] struct {
	x    [][]T // the input of each layer; x[0] is z, the last the logits
	relu [][]T // hidden layers: after the ReLU
	hat  [][]T // batch normalisation: standardised
	mask [][]T // dropout: 0, or 1/(1−p)
	best []int32
}

func newMLPState[T Float](o Options) mlpState[T] {
	var s mlpState[T]
	widths := o.mlpWidths()
	for _, w := range widths {
		s.x = append(s.x, make([]T, w))
	}
	for i, w := range o.Hidden {
		s.relu = append(s.relu, s.x[i+1])
		if o.BatchNorm || o.Dropout > 0 {
			s.relu[i] = make([]T, w)
		}
		s.hat = append(s.hat, make([]T, w))
		s.mask = append(s.mask, nil)
	}
	s.best = make([]int32, widths[0])
	return s
}

// mlpForward runs one graph through all layers; it is for models without batch
// normalisation.
func (m *Model[T]) mlpForward(s *mlpState[T]) {
	for i := range m.fc {
		if m.fc[i].last {
			m.fc[i].forward(s.x[i+1], s.x[i])
			break
		}
		m.fc[i].forward(s.relu[i], s.x[i])
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
		sc.dz = resize(sc.dz, f.in)
		f.backward(sc.dz, dy, y, s.x[i], grad)
		dy = append(dy[:0], sc.dz...)
	}
	sc.dy = dy
}

// drop applies the dropout mask of hidden layer i, when there is one.
func (s *mlpState[T]) drop(i int, v []T) {
	for j, f := range s.mask[i] {
		v[j] *= f
	}
}
