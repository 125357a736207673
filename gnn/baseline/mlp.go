package baseline

import (
	"context"
	"fmt"
	"strings"

	"prgnn/gnn"
	"prgnn/gnn/network"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/numeric/random"
)

// An mlp is a multilayer perceptron with ReLU between its layers.
type mlp[T gnn.Float] struct {
	l      gnn.Layout
	layers []network.Full[T]
	d      int
	x      []T // cases × d
	label  []int
	y      []float64 // numbers, in place of labels
	batch  []T       // the rows of a batch; memory is reused
}

func newMLP[T gnn.Float](x Rows, label []int, y []float64, widths []int) *mlp[T] {
	m := &mlp[T]{d: x.D, x: narrow[T](x.X), label: label, y: y}
	m.layers = network.Fulls[T](&m.l, widths, func(i int) string { return fmt.Sprintf("fc%d", i+1) })
	return m
}

// narrow converts to the precision of a network.
func narrow[T gnn.Float](v []float64) []T {
	out := lists.Map(v, func(x float64) T { return T(x) })
	return out
}

func (m *mlp[T]) Layout() gnn.Layout { return m.l }
func (m *mlp[T]) Drops() bool        { return false }

func (m *mlp[T]) Gradient(params, grad []T, cases []int, _ *random.Stream, threads int) (loss float64, right int) {
	n := len(cases)
	x := network.Size(&m.batch, n*m.d)
	for k, i := range cases {
		copy(x[k*m.d:][:m.d], m.x[i*m.d:])
	}
	values := network.Through(m.layers, params, x, 0, n, threads)
	dy := values[len(m.layers)]
	if m.y != nil {
		loss = network.Squares(dy, m.y, cases)
	} else {
		loss, right = network.Entropies(dy, m.label, cases)
	}
	if grad != nil {
		network.ThroughBack(m.layers, params, grad, values, dy, 0, false, n, threads)
	}
	return loss, right
}

// A trainedMLP rates cases.
type trainedMLP[T gnn.Float] struct {
	*mlp[T]
	params []T
	widths []int
	t      network.Training
}

// FitMLP trains a multilayer perceptron with these hidden widths, in single precision.
func FitMLP(ctx context.Context, hidden []int, t network.Training, x Rows, label []int,
	classes int) (Classifier, error) {
	return fitMLP(ctx, hidden, classes, t, x, label, nil)
}

// MLPTo trains one on numbers, to the smallest mean squared error.
func MLPTo(ctx context.Context, hidden []int, t network.Training, x Rows, y []float64) (Regressor, error) {
	return fitMLP(ctx, hidden, 1, t, x, nil, y)
}

func fitMLP(ctx context.Context, hidden []int, out int, t network.Training, x Rows, label []int,
	y []float64) (*trainedMLP[float32], error) {
	widths := append(append([]int{x.D}, hidden...), out)
	m := newMLP[float32](x, label, y, widths)
	params, err := network.Train[float32](ctx, m, x.N, t)
	if err != nil {
		return nil, err
	}
	m.x, m.label, m.y, m.batch = nil, nil, nil, nil
	return &trainedMLP[float32]{m, params, widths, t}, nil
}

// last is what the last layer gives for each case.
func (m *trainedMLP[T]) last(x Rows, threads int) []T {
	values := network.Through(m.layers, m.params, narrow[T](x.X), 0, x.N, threads)
	return values[len(values)-1]
}

func (m *trainedMLP[T]) Probability(x Rows, threads int) []float64 {
	return network.Probabilities(m.last(x, threads), m.widths[len(m.widths)-1])
}

// Decide gives the numbers of a network that was trained on them.
func (m *trainedMLP[T]) Decide(x Rows, threads int) []float64 {
	out := make([]float64, x.N)
	for i, v := range m.last(x, threads) {
		out[i] = float64(v)
	}
	return out
}

func (m *trainedMLP[T]) Parameters() int { return len(m.params) }

func (m *trainedMLP[T]) Note() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(m.widths), " ", "–"), "[]") + ", " +
		words.Count(m.t.Epochs, "epoch")
}
