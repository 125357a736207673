package inference

import (
	"math"
	"math/bits"
	"testing"

	"prgnn/internal/need"
	"prgnn/numeric/random"
)

// Three rankings of five regions, worked out by hand: the first two regions are
// {0,1}, {0,2} and {0,1}.
func TestAgreeByHand(t *testing.T) {
	a := Agree([][]float64{{9, 8, 3, 2, 1}, {9, 3, 8, 2, 1}, {9, 8, 3, 2, 1}}, 2, 5000, random.New(1))
	equal(t, "agreement",
		[]float64{float64(a.Rankings), a.Common, a.CommonChance, float64(a.Every), a.EveryChance, a.Jaccard, a.Kuncheva,
			a.Spearman, a.Kendall},
		[]float64{3, 4. / 3, 0.8, 1, 5 * 8. / 125, (1./3 + 1 + 1./3) / 3, (4./3 - 0.8) / 1.2, (0.9 + 1 + 0.9) / 3,
			(0.8 + 1 + 0.8) / 3})
	// All 10³ triples of pairs out of five: as many have an overlap of at least 4.
	sets := subsets(5, 2)
	as, all := 0, 0
	for _, x := range sets {
		for _, y := range sets {
			for _, z := range sets {
				all++
				if bits.OnesCount(x&y)+bits.OnesCount(x&z)+bits.OnesCount(y&z) >= 4 {
					as++
				}
			}
		}
	}
	if want := float64(as) / float64(all); math.Abs(a.P-want) > 4*math.Sqrt(want/5000) {
		t.Errorf("p %v, by counting %v", a.P, want)
	}
	need.Equal(t, all, 1000, "triples")
}

// Equal values have no order, and share the places that they compete for: rankings without an order agree as random
// ones do, and one region that stands out is all that others have in common.
func TestTiesAreNoAgreement(t *testing.T) {
	flat, one := make([]float64, 30), make([]float64, 30)
	one[29] = 1
	a := Agree([][]float64{flat, flat, flat, flat}, 10, 2000, random.New(1))
	equal(t, "no order", []float64{a.Common, float64(a.Every), a.Kuncheva, a.Jaccard},
		[]float64{10. / 3, 0, 0, 1. / 5})
	if a.P < 0.3 || a.P > 0.7 {
		t.Errorf("p %v", a.P)
	}
	a = Agree([][]float64{one, one}, 10, 2000, random.New(1))
	equal(t, "one region", []float64{a.Common, float64(a.Every)}, []float64{1 + 29*9./29*9/29, 1})
	equal(t, "top", Top([]float64{2, 1, 3, 1, math.NaN(), 1}, 4), []float64{1, 2. / 3, 1, 2. / 3, 0, 2. / 3})
	for _, s := range BootstrapRanking([][]float64{flat, flat}, []int{0, 0}, 10, 100, random.New(1)) {
		equal(t, "spread", []float64{s.Top, float64(s.RankLow), float64(s.RankHigh)}, []float64{1. / 3, 15, 16})
	}
}

// Without pairs the means are the same, of rankings with and without ties; of one without an order there is none.
func TestManyOrders(t *testing.T) {
	s := random.New(11)
	scores := make([][]float64, 30)
	for m := range scores {
		for range 70 {
			v := s.Normal()
			if m%3 == 0 {
				v = math.Round(v)
			}
			scores[m] = append(scores[m], v)
		}
	}
	scores[3][5] = math.NaN()
	spearman, kendall := orders(scores)
	a, b := manyOrders(scores)
	if math.Abs(a-spearman) > 1e-14 || math.Abs(b-kendall) > 1e-14 {
		t.Errorf("%v and %v, of pairs %v and %v", a, b, spearman, kendall)
	}
	scores[4] = make([]float64, 70)
	spearman, kendall = orders(scores)
	a, b = manyOrders(scores)
	if !math.IsNaN(spearman) || !math.IsNaN(kendall) || !math.IsNaN(a) || !math.IsNaN(b) {
		t.Errorf("one ranking is constant: %v and %v, of pairs %v and %v", a, b, spearman, kendall)
	}
}

// subsets are the k-element subsets of n as bits.
func subsets(n, k int) []uint {
	var out []uint
	for s := range uint(1) << n {
		if bits.OnesCount(s) == k {
			out = append(out, s)
		}
	}
	return out
}

// The expected Jaccard index against its definition, by counting.
func TestExpectedJaccard(t *testing.T) {
	for n := 1; n <= 9; n++ {
		for k := 1; k <= n; k++ {
			sets := subsets(n, k)
			sum := 0.0
			for _, s := range sets {
				sum += float64(bits.OnesCount(s&sets[0])) / float64(bits.OnesCount(s|sets[0]))
			}
			equal(t, "expected Jaccard", []float64{expectedJaccard(n, k)}, []float64{sum / float64(len(sets))})
		}
	}
	// What the literature of the field quotes for 84 regions.
	if a, b := expectedJaccard(84, 42), expectedJaccard(84, 21); math.Abs(a-0.33) > 0.01 || math.Abs(b-0.14) > 0.01 {
		t.Errorf("of 42 and 21 in 84: %v, %v", a, b)
	}
}

// Rankings in random order are not told to agree: their p are spread evenly.
func TestAgreementOfNothing(t *testing.T) {
	const times = 400
	mean, small := 0.0, 0
	for i := range times {
		s := random.New(7, i)
		scores := make([][]float64, 5)
		for m := range scores {
			for range 84 {
				scores[m] = append(scores[m], s.Normal())
			}
		}
		a := Agree(scores, 10, 200, s)
		mean += a.Kuncheva / times
		if a.P <= 0.05 {
			small++
		}
	}
	if math.Abs(mean) > 0.01 || small > 32 { // 0.05·400 = 20, sd 4.4
		t.Errorf("mean of Kuncheva's index %v; p ≤ 0.05 in %d of %d", mean, small, times)
	}
}

// TestSignificant: p = 0.05 is not significant, whichever sum or product it comes from.
func TestSignificant(t *testing.T) {
	third := 0.05 / 3
	for p, want := range map[float64]bool{0: true, 1.0 / 21: true, 0.0499: true, PermutationP(0, 19): false,
		PermutationP(9, 199): false, PermutationP(49, 999): false, math.Nextafter(0.05, 0): false, 3 * third: false,
		0.051: false, 1: false, math.NaN(): false} {
		need.Equal(t, Significant(p), want, p)
		need.Equal(t, Powerless(p), p > 0 && !want, p)
	}
}
