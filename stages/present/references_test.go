package present

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/assess"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/finding/ranking"
	"prgnn/stages/inference"
	"prgnn/stages/stagetest"
	"prgnn/stages/wording"
)

// referenced is a study of n participants in three folds with r regions and their features: the groups differ in the
// features of the first regions, trained models score region high highest, and at their starting
// weights the last one.
func referenced(n, r, differ, high int) map[string][]dag.Input {
	s := random.New(9, "test", "references")
	var folds [3][]stagetest.ScoreRow
	var untrained [3][]float64
	var features []dag.Input
	var planted []int32
	for j := range differ {
		planted = append(planted, int32(j+1))
	}
	for i := range n {
		id := fmt.Sprintf("sub-%03d", i+1)
		v := make([]float64, 2*r*r) // draw 0 is not used
		for j := range r {
			for k := range j {
				x := 0.3 * s.Normal()
				if i%2 == 1 && k < differ && j < differ {
					x += 0.6
				}
				v[r*r+j*r+k], v[r*r+k*r+j] = x, x
			}
			v[r*r+j*r+j] = 1
		}
		features = append(features, dag.InputOf(encoding.NewArray(v, 2, r, r), dag.Coord{Axis: "subject", Value: id}))
		for f := range 3 {
			set := map[bool]string{true: "test", false: "train"}[i/2%3 == f]
			for j := range r {
				score, before := 0.5+0.01*s.Normal(), 0.5+0.01*s.Normal()
				if j == high {
					score += 0.3
				}
				if j == r-1 {
					before += 0.3
				}
				folds[f], untrained[f] = append(folds[f], stagetest.ScoreRow{ID: id, Draw: 1, Set: set, Layer: 1,
					Index: int32(j + 1), Score: score, Kept: true}), append(untrained[f], before)
			}
		}
	}
	in := map[string][]dag.Input{"features": features,
		"participants": {dag.InputOf(stagetest.SomeParticipants(n, "ASD", "HC"))}}
	for f := range 3 {
		t := stagetest.ScoresOf(folds[f]...)
		t.Columns = append(t.Columns, encoding.Column{Name: "untrained", Values: untrained[f]})
		in["scores"] = append(in["scores"], dag.InputOf(t, dag.Coord{Axis: "fold", Value: fmt.Sprint(f + 1)}))
	}
	var names []string
	for j := range r {
		names = append(names, fmt.Sprintf("r%d", j+1))
	}
	in["nodes"] = []dag.Input{dag.InputOf(stagetest.NodesOf(names...))}
	in["truth"] = []dag.Input{dag.InputOf(encoding.NewTable(encoding.Column{Name: "source", Values: planted[:differ-1]},
		encoding.Column{Name: "target", Values: planted[1:]},
		encoding.Column{Name: "difference", Values: slices.Repeat([]float64{0.6}, differ-1)}))}
	return in
}

func recoveriesOf(t *testing.T, v artifacts.Value) map[string]column.RecoveryRow {
	t.Helper()
	rows := need.Value(column.Rows[column.RecoveryRow](v.(*encoding.Table)))(t)
	byName := map[string]column.RecoveryRow{}
	for _, r := range rows {
		byName[need.Value(wording.Text("ranking.name", r))(t)] = r
	}
	return byName
}

