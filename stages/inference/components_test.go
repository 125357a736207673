package inference

import (
	"math"
	"testing"

	"prgnn/numeric/random"
)

// Table 2 of Shrout and Fleiss (1979): six targets, four judges; their ICC(1,1) is 0.17.
func TestComponentsAsShroutAndFleiss(t *testing.T) {
	targets := [][]float64{{9, 2, 5, 8}, {6, 1, 3, 2}, {8, 4, 6, 8}, {7, 1, 2, 6}, {10, 5, 6, 9}, {6, 2, 4, 7}}
	judges := make([][][]float64, 4)
	for p := range judges {
		row := make([]float64, len(targets))
		for r := range targets {
			row[r] = targets[r][p]
		}
		judges[p] = [][]float64{row}
	}
	c := VarianceComponents(judges)
	// By their table: between targets 11.24, within 6.26 (mean squares, of four judges).
	equal(t, "components", []float64{c.Common, c.Individual, c.Draw},
		[]float64{(56.208333333333336/5 - 112.75/18) / 4, 112.75 / 18, 0})
	if icc := 1 - c.Share(); math.Abs(icc-0.17) > 0.005 {
		t.Errorf("ICC(1,1) %v", icc)
	}
}

// The mean squares of nested analysis of variance, by their sums of squares.
func nested(x [][][]float64) Components {
	P, D, R := len(x), len(x[0]), len(x[0][0])
	mean := func(people, draws, regions []int) float64 {
		s := 0.0
		for _, p := range people {
			for _, d := range draws {
				for _, r := range regions {
					s += x[p][d][r]
				}
			}
		}
		return s / float64(len(people)*len(draws)*len(regions))
	}
	span := func(n int) (v []int) {
		for i := range n {
			v = append(v, i)
		}
		return v
	}
	people, draws, regions := span(P), span(D), span(R)
	grand, ssR, ssP, ssD := mean(people, draws, regions), 0.0, 0.0, 0.0
	for _, r := range regions {
		of := mean(people, draws, []int{r})
		ssR += float64(P*D) * (of - grand) * (of - grand)
		for _, p := range people {
			own := mean([]int{p}, draws, []int{r})
			ssP += float64(D) * (own - of) * (own - of)
			for _, d := range draws {
				ssD += (x[p][d][r] - own) * (x[p][d][r] - own)
			}
		}
	}
	msR, msP, msD := ssR/float64(R-1), ssP/float64(R*(P-1)), ssD/float64(R*P*(D-1))
	return Components{(msR - msP) / float64(P*D), (msP - msD) / float64(D), msD}
}

// scoresOf makes scores with these standard deviations.
func scoresOf(s *random.Stream, people, draws, regions int, common, individual, draw float64) [][][]float64 {
	of := make([]float64, regions)
	for r := range of {
		of[r] = common * s.Normal()
	}
	x := make([][][]float64, people)
	for p := range x {
		x[p] = make([][]float64, draws)
		for d := range x[p] {
			x[p][d] = make([]float64, regions)
		}
		for r := range regions {
			own := individual * s.Normal()
			for d := range x[p] {
				x[p][d][r] = 0.5 + of[r] + own + draw*s.Normal()
			}
		}
	}
	return x
}

func TestComponentsBySlowDefinition(t *testing.T) {
	x := scoresOf(random.New(3), 7, 4, 9, 0.3, 0.2, 0.1)
	got, want := VarianceComponents(x), nested(x)
	equal(t, "components", []float64{got.Common, got.Individual, got.Draw},
		[]float64{want.Common, want.Individual, want.Draw})
}

// Of scores whose components are known, and of people of whom everybody is alike.
func TestIndividual(t *testing.T) {
	s := random.New(5)
	var models [][]Cell
	for range 5 {
		models = append(models, []Cell{{0, scoresOf(s, 15, 5, 84, 0.2, 0.1, 0.1)},
			{1, scoresOf(s, 9, 5, 84, 0.2, 0.1, 0.1)}})
	}
	got := Individual(models, 10)
	if math.Abs(got.Share-0.2) > 0.02 || !(got.ShareLow < 0.2 && 0.2 < got.ShareHigh) ||
		got.ShareHigh-got.ShareLow > 0.05 || got.People != 120 || got.Draws != 5 {
		t.Errorf("a share of 0.2 is %+v", got)
	}
	// Pairs by hand.
	sum, n := 0.0, 0.0
	for _, cells := range models {
		for _, c := range cells {
			for i := range c.Scores {
				for j := range i {
					a, b := Top(drawMean(c.Scores[i]), 10), Top(drawMean(c.Scores[j]), 10)
					both, either := regionsOf(a).overlap(regionsOf(b))
					sum += both / either
					n++
				}
			}
		}
	}
	equal(t, "Jaccard", []float64{got.Jaccard}, []float64{sum / n})
	if !(got.JaccardApart < got.JaccardLow) || math.Abs(got.JaccardApart-got.JaccardLuck) > 0.03 {
		t.Errorf("groups without anything in common: %+v", got)
	}
	alike := scoresOf(s, 1, 3, 84, 0.2, 0, 0)[0]
	got = Individual([][]Cell{{{0, [][][]float64{alike, alike, alike}}}}, 10)
	if got.Share > 1e-12 || got.Jaccard != 1 || !math.IsNaN(got.JaccardApart) {
		t.Errorf("everybody is alike: %+v", got)
	}
}

func drawMean(x [][]float64) []float64 {
	out := make([]float64, len(x[0]))
	for _, d := range x {
		for r, v := range d {
			out[r] += v / float64(len(x))
		}
	}
	return out
}
