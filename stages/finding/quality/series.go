package quality

import (
	"cmp"
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/inference"
)

// strictP is what p of series facts is at most, after Holm: series that were processed in another way are far apart
// (Apart), and others are nearly never. Within the sites of ABIDE the facts reach an AUC of 0.75; with random groups, 9
// and 17 of 2,000 cohorts of a site, and of 20 participants, have a finding.
const strictP = 0.01

// A SeriesFact is what the series of the groups have before denoising (column.SeriesFacts). The AUC is that of the
// group that it separates best from the others; of a number to predict, that of the participants with the higher values
// against those with the lower ones, by the cut that it separates best.
type SeriesFact struct {
	Name    string
	AUC, P  float64
	Groups  []GroupMean
	Treated bool // of the participants with values of a treatment against those without
	Usual   bool // a group difference in connectivity can explain it, too, but not all of the list

	From, Low, High float64 // for a number: the lowest of the higher values, and the means on both sides
}

// A GroupMean is the mean of the participants of a group.
type GroupMean struct {
	Name string
	Mean float64
}

// of is the fact itself.
func (f SeriesFact) of() column.SeriesFact {
	at := slices.IndexFunc(column.SeriesFacts, func(of column.SeriesFact) bool { return of.Name == f.Name })
	return column.SeriesFacts[at]
}

// treated reports whether the mean of a group is that of a treatment.
func (f SeriesFact) treated() bool {
	return slices.ContainsFunc(f.Groups, func(g GroupMean) bool { return f.of().Treated(g.Mean) })
}

// usual reports whether a group difference in connectivity can explain the means as well as another processing.
func (f SeriesFact) usual() bool {
	of := f.of()
	apart := func(is func(mean float64) bool) bool {
		return slices.ContainsFunc(f.Groups, func(g GroupMean) bool { return is(g.Mean) != is(f.Groups[0].Mean) })
	}
	below := func(mean float64) bool { return mean < of.Below }
	return of.Below > 0 && !f.Treated && !apart(of.Treated) && !apart(below)
}

// SeriesDiffer is the finding about the facts that separate the groups, the most separating first, and of those that
// separate them alike the ones with the mean of a treatment. Its name is that of the first that only another processing
// explains, where there is one.
func SeriesDiffer(facts []SeriesFact, draws int) (all finding.List) {
	facts = slices.DeleteFunc(slices.Clone(facts), func(f SeriesFact) bool {
		return f.AUC < finding.Apart && !f.Treated || !(f.P <= strictP)
	})
	if len(facts) == 0 {
		return nil
	}
	slices.SortStableFunc(facts, func(x, y SeriesFact) int {
		if x.AUC == y.AUC && x.treated() != y.treated() {
			return map[bool]int{true: -1, false: 1}[x.treated()]
		}
		return cmp.Compare(y.AUC, x.AUC)
	})
	facts = once(facts, func(f SeriesFact) string { return f.Name })
	first, weight := facts[0], finding.Limits
	if at := slices.IndexFunc(facts, func(f SeriesFact) bool { return !f.usual() }); at >= 0 {
		first, weight = facts[at], finding.Overturns
		for i := range facts {
			facts[i].Usual = facts[i].usual()
		}
	}
	all.Study(finding.SeriesDiffer, weight, values{"Name": first.Name, "Usual": weight == finding.Limits,
		"AUC": first.AUC, "P": first.P, "Facts": facts, "Draws": draws, "Motion": false, "Length": false, // Linked
		"Number": ""}) // SeriesFollow
	return all
}

// SeriesFollow is the finding about the facts that go with a number to predict.
func SeriesFollow(number string, facts []SeriesFact, draws int) finding.List {
	all := SeriesDiffer(facts, draws)
	for i := range all {
		all[i].Code, all[i].Numbers.(values)["Number"] = finding.SeriesFollow, number
	}
	return all
}

// A SeriesTrial is what is known of the series of all participants, and within which strata labels are permuted.
type SeriesTrial struct {
	Facts        []column.CovariateColumn // in the order of column.SeriesFacts
	Strata       []int
	Permutations int
	Stream       func(name ...any) *random.Stream
}

