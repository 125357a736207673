package baseline

import (
	"context"
	"testing"

	"prgnn/gnn/network"
	"prgnn/internal/need"
	"prgnn/internal/random"
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
