package baseline

import (
	"context"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"prgnn/gnn"
	"prgnn/gnn/network"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/random"
)

// A traced network is what PyTorch computed of it.
type traced struct {
	X                                [][]float64
	Y                                []int
	Widths, Edges, Hidden            []int
	D, Nodes, Features               int
	Slope, Ratio, Loss               float64
	Params, Grad, After, Probability []float64
}

// Forward, gradient and four steps of the optimizer are PyTorch's.
func (f *traced) hold(t *testing.T, net network.Network[float64], o network.Training,
	probability func(params []float64) []float64) {
	t.Helper()
	const tolerance = 1e-10
	if n := net.Layout().Len(); n != len(f.Params) {
		t.Fatalf("%d parameters, want %d", n, len(f.Params))
	}
	all := lists.UpTo(len(f.Y))
	near(t, "probabilities", probability(f.Params), f.Probability, tolerance)
	for threads := 1; threads < 4; threads++ {
		params, grad := slices.Clone(f.Params), make([]float64, len(f.Params))
		for i := range grad {
			grad[i] = math.NaN()
		}
		loss, _ := net.Gradient(params, grad, all, nil, threads)
		near(t, "loss", []float64{loss / float64(len(all))}, []float64{f.Loss}, tolerance)
		near(t, "gradient", grad, f.Grad, tolerance)
		step := network.NewOptimizer(o, params, grad).Step
		for range 4 {
			net.Gradient(params, grad, all, nil, threads)
			step(0.01)
		}
		near(t, "parameters after four steps", params, f.After, tolerance)
	}
}

func tracedNetworks(t *testing.T) (named struct{ MLP, BrainNetCNN traced }) {
	t.Helper()
	readFixture(t, "nets.json", &named)
	return named
}

func TestMLPAgainstPyTorch(t *testing.T) {
	f := tracedNetworks(t).MLP
	x := rowsOf(f.X)
	m := newMLP[float64](x, f.Y, nil, f.Widths)
	f.hold(t, m, network.Training{}, func(params []float64) []float64 {
		return (&trainedMLP[float64]{mlp: m, params: params, widths: f.Widths}).Probability(x, 1)
	})
}

func TestBrainNetCNNAgainstPyTorch(t *testing.T) {
	f := tracedNetworks(t).BrainNetCNN
	x := rowsOf(f.X)
	o := BrainNetCNN{Edges: [2]int(f.Edges), Nodes: f.Nodes, Hidden: f.Hidden, Slope: f.Slope}
	m := newBrainNetCNN[float64](o, f.D, x, f.Y, 2)
	f.hold(t, m, network.Training{Momentum: 0.9, Decay: 5e-4}, func(params []float64) []float64 {
		return (&trainedCNN[float64]{brainNetCNN: m, params: params}).Probability(x, 1)
	})
}

// The paper's network has the size that its description gives at 84 nodes.
func TestKawaharaSize(t *testing.T) {
	if n := newBrainNetCNN[float32](Kawahara(), 84, Rows{D: 3486}, nil, 2).Layout().Len(); n != 1762972 {
		t.Errorf("%d parameters, want 1,762,972", n)
	}
}

func TestLi2019AgainstPyTorch(t *testing.T) {
	var fixture struct {
		Li2019 struct {
			traced
			Graphs []struct {
				Nodes int
				X     []float64
				Edges [][3]float64
			}
		}
	}
	readFixture(t, "nets.json", &fixture)
	f := &fixture.Li2019
	var graphs []EdgeGraph
	for _, g := range f.Graphs {
		e := EdgeGraph{Nodes: g.Nodes, Features: g.X}
		for _, v := range g.Edges {
			e.Edges = append(e.Edges, gnn.Edge{Source: int32(v[0]), Target: int32(v[1]), Weight: v[2]})
		}
		graphs = append(graphs, e)
	}
	m := newLi2019[float64](Li2019{Widths: f.Widths, Hidden: f.Hidden, Ratio: f.Ratio}, f.Features, graphs, f.Y, 2)
	f.hold(t, m, network.Training{}, func(params []float64) []float64 {
		return (&trainedLi[float64]{li2019: m, params: params, classes: 2}).Probability(graphs, 2)
	})
}

// At d = 32 it has about the 16 thousand parameters of the paper's Table 2.
func TestLi2019Size(t *testing.T) {
	for n, o := range map[int]Li2019{15678: {Widths: []int{32, 32}, Hidden: []int{32, 8}},
		6062: {Widths: []int{16, 16}, Hidden: []int{16, 8}}} {
		if got := newLi2019[float32](o, 84, nil, nil, 2).Layout().Len(); got != n {
			t.Errorf("%v: %d parameters, want %d", o.Widths, got, n)
		}
	}
}

