package region

import (
	"fmt"
	"math"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
)

// A StateRow is one entry of a connectivity state.
type StateRow struct {
	State  int32   `column:"state" doc:"from 1, the largest cluster first"`
	Source int32   `column:"source" doc:"node, from 1"`
	Target int32   `column:"target" doc:"node, from 1; above source"`
	Z      float64 `column:"z,missing" doc:"Fisher's z of the state; empty for a pair with a region that was left out (regions: shared)"`
}

// StateFacts are the metadata of states.
type StateFacts struct {
	Fold   int    `json:"fold"` // 0: fitted to all participants
	Repeat int    `json:"repeat"`
	Metric string `json:"distance"`
	Nodes  int    `json:"nodes"`
	States int    `json:"states"`
}

// Table is states as the stage states stores them, fitted to windows of these participants.
func (f StateFacts) Table(centers [][]float64, participants []string) *encoding.Table {
	var rows []StateRow
	for k, c := range centers {
		at := 0
		for i := range f.Nodes {
			for j := i + 1; j < f.Nodes; j++ {
				rows = append(rows, StateRow{int32(k + 1), int32(i + 1), int32(j + 1), c[at]})
				at++
			}
		}
	}
	return column.WithMeta(column.Table(rows), map[string]string{"participants": column.JSON(participants),
		"states": column.JSON(f)})
}

// ReadStates reads what the stage states wrote.
func ReadStates(in dag.Input) (*StateFacts, [][]float64, error) {
	f, table, err := ReadFit[StateFacts](in, "states")
	if err != nil {
		return nil, nil, err
	}
	rows, err := column.Rows[StateRow](table)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	pairs := f.Nodes * (f.Nodes - 1) / 2
	if f.Nodes < 2 || f.States < 1 || len(rows) != f.States*pairs {
		return nil, nil, fmt.Errorf("%s: %d rows, want one for each of %d pairs of regions in each of %d states", in.Name, len(rows), pairs, f.States)
	}
	centers := make([][]float64, f.States)
	for i, r := range rows {
		centers[i/pairs] = append(centers[i/pairs], r.Z)
	}
	return f, centers, nil
}

// NodesOfPairs is the number of nodes that have so many pairs; 0 where no number has.
func NodesOfPairs(pairs int) int {
	n := int(math.Round((1 + math.Sqrt(1+8*float64(pairs))) / 2))
	if n*(n-1)/2 != pairs {
		return 0
	}
	return n
}
