package inference

import (
	"math"
	"testing"

	"prgnn/numeric/random"
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
	if found[0].P > 0.01 || found[0].PAny > 0.05 || found[0].Value < 2*found[0].Mean {
		t.Errorf("the region that differs: %+v", found[0])
	}
	// Of nothing, one model's p is spread evenly, and a claim about any region is as rare as it says.
	const times = 120
	small, any := 0, 0
	for i := range times {
		s := random.New(2, i)
		models, group, fold := heldOut(s, 1, 24, 10, 0)
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

// Folds share their training participants: a score is a projection of noise on the difference between the groups in the
// training participants, so the folds' contrasts depend on each other. No region differs, and p holds its level.
func TestContrastsOfDependentFolds(t *testing.T) {
	const times, n, regions, features, folds = 200, 40, 4, 30, 2
	small, any := 0, 0
	for k := range times {
		s := random.New(3, k)
		group, x := make([]int, n), make([][][]float64, n)
		for i := range group {
			group[i], x[i] = i/folds%2, make([][]float64, regions)
			for j := range x[i] {
				x[i][j] = make([]float64, features)
				s.Normals(x[i][j])
			}
		}
		models := make([]HeldOut, folds)
		for f := range models {
			for i := range group {
				if i%folds != f {
					continue
				}
				row := make([]float64, regions)
				for j := range row {
					for m := range n {
						if m%folds != f {
							for l, v := range x[m][j] {
								row[j] += float64(v*x[i][j][l]) * float64(2*group[m]-1)
							}
						}
					}
				}
				models[f].Person, models[f].Scores = append(models[f].Person, i), append(models[f].Scores, row)
			}
		}
		of := make([]int, n)
		for i := range of {
			of[i] = i % folds
		}
		least := 1.0
		for _, c := range TestContrasts(models, group, 2, of, 99, s) {
			if c.P <= 0.2 {
				small++
			}
			least = min(least, c.PAny)
		}
		if least <= 0.2 {
			any++
		}
	}
	t.Logf("p ≤ 0.2: %d of %d regions, some in %d of %d cohorts", small, times*regions, any, times)
	if small > 190 || any > 55 || small < 20 { // at the level 160 ± 11.3, 40 ± 5.7; pooled over the folds
		t.Errorf("p ≤ 0.2 in %d of %d regions; some region claimed in %d of %d", small, times*regions, any, times)
	}
}

// Where sites differ in scores and groups, p is of the scores within sites: a contrast of the opposite sign over all
// participants is found, and none is claimed where the groups do not differ within sites.
func TestContrastsWithinSites(t *testing.T) {
	simulate := func(effect float64, s *random.Stream) (models []HeldOut, group, site []int) {
		models = make([]HeldOut, 1)
		for i := range 80 {
			at, g := i/40, 0
			if s.Float64() < []float64{0.3, 0.7}[at] {
				g = 1
			}
			group, site = append(group, g), append(site, at)
			models[0].Person = append(models[0].Person, i)
			models[0].Scores = append(models[0].Scores,
				[]float64{float64(3*float64(at)) + s.Normal() - float64(effect*float64(g)), s.Normal()})
		}
		return models, group, site
	}
	const times = 200
	small := 0
	for k := range times {
		s := random.New(5, k)
		models, group, site := simulate(0, s)
		if TestContrasts(models, group, 2, site, 99, s)[0].P <= 0.1 {
			small++
		}
	}
	if small < 8 || small > 33 { // 20, sd 4.2
		t.Errorf("p ≤ 0.1 in %d of %d", small, times)
	}
	s := random.New(6)
	models, group, site := simulate(1, s)
	if c := TestContrasts(models, group, 2, site, 999, s)[0]; c.P > 0.01 || !(c.Value < c.Mean) {
		t.Errorf("%+v", c)
	}
}
