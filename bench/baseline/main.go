//go:build unix

// Command baseline times the classifiers that PR-GNN is compared with, on the arrays
// that bench/gnn/gen_timing_data.py writes, as peers.py does for scikit-learn and
// PyTorch: seconds of wall clock and of processor time to fit and to rate the test graphs.
//
//	go run ./bench/baseline [-threads 1] [-epochs 3] [-models svm,forest,…] DIR
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/bench/measure"
	"prgnn/gnn"
	"prgnn/gnn/baseline"
	"prgnn/gnn/network"
)

func main() {
	threads := flag.Int("threads", 1, "goroutines")
	models := flag.String("models", "svm,linear-svm,ridge,logistic,forest,mlp,brainnetcnn,li2019", "which, comma-separated")
	epochs := flag.Int("epochs", 3, "that BrainNetCNN and the network of Li et al. are timed over; the figures are of one")
	flag.Parse()
	if flag.Arg(0) == "" {
		flag.Usage()
		os.Exit(2)
	}
	runtime.GOMAXPROCS(*threads)
	d, err := load(flag.Arg(0))
	measure.Check(err)
	for m := range strings.SplitSeq(*models, ",") {
		measure.Check(d.time(m, *threads, *epochs))
	}
}

// data are the training and the test graphs.
type data struct {
	rows   [2]baseline.Rows
	graphs [2][]baseline.EdgeGraph
	label  [2][]int
}

func load(dir string) (*data, error) {
	arrays := map[string]*encoding.Array{}
	for _, name := range []string{"features", "adjacency", "labels", "train", "test"} {
		a, err := measure.Array(dir, name)
		if err != nil {
			return nil, err
		}
		arrays[name] = a
	}
	x, e, label := arrays["features"].Float64s(), arrays["adjacency"].Float64s(), arrays["labels"].Float64s()
	n := arrays["features"].Shape[1]
	d := &data{}
	for side, name := range []string{"train", "test"} {
		r := &d.rows[side]
		r.D = n * (n - 1) / 2
		for _, at := range arrays[name].Float64s() {
			g := baseline.EdgeGraph{Nodes: n, Features: x[int(at)*n*n:][:n*n]}
			for i := range n {
				for j := i + 1; j < n; j++ {
					r.X = append(r.X, g.Features[i*n+j])
					if w := e[(int(at)*n+i)*n+j]; w != 0 {
						g.Edges = append(g.Edges, gnn.Edge{Source: int32(i), Target: int32(j), Weight: w})
					}
				}
			}
			r.N++
			d.graphs[side] = append(d.graphs[side], g)
			d.label[side] = append(d.label[side], int(label[int(at)]))
		}
	}
	return d, nil
}

func (d *data) time(model string, threads, epochs int) error {
	ctx, x, y := context.Background(), d.rows[0], d.label[0]
	t := network.Training{Epochs: epochs, Batch: 100, Rate: 1e-3, Seed: 1, Threads: threads}
	per := 1.0
	var timer measure.Timer
	timer.Start()
	var c baseline.Classifier
	var g baseline.GraphClassifier
	var err error
	switch model {
	case "svm":
		c, err = baseline.FitSVM(ctx, baseline.SVM{Kernel: "rbf", C: 1, Tolerance: 1e-3}, x, y, 2, threads)
	case "linear-svm":
		c, err = baseline.FitSVM(ctx, baseline.SVM{Kernel: "linear", C: 1, Tolerance: 1e-3}, x, y, 2, threads)
	case "ridge":
		c, err = baseline.FitRidge(x, y, 2, 1, threads)
	case "logistic":
		c, err = baseline.FitLogistic(ctx, x, y, 2, 1, threads)
	case "forest":
		c, err = baseline.FitForest(ctx, baseline.Forest{Trees: 1000, Seed: 1}, x, y, 2, threads, nil)
	case "mlp":
		t.Epochs, per = 100, 100
		c, err = baseline.FitMLP(ctx, []int{20}, t, x, y, 2)
	case "brainnetcnn":
		t.Batch, t.Rate, t.Momentum, t.Decay, per = 14, 0.001, 0.9, 5e-4, float64(epochs)
		c, err = baseline.FitBrainNetCNN(ctx, baseline.Kawahara(), 84, t, x, y, 2)
	case "li2019":
		per = float64(epochs)
		g, err = baseline.FitLi2019(ctx, baseline.Li2019{Widths: []int{16, 16}, Hidden: []int{16, 8}, Ratio: 0.5}, t,
			d.graphs[0], y, 2)
	default:
		err = fmt.Errorf("there is no model %q", model)
	}
	if err != nil {
		return err
	}
	timer.Lap()
	var p []float64
	if g != nil {
		p = g.Probability(d.graphs[1], threads)
	} else {
		p = c.Probability(d.rows[1], threads)
	}
	timer.Lap()
	right := 0
	for i, l := range d.label[1] {
		if (p[2*i+1] > 0.5) == (l == 1) {
			right++
		}
	}
	measure.Print(map[string]any{"who": "ours", "model": model, "threads": threads, "fit": timer.Wall[0] / per,
		"fit_cpu": timer.CPU[0] / per, "rate": timer.Wall[1], "test_acc": float64(right) / float64(len(d.label[1])),
		"peak_rss_mib": measure.PeakMiB()})
	return nil
}
