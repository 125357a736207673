//go:build unix

// Command training measures PR-GNN on more graphs than memory holds: it makes graphs of 84 regions and 348 edges,
// trains, and prints the wall and the processor time of each epoch.
//
//	go build -o training ./bench/scale/training
//	./training -graphs 400000 -dir /var/tmp             # 512 MB of graphs in memory, the others in a file
//	./training -graphs 400000 -dir /var/tmp -alone      # the disk alone
//	./training -graphs 10000 -memory 1000000000         # all in memory, for comparison
//
// Run it in a memory cgroup, so that the system's cache cannot hold the file either.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"prgnn/bench/measure"
	"prgnn/gnn"
	"prgnn/gnn/spill"
	"prgnn/internal/lists"
	"prgnn/internal/random"
)

func main() {
	n := flag.Int("graphs", 400_000, "graphs")
	memory := flag.Int64("memory", 1<<30, "bytes of graphs in memory")
	dir := flag.String("dir", "", "where the file lies")
	epochs := flag.Int("epochs", 3, "epochs")
	threads := flag.Int("threads", 2, "threads")
	alone := flag.Bool("alone", false, "read the file as a training does, and compute nothing")
	flag.Parse()
	file, err := os.CreateTemp(*dir, "graphs")
	measure.Check(err)
	measure.Check(os.Remove(file.Name()))
	defer file.Close()
	if *alone {
		readAlone(file, *n, *memory, *epochs)
		return
	}
	start := time.Now()
	graphs := make([]*gnn.Graph[float32], *n)
	to := gnn.NewGraphFile[float32](*memory, func() (*os.File, error) { return file, nil })
	made := make([]*numbers, min(*n, 1000))
	for i := range made {
		made[i] = random84(i)
	}
	for i := range graphs {
		of := made[i%len(made)]
		graphs[i], err = gnn.NewGraph[float32](gnn.Paper(nodes), i%2, of.features, of.edges)
		measure.Check(err)
		measure.Check(to.Add(graphs[i]))
	}
	info, err := file.Stat()
	measure.Check(err)
	fmt.Printf("%d graphs made in %.1f s, %d MB in the file\n", *n, time.Since(start).Seconds(), info.Size()/1e6)
	m, err := gnn.New[float32](gnn.Paper(nodes), 1)
	measure.Check(err)
	t := gnn.PaperTraining()
	t.Epochs, t.Workers, t.Seed = *epochs, *threads, 1
	last, used := time.Now(), measure.Processor()
	t.Progress = func(e gnn.Epoch) {
		each, wall, cpu := 1e6/float64(*n), time.Since(last).Seconds(), measure.Processor()-used
		last, used = time.Now(), measure.Processor() // before the line, at which training.sh may stop this process
		fmt.Printf("epoch %d: %.1f µs a graph, %.1f µs of processor, loss %.6f\n", e.Number, each*wall, each*cpu,
			e.Losses.Total)
	}
	_, err = m.Train(context.Background(), graphs, nil, t)
	measure.Check(err)
	fmt.Printf("resident at most %.0f MiB\n", measure.PeakMiB())
}

// readAlone says how fast the disk gives records as large as packed graphs, in random order.
func readAlone(file *os.File, n int, memory int64, epochs int) {
	const batch = 100
	records, bytes := spill.NewFile(file), random.New(1, "record")
	record := lists.Map(make([]struct{}, 14_300), func(struct{}) byte { return byte(bytes.Float64() * 256) })
	for range n {
		_, err := records.Add(record)
		measure.Check(err)
	}
	measure.Check(file.Sync())
	r, err := records.NewReader(memory, batch)
	measure.Check(err)
	defer r.Close()
	for e := range epochs {
		order := lists.Map(random.New(1, "order", e).Perm(n), func(i int) int32 { return int32(i) })
		start := time.Now()
		measure.Check(r.Begin(order))
		for at := 0; at < n; at += batch {
			measure.Check(r.Next(min(batch, n-at)))
			for range r.Pieces() {
				r.Ahead()
			}
		}
		fmt.Printf("pass %d: %.1f µs a record\n", e+1, 1e6*time.Since(start).Seconds()/float64(n))
	}
}

const (
	nodes = 84
	edges = 348
)

// numbers are what a graph is made of.
type numbers struct {
	features []float64
	edges    []gnn.Edge
}

// random84 is a symmetric matrix with some edges; other numbers take the same time.
func random84(i int) *numbers {
	r := random.New(1, "graph", i)
	x := make([]float64, nodes*nodes)
	for a := range nodes {
		x[a*nodes+a] = 1
		for b := range a {
			v := r.Float64() - 0.5
			x[a*nodes+b], x[b*nodes+a] = v, v
		}
	}
	var e []gnn.Edge
	for p, left, pairs := 0, edges, nodes*(nodes-1)/2; pairs > 0; pairs-- {
		if int(r.Float64()*float64(pairs)) < left {
			a, b := pair(p)
			e = append(e, gnn.Edge{Source: int32(b), Target: int32(a), Weight: 0.1 + 0.4*r.Float64()})
			left--
		}
		p++
	}
	return &numbers{x, e}
}

// pair is a pair of nodes b < a by its number.
func pair(p int) (a, b int) {
	for a = 1; p >= a; a++ {
		p -= a
	}
	return a, p
}
