package modelfile

import (
	"errors"
	"fmt"
	"math"

	"prgnn/gnn/baseline"
	"prgnn/numeric/exact"
)

// A Form says which entries of a symmetric matrix are the inputs of a model, in their order: those above the diagonal
// by rows, or the lower triangle by rows, as nilearn has tangent vectors.
type Form struct {
	Port     string  `json:"matrices"` // pearson, tangent, series, or states: all features of connectivity states
	Fisher   bool    `json:"fisher"`   // z = atanh r, |r| at most 0.9999999
	Upper    bool    `json:"upper"`
	Diagonal bool    `json:"diagonal"`    // tangent: over √2
	Off      float64 `json:"offdiagonal"` // tangent: factor of the other entries
}

// Tangent reports whether the matrices are tangent matrices.
func (f Form) Tangent() bool { return f.Port == "tangent" }

// States reports whether the inputs are features of connectivity states, and no matrix.
func (f Form) States() bool { return f.Port == "states" }

// Series reports whether the inputs are time series, and no matrix.
func (f Form) Series() bool { return f.Port == "series" }

// Width is the number of inputs of n nodes or states; of series, in a volume.
func (f Form) Width(n int) int {
	switch {
	case f.Series():
		return n
	case f.States():
		return n * (n + 2)
	case f.Diagonal:
		return n * (n + 1) / 2
	}
	return n * (n - 1) / 2
}

// spans calls visit for the entries that are inputs, in their order: those of row i from one column to before another,
// with the factor of them all.
func (f Form) spans(n int, visit func(i, from, to int, factor float64)) {
	for i := range n {
		if f.Upper {
			visit(i, i+1, n, 1)
			continue
		}
		visit(i, 0, i, f.Off)
		if f.Diagonal {
			visit(i, i, i+1, 1/math.Sqrt2)
		}
	}
}

// Each calls visit for the entries that are inputs, in their order, with the factor of each.
func (f Form) Each(n int, visit func(i, j int, factor float64)) {
	f.spans(n, func(i, from, to int, factor float64) {
		for j := from; j < to; j++ {
			visit(i, j, factor)
		}
	})
}

// Row appends the inputs of a matrix m of n nodes.
func (f Form) Row(to, m []float64, n int) ([]float64, error) {
	if f.States() {
		return append(to, m...), nil
	}
	if err := f.check(m, n); err != nil {
		return nil, err
	}
	var failed error
	f.spans(n, func(i, from, upTo int, factor float64) {
		to = append(to, m[i*n+from:i*n+upTo]...)
		part := to[len(to)-(upTo-from):]
		for k, v := range part {
			if v-v != 0 || f.Fisher && math.Abs(v) > 1 {
				if failed == nil {
					failed = f.refuse(i, from+k, v)
				}
				return
			}
			if f.Fisher {
				v = exact.Atanh(max(-0.9999999, min(0.9999999, v)))
			}
			part[k] = v * factor
		}
	})
	return to, failed
}

// LeaveOut makes the inputs of regions that are left out zero.
func (f Form) LeaveOut(row []float64, out []bool) {
	if out == nil {
		return
	}
	at := 0
	f.Each(len(out), func(i, j int, _ float64) {
		if out[i] || out[j] {
			row[at] = 0
		}
		at++
	})
}

// refuse says why an entry is no input.
func (f Form) refuse(i, j int, v float64) error {
	low, high := min(i, j)+1, max(i, j)+1
	switch {
	case v-v == 0:
		return fmt.Errorf("the correlation of nodes %d and %d is %v: not a correlation; if these are Fisher's z already, set transform: none", low, high, v)
	case f.Tangent():
		return fmt.Errorf("the tangent entry of nodes %d and %d is %v: not finite; exclude the participant or the nodes", low, high, v)
	}
	return fmt.Errorf("the correlation of nodes %d and %d is %v: not finite; exclude the participant or the nodes", low, high, v)
}

// check tells correlation matrices, whose diagonal is 1 (of Fisher's z, 0), from tangent matrices.
func (f Form) check(m []float64, n int) error {
	constant, negative := m[0] == 0 || m[0] == 1, false
	for i := range n {
		constant = constant && m[i*n+i] == m[0]
		negative = negative || m[i*n+i] < 0
	}
	switch {
	case f.Tangent() && constant:
		return fmt.Errorf("all entries of the diagonal are %v: these are correlation matrices, and the port tangent takes those of the stage project", m[0])
	case !f.Tangent() && negative:
		return errors.New("the diagonal has negative entries: these are not correlation matrices; connect tangent matrices to the port tangent")
	}
	return nil
}

// Nodes is the number of nodes of rows of d inputs.
func (f Form) Nodes(d int) int {
	if f.Diagonal {
		return baseline.NodesOf(d) - 1
	}
	return baseline.NodesOf(d)
}
