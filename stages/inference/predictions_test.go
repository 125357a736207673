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
	r := TestPredictions(folds, group, 2, 0, fold, 4000, random.New(1))
	equal(t, "accuracy, area", []float64{r.Accuracy, r.AUC}, []float64{0.875, 1})
	if want := 3. / 36; math.Abs(r.P-want) > 0.02 {
		t.Errorf("p %v, by counting %v", r.P, want)
	}
	if want := 1. / 36; math.Abs(r.AUCP-want) > 0.012 {
		t.Errorf("p of the area %v, by counting %v", r.AUCP, want)
	}
	// Folds of four and two: five of six are correct.
	short := []TestedFold{folds[0], {Person: folds[1].Person[:2], Named: folds[1].Named[:2], Score: folds[1].Score[:2]}}
	equal(t, "accuracy of uneven folds", []float64{TestPredictions(short, group, 2, 0, fold, 99, random.New(1)).Accuracy}, []float64{5. / 6})
	// Always the same answer tells nothing.
	for f := range folds {
		for i := range folds[f].Named {
			folds[f].Named[i], folds[f].Score[i] = []float64{1, 0}, []float64{0.6, 0.4}
		}
	}
	r = TestPredictions(folds, group, 2, 0, fold, 99, random.New(1))
	equal(t, "of constants", []float64{r.Accuracy, r.AUC, r.P, r.AUCP}, []float64{0.5, 0.5, 1, 1})
}

// One fold of two of each of three groups, by hand: the area of the first group against the rest is 1. The labels
// have 6!/(2!)³ = 90 different permutations; in 6 of them the scores of the first group are its two largest.
func TestPredictionsOfThreeGroups(t *testing.T) {
	folds := []TestedFold{{Person: []int{0, 1, 2, 3, 4, 5}, Named: make([][]float64, 6), Score: [][]float64{
		{0.9, 0.05, 0.05}, {0.8, 0.1, 0.1}, {0.1, 0.2, 0.7}, {0.15, 0.6, 0.25}, {0.2, 0.5, 0.3}, {0.25, 0.15, 0.6}}}}
	for i := range folds[0].Named {
		folds[0].Named[i] = []float64{1, 0, 0}
	}
	group, fold := []int{0, 0, 1, 1, 2, 2}, make([]int, 6)
	areas := make([]float64, 3)
	for positive := range areas {
		for i := range group {
			for j := range group {
				if group[i] != positive || group[j] == positive {
					continue
				}
				if a, b := folds[0].Score[i][positive], folds[0].Score[j][positive]; a > b {
					areas[positive]++
				} else if a == b {
					areas[positive] += 0.5
				}
			}
		}
		areas[positive] /= 8
		r := TestPredictions(folds, group, 3, positive, fold, 4000, random.New(1))
		equal(t, "area", []float64{r.AUC}, []float64{areas[positive]})
		if want := 6. / 90; positive == 0 && math.Abs(r.AUCP-want) > 0.016 {
			t.Errorf("p of the area %v, by counting %v", r.AUCP, want)
		}
	}
	r := TestPredictions(folds, group, 3, -1, fold, 99, random.New(1))
	equal(t, "mean area", []float64{r.AUC}, []float64{(areas[0] + areas[1] + areas[2]) / 3})
}
