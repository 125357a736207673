package assess

import (
	"cmp"
	"slices"

	"prgnn/dag"
	"prgnn/stages/column"
)

// A namedNode is a row of the node list.
type namedNode struct {
	ID           int32  `column:"id"`
	Name         string `column:"name"`
	Abbreviation string `column:"abbreviation"`

	index int32 // from 1
}

// isPlanted reports whether a node has a planted edge; nil where that is not known.
func isPlanted(planted []bool, node int) *bool {
	if planted == nil {
		return nil
	}
	return &planted[node]
}

func rankingRows(coords []dag.Coord, rows []saliency, nodes []namedNode, planted []bool) []column.RankingRow {
	out := make([]column.RankingRow, len(rows))
	for i, s := range rows {
		n := nodes[s.node]
		out[i] = column.RankingRow{
			Coords: coords, Rank: int32(i + 1), Index: n.index, ID: n.ID, Name: n.Name,
			Abbreviation: n.Abbreviation,
			Score:        s.score, SD: s.sd, Low: s.Low, High: s.High, RankLow: int32(s.RankLow),
			RankHigh: int32(s.RankHigh),
			TopShare: s.Top, Best: int32(s.best), Worst: int32(s.worst), Frequency: s.frequency,
			Participants: int32(s.participants), Mean: s.mean, Contrast: s.contrast.Value,
			ContrastChance: s.contrast.Mean, ContrastHigh: s.contrast.High,
			P: s.contrast.P, Q: s.q, PAny: s.contrast.PAny, Least: s.contrast.Least,
			Planted: isPlanted(planted, s.node),
		}
	}
	return out
}

// nullRows are the rows of one setting against permuted groups, the largest excess first.
func nullRows(coords []dag.Coord, rows []nullRow, nodes []namedNode, planted []bool) []column.NullRow {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b nullRow) int {
		return cmp.Or(cmp.Compare(b.excess, a.excess), a.node-b.node) // NaN is less than all
	})
	out := make([]column.NullRow, len(rows))
	for i, r := range rows {
		n := nodes[r.node]
		out[i] = column.NullRow{
			Coords: coords, Index: n.index, Name: n.Name, Abbreviation: n.Abbreviation,
			Observed: r.observed, Mean: r.mean, SD: r.sd, Excess: r.excess, P: r.p, Q: r.q, PAny: r.any,
			Permutations: int32(r.permutations), Planted: isPlanted(planted, r.node),
		}
	}
	return out
}

// individualRows are the scores of one participant. A region that reached no layer has none: 0/0.
func individualRows(coords []dag.Coord, id, group string, ts []Tally, graphs int,
	nodes []namedNode) []column.IndividualRow {
	out := make([]column.IndividualRow, len(ts))
	for j, t := range ts {
		out[j] = column.IndividualRow{Coords: coords, Participant: id, Group: group, Index: nodes[j].index,
			Score: t.mean(), Frequency: float64(t.kept) / float64(graphs)}
	}
	return out
}
