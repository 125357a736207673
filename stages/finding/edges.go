package finding

import (
	"math"
	"slices"

	"prgnn/stages/column"
	"prgnn/stages/inference"
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

// With a variance of each group, the smallest difference that max-t finds over 780 edges with a power of 80% is larger
// by a tenth or more than with one variance, from simulations of groups that vary alike (TestPowerOfSmallGroup of
// stages/assess/edges), below so many effective degrees of freedom, if the unequal sizes cost a fifth of them.
const fewEffective, costly = 30, 0.8

// effective are the degrees of freedom of Welch's t of groups that vary alike (Welch 1938), of so many that sizes of
// groups leave; few reports whether the smaller group makes them few.
func effective(n1, n2, degrees float64) (of float64, few bool) {
	a, b := 1/n1, 1/n2
	welch := (a + b) * (a + b) / (a*a/(n1-1) + b*b/(n2-1))
	of = welch * degrees / (n1 + n2 - 2)
	return of, of < fewEffective && of < costly*degrees
}

// SmallGroup is that a test of two groups with a variance of each has little power, because one is small, and the size
// of this group from which the test loses little.
func SmallGroup(r column.EdgeSummaryRow, variance string) (all List) {
	if r.Design != "groups" || len(r.Counts) != 2 || variance != "unequal" {
		return nil
	}
	small := 0
	if r.Counts[1] < r.Counts[0] {
		small = 1
	}
	n, others := float64(r.Counts[small]), float64(r.Counts[1-small])
	of, few := effective(n, others, float64(r.Degrees))
	if !few {
		return nil
	}
	needed := n
	for less := true; less; {
		needed++
		_, less = effective(needed, others, float64(r.Degrees)+needed-n)
	}
	all.Study("edges.small-group", Notes, values{"Group": r.Groups[small], "N": int(n), "Other": r.Groups[1-small],
		"Others": int(others), "Degrees": int(of), "Model": int(r.Degrees), "Needed": int(needed)})
	return all
}

// OtherDirection is that t of edges is above 0 where the group has larger values that is not the positive one of the
// classification.
func OtherDirection(evaluated string, r column.EdgeSummaryRow) (all List) {
	if r.Design == "groups" && len(r.Groups) == 2 && r.Groups[0] == evaluated {
		all.Study("edges.other-positive", Notes, values{"Evaluated": evaluated, "Own": r.Groups[1]})
	}
	return all
}

// SeveralTests is that the edges of a page are those of one of several tests of a stage, with the parameters in which
// these differ.
func SeveralTests(s *StageSettings) (all List) {
	n, differ := 1, []values(nil)
	for _, name := range s.Parameters {
		if of := s.Values[name]; len(of) > 1 {
			n *= len(of)
			differ = append(differ, values{"Name": name, "Values": slices.Concat(of...)})
		}
	}
	if n > 1 {
		all.Study("edges.several-tests", Limits, values{"N": n, "Parameters": differ})
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
	// q of an edge is p·N/rank: k edges with the smallest p have N/k times it.
	least := 1 / float64(r.Permutations+1)
	if r.Correction == "bh-permutation" && r.Significant == 0 && !inference.Significant(least*float64(r.Edges)) {
		needed := math.Floor(least*float64(r.Edges)/0.05+1e-9) + 1
		all.Study("edges.few-permutations", Limits, values{"Permutations": r.Permutations, "Edges": r.Edges,
			"Needed": int(needed), "Enough": inference.LeastPermutations * int(r.Edges)})
	}
	if share := float64(r.MissingEdges) / float64(r.Edges+r.MissingEdges+r.ConstantEdges); share >= manyUntested {
		all.Study("edges.lacking", Limits, values{"Share": share, "N": len(r.LackedRegions)})
	}
	if len(r.Left) > 0 {
		all.Study("edges.skipped", Limits, values{"N": len(r.Left), "Participants": r.Left,
			"Sessions": len(r.Sessions) > 0, "Groups": nil}) // quality.Skipped
	}
	if len(r.Dropped) > 0 {
		all.Study("edges.dropped", Notes, values{"Dropped": r.Dropped, "N": len(r.Dropped)})
	}
	return all
}
