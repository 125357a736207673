package gnn

import (
	"math"
	"testing"

	"prgnn/numeric/random"
)

// AUC against its definition: the share of pairs of a positive and a negative
// case in the right order, ties one half.
func TestAUC(t *testing.T) {
	r := random.New(1, "auc")
	for range 50 {
		n := 2 + r.IntN(30)
		score, positive := make([]float64, n), make([]bool, n)
		for i := range score {
			score[i], positive[i] = float64(r.IntN(8)), r.IntN(3) == 0
		}
		right, pairs := 0.0, 0.0
		for i := range score {
			for j := range score {
				if positive[i] && !positive[j] {
					pairs++
					switch {
					case score[i] > score[j]:
						right++
					case score[i] == score[j]:
						right += 0.5
					}
				}
			}
		}
		got := AUC(score, positive)
		if pairs == 0 != math.IsNaN(got) || pairs > 0 && math.Abs(got-right/pairs) > 1e-15 {
			t.Errorf("AUC %v, want %v of %v pairs", got, right, pairs)
		}
	}
	if got := AUC([]float64{1, math.NaN(), 0}, []bool{true, false, false}); !math.IsNaN(got) {
		t.Errorf("AUC with NaN is %v", got)
	}
}

func TestConfusion(t *testing.T) {
	c := NewConfusion(3)
	for label, row := range [][]int{{5, 1, 0}, {2, 3, 1}, {0, 0, 0}} {
		for predicted, n := range row {
			for range n {
				c.Add(label, predicted)
			}
		}
	}
	for _, x := range []struct {
		name      string
		got, want float64
	}{
		{"accuracy", c.Accuracy(), 8. / 12}, {"recall 0", c.Recall(0), 5. / 6}, {"recall 1", c.Recall(1), 0.5},
		{"specificity of 0", c.Specificity(0), 4. / 6}, {"balanced", c.Balanced(), (5./6 + 0.5) / 2},
	} {
		if math.Abs(x.got-x.want) > 1e-15 {
			t.Errorf("%s %v, want %v", x.name, x.got, x.want)
		}
	}
	if !math.IsNaN(c.Recall(2)) {
		t.Error("recall of a class without cases is a number")
	}
}