// Every ranking stands beside the same models before training, a t-test and a linear model.
func TestBiomarkersReferences(t *testing.T) {
	in := referenced(60, 12, 4, 0)
	out := stagetest.MustRun(t, stagetest.Fresh("biomarkers", "top", 4, "resamples", 100), in)
	rows := recoveriesOf(t, out["recovery"])
	for name, found := range map[string]int32{"t-test of node strength": 4, "t-test of features": 4, "ridge pattern": 4,
		"ridge occlusion": 4} {
		r := rows[name]
		if r.Found == nil || *r.Found != found || r.AUROC != 1 || r.Agreement != 1 {
			t.Errorf("%s: %+v", name, r)
		}
		if r.HeldOut < 0.3 || r.HeldOut < 2*r.All { // 3 of 11 edges of a planted region differ by 2 sd: 6/11
			t.Errorf("%s: held-out effect %.2f, of all regions %.2f", name, r.HeldOut, r.All)
		}
	}
	trained, untrained := rows["trained models, mean score"], rows["untrained models, mean score"]
	if trained.Score != 4 || untrained.HeldOut >= rows["ridge pattern"].HeldOut {
		t.Errorf("trained %+v\nuntrained %+v", trained, untrained)
	}
	need.Equal(t, len(rows), 8, "rankings")
	// Where the truth is known, the held-out lead is that of a study that does not know it.
	blind := maps.Clone(in)
	delete(blind, "truth")
	out = stagetest.MustRun(t, stagetest.Fresh("biomarkers", "top", 4, "resamples", 100), blind)
	unknown := recoveriesOf(t, out["recovery"])
	compared := 0
	for name, r := range rows {
		for _, by := range []string{"score", "contrast"} {
			lead, p := r.HeldOutLead(by)
			want, wantP := unknown[name].Lead(by)
			same := lead == want && (p == wantP || math.IsNaN(p) && math.IsNaN(wantP))
			if trained := r.Method == column.TrainedModels; math.IsNaN(lead) != trained || !trained && !same {
				t.Errorf("%s, %s: held-out lead %v (p %v), want %v (%v)", name, by, lead, p, want, wantP)
			}
			if truth, _ := r.Lead(by); truth != lead {
				compared++
			}
		}
	}
	if compared == 0 {
		t.Error("leads by the truth and by the held-out effect are all the same")
	}
	// The t of the first region by its definition, in the training participants of fold 1.
	train, test := inference.Sample{Groups: 2}, inference.Sample{Groups: 2}
	for i, f := range in["features"] {
		a := need.Value(f.Array())(t)
		side := &train
		if i/2%3 == 0 {
			side = &test
		}
		side.Values, side.Group = append(side.Values, a.Float64s()[144:]), append(side.Group, i%2)
	}
	nodes := need.Value(assess.ReadNodeFeatures(in["features"], 12, 1))(t)
	got := need.Value(nodes.Compute(train, test))(t)
	var x [2][]float64
	for i, v := range train.Values {
		sum := 0.0
		for _, e := range v[:12] {
			sum += e
		}
		x[train.Group[i]] = append(x[train.Group[i]], sum)
	}
	m0, sd0 := column.MeanSD(x[0])
	m1, sd1 := column.MeanSD(x[1])
	if want := math.Abs(m0-m1) / math.Sqrt(sd0*sd0/float64(len(x[0]))+
		sd1*sd1/float64(len(x[1]))); math.Abs(got.Strength[0]-want) > 1e-9 {
		t.Errorf("t of node strength %v, want %v", got.Strength[0], want)
	}
}

// The groups of the test participants move no reference of their fold: only the held-out effect knows them.
func TestReferencesDoNotSeeTheTested(t *testing.T) {
	in := referenced(60, 12, 4, 0)
	people := stagetest.SomeParticipants(60, "ASD", "HC")
	features, err := assess.ReadNodeFeatures(in["features"], 12, 1)
	need.NoError(t, err)
	ids, _ := people.Strings("participant_id")
	model := func(exchanged bool) *assess.ModelScores {
		m := assess.NewModelScores(in["scores"][0])
		for i, id := range ids {
			side := m.Taught
			m.Group[id] = []string{"ASD", "HC"}[i%2]
			if i/2%3 == 0 {
				side = m.Tallies
				if exchanged {
					m.Group[id] = []string{"HC", "ASD"}[i%2]
				}
			}
			side[id] = make([]assess.Tally, 12)
		}
		return m
	}
	var got [2]*assess.WithoutNetwork
	for i, exchanged := range []bool{false, true} {
		m := model(exchanged)
		if got[i], err = features.WithoutNetwork(ids, m, []*assess.ModelScores{m}); err != nil {
			t.Fatal(err)
		}
	}
	a, b := got[0], got[1]
	if !slices.Equal(a.Strength, b.Strength) || !slices.Equal(a.Features, b.Features) ||
		!slices.Equal(a.Ridge, b.Ridge) {
		t.Error("a reference depends on the groups of the test participants")
	}
	for j := range a.Effect {
		if math.Abs(a.Effect[j]+b.Effect[j]) > 1e-12 || a.Effect[j] == 0 {
			t.Errorf("region %d: held-out effect %v, with exchanged groups %v", j+1, a.Effect[j], b.Effect[j])
		}
	}
}

