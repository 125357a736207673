package finding

import (
	"slices"

	"prgnn/stages/column"
)

// What limits a test of edges: degrees of freedom of the residuals below, a ratio of residual variances above, a
// share of the edges that is not tested from this one on.
const (
	fewDegrees       = 10
	unequalVariances = 4
	manyUntested     = 0.1
)

// GroupsPooled is that a change between two sessions is tested over participants of several groups together.
const GroupsPooled = "edges.groups-pooled"

// A GroupSize is how many participants a group has.
type GroupSize struct {
	Name string
	N    int
}

// PermutesRelatives reports whether a stage permutes relatives as independent participants, so that its p values are
// not valid.
func PermutesRelatives(notes []column.Note, stage string) bool {
	return slices.ContainsFunc(notes, func(n column.Note) bool {
		return n.Doubt == column.DoubtPermuted && n.Stages == stage
	})
}

// BesideEdges adds to the findings about covariates that predict the group that the tests of edges do not adjust for
// them.
func (l List) BesideEdges(r column.EdgeSummaryRow) List {
	linked := slices.Clone(l)
	for i, f := range linked {
		numbers := Values(f.Numbers)
		name, _ := numbers["Name"].(string)
		if f.Code == "covariate.predicts-group" && r.Test == "group" && name != r.Within &&
			!slices.Contains(r.Covariates, name) {
			numbers["Edges"] = true
			linked[i].Numbers = numbers
		}
	}
	return linked
}

// OtherDirection is that t of edges is above 0 where the group has larger values that is not the positive one of the
// classification.
func OtherDirection(evaluated string, r column.EdgeSummaryRow) (all List) {
	if r.Design == "groups" && len(r.Groups) == 2 && r.Groups[0] == evaluated {
		all.Study("edges.other-positive", Notes, values{"Evaluated": evaluated, "Own": r.Groups[1]})
	}
	return all
}

// EdgeTest are the findings about a test of each edge.
func EdgeTest(r column.EdgeSummaryRow) (all List) {
	if r.Degrees < fewDegrees {
		all.Study("edges.few-degrees", Limits, values{"Degrees": r.Degrees})
	}
	if r.VarianceRatio > unequalVariances {
		all.Study("edges.unequal-variances", Limits, values{"Within": r.Within, "Ratio": r.VarianceRatio})
	}
	if share := float64(r.MissingEdges) / float64(r.Edges+r.MissingEdges+r.ConstantEdges); share >= manyUntested {
		all.Study("edges.lacking", Limits, values{"Share": share, "N": len(r.LackedRegions)})
	}
	if len(r.Left) > 0 {
		all.Study("edges.skipped", Limits, values{"N": len(r.Left), "Participants": r.Left,
			"Sessions": len(r.Sessions) > 0})
	}
	if len(r.Dropped) > 0 {
		all.Study("edges.dropped", Notes, values{"Dropped": r.Dropped, "N": len(r.Dropped)})
	}
	return all
}
