package region

import (
	"fmt"
	"math"

	"prgnn/connectivity"
	"prgnn/numeric/exact"
	"prgnn/stages/column"
)

// Entries are the edges of a matrix as a fit of the stage takes them, row by row: the values above the diagonal, after
// the transform fisher or none, or of tangent matrices those with the diagonal. They are NaN for regions without a
// signal: these have 0 with everybody, which nobody measured.
func Entries(m connectivity.Matrix, transform, stage string) ([]float64, error) {
	if err := Symmetric(m); err != nil {
		return nil, err
	}
	n, tangent := m.Rows, transform == "tangent"
	silent := make([]bool, n)
	for i := range n {
		silent[i] = true
		for j, v := range m.Row(i) {
			silent[i] = silent[i] && (i == j && !tangent || v == 0)
		}
	}
	v := make([]float64, 0, n*(n+1)/2)
	for i := range n {
		from := i + 1
		if tangent {
			from = i
		}
		for j := from; j < n; j++ {
			x := m.At(i, j)
			switch {
			case silent[i] || silent[j]:
				x = math.NaN()
			case transform == "fisher" && math.Abs(x) > 1 && connectivity.Lone(m):
				return nil, fmt.Errorf("the correlation of nodes %d and %d is %v: not a correlation, as all others here are: correct the value; if these are Fisher's z already, set transform: none in the stage %s", i+1, j+1, x, stage)
			case transform == "fisher" && math.Abs(x) > 1:
				return nil, column.UnitError{Err: fmt.Errorf("the correlation of nodes %d and %d is %v: not a correlation; if these are Fisher's z already, set transform: none in the stage %s", i+1, j+1, x, stage)}
			case transform == "fisher":
				x = exact.Atanh(max(-0.9999999, min(0.9999999, x)))
			}
			v = append(v, x)
		}
	}
	return v, nil
}
