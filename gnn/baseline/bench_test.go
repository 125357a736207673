package baseline

import (
	"context"
	"testing"

	"prgnn/gnn/network"
	"prgnn/internal/need"
	"prgnn/numeric/random"
)

// BenchmarkBrainNetCNN is an epoch of 140 matrices of 84 nodes.
func BenchmarkBrainNetCNN(b *testing.B) {
	const n = 140
	r := random.New(1)
	x, label := Rows{N: n, D: 3486, X: make([]float64, n*3486)}, make([]int, n)
	for i := range x.X {
		x.X[i] = 0.3 * r.Normal()
	}
	for i := range label {
		label[i] = i % 2
	}
	for b.Loop() {
		_, err := FitBrainNetCNN(context.Background(), Kawahara(), 84, network.Training{Epochs: 1, Batch: 14,
			Rate: 0.01, Momentum: 0.9, Threads: 1}, x, label, 2)
		need.NoError(b, err)
	}
}

// BenchmarkRetrainSVM is 20 label permutations of 484 graphs of 84 nodes.
func BenchmarkRetrainSVM(b *testing.B) {
	const n, test, d = 484, 121, 3486
	r := random.New(1)
	x := Rows{N: n + test, D: d, X: make([]float64, (n+test)*d)}
	for i := range x.N {
		for k := range d {
			x.X[i*d+k] = 0.3 * r.Normal()
			if i%5 > 0 { // draws of one participant are alike
				x.X[i*d+k] = 0.9*x.X[(i-1)*d+k] + 0.4*x.X[i*d+k]
			}
		}
	}
	labels := make([][]float64, 20)
	for i := range labels {
		for t := range n {
			labels[i] = append(labels[i], float64(2*(t/5*(i+3)%7%2)-1))
		}
	}
	train, err := RetrainSVM(SVM{Kernel: "rbf", C: 1, Tolerance: 1e-3}, x, n, 1)
	need.NoError(b, err)
	for b.Loop() {
		_, err := train(context.Background(), labels)
		need.NoError(b, err)
	}
}
