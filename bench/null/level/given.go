package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/numeric/random"
)

// A confounded is a kind of cohort in which age, and possibly the group, are related to the edges.
type confounded struct {
	name       string
	age, group float64 // effects on some edges, in SD
	odds       float64 // of the group, for 1 SD of age, as a logarithm
}

// given reports how often the confounder tests of age have p ≤ 0.05. The full test holds its level in the first two
// kinds; the third shows its power.
func given(cohorts, permutations, threads int, only string, models []string) {
	introduce("of each kind", cohorts, permutations)
	fmt.Println("| participants | edges | model | full test: p ≤ 0.05 | p ≤ 0.2 | p ≤ 0.5 | partial test: p ≤ 0.05 |\n| --- | --- | --- | --- | --- | --- | --- |")
	for _, n := range []int{40, 118} {
		for _, kind := range []confounded{{"independent of all", 0, 0, 0}, {"hold age, as the group does", 1, 0, 1.5},
			{"hold age and the group", 1, 1, 1.5}} {
			if !strings.Contains(fmt.Sprint(n, " ", kind.name), only) {
				continue
			}
			of := each(cohorts, threads, func(seed uint64) [][2]float64 {
				return kind.cohort(n, seed, permutations, models)
			})
			for m, model := range models {
				share := func(test int, level float64) float64 {
					below := 0.0
					for _, p := range of {
						if p[m][test] <= level+1e-9 {
							below++
						}
					}
					return below / float64(cohorts)
				}
				fmt.Printf("| %d | %s | %s | %.3f | %.3f | %.3f | %.3f |\n", n, kind.name, model, share(0, 0.05), share(0, 0.2),
					share(0, 0.5), share(1, 0.05))
			}
		}
	}
}

// cohort draws one at two sites, and has the p of the full and the partial test of each model.
func (c confounded) cohort(n int, seed uint64, permutations int, models []string) [][2]float64 {
	r := random.New(seed, "given", n, c.name)
	d := design{n: n, graphs: 1}
	var ids, groups, sites []string
	var age []float64
	var matrices []dag.Input
	for i := range n {
		ids, sites = append(ids, fmt.Sprintf("sub-%03d", i+1)), append(sites, fmt.Sprint("site", i%2))
		age = append(age, r.Normal())
		group := "A"
		if r.Float64() < 1/(1+math.Exp(-c.odds*age[i])) {
			group = "B"
		}
		groups = append(groups, group)
		base := normals(r)
		for j := range base {
			if j%7 == 0 {
				base[j] += float64(c.age * age[i])
			}
			if j%7 == 0 && group == "B" {
				base[j] += c.group
			}
		}
		matrices = append(matrices, d.matrices(base, r, ids[i]))
	}
	people := cohortOf(ids, groups, encoding.Column{Name: "site", Values: sites},
		encoding.Column{Name: "age", Values: age})
	split := run("split", inputs{"participants": people}, "seed", seed, "permutations", permutations)
	divided := split.one("folds")
	labels := run("permute-given", inputs{"folds": divided, "participants": people,
		"permuted": split.one("permuted")}, "covariate", "age", "seed", seed)
	in := inputs{"folds": divided, "participants": people}
	for _, model := range models {
		for f := 1; f <= folds; f++ {
			out := run("baseline", inputs{"pearson": matrices, "folds": divided,
				"given": {labels.input("permuted", dag.Coord{Axis: "covariate", Value: "age"})}}, "model", model,
				"fold", f)
			in.add(out, append([]dag.Coord{{Axis: "model", Value: model}}, fold(f)...), "predictions", "given")
		}
	}
	tested := run("confounds", in, "covariates", []any{"age"}, "chains", permutations)
	settings := tested.texts("tests", "setting")
	full, partial := tested.floats("tests", "p_full"), tested.floats("tests", "p_partial")
	var p [][2]float64
	for _, model := range models {
		at := slices.IndexFunc(settings, func(s string) bool { return strings.Contains(s, "="+model) })
		p = append(p, [2]float64{full[at], partial[at]})
	}
	return p
}
