package region

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/connectivity/tangent"
	"prgnn/dag"
	"prgnn/stages/column"
)

// A ReferenceRow is one entry of the reference of a tangent space.
type ReferenceRow struct {
	Source    int32   `column:"source" doc:"node, from 1"`
	Target    int32   `column:"target" doc:"node, from 1; source or above"`
	Mean      float64 `column:"mean" doc:"of the reference G"`
	Whitening float64 `column:"whitening" doc:"of G^-1/2"`
}

// ReferenceFacts are the metadata of a reference.
type ReferenceFacts struct {
	Fold      int    `json:"fold"`
	Repeat    int    `json:"repeat"`
	Reference string `json:"reference"`
	Controls  string `json:"controls,omitempty"`
	ZScore    bool   `json:"zscore"`
	Nodes     int    `json:"nodes"`
	LeftOut   []int  `json:"left_out,omitempty"` // regions, from 1
}

// Marked marks the regions that were excluded for all participants; nil: none.
func (f *ReferenceFacts) Marked() []bool {
	if f.LeftOut == nil {
		return nil
	}
	out := make([]bool, f.Nodes)
	for i := range out {
		out[i] = slices.Contains(f.LeftOut, i+1)
	}
	return out
}

// Table is a reference as the stage tangent stores it, fitted to these participants.
func (f ReferenceFacts) Table(s *tangent.Space, participants []string) *encoding.Table {
	var rows []ReferenceRow
	for i := range s.N {
		for j := i; j < s.N; j++ {
			rows = append(rows, ReferenceRow{int32(i + 1), int32(j + 1), s.Mean[i*s.N+j], s.Whitening[i*s.N+j]})
		}
	}
	return column.WithMeta(column.Table(rows), map[string]string{"participants": column.JSON(participants),
		"tangent": column.JSON(f)})
}

// ReadFit reads the table of what a stage fitted, and how, which its metadata have by the name of the stage's kind.
func ReadFit[F any](in dag.Input, kind string) (*F, *encoding.Table, error) {
	table, err := in.Table()
	if err != nil {
		return nil, nil, err
	}
	f := new(F)
	if err := json.Unmarshal([]byte(table.Meta[kind]), f); err != nil {
		return nil, nil, fmt.Errorf("%s: its metadata lack the fit of the stage %s: %w", in.Name, kind, err)
	}
	return f, table, nil
}

// ReadReference reads what the stage tangent wrote.
func ReadReference(in dag.Input) (*ReferenceFacts, *tangent.Space, error) {
	f, table, err := ReadFit[ReferenceFacts](in, "tangent")
	if err != nil {
		return nil, nil, err
	}
	rows, err := column.Rows[ReferenceRow](table)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	n := f.Nodes
	if n < 2 || n > 1<<15 || len(rows) != n*(n+1)/2 {
		return nil, nil, fmt.Errorf("%s: %d rows, want one a pair of %d regions and one a region", in.Name, len(rows), n)
	}
	mean, whitening, at := make([]float64, n*n), make([]float64, n*n), 0
	for i := range n {
		for j := i; j < n; j++ {
			mean[i*n+j], mean[j*n+i] = rows[at].Mean, rows[at].Mean
			whitening[i*n+j], whitening[j*n+i] = rows[at].Whitening, rows[at].Whitening
			at++
		}
	}
	return f, tangent.At(mean, whitening, n), nil
}

// Covariance is a matrix, with a diagonal of 1 where zscore is asked for. A region without a signal
// has a row of 0, and is then uncorrelated with the others, as one that is excluded for all participants is.
func Covariance(m connectivity.Matrix, zscore bool, out []bool) ([]float64, error) {
	if out != nil {
		m = m.Clone()
		for i := range m.Rows {
			for j := range m.Cols {
				if len(out) == m.Rows && (out[i] || out[j]) {
					m.Data[i*m.Cols+j] = map[bool]float64{true: 1}[i == j]
				}
			}
		}
	}
	if err := Symmetric(m); err != nil {
		return nil, err
	}
	n := m.Rows
	c, factor := slices.Clone(m.Data), make([]float64, n)
	for i := range n {
		switch v := m.At(i, i); {
		case !(v >= 0) || math.IsInf(v, 0):
			return nil, fmt.Errorf("the variance of node %d is %v: these are not covariance matrices", i+1, v)
		case v > 0:
			factor[i] = 1 / math.Sqrt(v)
		}
	}
	if !zscore {
		return c, nil
	}
	for i := range n {
		for j := range n {
			c[i*n+j] *= float64(factor[i] * factor[j])
		}
		c[i*n+i] = 1
	}
	return c, nil
}

// Symmetric refuses a matrix with entries that are not finite, or that differ from their mirror images.
func Symmetric(m connectivity.Matrix) error {
	for i := range m.Rows {
		for j := range i {
			switch x := m.At(j, i); {
			case math.IsNaN(x) || math.IsInf(x, 0):
				return fmt.Errorf("the connectivity of nodes %d and %d is %v: not finite; exclude the participant or the nodes", j+1, i+1, x)
			case x != m.At(i, j):
				return fmt.Errorf("it is %v from node %d to %d and %v in the other direction: a symmetric matrix is needed", x, j+1, i+1, m.At(i, j))
			}
		}
	}
	return nil
}

// OfMatrix adds to an error of the package tangent whose matrix it is about, and the remedy.
func OfMatrix(name string, err error) error {
	if not := new(tangent.DefiniteError); !errors.As(err, &not) {
		return fmt.Errorf("%s: %w", name, err)
	}
	return fmt.Errorf("%s: %w; empirical covariances of fewer volumes than regions are singular, as are those with two identical regions: use pearson: ledoit-wolf in connectivity, or exclude the participant or the regions", name, err)
}

// Project sets dst to the tangent matrix of a matrix of one participant; name is what an error calls it.
func (f *ReferenceFacts) Project(dst []float64, s *tangent.Space, m connectivity.Matrix, name string) error {
	n, leftOut := f.Nodes, f.Marked()
	if m.Rows != n || m.Cols != n {
		return fmt.Errorf("%s: %d × %d numbers, and the reference was fitted to %d regions", name, m.Rows, m.Cols, n)
	}
	c, err := Covariance(m, f.ZScore, leftOut)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := s.Log(dst, c); err != nil {
		return OfMatrix(name, err)
	}
	for i := range n * n { // rounding alone is left there
		if leftOut != nil && (leftOut[i/n] || leftOut[i%n]) {
			dst[i] = 0
		}
	}
	return nil
}
