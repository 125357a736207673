package baseline

import (
	"math"
	"slices"
	"testing"

	"prgnn/gnn"
	"prgnn/gnn/network"
	"prgnn/numeric/random"
)

// crossingOf draws the maps of n cases; with ties, values repeat, and sums of a row and a column are often 0.
func crossingOf[T gnn.Float](r *random.Stream, n, d, w int, ties bool) *crossing[T] {
	draw := func() []T {
		v := make([]T, n*d*w)
		for i := range v {
			v[i] = T(r.Normal())
			if ties {
				v[i] = T(math.Round(float64(v[i])))
			}
			if ties && r.Float64() < 0.1 {
				v[i] = T(math.Copysign(0, -1))
			}
		}
		return v
	}
	c := &crossing[T]{}
	c.set(draw(), draw(), make([]T, w), make([]T, w), n, d, 2)
	return c
}

// Orders and counts are those of the definition, also where values are equal or −0.
func TestCrossingOrders(t *testing.T) {
	r := random.New(1)
	for _, d := range []int{1, 2, 7, 84} {
		for _, ties := range []bool{false, true} {
			checkOrders(t, crossingOf[float32](r, 2, d, 3, ties))
			checkOrders(t, crossingOf[float64](r, 2, d, 3, ties))
		}
	}
}

func checkOrders[T gnn.Float](t *testing.T, c *crossing[T]) {
	t.Helper()
	for at := range 2 {
		for k := range 3 {
			row, col := c.sides(at, k)
			for _, s := range [][2]side[T]{{row, col}, {col, row}} {
				checkSide(t, s[0], s[1])
			}
		}
	}
}

func checkSide[T gnn.Float](t *testing.T, s, other side[T]) {
	t.Helper()
	want := make([]int32, len(s.v))
	for i := range want {
		want[i] = int32(i)
	}
	slices.SortStableFunc(want, func(a, b int32) int {
		switch {
		case s.v[a] > s.v[b]:
			return -1
		case s.v[a] < s.v[b]:
			return 1
		}
		return 0
	})
	if !slices.Equal(s.order, want) {
		t.Errorf("%v: order %v, want %v", s.v, s.order, want)
	}
	for i, v := range s.v {
		above := int32(0)
		for _, u := range other.v {
			if v+u > 0 {
				above++
			}
		}
		if s.above[i] != above {
			t.Errorf("%v of %v: %d above, want %d", v, other.v, s.above[i], above)
		}
	}
}

// Results and gradients of a line are those of the map written out.
func TestLine(t *testing.T) {
	const slope = 0.33
	r := random.New(2)
	for _, d := range []int{1, 5, 9, 20} {
		for _, w := range []int{1, 16, 19, 32} {
			c := crossingOf[float64](r, 1, d, 1, d == 9)
			row, col := c.sides(0, 0)
			weights, grad := draws(r, d*w), draws(r, d*w)
			for _, l := range []line[float64]{{col, row}, {row, col}} {
				out, dWeights := make([]float64, d*w), make([]float64, d*w)
				dAlong, dAcross := make([]float64, d), make([]float64, d)
				for i, a := range l.across.v {
					for j, b := range l.along.v {
						y, s := a+b, 1.0
						if !(y > 0) {
							y, s = slope*y, slope
						}
						for k := range w {
							out[i*w+k] += weights[j*w+k] * y
							dWeights[j*w+k] += grad[i*w+k] * y
							dAlong[j] += s * grad[i*w+k] * weights[j*w+k]
							dAcross[i] += s * grad[i*w+k] * weights[j*w+k]
						}
					}
				}
				tab := newTable[float64]()
				gotOut, gotWeights := make([]float64, d*w), make([]float64, d*w)
				gotAlong, gotAcross := make([]float64, d), make([]float64, d)
				l.forward(tab, gotOut, weights, slope)
				l.backward(tab, gotWeights, gotAlong, gotAcross, weights, grad, slope)
				near(t, "results", gotOut, out, 1e-12)
				near(t, "gradient of the weights", gotWeights, dWeights, 1e-12)
				near(t, "gradient along", gotAlong, dAlong, 1e-12)
				near(t, "gradient across", gotAcross, dAcross, 1e-12)
			}
		}
	}
}

func draws(r *random.Stream, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.Normal()
	}
	return v
}

// The loops of this machine give the bits of the portable ones.
func TestCrossedBits(t *testing.T) {
	r := random.New(3)
	const slope = float32(0.33)
	for _, machine := range vectorized() {
		plain := sums[float32]{fill[float32], add[float32], slopes[float32]}
		for _, d := range []int{1, 7, 8, 13, 84} {
			for _, w := range []int{5, 16, 40} {
				c := crossingOf[float32](r, 1, d, 1, false)
				row, col := c.sides(0, 0)
				weights, grad := narrow[float32](draws(r, d*w)), narrow[float32](draws(r, d*w))
				var got [2][]float32
				for i, s := range []sums[float32]{plain, machine} {
					out, dWeights := make([]float32, d*w), make([]float32, d*w)
					dAlong, dAcross := make([]float32, d), make([]float32, d)
					l, tab := line[float32]{col, row}, &table[float32]{sums: s}
					l.forward(tab, out, weights, slope)
					l.backward(tab, dWeights, dAlong, dAcross, weights, grad, slope)
					got[i] = slices.Concat(out, dWeights, dAlong, dAcross)
				}
				if !slices.Equal(got[0], got[1]) {
					t.Errorf("%d nodes, %d channels: other bits", d, w)
				}
			}
		}
	}
}

// A network whose values are no numbers ends, and gives none.
func TestCrossingNaN(t *testing.T) {
	f := tracedNetworks(t).BrainNetCNN
	o := BrainNetCNN{Edges: [2]int(f.Edges), Nodes: f.Nodes, Hidden: f.Hidden, Slope: f.Slope}
	m := newBrainNetCNN[float32](o, f.D, rowsOf(f.X), f.Y, 2)
	params, grad := network.Initial[float32](m.Layout(), network.Training{}), make([]float32, m.Layout().Len())
	for i := range params {
		params[i] = float32(math.NaN())
	}
	if loss, _ := m.Gradient(params, grad, []int{0, 1}, nil, 1); !math.IsNaN(loss) {
		t.Errorf("loss %v of weights that are no numbers", loss)
	}
}
