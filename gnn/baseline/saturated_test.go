package baseline

import (
	"testing"

	"prgnn/internal/need"
)

// Decision values whose probability of one class is 1 by rounding keep their order in that of the other.
func TestProbabilitiesKeepTheOrder(t *testing.T) {
	x := Rows{N: 9, D: 1, X: []float64{-700, -50, -40, -3, 0, 3, 40, 50, 700}}
	p := machines{&linear{w: []float64{1}}}.Probability(x, 1)
	for i := range x.N {
		low, high := p[2*i], p[2*i+1]
		if v := x.X[i]; v >= -40 && v <= 3 {
			need.Equal(t, low, 1-high) // as ever
		}
		if i == 0 {
			continue
		}
		if before := p[2*(i-1):]; !(before[0] > low || before[0] == 1 && before[1] < high) ||
			!(before[1] < high || high == 1 && before[0] > low) {
			t.Errorf("decision value %v: probabilities %v and %v, after %v and %v", x.X[i], low, high, before[0], before[1])
		}
	}
}