// Findings about regions, and what a page states about their tests, in words.
func TestRegionsAreWorded(t *testing.T) {
	nan := math.NaN()
	first := finding.Shown{Name: "pool topk", Settings: 3, Relation: finding.RegionsOfFirst}
	ranked := func(method string, found int, auroc, p float64) ranking.Ranking {
		return ranking.Ranking{Method: method, By: "score", Measure: ranking.ByPlanted, Top: 10, Found: found,
			AUROC:    auroc,
			Reversed: nan, HeldOut: nan, P: p}
	}
	of := ranking.Comparison{Ranking: ranked(column.TrainedModels, 8, 0.95, nan), Planted: 16, Chance: 160.0 / 84,
		BeyondChance: true, Tested: true, References: 4,
		Beaten: []ranking.Ranking{ranked(column.StrengthTest, 3, 0.6, 0.01)},
		Even: []ranking.Ranking{ranked(column.FeatureTest, 8, 0.95, 0.03), ranked(column.UntrainedModels, 0,
			0.9, 0.2)},
		Ahead: []ranking.Ranking{ranked(column.RidgePattern, 9, 0.99, 0.02)}}
	of.Even[0].Equal, of.Corrected = true, true
	with := func(change func(c *ranking.Comparison)) ranking.Comparison {
		c := of
		change(&c)
		return c
	}
	held := with(func(c *ranking.Comparison) {
		inverted := ranked(column.UntrainedModels, 0, 0.01, nan)
		inverted.Reversed = 0.99
		c.Measure, c.HeldOut, c.Shown, c.Tested, c.Beaten, c.Ahead = ranking.ByHeldOut, 0.2, first, false, nil, nil
		c.Even = []ranking.Ranking{inverted}
	})
	random := with(func(c *ranking.Comparison) { c.Found, c.BeyondChance = 0, false })
	for _, c := range []struct {
		code   string
		values any
		want   string
	}{
		{"ranking.comparison", of, "In the trained models' ranking by mean score, 8 of 16 planted regions are among the top 10 " +
			"(1.9 expected by chance; AUROC 0.95). This ranking outperforms the t-test of node strength (3 of 10, AUROC 0.60; " +
			"p = 0.010). It does not differ significantly from the t-test of features (8 of 10, AUROC 0.95; p = 0.030, but " +
			"equal to two decimals) and untrained models (0 of 10, AUROC 0.90; p = 0.200). It is worse than the ridge pattern " +
			"(9 of 10, AUROC 0.99; p = 0.020). Test: corrected resampled t-test of the lead over the models, two-sided, " +
			"α = 0.05, Holm's correction for the number of references."},
		{"ranking.comparison", with(func(c *ranking.Comparison) {
			c.Even, c.Ahead, c.Corrected = nil, nil, false
		}), "In the trained " +
			"models' ranking by mean score, 8 of 16 planted regions are among the top 10 (1.9 expected by chance; AUROC 0.95). This ranking " +
			"outperforms every reference: the t-test of node strength (3 of 10, AUROC 0.60; p = 0.010). Test: corrected " +
			"resampled t-test of the lead over the models, two-sided, α = 0.05."},
		{"ranking.comparison", held, "In the trained models' ranking by mean score of the first of 3 settings (pool " +
			"topk), the held-out effect of the top 10 regions is 0.20. This ranking was not tested against untrained models (0 of 10, 1 − AUROC " +
			"0.99), because the test needs several models whose leads differ. There is no evidence that " +
			"training improved the ranking."},
		{"ranking.no-order", ranking.TiedTop{By: "score", Top: 10, Equal: 30, Regions: 30},
			"All 30 regions have the same mean score, so there is no top 10: the order of equal regions is that of the " +
				"node list"},
		{"ranking.tied", ranking.TiedTop{By: "score", Top: 10, Above: 1, Equal: 29, Regions: 30},
			"29 regions at the border of the top 10 have the same mean score, so only the first region is ranked above " +
				"others: the order of equal regions is that of the node list, and in overlaps each counts by its chance " +
				"to be among the top"},
		{"ranking.no-more-than-random", random, "None of the 16 planted regions is among the top 10 by mean score " +
			"(1.9 expected by chance)"},
		{"ranking.worse-than-reference", random, "The trained models' ranking of regions by mean score (0 of 10, AUROC " +
			"0.95) is worse than that by the ridge pattern (9 of 10, AUROC 0.99; p = 0.020): AUROC of the planted " +
			"regions, corrected resampled t-test, Holm's correction for 4 references"},
		{"ranking.not-better", held, "There is no evidence that the trained models' ranking of regions by mean score " +
			"of the first of 3 settings (pool topk) outperforms untrained models (held-out effect)"},
		{"ranking.held-out-noisy", values{"N": 1}, "Held-out effects of regions are noisy, since a test fold has only 1 " +
			"participant of one group"},
		{"null.regions", ranking.NullTests{Regions: []string{"L.X", "L.Y"}, Draws: 99},
			"2 regions exceed models retrained on 99 label permutations (q < 0.05): L.X and L.Y."},
		{"null.none", ranking.NullTests{Setting: "pool a", Least: 1.0 / 26, Draws: 25}, "No region exceeds models retrained " +
			"on 25 label permutations (pool a) (smallest family-wise p ≤ 0.039 (25 permutations))."},
		{"null.powerless", ranking.NullTests{Least: 0.4, Draws: 2}, "No region can exceed models retrained on permuted " +
			"labels, since 2 label permutations cannot give a p below 0.34 (p < 0.05 needs at least 20)."},
		{"contrast.none", ranking.Contrasts{Q: 0.081, Least: nan}, "No region's score differs significantly between the " +
			"groups (contrast in test participants, tested fold by fold without retraining; smallest q 0.08)."},
		{"contrast.powerless", ranking.Contrasts{Q: 0.2, Least: 0.0625}, "No region's score can differ significantly between " +
			"the groups, since p for the contrast, tested fold by fold without " +
			"retraining, cannot be below 0.062 (the labels of a fold have few distinct permutations). A test with models retrained on permuted labels (input permuted of " +
			"biomarkers) has no such limit (docs/salient.md)."},
		{"masking.not-above-chance", values{"Models": []string{"PR-GNN", "The model"}}, "Masking the top regions is no evidence " +
			"about the groups, since the accuracy of PR-GNN and the model is not shown to be above chance"},
	} {
		need.Equal(t, need.Value(wording.Text(c.code, c.values))(t), c.want, c.code)
	}
}

