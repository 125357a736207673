package main

import (
	"fmt"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/numeric/random"
	"prgnn/stages/column"
)

// furtherNulls are the p values of further, in the order of its rows.
var furtherNulls = []string{"`biomarkers`: contrast of one region", "`biomarkers`: any region (`p_any`)",
	"`multiverse`: median of two universes", "`multiverse`: share", "`multiverse`: stouffer", "`multiverse`: best universe",
	"`validate`: new participants taken for training participants (`held_out_p`)"}

// further draws a cohort without a group difference, scores of regions, and new participants.
func further(seed uint64, permutations int) []float64 {
	const n, fresh = 60, 40
	r := random.New(seed, "further")
	d := design{n: n, graphs: 1}
	cohort := func(n int, prefix string) (people dag.Input, matrices []dag.Input) {
		var ids, groups []string
		for i := range n {
			ids, groups = append(ids, fmt.Sprintf("%s%03d", prefix, i+1)), append(groups, []string{"A", "B"}[i%2])
			matrices = append(matrices, d.matrices(normals(r), r, ids[i]))
		}
		return dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
			encoding.Column{Name: "group", Values: groups})), matrices
	}
	people, matrices := cohort(n, "sub-")
	others, new := cohort(fresh, "sub-new")
	split := run("split", map[string][]dag.Input{"participants": {people}}, "seed", seed, "permutations", permutations)
	divided, permuted := []dag.Input{dag.InputOf(split["folds"])}, []dag.Input{dag.InputOf(split["permuted"])}
	members, err := column.Read[struct {
		ID   string `column:"participant_id"`
		Fold int32  `column:"fold"`
	}](divided[0])
	if err != nil {
		panic(err)
	}
	var universes, again, models, scores []dag.Input
	for f := 1; f <= folds; f++ {
		at := dag.Coord{Axis: "fold", Value: fmt.Sprint(f)}
		for _, model := range []string{"kernel-ridge", "ridge"} {
			out := run("baseline", map[string][]dag.Input{"pearson": matrices, "folds": divided, "permuted": permuted},
				"model", model, "fold", f)
			coords := []dag.Coord{{Axis: "model", Value: model}, at}
			universes = append(universes, dag.InputOf(out["predictions"], coords...))
			again = append(again, dag.InputOf(out["permuted"], coords...))
			if model == "ridge" {
				models = append(models, dag.InputOf(out["file"], at))
			}
		}
		var ids, sets []string
		var draw, layer, index []int32
		var score []float64
		var kept []bool
		for _, m := range members {
			for region := range regions {
				if int(m.Fold) == f {
					ids, sets, draw = append(ids, m.ID), append(sets, "test"), append(draw, 0)
					layer, index = append(layer, 1), append(index, int32(region+1))
					score, kept = append(score, r.Float64()), append(kept, true)
				}
			}
		}
		scores = append(scores, dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
			encoding.Column{Name: "draw", Values: draw}, encoding.Column{Name: "set", Values: sets},
			encoding.Column{Name: "layer", Values: layer}, encoding.Column{Name: "index", Values: index},
			encoding.Column{Name: "score", Values: score}, encoding.Column{Name: "kept", Values: kept}), at))
	}
	column := func(out dag.Outputs, table, name string) []float64 {
		v, err := out[table].(*encoding.Table).Floats(name)
		if err != nil {
			panic(err)
		}
		return v
	}
	var names []string
	var indexes []int32
	for region := range int32(regions) {
		names, indexes = append(names, fmt.Sprint("region", region+1)), append(indexes, region+1)
	}
	nodes := dag.InputOf(encoding.NewTable(encoding.Column{Name: "index", Values: indexes},
		encoding.Column{Name: "id", Values: indexes}, encoding.Column{Name: "name", Values: names},
		encoding.Column{Name: "abbreviation", Values: names}))
	ranking := run("biomarkers", map[string][]dag.Input{"scores": scores, "participants": {people}, "nodes": {nodes}})
	least := 1.0
	for _, p := range column(ranking, "ranking", "p_any") {
		least = min(least, p)
	}
	joint := run("multiverse", map[string][]dag.Input{"predictions": universes, "permuted": again})
	statistics, err := joint["joint"].(*encoding.Table).Strings("statistic")
	if err != nil {
		panic(err)
	}
	of := map[string]float64{}
	for i, p := range column(joint, "joint", "p") {
		of[statistics[i]] = p
	}
	validated := run("validate", map[string][]dag.Input{"model": models, "matrices": new, "participants": {others}})
	return []float64{column(ranking, "ranking", "p")[int(seed)%regions], least, of["median"], of["share"],
		of["stouffer"], of["best"], column(validated, "summary", "held_out_p")[0]}
}
