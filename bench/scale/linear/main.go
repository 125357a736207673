//go:build unix

// Command linear measures linear models of more inputs than memory holds: it makes rows, fits, rates all rows, and
// prints the wall and the processor time of each part and a digest of the probabilities.
//
//	go build -o linear ./bench/scale/linear
//	./linear -rows 400000 -inputs 3486 -dir /var/tmp    # 1 GB of rows in memory, all of them in a file
//	./linear -rows 20000 -memory -1                     # all in memory, for comparison
//
// Run it in a memory cgroup, so that the system's cache cannot hold the file either.
package main

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"time"
	"unsafe"

	"prgnn/bench/measure"
	"prgnn/gnn/baseline"
)

func main() {
	n := flag.Int("rows", 400_000, "rows")
	inputs := flag.Int("inputs", 3486, "numbers a row")
	memory := flag.Int64("memory", 1<<30, "bytes of rows in memory; -1: all")
	dir := flag.String("dir", "", "where the file lies")
	model := flag.String("model", "ridge", "ridge, logistic, linear-svm or kernel-ridge (penalty 1)")
	threads := flag.Int("threads", 2, "threads")
	flag.Parse()
	file, err := os.CreateTemp(*dir, "rows")
	measure.Check(err)
	measure.Check(os.Remove(file.Name()))
	defer file.Close()

	to := baseline.NewRowFile(context.Background(), *n, *inputs, *memory, *threads,
		func() (*os.File, error) { return file, nil })
	label, row, state := make([]int, *n), make([]float64, *inputs), uint64(1)
	for i := range label {
		label[i] = i % 2
		for j := range row { // uniform; the first hundred differ a little between the classes
			state = state*6364136223846793005 + 1442695040888963407
			row[j] = float64(state>>11)/(1<<53) - 0.5
			if j < 100 {
				row[j] += 0.02 * float64(label[i])
			}
		}
		measure.Check(to.Add(row))
	}
	x, err := to.Rows()
	measure.Check(err)
	defer to.Close()
	info, err := file.Stat()
	measure.Check(err)
	said(fmt.Sprintf("%d MB in the file", info.Size()/1e6))
	train := x.First(*n * 4 / 5)
	var m baseline.Classifier
	ctx, label := context.Background(), label[:train.N]
	switch *model {
	case "ridge":
		m, err = baseline.FitRidge(train, label, 2, 1, *threads)
	case "logistic":
		m, err = baseline.FitLogistic(ctx, train, label, 2, 1, *threads)
	case "linear-svm":
		m, err = baseline.FitSVM(ctx, baseline.SVM{Kernel: "linear", C: 1}, train, label, 2, *threads)
	case "kernel-ridge":
		m, err = baseline.FitKernelRidge(ctx, baseline.KernelRidge{Penalties: []float64{1}}, train, label, 2, *threads)
	default:
		err = fmt.Errorf("no model %s", *model)
	}
	measure.Check(x.Err())
	measure.Check(err)
	said(m.Note())
	p := m.Probability(x, *threads)
	measure.Check(x.Err())
	said(fmt.Sprintf("%x", sha256.Sum256(unsafe.Slice((*byte)(unsafe.Pointer(&p[0])), 8*len(p))))[:16])
}

var last, used = time.Now(), 0.0

// said prints what was done, and what it took.
func said(what string) {
	processor := measure.Processor()
	fmt.Printf("%s: %.1f s, %.1f s of processor, resident at most %.0f MiB\n", what, time.Since(last).Seconds(),
		processor-used, measure.PeakMiB())
	last, used = time.Now(), processor
}
