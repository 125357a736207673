package stages

import (
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/random"
	"prgnn/stages/inference"
)

// personalScores are scores of 12 people, three draws of eight regions, by two models that
// mark the regions the other way round; own is the sd of what is a person's.
func personalScores(own float64) (cells [][]inference.Cell, in []dag.Input) {
	for fold, sign := range []float64{1, -1} {
		var rows []scoreRow
		of := []inference.Cell{{Group: 0}, {Group: 1}}
		for p := range 6 {
			id := "sub-00" + string(rune('1'+6*fold+p))
			if 6*fold+p >= 9 {
				id = "sub-01" + string(rune('0'+6*fold+p-9))
			}
			r := random.New(4, id)
			var scores [][]float64
			for range 3 {
				v := make([]float64, 8)
				for k := range v {
					v[k] = 0.5 + sign*0.05*float64(k)
				}
				scores = append(scores, v)
			}
			for k := range 8 {
				mine := own * r.Normal()
				for d := range scores {
					scores[d][k] += mine + 0.001*r.Normal()
					rows = append(rows, scoreRow{id, int32(d + 1), "test", 1, int32(k + 1), scores[d][k], true})
				}
			}
			of[p%2].Scores = append(of[p%2].Scores, scores)
		}
		rows = append(rows, scoreRow{"sub-012", 1, "train", 1, 1, 9, true}) // of no account
		cells = append(cells, of)
		in = append(in, dag.InputOf(scoresOf(rows...), dag.Coord{Axis: "fold", Value: string(rune('1' + fold))}))
	}
	return cells, in
}

func TestIndividuality(t *testing.T) {
	in := map[string][]dag.Input{"participants": {dag.InputOf(someParticipants(12, "ASD", "HC"))}, "nodes": {dag.InputOf(nodesOf("a", "b", "c", "d", "e", "f", "g", "h"))}}
	var want []inference.Individuality
	for _, c := range []struct {
		lambda string
		own    float64
	}{{"0.1-0", 0.2}, {"0.1-1", 0.01}} {
		cells, ins := personalScores(c.own)
		for i := range ins {
			ins[i].Coords = append(ins[i].Coords, dag.Coord{Axis: "lambda", Value: c.lambda})
		}
		in["scores"] = append(in["scores"], ins...)
		want = append(want, inference.Individual(cells, 3))
	}
	out := mustRun(t, fresh("individuality", "top", 3), in)["shares"].(*artifacts.Table)
	for column, of := range map[string]func(inference.Individuality) float64{
		"individual": func(r inference.Individuality) float64 { return r.Share }, "individual_low": func(r inference.Individuality) float64 { return r.ShareLow },
		"jaccard": func(r inference.Individuality) float64 { return r.Jaccard }, "jaccard_groups": func(r inference.Individuality) float64 { return r.JaccardApart },
		"individual_most": func(r inference.Individuality) float64 { return r.MostShare },
	} {
		if got := floatsOf(t, out, column); !near(got, []float64{of(want[0]), of(want[1])}) {
			t.Errorf("%s: %v, want %v and %v", column, got, of(want[0]), of(want[1]))
		}
	}
	if share := floatsOf(t, out, "individual"); !(share[0] > 0.5 && share[1] < 0.05) {
		t.Errorf("shares %v: models that score the other way round are not people who differ", share)
	}
	names, _ := out.Strings("setting")
	if lambda := floatsOf(t, out, "lambda2"); !near(lambda, []float64{0, 1}) || !slices.Equal(names, []string{"PR-GNN, λ 0.1-0", "PR-GNN, λ 0.1-1"}) {
		t.Errorf("λ2 %v of %q", lambda, names)
	}
	if p := floatsOf(t, out, "participants"); !near(p, []float64{12, 12}) {
		t.Errorf("%v participants", p)
	}

	if _, err := runStage(t, fresh("individuality", "layer", 2), in); err == nil || !strings.Contains(err.Error(), "layer 2 has none for node 1 of sub-001, draw 1: take the first layer") {
		t.Errorf("of a layer that is not there: %v", err)
	}
	in["scores"] = in["scores"][:1]
	in["scores"][0] = dag.InputOf(scoresOf(scoreRow{"sub-001", 1, "test", 1, 1, 0.5, true}, scoreRow{"sub-002", 1, "test", 1, 1, 0.5, true}))
	in["nodes"] = []dag.Input{dag.InputOf(nodesOf("a"))}
	if _, err := runStage(t, fresh("individuality"), in); err == nil || !strings.Contains(err.Error(), "no model tests two people of one group") {
		t.Errorf("of one person a group: %v", err)
	}
}
