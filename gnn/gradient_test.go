package gnn

import (
	"fmt"
	"math"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
)

// TestFiniteDifferences compares every gradient of the whole model with central
// differences of its loss, with each option turned, on graphs of different sizes where
// the losses allow it. The fixtures hold the exact values; this holds for shapes
// that they do not have.
func TestFiniteDifferences(t *testing.T) {
	base := Paper(5)
	base.Widths, base.Hidden, base.Classes, base.Ratio = []int{4, 3}, []int{6, 3}, 3, 0.6
	cases := map[string]func(*Options){
		"paper":        func(o *Options) {},
		"three blocks": func(o *Options) { o.Widths = []int{9, 4, 3} },
		"one block":    func(o *Options) { o.Widths = []int{10} },
		"no hidden":    func(o *Options) { o.Hidden = nil },
		"sage":         func(o *Options) { o.Pool = "sage" },
		"sage tied":    func(o *Options) { o.Pool, o.Tied, o.Slope = "sage", true, 0.2 },
		"tied":         func(o *Options) { o.Tied, o.Slope, o.ConvBias = true, 0.3, true },
		"mmd":          func(o *Options) { o.Distance = "mmd" },
		"rbf2":         func(o *Options) { o.Distance, o.Kernel, o.Sigma = "mmd", "rbf2", 0.7 },
		"keep all":     func(o *Options) { o.Distance, o.Ratio = "mmd", 1 },
		"bce authors":  func(o *Options) { o.BCE = "authors" },
		"glc norm":     func(o *Options) { o.GLC = "norm" },
		"glc authors":  func(o *Options) { o.GLC = "authors" },
		"no gate":      func(o *Options) { o.Gate, o.Center = false, true },
		"augment":      func(o *Options) { o.Augment, o.Readout = true, "maxmean" },
		"batch norm":   func(o *Options) { o.BatchNorm, o.Readout = true, "maxmean_all" },
		"unweighted":   func(o *Options) { o.EdgeWeights = false },
		"self":         func(o *Options) { o.SelfWeight = -0.5 },
		"number":       func(o *Options) { o.Number = true },
		"number norm":  func(o *Options) { o.Number, o.BatchNorm, o.Pool = true, true, "sage" },
	}
	for name, change := range cases {
		o := base
		change(&o)
		t.Run(name, func(t *testing.T) { checkGradient(t, o, randomGraphs[float64](o, 7, 8, 12)) })
	}
	t.Run("sizes", func(t *testing.T) {
		o := base
		o.Lambda2 = 0
		var graphs []*Graph[float64]
		for _, n := range []int{3, 17, 1, 9, 8} {
			graphs = append(graphs, randomGraphs[float64](o, 3, n, 2*n)[len(graphs)%3])
		}
		checkGradient(t, o, graphs)
	})
}

func checkGradient(t *testing.T, o Options, graphs []*Graph[float64]) {
	t.Helper()
	m := need.Value(New[float64](o, 4))(t)
	w := newWorker(m, 1)
	loss := func(grad []float64) float64 {
		m.prepare()
		l := need.Value(w.gradient(graphs, grad, nil))(t)
		return l.Total
	}
	grad, other := make([]float64, len(m.Params)), make([]float64, len(m.Params))
	loss(grad)
	for _, p := range m.Layout {
		for i := range of(m.Params, p) {
			x := &m.Params[p.Offset+i]
			// A step across a kink of ReLU or a change of order spoils a
			// difference, so the best of three steps counts.
			at, best := *x, math.Inf(1)
			for _, h := range []float64{1e-5, 1e-6, 1e-7} {
				*x = at + h
				up := loss(other)
				*x = at - h
				down := loss(other)
				*x = at
				best = min(best, math.Abs((up-down)/(2*h)-grad[p.Offset+i]))
			}
			if !(best <= 1e-7*max(largest(grad), 0.01)) {
				t.Errorf("%s[%d]: gradient %v differs from the difference quotient by %v", p.Name, i, grad[p.Offset+i], best)
			}
		}
	}
}

