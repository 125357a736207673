// Learning simulates cohorts whose learning curve is known, and prints how often the intervals of the kind
// learning-curve contain the AUC of models trained on as many participants as each fold, and on twice as many
// (docs/statistics.md). Inputs are those of bench/null/coverage, models are ridge regression.
//
//	go run ./bench/null/learning [COHORTS]
//
// Of cohorts of 60 to 240 participants the intervals cover at least 0.95, without an effect at least 0.84 at twice the
// participants.
package main

import (
	"fmt"
	"log"
	"os"
	"strconv"

	"prgnn/gnn"
	"prgnn/gnn/baseline"
	"prgnn/numeric/random"
	"prgnn/stages/inference"
)

const (
	inputs, carriers, folds, orders = 60, 12, 5, 5
	resamples, penalty              = 200, 30
)

var shares = []float64{0.1, 0.2, 0.35, 0.5, 0.75, 1}

// draw adds n participants of each class.
func draw(s *random.Stream, x *baseline.Rows, label []int, n int, effect float64) []int {
	x.D = inputs
	for i := range 2 * n {
		l := i % 2
		for k := range inputs {
			v := s.Normal()
			if k < carriers {
				v += effect * (float64(l) - 0.5)
			}
			x.X = append(x.X, v)
		}
		x.N, label = x.N+1, append(label, l)
	}
	return label
}

// some are rows of others.
func some(x baseline.Rows, label, at []int) (baseline.Rows, []int) {
	out, l := baseline.Rows{N: len(at), D: x.D}, make([]int, len(at))
	for i, k := range at {
		out.X, l[i] = append(out.X, x.Row(k)...), label[k]
	}
	return out, l
}

// area is the AUC on some participants of a model of others.
func area(x baseline.Rows, label []int, test baseline.Rows, of []int) float64 {
	m, err := baseline.FitRidge(x, label, 2, penalty, 1)
	if err != nil {
		log.Fatal(err)
	}
	p, is := make([]float64, test.N), make([]bool, test.N)
	for i, v := range m.Probability(test, 1) {
		if i%2 == 1 {
			p[i/2], is[i/2] = v, of[i/2] == 1
		}
	}
	return gnn.AUC(p, is)
}

// truth is the expected AUC of models of so many participants.
func truth(n int, effect float64) float64 {
	sum, trainings := 0.0, 400
	for k := range trainings {
		s := random.New(1, "truth", n, effect, k)
		var x, test baseline.Rows
		label := draw(s, &x, nil, n/2, effect)
		of := draw(s, &test, nil, 1000, effect)
		sum += area(x, label, test, of) / float64(trainings)
	}
	return sum
}

// cohort is the curve of one cohort of n participants.
func cohort(seed, n int, effect float64) (*inference.LearningCurve, bool) {
	s := random.New(uint64(seed), "cohort", n, effect)
	var x baseline.Rows
	label := draw(s, &x, nil, n/2, effect)
	fold := make([]int, n)
	for i := range fold { // stratified: labels alternate
		fold[i] = i / 2 % folds
	}
	v := inference.Validation{}
	sizes := make([]float64, len(shares))
	var all []inference.Learned
	for f := range folds {
		var test []int
		var train [2][]int
		for i, of := range fold {
			if of == f {
				test = append(test, i)
			} else {
				train[label[i]] = append(train[label[i]], i)
			}
		}
		v.Test, v.Train = append(v.Test, float64(len(test))), append(v.Train, float64(n-len(test)))
		rows, of := some(x, label, test)
		var learned inference.Learned
		for range orders {
			for c := range train {
				s.Shuffle(len(train[c]), func(i, j int) { train[c][i], train[c][j] = train[c][j], train[c][i] })
			}
			var errors []float64
			for k, share := range shares {
				m := inference.Sizes(share, []int{len(train[0]), len(train[1])})
				r, l := some(x, label, append(append([]int{}, train[0][:m[0]]...), train[1][:m[1]]...))
				errors = append(errors, 1-area(r, l, rows, of))
				sizes[k] += float64(r.N) / folds / orders
			}
			learned = append(learned, errors)
		}
		all = append(all, learned)
	}
	c := inference.NewLearningCurve(sizes, all, v)
	if c.Flat() {
		return c, false
	}
	c.Fit(all, v, v.SampledAUC(float64(n)/2, float64(n)/2), resamples, s)
	return c, true
}

func main() {
	cohorts := 200
	if len(os.Args) > 1 {
		var err error
		if cohorts, err = strconv.Atoi(os.Args[1]); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("participants, effect: share of cohorts with a fit; of these, at each size: true AUC, mean, coverage, width")
	for _, n := range []int{60, 120, 240} {
		for _, effect := range []float64{0, 0.3, 0.5, 0.9} {
			fitted := 0.0
			var at [2]struct{ truth, mean, inside, width float64 }
			size := [2]int{4 * n / 5, 8 * n / 5}
			for i := range at {
				at[i].truth = truth(size[i], effect)
			}
			for k := range cohorts {
				c, ok := cohort(k, n, effect)
				if !ok {
					continue
				}
				fitted++
				for i := range at {
					error, low, high := c.At(float64(size[i]))
					at[i].mean += 1 - error
					at[i].width += high - low
					if want := 1 - at[i].truth; low <= want && want <= high {
						at[i].inside++
					}
				}
			}
			fmt.Printf("%d, %.1f: %.2f", n, effect, fitted/float64(cohorts))
			for i, a := range at {
				fmt.Printf("   at %d: %.3f, %.3f, %.3f, %.2f", size[i], a.truth, a.mean/fitted, a.inside/fitted, a.width/fitted)
			}
			fmt.Println()
		}
	}
}
