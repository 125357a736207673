package gnn

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"testing"

	"prgnn/internal/need"
)

// TestDigest trains small models for a few epochs and hashes weights, history
// and predictions. The digest is the same for every GOARCH and GOAMD64, with and
// without vector kernels, and for any number of goroutines:
//
//	GOAMD64=v3 go test ./gnn -run Digest
//	CGO_ENABLED=0 GOARCH=arm64 go test -c -o gnn.test ./gnn && qemu-aarch64-static gnn.test -test.run Digest
func TestDigest(t *testing.T) {
	const want = "1738be828c5bac85"
	for _, workers := range []int{1, 2, 7} {
		need.Equal(t, trainingDigest(t, workers, 1<<30, nil), want, workers)
	}
	for _, memory := range []int64{0, 15_000} { // all of them packed, at once or after some
		need.Equal(t, trainingDigest(t, 2, memory, nil), want, memory)
	}
	sets := vectorKernels()
	if sets != nil {
		sets["portable"] = portable[float32]()
	}
	for name, k := range sets {
		need.Equal(t, trainingDigest(t, 1, 1<<30, k), want, name)
	}
}

// digestCases turn every option at least once.
func digestCases() []Options {
	paper := Paper(21)
	sage := paper
	sage.Pool, sage.Distance, sage.Widths, sage.Hidden, sage.Classes = "sage", "mmd", []int{9, 8, 5}, []int{7}, 3
	literal := paper
	literal.Distance, literal.Kernel, literal.GLC, literal.Slope, literal.Gate, literal.Readout = "mmd", "outside",
		"norm", 0.1, false, "maxmean"
	authors := AuthorsCode(21)
	mmd := AuthorsCode(21)
	mmd.Distance, mmd.Pool, mmd.GLC = "mmd", "sage", "trace"
	return []Options{paper, sage, literal, authors, mmd}
}

// trainingDigest has so many bytes of graphs in memory, and other kernels than this machine's when they are given.
func trainingDigest(t *testing.T, workers int, memory int64, k *kernels[float32]) string {
	t.Helper()
	h := sha256.New()
	for _, o := range digestCases() {
		hashTraining[float32](t, h, o, workers, memory, k)
		hashTraining[float64](t, h, o, workers, memory, nil)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

func hashTraining[T Float](t *testing.T, h hash.Hash, o Options, workers int, memory int64,
	k *kernels[T]) {
	t.Helper()
	m, err := New[T](o, 11)
	need.NoError(t, err)
	if k != nil {
		m.k = k
	}
	graphs := randomGraphs[T](o, 26, 21, 40)
	packs(memory, graphs)
	history, err := m.Train(context.Background(), graphs[:20], graphs[20:], Training{Epochs: 3, Batch: 8, Rate: 0.01,
		Halve: 2, Decay: 1e-3, Seed: 5, Workers: workers})
	need.NoError(t, err)
	predictions, err := m.Predict(graphs, workers)
	need.NoError(t, err)
	put := func(v any) {
		need.NoError(t, binary.Write(h, binary.LittleEndian, v))
	}
	put(m.Params)
	put(m.Buffers)
	for _, e := range history {
		put([]float64{e.Losses.Total, e.Losses.CE, e.Losses.GLC, e.TrainAccuracy, e.TestAccuracy, e.TestCE})
		put(e.Losses.Dist)
		put(e.Scores)
	}
	for _, p := range predictions {
		put(p.Probability)
		for _, l := range p.Layers {
			put(l.Node)
			put(l.Score)
			put(l.Kept)
		}
	}
}