// Groups is the finding about what series have before denoising that separates the groups, corrected by Holm, as where
// one group, or a part of it, was processed in another way: groups of one study differ less (finding.Apart).
func (s SeriesTrial) Groups(of []int, names []string) finding.List {
	return SeriesDiffer(s.tested(func(test []float64, fact *SeriesFact) (tested bool) {
		v := inference.Covariate{Values: test}
		fact.Groups = means(s.fact(fact.Name), of, names)
		if slices.ContainsFunc(fact.Groups, func(g GroupMean) bool { return math.IsNaN(g.Mean) }) &&
			len(column.Known(lists.Map(fact.Groups, func(g GroupMean) float64 { return g.Mean }))) < 2 {
			return false
		}
		fact.AUC = s.best(v, of, len(names))
		if fact.Treated || fact.AUC >= finding.Apart {
			told := inference.Separate(v, of, len(names), s.Strata, s.Permutations,
				s.Stream("series", fact.Name, fact.Treated))
			fact.P = told.P
			return !told.Fixed
		}
		return true
	}), s.Permutations)
}

// Number is that about what separates lower from higher values of a number to predict.
func (s SeriesTrial) Number(number []float64, name string) finding.List {
	return SeriesFollow(name, s.tested(func(test []float64, fact *SeriesFact) (tested bool) {
		cut := inference.CutBest(test, number, s.Strata, 0, nil)
		if math.IsNaN(cut.AUC) {
			return false
		}
		if fact.AUC, fact.From = cut.AUC, cut.From; fact.Treated || fact.AUC >= finding.Apart {
			fact.P = inference.CutBest(test, number, s.Strata, s.Permutations,
				s.Stream("series", fact.Name, fact.Treated)).P
		}
		side := lists.Map(number, func(v float64) int {
			if v >= cut.From {
				return 1
			}
			return 0
		})
		fact.Groups = means(s.fact(fact.Name), side, make([]string, 2))
		fact.Low, fact.High = fact.Groups[0].Mean, fact.Groups[1].Mean
		return true
	}), s.Permutations)
}

// tested are the facts, corrected by Holm, as try tests them: one that is not tested is left out.
func (s SeriesTrial) tested(try func(test []float64, fact *SeriesFact) (tested bool)) (facts []SeriesFact) {
	for k, c := range s.Facts {
		treated := lists.Map(c.Number, func(v float64) float64 {
			switch {
			case math.IsNaN(v):
				return v
			case column.SeriesFacts[k].Treated(v):
				return 1
			}
			return 0
		})
		for i, test := range [][]float64{c.Number, treated} {
			fact := SeriesFact{Name: c.Name, P: 1, Treated: i == 1}
			same := fact.Treated && slices.Equal(treated, c.Number) // the same test
			if differ(test) && !same && try(test, &fact) {
				facts = append(facts, fact)
			}
		}
	}
	p := inference.Holm(lists.Map(facts, func(f SeriesFact) float64 { return f.P }))
	for i := range facts {
		facts[i].P = p[i]
	}
	return facts
}

// fact are the values of a fact.
func (s SeriesTrial) fact(name string) []float64 {
	at := slices.IndexFunc(s.Facts, func(c column.CovariateColumn) bool { return c.Name == name })
	return s.Facts[at].Number
}

// means are those of the groups, NaN for one without values.
func means(v []float64, of []int, names []string) []GroupMean {
	all := lists.Map(names, func(name string) GroupMean { return GroupMean{Name: name, Mean: math.NaN()} })
	for g := range all {
		var own []float64
		for i, x := range v {
			if of[i] == g && !math.IsNaN(x) {
				own = append(own, x)
			}
		}
		if own != nil {
			all[g].Mean, _ = column.MeanSD(own)
		}
	}
	return all
}

// differ reports whether the known ones of some values differ.
func differ(v []float64) bool {
	v = column.Known(v)
	return slices.ContainsFunc(v, func(x float64) bool { return x != v[0] })
}

// best is the AUC, within strata, of the group that a covariate separates best from the others.
func (s SeriesTrial) best(test inference.Covariate, of []int, groups int) (auc float64) {
	for k := range groups {
		is := lists.Map(of, func(i int) int {
			if i == k {
				return 1
			}
			return 0
		})
		alone := inference.Separate(test, is, 2, s.Strata, 0, nil)
		tested, _ := column.TestedWithin(alone.AUC, alone.Within)
		auc = max(auc, tested)
	}
	return auc
}
