package baseline

import (
	"context"
	"fmt"
	"math"
	"testing"

	"prgnn/internal/need"
	"prgnn/numeric/random"
)

// logisticWays are those to the optimum of logistic regression, which the number of cases chooses from.
var logisticWays = []struct {
	name string
	fit  func(ctx context.Context, x Rows, label []int, c float64, threads int) (machines, error)
}{
	{"pairs", func(ctx context.Context, x Rows, label []int, c float64, threads int) (machines, error) {
		return fitDualLogistic(ctx, x, label, 2, c, true, threads)
	}},
	{"cases", func(ctx context.Context, x Rows, label []int, c float64, threads int) (machines, error) {
		return fitDualLogistic(ctx, x, label, 2, c, false, threads)
	}},
}

// The objective is strictly convex in the weights: it is at its least where the
// gradient, computed here by definition, vanishes. Draws that are nearly alike, more
// features than cases and fewer, strong and weak penalties, features of any size, groups
// that a plane parts. All ways lead there, with the same bits at any number of goroutines.
func TestLogisticIsAtTheOptimum(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		n, d, copies int
		weight, size float64
	}{{40, 300, 1, 1, 1}, {120, 200, 10, 1, 1}, {90, 5, 1, 1, 1}, {60, 100, 1, 1e-4, 1}, {60, 100, 1, 1e4, 1},
		{80, 3, 4, 1e6, 1}, {50, 80, 5, 1, 1e3}, {50, 80, 1, 10, 1e-3}, {30, 1, 1, 1, 1},
		{60, 20, 1, 1e5, 1}, {80, 12, 4, 1e6, 1}, {1100, 260, 5, 100, 1}} {
		r := random.New(3, fmt.Sprint(c))
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
		for _, way := range logisticWays {
			name := fmt.Sprint(c, way.name)
			sameBits(t, name, func(threads int) []float64 {
				l := need.Value(way.fit(ctx, x, label, c.weight, threads))(t)[0].(*linear)
				gradient, scale := gradientOf(l, x, signs(label, 2)[0], func(y, f float64) float64 {
					return -c.weight * y / (1 + math.Exp(y*f))
				}), norm(l.w)
				// A step off the optimum changes the gradient by C and more times its length.
				if got := norm(gradient); !(got <= 1e-8*scale*max(1, c.weight)) {
					t.Errorf("%s: the gradient is %g where the weights are %g", name, got, scale)
				}
				return append(l.w, l.b)
			})
		}
	}
}

func TestLogisticStops(t *testing.T) {
	stopped, stop := context.WithCancel(context.Background())
	stop()
	for _, way := range logisticWays {
		if _, err := way.fit(stopped, Rows{N: 2, D: 1, X: []float64{1, 2}}, []int{0, 1}, 1, 1); err == nil {
			t.Error(way.name, "do not stop")
		}
		bad := Rows{N: 2, D: 1, X: []float64{1, math.NaN()}}
		if _, err := way.fit(context.Background(), bad, []int{0, 1}, 1, 1); err == nil {
			t.Error(way.name, "give weights of a feature that is no number")
		}
	}
}

// Groups that a plane parts, at a C or with inputs so large that nearly all cases are saturated: the weights are those
// where the gradient vanishes, or there is an error that says what is too large.
func TestLogisticReachesTheOptimumOrSaysWhyNot(t *testing.T) {
	r := random.New(3, "saturated")
	x, label := Rows{N: 20, D: 21}, make([]int, 20)
	for i := range label {
		label[i] = i % 2
		for range x.D {
			x.X = append(x.X, 0.3*r.Normal()+0.03*float64(label[i]))
		}
	}
	for _, scale := range []struct{ c, size float64 }{{1e12, 1}, {1e16, 1}, {1e20, 1}, {1, 1e8}} {
		scaled := Rows{N: x.N, D: x.D}
		for _, v := range x.X {
			scaled.X = append(scaled.X, v*scale.size)
		}
		for _, way := range logisticWays {
			ms, err := way.fit(context.Background(), scaled, label, scale.c, 1)
			if err != nil {
				need.Error(t, err, "use a smaller C, or inputs nearer 1")
				continue
			}
			l := ms[0].(*linear)
			gradient := gradientOf(l, scaled, signs(label, 2)[0], func(y, f float64) float64 {
				return -scale.c * y / (1 + math.Exp(y*f))
			})
			if got := norm(gradient); !(got <= 1e-4*norm(l.w)) {
				t.Errorf("%v %s: the gradient is %g where the weights are %g", scale, way.name, got, norm(l.w))
			}
		}
	}
}
