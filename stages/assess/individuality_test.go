package assess

import (
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/numeric/random"
	"prgnn/stages/inference"
	"prgnn/stages/stagetest"
)

// personalScores are scores of 12 people, three draws of eight regions, by two models that
// mark the regions the other way round; own is the sd of what is a person's.
func personalScores(own float64) (cells [][]inference.Cell, in []dag.Input) {
	for fold, sign := range []float64{1, -1} {
		var rows []stagetest.ScoreRow
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
					rows = append(rows, stagetest.ScoreRow{ID: id, Draw: int32(d + 1), Set: "test", Layer: 1,
						Index: int32(k + 1), Score: scores[d][k], Kept: true})
				}
			}
			of[p%2].Scores = append(of[p%2].Scores, scores)
		}
		// of no account
		rows = append(rows, stagetest.ScoreRow{ID: "sub-012", Draw: 1, Set: "train", Layer: 1, Index: 1,
			Score: 9, Kept: true})
		cells = append(cells, of)
		in = append(in, dag.InputOf(stagetest.ScoresOf(rows...),
			dag.Coord{Axis: "fold", Value: string(rune('1' + fold))}))
	}
	return cells, in
}

func TestIndividuality(t *testing.T) {
	in := map[string][]dag.Input{"participants": {dag.InputOf(stagetest.SomeParticipants(12, "ASD", "HC"))},
		"nodes": {dag.InputOf(stagetest.NodesOf("a", "b", "c", "d", "e", "f", "g", "h"))}}
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
	out := stagetest.MustRun(t, stagetest.Fresh("individuality", "top", 3), in)["shares"].(*encoding.Table)
	for column, of := range map[string]func(inference.Individuality) float64{
		"individual":      func(r inference.Individuality) float64 { return r.Share },
		"individual_low":  func(r inference.Individuality) float64 { return r.ShareLow },
		"jaccard":         func(r inference.Individuality) float64 { return r.Jaccard },
		"jaccard_groups":  func(r inference.Individuality) float64 { return r.JaccardApart },
		"individual_most": func(r inference.Individuality) float64 { return r.MostShare },
	} {
		if got := stagetest.FloatsOf(t, out, column); !stagetest.Near(got, []float64{of(want[0]), of(want[1])}) {
			t.Errorf("%s: %v, want %v and %v", column, got, of(want[0]), of(want[1]))
		}
	}
	if share := stagetest.FloatsOf(t, out, "individual"); !(share[0] > 0.5 && share[1] < 0.05) {
		t.Errorf("shares %v: models that score the other way round are not people who differ", share)
	}
	names, _ := out.Strings("setting")
	if lambda := stagetest.FloatsOf(t, out, "lambda2"); !stagetest.Near(lambda, []float64{0, 1}) ||
		!slices.Equal(names, []string{"PR-GNN, λ 0.1-0", "PR-GNN, λ 0.1-1"}) {
		t.Errorf("λ2 %v of %q", lambda, names)
	}
	if p := stagetest.FloatsOf(t, out, "participants"); !stagetest.Near(p, []float64{12, 12}) {
		t.Errorf("%v participants", p)
	}

	if _, err := stagetest.RunStage(t, stagetest.Fresh("individuality", "layer", 2), in); err == nil ||
		!strings.Contains(err.Error(), "layer 2 has none for node 1 of sub-001, draw 1: use the first layer") {
		t.Errorf("of a layer that is not there: %v", err)
	}
	in["scores"] = in["scores"][:1]
	in["scores"][0] = dag.InputOf(stagetest.ScoresOf(stagetest.ScoreRow{ID: "sub-001", Draw: 1, Set: "test", Layer: 1,
		Index: 1, Score: 0.5, Kept: true}, stagetest.ScoreRow{ID: "sub-002", Draw: 1, Set: "test", Layer: 1, Index: 1,
		Score: 0.5, Kept: true}))
	in["nodes"] = []dag.Input{dag.InputOf(stagetest.NodesOf("a"))}
	if _, err := stagetest.RunStage(t, stagetest.Fresh("individuality"), in); err == nil ||
		!strings.Contains(err.Error(), "no model tests two participants of one group") {
		t.Errorf("of one person a group: %v", err)
	}
}
