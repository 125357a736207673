package finding

import (
	"cmp"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// A Test is a permutation test of one measure of a classifier.
type Test struct {
	Measure   string // accuracy, auc or r
	P         float64
	Least     float64      // the smallest p that it can give
	Draws     int32        // permutations
	Retrained bool         // its models
	Shuffled  bool         // by the kind permutation
	Within    string       // the column within whose values labels were permuted; "" for folds alone
	First     float64      // the measure in the first repeat, which p is of; NaN for all folds
	Other     []Difference // of its training from the evaluated one, which has the same result
}

// Significant reports whether the test shows the measure to be above chance.
func (t Test) Significant() bool { return inference.Significant(t.P) }

// Powerless reports whether no outcome could be significant.
func (t Test) Powerless() bool { return inference.Powerless(t.Least) }

// A State is what is known about a measure and chance.
type State int

const (
	Above            State = iota // significant
	NotAbove                      // by a test that could have been significant
	Undecidable                   // the test cannot be significant
	Dependent                     // significant, and relatives may be in training and test data: the test does not hold
	NotAboveMajority              // significant, and the accuracy is not higher than the majority-class rate
	Untested                      // there is no test
	Unattributed                  // a permutation test may be of the classifier, or of another one
)

// Tests are those of a measure, accuracy, auc or r: evaluate's, then by models that the kind permutation retrained. A
// table whose p has no test is of a version that pooled the folds, which is no valid p.
func (a *Results) Tests(r Row, measure string) (tests []Test) {
	p, first := r.P, r.TestAccuracy
	if measure == "auc" {
		p, first = r.AUCP, r.TestAUC
	}
	if r.TestFolds == 0 {
		first = math.NaN()
	}
	if (r.Test == column.Retrained || r.Test == column.PerFold) && !math.IsNaN(p) {
		tests = append(tests, Test{Measure: measure, P: p, Least: r.Least, Draws: r.Permutations,
			Retrained: r.Test == column.Retrained,
			Within:    r.Within, First: first})
	}
	return append(tests, a.shuffles(r.Coords, r.Title, measure)...)
}

// shuffles are the tests of a measure by the kind permutation. One of a training with another result decides nothing
// about the evaluated model.
func (a *Results) shuffles(setting []dag.Coord, title, measure string) (tests []Test) {
	for _, t := range a.Retrained(setting, title) {
		if m := t.Measured(measure); m != nil && !t.elsewhere() {
			tests = append(tests, Test{Measure: measure, P: m.P, Least: 1 / float64(m.Permutations+1),
				Draws: m.Permutations, Retrained: true, Shuffled: true, First: math.NaN(), Other: t.Other})
		}
	}
	return tests
}

// decisive is the last test that can be significant, or else the first.
func decisive(tests []Test) (t Test, ok bool) {
	for i, t := range slices.Backward(tests) {
		if i == 0 || !t.Powerless() {
			return t, true
		}
	}
	return t, false
}

// Chance answers whether a measure of a classifier is above chance, and by which test. The accuracy of a classifier for
// comparison is above chance only after Holm's correction for all that were tested.
func (a *Results) Chance(r Row, measure string) (State, Test) {
	state, t := a.uncorrected(r, measure)
	if (state == Above || state == NotAboveMajority) && !r.Own && measure == "accuracy" {
		if p, ok := a.Corrected()[column.CoordText(r.Coords)]; ok && !inference.Significant(p.P) {
			return NotAbove, t
		}
	}
	return state, t
}

// uncorrected is Chance before the correction for several classifiers.
func (a *Results) uncorrected(r Row, measure string) (State, Test) {
	if a.unattributed(r.Coords, r.Title) {
		return Unattributed, Test{}
	}
	t, tested := decisive(a.Tests(r, measure))
	state := state(t, tested, a.IsRelated(r))
	if state == Above && measure == "accuracy" && r.Accuracy <= r.Majority {
		state = NotAboveMajority
	}
	return state, t
}

// state is what a test shows; related: see Dependent.
func state(t Test, tested, related bool) State {
	switch {
	case !tested:
		return Untested
	case t.Significant() && related:
		return Dependent
	case t.Significant():
		return Above
	case t.Powerless():
		return Undecidable
	}
	return NotAbove
}

// IsAbove reports whether the accuracy of a classifier is above chance.
func (a *Results) IsAbove(r Row) bool {
	state, _ := a.Chance(r, "accuracy")
	return state == Above
}

// tested are the classifiers that have a test of their accuracy, with it; the majority classifier is none, and one that
// has several settings is one.
func (a *Results) tested() (rows []Row, tests []Test) {
	for _, r := range a.PerParticipant() {
		if state, t := a.uncorrected(r, "accuracy"); state < Untested && !r.IsMajority() && r.SameAs == "" {
			rows, tests = append(rows, r), append(tests, t)
		}
	}
	return rows, tests
}

// A CorrectedP is a p after Holm's correction.
type CorrectedP struct {
	P      float64
	AtMost bool // the p that determines it is the smallest that its permutations can give, of which P is a multiple
}

// Corrected are the p of the tests of accuracy per participant, of each setting (column.CoordText), corrected by Holm
// for all classifiers that were tested.
func (a *Results) Corrected() map[string]CorrectedP {
	rows, tests := a.tested()
	of := map[string]CorrectedP{}
	all := inference.Holm(lists.Map(tests, func(t Test) float64 { return t.P }))
	for i, p := range all {
		by := tests[i] // or a smaller p, whose multiple is larger
		for j, t := range tests {
			if all[j] == p && t.P < by.P {
				by = t
			}
		}
		of[column.CoordText(rows[i].Coords)] = CorrectedP{p, by.P <= max(by.Least, 1/float64(by.Draws+1))*(1+1e-9)}
	}
	for _, r := range a.PerParticipant() {
		if p, ok := of[r.SameAs]; ok {
			of[column.CoordText(r.Coords)] = p
		}
	}
	return of
}

// ChanceAmong is what the test of the accuracy shows among all classifiers that were tested, where none is a headline,
// by their corrected p; lost reports that it is above chance without the correction only.
func (a *Results) ChanceAmong(r Row, corrected map[string]CorrectedP) (state State, lost bool) {
	state, _ = a.Chance(r, "accuracy")
	if lost = state == Above && !inference.Significant(corrected[column.CoordText(r.Coords)].P); lost {
		state = NotAbove
	}
	return state, lost
}

// Tested counts the classifiers that have a test of their accuracy.
func (a *Results) Tested() Counted {
	rows, _ := a.tested()
	return countedOf(rows)
}

// An Uncorrectable is a test with too few permutations for Holm's correction: p would not be below 0.05 if no
// permutation did as well.
type Uncorrectable struct {
	Test
	Row    Row
	Best   float64 // the corrected p at best
	Among  int     // tests
	Needed int     // permutations

	Compared Counted // what was tested; nothing for models of a number
}

// Counted are how many classifiers were compared or tested, and in how many settings together.
type Counted struct{ Classifiers, Settings int }

// comparedOf counts the classifiers of some rows. A program that states no classifier is a further one in each setting.
func countedOf(rows []Row) Counted {
	kinds := map[string]bool{}
	for _, r := range rows {
		kinds[cmp.Or(r.Classifier, column.CoordText(r.Coords))] = true
	}
	return Counted{len(kinds), len(rows)}
}

// Uncorrectables are the tests with too few permutations for the number of classifiers.
func (a *Results) Uncorrectables() (all []Uncorrectable) {
	rows, tests := a.tested()
	for i, t := range tests {
		if best := bestOf(tests, i); !t.Powerless() && !inference.Significant(best) {
			all = append(all, Uncorrectable{t, rows[i], best, len(tests), 20 * len(tests), countedOf(rows)})
		}
	}
	return all
}

// bestOf is the least p that a test can give after Holm's correction for all.
func bestOf(tests []Test, i int) float64 {
	return inference.HolmAtBest(lists.Map(tests, func(t Test) float64 { return t.P }), i, tests[i].Least)
}

// OthersAbove are the classifiers beside the headline that are above chance after Holm's correction for all that were
// tested; before reports whether any is so without it. Other settings of the headline's model are none, nor are those
// that a choice inside each fold chose from.
func (a *Results) OthersAbove() (above []Row, before bool, tested Counted) {
	corrected := a.Corrected()
	for _, r := range a.PerParticipant() {
		same := a.First == nil || modelOf(r) == modelOf(*a.First) && StageOf(r.Coords) == StageOf(a.First.Coords)
		if r.Own && same || r.IsMajority() || r.SameAs != "" || a.IsCandidate(r) {
			continue
		}
		state, _ := a.uncorrected(r, "accuracy")
		before = before || state == Above
		if p, ok := corrected[column.CoordText(r.Coords)]; state == Above && (!ok || inference.Significant(p.P)) {
			above = append(above, r)
		}
	}
	rows, _ := a.tested()
	return above, before, countedOf(rows)
}

// Distinguish are the names of the settings and classifiers whose accuracy is above chance after Holm's correction, and
// of those whose test could show it and does not. few is there if no test can show it after the
// correction: too few permutations.
func (a *Results) Distinguish() (above, not []string, few *Uncorrectable) {
	corrected, cannot, decided := a.Corrected(), a.Uncorrectables(), false
	for _, r := range a.PerParticipant() {
		switch state, _ := a.ChanceAmong(r, corrected); {
		case r.IsMajority():
		case state == Above:
			above = append(above, r.Called())
		case state == NotAbove || state == NotAboveMajority:
			not = append(not, r.Called())
			at := slices.IndexFunc(cannot, func(u Uncorrectable) bool {
				return column.CoordText(u.Row.Coords) == cmp.Or(r.SameAs, column.CoordText(r.Coords))
			})
			if decided = decided || at < 0; at >= 0 {
				few = &cannot[at]
			}
		}
	}
	if decided || above != nil {
		few = nil
	}
	return above, not, few
}

// PredictNumber are the same of the models of a number beside the headline, by r.
func (a *Results) PredictNumber() (above, not []string, few *Uncorrectable) {
	corrected, _ := a.CorrectedR()
	for _, r := range a.Regression {
		switch state, _ := a.ChanceOfR(r); {
		case IsMean(r) || a.IsFirstNumber(r):
		case state == Above && inference.Significant(corrected[RKey(r)]):
			above = append(above, r.Name)
		case state == Above || state == NotAbove:
			not = append(not, r.Name)
		}
	}
	_, tests := a.testedR()
	for i, t := range tests {
		best := bestOf(tests, i)
		if inference.Significant(best) || above != nil {
			return above, not, nil
		}
		if !t.Powerless() {
			few = &Uncorrectable{Test: t, Best: best, Among: len(tests), Needed: 20 * len(tests)}
		}
	}
	return above, not, few
}

// Unproven are the names of the models behind a ranking whose accuracy is not above chance. stages are those that the
// setting may be of, where they are known and the setting has none.
func (a *Results) Unproven(setting []dag.Coord, stages []string) (names []string) {
	if stage := StageOf(setting); stage != "" {
		stages = []string{stage}
	}
	is := func(own []dag.Coord) bool {
		stage := StageOf(own)
		return sameSetting(own, setting) && (stages == nil || stage == "" || slices.Contains(stages, stage))
	}
	shown := slices.Concat(a.StagesBehind("ranking", "scores"), a.StagesBehind("fidelity", "model"))
	for _, r := range a.PerParticipant() {
		if (r.Own || slices.Contains(shown, StageOf(r.Coords))) && is(r.Coords) && !a.IsAbove(r) {
			names = append(names, r.Called())
		}
	}
	if a.Nested != nil && is(column.Without(a.Nested.Coords, "stage")) && !a.IsAbove(*a.Nested) {
		names = append(names, a.Nested.Called())
	}
	return names
}

// testedR are the models of a number that have a test of r, by RKey, with it.
func (a *Results) testedR() (keys []string, tests []Test) {
	for _, r := range a.Regression {
		if state, t := a.TestOfR(r); state < Untested && !IsMean(r) && a.SameNumbers(r) == nil {
			keys, tests = append(keys, RKey(r)), append(tests, t)
		}
	}
	return keys, tests
}

// CorrectedR are the p of r of each model of a number, by its name and coordinates (RKey), corrected by Holm for all
// that were tested, among models; the mean is none, and one that has several settings is one.
func (a *Results) CorrectedR() (of map[string]float64, among int) {
	keys, tests := a.testedR()
	of = map[string]float64{}
	for i, p := range inference.Holm(lists.Map(tests, func(t Test) float64 { return t.P })) {
		of[keys[i]] = p
	}
	for _, r := range a.Regression {
		if same := a.SameNumbers(r); same != nil {
			if p, ok := of[RKey(*same)]; ok {
				of[RKey(r)] = p
			}
		}
	}
	return of, len(keys)
}

// RKey is the key of a model of a number in CorrectedR.
func RKey(r column.RegressionRow) string { return r.Name + " " + column.CoordText(r.Coords) }

// ChanceOfR answers whether r of a model of a number is above chance, which r of 0 or less is not, even where permuted
// numbers give less.
func (a *Results) ChanceOfR(r column.RegressionRow) (State, Test) {
	state, t := a.TestOfR(r)
	if state == Above && r.R <= 0 {
		state = NotAbove
	}
	return state, t
}

// TestOfR is the decisive test of r of a model of a number.
func (a *Results) TestOfR(r column.RegressionRow) (State, Test) {
	if a.unattributed(r.Coords, r.Name) {
		return Unattributed, Test{}
	}
	if shuffles := a.shuffles(r.Coords, r.Name, "r"); len(shuffles) > 0 {
		return state(shuffles[0], true, a.IsRelatedR(r)), shuffles[0]
	}
	first := math.NaN()
	if r.TestFolds > 0 {
		first = r.TestR
	}
	t := Test{Measure: "r", P: r.P, Least: r.Least, Draws: r.Permutations, Retrained: r.Test == column.Retrained,
		Within: a.Within, First: first}
	return state(t, r.Test == column.Retrained || r.Test == column.PerFold, a.IsRelatedR(r)), t
}
