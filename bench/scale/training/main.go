//go:build unix

// Command training measures models on more graphs than memory holds: it makes graphs or rows, trains, and prints the
// wall and the processor time of each part.
//
//	go build -o training ./bench/scale/training
//	./training -dir /var/tmp                    # PR-GNN, 1 GB of 400,000 graphs in memory, the others in a file
//	./training -model ridge -dir /var/tmp       # 1 GB of 400,000 rows in memory, all of them in a file
//	./training -graphs 10000 -memory 4000000000 # all in memory, for comparison
//
// Run it in a memory cgroup, so that the system's cache cannot hold the file either.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"prgnn/bench/measure"
)

var (
	model   = flag.String("model", "pr-gnn", "pr-gnn, ridge, logistic, linear-svm or kernel-ridge (penalty 1), or none: to read alone")
	n       = flag.Int("graphs", 400_000, "graphs; those of pr-gnn have 84 regions and 348 edges")
	inputs  = flag.Int("inputs", 3486, "numbers a graph, but for pr-gnn")
	memory  = flag.Int64("memory", 1<<30, "bytes of graphs in memory")
	dir     = flag.String("dir", "", "where the file lies")
	epochs  = flag.Int("epochs", 3, "epochs of pr-gnn, or passes")
	threads = flag.Int("threads", 2, "threads")
)

func main() {
	flag.Parse()
	file, err := os.CreateTemp(*dir, "graphs")
	measure.Check(err)
	measure.Check(os.Remove(file.Name()))
	defer file.Close()
	switch *model {
	case "pr-gnn":
		network(file)
	case "none":
		disk(file)
	default:
		linear(file)
	}
}

// size is how many MB are in a file.
func size(file *os.File) string {
	info, err := file.Stat()
	measure.Check(err)
	return fmt.Sprintf("%d MB in the file", info.Size()/1e6)
}

var last, used = time.Now(), 0.0

// said prints what was done, and what it took.
func said(what string) {
	wall, processor := time.Since(last).Seconds(), measure.Processor()-used
	last, used = time.Now(), measure.Processor() // before the line, at which training.py may stop this process
	each := 1e6 / float64(*n)
	fmt.Printf("%s: %.1f s, %.1f s of processor; a graph %.1f µs, %.1f µs of processor; resident at most %.0f MiB\n",
		what, wall, processor, each*wall, each*processor, measure.PeakMiB())
}
