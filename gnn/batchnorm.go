package gnn

import "math"

// A norm is batch normalization after the ReLU of a hidden layer, as in PyTorch:
// in training by the batch's own mean and (biased) variance, while a running mean
// and (unbiased) variance are kept for later use. It ties the graphs of a batch
// together, so the MLP of such a model goes layer by layer through the batch.
type norm[T Float] struct {
	gain, bias   []T // parts of Params
	mean, vari   []T // parts of Buffers
	pGain, pBias Param

	sd []T // of the batch
}

const (
	normEpsilon  = 1e-5
	normMomentum = 0.1
)

func newNorm[T Float](m *Model[T], i int) norm[T] {
	b := norm[T]{pGain: m.param("bn%d_g", i+1), pBias: m.param("bn%d_b", i+1), sd: make([]T, m.Hidden[i])}
	b.gain, b.bias = of(m.Params, b.pGain), of(m.Params, b.pBias)
	at := 0
	for _, w := range m.Hidden[:i] {
		at += 2 * w
	}
	b.mean, b.vari = m.Buffers[at:][:m.Hidden[i]], m.Buffers[at+m.Hidden[i]:][:m.Hidden[i]]
	return b
}

// infer applies the running statistics to one graph.
func (b *norm[T]) infer(y, x []T) {
	for j := range y {
		hat := (x[j] - b.mean[j]) / T(math.Sqrt(float64(b.vari[j]+normEpsilon)))
		y[j] = T(hat*b.gain[j]) + b.bias[j]
	}
}

// forward: x̂ = (x − mean)/√(var + ε), y = gain·x̂ + bias, over the graphs of a batch.
func (b *norm[T]) forward(layer int, batch []*slot[T]) {
	n := T(len(batch))
	for j := range b.gain {
		var mean, vari T
		for _, s := range batch {
			mean += s.mlp.relu[layer][j]
		}
		mean /= n
		for _, s := range batch {
			d := s.mlp.relu[layer][j] - mean
			vari += T(d * d)
		}
		vari /= n
		b.sd[j] = T(math.Sqrt(float64(vari + normEpsilon)))
		for _, s := range batch {
			hat := (s.mlp.relu[layer][j] - mean) / b.sd[j]
			s.mlp.hat[layer][j] = hat
			s.mlp.x[layer+1][j] = T(hat*b.gain[j]) + b.bias[j]
		}
		if len(batch) > 1 {
			vari = T(vari * (n / (n - 1)))
		}
		b.mean[j] += T(normMomentum * (mean - b.mean[j]))
		b.vari[j] += T(normMomentum * (vari - b.vari[j]))
	}
}

// backward turns dy into dx in place and writes the gradients of gain and bias:
//
//	dgain = Σ dy·x̂, dbias = Σ dy, dx = gain/√(var+ε)·(dy − dbias/n − x̂·dgain/n)
func (b *norm[T]) backward(layer int, batch []*slot[T], dy [][]T, grad []T) {
	n := T(len(batch))
	dGain, dBias := of(grad, b.pGain), of(grad, b.pBias)
	for j := range b.gain {
		var dg, db T
		for i, s := range batch {
			dg += T(dy[i][j] * s.mlp.hat[layer][j])
			db += dy[i][j]
		}
		dGain[j], dBias[j] = dg, db
		for i, s := range batch {
			dy[i][j] = b.gain[j] / b.sd[j] * (dy[i][j] - db/n - T(s.mlp.hat[layer][j]*(dg/n)))
		}
	}
}
