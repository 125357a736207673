package inference

import (
	"math"
	"testing"
)

// The ends of Wilson's interval are the p₀ that a score test just does not
// refuse: (p − p₀)² = z²·p₀(1−p₀)/n.
func TestWilson(t *testing.T) {
	const z = 1.959963984540054
	for _, c := range []struct{ p, n float64 }{{94. / 118, 118}, {0, 10}, {1, 10}, {0.5, 3}} {
		low, high := Wilson(c.p, c.n)
		for _, p0 := range []float64{low, high} {
			if d := (c.p-p0)*(c.p-p0) - z*z*p0*(1-p0)/c.n; math.Abs(d) > 1e-14 {
				t.Errorf("Wilson(%v, %v): %v does not solve the score equation (%v)", c.p, c.n, p0, d)
			}
		}
		if !(low <= c.p && c.p <= high && low < high) {
			t.Errorf("Wilson(%v, %v) = %v, %v", c.p, c.n, low, high)
		}
	}
	for n := 1.; n < 500; n++ { // no rounding takes the share itself out
		for _, p := range []float64{0, 1} {
			if low, high := Wilson(p, n); low > p || high < p {
				t.Errorf("Wilson(%v, %v) = %v, %v", p, n, low, high)
			}
		}
	}
}

func near(t *testing.T, what string, low, high, wantLow, wantHigh, slack float64) {
	t.Helper()
	if !(math.Abs(low-wantLow) <= slack && math.Abs(high-wantHigh) <= slack) {
		t.Errorf("%s: %v to %v, want %v to %v", what, low, high, wantLow, wantHigh)
	}
}

// Five folds of eight participants: the variance is 1 + 5·8/32 = 2.25 times that of independent folds. Expected values
// by scipy.stats, written out from the formulas; Newcombe's interval of 22 and 18 cases by scipy's brentq.
func TestIntervals(t *testing.T) {
	five := Validation{Test: []float64{8, 8, 8, 8, 8}, Train: []float64{32, 32, 32, 32, 32}}
	if c := five.Correction(); math.Abs(c-2.25) > 1e-15 {
		t.Fatalf("correction %v", c)
	}
	eight := five.Test
	low, high := five.Share(0.75, []float64{0.75, 0.75, 0.75, 0.75, 0.75}, eight)
	near(t, "a share, equal in all folds", low, high, 0.5177229178355102, 0.8934335468435978, 1e-12)
	low, high = five.Share(0.75, []float64{1, 1, 0.5, 0.5, 0.75}, eight)
	near(t, "a share that differs between folds", low, high, 0.38130426546151464, 0.935910573411763, 1e-12)
	low, high = newcombe(0.85, 22, 18)
	near(t, "AUC of independent cases", low, high, 0.6829598187029386, 0.9330073394385395, 1e-9)
	same := []float64{0.85, 0.85, 0.85, 0.85, 0.85}
	low, high = five.AUC(0.85, same, 22*2.25, 18*2.25)
	near(t, "AUC, corrected", low, high, 0.6829598187029386, 0.9330073394385395, 1e-9)
	if low, high := five.AUC(1, []float64{1, 1, 1, 1, 1}, 20, 20); high != 1 || !(low > 0.6 && low < 1) {
		t.Errorf("AUC of 1: %v to %v", low, high)
	}
	// Resamples that vary as much as independent cases change nothing, and four times their variance is that of a
	// quarter of the cases; at an area of 1, too, whose own variance is 0.
	wide := func(mean, times float64) []float64 {
		half := math.Sqrt(times * areaVariance(mean, 20, 16) / 2)
		return []float64{mean - half, mean + half}
	}
	for _, a := range []float64{0.5, 0.85, 0.9995, 1} {
		wantLow, wantHigh := newcombe(a, 20/2.25, 16/2.25)
		low, high = five.ResampledAUC(a, wide(0.9, 1), 20, 16)
		near(t, "AUC by resamples that vary less", low, high, wantLow, wantHigh, 1e-12)
		low, high = five.ResampledAUC(a, nil, 20, 16)
		near(t, "AUC without resamples", low, high, wantLow, wantHigh, 1e-12)
		wantLow, wantHigh = newcombe(a, 5, 4)
		low, high = five.ResampledAUC(a, wide(0.9, 4), 20, 16)
		near(t, "AUC by resamples", low, high, wantLow, wantHigh, 1e-12)
	}

	two := Validation{Test: []float64{5, 5}, Train: []float64{5, 5}}
	low, high = two.Brier(0.41, [][]float64{{0.1, 0.2, 0.05, 0.1, 0.15}, {0.6, 0.7, 0.5, 0.8, 0.9}})
	near(t, "Brier score", low, high, 9.157735529880867e-05, 0.9998103810130009, 1e-9)
	folds := []NumberFold{
		{Target: []float64{1, 2, 4, 8, 3}, Predicted: []float64{1.5, 2, 3, 6, 4.5}, Person: []int{0, 1, 2, 3, 4}},
		{Target: []float64{2, 7, 5, 1, 6}, Predicted: []float64{3, 5, 6, 2, 4}, Person: []int{5, 6, 7, 8, 9}},
	}
	l, h := two.numbers(folds, MeanScore(folds))
	near(t, "r", l.R, h.R, -0.43761314928945333, 0.99426226469154, 1e-12)
	near(t, "R²", l.R2, h.R2, -2.7953121549466378, 0.970668724349317, 1e-9)
	near(t, "MAE", l.MAE, h.MAE, 0.3187976694500993, 4.5169715402370585, 1e-9)

	for degrees, want := range map[float64]float64{1: 12.706204736, 4: 2.776445105, 17: 2.109815578, 100: 1.983971519} {
		if got := studentQuantile(degrees); math.Abs(got-want) > 1e-8 {
			t.Errorf("t of %v degrees of freedom: %v, want %v", degrees, got, want)
		}
	}
}

// The correction needs participants that were trained on; folds of three have no correlation to speak of.
func TestNoInterval(t *testing.T) {
	unknown := Validation{Test: []float64{8}, Train: []float64{math.NaN()}}
	if low, high := unknown.Share(0.5, []float64{0.5}, []float64{8}); !math.IsNaN(low) || !math.IsNaN(high) {
		t.Errorf("a share without training participants: %v to %v", low, high)
	}
	if low, _ := unknown.Error(1, [][]float64{{1, 2, 3}}); !math.IsNaN(low) {
		t.Errorf("an error without training participants: from %v", low)
	}
	three := Validation{Test: []float64{3, 3}, Train: []float64{3, 3}}
	if low, _ := three.R(0.5, []float64{0.5, 0.5}); !math.IsNaN(low) {
		t.Errorf("r of folds of three: from %v", low)
	}
}
