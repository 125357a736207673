package assess

import (
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// Means of means, worked out by hand: sub-001 gives a 0.6, b 0.3, c 0.85;
// sub-002 0.4, 0.3, 0.65.
func TestBiomarkers(t *testing.T) {
	in := stagetest.BiomarkerInputs()
	in["truth"] = []dag.Input{dag.InputOf(stagetest.TruthOf(1, 3, 0.2))}
	out := stagetest.MustRun(t, &Biomarkers{Layer: 1, Top: 1, Resamples: 200}, in)
	ranking := out["ranking"].(*encoding.Table)
	if names, _ := ranking.Strings("name"); !slices.Equal(names, []string{"c", "a", "b"}) {
		t.Errorf("order %v", names)
	}
	for column, want := range map[string][]float64{
		"rank": {1, 2, 3}, "id": {30, 10, 20}, "score": {0.75, 0.5, 0.3},
		"sd":     {math.Sqrt(0.02), math.Sqrt(0.02), 0},
		"ci_low": {0.75, 0.5, 0.3}, "ci_high": {0.75, 0.5, 0.3}, // within a group of one
		"rank_low": {1, 2, 3}, "rank_high": {1, 2, 3}, "top_share": {1, 0, 0}, "model_best": {1, 2, 3},
		"model_worst": {1, 2, 3},
		"frequency":   {1, 0.75, 0.25}, "participants": {2, 2, 2}, "planted": {1, 1, 0},
	} {
		if got := stagetest.FloatsOf(t, ranking, column); !stagetest.Near(got, want) {
			t.Errorf("%s: %v, want %v", column, got, want)
		}
	}
	for column, want := range map[string][]float64{"top": {1, 1}, "planted": {2, 2},
		"found": {1, 0}, "auroc": {1, 0.5}} {
		if got := stagetest.FloatsOf(t, out["recovery"], column); !stagetest.Near(got, want) {
			t.Errorf("recovery %s: %v, want %v", column, got, want)
		}
	}
	if got, want := stagetest.FloatsOf(t, out["individual"], "score"),
		[]float64{0.6, 0.3, 0.85, 0.4, 0.3, 0.65}; !stagetest.Near(got, want) {
		t.Errorf("individual scores %v, want %v", got, want)
	}
}

// A region that no model scored is not analyzed: all tables are those of an atlas without it, chance levels included.
func TestBiomarkersOfAnalyzedRegions(t *testing.T) {
	in := stagetest.BiomarkerInputs()
	in["truth"] = []dag.Input{dag.InputOf(stagetest.TruthOf(1, 3, 0.2))}
	in["features"] = nil
	for i, id := range []string{"sub-001", "sub-002"} {
		v := dag.InputOf(encoding.NewArray([]float64{0, 1, 2 + float64(i), 1, 0, 3, 2, 3, 0}, 1, 3, 3))
		v.Coords = []dag.Coord{{Axis: "subject", Value: id}}
		in["features"] = append(in["features"], v)
	}
	s := func() *Biomarkers { return &Biomarkers{Layer: 1, Top: 1, Resamples: 200} }
	want := stagetest.MustRun(t, s(), in)
	in["nodes"] = []dag.Input{dag.InputOf(stagetest.NodesOf("a", "b", "c", "lost"))}
	wide := in["features"]
	in["features"] = nil
	for _, of := range wide {
		v, x := make([]float64, 16), need.Value(of.Array())(t).Float64s()
		for i := range x {
			v[i/3*4+i%3] = x[i]
		}
		one := dag.InputOf(encoding.NewArray(v, 1, 4, 4))
		one.Coords = of.Coords
		in["features"] = append(in["features"], one)
	}
	got := stagetest.MustRun(t, s(), in)
	for name := range want {
		need.Equal(t, string(stagetest.Encoded(t, got[name])), string(stagetest.Encoded(t, want[name])), name)
	}
}

// With a choice, the regions are those of the setting that was chosen inside each fold, as if there were no other.
func TestBiomarkersOfTheChosen(t *testing.T) {
	in := stagetest.BiomarkerInputs()
	want := stagetest.MustRun(t, &Biomarkers{Layer: 1, Top: 1, Resamples: 200}, in)
	other := stagetest.ScoresOf(stagetest.ScoreRow{ID: "sub-001", Draw: 1, Set: "test", Layer: 1, Index: 2, Score: 1},
		stagetest.ScoreRow{ID: "sub-002", Draw: 1, Set: "test", Layer: 1, Index: 2, Score: 1})
	var scores []dag.Input
	for k, setting := range []string{"x", "y"} {
		for f := range 2 {
			table := dag.InputOf(other)
			if k == f { // x is chosen inside fold 1, y inside fold 2
				table = in["scores"][f]
			}
			table.Coords = []dag.Coord{{Axis: "lambda", Value: setting}, {Axis: "fold", Value: []string{"1", "2"}[f]}}
			scores = append(scores, table)
		}
	}
	choice := func(second string) []dag.Input {
		return []dag.Input{dag.InputOf(encoding.NewTable(
			encoding.Column{Name: "outer", Values: []string{"1", "1", "2"}},
			encoding.Column{Name: "repeat", Values: []int32{1, 1, 1}},
			encoding.Column{Name: "setting", Values: []string{"lambda=x", "lambda=y", "lambda=" + second}},
			encoding.Column{Name: "value", Values: []float64{1, 0, 1}},
			encoding.Column{Name: "sd", Values: []float64{0, 0, 0}},
			encoding.Column{Name: "chosen", Values: []bool{true, false, true}}))}
	}
	in["scores"], in["choice"] = scores, choice("y")
	got := stagetest.MustRun(t, &Biomarkers{Layer: 1, Top: 1, Resamples: 200}, in)
	need.Equal(t, got["ranking"].(*encoding.Table).Meta["chosen"], "λ x in 1 of 2 folds; λ y in 1 of 2 folds")
	delete(got["ranking"].(*encoding.Table).Meta, "chosen")
	for port := range want {
		if !slices.Equal(stagetest.Encoded(t, got[port]), stagetest.Encoded(t, want[port])) {
			t.Errorf("%s is not that of the chosen settings", port)
		}
	}
	in["choice"] = choice("z")
	_, err := stagetest.RunStage(t, &Biomarkers{Layer: 1, Top: 1, Resamples: 200}, in)
	need.Error(t, err, "lambda=z was chosen inside fold 2 of repeat 1, and no input scores is of it")
}

// The contrast finds what the mean score, which a sign turns round, does not.
func TestBiomarkersByContrast(t *testing.T) {
	in := stagetest.BiomarkerInputs()
	in["scores"], in["participants"] = stagetest.Contrasted(1),
		[]dag.Input{dag.InputOf(stagetest.SomeParticipants(16, "ASD", "HC"))}
	in["truth"] = []dag.Input{dag.InputOf(stagetest.TruthOf(1, 1, 0.2))}
	out := stagetest.MustRun(t, &Biomarkers{Reading: "contrast", Layer: 1, Top: 1, Resamples: 999}, in)
	ranking := out["ranking"].(*encoding.Table)
	// Within the groups, the squares of the noise: Σ 2·0.01² + 2·0.02² in each group of four.
	within := math.Sqrt(2 * 10e-4 / 6)
	for column, want := range map[string][]float64{
		"index": {1, 2, 3}, "score": {0.2 / within, 0, 0}, "contrast": {0.2 / within, 0, 0},
		"mean_score": {0.5, 0.4, 0.9},
		"model_best": {1, 3, 3}, "model_worst": {1, 3, 3}, // b and c are tied
	} {
		if got := stagetest.FloatsOf(t, ranking, column); !stagetest.Near(got, want) {
			t.Errorf("%s: %v, want %v", column, got, want)
		}
	}
	// Only the grouping as it is and its reverse have as large a contrast: 2 of 70 divisions of a fold, and of two
	// folds both count.
	for column, want := range map[string][]float64{"p": {2. / 70, 1, 1}, "p_any": {2. / 70, 1, 1},
		"p_least": {2. / 70, 2. / 70, 2. / 70}} {
		for i, v := range stagetest.FloatsOf(t, ranking, column) {
			if math.Abs(v-want[i]) > 0.015 {
				t.Errorf("%s %d: %v, by counting %v", column, i+1, v, want[i])
			}
		}
	}
	if by, _ := out["recovery"].(*encoding.Table).Strings("by"); !slices.Equal(by, []string{"contrast", "score"}) ||
		!stagetest.Near(stagetest.FloatsOf(t, out["recovery"], "auroc"), []float64{1, 0.5}) {
		t.Errorf("recovery by %v: %v", by, stagetest.FloatsOf(t, out["recovery"], "auroc"))
	}
	if over, _ := out["consistency"].(*encoding.Table).Strings("over"); !slices.Equal(over, []string{"models"}) {
		t.Errorf("consistency over %v", over)
	}
	byScore := stagetest.MustRun(t, &Biomarkers{Reading: "score", Layer: 1, Top: 1, Resamples: 999}, in)
	if got := stagetest.FloatsOf(t, byScore["ranking"], "index"); !stagetest.Near(got, []float64{3, 1, 2}) {
		t.Errorf("by score the order is %v", got)
	}
	if a, b := stagetest.FloatsOf(t, byScore["ranking"], "p"), stagetest.FloatsOf(t, ranking, "p"); a[1] != b[0] {
		t.Errorf("the p of a contrast depends on the reading: %v, %v", a, b)
	}
}

// Trainings with permuted groups beside those as they are.
func TestBiomarkersNull(t *testing.T) {
	in := stagetest.BiomarkerInputs()
	in["scores"], in["participants"] = stagetest.Contrasted(1),
		[]dag.Input{dag.InputOf(stagetest.SomeParticipants(16, "ASD", "HC"))}
	number := func(ins []dag.Input, n string) []dag.Input {
		for i := range ins {
			ins[i].Coords = append([]dag.Coord{{Axis: "permutation", Value: n}}, ins[i].Coords...)
		}
		return ins
	}
	in["permuted"] = slices.Concat(number(stagetest.Contrasted(9), "0"), number(stagetest.Contrasted(0), "1"),
		number(stagetest.Contrasted(0.5), "2"), number(stagetest.Contrasted(0.25), "3"))
	within := math.Sqrt(2 * 10e-4 / 6)
	for _, reading := range []string{"score", "contrast"} { // the retrained models give the null of the contrast, too
		ranking := stagetest.MustRun(t, &Biomarkers{Reading: reading, Layer: 1, Top: 1, Resamples: 200},
			in)["ranking"].(*encoding.Table)
		rows, err := column.Rows[column.RankingRow](ranking)
		if err != nil || ranking.Meta["contrast_null"] != "models retrained on permuted labels" {
			t.Fatalf("%v: %v", err, ranking.Meta)
		}
		for _, r := range rows { // 0, 0.05 and 0.1 in three permutations: at 0.95·2 of their order
			want := map[int32]float64{1: 0.095 / within}[r.Index]
			if math.Abs(r.ContrastHigh-want) > 1e-9 {
				t.Errorf("%s: node %d: 95th percentile %v, want %v", reading, r.Index, r.ContrastHigh, want)
			}
		}
	}
	out := stagetest.MustRun(t, &Biomarkers{Reading: "contrast", Layer: 1, Top: 1, Resamples: 200},
		in)["null"].(*encoding.Table)
	chance := []float64{0, 0.1 / within, 0.05 / within}
	mean, sd := column.MeanSD(chance)
	nan := math.NaN()
	for column, want := range map[string][]float64{
		"index": {1, 2, 3}, "observed": {0.2 / within, 0, 0}, "chance_mean": {mean, 0, 0}, "chance_sd": {sd, 0, 0},
		"excess": {(0.2/within - mean) / sd, nan, nan},
		"p":      {0.25, 1, 1}, "q": {0.75, 1, 1}, "p_any": {0.25, 1, 1}, "permutations": {3, 3, 3},
	} {
		if got := stagetest.FloatsOf(t, out, column); !stagetest.Near(got, want) {
			t.Errorf("%s: %v, want %v", column, got, want)
		}
	}
	in["permuted"] = number(stagetest.BiomarkerInputs()["scores"], "1")
	if _, err := stagetest.RunStage(t, &Biomarkers{Reading: "score", Layer: 1, Top: 1, Resamples: 200},
		in); err == nil || !strings.HasSuffix(err.Error(), "permutation 1: 2 test graphs of sub-001, but 1 without permutation: use the same parameters for both trainings") {
		t.Errorf("got %v", err)
	}
	in["permuted"] = stagetest.Contrasted(0)
	if _, err := stagetest.RunStage(t, &Biomarkers{Reading: "score", Layer: 1, Top: 1, Resamples: 200},
		in); err == nil || !strings.Contains(err.Error(), "no coordinate permutation") {
		t.Errorf("got %v", err)
	}
}

// How far rankings agree: two models and two participants agree on the order c, a,
// b, and so do the draws.
func TestBiomarkersConsistency(t *testing.T) {
	in := stagetest.BiomarkerInputs()
	out := stagetest.MustRun(t, &Biomarkers{Layer: 1, Top: 1, Resamples: 200}, in)["consistency"].(*encoding.Table)
	if over, _ := out.Strings("over"); !slices.Equal(over, []string{"models", "draws", "participants"}) {
		t.Errorf("over %v", over)
	}
	three := func(x float64) []float64 { return []float64{x, x, x} }
	for column, want := range map[string][]float64{
		"rankings": three(2), "k": three(1), "common": three(1), "common_chance": three(1. / 3), "every": three(1),
		"every_chance": three(1. / 3),
		"jaccard":      three(1), "jaccard_chance": three(1. / 3), "kuncheva": three(1), "spearman": three(1),
		"kendall": three(1),
	} {
		if got := stagetest.FloatsOf(t, out, column); !stagetest.Near(got, want) {
			t.Errorf("%s: %v, want %v", column, got, want)
		}
	}
	// Another model turns the order round: b is first. Both draws still agree: their
	// means are 0.45, 0.4, 0.55 and, of sub-001 alone, 0.7, 0.4, 0.8.
	in["scores"][1] = dag.InputOf(stagetest.ScoresOf(
		stagetest.ScoreRow{ID: "sub-002", Draw: 1, Set: "test", Layer: 1, Index: 1, Score: 0.4, Kept: true},
		stagetest.ScoreRow{ID: "sub-002", Draw: 1, Set: "test", Layer: 1, Index: 2, Score: 0.6, Kept: false},
		stagetest.ScoreRow{ID: "sub-002", Draw: 1, Set: "test", Layer: 1, Index: 3, Score: 0.2, Kept: true},
	), dag.Coord{Axis: "fold", Value: "2"})
	all := stagetest.MustRun(t, &Biomarkers{Layer: 1, Top: 1, Resamples: 200}, in)
	for column, want := range map[string][]float64{"common": {0, 1, 0}, "kuncheva": {-0.5, 1, -0.5},
		"spearman": {-1, 1, -1}} {
		if got := stagetest.FloatsOf(t, all["consistency"], column); !stagetest.Near(got, want) {
			t.Errorf("another model, %s: %v, want %v", column, got, want)
		}
	}
	if best, worst := stagetest.FloatsOf(t, all["ranking"], "model_best"), stagetest.FloatsOf(t, all["ranking"],
		"model_worst"); !stagetest.Near(best, []float64{1, 2, 1}) || !stagetest.Near(worst, []float64{3, 2, 3}) {
		t.Errorf("ranks by model from %v to %v", best, worst)
	}
}

// Repeats and seeds are other trainings of one setting.
func TestBiomarkersOverRepeatsAndSeeds(t *testing.T) {
	for _, axis := range []string{"repeat", "seed"} {
		in := stagetest.BiomarkerInputs()
		var ins []dag.Input
		for _, v := range []string{"1", "2"} {
			for _, m := range stagetest.BiomarkerInputs()["scores"] {
				m.Coords = append([]dag.Coord{{Axis: axis, Value: v}}, m.Coords...)
				ins = append(ins, m)
			}
		}
		in["scores"] = ins
		out := stagetest.MustRun(t, &Biomarkers{Layer: 1, Top: 1, Resamples: 200}, in)
		if over, _ := out["consistency"].(*encoding.Table).Strings("over"); !slices.Equal(over,
			[]string{"models", axis + "s", "draws", "participants"}) {
			t.Errorf("over %v", over)
		}
		if got := stagetest.FloatsOf(t, out["consistency"], "rankings"); !stagetest.Near(got, []float64{4, 2, 2, 2}) {
			t.Errorf("rankings %v", got)
		}
		if got := stagetest.FloatsOf(t, out["ranking"], "score"); !stagetest.Near(got, []float64{0.75, 0.5, 0.3}) {
			t.Errorf("scores %v", got)
		}
	}
}

// Without a truth, or with one that planted nothing, nothing is claimed.
func TestBiomarkersWithoutTruth(t *testing.T) {
	in := stagetest.BiomarkerInputs()
	for _, truth := range []*encoding.Table{nil, stagetest.TruthOf(1, 3, 0)} {
		if truth != nil {
			in["truth"] = []dag.Input{dag.InputOf(truth)}
		}
		out := stagetest.MustRun(t, &Biomarkers{Layer: 1, Top: 1, Resamples: 200}, in)
		need.Equal(t, out["recovery"].(*encoding.Table).Rows(), 0, "rows of recovery")
		planted, _ := out["ranking"].(*encoding.Table).Strings("planted")
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
	out := stagetest.MustRun(t, &Biomarkers{Layer: 2, Top: 1, Resamples: 200}, stagetest.BiomarkerInputs())
	if got, want := stagetest.FloatsOf(t, out["ranking"], "score"),
		[]float64{0.1, math.NaN(), math.NaN()}; !stagetest.Near(got, want) {
		t.Errorf("scores %v, want %v", got, want)
	}
	// In one of sub-001's two graphs, and none of sub-002's.
	if got, want := stagetest.FloatsOf(t, out["ranking"], "frequency"),
		[]float64{0.25, 0, 0}; !stagetest.Near(got, want) {
		t.Errorf("frequencies %v, want %v", got, want)
	}
}

// A layer that the models do not have is an error, and no ranking.
func TestBiomarkersOfNoLayer(t *testing.T) {
	_, err := stagetest.RunStage(t, &Biomarkers{Layer: 9, Top: 1, Resamples: 200}, stagetest.BiomarkerInputs())
	if err == nil || err.Error() != "layer: there are no scores of layer 9; the deepest with scores is 2" {
		t.Error(err)
	}
}

func TestBiomarkersBySetting(t *testing.T) {
	in := stagetest.BiomarkerInputs()
	for _, pool := range []string{"topk", "sage"} {
		for i, fold := range []string{"1", "2"} {
			m := stagetest.BiomarkerInputs()["scores"][i]
			m.Coords = []dag.Coord{{Axis: "pool", Value: pool}, {Axis: "fold", Value: fold}}
			in["scores"] = append(in["scores"], m)
		}
	}
	in["scores"] = in["scores"][2:]
	ranking := stagetest.MustRun(t, &Biomarkers{Layer: 1, Top: 1, Resamples: 200}, in)["ranking"].(*encoding.Table)
	if pools, _ := ranking.Strings("pool"); ranking.Columns[0].Name != "pool" ||
		!slices.Equal(pools, []string{"sage", "sage", "sage", "topk", "topk", "topk"}) {
		t.Errorf("settings %v", pools)
	}
	if got := stagetest.FloatsOf(t, ranking, "score"); !stagetest.Near(got, []float64{0.75, 0.5, 0.3, 0.75, 0.5, 0.3}) {
		t.Errorf("scores %v", got)
	}
}

// The area against its definition on many small rankings with ties; a region without a score is below all.
func TestAUROC(t *testing.T) {
	for bits := 1; bits < 63; bits++ {
		score, given, planted := make([]float64, 6), make([]float64, 6), make([]bool, 6)
		p := 0
		for i := range score {
			score[i] = float64(i * i % 5)
			if given[i] = score[i]; score[i] == 0 {
				given[i] = math.NaN()
			}
			if planted[i] = bits>>i&1 == 1; planted[i] {
				p++
			}
		}
		// Rank sum, with mid-ranks: U = R − p(p+1)/2.
		sum := 0.0
		for i := range score {
			rank := 0.5
			for j := range score {
				switch {
				case score[j] < score[i]:
					rank++
				case score[j] == score[i]:
					rank += 0.5
				}
			}
			if planted[i] {
				sum += rank
			}
		}
		want := (sum - float64(p*(p+1))/2) / float64(p*(6-p))
		if got := auroc(given, planted); math.Abs(got-want) > 1e-12 {
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
			in["participants"] = []dag.Input{dag.InputOf(stagetest.SomeParticipants(1, "ASD"))}
		}, "row 8 belongs to sub-002, who is not among the participants"},
		{"another node list", func(in map[string][]dag.Input) {
			in["nodes"] = []dag.Input{
				dag.InputOf(stagetest.NodesOf("a", "b"))}
		}, "row 3 has node 3, but the node list has nodes 1 to 2"},
		{"another truth", func(in map[string][]dag.Input) {
			in["truth"] = []dag.Input{dag.InputOf(stagetest.TruthOf(1,
				4, 1))}
		}, "row 1 has node 4, but the node list has nodes 1 to 3"},
		{"no score", func(in map[string][]dag.Input) {
			in["scores"] = []dag.Input{dag.InputOf(stagetest.ScoresOf(stagetest.ScoreRow{ID: "sub-001", Draw: 1,
				Set: "test", Layer: 1, Index: 2, Score: math.NaN(), Kept: true}))}
		}, "row 1 (sub-001, draw 1, node 2) has no score"},
		{"nothing", func(in map[string][]dag.Input) { in["scores"] = nil }, "no scores to rank: connect them to a train stage"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := stagetest.BiomarkerInputs()
			c.change(in)
			if _, err := stagetest.RunStage(t, &Biomarkers{Layer: 1, Top: 1, Resamples: 200}, in); err == nil ||
				!strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// Models without scores before training, as those of estimators, have no references of that kind.
func TestBiomarkersWithoutUntrainedScores(t *testing.T) {
	for _, c := range []struct {
		untrained float64
		methods   int
	}{{math.NaN(), 1}, {0.5, 2}} {
		in := stagetest.BiomarkerInputs()
		in["truth"] = []dag.Input{dag.InputOf(stagetest.TruthOf(1, 3, 0.2))}
		for i, of := range in["scores"] {
			rows := need.Value(column.Read[column.ScoreRow[float64]](of))(t)
			for r := range rows {
				rows[r].Untrained = c.untrained
			}
			in["scores"][i] = dag.InputOf(column.Table(rows), of.Coords...)
		}
		out := stagetest.MustRun(t, &Biomarkers{Layer: 1, Top: 1, Resamples: 200}, in)
		methods, _ := out["recovery"].(*encoding.Table).Strings("method")
		need.Equal(t, len(slices.Compact(methods)), c.methods, methods)
	}
}

// Regions of equal means have equal scores, whatever the order of their graphs, models and participants: rounding ranks
// nothing.
func TestEqualMeansTie(t *testing.T) {
	tally := func(scores ...float64) (one Tally) {
		for _, v := range scores {
			one.add(v, true)
		}
		return one
	}
	// the second region has the scores of the first in another order
	graphs := &ModelScores{Tallies: map[string][]Tally{"a": {tally(.3, .2, .1), tally(.1, .2, .3)}},
		graphs: map[string]int{"a": 3}}
	models := merged([]*ModelScores{
		{Tallies: map[string][]Tally{"a": {tally(.3, .2), tally(.1)}}, graphs: map[string]int{"a": 2}},
		{Tallies: map[string][]Tally{"a": {tally(.1), tally(.2, .3)}}, graphs: map[string]int{"a": 2}}})
	people := &ModelScores{graphs: map[string]int{"a": 1, "b": 1, "c": 1}, Tallies: map[string][]Tally{
		"a": {tally(.3), tally(.1)}, "b": {tally(.2), tally(.2)}, "c": {tally(.1), tally(.3)}}}
	for i, of := range []*ModelScores{graphs, models, people} {
		rows := (&Biomarkers{}).rank([]string{"a", "b", "c"}, of, 2)
		if rows[0].node != 0 || rows[0].score != rows[1].score {
			t.Errorf("%d: regions of equal means have scores %v and %v", i, rows[0].score, rows[1].score)
		}
	}
}