// Nodes in another order give the same graph, so the same losses and the same
// scores in that order, up to rounding.
// A number has one output, y, and its term of the loss is the mean of (y − target)²; training brings it down.
func TestNumber(t *testing.T) {
	o := Paper(5)
	o.Number = true
	graphs := randomGraphs[float64](o, 9, 8, 12)
	m, err := New[float64](o, 4)
	if err != nil {
		t.Fatal(err)
	}
	if p := m.param("fc3_W"); p.Shape[0] != 1 {
		t.Errorf("the last layer is %v", p.Shape)
	}
	squares := func() (sum float64) {
		predictions, err := m.Predict(graphs, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range predictions {
			d := p.Probability[0] - graphs[i].Target
			sum += d * d / 9
		}
		return sum
	}
	w := newWorker(m, 1)
	m.prepare()
	l, err := w.gradient(graphs, make([]float64, len(m.Params)), nil)
	if before := squares(); err != nil || math.Abs(l.CE-before) > 1e-12 {
		t.Errorf("the loss has %v, the predictions %v; %v", l.CE, before, err)
	}
	training := PaperTraining()
	training.Epochs, training.Batch, training.Rate, training.Workers = 300, 9, 0.01, 1
	history, err := m.Train(t.Context(), graphs, nil, training)
	if err != nil {
		t.Fatal(err)
	}
	if after := squares(); after > 0.25 || history[0].TrainAccuracy != 0 {
		t.Errorf("the squared error is %v after training, the accuracy of numbers %v", after, history[0].TrainAccuracy)
	}
}

func TestPermutationOfNodes(t *testing.T) {
	for _, pool := range []string{"topk", "sage"} {
		o := Paper(7)
		o.Pool = pool
		const n = 19
		features, edges := randomFeatures(1, n*o.Features), randomEdges(1, n, 40)
		shift := func(i int32) int32 { return (i*7 + 3) % n }
		moved := make([]float64, len(features))
		for i := range n {
			copy(moved[int(shift(int32(i)))*o.Features:], features[i*o.Features:][:o.Features])
		}
		var movedEdges []Edge
		for _, e := range edges {
			a, b := shift(e.Source), shift(e.Target)
			movedEdges = append(movedEdges, Edge{min(a, b), max(a, b), e.Weight})
		}
		m := need.Value(New[float64](o, 4))(t)
		a := need.Value(NewGraph[float64](o, 0, features, edges))(t)
		b := need.Value(NewGraph[float64](o, 0, moved, movedEdges))(t)
		p := need.Value(m.Predict([]*Graph[float64]{a, b}, 1))(t)
		near(t, "probabilities", p[1].Probability, p[0].Probability, 1e-12)
		for l := range p[0].Layers {
			x, y := p[0].Layers[l], p[1].Layers[l]
			at := lists.Places(y.Node)
			for i, node := range x.Node {
				j, ok := at[shift(node)]
				if !ok || math.Abs(x.Score[i]-y.Score[j]) > 1e-12 || x.Kept[i] != y.Kept[j] {
					t.Errorf("%s: layer %d, node %d has another score or is gone", pool, l+1, node)
				}
			}
		}
	}
}

func TestKeep(t *testing.T) {
	for _, c := range []struct {
		n     int
		ratio float64
		want  int
	}{{84, 0.5, 42}, {42, 0.5, 21}, {37, 0.5, 19}, {9, 0.7, 7}, {7, 0.7, 5}, {30, 0.1, 3}, {1, 0.1, 1}, {5, 1, 5}} {
		need.Equal(t, (Options{Ratio: c.ratio}).Keep(c.n), c.want, "of", c.n, c.ratio)
	}
}

// Scores lie in (0, 1), the counts are those of Keep, and what is kept are the
// highest scores; equal ones are kept in order of place.
func TestPooling(t *testing.T) {
	o := Paper(6)
	m := need.Value(New[float32](o, 2))(t)
	var graphs []*Graph[float32]
	for n := 1; n < 40; n += 3 {
		graphs = append(graphs, randomGraphs[float32](o, 1, n, 3*n)...)
	}
	// Every node alike: all scores are equal.
	same := make([]float64, 10*o.Features)
	for i := range same {
		same[i] = 0.25
	}
	g := need.Value(NewGraph[float32](o, 0, same, nil))(t)
	predictions := need.Value(m.Predict(append(graphs, g), 2))(t)
	for i, p := range predictions {
		n := append(graphs, g)[i].Nodes()
		for _, l := range p.Layers {
			kept, lowest, highest := 0, 2.0, -1.0
			for j, s := range l.Score {
				if !(s > 0 && s < 1) {
					t.Errorf("score %v", s)
				}
				if l.Kept[j] {
					kept++
					lowest = min(lowest, s)
				} else {
					highest = max(highest, s)
				}
			}
			if kept != o.Keep(n) || len(l.Node) != n || highest > lowest {
				t.Errorf("%d of %d nodes kept, want %d of %d; lowest kept %v, highest dropped %v", kept, len(l.Node), o.Keep(n), n, lowest, highest)
			}
			n = kept
		}
	}
	last := predictions[len(predictions)-1].Layers
	if got := fmt.Sprint(last[0].Kept, last[1].Node); got != "[true true true true true false false false false false] [0 1 2 3 4]" {
		t.Errorf("of equal scores are kept %s", got)
	}
}
