package stages

import (
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
)

// scoreRow is one row of a table of scores.
type scoreRow struct {
	id    string
	draw  int32
	set   string
	layer int32
	index int32
	score float64
	kept  bool
}

func scoresOf(rows ...scoreRow) *artifacts.Table {
	var ids, sets []string
	var draws, layers, indices []int32
	var scores []float64
	var kept []bool
	for _, r := range rows {
		ids, sets, draws, layers = append(ids, r.id), append(sets, r.set), append(draws, r.draw), append(layers, r.layer)
		indices, scores, kept = append(indices, r.index), append(scores, r.score), append(kept, r.kept)
	}
	return artifacts.NewTable(
		artifacts.Column{Name: "participant_id", Values: ids}, artifacts.Column{Name: "draw", Values: draws},
		artifacts.Column{Name: "set", Values: sets}, artifacts.Column{Name: "layer", Values: layers},
		artifacts.Column{Name: "index", Values: indices}, artifacts.Column{Name: "score", Values: scores},
		artifacts.Column{Name: "kept", Values: kept},
	)
}

func nodesOf(names ...string) *artifacts.Table {
	index, id := make([]int32, len(names)), make([]int32, len(names))
	for i := range names {
		index[i], id[i] = int32(i+1), int32(10*(i+1))
	}
	zero := make([]float64, len(names))
	return artifacts.NewTable(
		artifacts.Column{Name: "index", Values: index}, artifacts.Column{Name: "id", Values: id},
		artifacts.Column{Name: "name", Values: names}, artifacts.Column{Name: "abbreviation", Values: names},
		artifacts.Column{Name: "x", Values: zero}, artifacts.Column{Name: "y", Values: zero}, artifacts.Column{Name: "z", Values: zero},
	)
}

func truthOf(source, target int32, difference float64) *artifacts.Table {
	return artifacts.NewTable(
		artifacts.Column{Name: "source", Values: []int32{source}}, artifacts.Column{Name: "target", Values: []int32{target}},
		artifacts.Column{Name: "difference", Values: []float64{difference}},
	)
}

// biomarkerInputs are two folds of three nodes: sub-001 is tested in the first, in
// two draws, sub-002 in the second.
func biomarkerInputs() map[string][]dag.Input {
	one := scoresOf(
		scoreRow{"sub-001", 1, "test", 1, 1, 0.5, true}, scoreRow{"sub-001", 1, "test", 1, 2, 0.2, false}, scoreRow{"sub-001", 1, "test", 1, 3, 0.9, true},
		scoreRow{"sub-001", 2, "test", 1, 1, 0.7, false}, scoreRow{"sub-001", 2, "test", 1, 2, 0.4, true}, scoreRow{"sub-001", 2, "test", 1, 3, 0.8, true},
		scoreRow{"sub-001", 2, "test", 2, 3, 0.1, true},
		scoreRow{"sub-002", 1, "train", 1, 1, 0.01, true},
	)
	two := scoresOf(
		scoreRow{"sub-002", 1, "test", 1, 1, 0.4, true}, scoreRow{"sub-002", 1, "test", 1, 2, 0.3, false}, scoreRow{"sub-002", 1, "test", 1, 3, 0.65, true},
	)
	return map[string][]dag.Input{
		"scores": {
			dag.InputOf(one, dag.Coord{Axis: "fold", Value: "1"}),
			dag.InputOf(two, dag.Coord{Axis: "fold", Value: "2"}),
		},
		"nodes":        {dag.InputOf(nodesOf("a", "b", "c"))},
		"participants": {dag.InputOf(someParticipants(2, "ASD", "HC"))},
	}
}

func floatsOf(t *testing.T, v artifacts.Value, column string) []float64 {
	t.Helper()
	x, err := v.(*artifacts.Table).Floats(column)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-12 || math.IsNaN(x) && math.IsNaN(y) })
}

