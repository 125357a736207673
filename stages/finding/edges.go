package finding

import "prgnn/stages/column"

// What limits a test of edges: degrees of freedom of the residuals below, a ratio of residual variances above, a
// share of
// the edges that is not tested above.
const (
	fewDegrees       = 10
	unequalVariances = 4
	manyUntested     = 0.1
)

// EdgeTest are the findings about a test of each edge.
func EdgeTest(r column.EdgeSummaryRow) (all List) {
	add := func(code string, weight Weight, numbers map[string]any) {
		all.Add(Finding{code, weight, Subject{}, numbers})
	}
	if r.Degrees < fewDegrees {
		add("edges.few-degrees", Limits, map[string]any{"Degrees": r.Degrees})
	}
	if r.VarianceRatio > unequalVariances {
		add("edges.unequal-variances", Limits, map[string]any{"Within": r.Within, "Ratio": r.VarianceRatio})
	}
	if share := float64(r.MissingEdges) / float64(r.Edges+r.MissingEdges+r.ConstantEdges); share > manyUntested {
		add("edges.lacking", Limits, map[string]any{"Share": share, "N": len(r.LackedRegions)})
	}
	if len(r.Left) > 0 {
		add("edges.skipped", Limits, map[string]any{"N": len(r.Left), "Participants": r.Left,
			"Sessions": len(r.Sessions) > 0})
	}
	if len(r.Dropped) > 0 {
		add("edges.dropped", Notes, map[string]any{"Dropped": r.Dropped, "N": len(r.Dropped)})
	}
	return all
}
