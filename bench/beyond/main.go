//go:build unix

// Command beyond times an epoch of BrainGNN, the Brain Network Transformer or meanMLP on random data of
// ABIDE's size, in the batches of the released programs: seconds of wall clock and of processor time of each
// epoch, and the peak of the resident memory.
//
//	go run ./bench/beyond -model braingnn|bnt|meanmlp [-variant authors-code] [-density 1] [-threads 1]
//		[-epochs 3] [-participants 605] [-regions 200]
package main

import (
	"context"
	"flag"
	"os"
	"runtime"
	"runtime/pprof"

	"prgnn/bench/measure"
	"prgnn/gnn"
	"prgnn/gnn/network"
	"prgnn/gnn/rival"
	"prgnn/numeric/dense"
	"prgnn/numeric/random"
)

func main() {
	model := flag.String("model", "braingnn", "braingnn, bnt or meanmlp")
	variant := flag.String("variant", "authors-code", "of braingnn: authors-code or paper")
	density := flag.Float64("density", 1, "of braingnn: share of the pairs that are edges")
	threads := flag.Int("threads", 1, "goroutines")
	epochs := flag.Int("epochs", 3, "epochs")
	n := flag.Int("participants", 0, "training participants; 0: those of ABIDE in the released program's division")
	regions := flag.Int("regions", 200, "regions")
	profile := flag.String("profile", "", "a file for the processor profile")
	flag.Parse()
	runtime.GOMAXPROCS(*threads)
	if *n == 0 {
		*n = map[string]int{"braingnn": 605, "bnt": 706, "meanmlp": 647}[*model]
	}
	var timer measure.Timer
	t := map[string]func() network.Training{"braingnn": rival.AuthorsBrainGNNTraining, "bnt": rival.BNTTraining,
		"meanmlp": rival.MeanMLPTraining}[*model]()
	t.Epochs, t.Threads, t.Seed, t.Patience = *epochs, *threads, 1, *epochs
	t.Progress = func(network.Epoch) { timer.Lap() }
	label := make([]int, *n)
	for i := range label {
		label[i] = i % 2
	}
	fit := prepare(*model, *variant, *density, *n, *regions, t, label)
	runtime.GC()
	if *profile != "" {
		f, err := os.Create(*profile)
		if err == nil {
			err = pprof.StartCPUProfile(f)
		}
		measure.Check(err)
		defer pprof.StopCPUProfile()
	}
	timer.Start()
	parameters, err := fit(context.Background())
	measure.Check(err)
	measure.Print(map[string]any{"model": *model, "threads": *threads, "train": *n, "regions": *regions,
		"parameters": parameters, "seconds_per_epoch": timer.Wall, "cpu_seconds_per_epoch": timer.CPU,
		"peak_rss_mb": measure.PeakMiB()})
}

// prepare makes the data, and gives the training of them.
func prepare(model, variant string, density float64, n, regions int, t network.Training,
	label []int) func(context.Context) (int, error) {
	const volumes = 100
	series := make([][]float32, n)
	for i := range series {
		r := random.New(1, "series", i)
		series[i] = make([]float32, volumes*regions)
		for j := range series[i] {
			series[i][j] = float32(r.Normal())
		}
	}
	if model == "meanmlp" {
		return func(ctx context.Context) (int, error) {
			m, err := rival.Fit(ctx, rival.ReleasedMeanMLP(regions, 2), t, series, label)
			return m.Parameters(), err
		}
	}
	matrices := make([][]float32, n)
	for i, s := range series {
		matrices[i] = make([]float32, regions*regions)
		x := dense.Rows(s, regions)
		dense.Multiply(matrices[i], regions, x.T(), x, regions, volumes, regions, false, 1)
		for j := range matrices[i] {
			matrices[i][j] /= volumes
		}
	}
	if model == "bnt" {
		return func(ctx context.Context) (int, error) {
			m, err := rival.Fit(ctx, rival.ReleasedBNT(regions, 2), t, matrices, label)
			return m.Parameters(), err
		}
	}
	o := rival.AuthorsBrainGNN(regions, regions, 2)
	if variant == "paper" {
		o = rival.PaperBrainGNN(regions, regions, 2)
	}
	graphs := make([]rival.Graph[float32], n)
	for g, m := range matrices {
		r := random.New(1, "edges", g)
		x, edges := make([]float64, len(m)), []gnn.Edge(nil)
		for i := range regions {
			for j := range regions {
				x[i*regions+j] = float64(m[i*regions+j])
				if j > i && r.Float64() < density {
					w := 0.3 * max(x[i*regions+j], -x[i*regions+j])
					edges = append(edges, gnn.Edge{Source: int32(i), Target: int32(j), Weight: w})
				}
			}
		}
		var err error
		if graphs[g], err = rival.NewGraph[float32](o, x, edges); err != nil {
			panic(err)
		}
	}
	return func(ctx context.Context) (int, error) {
		m, err := rival.Fit(ctx, o, t, graphs, label)
		return m.Parameters(), err
	}
}