// Means of means, worked out by hand: sub-001 gives a 0.6, b 0.3, c 0.85;
// sub-002 0.4, 0.3, 0.65.
func TestBiomarkers(t *testing.T) {
	in := biomarkerInputs()
	in["truth"] = []dag.Input{dag.InputOf(truthOf(1, 3, 0.2))}
	out := mustRun(t, &Biomarkers{Layer: 1, Top: 1, Resamples: 200}, in)
	ranking := out["ranking"].(*artifacts.Table)
	if names, _ := ranking.Strings("name"); !slices.Equal(names, []string{"c", "a", "b"}) {
		t.Errorf("order %v", names)
	}
	for column, want := range map[string][]float64{
		"rank": {1, 2, 3}, "id": {30, 10, 20}, "score": {0.75, 0.5, 0.3},
		"sd":     {math.Sqrt(0.02), math.Sqrt(0.02), 0},
		"ci_low": {0.75, 0.5, 0.3}, "ci_high": {0.75, 0.5, 0.3}, // within a group of one
		"rank_low": {1, 2, 3}, "rank_high": {1, 2, 3}, "top_share": {1, 0, 0}, "model_best": {1, 2, 3}, "model_worst": {1, 2, 3},
		"frequency": {1, 0.75, 0.25}, "participants": {2, 2, 2}, "planted": {1, 1, 0},
	} {
		if got := floatsOf(t, ranking, column); !near(got, want) {
			t.Errorf("%s: %v, want %v", column, got, want)
		}
	}
	for column, want := range map[string][]float64{"top": {1, 1}, "planted": {2, 2}, "found": {1, 0}, "auroc": {1, 0.5}} {
		if got := floatsOf(t, out["recovery"], column); !near(got, want) {
			t.Errorf("recovery %s: %v, want %v", column, got, want)
		}
	}
	if got, want := floatsOf(t, out["individual"], "score"), []float64{0.6, 0.3, 0.85, 0.4, 0.3, 0.65}; !near(got, want) {
		t.Errorf("individual scores %v, want %v", got, want)
	}
}

// contrasted are two models of three regions: a tells the groups apart, in opposite
// directions, b tells nothing, c is high in everybody.
func contrasted(sign float64) []dag.Input {
	var ins []dag.Input
	noise := []float64{0.01, -0.01, 0.02, -0.02}
	for fold := range 2 {
		var rows []scoreRow
		for i := range 8 {
			p := fold*8 + i
			id := []string{"sub-001", "sub-002", "sub-003", "sub-004", "sub-005", "sub-006", "sub-007", "sub-008", "sub-009", "sub-010", "sub-011", "sub-012", "sub-013", "sub-014", "sub-015", "sub-016"}[p]
			e := noise[p/2%4]
			for j, s := range []float64{0.5 + e + sign*float64(1-2*fold)*0.2*float64(p%2), 0.4 + e, 0.9 - e} {
				rows = append(rows, scoreRow{id, 1, "test", 1, int32(j + 1), s, true})
			}
		}
		ins = append(ins, dag.InputOf(scoresOf(rows...), dag.Coord{Axis: "fold", Value: []string{"1", "2"}[fold]}))
	}
	return ins
}

