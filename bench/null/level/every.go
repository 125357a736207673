package main

import (
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
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
	low, high := binomial(cohorts, 0.05)
	fmt.Printf("%d cohorts of 60 participants, %d permutations; 95 of 100 shares of a test at its level lie in %.3f–%.3f\n\n",
		cohorts, permutations, low, high)
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
	people := []dag.Input{dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "group", Values: groups}, encoding.Column{Name: "site", Values: sites},
		encoding.Column{Name: "sex", Values: sexes}, encoding.Column{Name: "age", Values: age}))}
	table := func(out dag.Outputs, name string) *encoding.Table { return out[name].(*encoding.Table) }
	column := func(t *encoding.Table, name string) []float64 {
		v, err := t.Floats(name)
		if err != nil {
			panic(err)
		}
		return v
	}
	of := func(t *encoding.Table, by, value, name string) float64 {
		text, err := t.Strings(by)
		if err != nil {
			panic(err)
		}
		if i := slices.Index(text, value); i >= 0 {
			return column(t, name)[i]
		}
		return math.NaN()
	}
	least := func(v []float64) float64 {
		p := 1.0
		for _, x := range v {
			if x < p {
				p = x
			}
		}
		return p
	}

	split := run("split", map[string][]dag.Input{"participants": people}, "seed", seed, "permutations", permutations,
		"stratify_by", []any{"site"})
	divided, permuted := []dag.Input{dag.InputOf(split["folds"])}, []dag.Input{dag.InputOf(split["permuted"])}
	in := map[string][]dag.Input{"folds": divided, "labels": permuted, "participants": people}
	labels := run("permute-given", map[string][]dag.Input{"folds": divided, "permuted": permuted,
		"participants": people}, "covariate", "age", "seed", seed)
	conditional := []dag.Input{dag.InputOf(labels["permuted"], dag.Coord{Axis: "covariate", Value: "age"})}
	var again []dag.Input
	for f := 1; f <= folds; f++ {
		out := run("baseline", map[string][]dag.Input{"pearson": first, "folds": divided, "permuted": permuted,
			"given": conditional}, "model", "ridge", "fold", f)
		at := dag.Coord{Axis: "fold", Value: fmt.Sprint(f)}
		in["predictions"] = append(in["predictions"], dag.InputOf(out["predictions"], at))
		in["permuted"] = append(in["permuted"], dag.InputOf(out["permuted"], at))
		again = append(again, dag.InputOf(out["given"], at))
	}
	evaluated := table(run("evaluate", in), "summary")
	last := func(name string) float64 { v := column(evaluated, name); return v[len(v)-1] }

	alone := table(run("covariates", map[string][]dag.Input{"participants": people}, "permutations", permutations,
		"seed", seed), "checks")

	tested := run("edges", map[string][]dag.Input{"matrices": first, "participants": people}, "permutations",
		permutations, "seed", seed, "covariates", []any{"age"})
	edges, components := table(tested, "edges"), table(tested, "components")

	confounds := run("confounds", map[string][]dag.Input{"folds": divided, "participants": people, "matrices": first,
		"predictions": in["predictions"], "given": again}, "covariates", []any{"age", "sex"}, "permutations",
		permutations, "chains", permutations, "resamples", 20, "seed", seed)
	confounders := table(confounds, "tests")

	groupTests := table(run("subgroups", map[string][]dag.Input{"folds": divided, "participants": people,
		"predictions": in["predictions"]}, "columns", []any{"sex"}, "permutations", permutations, "seed", seed),
		"tests")

	pairs := table(run("reliability", map[string][]dag.Input{"matrices": both, "participants": people},
		"permutations", permutations, "halves", 20, "seed", seed), "pairs")

	return []float64{last("p"), last("auc_p"),
		of(alone, "covariate", "age", "p"), of(alone, "covariate", "sex", "p"),
		least(column(edges, "p_max")), least(column(components, "p")), least(column(edges, "p_tfnbs")),
		least(column(table(tested, "regions"), "p_max")), column(edges, "p")[0], column(edges, "p_permutation")[0],
		column(table(confounds, "summary"), "p")[0],
		of(confounders, "covariate", "age", "p_partial"), of(confounders, "covariate", "age", "p_full"),
		of(groupTests, "measure", "sensitivity", "p"),
		column(pairs, "p")[0]}
}
