package inference

import (
	"math"
	"testing"

	"prgnn/internal/random"
)

// By hand: of the first model, region 0 has the means 2 and 5 and the squares
// 2 + 2 within; of the second, the other way round and twice as far apart.
func TestContrastsByHand(t *testing.T) {
	nan := math.NaN()
	models := []HeldOut{
		{Person: []int{0, 1, 2, 3}, Scores: [][]float64{{1, 7, nan}, {3, 7, nan}, {4, 7, 1}, {6, 7, nan}}},
		{Person: []int{2, 3, 0, 1}, Scores: [][]float64{{1, 7, nan}, {3, 7, nan}, {7, 7, nan}, {9, 7, nan}}},
	}
	within := math.Sqrt(4. / 2)
	equal(t, "contrasts", Contrasts(models, []int{0, 0, 1, 1}, 2), []float64{(3/within + 6/within) / 2, nan, nan})
	// A third group lies between: the largest difference counts.
	three := []HeldOut{{Person: []int{0, 1, 2, 3, 4, 5}, Scores: [][]float64{{0}, {2}, {3}, {3}, {9}, {11}}}}
	equal(t, "of three groups", Contrasts(three, []int{0, 0, 1, 1, 2, 2}, 3), []float64{9 / math.Sqrt(4./3)})
}

// heldOut are scores of noise by several models, for n participants in turn; the first
// region differs between the groups, with a sign that the models do not share.
func heldOut(s *random.Stream, models, n, regions int, effect float64) (out []HeldOut, group, fold []int) {
	group, fold = make([]int, n), make([]int, n)
	for i := range group {
		group[i] = i % 2
	}
	out = make([]HeldOut, models)
	for i := range n {
		fold[i] = i / 2 % models
		m := &out[fold[i]]
		row := make([]float64, regions)
		for j := range row {
			row[j] = s.Normal()
		}
		sign := float64(1 - 2*(fold[i]%2))
		row[0] += float64(effect*sign) * float64(group[i])
		m.Person, m.Scores = append(m.Person, i), append(m.Scores, row)
	}
	return out, group, fold
}

func TestContrastsFindAndClaimNothing(t *testing.T) {
	s := random.New(1)
	models, group, fold := heldOut(s, 5, 100, 30, 2)
	found := TestContrasts(models, group, 2, fold, 499, s)
	if found[0].P != 1./500 || found[0].PAny != 1./500 || found[0].Value < 2*found[0].Mean {
		t.Errorf("the region that differs: %+v", found[0])
	}
	// Of nothing, p is spread evenly, and a claim about any region is as rare as it says.
	const times = 120
	small, any := 0, 0
	for i := range times {
		s := random.New(2, i)
		models, group, fold := heldOut(s, 5, 60, 10, 0)
		least := 1.0
		for _, c := range TestContrasts(models, group, 2, fold, 99, s) {
			if c.P <= 0.1 {
				small++
			}
			least = min(least, c.PAny)
		}
		if least <= 0.1 {
			any++
		}
	}
	if small < 85 || small > 155 || any < 3 || any > 22 { // 120 ± 10.4, 12 ± 3.3
		t.Errorf("p ≤ 0.1 in %d of %d regions; some region claimed in %d of %d", small, 10*times, any, times)
	}
}
