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
	people := []dag.Input{dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "group", Values: groups}, encoding.Column{Name: "mean_fd", Values: moved}))}
	split := run("split", map[string][]dag.Input{"participants": people}, "seed", seed, "permutations", permutations)
	divided := []dag.Input{dag.InputOf(split["folds"])}
	in := map[string][]dag.Input{"folds": divided}
	for f := 1; f <= folds; f++ {
		fit := run("deconfound", map[string][]dag.Input{"matrices": matrices, "folds": divided, "participants": people},
			"covariates", []any{"mean_fd"}, "fold", f, "controls", group)
		var residuals []dag.Input
		for i, m := range matrices {
			of := run("residualize", map[string][]dag.Input{"matrices": {m}, "fitted": {dag.InputOf(fit["fitted"])},
				"design": {dag.InputOf(fit["design"])}}, "subject", ids[i])
			residuals = append(residuals, dag.InputOf(of["matrices"], dag.Coord{Axis: "subject", Value: ids[i]}))
		}
		of := run("baseline", map[string][]dag.Input{"pearson": residuals, "folds": divided,
			"permuted": {dag.InputOf(split["permuted"])}}, "model", "ridge", "fold", f)
		at := dag.Coord{Axis: "fold", Value: fmt.Sprint(f)}
		in["predictions"] = append(in["predictions"], dag.InputOf(of["predictions"], at))
		in["permuted"] = append(in["permuted"], dag.InputOf(of["permuted"], at))
	}
	summary := run("evaluate", in)["summary"].(*encoding.Table)
	for k, column := range []string{"accuracy", "majority", "p"} {
		v, err := summary.Floats(column)
		if err != nil {
			panic(err)
		}
		out[k] = v[len(v)-1] // of participants
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