// Summary and report show the references, and say the same of them.
func TestReferencesAreShown(t *testing.T) {
	in := referenced(60, 12, 4, 8)
	made := stagetest.MustRun(t, stagetest.Fresh("biomarkers", "top", 4, "resamples", 100), in)
	shown := map[string][]dag.Input{"participants": in["participants"], "nodes": in["nodes"],
		"ranking": {dag.InputOf(made["ranking"])}, "recovery": {dag.InputOf(made["recovery"])}}
	page := string(stagetest.Encoded(t, stagetest.MustRun(t, stagetest.Fresh("report"), shown)["page"]))
	page = unbroken.Replace(page)
	delete(shown, "nodes")
	text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 4}, shown)), " ")
	const says = "does not differ significantly from untrained models (1 of 4, 1 − AUROC 0.78; p = 0.064), the t-test of " +
		"node strength (4 of 4, AUROC 1.00; p = 0.443), the t-test of features (4 of 4, AUROC 1.00; p = 0.443), the ridge " +
		"pattern (4 of 4, AUROC 1.00; p = 0.443) and the ridge occlusion (4 of 4, AUROC 1.00; p = 0.443). There is no"
	for name, s := range map[string]string{"summary": text, "report": page} {
		for _, want := range []string{says, "untrained models, mean score", "t-test of node strength"} {
			if !strings.Contains(s, want) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
	}
	_, cautions, _ := strings.Cut(text, "Cautions")
	cautions, _, _ = strings.Cut(cautions, "Participants Table")
	for _, want := range []string{
		"There is no evidence that the trained models' ranking of regions by mean score outperforms untrained models, the " +
			"t-test of node strength, the t-test of features, the ridge pattern or the ridge occlusion (",
	} {
		if !strings.Contains(cautions, want) {
			t.Errorf("no caution %q in the summary: %s", want, text)
		}
	}
	if strings.Contains(strings.ToLower(text), "held-out effects") {
		t.Errorf("10 of each group are not few: %s", text)
	}
	const few = "Held-out effects of regions were not computed, since a test fold has only 2 participants of one group, and with fewer than three degrees of freedom"
	in = referenced(12, 12, 4, 8) // two of each group in a fold
	made = stagetest.MustRun(t, stagetest.Fresh("biomarkers", "top", 4, "resamples", 100), in)
	shown = map[string][]dag.Input{"participants": in["participants"],
		"ranking": {dag.InputOf(made["ranking"])}, "recovery": {dag.InputOf(made["recovery"])}}
	text = strings.Join(strings.Fields(summaryText(t, &Summary{Top: 4}, shown)), " ")
	if !strings.Contains(text, few) {
		t.Errorf("the summary lacks %q: %s", few, text)
	}
}

