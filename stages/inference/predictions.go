package inference

import (
	"math"

	"prgnn/internal/lists"
)

// A TestedFold holds the predictions of one model for its test participants.
type TestedFold struct {
	Label     []int
	Predicted []int
	Score     [][]float64 // participant × group
}

// A FoldTest holds the p of one fold, and the smallest that its permutations can give.
type FoldTest struct{ P, BalancedP, AUCP, Least float64 }

// TestFold compares the predictions of one fold with permuted labels of its test participants: permuted gives those of
// permutation b, from 1. The model stays as it is and has seen no label of these participants, so the test is exact for
// one fold. Folds share their training participants, so that their p depend on each other: MajorityP combines them.
// positive is the group whose AUC is tested, of more than two, or −1.
func TestFold(f TestedFold, groups, positive, permutations int, permuted func(b int) []int) FoldTest {
	areas := make([]area, groups)
	for g := range areas {
		areas[g] = area{levels: levelsOf(lists.Map(f.Score, func(s []float64) float64 { return s[g] }))}
	}
	count, correct := make([]float64, groups), make([]float64, groups)
	measure := func(label []int) [3]float64 {
		clear(count)
		clear(correct)
		right := 0.0
		for i, l := range label {
			if count[l]++; f.Predicted[i] == l {
				correct[l]++
				right++
			}
		}
		balanced, there := 0.0, 0.0
		for g, n := range count {
			if n > 0 {
				balanced, there = balanced+correct[g]/n, there+1
			}
		}
		return [3]float64{right, balanced / there, foldArea(areas, positive, label)}
	}
	seen, as, same := measure(f.Label), [3]int{}, 0
	for b := 1; b <= permutations; b++ {
		label := permuted(b)
		for k, v := range measure(label) {
			if AsLarge(v, seen[k]) {
				as[k]++
			}
		}
		if identical(label, f.Label) {
			same++
		}
	}
	out := FoldTest{PermutationP(as[0], permutations), PermutationP(as[1], permutations),
		PermutationP(as[2], permutations), PermutationP(same, permutations)}
	if math.IsNaN(seen[2]) {
		out.AUCP = math.NaN()
	}
	return out
}

func identical[T comparable](a, b []T) bool {
	for i, v := range a {
		if v != b[i] {
			return false
		}
	}
	return true
}

// MajorityP combines the p of K tests that depend on each other in any way: K/k times the k-th smallest, k being more
// than half of K, is a p of the hypothesis that all null hypotheses hold (Rüger 1978, Metrika 25:171; Meinshausen,
// Meier & Bühlmann 2009, JASA 104:1671, for repeated splits of a sample). One weak fold does not decide, as
// it does in twice the mean (Rüschendorf 1982), which is as valid. NaN are left out; without any p it is NaN.
func MajorityP(p []float64) float64 {
	at := ascending(p)
	if at == nil {
		return math.NaN()
	}
	k := len(at)/2 + 1
	return min(1, p[at[k-1]]*(float64(len(at))/float64(k)))
}

// foldArea is the area under the ROC curve of one fold: of the last of two groups, or of more that of the positive one
// against the rest, or if it is −1 the mean over all. NaN when a group or all others are missing.
func foldArea(areas []area, positive int, label []int) float64 {
	switch {
	case len(areas) == 2:
		return areas[1].above(label, 1)
	case positive >= 0:
		return areas[positive].above(label, positive)
	}
	sum := 0.0
	for g := range areas {
		sum += areas[g].above(label, g)
	}
	return sum / float64(len(areas))
}

// TestNumberFold is TestFold of predicted numbers: p of r, p of the mean absolute error, and the smallest p. A fold
// without r cannot be tested: all are 1.
func TestNumberFold(f NumberFold, permutations int, permuted func(b int) []float64) (r, mae, least float64) {
	if !f.hasR() {
		return 1, 1, 1
	}
	one := func(int) float64 { return 1 }
	seen, rs, maes, same := f.Score(), 0, 0, 0
	for b := 1; b <= permutations; b++ {
		target := permuted(b)
		of := f.score(target, one)
		if AsLarge(of.R, seen.R) {
			rs++
		}
		if AsLarge(-of.MAE, -seen.MAE) {
			maes++
		}
		if identical(target, f.Target) {
			same++
		}
	}
	r, mae, least = PermutationP(rs, permutations), PermutationP(maes, permutations), PermutationP(same, permutations)
	if math.IsNaN(seen.R) {
		r = 1 // constant predictions
	}
	return r, mae, least
}
