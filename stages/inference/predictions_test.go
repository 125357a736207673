package inference

import (
	"math"
	"testing"

	"prgnn/internal/random"
)

// Two folds of four, worked out by hand: accuracies 3/4 and 1, areas 1 and 1. All
// 6·6 groupings within the folds: the accuracies sum to 7/4 or more in three of them.
func TestPredictionsByHand(t *testing.T) {
	folds := []TestedFold{
		{Person: []int{0, 1, 2, 3}, Named: [][]float64{{1, 0}, {1, 0}, {1, 0}, {0, 1}},
			Score: [][]float64{{0.9, 0.1}, {0.8, 0.2}, {0.7, 0.3}, {0.4, 0.6}}},
		{Person: []int{4, 5, 6, 7}, Named: [][]float64{{1, 0}, {0, 1}, {1, 0}, {0, 1}},
			Score: [][]float64{{0.9, 0.1}, {0.2, 0.8}, {0.7, 0.3}, {0.1, 0.9}}},
	}
	group, fold := []int{0, 0, 1, 1, 0, 1, 0, 1}, []int{0, 0, 0, 0, 1, 1, 1, 1}
	r := TestPredictions(folds, group, 2, fold, 4000, random.New(1))
	equal(t, "accuracy, area", []float64{r.Accuracy, r.AUC}, []float64{0.875, 1})
	if want := 3. / 36; math.Abs(r.P-want) > 0.02 {
		t.Errorf("p %v, by counting %v", r.P, want)
	}
	if want := 1. / 36; math.Abs(r.AUCP-want) > 0.012 {
		t.Errorf("p of the area %v, by counting %v", r.AUCP, want)
	}
	// Folds of four and two: five of six are correct.
	short := []TestedFold{folds[0], {Person: folds[1].Person[:2], Named: folds[1].Named[:2], Score: folds[1].Score[:2]}}
	equal(t, "accuracy of uneven folds", []float64{TestPredictions(short, group, 2, fold, 99, random.New(1)).Accuracy}, []float64{5. / 6})
	// Always the same answer tells nothing.
	for f := range folds {
		for i := range folds[f].Named {
			folds[f].Named[i], folds[f].Score[i] = []float64{1, 0}, []float64{0.6, 0.4}
		}
	}
	r = TestPredictions(folds, group, 2, fold, 99, random.New(1))
	equal(t, "of constants", []float64{r.Accuracy, r.AUC, r.P, r.AUCP}, []float64{0.5, 0.5, 1, 1})
}
