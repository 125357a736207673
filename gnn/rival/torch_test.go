package rival

import (
	"math"
	"testing"

	"prgnn/gnn"
	"prgnn/internal/lists"
)

// closeTo compares with the largest value of want as the scale.
func closeTo(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	scale := 0.0
	for _, v := range want {
		scale = max(scale, math.Abs(v))
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tolerance*scale) {
			t.Fatalf("%s: value %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// turned maps parameters of PyTorch, whose weights are out × in, to ours, or back.
func turned(l gnn.Layout, v []float64, back bool) []float64 {
	out := make([]float64, len(v))
	for _, p := range l {
		from, to := v[p.Offset:][:p.Len()], out[p.Offset:]
		if len(p.Shape) == 1 {
			copy(to, from)
			continue
		}
		in, width := p.Shape[0], p.Shape[1]
		for i := range in {
			for j := range width {
				if back {
					to[j*in+i] = from[i*width+j]
				} else {
					to[i*width+j] = from[j*in+i]
				}
			}
		}
	}
	return out
}

// slopes compares a gradient with central differences of the loss, at every step-th parameter: within
// 1e-6 of the largest value of the gradient.
func slopes(t *testing.T, params, grad []float64, step int, h float64, loss func() float64) {
	t.Helper()
	largest := 0.0
	for _, g := range grad {
		largest = max(largest, math.Abs(g))
	}
	for i := 0; i < len(params); i += step {
		was := params[i]
		params[i] = was + h
		up := loss()
		params[i] = was - h
		down := loss()
		params[i] = was
		if want := (up - down) / (2 * h); math.Abs(grad[i]-want) > 1e-6*largest {
			t.Fatalf("parameter %d: %v, want %v", i, grad[i], want)
		}
	}
}

// ints are numbers of a fixture that are whole.
func ints(v []float64) []int { return lists.Map(v, func(x float64) int { return int(x) }) }