// The column untrained is what the model says at its starting weights: after a training that changes
// nothing, trained and untrained scores are the same.
func TestUntrainedScores(t *testing.T) {
	for _, c := range []struct {
		epochs int
		rate   float64
		same   bool
	}{{1, 1e-12, true}, {20, 0.01, false}} {
		out := stagetest.MustRun(t, stagetest.Fresh("train", "epochs", c.epochs, "learning_rate", c.rate, "precision",
			"float64"), stagetest.PlantedInputs(t, 13, 2, 10, 0.5))
		table := out["scores"].(*encoding.Table)
		group, _ := table.Strings("group")
		set, _ := table.Strings("set")
		count, all := map[string]float64{}, 0.0
		for i := range group {
			if set[i] == "train" {
				count[group[i]]++
				all++
			}
		}
		if got := stagetest.FloatsOf(t, out["history"], "majority")[0]; math.Abs(got-max(count["ASD"],
			count["HC"])/all) > 1e-12 || got == 0.5 {
			t.Errorf("majority %v of the training graphs, of each group %v", got, count)
		}
		layer, _ := table.Ints("layer")
		score, _ := table.Floats("score")
		untrained := need.Value(table.Floats("untrained"))(t)
		most := 0.0
		for i := range score {
			if layer[i] != 1 {
				if !math.IsNaN(untrained[i]) {
					t.Fatalf("layer %d has an untrained score", layer[i])
				}
				continue
			}
			most = max(most, math.Abs(score[i]-untrained[i]))
		}
		if (most < 1e-6) != c.same {
			t.Errorf("%d epochs at %g: scores differ by up to %g", c.epochs, c.rate, most)
		}
	}
}

// Of real data nobody knows what was planted: the table of rankings has no such columns.
func TestRankingsWithoutTruth(t *testing.T) {
	nan, one := math.NaN(), int32(1)
	text := func(planted *int32) string {
		in := summaryInputs(t, stagetest.SomeParticipants(40, "ASD", "HC"))
		r := column.RecoveryRow{Top: 2, By: "score", Method: "trained", AUROC: nan, HeldOut: 0.5, Agreement: 1,
			LeadScore: nan, PScore: nan, LeadContrast: nan, PContrast: nan}
		if planted != nil {
			r.Planted, r.Found, r.AUROC = planted, planted, 0.75
		}
		in["recovery"] = []dag.Input{dag.InputOf(column.Table([]column.RecoveryRow{r}))}
		return strings.Join(strings.Fields(summaryText(t, &Summary{Top: 2}, in)), " ")
	}
	if got := text(nil); !strings.Contains(got, "ranking agreement shared held-out ") || strings.Contains(got, "AUROC") {
		t.Errorf("nothing is known to be planted:\n%s", got)
	}
	if got := text(&one); !strings.Contains(got, "ranking planted AUROC agreement shared held-out ") || !strings.Contains(got, " 1 of 2 0.75 1.00 ") {
		t.Errorf("one region is planted:\n%s", got)
	}
}