// The contrast finds what the mean score, which a sign turns round, does not.
func TestBiomarkersByContrast(t *testing.T) {
	in := biomarkerInputs()
	in["scores"], in["participants"] = contrasted(1), []dag.Input{dag.InputOf(someParticipants(16, "ASD", "HC"))}
	in["truth"] = []dag.Input{dag.InputOf(truthOf(1, 1, 0.2))}
	out := mustRun(t, &Biomarkers{Reading: "contrast", Layer: 1, Top: 1, Resamples: 999}, in)
	ranking := out["ranking"].(*artifacts.Table)
	// Within the groups, the squares of the noise: Σ 2·0.01² + 2·0.02² in each group of four.
	within := math.Sqrt(2 * 10e-4 / 6)
	for column, want := range map[string][]float64{
		"index": {1, 2, 3}, "score": {0.2 / within, 0, 0}, "contrast": {0.2 / within, 0, 0}, "mean_score": {0.5, 0.4, 0.9},
		"model_best": {1, 3, 3}, "model_worst": {1, 3, 3}, // b and c are tied
	} {
		if got := floatsOf(t, ranking, column); !near(got, want) {
			t.Errorf("%s: %v, want %v", column, got, want)
		}
	}
	// Only the grouping as it is, and its reverse in either model, tell as much: 4 of 70² divisions.
	if p := floatsOf(t, ranking, "p"); p[0] > 0.01 || p[1] < 0.99 || p[2] < 0.99 {
		t.Errorf("p %v", p)
	}
	if by, _ := out["recovery"].(*artifacts.Table).Strings("by"); !slices.Equal(by, []string{"contrast", "score"}) || !near(floatsOf(t, out["recovery"], "auroc"), []float64{1, 0.5}) {
		t.Errorf("recovery by %v: %v", by, floatsOf(t, out["recovery"], "auroc"))
	}
	if over, _ := out["consistency"].(*artifacts.Table).Strings("over"); !slices.Equal(over, []string{"models"}) {
		t.Errorf("consistency over %v", over)
	}
	byScore := mustRun(t, &Biomarkers{Reading: "score", Layer: 1, Top: 1, Resamples: 999}, in)
	if got := floatsOf(t, byScore["ranking"], "index"); !near(got, []float64{3, 1, 2}) {
		t.Errorf("by score the order is %v", got)
	}
	if a, b := floatsOf(t, byScore["ranking"], "p"), floatsOf(t, ranking, "p"); a[1] != b[0] {
		t.Errorf("the p of a contrast depends on the reading: %v, %v", a, b)
	}
}

// Trainings with permuted groups beside those as they are.
func TestBiomarkersNull(t *testing.T) {
	in := biomarkerInputs()
	in["scores"], in["participants"] = contrasted(1), []dag.Input{dag.InputOf(someParticipants(16, "ASD", "HC"))}
	number := func(ins []dag.Input, n string) []dag.Input {
		for i := range ins {
			ins[i].Coords = append([]dag.Coord{{Axis: "permutation", Value: n}}, ins[i].Coords...)
		}
		return ins
	}
	in["permuted"] = slices.Concat(number(contrasted(9), "0"), number(contrasted(0), "1"), number(contrasted(0.5), "2"), number(contrasted(0.25), "3"))
	out := mustRun(t, &Biomarkers{Reading: "contrast", Layer: 1, Top: 1, Resamples: 200}, in)["null"].(*artifacts.Table)
	within := math.Sqrt(2 * 10e-4 / 6)
	chance := []float64{0, 0.1 / within, 0.05 / within}
	mean, sd := meanSD(chance)
	nan := math.NaN()
	for column, want := range map[string][]float64{
		"index": {1, 2, 3}, "observed": {0.2 / within, 0, 0}, "chance_mean": {mean, 0, 0}, "chance_sd": {sd, 0, 0}, "excess": {(0.2/within - mean) / sd, nan, nan},
		"p": {0.25, 1, 1}, "q": {0.75, 1, 1}, "p_any": {0.25, 1, 1}, "permutations": {3, 3, 3},
	} {
		if got := floatsOf(t, out, column); !near(got, want) {
			t.Errorf("%s: %v, want %v", column, got, want)
		}
	}
	in["permuted"] = number(biomarkerInputs()["scores"], "1")
	if _, err := runStage(t, &Biomarkers{Reading: "score", Layer: 1, Top: 1, Resamples: 200}, in); err == nil || !strings.HasSuffix(err.Error(), "permutation 1: 2 test graphs of sub-001, not 1 as without permutation: give both trainings the same parameters") {
		t.Errorf("got %v", err)
	}
	in["permuted"] = contrasted(0)
	if _, err := runStage(t, &Biomarkers{Reading: "score", Layer: 1, Top: 1, Resamples: 200}, in); err == nil || !strings.Contains(err.Error(), "no coordinate permutation") {
		t.Errorf("got %v", err)
	}
}

