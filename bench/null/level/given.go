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
	low, high := binomial(cohorts, 0.05)
	fmt.Printf("%d cohorts of each kind, %d permutations; 95 of 100 shares of a test at its level lie in %.3f–%.3f\n\n",
		cohorts, permutations, low, high)
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
	people := []dag.Input{dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "group", Values: groups}, encoding.Column{Name: "site", Values: sites},
		encoding.Column{Name: "age", Values: age}))}
	split := run("split", map[string][]dag.Input{"participants": people}, "seed", seed, "permutations", permutations)
	divided := []dag.Input{dag.InputOf(split["folds"])}
	labels := run("permute-given", map[string][]dag.Input{"folds": divided, "participants": people,
		"permuted": {dag.InputOf(split["permuted"])}}, "covariate", "age", "seed", seed)
	in := map[string][]dag.Input{"folds": divided, "participants": people}
	for _, model := range models {
		for f := 1; f <= folds; f++ {
			out := run("baseline", map[string][]dag.Input{"pearson": matrices, "folds": divided,
				"given": {dag.InputOf(labels["permuted"], dag.Coord{Axis: "covariate", Value: "age"})}}, "model", model,
				"fold", f)
			at := []dag.Coord{{Axis: "model", Value: model}, {Axis: "fold", Value: fmt.Sprint(f)}}
			in["predictions"] = append(in["predictions"], dag.InputOf(out["predictions"], at...))
			in["given"] = append(in["given"], dag.InputOf(out["given"], at...))
		}
	}
	tests := run("confounds", in, "covariates", []any{"age"}, "chains", permutations)["tests"].(*encoding.Table)
	settings, err := tests.Strings("setting")
	if err != nil {
		panic(err)
	}
	full, err := tests.Floats("p_full")
	if err != nil {
		panic(err)
	}
	partial, err := tests.Floats("p_partial")
	if err != nil {
		panic(err)
	}
	var p [][2]float64
	for _, model := range models {
		at := slices.IndexFunc(settings, func(s string) bool { return strings.Contains(s, "="+model) })
		p = append(p, [2]float64{full[at], partial[at]})
	}
	return p
}
