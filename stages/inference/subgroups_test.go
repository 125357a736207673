package inference

import (
	"math"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
)

// χ² is that of scipy's contingency table (the fixture's oracle.py), and the hybrid interval that of statsmodels.
func TestHeterogeneityAndDifference(t *testing.T) {
	floats := func(name string) []float64 {
		return testdir.Floats(t, need.Shared(t, "fixtures", "questions", "subgroups", name+".npy"))
	}
	site, y, predicted := floats("site"), floats("y"), floats("predicted")
	share, n := make([]float64, 4), make([]float64, 4)
	for i, s := range site {
		n[int(s)]++
		if y[i] == predicted[i] {
			share[int(s)]++
		}
	}
	all := make([]float64, 4)
	for k := range share {
		for g := range all {
			all[g] += share[k] / float64(len(y))
		}
		share[k] /= n[k]
	}
	if x := Heterogeneity(share, all, n); math.Abs(x-1.0873762489604082) > 1e-9 {
		t.Errorf("χ² %v", x)
	}
	l1, h1 := Wilson(15./29, 29)
	l0, h0 := Wilson(31./43, 43)
	low, high := DifferenceInterval(15./29, l1, h1, 31./43, l0, h0, 0)
	if math.Abs(low+0.4095056562641439) > 1e-9 || math.Abs(high-0.02077330104116973) > 1e-9 {
		t.Errorf("difference %v to %v", low, high)
	}
	// Of symmetric intervals it is that of a difference with the variance a² + b² − 2rab.
	for r, half := range map[float64]float64{0: 0.5, 1: 0.1, -1: 0.7, 0.5: math.Sqrt(0.13)} {
		low, high := DifferenceInterval(0.7, 0.4, 1, 0.5, 0.1, 0.9, r)
		if math.Abs(low-0.2+half) > 1e-12 || math.Abs(high-0.2-half) > 1e-12 {
			t.Errorf("correlation %v: difference %v to %v", r, low, high)
		}
	}
}

// With one fold, the interval of an area is Newcombe's; with more, it is wider than that of all pairs. Ties count one
// half.
func TestGroupAreas(t *testing.T) {
	var one []ScoredCase
	two := make([][]ScoredCase, 2)
	group := make([]int, 40)
	for i := range 40 {
		c := ScoredCase{Person: i, Positive: i%3 == 0, Score: math.Floor(math.Mod(float64(i)*7.3, 11))}
		group[i] = i / 20
		one, two[i%2] = append(one, c), append(two[i%2], c)
	}
	slow := func(folds [][]ScoredCase, g int) float64 {
		above, pairs := 0.0, 0.0
		for _, f := range folds {
			for _, a := range f {
				for _, b := range f {
					if group[a.Person] != g || group[b.Person] != g || !a.Positive || b.Positive {
						continue
					}
					pairs++
					if a.Score > b.Score {
						above++
					} else if a.Score == b.Score {
						above += 0.5
					}
				}
			}
		}
		return above / pairs
	}
	for _, folds := range [][][]ScoredCase{{one}, two} {
		for g, v := range NewGroupAreas(folds, 1).Of(group, 2) {
			if math.Abs(v-slow(folds, g)) > 1e-12 {
				t.Errorf("%d folds, group %d: %v, want %v", len(folds), g, v, slow(folds, g))
			}
		}
	}
	low, high := NewGroupAreas([][]ScoredCase{one}, 1).Interval(0.7, group, 0)
	l, h := newcombe(0.7, 7, 13)
	if low != l || high != h {
		t.Errorf("%v to %v, want %v to %v", low, high, l, h)
	}
	l2, h2 := NewGroupAreas(two, 1).Interval(0.7, group, 0)
	if !(l2 < low && h2 > high) {
		t.Errorf("two folds: %v to %v, not wider than %v to %v", l2, h2, low, high)
	}
	for _, x := range []float64{l2, h2} { // 4 and 3 positive, 6 and 7 negative participants: 24 and 21 pairs
		n1, n0, variance := [2]float64{4, 3}, [2]float64{6, 7}, 0.0
		for f := range 2 {
			m := (n1[f]+n0[f])/2 - 1
			w := n1[f] * n0[f] / 45
			variance += w * w * x * (1 - x) * (1 + m*(1-x)/(2-x) + m*x/(1+x)) / (n1[f] * n0[f])
		}
		if math.Abs(math.Abs(x-0.7)-1.959963984540054*math.Sqrt(variance)) > 1e-9 {
			t.Errorf("two folds: the limit %v is not z SE away", x)
		}
	}
}

// Strata that leave fewer than 21 arrangements have no p.
func TestPermuteGroupsNeedsArrangements(t *testing.T) {
	f := func(g []int) []float64 { return []float64{float64(g[0])} }
	if p := PermuteGroups(f, []int{0, 1, 0, 1}, []int{0, 0, 1, 1}, 99, nil); !math.IsNaN(p[0]) {
		t.Errorf("p %v of 4 arrangements", p)
	}
}
