package main

import (
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/numeric/random"
	"prgnn/stages/column"
)

// maskNulls are the p values of masks, in the order of its rows.
var maskNulls = []string{"`fidelity`: top regions removed, ranking in random order", "`fidelity`: kept alone",
	"`fidelity`: removed, three different scores", "`fidelity`: kept alone, three scores",
	"`qcfc`: one edge, 60 participants", "`qcfc`: any edge after FDR", "`qcfc`: one edge given age",
	"`qcfc`: one edge, 20 participants", "`qcfc`: any edge after FDR, 20"}

// masks draws a cohort whose series are independent of head motion, which is skewed, and a ranking of the regions that
// is independent of a model trained on the series.
func masks(seed uint64, permutations int) []float64 {
	const n, few, nodes, volumes, top = 60, 20, 12, 80, 4
	r := random.New(seed, "masks")
	var ids, groups []string
	var age []float64
	var series, cleaning, edges, features []dag.Input
	for i := range n {
		ids, groups = append(ids, fmt.Sprintf("sub-%03d", i+1)), append(groups, []string{"A", "B"}[i%2])
		age = append(age, 10+float64(10*r.Float64()))
		x, common := make([]float64, volumes*nodes), r.Normal()
		for v := range volumes {
			shared := r.Normal()
			for j := range nodes {
				x[v*nodes+j] = r.Normal() + float64((0.8+0.2*common)*shared)
			}
			if i%2 == 1 { // the groups differ in the first two regions, so that the model has something to use
				x[v*nodes+1] += x[v*nodes]
			}
		}
		at := dag.Coord{Axis: "subject", Value: ids[i]}
		series = append(series, dag.InputOf(encoding.NewArray(x, 1, volumes, nodes), at))
		cleaning = append(cleaning, dag.InputOf(column.Table([]column.CleaningRow{{Volumes: volumes, Kept: volumes,
			TEff: volumes - 2, TR: 2, MeanFD: 0.1 * math.Exp(0.7*r.Normal()), MaxFD: 1, Strategy: "none"}}), at))
		of := run("connectivity", inputs{"series": {series[i]}})
		graph := run("graph", inputs{"pearson": {of.input("pearson", at)},
			"partial": {of.input("partial", at)}}, "density", 0.3)
		edges = append(edges, dag.InputOf(graph["edges"], at))
		features = append(features, dag.InputOf(graph["features"], at))
	}
	people := cohortOf(ids, groups, encoding.Column{Name: "age", Values: age})
	split := run("split", inputs{"participants": people}, "seed", seed)
	var models []dag.Input
	for f := 1; f <= 2; f++ {
		of := run("train", inputs{"edges": edges, "features": features,
			"folds": split.one("folds")}, "fold", f, "epochs", 10, "seed", seed)
		models = append(models, of.input("model", dag.Coord{Axis: "fold", Value: fmt.Sprint(f)}))
	}
	var out []float64
	for _, levels := range []int{nodes, 3} {
		var rank, index []int32
		var score []float64
		for k, j := range r.Perm(nodes) {
			rank, index = append(rank, int32(k+1)), append(index, int32(j+1))
			score = append(score, float64((nodes-1-k)*levels/nodes))
		}
		if levels < nodes { // equal scores by their numbers, as biomarkers lists them
			for lo := 0; lo < nodes; lo += nodes / levels {
				slices.Sort(index[lo:][:nodes/levels])
			}
		}
		ranking := encoding.NewTable(encoding.Column{Name: "rank", Values: rank},
			encoding.Column{Name: "index", Values: index}, encoding.Column{Name: "score", Values: score})
		of := run("fidelity", inputs{"model": models, "edges": edges, "features": features,
			"participants": people, "ranking": {dag.InputOf(ranking)}}, "order", "group", "k", []any{top - 1},
			"random", permutations, "seed", seed)
		out = append(out, of.floats("fidelity", "p")...)
	}
	motion := func(n int, parameters ...any) (one, least float64) {
		of := run("qcfc", inputs{"series": series[:n], "cleaning": cleaning[:n],
			"participants": people}, parameters...)
		return of.floats("edges", "p")[0], slices.Min(of.floats("edges", "q"))
	}
	one, least := motion(n)
	given, _ := motion(n, "covariates", []any{"age"})
	fewOne, fewAny := motion(few)
	return append(out, one, least, given, fewOne, fewAny)
}
