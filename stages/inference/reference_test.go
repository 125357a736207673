package inference

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/random"
)

// Welch's t by SciPy, the pattern by scikit-learn and NumPy (testdata/reference.py).
func TestReferencesAgainstSciPy(t *testing.T) {
	b := need.Value(os.ReadFile("testdata/reference.json"))(t)
	var o struct {
		X        [][]float64
		Group    []int
		Train    []bool
		T        []float64
		Decision []float64
		Pattern  []float64
	}
	need.NoError(t, json.Unmarshal(b, &o))
	s := Sample{Groups: 2}
	for i, v := range o.X {
		if o.Train[i] {
			s.Values, s.Group = append(s.Values, v), append(s.Group, o.Group[i])
		}
	}
	equal(t, "Welch's t", WelchT(s), o.T)
	said := lists.Map(o.Decision, func(d float64) []float64 { return []float64{d} })
	equal(t, "pattern", Pattern(s.Values, said), o.Pattern)
}

// By hand: means 1 and 4, variances 2 and 8; the third value does not vary, the fourth is missing.
func TestWelchByHand(t *testing.T) {
	nan := math.NaN()
	s := Sample{Values: [][]float64{{0, 7, nan}, {2, 7, nan}, {2, 7, 1}, {6, 7, 2}},
		Group: []int{0, 0, 1, 1}, Groups: 2}
	equal(t, "t", WelchT(s), []float64{-3 / math.Sqrt(2./2+8./2), nan, nan})
	// Of three groups, the two that t tells apart best: the last is far from both, and most from the first.
	three := Sample{Values: [][]float64{{0}, {2}, {1}, {3}, {20}, {22}}, Group: []int{0, 0, 1, 1, 2, 2}, Groups: 3}
	equal(t, "three groups", WelchT(three), []float64{-20 / math.Sqrt(2)})
}

// In the test participants the difference counts in the direction of the training participants.
func TestReplicatedByHand(t *testing.T) {
	train := Sample{Values: [][]float64{{0, 5}, {2, 7}, {4, 1}, {6, 3}}, Group: []int{0, 0, 1, 1}, Groups: 2}
	same := Sample{Values: [][]float64{{1, 1}, {3, 3}, {4, 4}, {6, 6}, {5, 5}}, Group: []int{0, 0, 1, 1, 1},
		Groups: 2}
	// sd within: √(4/3); the second value goes the other way round.
	equal(t, "replicated", Replicated(train, same), []float64{3 / math.Sqrt(4./3), -3 / math.Sqrt(4./3)})
	few := Sample{Values: same.Values[:4], Group: same.Group[:4], Groups: 2}
	equal(t, "two degrees of freedom", Replicated(train, few), []float64{math.NaN(), math.NaN()})
	one := Sample{Values: [][]float64{{1, 1}, {3, 3}}, Group: []int{0, 0}, Groups: 2}
	equal(t, "a group that nobody tests", Replicated(train, one), []float64{math.NaN(), math.NaN()})
}

// Where there is nothing, nothing replicates: the mean is 0, although the direction is chosen.
func TestReplicatedOfNothing(t *testing.T) {
	const values, n = 4000, 24
	r := random.New(5)
	sample := func() Sample {
		s := Sample{Groups: 2}
		for i := range n {
			v := make([]float64, values)
			for j := range v {
				v[j] = r.Normal()
			}
			s.Values, s.Group = append(s.Values, v), append(s.Group, i%2)
		}
		return s
	}
	sum := 0.0
	for _, d := range Replicated(sample(), sample()) {
		sum += d
	}
	if mean := sum / values; math.Abs(mean) > 0.03 { // sd of d about 0.43, of the mean 0.007
		t.Errorf("mean effect %.3f of noise", mean)
	}
}
