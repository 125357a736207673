package baseline

import (
	"context"
	"testing"

	"prgnn/gnn"
	"prgnn/gnn/network"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/numeric/random"
)

// TestDigest hashes what each model says of a few cases. The digests are the same
// for every GOARCH and GOAMD64, with and without vector kernels, and for any number
// of goroutines; gnn/bits.sh sees to it.
func TestDigest(t *testing.T) {
	const nodes, n = 11, 50
	r := random.New(4)
	x, label := Rows{N: n, D: nodes * (nodes - 1) / 2}, make([]int, n)
	var graphs []EdgeGraph
	for i := range label {
		label[i] = i % 2
		g := EdgeGraph{Nodes: nodes, Features: make([]float64, nodes*nodes)}
		for a := range nodes {
			g.Features[a*nodes+a] = 1
			for b := a + 1; b < nodes; b++ {
				v := float64(0.3 * r.Normal())
				if b < 4 {
					v += float64(0.3 * float64(label[i]))
				}
				v = max(-0.9, min(0.9, v))
				x.X = append(x.X, v)
				g.Features[a*nodes+b], g.Features[b*nodes+a] = v, v
				if v > 0.2 {
					g.Edges = append(g.Edges, gnn.Edge{Source: int32(a), Target: int32(b), Weight: v})
				}
			}
		}
		graphs = append(graphs, g)
	}
	ctx := context.Background()
	for model, want := range map[string]string{
		"rbf": "3a71d917281da001", "linear": "e3257bc9408ca439", "ridge": "611258d7f26c714e",
		"logistic": "25cacad3b4925134", "logistic of many": "e1569f40e0b5a557", "kernel-ridge": "cccea89ad5916fc9",
		"forest": "6a5cf43404074a50", "mlp": "3f136ae738177177", "brainnetcnn": "4361177035723175",
		"li2019": "876756f617e94f9c",
	} {
		for _, threads := range []int{1, 3} {
			o := network.Training{Epochs: 4, Batch: 12, Rate: 0.01, Halve: 2, Seed: 1, Threads: threads}
			sgd := o
			sgd.Momentum, sgd.Decay = 0.9, 5e-4
			var c Classifier
			var g GraphClassifier
			var err error
			switch model {
			case "rbf", "linear":
				c, err = FitSVM(ctx, SVM{Kernel: model, C: 1, Tolerance: 1e-3}, x, label, 2, threads)
			case "ridge":
				c, err = FitRidge(x, label, 2, 1, threads)
			case "logistic":
				c, err = FitLogistic(ctx, x, label, 2, 1, threads)
			case "logistic of many":
				c, err = fitDualLogistic(ctx, x, label, 2, 1, false, threads)
			case "kernel-ridge":
				inner := make([]int, n)
				for i := range inner {
					inner[i] = i / 2 % 3
				}
				c, err = FitKernelRidge(ctx, KernelRidge{Penalties: CBIG(), Inner: inner}, x, label, 2, threads)
			case "forest":
				c, err = FitForest(ctx, Forest{Trees: 20, Seed: 1}, x, label, 2, threads, nil)
			case "mlp":
				c, err = FitMLP(ctx, []int{5}, o, x, label, 2)
			case "brainnetcnn":
				c, err = FitBrainNetCNN(ctx, BrainNetCNN{Edges: [2]int{5, 3}, Nodes: 6, Hidden: []int{7, 4},
					Slope: 0.33, Dropout: 0.5}, nodes, sgd, x, label, 2)
			case "li2019":
				g, err = FitLi2019(ctx, Li2019{Widths: []int{6, 5}, Hidden: []int{4}, Ratio: 0.5}, o, graphs, label, 2)
			}
			need.NoError(t, err, model)
			var p []float64
			if g != nil {
				p = g.Probability(graphs, threads)
			} else {
				p = c.Probability(x, threads)
			}
			need.Equal(t, testdir.Bits(p), want, model, threads)
		}
	}
}
