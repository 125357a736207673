package inference

import (
	"math"
	"testing"

	"prgnn/numeric/random"
)

// For one region, p is that of the hypergeometric distribution; in two strata, that of the sum of two.
func TestAbsencesOfOneRegion(t *testing.T) {
	binomial := func(n, k int) float64 {
		ways := 1.0
		for i := range k {
			ways = ways * float64(n-i) / float64(i+1)
		}
		return ways
	}
	// In each stratum the first half is group 0; so many of each half lack the region.
	for _, strata := range [][][3]int{{{10, 5, 1}}, {{10, 3, 3}}, {{8, 4, 0}, {6, 3, 2}}, {{6, 6, 0}, {7, 0, 7}}} {
		var group, stratum []int
		var absent []bool
		chance := map[int]float64{0: 1} // of how many of group 0 lack it
		mean, seen := 0.0, 0
		for s, c := range strata {
			half, a, b := c[0], c[1], c[2]
			for i := range 2 * half {
				group, stratum = append(group, i/half), append(stratum, s)
				absent = append(absent, i < a || i >= half && i < half+b)
			}
			next := map[int]float64{}
			for k, p := range chance {
				for o := range half + 1 {
					if rest := a + b - o; rest >= 0 && rest <= half {
						next[k+o] += p * binomial(half, o) * binomial(half, rest) / binomial(2*half, a+b)
					}
				}
			}
			chance, mean, seen = next, mean+float64(a+b)/2, seen+a
		}
		want := 0.0
		for k, p := range chance {
			if math.Abs(float64(k)-mean) >= math.Abs(float64(seen)-mean)-1e-9 {
				want += p
			}
		}
		const n = 20000
		p := Absences([][]bool{absent}, group, 2, stratum, n, random.New(1, "absence"))[0]
		if math.Abs(p-want) > 4*math.Sqrt(want*(1-want)/n)+1.0/n {
			t.Errorf("%v: p %.5f, want %.5f", strata, p, want)
		}
	}
}

// Without a difference, at most 5% of cohorts have a region with a corrected p below 0.05.
func TestAbsencesHoldTheirLevel(t *testing.T) {
	r, found := random.New(2, "absence"), 0
	const cohorts = 300
	for c := range cohorts {
		group, stratum, absent := make([]int, 40), make([]int, 40), make([][]bool, 15)
		for i := range group {
			group[i], stratum[i] = i%2, i/20
		}
		for k := range absent {
			absent[k] = make([]bool, len(group))
			for i := range group { // more often at one site
				absent[k][i] = r.Float64() < 0.1+0.3*float64(stratum[i])
			}
		}
		for _, p := range Absences(absent, group, 2, stratum, 199, random.New(3, "absence", c)) {
			if p < 0.05 {
				found++
				break
			}
		}
	}
	if share := float64(found) / cohorts; share > 0.05+3*math.Sqrt(0.05*0.95/cohorts) {
		t.Errorf("%.3f of cohorts without a difference have a region with p < 0.05", share)
	}
}
