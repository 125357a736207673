package fold

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/inference"
)

// Sites are the places within which labels of the tested are permuted: participants of different sites are not
// exchangeable. The zero value has none.
type Sites struct {
	By    string         // the column that names them; "" where all participants have one, or none is known
	of    map[string]int // number of each participant's site, from 0
	most  int            // the largest number
	names []string       // of the sites, by their numbers
}

// ReadSites reads the column by of the participants, if they have it.
func ReadSites(in dag.Input, by string) (Sites, error) {
	table, err := in.Table()
	if err != nil {
		return Sites{}, err
	}
	site, err := column.PermutedWithin(table, by)
	if err != nil {
		return Sites{}, fmt.Errorf("%s: %w", in.Name, err)
	}
	if site == nil {
		return Sites{}, nil
	}
	ids := slices.Sorted(maps.Keys(site))
	number, names := column.Numbered(lists.Map(ids, func(id string) string { return site[id] }))
	if len(names) < 2 {
		return Sites{}, nil
	}
	s := Sites{By: by, of: make(map[string]int, len(ids)), most: len(names) - 1, names: names}
	for i, id := range ids {
		s.of[id] = number[i]
	}
	return s, nil
}

// AreLabels reports whether the sites are what the models predict: a label is permuted within no values of itself.
func (s Sites) AreLabels(all *Settings) bool {
	for _, folds := range all.Settings {
		for _, f := range folds {
			for _, c := range f.Participants {
				if n, ok := s.of[c.Id]; !ok || c.Label >= len(all.Groups) || s.names[n] != all.Groups[c.Label] {
					return false
				}
			}
		}
	}
	return s.By != "" && len(all.Groups) > 0
}

// OneGroupEach reports whether all participants of each site are of one group: no permutation within sites changes one.
func OneGroupEach(group, site []int) bool {
	of := map[int]int{}
	for i, s := range site {
		if g, ok := of[s]; ok && g != group[i] {
			return false
		}
		of[s] = group[i]
	}
	return true
}

// Stratum is that within which a participant's label is permuted: the number of the fold of the first test, and the
// site.
func (s Sites) Stratum(fold int, id string) (int, error) {
	n, ok := s.of[id]
	if s.By != "" && !ok {
		return 0, fmt.Errorf("predictions: %q is not among the participants, and its %s is not known: connect the participants of the training", id, s.By)
	}
	return fold*(s.most+1) + n, nil
}

// persons numbers the participants of a setting in the order in which each is first tested: their first cases, and the
// strata within which labels are permuted.
func (s Sites) persons(folds []Tested) (number map[string]int, first []Case, stratum []int, err error) {
	number = map[string]int{}
	for at, f := range folds {
		for _, c := range f.Participants {
			if _, ok := number[c.Id]; ok {
				continue
			}
			n, err := s.Stratum(at, c.Id)
			if err != nil {
				return nil, nil, nil, err
			}
			number[c.Id] = len(first)
			first, stratum = append(first, c), append(stratum, n)
		}
	}
	return number, first, stratum, nil
}

// R is the mean over the folds of r within sites, from which differences between these are removed; NaN where no fold
// tests participants of several sites.
func (s Sites) R(tested []Tested, folds []inference.NumberFold) (float64, error) {
	several := false
	within := make([]inference.NumberFold, len(folds))
	for k, f := range tested {
		stratum := make([]int, len(f.Participants))
		for i, c := range f.Participants {
			var err error
			if stratum[i], err = s.Stratum(0, c.Id); err != nil {
				return 0, err
			}
			several = several || stratum[i] != stratum[0]
		}
		within[k] = folds[k].Within(stratum)
	}
	if !several {
		return math.NaN(), nil
	}
	return inference.MeanScore(within).R, nil
}

// Least is the smallest p that so many permutations within folds and sites can give: not all of them may differ.
func (s Sites) Least(folds []Tested, permutations int) (float64, error) {
	_, first, stratum, err := s.persons(folds)
	if err != nil {
		return 0, err
	}
	level, _ := column.Numbered(lists.Map(first, func(c Case) string { return fmt.Sprint(c.Label, c.Target) }))
	all := float64(permutations + 1)
	return 1 / min(all, inference.Arrangements(level, stratum, all)), nil
}