// How far rankings agree: two models and two participants agree on the order c, a,
// b, and so do the draws.
func TestBiomarkersConsistency(t *testing.T) {
	in := biomarkerInputs()
	out := mustRun(t, &Biomarkers{Layer: 1, Top: 1, Resamples: 200}, in)["consistency"].(*artifacts.Table)
	if over, _ := out.Strings("over"); !slices.Equal(over, []string{"models", "draws", "participants"}) {
		t.Errorf("over %v", over)
	}
	three := func(x float64) []float64 { return []float64{x, x, x} }
	for column, want := range map[string][]float64{
		"rankings": three(2), "k": three(1), "common": three(1), "common_chance": three(1. / 3), "every": three(1), "every_chance": three(1. / 3),
		"jaccard": three(1), "jaccard_chance": three(1. / 3), "kuncheva": three(1), "spearman": three(1), "kendall": three(1),
	} {
		if got := floatsOf(t, out, column); !near(got, want) {
			t.Errorf("%s: %v, want %v", column, got, want)
		}
	}
	// Another model turns the order round: b is first. Both draws still agree: their
	// means are 0.45, 0.4, 0.55 and, of sub-001 alone, 0.7, 0.4, 0.8.
	in["scores"][1] = dag.InputOf(scoresOf(
		scoreRow{"sub-002", 1, "test", 1, 1, 0.4, true}, scoreRow{"sub-002", 1, "test", 1, 2, 0.6, false}, scoreRow{"sub-002", 1, "test", 1, 3, 0.2, true},
	), dag.Coord{Axis: "fold", Value: "2"})
	all := mustRun(t, &Biomarkers{Layer: 1, Top: 1, Resamples: 200}, in)
	for column, want := range map[string][]float64{"common": {0, 1, 0}, "kuncheva": {-0.5, 1, -0.5}, "spearman": {-1, 1, -1}} {
		if got := floatsOf(t, all["consistency"], column); !near(got, want) {
			t.Errorf("another model, %s: %v, want %v", column, got, want)
		}
	}
	if best, worst := floatsOf(t, all["ranking"], "model_best"), floatsOf(t, all["ranking"], "model_worst"); !near(best, []float64{1, 2, 1}) || !near(worst, []float64{3, 2, 3}) {
		t.Errorf("ranks by model from %v to %v", best, worst)
	}
}

// Repeats and seeds are other trainings of one setting.
func TestBiomarkersOverRepeatsAndSeeds(t *testing.T) {
	for _, axis := range []string{"repeat", "seed"} {
		in := biomarkerInputs()
		var ins []dag.Input
		for _, v := range []string{"1", "2"} {
			for _, m := range biomarkerInputs()["scores"] {
				m.Coords = append([]dag.Coord{{Axis: axis, Value: v}}, m.Coords...)
				ins = append(ins, m)
			}
		}
		in["scores"] = ins
		out := mustRun(t, &Biomarkers{Layer: 1, Top: 1, Resamples: 200}, in)
		if over, _ := out["consistency"].(*artifacts.Table).Strings("over"); !slices.Equal(over, []string{"models", axis + "s", "draws", "participants"}) {
			t.Errorf("over %v", over)
		}
		if got := floatsOf(t, out["consistency"], "rankings"); !near(got, []float64{4, 2, 2, 2}) {
			t.Errorf("rankings %v", got)
		}
		if got := floatsOf(t, out["ranking"], "score"); !near(got, []float64{0.75, 0.5, 0.3}) {
			t.Errorf("scores %v", got)
		}
	}
}

// Without a truth, or with one that planted nothing, nothing is claimed.
func TestBiomarkersWithoutTruth(t *testing.T) {
	in := biomarkerInputs()
	for _, truth := range []*artifacts.Table{nil, truthOf(1, 3, 0)} {
		if truth != nil {
			in["truth"] = []dag.Input{dag.InputOf(truth)}
		}
		out := mustRun(t, &Biomarkers{Layer: 1, Top: 1, Resamples: 200}, in)
		if n := out["recovery"].(*artifacts.Table).Rows(); n != 0 {
			t.Errorf("%d rows of recovery", n)
		}
		planted, _ := out["ranking"].(*artifacts.Table).Strings("planted")
		want := []string{"n/a", "n/a", "n/a"}
		if truth != nil {
			want = []string{"false", "false", "false"}
		}
		if !slices.Equal(planted, want) {
			t.Errorf("planted: %v", planted)
		}
	}
}

