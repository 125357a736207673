package stages

import (
	"bytes"
	"fmt"

	"prgnn/artifacts"
	"prgnn/connectivity"
	"prgnn/dag"
)

// readDraws reads an npy input [draw, row, column] as one matrix a draw. The
// matrices share the array's memory: they are read-only.
func readDraws(in dag.Input, axes string) ([]connectivity.Matrix, error) {
	a, err := in.Array()
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

// stack joins matrices of one shape to an array [draw, row, column].
func stack(ms []connectivity.Matrix) *artifacts.Array {
	rows, cols := ms[0].Rows, ms[0].Cols
	v := make([]float64, 0, len(ms)*rows*cols)
	for _, m := range ms {
		v = append(v, m.Data...)
	}
	return artifacts.NewArray(v, len(ms), rows, cols)
}

// readText reads a text table of numbers.
func readText(in dag.Input) ([]string, connectivity.Matrix, error) {
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

// oneFloat reads a number from a table of one row.
func oneFloat(in dag.Input, column string) (float64, error) {
	t, err := in.Table()
	if err != nil {
		return 0, err
	}
	v, err := t.Floats(column)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", in.Name, err)
	}
	if len(v) != 1 {
		return 0, fmt.Errorf("%s: has %d rows, want one", in.Name, len(v))
	}
	return v[0], nil
}
