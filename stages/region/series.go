package region

import (
	"bytes"
	"fmt"
	"math"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/internal/lists"
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
