package inference

import (
	"math"
	"slices"
	"testing"

	"prgnn/numeric/random"
)

// permuteAll gives random permutations of labels.
func permuteAll[T any](label []T) func(int) []T {
	s, now := random.New(1), slices.Clone(label)
	return func(int) []T {
		s.Shuffle(len(now), func(i, j int) { now[i], now[j] = now[j], now[i] })
		return now
	}
}

// A fold of four, by hand: of the six labelings one has both labels right, and those with three of four right, three of
// four labels cannot be had.
func TestFoldByHand(t *testing.T) {
	f := TestedFold{Label: []int{0, 0, 1, 1}, Predicted: []int{0, 0, 1, 1},
		Score: [][]float64{{0.9, 0.1}, {0.8, 0.2}, {0.4, 0.6}, {0.3, 0.7}}}
	of := TestFold(f, 2, 0, 24000, permuteAll(f.Label))
	for what, p := range map[string]float64{"accuracy": of.P, "balanced": of.BalancedP, "AUC": of.AUCP,
		"least": of.Least} {
		if math.Abs(p-1./6) > 0.01 {
			t.Errorf("%s: p %v, by counting 1/6", what, p)
		}
	}
	equal(t, "least", []float64{TestFold(f, 2, 0, 199, permuteAll(f.Label)).Least}, []float64{1. / 6})
	held := []HeldOut{{Person: []int{0, 1, 2, 3}, Scores: [][]float64{{1}, {2}, {5}, {7}}}}
	equal(t, "least of contrasts, under any names of the groups",
		[]float64{TestContrasts(held, f.Label, 2, []int{0, 0, 0, 0}, 199, random.New(2))[0].Least}, []float64{1. / 3})
	// One prediction of the second group: with a third label right, 3 of 6 labelings do as well.
	f.Predicted = []int{0, 0, 0, 1}
	of = TestFold(f, 2, 0, 24000, permuteAll(f.Label))
	if math.Abs(of.P-0.5) > 0.014 || math.Abs(of.AUCP-1./6) > 0.01 {
		t.Errorf("p %v and %v of the AUC, by counting 1/2 and 1/6", of.P, of.AUCP)
	}
	// A constant prediction has p 1 by ties.
	f.Predicted, f.Score = []int{0, 0, 0, 0}, [][]float64{{0.6, 0.4}, {0.6, 0.4}, {0.6, 0.4}, {0.6, 0.4}}
	of = TestFold(f, 2, 0, 99, permuteAll(f.Label))
	equal(t, "p of constants", []float64{of.P, of.BalancedP, of.AUCP}, []float64{1, 1, 1})
	// One group has no AUC, and no other labeling.
	f.Label = []int{1, 1, 1, 1}
	of = TestFold(f, 2, 0, 99, permuteAll(f.Label))
	equal(t, "p of one group", []float64{of.P, of.AUCP, of.Least}, []float64{1, math.NaN(), 1})
}

// Two of each of three groups, by hand: the scores of the first group are its two largest in 6 of 6!/(2!)³ = 90
// labelings.
func TestFoldOfThreeGroups(t *testing.T) {
	f := TestedFold{Label: []int{0, 0, 1, 1, 2, 2}, Predicted: make([]int, 6), Score: [][]float64{
		{0.9, 0.05, 0.05}, {0.8, 0.1, 0.1}, {0.1, 0.2, 0.7}, {0.15, 0.6, 0.25}, {0.2, 0.5, 0.3}, {0.25, 0.15, 0.6}}}
	if of := TestFold(f, 3, 0, 24000, permuteAll(f.Label)); math.Abs(of.AUCP-6./90) > 0.007 || of.P != 1 {
		t.Errorf("p of the area %v, by counting %v; of constant predictions %v", of.AUCP, 6./90, of.P)
	}
}

// The combined p stays at its level however the p depend on each other: in the worst case of five, one of ten sets of
// three of them is small together.
func TestMajorityP(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		p    []float64
		want float64
	}{{[]float64{0.2}, 0.2}, {[]float64{0.01, 0.03, none}, 0.03}, {[]float64{0.5, 0.01, 0.02}, 0.03}, {nil, none},
		{[]float64{0.04, 0.01, 0.9, 0.03, 1}, 0.04 * 5 / 3}, {[]float64{0.9, 0.8, 0.7}, 1}} {
		equal(t, "combined", []float64{MajorityP(c.p)}, []float64{c.want})
	}
	// Each p is uniform; with probability α three are at most 3α/5, chosen in turn so that each is in 3 of 5.
	const n, alpha = 100000, 0.05
	small := 0
	for i := range n {
		u := (float64(i) + 0.5) / n
		p := []float64{u, u, u, u, u}
		if u <= alpha {
			for k := range p {
				p[k] = alpha*3/5 + u // beyond what counts
			}
			for k := range 3 {
				p[(i+k)%5] = u * 3 / 5
			}
		}
		if MajorityP(p) <= alpha+1e-12 {
			small++
		}
	}
	if got := float64(small) / n; math.Abs(got-alpha) > 1e-3 {
		t.Errorf("p ≤ %v in %v, want exactly that share", alpha, got)
	}
}

// Of 4! = 24 orders of four targets only one correlates as much as perfect predictions, and errs as little.
func TestNumberFoldByHand(t *testing.T) {
	f := NumberFold{Person: []int{0, 1, 2, 3}, Target: []float64{1, 2, 4, 8}, Predicted: []float64{1, 2, 4, 8}}
	r, mae, least := TestNumberFold(f, 24000, permuteAll(f.Target))
	for _, p := range []float64{r, mae, least} {
		if math.Abs(p-1./24) > 0.0052 { // 4 √(p(1 − p)/24000)
			t.Errorf("p is %v, want about %v", p, 1./24)
		}
	}
	f.Predicted = []float64{3, 3, 3, 3}
	r, mae, _ = TestNumberFold(f, 99, permuteAll(f.Target))
	equal(t, "one prediction for everybody", []float64{r, mae}, []float64{1, 1})
}
