package inference

import (
	"math"

	"prgnn/internal/random"
)

// A TestedFold is what one model said of the participants whom it was tested on.
type TestedFold struct {
	Person []int       // numbers of the participants
	Named  [][]float64 // participant × group: how many graphs, or whether the participant, were taken for the group
	Score  [][]float64 // participant × group: mean probability
}

// A PredictionTest says whether predictions have to do with the groups at all.
type PredictionTest struct {
	Accuracy, AUC float64 // mean over the folds
	P, AUCP       float64
}

// TestPredictions compares the accuracy and the AUC of predictions, means over the folds,
// with those of the same predictions and permuted groups, within each stratum. The models
// stay as they are: that a participant was not seen by the model that tests it makes any other
// grouping of the tested as good, if there is nothing to learn. It takes the folds for independent.
// The strata should hold the folds.
func TestPredictions(folds []TestedFold, group []int, groups int, stratum []int, permutations int, s *random.Stream) PredictionTest {
	ranks := make([][][]float64, len(folds)) // fold, group, participant
	for f, fold := range folds {
		for g := range groups {
			v := make([]float64, len(fold.Person))
			for i := range v {
				v[i] = -fold.Score[i][g] // Ranks puts the largest first
			}
			ranks[f] = append(ranks[f], Ranks(v))
		}
	}
	measure := func(label []int) (accuracy, auc float64) {
		told := 0
		for f, fold := range folds {
			right, all := 0.0, 0.0
			for i, p := range fold.Person {
				right += fold.Named[i][label[p]]
				for _, n := range fold.Named[i] {
					all += n
				}
			}
			accuracy += right / all
			if a := foldArea(fold.Person, ranks[f], label, groups); !math.IsNaN(a) {
				auc += a
				told++
			}
		}
		return accuracy / float64(len(folds)), auc / float64(told)
	}
	out := PredictionTest{}
	out.Accuracy, out.AUC = measure(group)
	label := append([]int(nil), group...)
	strata := byStratum(stratum)
	as, aucAs := 0, 0
	for range permutations {
		Permute(label, strata, s)
		a, b := measure(label)
		if AsLarge(a, out.Accuracy) {
			as++
		}
		if AsLarge(b, out.AUC) {
			aucAs++
		}
	}
	out.P, out.AUCP = PermutationP(as, permutations), PermutationP(aucAs, permutations)
	if math.IsNaN(out.AUC) {
		out.AUCP = math.NaN()
	}
	return out
}

// foldArea is the area under the ROC curve of one fold from the ranks of the scores for
// each group (Mann and Whitney 1947): of the last of two groups, or the mean over more of each
// against the rest. NaN when a group or all others are missing.
func foldArea(person []int, ranks [][]float64, label []int, groups int) float64 {
	first := 0
	if groups == 2 {
		first = 1
	}
	sum := 0.0
	for g := first; g < groups; g++ {
		n, total := 0.0, 0.0
		for i, p := range person {
			if label[p] == g {
				n++
				total += ranks[g][i]
			}
		}
		rest := float64(len(person)) - n
		if n == 0 || rest == 0 {
			return math.NaN()
		}
		sum += (total - float64(n*(n+1))/2) / float64(n*rest)
	}
	return sum / float64(groups-first)
}
