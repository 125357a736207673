package baseline

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/random"
)

// The objective is strictly convex in the weights: it is at its least where the
// gradient, computed here by definition, vanishes. Draws that are nearly alike, more
// features than cases and fewer, strong and weak penalties, features of any size.
func TestLogisticIsAtTheOptimum(t *testing.T) {
	for _, c := range []struct {
		n, d, copies int
		weight, size float64
	}{{40, 300, 1, 1, 1}, {120, 200, 10, 1, 1}, {90, 5, 1, 1, 1}, {60, 100, 1, 1e-4, 1}, {60, 100, 1, 1e4, 1},
		{80, 3, 4, 1e6, 1}, {50, 80, 5, 1, 1e3}, {50, 80, 1, 10, 1e-3}, {30, 1, 1, 1, 1}} {
		name := fmt.Sprint(c)
		r := random.New(3, name)
		x, label := Rows{N: c.n, D: c.d, X: make([]float64, c.n*c.d)}, make([]int, c.n)
		for i := range c.n {
			label[i] = i / c.copies % 2
			for j := range c.d {
				if i%c.copies == 0 {
					x.X[i*c.d+j] = c.size * (0.5 + 0.3*r.Normal() + 0.1*float64(label[i]))
				} else {
					x.X[i*c.d+j] = x.X[(i-1)*c.d+j] + c.size*0.01*r.Normal()
				}
			}
		}
		var first []float64
		for threads := 1; threads < 4; threads++ {
			m, err := FitLogistic(context.Background(), x, label, 2, c.weight, threads)
			need.NoError(t, err, name)
			l := m.(machines)[0].(*linear)
			if first == nil {
				first = l.w
			} else if !slices.Equal(first, l.w) {
				t.Fatalf("%s: %d goroutines give other bits", name, threads)
			}
			gradient, scale := slices.Clone(l.w), norm(l.w)
			offset := 0.0
			for i := range c.n {
				y, f := float64(2*label[i]-1), l.b
				for j, v := range x.Row(i) {
					f += l.w[j] * v
				}
				pull := c.weight * y / (1 + math.Exp(y*f))
				offset -= pull
				for j, v := range x.Row(i) {
					gradient[j] -= pull * v
				}
			}
			// A step off the optimum changes the gradient by C and more times its length.
			if got := norm(append(gradient, offset)); !(got <= 1e-8*scale*max(1, c.weight)) {
				t.Errorf("%s: the gradient is %g where the weights are %g", name, got, scale)
			}
		}
	}
}

func norm(v []float64) float64 { return math.Sqrt(dot(v, v)) }

func TestLogisticStops(t *testing.T) {
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := FitLogistic(stopped, Rows{N: 2, D: 1, X: []float64{1, 2}}, []int{0, 1}, 2, 1, 1); err == nil {
		t.Error("it does not stop")
	}
	if _, err := FitLogistic(context.Background(), Rows{N: 2, D: 1, X: []float64{1, math.NaN()}}, []int{0, 1},
		2, 1, 1); err == nil {
		t.Error("a feature that is no number has weights")
	}
}
