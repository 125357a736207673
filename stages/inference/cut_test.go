package inference

import (
	"math"
	"testing"

	"prgnn/internal/need"
	"prgnn/numeric/random"
)

// The AUC is the largest of scipy.stats.mannwhitneyu (1.17) over the cuts, within strata the sum of those of the
// strata; p is that of 2,000 permutations with it.
func TestCutBest(t *testing.T) {
	v := []float64{1, 2, 2, 3, 5, 8, 8, 8, 13, 21.5, 0.5, 4, 7, math.NaN()}
	number := []float64{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8.5, 2, 7}
	one, two := make([]int, 14), []int{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}
	for _, c := range []struct {
		stratum      []int
		auc, from, p float64
	}{{one, 2. / 3, 6, 0.7815}, {two, 0.575, 5, 0.982}} {
		got := CutBest(v, number, c.stratum, 4999, random.New(1, "cut"))
		need.Equal(t, got.From, c.from)
		if math.Abs(got.AUC-c.auc) > 1e-14 || math.Abs(got.P-c.p) > 0.03 {
			t.Errorf("%+v, want %+v", got, c)
		}
	}
	// A fifth of the participants apart is found, and values of strata alone are none.
	apart := CutBest([]float64{5, 1, 2, 3, 4}, []float64{9, 1, 2, 3, 4}, make([]int, 5), 0, nil)
	need.Equal(t, apart, Cut{1, 9, 1})
	level := CutBest([]float64{1, 1, 1, 2, 2, 2}, []float64{1, 2, 3, 4, 5, 6}, []int{0, 0, 0, 1, 1, 1}, 99,
		random.New(1, "cut"))
	need.Equal(t, level.AUC, 0.5)
	need.Equal(t, level.P, 1)
	nothing := CutBest([]float64{1, 2, 3}, []float64{4, 4, 4}, make([]int, 3), 99, nil)
	if !math.IsNaN(nothing.AUC) || !math.IsNaN(nothing.P) {
		t.Error(nothing)
	}
}

// Of 1,000 cohorts in which nothing goes with the number, at most so many have p ≤ 0.05 as the level allows, with ties
// and strata.
func TestCutBestHasItsLevel(t *testing.T) {
	r := random.New(2, "level")
	for _, strata := range []int{1, 3} {
		small := 0
		for range 1000 {
			v, number, st := make([]float64, 24), make([]float64, 24), make([]int, 24)
			for i := range v {
				st[i] = r.IntN(strata)
				v[i], number[i] = math.Round(r.Normal()*4)+float64(st[i]), math.Round(r.Normal()*5)+float64(st[i])
			}
			if CutBest(v, number, st, 199, r).P <= 0.05 {
				small++
			}
		}
		t.Logf("%d strata: %d of 1,000", strata, small)
		if small > 65 || small < 25 { // 50 and two SD
			t.Errorf("%d strata: %d of 1,000", strata, small)
		}
	}
}
