package inference

import (
	"math"
	"testing"

	"prgnn/internal/random"
)

// Closed forms: targets 1, 2, 3, 6 (mean 3, Σ(y−ȳ)² = 14) and predictions 2, 2, 4, 4 have squared errors 1+0+1+4 = 6.
func TestNumberScore(t *testing.T) {
	f := NumberFold{Person: []int{0, 1, 2, 3}, Target: []float64{1, 2, 3, 6}, Predicted: []float64{2, 2, 4, 4}, Mean: 5}
	s := f.Score()
	// Σ(y−ȳ)(ŷ−ŷ̄) = 2+1+0+3 = 6, Σ(ŷ−ŷ̄)² = 4; about 5, Σ(y−5)² = 16+9+4+1 = 30
	want := NumberScore{6 / math.Sqrt(14*4), 1 - 6.0/14, 1 - 6.0/30, 1}
	for k, v := range s.values() {
		if math.Abs(v-want.values()[k]) > 1e-15 {
			t.Errorf("measure %d is %v, want %v", k, v, want.values()[k])
		}
	}
	if r := Correlation(f.Target, f.Predicted); math.Abs(r-s.R) > 1e-15 {
		t.Errorf("r is %v, Correlation has %v", s.R, r)
	}
	for _, scale := range []float64{1e100, 1e-100} { // whose fourth power has no place in float64
		g := NumberFold{Person: f.Person, Mean: 5 * scale}
		for i := range f.Target {
			g.Target, g.Predicted = append(g.Target, scale*f.Target[i]), append(g.Predicted, scale*f.Predicted[i])
		}
		if r := g.Score().R; math.Abs(r-s.R) > 1e-15 {
			t.Errorf("at a scale of %v r is %v, want %v", scale, r, s.R)
		}
	}
	g := NumberFold{Person: f.Person, Mean: 5}
	for i := range f.Target { // times of day in ms
		g.Target, g.Predicted = append(g.Target, 1.7e12+f.Target[i]), append(g.Predicted, 1.7e12+f.Predicted[i])
	}
	if r := g.Score().R; math.Abs(r-s.R) > 1e-3 {
		t.Errorf("with an offset r is %v, want %v", r, s.R)
	}
	f.Predicted = []float64{0.1, 0.1, 0.1, 0.1}
	if s := f.Score(); !math.IsNaN(s.R) || s.R2 >= 0 {
		t.Errorf("one prediction for everybody: %+v", s)
	}
	f.Target = []float64{2, 2, 2, 2}
	if s := f.Score(); !math.IsNaN(s.R2) || !math.IsNaN(s.R) {
		t.Errorf("one target: %+v", s)
	}
}

// A fold whose predictions are all the same counts as r = 0 in the mean, and is not left out of it.
func TestConstantFold(t *testing.T) {
	learned := NumberFold{Person: []int{0, 1, 2, 3}, Target: []float64{1, 2, 4, 8}, Predicted: []float64{1, 2, 4, 8}}
	constant := NumberFold{Person: []int{4, 5, 6, 7}, Target: []float64{1, 2, 4, 8}, Predicted: []float64{3, 3, 3, 3}}
	folds := []NumberFold{learned, constant, constant, constant}
	of := TestNumbers(folds, Validation{})
	if of.Constant != 3 {
		t.Errorf("%d constant folds are found, want 3", of.Constant)
	}
	if math.Abs(of.R-0.25) > 1e-15 {
		t.Errorf("r is %v, want 0.25: 1 of four folds, and 0 in the others", of.R)
	}
	if of := TestNumbers(folds[1:], Validation{}); !math.IsNaN(of.R) {
		t.Errorf("r of constant predictions is %v", of.R)
	}
}

// A category's η² is the share of variance between its means: 1 2 | 4 5 has 9 of 10.
func TestAssociate(t *testing.T) {
	y := []float64{1, 2, 4, 5, 9}
	category := Covariate{Values: []float64{0, 0, 1, 1, math.NaN()}, Category: true}
	eta, p := Associate(category, y, make([]int, 5), 24000, random.New(1, "test"))
	// 2 of 6 divisions: this one, and its mirror image
	if math.Abs(eta-math.Sqrt(0.9)) > 1e-15 || math.Abs(p-1.0/3) > 0.012 {
		t.Errorf("η is %v, p %v", eta, p)
	}
	falling := Covariate{Values: []float64{5, 4, 2, 1, math.NaN()}}
	r, p := Associate(falling, y, make([]int, 5), 24000, random.New(1, "test"))
	if math.Abs(r+1) > 1e-15 || math.Abs(p-1.0/12) > 0.008 { // 2 of 24 orders
		t.Errorf("r is %v, p %v", r, p)
	}
	for _, c := range []Covariate{{Values: []float64{1, 1, 1, 1, 1}}, {Values: make([]float64, 5), Category: true}} {
		if r, p := Associate(c, y, make([]int, 5), 99, random.New(1, "test")); !math.IsNaN(r) || !math.IsNaN(p) {
			t.Errorf("a constant covariate has r %v, p %v", r, p)
		}
	}
}
