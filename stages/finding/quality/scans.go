package quality

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/inference"
)

// A Doubtful is a scan that its labels may not fit.
type Doubtful struct {
	Who string
	Why finding.List
}

// Registration is the finding about labels that may not fit the scan.
func Registration(doubtful []Doubtful) (all finding.List) {
	if len(doubtful) == 0 {
		return nil
	}
	ids := lists.Map(doubtful, func(d Doubtful) string { return d.Who })
	all.Among(ids, "scans.labels-doubtful", finding.Limits, values{"Listed": doubtful})
	return all
}

// A Coverage is the share of a scan's brain mask without a label.
type Coverage struct {
	Who   string
	Share float64
}

// Least scans by whose median a scan's share is judged, and how far above it a share is no longer that of the same kind
// of labels: by so much, and by so many median absolute deviations.
const (
	fewestCoverages = 8
	apartCoverage   = 0.05
	apartDeviations = 6
)

// Uncovered is the finding about scans whose brain mask has a larger share without a label than those of the others, as
// with labels of another participant: what a parcellation leaves out is nearly the same for all.
func Uncovered(all []Coverage) (found finding.List) {
	shares := lists.Map(all, func(c Coverage) float64 { return c.Share })
	if len(all) < fewestCoverages {
		return nil
	}
	usual := inference.Median(shares)
	spread := inference.Median(lists.Map(shares, func(s float64) float64 { return math.Abs(s - usual) }))
	apart := slices.DeleteFunc(slices.Clone(all), func(c Coverage) bool {
		return c.Share-usual <= max(apartCoverage, apartDeviations*spread)
	})
	if len(apart) == 0 {
		return nil
	}
	slices.SortStableFunc(apart, func(x, y Coverage) int { return cmp.Compare(y.Share, x.Share) })
	who := lists.Map(apart, func(c Coverage) string { return c.Who })
	found.Among(who, "scans.uncovered", finding.Limits, values{"Usual": usual, "Listed": apart})
	return found
}

// WithoutEdges is the finding about participants who have a graph without edges: edges has their number in each graph
// of each participant, shrinkage that of the partial correlations in each draw, far the participants with volumes far
// from all others.
func WithoutEdges(edges, shrinkage map[string][]float64, far map[string]bool) (all finding.List) {
	var ids []string
	var of []float64
	empty, graphs := 0, 0
	for _, id := range slices.SortedFunc(maps.Keys(edges), dag.CompareValues) {
		without := 0
		for _, n := range edges[id] {
			if n == 0 {
				without++
			}
		}
		if without > 0 {
			ids = append(ids, id)
			of = append(of, shrinkage[id]...)
		}
		empty, graphs = empty+without, graphs+len(edges[id])
	}
	if ids == nil {
		return nil
	}
	numbers := values{"N": len(ids), "Of": len(edges), "Empty": empty, "Graphs": graphs, "Shrinkage": nil,
		"FarVolumes": slices.ContainsFunc(ids, func(id string) bool { return far[id] })}
	if len(of) > 0 {
		numbers["Shrinkage"] = inference.Median(of)
	}
	weight := finding.Limits
	if 2*empty > graphs {
		weight = finding.Overturns
	}
	all.Among(ids, "quality.no-edges", weight, numbers)
	return all
}

// nearOne is a median |r| beyond that of all 1,035 ABIDE series and 40 other resting scans, of which the largest is
// largestMedian. The finding states where the limit comes from.
const (
	nearOne       = 0.8
	largestMedian = 0.72
)

// NearOne is the finding about participants nearly all of whose correlations are strong. group is that of each
// participant.
func NearOne(rows []column.TypicalityRow, group map[string]string) (found finding.List) {
	strong := slices.DeleteFunc(slices.Clone(rows), func(r column.TypicalityRow) bool { return !(r.MedianR > nearOne) })
	if len(strong) == 0 {
		return nil
	}
	ids := func(rows []column.TypicalityRow) []string {
		return once(lists.Map(rows, func(r column.TypicalityRow) string { return r.Participant }), strings.Clone)
	}
	who, all := ids(strong), ids(rows)
	r := lists.Map(rows, func(r column.TypicalityRow) float64 { return r.MedianR })
	found.Among(who, "quality.near-one", finding.Limits, values{"N": len(who), "Of": len(all), "Limit": nearOne,
		"Largest": largestMedian, "Median": inference.Median(column.Known(r)), "Groups": SharesOf(group, all, who),
		"Listed": who})
	return overturning(found)
}

