//go:build unix

// Command gnn times the training of PR-GNN on the arrays that
// gen_timing_data.py writes, as time_torch.py does for PyTorch: seconds of wall
// clock and of processor time per epoch, and the peak of the resident memory.
//
//	go run ./bench/gnn [-pool topk|sage] [-distance bce|mmd] [-threads 1] [-epochs 20]
//		[-precision float32|float64] DIR
package main

import (
	"context"
	"flag"
	"os"
	"runtime"
	"runtime/debug"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/bench/measure"
	"prgnn/gnn"
)

func main() {
	pool := flag.String("pool", "topk", "topk or sage")
	distance := flag.String("distance", "bce", "bce or mmd")
	threads := flag.Int("threads", 1, "goroutines")
	epochs := flag.Int("epochs", 20, "epochs that are timed, after one that is not")
	batch := flag.Int("batch", 100, "graphs per step")
	precision := flag.String("precision", "float32", "float32 or float64")
	variant := flag.String("variant", "paper", "paper or authors-code")
	compare := flag.Bool("compare", false, "train in both precisions instead, and say how far apart they end")
	repeat := flag.Int("repeat", 1, "how many times to take each graph: 11 gives some 10,000 graphs")
	flag.Parse()
	dir := flag.Arg(0)
	if dir == "" {
		flag.Usage()
		os.Exit(2)
	}
	runtime.GOMAXPROCS(*threads)
	debug.SetGCPercent(20) // the arrays of the files are soon done with
	run := timed[float32]
	if *precision == "float64" {
		run = timed[float64]
	}
	o := gnn.Paper(0)
	if *variant == "authors-code" {
		o = gnn.AuthorsCode(0)
	}
	o.Pool, o.Distance = *pool, *distance
	if *compare {
		measure.Check(comparePrecisions(dir, o, gnn.Training{Epochs: *epochs, Batch: *batch, Rate: 1e-3, Halve: 20,
			Workers: *threads}))
		return
	}
	result, err := run(dir, o, gnn.Training{Epochs: *epochs + 1, Batch: *batch, Rate: 1e-3, Halve: 20,
		Workers: *threads}, *repeat)
	measure.Check(err)
	for name, v := range map[string]any{"variant": *variant, "pool": *pool, "distance": *distance, "threads": *threads,
		"precision": *precision} {
		result[name] = v
	}
	measure.Print(result)
}

func timed[T gnn.Float](dir string, o gnn.Options, t gnn.Training, repeat int) (map[string]any, error) {
	train, test, err := load[T](dir, &o)
	if err != nil {
		return nil, err
	}
	for range repeat - 1 { // graphs of their own, that take memory of their own
		more, _, err := load[T](dir, &o)
		if err != nil {
			return nil, err
		}
		train = append(train, more...)
		debug.FreeOSMemory()
	}
	debug.FreeOSMemory()
	m, err := gnn.New[T](o, 1)
	if err != nil {
		return nil, err
	}
	var timer measure.Timer
	timer.Start()
	var last gnn.Epoch
	t.Progress = func(e gnn.Epoch) {
		timer.Lap()
		last = e
	}
	if _, err := m.Train(context.Background(), train, nil, t); err != nil {
		return nil, err
	}
	right := 0
	p, err := m.Predict(test, 1)
	if err != nil {
		return nil, err
	}
	for i := range p {
		if p[i].Class == test[i].Label {
			right++
		}
	}
	wall, cpu := timer.Wall[1:], timer.CPU[1:] // the first epoch warms up
	slices.Sort(wall)
	slices.Sort(cpu)
	return map[string]any{"graphs": len(train), "nodes": train[0].Nodes(), "wall_min": wall[0],
		"wall_med": wall[len(wall)/2], "cpu_min": cpu[0], "cpu_med": cpu[len(cpu)/2],
		"peak_rss_mib": measure.PeakMiB(), "loss": last.Losses.Total, "test_acc": float64(right) / float64(len(test)),
		"params": len(m.Params)}, nil
}

// load reads features, adjacency, labels and the two sides.
func load[T gnn.Float](dir string, o *gnn.Options) (train, test []*gnn.Graph[T], err error) {
	x, err := measure.Array(dir, "features")
	if err != nil {
		return nil, nil, err
	}
	e, err := measure.Array(dir, "adjacency")
	if err != nil {
		return nil, nil, err
	}
	features, err := encoding.Data[float32](x)
	if err != nil {
		return nil, nil, err
	}
	adjacency, err := encoding.Data[float32](e)
	if err != nil {
		return nil, nil, err
	}
	var numbers [3][]float64
	for i, name := range []string{"labels", "train", "test"} {
		a, err := measure.Array(dir, name)
		if err != nil {
			return nil, nil, err
		}
		numbers[i] = a.Float64s()
	}
	n, d := x.Shape[1], x.Shape[2]
	o.Features = d
	one := make([]float64, n*d)
	for side, at := range numbers[1:] {
		for _, g := range at {
			for i, v := range features[int(g)*n*d:][:n*d] {
				one[i] = float64(v)
			}
			var edges []gnn.Edge
			for i := range n {
				for j := i + 1; j < n; j++ {
					if w := adjacency[(int(g)*n+i)*n+j]; w != 0 {
						edges = append(edges, gnn.Edge{Source: int32(i), Target: int32(j), Weight: float64(w)})
					}
				}
			}
			graph, err := gnn.NewGraph[T](*o, int(numbers[0][int(g)]), one, edges)
			if err != nil {
				return nil, nil, err
			}
			if side == 0 {
				train = append(train, graph)
			} else {
				test = append(test, graph)
			}
		}
	}
	return train, test, nil
}