// With dropout the gradient is that of the loss which it is taken of: the same
// random numbers give the same masks.
func TestDropoutGradient(t *testing.T) {
	f := tracedNetworks(t).BrainNetCNN
	x := rowsOf(f.X)
	o := BrainNetCNN{Edges: [2]int(f.Edges), Nodes: f.Nodes, Hidden: f.Hidden, Slope: f.Slope, Dropout: 0.4}
	m := newBrainNetCNN[float64](o, f.D, x, f.Y, 2)
	all := []int{0, 1, 2, 3, 4, 5}
	params, grad, other := slices.Clone(f.Params), make([]float64, len(f.Params)), make([]float64, len(f.Params))
	loss := func() float64 {
		l, _ := m.Gradient(params, other, all, random.New(1), 1)
		return l / 6
	}
	m.Gradient(params, grad, all, random.New(1), 1)
	for i := 0; i < len(params); i += 7 {
		const h = 1e-6
		at := params[i]
		params[i] = at + h
		up := loss()
		params[i] = at - h
		down := loss()
		params[i] = at
		if want := (up - down) / (2 * h); math.Abs(want-grad[i]) > 1e-6 {
			t.Errorf("parameter %d: gradient %v, want %v", i, grad[i], want)
		}
	}
	if l, _ := m.Gradient(params, other, all, nil, 1); l == 6*loss() {
		t.Error("dropout changes nothing")
	}
}

// A network learns, stops when it is told to, and says when it diverges.
func TestTraining(t *testing.T) {
	r := random.New(9)
	x, label := Rows{N: 80, D: 10, X: make([]float64, 800)}, make([]int, 80)
	for i := range label {
		label[i] = i % 2
		for j := range 10 {
			x.X[i*10+j] = r.Normal() * 0.3
		}
		x.X[i*10] += float64(label[i])
	}
	var last float64
	o := network.Training{Epochs: 60, Batch: 20, Rate: 0.01, Halve: 30, Seed: 1, Threads: 1,
		Progress: func(e network.Epoch) { last = e.Loss }}
	one, err := FitMLP(context.Background(), []int{6}, o, x, label, 2)
	if err != nil || last > 0.35 {
		t.Fatalf("loss %v, %v", last, err)
	}
	o.Threads = 3
	many, err := FitMLP(context.Background(), []int{6}, o, x, label, 2)
	if err != nil || !slices.Equal(one.Probability(x, 1), many.Probability(x, 2)) {
		t.Errorf("more threads give other probabilities, %v", err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := FitMLP(stopped, []int{6}, o, x, label, 2); err == nil {
		t.Error("it does not stop")
	}
	o.Rate, o.Momentum = 1e30, 0.9
	if _, err := FitMLP(context.Background(), []int{6}, o, x, label, 2); err == nil || !strings.Contains(err.Error(),
		"training diverged in epoch 1: the loss is not finite: use a learning_rate below 1e+30") {
		t.Errorf("of a loss that is no number: %v", err)
	}
}

// A training that goes well for some epochs first says what its loss was.
func TestDivergence(t *testing.T) {
	f := tracedNetworks(t).MLP
	m := newMLP[float32](rowsOf(f.X), f.Y, nil, f.Widths)
	_, err := network.Train(context.Background(), m, len(f.Y), network.Training{Epochs: 1000, Batch: 3, Rate: 30,
		Momentum: 0.9,
		Decay:    0.1, Threads: 1})
	if err == nil || !regexp.MustCompile(`training diverged in epoch \d+: the loss is not finite, after \S+ in the previous epoch`).MatchString(err.Error()) {
		t.Errorf("%v", err)
	}
}

// What is for the test is rated and not learned from.
func TestTrainingTests(t *testing.T) {
	f := tracedNetworks(t).BrainNetCNN
	x := rowsOf(f.X)
	o := BrainNetCNN{Edges: [2]int(f.Edges), Nodes: f.Nodes, Hidden: f.Hidden, Slope: f.Slope, Dropout: 0.4}
	var last network.Epoch
	training := network.Training{Epochs: 5, Batch: 2, Rate: 0.01, Momentum: 0.9, Seed: 1, Threads: 1,
		Progress: func(e network.Epoch) { last = e }}
	taught := Rows{N: x.N - 2, D: x.D, X: x.X[:(x.N-2)*x.D]}
	alone, err := FitBrainNetCNN(context.Background(), o, f.D, training, taught, f.Y[:x.N-2], 2)
	need.NoError(t, err)
	if !math.IsNaN(last.TestLoss) {
		t.Errorf("without test cases their loss is %v", last.TestLoss)
	}
	training.Test = 2
	tested, err := FitBrainNetCNN(context.Background(), o, f.D, training, x, f.Y, 2)
	need.NoError(t, err)
	p := tested.Probability(x, 1)
	if !slices.Equal(p, alone.Probability(x, 1)) {
		t.Error("test cases change what is learned")
	}
	want := 0.0
	for i := x.N - 2; i < x.N; i++ {
		want -= math.Log(p[2*i+f.Y[i]]) / 2
	}
	near(t, "loss of the test cases", []float64{last.TestLoss}, []float64{want}, 1e-6)
}