// Unlike is the finding about participants whose connectivity is hardly that of the others: outliers in typicality,
// with less than half of the median. group is that of each participant.
func Unlike(rows []column.TypicalityRow, group map[string]string) (found finding.List) {
	typicality := lists.Map(rows, func(r column.TypicalityRow) float64 { return r.Typicality })
	median := inference.Median(column.Known(typicality))
	var who, all []string
	most := math.Inf(-1)
	for _, r := range rows {
		all = append(all, r.Participant)
		if slices.Contains(r.Outlier, "typicality") && 2*r.Typicality < median {
			who, most = append(who, r.Participant), max(most, r.Typicality)
		}
	}
	if who == nil {
		return nil
	}
	who, all = once(who, strings.Clone), once(all, strings.Clone)
	found.Among(who, "quality.unlike", finding.Limits, values{"N": len(who), "Of": len(all), "Most": most,
		"Median": median, "Groups": SharesOf(group, all, who), "Listed": who})
	return overturning(found)
}

// UnequalGraphs is the finding about participants with another number of graphs (draws, sessions) than most have: each
// graph counts once in training.
func UnequalGraphs(graphs map[string]int) (all finding.List) {
	often := map[int]int{}
	for _, n := range graphs {
		often[n]++
	}
	most := 0
	for _, n := range slices.Sorted(maps.Keys(often)) {
		if often[n] >= often[most] { // of equal ones the largest
			most = n
		}
	}
	var ids []string
	var others []int
	for _, id := range slices.SortedFunc(maps.Keys(graphs), dag.CompareValues) {
		if n := graphs[id]; n != most {
			ids, others = append(ids, id), append(others, n)
		}
	}
	if ids == nil {
		return nil
	}
	all.Among(ids, "quality.unequal-graphs", finding.Limits, values{"N": len(ids), "Of": len(graphs), "Most": most,
		"Fewest": slices.Min(others), "Largest": slices.Max(others), "Listed": ids})
	return all
}

// A Form is that of the matrices of a participant.
type Form struct {
	Participant string
	column.MatrixForm
}

// Shares of entries below 0: matrices that have none differ in form where nearly all others have so many.
const manyNegative = 0.1

