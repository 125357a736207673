package inference

import (
	"math"
	"testing"

	"prgnn/numeric/random"
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

// A fold of one or two participants has no r, and is in no mean of r and R²: r of two is ±1, whatever was learned. It
// has an error. The same holds where the target does not vary; constant predictions of others count as r = 0.
func TestFoldsWithoutR(t *testing.T) {
	learned := NumberFold{Person: []int{0, 1, 2, 3}, Target: []float64{1, 2, 4, 8}, Predicted: []float64{1, 2, 4, 8}}
	one := NumberFold{Person: []int{4}, Target: []float64{3}, Predicted: []float64{5}}
	two := NumberFold{Person: []int{5, 6}, Target: []float64{3, 4}, Predicted: []float64{4, 3}}
	same := NumberFold{Person: []int{7, 8, 9}, Target: []float64{3, 3, 3}, Predicted: []float64{2, 2, 2}}
	constant := NumberFold{Person: []int{10, 11, 12}, Target: []float64{1, 2, 3}, Predicted: []float64{2, 2, 2}}
	for _, c := range []struct {
		folds      []NumberFold
		with, same int
		r, r2, mae float64
	}{
		{[]NumberFold{learned, learned}, 2, 0, 1, 1, 0},
		{[]NumberFold{learned, one}, 1, 0, 1, 1, 1},
		{[]NumberFold{learned, two, two}, 1, 0, 1, 1, 2. / 3},
		{[]NumberFold{learned, same}, 1, 0, 1, 1, 0.5},
		{[]NumberFold{learned, one, constant}, 2, 1, 0.5, 0.5, 8. / 9},
		{[]NumberFold{one, two}, 0, 0, math.NaN(), math.NaN(), 1.5},
	} {
		of := TestNumbers(c.folds, Validation{})
		if of.Folds != c.with || of.Constant != c.same {
			t.Errorf("%d folds have r, %d of them constant predictions, want %+v", of.Folds, of.Constant, c)
		}
		equal(t, "r, R² and MAE", []float64{of.R, of.R2, of.MAE}, []float64{c.r, c.r2, c.mae})
	}
	r, mae, least := TestNumberFold(two, 99, permuteAll(two.Target))
	equal(t, "a fold of two cannot be tested", []float64{r, mae, least}, []float64{1, 1, 1})
	// The interval of r is that of the folds that have it.
	long := NumberFold{Person: []int{0, 1, 2, 3, 4, 5}, Target: []float64{1, 2, 4, 8, 3, 5},
		Predicted: []float64{1, 3, 2, 8, 5, 4}}
	with := TestNumbers([]NumberFold{long, long}, Validation{Test: []float64{6, 6}, Train: []float64{7, 7}})
	and := TestNumbers([]NumberFold{long, one, long}, Validation{Test: []float64{6, 1, 6}, Train: []float64{7, 12, 7}})
	equal(t, "interval", []float64{and.Low.R, and.High.R, and.Low.R2}, []float64{with.Low.R, with.High.R, with.Low.R2})
}

// A category's η² is the share of variance between its means: 1 2 | 4 5 has 9 of 10.
func TestAssociate(t *testing.T) {
	y := []float64{1, 2, 4, 5, 9}
	category := Covariate{Values: []float64{0, 0, 1, 1, math.NaN()}, Category: true}
	eta, _, p := Associate(category, y, make([]int, 5), 24000, random.New(1, "test"))
	// 2 of 6 divisions: this one, and its mirror image
	if math.Abs(eta-math.Sqrt(0.9)) > 1e-15 || math.Abs(p-1.0/3) > 0.012 {
		t.Errorf("η is %v, p %v", eta, p)
	}
	falling := Covariate{Values: []float64{5, 4, 2, 1, math.NaN()}}
	r, _, p := Associate(falling, y, make([]int, 5), 24000, random.New(1, "test"))
	if math.Abs(r+1) > 1e-15 || math.Abs(p-1.0/12) > 0.008 { // 2 of 24 orders
		t.Errorf("r is %v, p %v", r, p)
	}
	for _, c := range []Covariate{{Values: []float64{1, 1, 1, 1, 1}}, {Values: make([]float64, 5), Category: true}} {
		if r, _, p := Associate(c, y, make([]int, 5), 99, random.New(1, "test")); !math.IsNaN(r) || !math.IsNaN(p) {
			t.Errorf("a constant covariate has r %v, p %v", r, p)
		}
	}
	// Within strata in which one of the two is constant, no permutation changes r.
	for _, c := range []Covariate{category, {Values: []float64{7, 7, 9, 9, math.NaN()}}} {
		if r, _, p := Associate(c, y, []int{0, 0, 1, 1, 1}, 99, random.New(1, "test")); !(r > 0.9) || !math.IsNaN(p) {
			t.Errorf("constant in strata: r %v, p %v", r, p)
		}
	}
	steps, strata := []float64{3, 3, 1, 1, 9}, []int{0, 0, 1, 1, 1}
	if r, _, p := Associate(falling, steps, strata, 99, random.New(1, "test")); !(r > 0.9) || !math.IsNaN(p) {
		t.Errorf("a number that is constant in strata: r %v, p %v", r, p)
	}
	if _, _, p := Associate(falling, y, strata, 99, random.New(1, "test")); math.IsNaN(p) {
		t.Error("no p of a covariate that varies within strata")
	}
}
