package rival

import (
	"prgnn/gnn/network"
	"prgnn/numeric/exact"
)

// losses is the weighted sum of the terms beside the cross-entropy, for the labels of the batch. Unless grad is
// nil it sets the gradients of the scores, and in grad those of the lengths of the pooling vectors.
func (n *brainNet[T]) losses(grad []T, label []int) (sum float64) {
	for _, b := range n.blocks {
		clear(network.Size(&b.dScore, b.graphs*b.size))
		beyond := float64(b.length) - 1
		sum += float64(n.LambdaUnit * float64(beyond*beyond))
		if grad != nil {
			for j, u := range b.unit {
				network.Of(grad, b.pool)[j] = T(float64(2*n.LambdaUnit*beyond) * float64(u))
			}
		}
		tpk := b.apart
		if n.TPK == "code" {
			tpk = func(weight float64) float64 { return b.halves(n.Ratio, weight) }
		}
		sum += float64(n.LambdaTPK * tpk(n.LambdaTPK))
	}
	return sum + float64(n.LambdaGLC*n.blocks[0].alike(n.GLC, label, n.Classes, n.LambdaGLC))
}

// apart is TPK over all nodes; weight times its gradient is added to dScore.
func (b *brainBlock[T]) apart(weight float64) (loss float64) {
	share := 1 / float64(b.graphs*b.size)
	for g := range b.graphs {
		stays := make([]bool, b.size)
		for _, i := range b.at[g*b.keep:][:b.keep] {
			stays[i] = true
		}
		for i, kept := range stays {
			s, gate := float64(b.score[g*b.size+i]), float64(b.gate[g*b.size+i])
			d := gate
			if kept {
				s, d = -s, gate-1
			}
			loss += max(s, 0) + exact.Log1p(exact.Exp(-max(s, -s))) // −log(1 − sigmoid(s))
			b.dScore[g*b.size+i] += T(float64(weight*share) * d)
		}
	}
	return float64(loss * share)
}

// halves is TPK of the released program: of the kept nodes, the upper part against the lower.
func (b *brainBlock[T]) halves(ratio, weight float64) (loss float64) {
	m := int(float64(float64(b.keep) * min(ratio, 1-ratio)))
	if m == 0 {
		return 0
	}
	share := 1 / float64(b.graphs*m)
	for at, i := range b.at {
		g, p := at/b.keep, at%b.keep
		if p >= m && p < b.keep-m {
			continue
		}
		v := float64(b.gate[g*b.size+int(i)])
		q := logistic(v)
		value, d := q, -1.0
		if p >= m {
			value, d = 1-q, 1
		}
		value += 1e-10
		loss -= exact.Log(value)
		slope := float64(q*(1-q)) * float64(v*(1-v))
		b.dScore[g*b.size+int(i)] += T(float64(weight*share) * float64(d/value) * slope)
	}
	return float64(loss * share)
}

// alike is GLC in one of its forms: Σ_{m,n} ‖v_m − v_n‖² = 2M·Σ_m ‖v_m − mean‖².
func (b *brainBlock[T]) alike(form string, label []int, classes int, weight float64) (loss float64) {
	width := b.size
	if form == "code" {
		width = b.keep
	}
	// value is what is compared, and its slope along the score; i is its place among the rows.
	value := func(g, j int) (v, slope float64, i int) {
		i = g*b.size + j
		if form == "code" {
			i = g*b.size + int(b.at[g*b.keep+j])
		}
		gate := float64(b.gate[i])
		v, slope = gate, float64(gate*(1-gate))
		switch form {
		case "mean", "sum":
			v, slope = float64(b.score[i]), 1
		case "code":
			for range 2 {
				v = logistic(v)
				slope *= float64(v * (1 - v))
			}
		}
		return v, slope, i
	}
	for c := range classes {
		count, mean := 0.0, make([]float64, width)
		for g, l := range label {
			if l == c {
				count++
				for j := range mean {
					v, _, _ := value(g, j)
					mean[j] += v
				}
			}
		}
		factor := map[string]float64{"sigmoid": 2 / count, "mean": 2 / count, "code": 1 / count, "sum": 2 * count}[form]
		for g, l := range label {
			if l != c {
				continue
			}
			for j := range mean {
				v, slope, i := value(g, j)
				d := v - mean[j]/count
				loss += float64(factor * float64(d*d))
				b.dScore[i] += T(float64(weight*2*factor) * float64(d*slope))
			}
		}
	}
	return loss
}

func logistic(x float64) float64 { return 1 / (1 + exact.Exp(-x)) }