// FormsDiffer are the findings about matrices that were computed or written in another way than those of other
// participants, such as without the global signal or as Fisher's z among correlations. group is that of each
// participant.
func FormsDiffer(forms []Form, group map[string]string) (all finding.List) {
	for _, of := range lists.By(forms, func(f Form) string { return f.Port }) {
		ids := lists.Map(of.All, func(f Form) string { return f.Participant })
		diagonals := lists.By(lists.Keep(of.All, func(f Form) bool { return f.Diagonal != "" }),
			func(f Form) string { return f.Diagonal })
		slices.SortStableFunc(diagonals, func(x, y lists.Group[string, Form]) int { return len(y.All) - len(x.All) })
		add := func(code, usual, other string, some []Form) {
			who := lists.Map(some, func(f Form) string { return f.Participant })
			shares := SharesOf(group, ids, who)
			weight := finding.Limits
			if shares != nil {
				weight = finding.Overturns
			}
			with, without := wholly(shares)
			all.Among(who, code, weight, values{"Port": of.Key, "Usual": usual, "Other": other, "N": len(who),
				"Of": len(ids), "Groups": shares, "AUC": sharesApart(shares), "With": with, "Without": without,
				"Listed": who})
		}
		for i, d := range diagonals {
			if i > 0 {
				add("matrices.diagonals-differ", diagonals[0].Key, d.Key, d.All)
			}
		}
		none := lists.Keep(of.All, func(f Form) bool { return !(f.Negative > 0) })
		var others []float64
		for _, f := range of.All {
			if f.Negative > 0 {
				others = append(others, f.Negative)
			}
		}
		slices.Sort(others)
		if n := len(others); n >= 3 && len(none) > 0 && others[n/10] >= manyNegative {
			add("matrices.none-negative", "", "", none)
		} else if len(none) == len(of.All) && len(none) >= 3 {
			all.Study("matrices.all-positive", finding.Limits, values{"Port": of.Key, "N": len(none)})
		}
		if indefinite := lists.Keep(of.All, func(f Form) bool { return f.Indefinite }); indefinite != nil {
			add("matrices.indefinite", "", "", indefinite)
		}
		for _, p := range []struct {
			code, how string
			has       func(Form) bool
			fits      func(shares []Share) bool // a finding, by the shares of the groups
		}{
			{"matrices.global-signal", "constant", func(f Form) bool { return f.Constant },
				func([]Share) bool { return true }},
			{"matrices.global-signal", "mean", func(f Form) bool { return f.Mean < lowMean },
				func(shares []Share) bool { return shares != nil }},
			{"matrices.singular", "", func(f Form) bool { return f.Singular }, // as of the shorter scans
				func(shares []Share) bool { with, _ := wholly(shares); return with != nil }},
		} {
			some := lists.Keep(of.All, p.has)
			who := lists.Map(some, func(f Form) string { return f.Participant })
			if len(some) > 0 && len(some) < len(of.All) && p.fits(SharesOf(group, ids, who)) {
				add(p.code, "", p.how, some)
				break // the others follow from it
			}
		}
	}
	return all
}

// sharesApart is the AUC of having something, for the group that it separates best from the others.
func sharesApart(shares []Share) (auc float64) {
	n, of := 0, 0
	for _, s := range shares {
		n, of = n+s.N, of+s.Of
	}
	for _, s := range shares {
		auc = max(auc, (1+math.Abs(float64(s.N)/float64(s.Of)-float64(n-s.N)/float64(of-s.Of)))/2)
	}
	return auc
}

// wholly are the groups all and none of whose participants have something; nil where it divides a group.
func wholly(shares []Share) (with, without []string) {
	for _, s := range shares {
		switch s.N {
		case s.Of:
			with = append(with, s.Name)
		case 0:
			without = append(without, s.Name)
		default:
			return nil, nil
		}
	}
	return with, without
}

// lowMean is a mean correlation that matrices have after global signal regression alone: in 1,035 series of ABIDE,
// 99.6% have less after it, and none before (0.07 or more).
const lowMean = 0.03

// A Counted is a name, and how often it is there.
type Counted struct {
	Name string
	N    int
}

// A Reason is why some participants were excluded, and how many: a criterion for inclusion that they do not meet, or
// for which they have no value, or another one.
type Reason struct {
	Why, Criterion string
	NoValue        bool
	N              int
}

// Tally counts names, the most frequent first.
func Tally(names []string) []Counted {
	by := lists.By(names, func(name string) string { return name })
	all := lists.Map(by, func(of lists.Group[string, string]) Counted {
		return Counted{of.Key, len(of.All)}
	})
	slices.SortFunc(all, BySize)
	return all
}

// BySize compares names by how often they are there, the most frequent first.
func BySize(x, y Counted) int { return cmp.Or(y.N-x.N, strings.Compare(x.Name, y.Name)) }

// Empty is the finding about regions without a voxel, of all scans together: empty has their names, all is the
// number of regions.
func Empty(empty []Counted, all int, element string) (found finding.List) {
	n := 0
	for _, r := range empty {
		n += r.N
	}
	if n == 0 {
		return nil
	}
	// More than one in twenty is more than the edge of a field of view.
	found.Study("scans.regions-without-voxels", finding.Limits, values{"N": n, "Of": all, "Regions": empty,
		"Element": element, "Misplaced": 20*n > all})
	return found
}
