package main

import (
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/numeric/random"
)

// nulls are the p values of one cohort in which everything is independent of everything, in the order of the table.
var nulls = []string{
	"`evaluate`: accuracy, retrained (ridge regression)", "`evaluate`: AUC, retrained",
	"`covariates`: age, within sites", "`covariates`: sex, within sites",
	"`edges`: largest of all edges (max-t)", "`edges`: largest component (nbs)", "`edges`: largest TFNBS",
	"`edges`: largest region", "`edges`: one edge, parametric", "`edges`: one edge, by permutation",
	"`confounds`: information of the edges beyond age and sex",
	"`confounds`: partial test of age", "`confounds`: full test given age",
	"`subgroups`: sensitivity, by sex",
	"`reliability`: identification, within sites",
}

// every reports how often each p of a cohort is small where the null hypothesis holds.
func every(cohorts, permutations, threads int, nulls []string, cohort func(seed uint64, permutations int) []float64) {
	of := each(cohorts, threads, func(seed uint64) []float64 { return cohort(seed, permutations) })
	introduce("of 60 participants", cohorts, permutations)
	fmt.Println("| p | cohorts | p ≤ 0.05 | p ≤ 0.2 | p ≤ 0.5 |\n| --- | --- | --- | --- | --- |")
	for k, name := range nulls {
		var below [3]float64
		n := 0.0
		for _, p := range of {
			if math.IsNaN(p[k]) {
				continue
			}
			n++
			for i, level := range []float64{0.05, 0.2, 0.5} {
				if p[k] <= level+1e-9 {
					below[i]++
				}
			}
		}
		fmt.Printf("| %s | %.0f | %.3f | %.3f | %.3f |\n", name, n, below[0]/n, below[1]/n, below[2]/n)
	}
}

// nullCohort draws a cohort with sites, in which groups, age, sex and two sessions of edges are independent.
func nullCohort(seed uint64, permutations int) []float64 {
	const n = 60
	r := random.New(seed, "every")
	d := design{n: n, graphs: 1}
	var ids, groups, sites, sexes []string
	var age []float64
	var first, both []dag.Input
	shift := [3][]float64{normals(r), normals(r), normals(r)}
	for i := range n {
		ids, sites = append(ids, fmt.Sprintf("sub-%03d", i+1)), append(sites, fmt.Sprint("site", i%3))
		groups = append(groups, []string{"A", "B"}[r.IntN(2)])
		sexes, age = append(sexes, []string{"F", "M"}[r.IntN(2)]), append(age, 10+float64(10*r.Float64()))
		for session := range 2 {
			base := normals(r)
			for j := range base {
				base[j] += shift[i%3][j]
			}
			m := d.matrices(base, r, ids[i])
			if session == 0 {
				first = append(first, m)
			}
			m.Coords = append(slices.Clone(m.Coords), dag.Coord{Axis: "session", Value: fmt.Sprint(session + 1)})
			both = append(both, m)
		}
	}
	people := cohortOf(ids, groups, encoding.Column{Name: "site", Values: sites},
		encoding.Column{Name: "sex", Values: sexes}, encoding.Column{Name: "age", Values: age})
	of := func(m made, table, by, value, name string) float64 {
		if i := slices.Index(m.texts(table, by), value); i >= 0 {
			return m.floats(table, name)[i]
		}
		return math.NaN()
	}

	split := run("split", inputs{"participants": people}, "seed", seed, "permutations", permutations,
		"stratify_by", []any{"site"})
	divided, permuted := split.one("folds"), split.one("permuted")
	in := inputs{"folds": divided, "labels": permuted, "participants": people}
	labels := run("permute-given", inputs{"folds": divided, "permuted": permuted,
		"participants": people}, "covariate", "age", "seed", seed)
	conditional := []dag.Input{labels.input("permuted", dag.Coord{Axis: "covariate", Value: "age"})}
	var again []dag.Input
	for f := 1; f <= folds; f++ {
		out := run("baseline", inputs{"pearson": first, "folds": divided, "permuted": permuted,
			"given": conditional}, "model", "ridge", "fold", f)
		in.add(out, fold(f), "predictions", "permuted")
		again = append(again, out.input("given", fold(f)...))
	}
	evaluated := run("evaluate", in)
	alone := run("covariates", inputs{"participants": people}, "permutations", permutations, "seed", seed)
	edges := run("edges", inputs{"matrices": first, "participants": people}, "permutations", permutations, "seed", seed,
		"covariates", []any{"age"})
	confounds := run("confounds", inputs{"folds": divided, "participants": people, "matrices": first,
		"predictions": in["predictions"], "given": again}, "covariates", []any{"age", "sex"}, "permutations",
		permutations, "chains", permutations, "resamples", 20, "seed", seed)
	subgroups := run("subgroups", inputs{"folds": divided, "participants": people, "predictions": in["predictions"]},
		"columns", []any{"sex"}, "permutations", permutations, "seed", seed)
	pairs := run("reliability", inputs{"matrices": both, "participants": people}, "permutations", permutations,
		"halves", 20, "seed", seed)
	return []float64{evaluated.last("summary", "p"), evaluated.last("summary", "auc_p"),
		of(alone, "checks", "covariate", "age", "p"), of(alone, "checks", "covariate", "sex", "p"),
		least(edges.floats("edges", "p_max")), least(edges.floats("components", "p")),
		least(edges.floats("edges", "p_tfnbs")), least(edges.floats("regions", "p_max")),
		edges.floats("edges", "p")[0], edges.floats("edges", "p_permutation")[0],
		confounds.floats("summary", "p")[0],
		of(confounds, "tests", "covariate", "age", "p_partial"), of(confounds, "tests", "covariate", "age", "p_full"),
		of(subgroups, "tests", "measure", "sensitivity", "p"),
		pairs.floats("pairs", "p")[0]}
}

// least is the smallest p that is there, 1 for none.
func least(p []float64) float64 {
	there := lists.Keep(p, func(x float64) bool { return !math.IsNaN(x) })
	return slices.Min(append(there, 1))
}
