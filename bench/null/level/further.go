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
	cohort := func(n int, prefix string) (people, matrices []dag.Input) {
		var ids, groups []string
		for i := range n {
			ids, groups = append(ids, fmt.Sprintf("%s%03d", prefix, i+1)), append(groups, []string{"A", "B"}[i%2])
			matrices = append(matrices, d.matrices(normals(r), r, ids[i]))
		}
		return cohortOf(ids, groups), matrices
	}
	people, matrices := cohort(n, "sub-")
	others, new := cohort(fresh, "sub-new")
	split := run("split", inputs{"participants": people}, "seed", seed, "permutations", permutations)
	divided, permuted := split.one("folds"), split.one("permuted")
	members := must(column.Read[struct {
		ID   string `column:"participant_id"`
		Fold int32  `column:"fold"`
	}](divided[0]))
	var universes, again, models, scores []dag.Input
	for f := 1; f <= folds; f++ {
		at := dag.Coord{Axis: "fold", Value: fmt.Sprint(f)}
		for _, model := range []string{"kernel-ridge", "ridge"} {
			out := run("baseline", inputs{"pearson": matrices, "folds": divided, "permuted": permuted},
				"model", model, "fold", f)
			coords := []dag.Coord{{Axis: "model", Value: model}, at}
			universes = append(universes, out.input("predictions", coords...))
			again = append(again, out.input("permuted", coords...))
			if model == "ridge" {
				models = append(models, out.input("file", at))
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
	var names []string
	var indexes []int32
	for region := range int32(regions) {
		names, indexes = append(names, fmt.Sprint("region", region+1)), append(indexes, region+1)
	}
	nodes := dag.InputOf(encoding.NewTable(encoding.Column{Name: "index", Values: indexes},
		encoding.Column{Name: "id", Values: indexes}, encoding.Column{Name: "name", Values: names},
		encoding.Column{Name: "abbreviation", Values: names}))
	ranking := run("biomarkers", inputs{"scores": scores, "participants": people, "nodes": {nodes}})
	joint := run("multiverse", inputs{"predictions": universes, "permuted": again})
	of := map[string]float64{}
	for i, p := range joint.floats("joint", "p") {
		of[joint.texts("joint", "statistic")[i]] = p
	}
	validated := run("validate", inputs{"model": models, "matrices": new, "participants": others})
	return []float64{ranking.floats("ranking", "p")[int(seed)%regions], least(ranking.floats("ranking", "p_any")),
		of["median"], of["share"], of["stouffer"], of["best"], validated.floats("summary", "held_out_p")[0]}
}
