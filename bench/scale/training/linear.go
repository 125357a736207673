//go:build unix

package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"unsafe"

	"prgnn/bench/measure"
	"prgnn/gnn/baseline"
)

// linear fits a linear model to four fifths of the rows, and rates all; it prints a digest of the probabilities.
func linear(file *os.File) {
	ctx := context.Background()
	to := baseline.NewRowFile(ctx, *n, *inputs, *memory, *threads, func() (*os.File, error) { return file, nil })
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
	said(size(file))
	train := x.First(*n * 4 / 5)
	var m baseline.Classifier
	label = label[:train.N]
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
