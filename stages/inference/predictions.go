package inference

import (
	"math"

	"prgnn/internal/lists"
	"prgnn/internal/random"
)

// A TestedFold holds the predictions of one model for its test participants.
type TestedFold struct {
	Person []int       // numbers of the participants
	Named  [][]float64 // participant × group: how many graphs, or whether the participant, were taken for the group
	Score  [][]float64 // participant × group: mean probability
}

// A PredictionTest says whether predictions have to do with the groups at all.
type PredictionTest struct {
	Accuracy float64 // pooled over the folds
	AUC      float64 // mean over the folds
	P, AUCP  float64
}

// TestPredictions compares the accuracy of predictions, pooled over the folds, and their AUC,
// mean over the folds, with those of the same predictions and permuted groups, within each stratum. The models
// stay as they are: that a participant was not seen by the model that tests it makes any other
// grouping of the tested as good, if there is nothing to learn. It takes the folds for independent.
// The strata should hold the folds. positive is the group whose AUC is asked for, of more than two, or −1.
func TestPredictions(folds []TestedFold, group []int, groups, positive int, stratum []int, permutations int,
	s *random.Stream) PredictionTest {
	areas := make([][]area, len(folds)) // fold, group
	for f, fold := range folds {
		for g := range groups {
			v := make([]float64, len(fold.Person))
			for i := range v {
				v[i] = fold.Score[i][g]
			}
			areas[f] = append(areas[f], area{levels: levelsOf(v)})
		}
	}
	measure := func(label []int) (accuracy, auc float64) {
		told := 0
		right, all := 0.0, 0.0
		for f, fold := range folds {
			for i, p := range fold.Person {
				right += fold.Named[i][label[p]]
				for _, n := range fold.Named[i] {
					all += n
				}
			}
			if a := foldArea(fold.Person, areas[f], positive, label); !math.IsNaN(a) {
				auc += a
				told++
			}
		}
		return right / all, auc / float64(told)
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

// foldArea is the area under the ROC curve of one fold: of the last of two groups, or of more that of the positive one
// against the rest, or if it is −1 the mean over all. NaN when a group or all others are missing.
func foldArea(person []int, areas []area, positive int, label []int) float64 {
	own := lists.Map(person, func(p int) int { return label[p] })
	switch {
	case len(areas) == 2:
		return areas[1].above(own, 1)
	case positive >= 0:
		return areas[positive].above(own, positive)
	}
	sum := 0.0
	for g := range areas {
		sum += areas[g].above(own, g)
	}
	return sum / float64(len(areas))
}
