package baseline

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"prgnn/gnn"
	"prgnn/gnn/network"
	"prgnn/internal/need"
	"prgnn/numeric/random"
)

// A stored model that is put together again predicts the same bits; a linear SVM, of which the weights are stored in
// place of the support vectors, the same but for rounding.
func TestStoredModelsPredictTheSame(t *testing.T) {
	ctx := context.Background()
	s := random.New(5, "store")
	rows := func(n int) Rows {
		x := Rows{N: n, D: 15, X: make([]float64, n*15)} // 6 nodes
		for i := range x.X {
			x.X[i] = s.Normal()
		}
		return x
	}
	train, fresh := rows(40), rows(9)
	for classes := 2; classes <= 3; classes++ {
		label := make([]int, train.N)
		for i := range label {
			label[i] = i % classes
			train.X[i*15] += float64(label[i])
		}
		o := network.Training{Epochs: 3, Batch: 10, Rate: 0.01, Threads: 1}
		cnn := BrainNetCNN{Edges: [2]int{2, 3}, Nodes: 4, Hidden: []int{5, 6}, Slope: 0.33}
		models := map[string]Classifier{
			"majority": Majority(label, classes),
			"ridge":    need.Value(FitRidge(train, label, classes, 1, 1))(t),
			"logistic": need.Value(FitLogistic(ctx, train, label, classes, 1, 1))(t),
			"kernel-ridge": need.Value(FitKernelRidge(ctx, KernelRidge{Penalties: []float64{1}}, train, label,
				classes, 1))(t),
			"linear-svm": need.Value(FitSVM(ctx, SVM{Kernel: "linear", C: 1, Tolerance: 1e-3}, train, label,
				classes, 1))(t),
			"svm": need.Value(FitSVM(ctx, SVM{Kernel: "rbf", C: 1, Tolerance: 1e-3}, train, label,
				classes, 1))(t),
			"forest":      need.Value(FitForest(ctx, Forest{Trees: 7}, train, label, classes, 1, nil))(t),
			"mlp":         need.Value(FitMLP(ctx, []int{4, 3}, o, train, label, classes))(t),
			"brainnetcnn": need.Value(FitBrainNetCNN(ctx, cnn, 6, o, train, label, classes))(t),
		}
		for name, m := range models {
			again, err := Store(m).Restore(15, classes)
			if err != nil {
				t.Errorf("%s, %d classes: %v", name, classes, err)
				continue
			}
			sameNumbers(t, name, again.(Classifier).Probability(fresh, 1), m.Probability(fresh, 1),
				name == "linear-svm")
		}
	}
	y := make([]float64, train.N)
	for i := range y {
		y[i] = train.X[i*15] + s.Normal()
	}
	svr := SVM{Kernel: "linear", C: 1, Tolerance: 1e-3}
	for name, m := range map[string]Regressor{
		"mean":   Mean(y),
		"ridge":  need.Value(RidgeTo(train, y, 1, 1))(t),
		"svr":    need.Value(SVMTo(ctx, svr, 0.1, train, y, 1))(t),
		"forest": need.Value(ForestTo(ctx, Forest{Trees: 5}, train, y, 1, nil))(t),
		"mlp": need.Value(MLPTo(ctx, []int{4}, network.Training{Epochs: 2, Batch: 10, Rate: 0.01,
			Threads: 1}, train, y))(t),
	} {
		again, err := Store(m).Restore(15, 1)
		need.NoError(t, err, name)
		sameNumbers(t, name, again.(Regressor).Decide(fresh, 1), m.Decide(fresh, 1), name == "svr")
	}
}

func sameNumbers(t *testing.T, name string, got, want []float64, rounded bool) {
	t.Helper()
	for i := range want {
		if d := math.Abs(got[i] - want[i]); d > 0 && !(rounded && d < 1e-12) {
			t.Errorf("%s: case %d has %v, want %v", name, i, got[i], want[i])
			return
		}
	}
}

func TestStoredGraphNetworkPredictsTheSame(t *testing.T) {
	s := random.New(6, "store")
	var graphs []EdgeGraph
	var label []int
	for i := range 12 {
		g := EdgeGraph{Nodes: 5, Features: make([]float64, 15)}
		for k := range g.Features {
			g.Features[k] = s.Normal()
		}
		for k := range 4 {
			g.Edges = append(g.Edges, gnn.Edge{Source: int32(k), Target: int32(k + 1), Weight: s.Float64()})
		}
		graphs, label = append(graphs, g), append(label, i%2)
	}
	m := need.Value(FitLi2019(context.Background(), Li2019{Widths: []int{3, 4}, Hidden: []int{5}, Ratio: 0.5},
		network.Training{Epochs: 2, Batch: 4, Rate: 0.01, Threads: 1}, graphs, label, 2))(t)
	again := need.Value(Store(m).RestoreGraphs(3, 2))(t)
	if got, want := again.Probability(graphs, 1), m.Probability(graphs, 1); !slices.Equal(got, want) {
		t.Errorf("probabilities %v, want %v", got, want)
	}
}

// What a file may hold in place of a model is refused.
func TestRestoreRefuses(t *testing.T) {
	linear := func(change func(*Stored)) Stored {
		s := Stored{Kind: "linear", Parts: []Part{{"weights", []int{1, 3}, []float64{1, 2, 3}},
			{"offset", []int{1}, []float64{0}}}}
		change(&s)
		return s
	}
	tree := func(feature, right int32) Stored {
		return Stored{Kind: "forest", Parts: []Part{{"tree", []int{1}, []int32{0}},
			{"feature", []int{3}, []int32{feature, -1, -1}}, {"threshold", []int{3}, []float64{0, 0, 0}},
			{"right", []int{3}, []int32{right, 0, 0}}, {"share", []int{3, 2}, make([]float64, 6)}}}
	}
	if _, err := tree(2, 2).Restore(3, 2); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		s    Stored
		text string
	}{
		{linear(func(s *Stored) { s.Parts = s.Parts[:1] }), "the array offset"},
		{linear(func(s *Stored) { s.Parts[0].Shape = []int{3, 1} }), "the array weights"},
		{linear(func(s *Stored) { s.Parts[1].Values = []float64{math.NaN()} }), "the array offset holds NaN"},
		{linear(func(s *Stored) { s.Parts[1].Values = []float32{0} }), "the array offset"},
		{linear(func(s *Stored) { s.Parts = append(s.Parts, Part{"more", []int{1}, []float64{0}}) }), "no array more"},
		{linear(func(s *Stored) { s.Kind = "tree" }), "no kind of model"},
		{Stored{Kind: "mlp"}, "widths"},
		{Stored{Kind: "brainnetcnn"}, "not those of a BrainNetCNN"},
		{tree(3, 2), "leads nowhere"},
		{tree(2, 3), "leads nowhere"},
		{tree(2, 0), "leads nowhere"},
	} {
		_, err := c.s.Restore(3, 2)
		need.Error(t, err, c.text, fmt.Sprint("case ", i))
	}
}
