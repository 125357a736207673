package inference

import (
	"math"
	"testing"

	"prgnn/numeric/random"
)

// The interval of a mean of 60 normal values covers the true mean nearly as often
// as it says: the percentile interval is a little short.
func TestBootstrapCovers(t *testing.T) {
	const times = 300
	hits, widths := 0, 0.0
	for i := range times {
		s := random.New(3, i)
		scores, stratum := make([][]float64, 60), make([]int, 60)
		for p := range scores {
			scores[p], stratum[p] = []float64{2 + s.Normal()}, p%2
		}
		b := BootstrapRanking(scores, stratum, 1, 400, s)[0]
		widths += (b.High - b.Low) / times
		if b.Low <= 2 && 2 <= b.High {
			hits++
		}
	}
	if hits < 270 || hits > 297 || math.Abs(widths-2*1.96/math.Sqrt(60)) > 0.03 {
		t.Errorf("%d of %d intervals cover; mean width %v", hits, times, widths)
	}
}

// What never changes is certain; what is missing has no interval and comes last.
func TestBootstrapOfCertain(t *testing.T) {
	nan := math.NaN()
	b := BootstrapRanking([][]float64{{3, nan, 1, 7}, {3, nan, 2, 7}, {3, nan, 1, 7}}, []int{0, 0, 1},
		2, 200, random.New(1))
	for j, want := range []Spread{{3, 3, 2, 2, 1}, {nan, nan, 4, 4, 0}, {1, 5. / 3, 3, 3, 0}, {7, 7, 1, 1, 1}} {
		got := b[j]
		equal(t, "spread", []float64{got.Low, got.High, float64(got.RankLow), float64(got.RankHigh), got.Top},
			[]float64{want.Low, want.High, float64(want.RankLow), float64(want.RankHigh), want.Top})
	}
}

// Groups keep their sizes: the mean of a region that only tells the groups does not
// move at all.
func TestBootstrapWithinStrata(t *testing.T) {
	var scores [][]float64
	var stratum []int
	for p := range 20 {
		g := p % 2
		scores, stratum = append(scores, []float64{float64(g)}), append(stratum, g)
	}
	if b := BootstrapRanking(scores, stratum, 1, 100, random.New(1))[0]; b.Low != 0.5 || b.High != 0.5 {
		t.Errorf("interval %v–%v, want 0.5", b.Low, b.High)
	}
}
