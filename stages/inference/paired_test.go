package inference

import (
	"math"
	"testing"

	"prgnn/internal/need"
	"prgnn/numeric/random"
)

// By hand, and the example of the two-fold limit: with test/train 0 it is Student's
// paired test.
func TestCorrectedT(t *testing.T) {
	d := []float64{0.1, 0.3, -0.1, 0.2, 0.0} // mean 0.1, s² 0.025
	got, p := CorrectedT(d, 0.25)
	want := 0.1 / math.Sqrt(0.025*(0.2+0.25))
	equal(t, "corrected t", []float64{got, p}, []float64{want, StudentP(want, 4)})
	plain, _ := CorrectedT(d, 0)
	equal(t, "plain t", []float64{plain}, []float64{0.1 / math.Sqrt(0.025/5)})
	for _, none := range [][]float64{{0.1}, {0.1, 0.1, 0.1}, nil} {
		if got, p := CorrectedT(none, 0.25); !math.IsNaN(got) || !math.IsNaN(p) {
			t.Errorf("%v: t %v, p %v", none, got, p)
		}
	}
}

// A covariate that has nothing to do with the groups gives p spread evenly, even
// one of many categories, whose area is far above a half.
func TestSeparateNothing(t *testing.T) {
	for _, category := range []bool{false, true} {
		small, auc := 0, 0.0
		const times = 300
		for i := range times {
			s := random.New(5, category, i)
			c := Covariate{Category: category}
			var group []int
			for p := range 40 {
				c.Values = append(c.Values, float64(s.IntN(12)))
				group = append(group, p%2)
			}
			r := Separate(c, group, 2, make([]int, 40), 99, s)
			auc += r.AUC / times
			if math.Abs(r.AUC-r.Chance) > 0.35 {
				t.Errorf("area %v, by chance %v", r.AUC, r.Chance)
			}
			if r.P <= 0.1 {
				small++
			}
		}
		if small < 15 || small > 45 { // 30, sd 5.2
			t.Errorf("category %v: p ≤ 0.1 in %d of %d", category, small, times)
		}
		need.Equal(t, category, (auc > 0.65), "category", "mean area", auc)
	}
}

// Groups that differ between sites only: within the sites, nothing is found.
func TestSeparateWithinSites(t *testing.T) {
	c := Covariate{}
	var group, site []int
	s := random.New(2)
	for p := range 80 {
		g := 0
		if p%10 < 8*(p/40)+1 { // 1 of 10 at the first site, 9 of 10 at the other
			g = 1
		}
		group, site = append(group, g), append(site, p/40)
		c.Values = append(c.Values, float64(10*(p/40))+s.Normal())
	}
	across := Separate(c, group, 2, make([]int, 80), 499, random.New(1))
	within := Separate(c, group, 2, site, 499, random.New(1))
	if across.P > 0.01 || within.P < 0.05 || across.AUC != within.AUC {
		t.Errorf("across sites p %v, within p %v", across.P, within.P)
	}
}

func TestSeparateLeavesOutTheUnknown(t *testing.T) {
	nan := math.NaN()
	r := Separate(Covariate{Values: []float64{1, nan, 2, 3, nan, 4}}, []int{0, 1, 0, 1, 0, 1}, 2,
		make([]int, 6), 99, random.New(1))
	need.Equal(t, r.AUC, 1, "area")
	if r := Separate(Covariate{Values: []float64{nan, nan, 2}}, []int{0, 1, 0}, 2, make([]int, 3), 9,
		random.New(1)); r.AUC != 0.5 || r.P != 1 {
		t.Errorf("of nothing: %+v", r)
	}
}
