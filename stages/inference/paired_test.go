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

// Where sites differ in both, p is of the pairs within a site: a covariate with the opposite sign over all participants
// is found, and one that has nothing to do with the groups or the number within sites gives p spread evenly.
func TestWithinSites(t *testing.T) {
	const sites, each, times = 3, 20, 200
	simulate := func(effect float64, category bool, s *random.Stream) (c Covariate, number []float64,
		group, site []int) {
		c.Category = category
		for i := range sites * each {
			at := i / each
			g := 0
			if s.Float64() < []float64{0.3, 0.5, 0.7}[at] {
				g = 1
			}
			y := s.Normal()
			x := float64(1.5*float64(at)) + float64(effect*y) + float64(effect*float64(2*g-1)) + s.Normal()
			if category {
				x = math.Floor(max(0, min(5, x+1)))
			}
			c.Values, number = append(c.Values, x), append(number, float64(3*float64(at))+y)
			group, site = append(group, g), append(site, at)
		}
		return c, number, group, site
	}
	for _, category := range []bool{false, true} {
		small := [2]int{}
		for k := range times {
			s := random.New(3, category, k)
			c, number, group, site := simulate(0, category, s)
			_, _, p := Associate(c, number, site, 99, s)
			for i, p := range []float64{Separate(c, group, 2, site, 99, s).P, p} {
				if p <= 0.1 {
					small[i]++
				}
			}
		}
		for i, n := range small { // 20, sd 4.2
			if n < 8 || n > 32 {
				t.Errorf("category %v, test %d: p ≤ 0.1 in %d of %d", category, i, n, times)
			}
		}
	}
	s := random.New(4)
	c, number, group, site := simulate(-0.8, false, s)
	r, within, p := Associate(c, number, site, 999, s)
	if !(r > 0.2) || !(within < -0.4) || p > 0.01 {
		t.Errorf("r %v, within sites %v, p %v", r, within, p)
	}
	a := Separate(c, group, 2, site, 999, s)
	if !(a.AUC < 0.66) || !(a.Within > 0.7) || math.Abs(a.Chance-0.55) > 0.04 || a.P > 0.01 {
		t.Errorf("%+v", a)
	}
	// Two sites of pairs 1 < 2 and 0 > −1: 3 of 4 pairs of the first and 0 of 1 of the second are in the same order.
	pairs := Separate(Covariate{Values: []float64{1, 3, 2, 4, 10, 9}}, []int{0, 0, 1, 1, 0, 1}, 2,
		[]int{0, 0, 0, 0, 1, 1}, 99, s)
	need.Equal(t, pairs.Within, 3./5)
}
