package confound

import (
	"fmt"
	"math"

	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
)

// An EdgeFit is what covariates explain of each edge of a matrix, as it was fitted.
type EdgeFit struct {
	EdgeFacts
	Fitted       []bool    // of the edges
	Coefficients []float64 // column × edge, the intercept first
}

// EdgeFacts are what a fit of edges has besides its numbers.
type EdgeFacts struct {
	Transform string    `json:"transform"` // of the matrices: fisher, none; tangent: with the diagonal
	Mean      string    `json:"mean"`      // of each edge over the fit: kept or removed
	Nodes     int       `json:"nodes"`
	Terms     []Term    `json:"terms"`
	Means     []float64 `json:"means"` // of the columns over the fit
}

// Edges is the number of edges.
func (f *EdgeFacts) Edges() int {
	if f.Transform == "tangent" {
		return f.Nodes * (f.Nodes + 1) / 2
	}
	return f.Nodes * (f.Nodes - 1) / 2
}

// Check refuses facts and numbers that do not belong together.
func (f *EdgeFit) Check() error {
	if n := f.Edges(); f.Nodes < 2 || f.Nodes > 1<<15 || len(f.Fitted) != n || len(f.Means) != len(f.Terms) ||
		len(f.Coefficients) != (1+len(f.Terms))*n {
		return fmt.Errorf("%d edges and %d coefficients, want a row for each edge of %d regions with %d columns", len(f.Fitted),
			len(f.Coefficients), f.Nodes, 1+len(f.Terms))
	}
	return nil
}

// Explained is what the columns of a participant explain of each edge: Zβ, or (Z − Z̄)β where the mean is kept.
func (f *EdgeFit) Explained(z []float64) []float64 {
	edges := len(f.Fitted)
	out := make([]float64, edges)
	if f.Mean != "kept" {
		copy(out, f.Coefficients)
	}
	for k, v := range z {
		if f.Mean == "kept" {
			v -= f.Means[k]
		}
		dense.Axpy(out, v, f.Coefficients[(k+1)*edges:][:edges])
	}
	return out
}

// Subtract subtracts what is explained from the edges of a matrix with these transformed entries. Those that are NaN,
// or not fitted, stay as they are.
func (f *EdgeFit) Subtract(matrix, entries, explained []float64) {
	e := 0
	for i := range f.Nodes {
		from := i + 1
		if f.Transform == "tangent" {
			from = i
		}
		for j := from; j < f.Nodes; j++ {
			if v := entries[e] - explained[e]; f.Fitted[e] && !math.IsNaN(v) {
				if f.Transform == "fisher" {
					v = exact.Tanh(v)
				}
				matrix[i*f.Nodes+j], matrix[j*f.Nodes+i] = v, v
			}
			e++
		}
	}
}
