package present

import (
	"slices"

	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/finding"
	"prgnn/stages/finding/quality"
	"prgnn/stages/present/section"
)

// reliability writes how reliable connectivity and its association with the groups are, over sessions and halves.
func (a *author) reliability() {
	summaries := section.Rows[column.ReliabilityRow](a.Writer, "reliability")
	pairs := section.Rows[column.SessionPairRow](a.Writer, "reliability_pairs")
	if len(summaries) == 1 {
		r := summaries[0]
		of := values(finding.Values(r))
		n := r.Participants
		if of["Pairs"] = 0; len(pairs) > 1 {
			of["Pairs"] = len(pairs)
		} else if len(pairs) == 1 {
			n = pairs[0].Participants
		} else if k := len(r.Sessions); k > 2 {
			of["Pairs"] = k * (k - 1) / 2
		}
		of["Searched"], of["Searches"] = int(n), 2*int(n)
		a.Put("reliability.retest", of)
		alike := section.Meta[[]string](a.Writer, a.T.In("reliability"), column.OneScan)
		a.Find(quality.Reliability(r, pairs, alike)...)
		edges := section.Rows[column.EdgeReliabilityRow](a.Writer, "reliability_edges")
		if a.Pictures && a.T.Has("nodes") && r.Edges > 0 {
			matrix, err := figure.DrawReliability(r, edges, a.T.In("nodes"))
			a.Fail(err)
			a.Figures(matrix)
		}
	}
	replication := section.Rows[column.ReplicationRow](a.Writer, "replication")
	for i, r := range replication {
		if r.Tested == column.Target {
			replication[i].Tested = a.Number // the column
		}
	}
	halves := values{}
	if len(replication) > 0 {
		r := replication[0]
		halves = values(finding.Values(r))
		halves["Several"], halves["Balanced"], halves["Sessions"] = r.Groups > 2, r.Statistic == "t", []string(nil)
		if len(summaries) == 1 {
			halves["Sessions"] = summaries[0].Sessions
		}
		a.Put("reliability.replication", halves)
	}
	if len(pairs) > 0 {
		columns := "first second | n forward back chance p self others idiff motion?"
		if !a.Pictures { // too wide for a text
			columns = "first second | n forward back p idiff"
		}
		drawn := values{"Permutations": 0}
		if len(summaries) == 1 {
			drawn["Permutations"] = summaries[0].Permutations
		}
		a.Table(section.Lay(a.Writer, "reliability.pairs", drawn, pairs, columns))
	}
	if len(replication) > 0 {
		a.Table(section.Lay(a.Writer, "reliability.halves", halves, replication,
			"of | values spearman full k dice dice-chance"))
	}
	stability := section.Rows[column.WeightStabilityRow](a.Writer, "stability")
	if len(stability) == 0 {
		return
	}
	for i, r := range stability {
		stability[i].Setting = a.NameOf(column.CoordText(r.Coords), r.Setting)
	}
	columns := "classifier of | n icc spearman k dice dice-chance"
	if slices.ContainsFunc(stability, func(r column.WeightStabilityRow) bool { return r.Group != stability[0].Group }) {
		columns = "classifier group of | n icc spearman k dice dice-chance"
	}
	a.Table(section.Lay(a.Writer, "reliability.trainings", nil, stability, columns))
}
