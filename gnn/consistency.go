package gnn

import (
	"math"

	"prgnn/numeric/exact"
)

// consistency is the group-level consistency loss of Eq. (6), on the scores of
// the first pooling: within a batch, the scores of the M_c graphs of one class c are
// drawn together. It adds its gradient times scale to dS and returns the sum
// over the classes; a class of one graph or none contributes nothing. By option
//
//	squared   (1/M²) Σ_ij ‖s_i − s_j‖² = (2/M) Σ_i ‖s_i − mean‖²;  d/ds_i = (4/M)(s_i − mean)
//	trace     2Tr(SᵀLS), which is M² times that
//	norm      (1/M²) Σ_ij ‖s_i − s_j‖
//	authors   Tr(SᵀLS)/M² = (1/M) Σ_i ‖t_i − mean‖² of t = sigmoid(s)
func (m *Model[T]) consistency(batch []*slot[T], scale float64) float64 {
	loss := 0.0
	for c := range m.Classes {
		var group []*blockState[T]
		for _, s := range batch {
			if s.graph.Label == c {
				group = append(group, &s.blocks[0])
			}
		}
		if len(group) < 2 {
			continue
		}
		n := float64(len(group))
		switch m.GLC {
		case "squared":
			loss += spreadOf(group, 2/n, 4/n*scale)
		case "trace":
			loss += spreadOf(group, 2*n, 4*n*scale)
		case "norm":
			loss += normsOf(group, 2/(n*n), scale)
		case "authors":
			loss += sigmoidSpreadOf(group, 1/n, 2/n*scale)
		}
	}
	return loss
}

// spreadOf is value·Σ_i‖s_i − mean‖²; it adds slope·(s_i − mean) to each dS.
func spreadOf[T Float](group []*blockState[T], value, slope float64) float64 {
	mean := make([]float64, len(group[0].s))
	for _, g := range group {
		for p, s := range g.s {
			mean[p] += float64(s)
		}
	}
	for p := range mean {
		mean[p] /= float64(len(group))
	}
	sum := 0.0
	for _, g := range group {
		dS := g.dS[:len(g.s)]
		for p, s := range g.s {
			d := float64(s) - mean[p]
			sum += float64(d * d)
			dS[p] += T(slope * d)
		}
	}
	return float64(value * sum)
}

func sigmoidSpreadOf[T Float](group []*blockState[T], value, slope float64) float64 {
	sum := 0.0
	t := make([]float64, len(group))
	for p := range group[0].s {
		mean := 0.0
		for i, g := range group {
			t[i] = 1 / (1 + exact.Exp(-float64(g.s[p])))
			mean += t[i]
		}
		mean /= float64(len(group))
		for i, g := range group {
			d := t[i] - mean
			sum += float64(d * d)
			g.dS[p] += T(slope * d * t[i] * (1 - t[i]))
		}
	}
	return float64(value * sum)
}

// normsOf is value·Σ_i<j‖s_i − s_j‖. Where two graphs have the same scores the
// norm has no derivative, and 0 is taken.
func normsOf[T Float](group []*blockState[T], value, scale float64) float64 {
	sum := 0.0
	for i, a := range group {
		for _, b := range group[i+1:] {
			d2 := 0.0
			for p := range a.s {
				d := float64(a.s[p]) - float64(b.s[p])
				d2 += float64(d * d)
			}
			if d2 == 0 {
				continue
			}
			d := math.Sqrt(d2)
			sum += d
			for p := range a.s {
				g := T(scale * value * (float64(a.s[p]) - float64(b.s[p])) / d)
				a.dS[p] += g
				b.dS[p] -= g
			}
		}
	}
	return float64(value * sum)
}
