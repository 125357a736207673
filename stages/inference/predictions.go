package inference

import (
	"encoding/binary"
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
	areas := make([]*area, groups)
	for g := range areas {
		score := lists.Map(f.Score, func(s []float64) float64 { return s[g] })
		areas[g] = areaOf(score, make([]int, len(score)), false)
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
	seen, as, of := measure(f.Label), [3]int{}, labelings{}
	of.add(len(f.Label), func(i int) uint64 { return uint64(f.Label[i]) })
	for b := 1; b <= permutations; b++ {
		label := permuted(b)
		for k, v := range measure(label) {
			if AsLarge(v, seen[k]) {
				as[k]++
			}
		}
		of.add(len(label), func(i int) uint64 { return uint64(label[i]) })
	}
	out := FoldTest{PermutationP(as[0], permutations), PermutationP(as[1], permutations),
		PermutationP(as[2], permutations), of.least(permutations)}
	if math.IsNaN(seen[2]) {
		out.AUCP = math.NaN()
	}
	return out
}

// labelings are how often permutations made each labeling of some test participants, the true one first.
type labelings struct {
	made map[string]int
	own  string
}

// add adds a labeling of n participants; the first is the true one.
func (all *labelings) add(n int, label func(i int) uint64) {
	b := make([]byte, 0, 2*n)
	for i := range n {
		b = binary.AppendUvarint(b, label(i))
	}
	if all.made == nil {
		all.made, all.own = map[string]int{}, string(b)
	}
	all.made[string(b)]++
}

// least is the smallest p that so many permutations can give: one over the number of labelings, where these are so few
// that each was made; otherwise a permutation with the true labels counts as one that is as good.
func (all *labelings) least(permutations int) float64 {
	if 8*len(all.made) <= permutations {
		return 1 / float64(len(all.made))
	}
	return PermutationP(all.made[all.own]-1, permutations)
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
func foldArea(areas []*area, positive int, label []int) float64 {
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
	seen, rs, maes, all := f.Score(), 0, 0, labelings{}
	all.add(len(f.Target), func(i int) uint64 { return math.Float64bits(f.Target[i]) })
	for b := 1; b <= permutations; b++ {
		target := permuted(b)
		of := f.score(target, one)
		if AsLarge(of.R, seen.R) {
			rs++
		}
		if AsLarge(-of.MAE, -seen.MAE) {
			maes++
		}
		all.add(len(target), func(i int) uint64 { return math.Float64bits(target[i]) })
	}
	r, mae, least = PermutationP(rs, permutations), PermutationP(maes, permutations), all.least(permutations)
	if math.IsNaN(seen.R) {
		r = 1 // constant predictions
	}
	return r, mae, least
}
