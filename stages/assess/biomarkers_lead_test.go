package assess

import (
	"math"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/column"
)

// The lead over a reference is the mean over models, and its p that of the corrected resampled t-test: by hand,
// 0.2/√(0.02/3·(1/4 + 1/4)) = 2√3 with 3 degrees of freedom, whose two-sided p is 1 − 2/π·(θ + sin θ cos θ), tan θ = 2
// (Abramowitz and Stegun, 26.7.3).
func TestLeadOverAReference(t *testing.T) {
	lead, p := leadOf([]float64{0.9, 0.8, 0.9, 0.8}, []float64{0.6, 0.7, 0.7, 0.6}, 0.25)
	if math.Abs(lead-0.2) > 1e-12 || math.Abs(p-0.04051932) > 1e-6 {
		t.Errorf("lead %v, p %v", lead, p)
	}
	if _, p := leadOf([]float64{1, 1}, []float64{1, 1}, 0.25); !math.IsNaN(p) {
		t.Errorf("p %v of no difference", p)
	}
	if lead, _ := leadOf([]float64{1, 1}, nil, 0.25); !math.IsNaN(lead) {
		t.Errorf("lead %v over nothing", lead)
	}
}

// A ranking by untrained scores counts whichever way round, and all models the same way; any other as it is.
func TestUntrainedScoresUpsideDown(t *testing.T) {
	planted := []bool{true, false, false}
	r := rankedBy{method: column.UntrainedModels, by: "score", all: []float64{0, 1, 2},
		single: [][]float64{{0, 1, 2}, {1, 0, 2}, {2, 1, 0}}}
	for by, want := range map[string][]float64{"score": {1, 0.5, 0}, "contrast": {0, 0.5, 1}} {
		r.by = by
		for i, w := range r.worth(planted, 1) {
			need.Equal(t, w, want[i], by, i)
		}
	}
	tested := &ModelScores{Tallies: map[string][]Tally{"a": nil, "b": nil}}
	other := &ModelScores{Tallies: map[string][]Tally{"c": nil, "d": nil, "e": nil, "f": nil}}
	need.Equal(t, testShare([]*ModelScores{tested, other}), 1, "test/train", "of 3 of 6")
}
