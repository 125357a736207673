package main

import (
	"fmt"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/numeric/random"
)

// controls reports how often ridge regression on edges without the effect of motion has p ≤ 0.05, in cohorts in which
// the groups differ in motion alone: with coefficients of all training participants, and of one group.
func controls(cohorts, permutations, threads int) {
	fmt.Println("| fit | accuracy | majority-class rate | p ≤ 0.05 | p ≤ 0.001 |\n| --- | --- | --- | --- | --- |")
	for _, group := range []string{"", "HC"} {
		var sum [4]float64
		for _, of := range each(cohorts, threads, func(seed uint64) [4]float64 {
			return deconfounded(seed, permutations, group)
		}) {
			for k, v := range of {
				sum[k] += v / float64(cohorts)
			}
		}
		name := "all training participants"
		if group != "" {
			name = "controls: " + group
		}
		fmt.Printf("| %s | %.3f | %.3f | %.3f | %.3f |\n", name, sum[0], sum[1], sum[2], sum[3])
	}
}

// deconfounded draws one cohort of 60 controls and 30 patients, who move by 0.06 mm more, and returns accuracy and
// majority-class rate of ridge regression on the residuals, and whether p is at most 0.05 and 0.001.
func deconfounded(seed uint64, permutations int, group string) (out [4]float64) {
	r := random.New(seed, "controls")
	d, effect := design{graphs: 1}, normals(r)
	var ids, groups []string
	var moved []float64
	var matrices []dag.Input
	for i := range 90 {
		mean := 0.15
		ids, groups = append(ids, fmt.Sprintf("sub-%03d", i+1)), append(groups, "HC")
		if i%3 == 0 {
			groups[i], mean = "PAT", 0.21
		}
		moved = append(moved, mean+0.05*r.Normal())
		base := normals(r)
		for j := range base {
			base[j] += float64(4*effect[j]) * moved[i]
		}
		matrices = append(matrices, d.matrices(base, r, ids[i]))
	}
	people := cohortOf(ids, groups, encoding.Column{Name: "mean_fd", Values: moved})
	split := run("split", inputs{"participants": people}, "seed", seed, "permutations", permutations)
	divided := split.one("folds")
	in := inputs{"folds": divided}
	for f := 1; f <= folds; f++ {
		fit := run("deconfound", inputs{"matrices": matrices, "folds": divided, "participants": people},
			"covariates", []any{"mean_fd"}, "fold", f, "controls", group)
		var residuals []dag.Input
		for i, m := range matrices {
			of := run("residualize", inputs{"matrices": {m}, "fitted": fit.one("fitted"),
				"design": fit.one("design")}, "subject", ids[i])
			residuals = append(residuals, of.input("matrices", dag.Coord{Axis: "subject", Value: ids[i]}))
		}
		of := run("baseline", inputs{"pearson": residuals, "folds": divided,
			"permuted": split.one("permuted")}, "model", "ridge", "fold", f)
		in.add(of, fold(f), "predictions", "permuted")
	}
	evaluated := run("evaluate", in)
	for k, column := range []string{"accuracy", "majority", "p"} {
		out[k] = evaluated.last("summary", column) // of participants
	}
	p := out[2]
	out[2], out[3] = 0, 0
	for k, most := range []float64{0.05, 0.001} {
		if p <= most+1e-9 {
			out[2+k] = 1
		}
	}
	return out
}
