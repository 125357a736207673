package fold_test

import (
	"fmt"
	"math"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/fold"
	"prgnn/stages/stagetest"
)

// Predictions that differ by rounding alone are the same: estimators that compute one covariance in another order.
func TestSamePredictionsUpToRounding(t *testing.T) {
	of := func(p float64) []fold.Tested {
		return []fold.Tested{{Participants: []fold.Case{{Id: "a", Probability: []float64{1 - p, p}}}}}
	}
	for by, same := range map[float64]bool{0: true, 2e-11: true, 1e-5: false} {
		need.Equal(t, fold.SamePredictions(of(0.7), of(0.7+by)), same, by)
	}
}

// Tables of a classifier of the user's: a (ASD) is trained on, b (HC), c (ASD) and d (HC) are tested.
func TestReadTestedProbabilities(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name      string
		asd, hc   []float64
		predicted []int32
		want      string
		given     []float64 // the column probability; nil: hc
	}{
		{"sound", []float64{0.2, 0.3, 0.9, 0}, []float64{0.8, 0.7, 0.1, 1}, []int32{1, 1, 0, 1}, "", nil},
		{"rounded", []float64{0.2, 0.3, 1 + 5e-7, 0}, []float64{0.8, 0.7000005, -5e-7, 1}, []int32{1, 1, 0, 1}, "",
			nil},
		{"ties", []float64{0.5, 0.5, 0.5, 0.5}, []float64{0.5, 0.5, 0.5, 0.5}, []int32{1, 1, 0, 1}, "", nil},
		{"training rows", []float64{nan, 0.3, 0.9, 0}, []float64{12, 0.7, 0.1, 1}, []int32{7, 1, 0, 1}, "", nil},
		{"percent", []float64{0.2, 0.3, -18.4, -98}, []float64{0.8, 0.7, 19.4, 99}, []int32{1, 1, 0, 1},
			"row 3 (c): p_ASD is -18.4; so in 2 of 3 test rows: a probability lies between 0 and 1: divide percentages by 100, and predict for each test row", nil},
		{"NaN", []float64{0.2, 0.3, 0.9, 0}, []float64{0.8, nan, 0.1, 1}, []int32{1, 1, 0, 1},
			"row 2 (b): p_HC is NaN; so in 1 of 3 test rows: a probability lies between 0 and 1: divide percentages by 100, and predict for each test row", nil},
		{"sum", []float64{0.2, 0.3, 0.9, 0}, []float64{0.8, 0.7, 0.10001, 0.99}, []int32{1, 1, 0, 1},
			"row 3 (c): p_ASD + p_HC sum to 1.00001; so in 2 of 3 test rows: the probabilities of a row sum to 1 (±1e-6): divide each by their sum", nil},
		{"swapped", []float64{0.8, 0.7, 0.1, 0.5}, []float64{0.2, 0.3, 0.9, 0.5}, []int32{1, 1, 0, 1},
			"row 2 (b): predicted is 1 (HC), but p_ASD = 0.7 is larger than p_HC = 0.3; so in 2 of 3 test rows: predicted is the number of the group with the largest probability, from 0 in sorted order: check whether columns p_GROUP are swapped, or write that number", nil},
		{"other probability", []float64{0.2, 0.3, 0.9, 0}, []float64{0.8, 0.7, 0.1, 1}, []int32{1, 1, 0, 1},
			"row 2 (b): probability is 0.3, but p_HC is 0.7; so in 3 of 3 test rows: probability is that of group 1 of two groups, else that of the predicted group: correct it, or leave the column out",
			[]float64{0.2, 0.3, 0.9, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := stagetest.OneFold(1, [2]string{"ASD", "HC"}, [3]any{"a", 0, 0.}, [3]any{"b", 1, 0.},
				[3]any{"c", 0, 0.}, [3]any{"d", 1, 0.})
			given := c.given
			if given == nil {
				given = c.hc
			}
			for name, values := range map[string]any{"p_ASD": c.asd, "p_HC": c.hc, "predicted": c.predicted,
				"probability": given,
				"set":         []string{"train", "test", "test", "test"}} {
				column, _ := table.Column(name)
				column.Values = values
			}
			_, _, err := fold.ReadTested(table)
			if c.want == "" {
				need.NoError(t, err)
			} else if fmt.Sprint(err) != c.want {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

// The mean of equal probabilities is their value, however many graphs a participant has: a classifier that predicts
// alike for everybody has an AUC of 0.5. 24/49 is one whose sum of three is rounded.
func TestConstantPredictionsAreTies(t *testing.T) {
	var graphs []fold.Case
	for i, n := range []int{1, 2, 3, 3, 7, 1, 6, 10} {
		for range n {
			graphs = append(graphs, fold.Case{Id: fmt.Sprint(i), Label: i % 2,
				Probability: []float64{24. / 49, 25. / 49}})
		}
	}
	people := fold.OverDraws(graphs)
	for _, c := range people {
		need.Equal(t, c.Probability[0], 24./49)
		need.Equal(t, c.Predicted, 1)
	}
	need.Equal(t, fold.Score(people, 1).Auc, 0.5)
	// What has the same mean is a tie too, in any order and number.
	mixed := fold.OverDraws([]fold.Case{{Id: "a", Probability: []float64{0.1}}, {Id: "a", Probability: []float64{0.2}},
		{Id: "a", Probability: []float64{0.3}}, {Id: "b", Probability: []float64{0.3}},
		{Id: "b", Probability: []float64{0.2}}, {Id: "b", Probability: []float64{0.1}}})
	need.Equal(t, mixed[0].Probability[0], mixed[1].Probability[0])
}