// A region that does not reach a later layer has no score there, and comes last.
func TestBiomarkersOfALaterLayer(t *testing.T) {
	out := mustRun(t, &Biomarkers{Layer: 2, Top: 1, Resamples: 200}, biomarkerInputs())
	if got, want := floatsOf(t, out["ranking"], "score"), []float64{0.1, math.NaN(), math.NaN()}; !near(got, want) {
		t.Errorf("scores %v, want %v", got, want)
	}
	// In one of sub-001's two graphs, and none of sub-002's.
	if got, want := floatsOf(t, out["ranking"], "frequency"), []float64{0.25, 0, 0}; !near(got, want) {
		t.Errorf("frequencies %v, want %v", got, want)
	}
}

func TestBiomarkersBySetting(t *testing.T) {
	in := biomarkerInputs()
	for _, pool := range []string{"topk", "sage"} {
		for i, fold := range []string{"1", "2"} {
			m := biomarkerInputs()["scores"][i]
			m.Coords = []dag.Coord{{Axis: "pool", Value: pool}, {Axis: "fold", Value: fold}}
			in["scores"] = append(in["scores"], m)
		}
	}
	in["scores"] = in["scores"][2:]
	ranking := mustRun(t, &Biomarkers{Layer: 1, Top: 1, Resamples: 200}, in)["ranking"].(*artifacts.Table)
	if pools, _ := ranking.Strings("pool"); ranking.Columns[0].Name != "pool" || !slices.Equal(pools, []string{"sage", "sage", "sage", "topk", "topk", "topk"}) {
		t.Errorf("settings %v", pools)
	}
	if got := floatsOf(t, ranking, "score"); !near(got, []float64{0.75, 0.5, 0.3, 0.75, 0.5, 0.3}) {
		t.Errorf("scores %v", got)
	}
}

// The area against its definition on many small rankings with ties.
func TestAUROC(t *testing.T) {
	for bits := 1; bits < 63; bits++ {
		rows, planted := make([]saliency, 6), make([]bool, 6)
		p := 0
		for i := range rows {
			rows[i] = saliency{node: i, score: float64(i * i % 5)}
			if planted[i] = bits>>i&1 == 1; planted[i] {
				p++
			}
		}
		// Rank sum, with mid-ranks: U = R − p(p+1)/2.
		sum := 0.0
		for i := range rows {
			rank := 0.5
			for j := range rows {
				switch {
				case rows[j].score < rows[i].score:
					rank++
				case rows[j].score == rows[i].score:
					rank += 0.5
				}
			}
			if planted[i] {
				sum += rank
			}
		}
		want := (sum - float64(p*(p+1))/2) / float64(p*(6-p))
		if got := auroc(rows, planted); math.Abs(got-want) > 1e-12 {
			t.Errorf("planted %06b: %v, want %v", bits, got, want)
		}
	}
}

func TestBiomarkersRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(map[string][]dag.Input)
		want   string
	}{
		{"somebody else", func(in map[string][]dag.Input) {
			in["participants"] = []dag.Input{dag.InputOf(someParticipants(1, "ASD"))}
		}, "row 8 is of sub-002, who is not among the participants"},
		{"another node list", func(in map[string][]dag.Input) { in["nodes"] = []dag.Input{dag.InputOf(nodesOf("a", "b"))} }, "row 3 has the node 3, and the node list goes from 1 to 2"},
		{"another truth", func(in map[string][]dag.Input) { in["truth"] = []dag.Input{dag.InputOf(truthOf(1, 4, 1))} }, "row 1 has the node 4, and the node list goes from 1 to 3"},
		{"no score", func(in map[string][]dag.Input) {
			in["scores"] = []dag.Input{dag.InputOf(scoresOf(scoreRow{"sub-001", 1, "test", 1, 2, math.NaN(), true}))}
		}, "row 1 (sub-001, draw 1, node 2) has no score"},
		{"nothing", func(in map[string][]dag.Input) { in["scores"] = nil }, "no scores to rank: connect them to a train stage"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := biomarkerInputs()
			c.change(in)
			if _, err := runStage(t, &Biomarkers{Layer: 1, Top: 1, Resamples: 200}, in); err == nil || !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
