package region

import (
	"encoding/json"
	"fmt"
	"slices"

	"prgnn/artifacts/encoding"
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

// Marked marks the regions that were left out of all participants; nil: none.
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

// ReadReference reads what the stage tangent wrote.
func ReadReference(in dag.Input) (*ReferenceFacts, *tangent.Space, error) {
	table, err := in.Table()
	if err != nil {
		return nil, nil, err
	}
	f := &ReferenceFacts{}
	if err := json.Unmarshal([]byte(table.Meta["tangent"]), f); err != nil {
		return nil, nil, fmt.Errorf("%s: its metadata do not say how it was fitted, as the stage tangent does: %w", in.Name, err)
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