// Bounds raises the smallest p of a test of retrained models to that of its different permutations. How often few
// permutations draw the true labels is chance.
func (s Sites) Bounds(test *Chance, folds []Tested) error {
	if test.Test != column.Retrained {
		return nil
	}
	least, err := s.Least(folds, test.Permutations)
	test.Least = max(test.Least, least)
	return err
}

// Test is the test of a setting, with the smallest p of its different permutations.
func (s Sites) Test(tests *Tests, setting int, folds []Tested, groups []string, positive int) (Chance, error) {
	c, err := tests.Test(setting, folds, groups, positive)
	return c, cmp.Or(err, s.Bounds(&c, folds))
}

// TestNumbers is the same of a number.
func (s Sites) TestNumbers(tests *Tests, setting int, folds []Tested) (Chance, error) {
	c, err := tests.TestNumbers(setting, folds)
	return c, cmp.Or(err, s.Bounds(&c, folds))
}

// Few is a finding where no permutation within folds and sites can give a p below 0.05. Its Within is "" where no
// permutation within the folds alone changes a label either: the sites are not the cause.
func (s Sites) Few(settings [][]Tested, permutations int) (all finding.List, err error) {
	most, worst, fewest := 0.0, []Tested(nil), 1.0
	for _, folds := range settings {
		least, err := s.Least(folds, permutations)
		if err != nil {
			return nil, err
		}
		if least > most {
			most, worst = least, folds
		}
		fewest = min(fewest, least)
	}
	if inference.Significant(most) || permutations == 0 {
		return nil, nil
	}
	code, numbers := "test.few-permutations", map[string]any{"Least": most, "Lowest": fewest, "Within": s.By}
	if most == 1 {
		within, err := Sites{}.Least(worst, permutations)
		if err != nil {
			return nil, err
		}
		code, numbers = "test.no-permutation", map[string]any{"Within": s.By, "Single": testsOne(worst)}
		if within == 1 {
			numbers["Within"] = ""
		}
	}
	all.Add(finding.Finding{Code: code, Weight: finding.Limits, Numbers: numbers})
	return all, nil
}

// Kept are findings about settings that predict the group from labels that are permuted within the sites, too.
func (s Sites) Kept(tests *Tests, settings [][]Tested, positive int) (all finding.List, err error) {
	for i, folds := range settings {
		curve, err := tests.Curve(i, folds, positive)
		if err != nil {
			return nil, err
		}
		if len(curve.Measures) < inference.LeastPermutations {
			continue
		}
		aucs := lists.Map(curve.Measures[1:], func(of [3]float64) float64 { return of[2] })
		_, people, stratum, err := s.persons(folds)
		if err != nil {
			return nil, err
		}
		same, differ := s.same(people, stratum)
		first := folds[0]
		name := cmp.Or(first.Name, column.ShownSetting(first.Coords), "the model")
		all.Add(finding.NullAboveChance(finding.Subject{Classifier: name, Setting: first.Coords},
			inference.Median(aucs), s.By, same, differ)...)
	}
	return all, nil
}

// same is the share of labels that permutations within strata of folds and sites keep on average, and whether at least
// half of what exceeds chance is due to groups that differ between the sites, and not to strata of few participants.
func (s Sites) same(people []Case, stratum []int) (share float64, differ bool) {
	// agreement is the probability of equal labels of two participants of a place; of participants with themselves
	// too, unless others.
	agreement := func(place func(i int) int, others float64) float64 {
		count, of := map[[2]int]float64{}, map[int]float64{}
		for i, c := range people {
			count[[2]int{place(i), c.Label}]++
			of[place(i)]++
		}
		pairs := map[int]float64{} // whole numbers: their sum has no order
		for at, n := range count {
			pairs[at[0]] += float64(n * (n - others))
		}
		sum := 0.0
		for _, place := range slices.Sorted(maps.Keys(pairs)) {
			sum += pairs[place] / max(of[place]-others, 1)
		}
		return sum / float64(len(people))
	}
	site := func(i int) int { return stratum[i] % (s.most + 1) }
	everywhere := func(int) int { return 0 }
	share = agreement(func(i int) int { return stratum[i] }, 0)
	between := agreement(site, 1) - agreement(everywhere, 1)
	return share, between >= (share-agreement(everywhere, 0))/2
}

// testsOne reports whether each fold tests one participant.
func testsOne(folds []Tested) bool {
	return !slices.ContainsFunc(folds, func(f Tested) bool { return len(f.Participants) != 1 })
}
