package quality

import (
	"maps"
	"math"
	"slices"

	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/inference"
)

// fewInGroup is how many participants a group needs for a page without a caution.
const fewInGroup = 20

// Groups are the findings about the sizes of the groups that models predict. of is the column of the participants that
// has them, "" where no column does; the one group of participants of whom a number is predicted has no name. all is
// the number of participants.
func Groups(groups []Counted, of string, all int) (found finding.List) {
	if of == "" {
		return nil
	}
	for _, g := range groups {
		if g.N < fewInGroup {
			found.Study("groups.few", finding.Limits, values{"Column": of, "Group": g.Name, "N": g.N})
		}
	}
	if ways := arrangements(groups); inference.Powerless(1/ways) && len(groups) > 1 {
		found.Study("groups.few-arrangements", finding.Limits, values{"N": all, "Ways": int(ways)})
	}
	return found
}

// arrangements is in how many ways participants can be divided into groups of these sizes, n!/∏nᵢ!: of so many
// permutations of the groups one is what was observed.
func arrangements(groups []Counted) float64 {
	ways, n := 1.0, 0.0
	for _, g := range groups {
		for i := range g.N {
			n++
			ways *= n / float64(i+1)
		}
	}
	return math.Round(ways)
}

// Noted are the findings of the notes of the loader that may spoil the result. tested are the properties of scans that
// alone distinguish the groups, which have a finding of their own; of cleaned scans the page has what the tasks read.
// answers reports whether a note concerns the answer of the page, and bySession whether the page has a change of edges
// between sessions.
func Noted(notes []column.Note, tested []string, cleaned, bySession bool, answers func(column.Note) bool) (
	found finding.List) {
	for _, n := range notes {
		f := finding.Finding{Code: n.Code, Weight: finding.Limits}
		switch n.Doubt {
		case "":
			continue
		case column.DoubtVolumes, column.DoubtCodes:
			if cleaned {
				continue
			}
		case column.DoubtRelated, column.DoubtMatched:
			if f.Weight = finding.Overturns; !answers(n) {
				f.Subject.Results = finding.OtherResults
			}
		case column.DoubtPermuted:
			f.Weight, f.Subject.Results = finding.Overturns, finding.OtherResults
		case column.DoubtEntity:
			f.Weight = finding.Overturns
		case column.DoubtBySession:
			if bySession {
				f.Weight, f.Subject.Results = finding.Overturns, finding.EdgeChanges
			}
		case column.DoubtNames:
			f.Weight = finding.Notes
		case column.DoubtLength, column.DoubtTR:
			if slices.Contains(tested, n.Doubt) {
				continue
			}
			f.Weight = finding.Overturns
		}
		of := n.Values()
		if of["Doubt"] = n.Doubt; f.Code == "" { // of a cohort with notes in its own words
			f.Code, of["Note"] = "noted.text", n.Text
		}
		f.Numbers = of
		found.Add(f)
	}
	return found
}

// Skipped adds to the findings about participants whom a test leaves out, as without a covariate, their share in each
// group where it differs. A test of edges is then of another sample than the study's.
func Skipped(all finding.List, group map[string]string) finding.List {
	var sorted finding.List
	for _, f := range all {
		of := finding.Values(f.Numbers)
		left, _ := of["Participants"].([]string)
		if f.Code == "edges.skipped" || f.Code == "confounds.skipped" {
			if shares := SharesOf(group, slices.Sorted(maps.Keys(group)), left); shares != nil {
				of["Groups"], f.Numbers = shares, of
				if f.Code == "edges.skipped" {
					f.Weight = finding.Overturns
				}
			}
		}
		sorted.Add(f)
	}
	return sorted
}

// ProtocolsTested are the doubts about properties of scans that covariates found to distinguish the groups.
func ProtocolsTested(rows []column.CovariateRow) (tested []string) {
	for _, r := range rows {
		if doubt := column.ProtocolDoubts[r.Name]; doubt != "" && (inference.Significant(r.P) || math.IsNaN(r.P)) {
			tested = append(tested, doubt)
		}
	}
	return tested
}

// What a table of the groups does with a column of numbers.
const (
	Identifier = "identifier" // left out
	Constant   = "constant"   // the same in all participants, and no column
	PerGroup   = "per group"  // one number for each group, and left out
	Codes      = "codes"      // such as sex as 1 and 2: counted, since a mean has no meaning
	Measured   = "measured"   // mean, SD and range
)

// DescribedAs is what a table of the groups does with a column, the values of each group, and the two codes of Codes.
// rows are the places of the participants of each group.
func DescribedAs(name string, v []float64, rows [][]int) (as string, groups [][]float64, codes []float64) {
	groups = make([][]float64, len(rows))
	distinct, each := map[float64]bool{}, 0 // values over all participants; those of each group, added up
	for g := range rows {
		own := map[float64]bool{}
		for _, at := range rows[g] {
			groups[g] = append(groups[g], v[at])
			distinct[v[at]], own[v[at]] = true, true
		}
		each += len(own)
	}
	codes = twoCodes(distinct)
	switch {
	case (column.CovariateColumn{Name: name, Number: v}).Identifies():
		return Identifier, groups, nil
	case len(distinct) == 1:
		return Constant, groups, nil
	case len(distinct) == len(rows) && each == len(rows) && len(v) > len(rows):
		return PerGroup, groups, nil
	case codes != nil:
		return Codes, groups, codes
	}
	return Measured, groups, nil
}

// twoCodes are the values of a column that has two whole numbers and no others; else nil.
func twoCodes(distinct map[float64]bool) (codes []float64) {
	for x := range distinct {
		switch {
		case math.IsNaN(x):
		case x != math.Trunc(x):
			return nil
		default:
			codes = append(codes, x)
		}
	}
	if len(codes) != 2 {
		return nil
	}
	slices.Sort(codes)
	return codes
}
