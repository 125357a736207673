package column

import (
	"slices"
	"testing"
)

// A classifier has one color in every figure, whatever stands beside it.
func TestSeries(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  []int
	}{
		{[]string{"PR-GNN", "SVM (RBF)", "majority classifier", "linear SVM"}, []int{0, 3, -1, 1}},
		{[]string{"linear SVM", "PR-GNN"}, []int{1, 0}},
		{[]string{"BrainNetCNN", "Li et al. 2019"}, []int{7, 8}},
		{[]string{"PR-GNN, pool=topk", "PR-GNN, pool=sage", "ridge regression (baselines)", "mine"}, []int{1, 0, 2, 3}},
		{[]string{"ridge regression (plain)", "PR-GNN", "ridge regression (harmonized)"}, []int{1, 0, 2}},
		{[]string{"PR-GNN", "ridge regression (harmonized)", "ridge regression (plain)"}, []int{0, 2, 1}},
		{[]string{"BrainNetCNN", "a", "b", "c", "d", "e", "f", "g"}, []int{7, 1, 2, 3, 4, 5, 6, 8}},
		{[]string{"kernel ridge regression", "ridge regression", "linear SVM", "PR-GNN"}, []int{3, 2, 1, 0}},
		{[]string{"mine"}, []int{0}},
		{[]string{""}, []int{0}},
	} {
		if got := Series(c.names); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.names, got, c.want)
		}
	}
	for _, model := range seriesOrder {
		if Classifiers[model] == "" {
			t.Errorf("%s is no classifier", model)
		}
	}
}
