package main

import (
	"fmt"

	"prgnn/dag"
	"prgnn/numeric/random"
)

// comparisons reports how often the tests of compare reject, of one algorithm on two measurements of each participant
// that are exchangeable: both have the same expected accuracy.
func comparisons(cohorts, threads int) {
	fmt.Println("| participants | effect | model | repeats | accuracy | McNemar | corrected t |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- |")
	for _, c := range []struct {
		n, repeats int
		models     []string
	}{{118, 1, []string{"ridge", "svm"}}, {40, 1, []string{"ridge", "svm"}}, {40, 10, []string{"ridge"}}} {
		for _, effect := range []float64{0, 0.15} {
			for _, model := range c.models {
				d := design{n: c.n, graphs: 1, share: 0.5}
				of := each(cohorts, threads, func(seed uint64) [3]float64 {
					return d.compare(seed, effect, model, c.repeats)
				})
				var sum [3]float64
				for _, v := range of {
					for k := range sum {
						sum[k] += v[k] / float64(cohorts)
					}
				}
				fmt.Printf("| %d | %g | %s | %d | %.3f | %.3f | %.3f |\n", c.n, effect, model, c.repeats, sum[0], sum[1],
					sum[2])
			}
		}
	}
}

// compare draws one cohort and compares the model on two measurements: its accuracy, and whether p ≤ 0.05.
func (d design) compare(seed uint64, effect float64, model string, repeats int) (out [3]float64) {
	r := random.New(seed, "compare", d.n, effect)
	pattern := normals(r)
	var ids, groups []string
	var first, second []dag.Input
	for i := range d.n {
		ids, groups = append(ids, fmt.Sprintf("sub-%03d", i+1)), append(groups, []string{"A", "B"}[i%2])
		for _, to := range []*[]dag.Input{&first, &second} {
			base := normals(r)
			for j := range base {
				base[j] += float64(effect*pattern[j]) * float64(i%2)
			}
			*to = append(*to, d.matrices(base, r, ids[i]))
		}
	}
	split := run("split", inputs{"participants": cohortOf(ids, groups)}, "seed", seed, "repeats", repeats)
	divided := split.one("folds")
	var predictions []dag.Input
	for k, matrices := range [][]dag.Input{first, second} {
		for rep := 1; rep <= repeats; rep++ {
			for f := 1; f <= folds; f++ {
				of := run("baseline", inputs{"pearson": matrices, "folds": divided}, "model", model,
					"fold", f, "repeat", rep)
				predictions = append(predictions, of.input("predictions", dag.Coord{Axis: "measurement",
					Value: fmt.Sprint(k)}, dag.Coord{Axis: "repeat", Value: fmt.Sprint(rep)},
					dag.Coord{Axis: "fold", Value: fmt.Sprint(f)}))
			}
		}
	}
	compared := run("compare", inputs{"predictions": predictions})
	out[0] = compared.floats("pairs", "accuracy_a")[0]
	for k, column := range []string{"mcnemar_p", "t_p"} {
		if compared.floats("pairs", column)[0] <= 0.05 {
			out[k+1] = 1
		}
	}
	return out
}
