package region

import (
	"bytes"
	"fmt"
	"math"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/numeric/exact"
	"prgnn/stages/column"
)

// ReadDraws reads an npy input [draw, row, column] as one matrix a draw. The
// matrices share the array's memory: they are read-only.
func ReadDraws(in dag.Input, axes string) ([]connectivity.Matrix, error) {
	return draws(in, axes, dag.Input.Array)
}

// SharedDraws is ReadDraws of matrices that other tasks read too: they must not be changed.
func SharedDraws(in dag.Input, axes string) ([]connectivity.Matrix, error) {
	return draws(in, axes, dag.Input.SharedArray)
}

func draws(in dag.Input, axes string, read func(dag.Input) (*encoding.Array, error)) ([]connectivity.Matrix, error) {
	a, err := read(in)
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 3 || a.Len() == 0 {
		return nil, fmt.Errorf("%s: an array of shape %v, want %s", in.Name, a.Shape, axes)
	}
	rows, cols, v := a.Shape[1], a.Shape[2], a.Float64s()
	draws := make([]connectivity.Matrix, a.Shape[0])
	for d := range draws {
		draws[d] = connectivity.Matrix{Rows: rows, Cols: cols, Data: v[d*rows*cols:][:rows*cols]}
	}
	return draws, nil
}

// Stack joins matrices of one shape to an array [draw, row, column]. It may lie in the memory of a single one.
func Stack(ms []connectivity.Matrix) *encoding.Array {
	rows, cols := ms[0].Rows, ms[0].Cols
	if len(ms) == 1 {
		return encoding.NewArray(ms[0].Data, 1, rows, cols)
	}
	v := make([]float64, 0, len(ms)*rows*cols)
	for _, m := range ms {
		v = append(v, m.Data...)
	}
	return encoding.NewArray(v, len(ms), rows, cols)
}

// ReadText reads a text table of numbers.
func ReadText(in dag.Input) ([]string, connectivity.Matrix, error) {
	b, err := in.Bytes()
	if err != nil {
		return nil, connectivity.Matrix{}, err
	}
	names, x, err := connectivity.ReadText(bytes.NewReader(b))
	if err != nil {
		return nil, connectivity.Matrix{}, fmt.Errorf("%s: %w", in.Name, err)
	}
	return names, x, nil
}

// transposed is a matrix with its rows as columns.
func transposed(x connectivity.Matrix) connectivity.Matrix {
	t := connectivity.NewMatrix(x.Cols, x.Rows)
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			t.Row(j)[i] = v
		}
	}
	return t
}

// ClearlyMore is a difference of mean correlations of neighbors that is no chance: time series persist, and regions in
// a list are at most neighbors.
const (
	ClearlyMore = 0.1
	FewestRows  = 10 // that can show it
)

// neighbors is the correlation of each of n columns with the next one, without the mean of each row: of volumes, the
// lag-1 autocorrelation, and of regions, their  It is 0 where a column does not vary.
func neighbors(rows, n int, at func(row, column int) float64) []float64 {
	means := make([]exact.Sum, rows)
	known := make([]float64, rows)
	column := func(j int) []float64 {
		v := make([]float64, rows)
		for i := range v {
			v[i] = at(i, j)
		}
		return v
	}
	for j := range n {
		for i, v := range column(j) {
			if !math.IsNaN(v) {
				means[i].Add(v)
				known[i]++
			}
		}
	}
	all := make([]float64, n-1)
	var last []float64
	for j := range n {
		next := column(j)
		for i := range next {
			next[i] -= means[i].Mean(known[i])
		}
		if j > 0 {
			if r := connectivity.Correlation(last, next); !math.IsNaN(r) {
				all[j-1] = r
			}
		}
		last = next
	}
	return all
}

// Neighbors are those of the rows and of the columns of series.
func Neighbors(x connectivity.Matrix) (rows, columns []float64) {
	return neighbors(x.Cols, x.Rows, func(i, j int) float64 { return x.At(j, i) }), neighbors(x.Rows, x.Cols, x.At)
}

// Float32 is an array of float32 of float64 numbers, each rounded to the nearest.
func Float32(v []float64, shape ...int) *encoding.Array {
	out := lists.Map(v, func(x float64) float32 { return float32(x) })
	return encoding.NewArray(out, shape...)
}

// Standardized is z of each column of x over the rows of, put at the volumes at, volumes × columns; NaN elsewhere and
// where a column is missing or does not vary. mean and sd are over the rows of.
func Standardized(x connectivity.Matrix, of, at []int, volumes int) (z, mean, sd []float64) {
	z, mean, sd = make([]float64, volumes*x.Cols), make([]float64, x.Cols), make([]float64, x.Cols)
	for i := range z {
		z[i] = math.NaN()
	}
	for j := range x.Cols {
		v := lists.Map(of, func(row int) float64 { return x.At(row, j) })
		mean[j], sd[j] = column.MeanSD(v)
		if !(sd[j] > 0) {
			continue
		}
		for i, volume := range at {
			z[volume*x.Cols+j] = (x.At(i, j) - mean[j]) / sd[j]
		}
	}
	return z, mean, sd
}
