package present

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/assess"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/finding/ranking"
	"prgnn/stages/present/performance"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
	"prgnn/stages/stagetest"
	"prgnn/stages/wording"
)

func summaryInputs(t *testing.T, participants *encoding.Table) map[string][]dag.Input {
	t.Helper()
	evaluation, scores := stagetest.Evaluated(0.8, 0.7, 0.9)
	markers := stagetest.BiomarkerInputs()
	markers["truth"] = []dag.Input{dag.InputOf(stagetest.TruthOf(1, 3, 0.2))}
	out := stagetest.MustRun(t, &assess.Biomarkers{Layer: 1, Top: 2, Resamples: 200}, markers)
	subject := func(id string) dag.Coord { return dag.Coord{Axis: "subject", Value: id} }
	coverage := func(voxels ...int32) *encoding.Table {
		return encoding.NewTable(encoding.Column{Name: "name", Values: []string{"a", "b", "c"}},
			encoding.Column{Name: "voxels", Values: voxels},
			encoding.Column{Name: "coverage", Values: []float64{1, 1, 0.5}})
	}
	graphs := func(edges int32) *encoding.Table {
		return encoding.NewTable(encoding.Column{Name: "draw", Values: []int32{0}},
			encoding.Column{Name: "edges", Values: []int32{edges}})
	}
	return map[string][]dag.Input{
		"participants": {dag.InputOf(participants)},
		"evaluation":   {dag.InputOf(evaluation)},
		"scores":       {dag.InputOf(scores)},
		"ranking":      {dag.InputOf(out["ranking"])},
		"recovery":     {dag.InputOf(out["recovery"])},
		"consistency":  {dag.InputOf(out["consistency"])},
		"coverage": {dag.InputOf(coverage(4, 8, 0), subject("sub-001")),
			dag.InputOf(coverage(6, 9, 5), subject("sub-002"))},
		"graphs": {dag.InputOf(graphs(348), subject("sub-001")), dag.InputOf(graphs(348), subject("sub-002"))},
		"training": {dag.InputOf(encoding.NewTable(encoding.Column{Name: "epoch", Values: []int32{1, 2}},
			encoding.Column{Name: "train_accuracy", Values: []float64{0.7, 0.99}}),
			dag.Coord{Axis: "fold", Value: "1"})},
	}
}

// Regions of CIFTI files consist of grayordinates.
func TestSummaryOfGrayordinates(t *testing.T) {
	in := summaryInputs(t, stagetest.SomeParticipants(40, "ASD", "HC"))
	for _, c := range []struct{ resampling, says, never string }{
		{"nearest neighbor", "voxel", "grayordinate"},
		{"none: grayordinates are matched by structure, vertex and voxel", "grayordinate", "voxel"},
	} {
		in["registration"] = []dag.Input{dag.InputOf(column.Table([]column.ParcelRow{{Resampling: c.resampling,
			Determinant: math.NaN(), Rotation: math.NaN(), Displacement: math.NaN()}}))}
		text := summaryText(t, &Summary{Top: 3}, in)
		for _, want := range []string{c.says + "s per region", "Regions without a " + c.says + " (all scans together): 1 of 6"} {
			if !strings.Contains(text, want) || strings.Contains(text, c.never) {
				t.Errorf("%s: want %q and no %s:\n%s", c.resampling, want, c.never, text)
			}
		}
	}
}

func summaryText(t *testing.T, s *Summary, in map[string][]dag.Input) string {
	t.Helper()
	text := string(stagetest.Encoded(t, stagetest.MustRun(t, s, in)["text"]))
	if !utf8.ValidString(text) || !strings.HasSuffix(text, "\n") {
		t.Error("not a text")
	}
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > report.Width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	return text
}

// The whole text, so that it is read when it changes.
func TestSummary(t *testing.T) {
	people := stagetest.SomeParticipants(40, "ASD", "HC", "ASD", "ASD", "HC")
	people.Columns = append(people.Columns, encoding.Column{Name: "simulated", Values: slices.Repeat([]bool{true}, 40)})
	got := summaryText(t, &Summary{Title: "A try", Top: 2}, summaryInputs(t, people))
	want := `A try

SIMULATED DATA
  Nobody was scanned, so no number here is evidence about people.

Summary
  Question: does functional connectivity distinguish ASD from HC in participants
  who were not in the training set?
  The model distinguishes ASD from HC better than chance in participants who
  were not in the training set: it classifies 80% of them correctly, and always
  predicting the largest group would classify 60% correctly.
  Data: 40 simulated participants (24 ASD and 16 HC).
  Result: the accuracy per participant is 0.800 (pooled over 3 folds), 95% CI
  0.700–0.900; the majority-class rate is 0.600; p < 0.001 (fold by fold, models
  not retrained). The AUC is 0.800 (mean over the folds); p = 0.020 (fold by
  fold, models not retrained).
  Accuracy per participant: 0.800
    ██████████████████│██▓▓▓░░░···  95% CI 0.700–0.900 · mean ± SD over folds
                                    0.750 ± 0.050 · majority-class rate 0.600 ·
                                    p < 0.001
  Area under the ROC curve: 0.800
    ███████████████│████████······  mean over the folds · chance level 0.5
  Sensitivity / specificity: 0.900 / 0.400
    for ASD · mean over the folds

Cautions
  - Group HC has only 16 participants
  - The model: the specificity for the group ASD, a mean over folds, is below
    0.5 (0.400)
  - No stage of this pipeline checks leakage, so one scan under two ids may be
    in training and test data
  - Regions without a voxel (all scans together): 1 of 6 (c in 1). Check that
    the labels are in the space of the scans
  - Overfitting: the accuracy is 0.990 on training graphs and 0.800 on test
    graphs

Participants
  Groups
    group   n
    ASD    24
    HC     16

Classification performance
  Performance on test participants
    classifier  accuracy       95% CI     over folds
    The model      0.800  0.700–0.900  0.750 ± 0.050

    classifier        p  balanced    AUC  sens./spec.
    The model   < 0.001     0.700  0.800  0.900/0.400
    3 folds, 40 participants. Majority-class rate: 0.600, the share of the
    largest class among the tested participants. In the test against chance, the
    test labels were permuted 9,999 times fold by fold, without retraining, and
    p combines a majority of the folds. This test is conservative; a test with
    retrained models (kind permutation, see docs/statistics.md) can detect
    smaller effects. The positive class is ASD. Accuracy and its 95% CI are
    computed from the predictions pooled over the folds; balanced accuracy, AUC,
    sensitivity and specificity are means over the folds.

  Accuracy in each fold, per participant
    fold                    accuracy
    1     ██████████··│······· 0.500
    2     ████████████│██····· 0.750
    3     ████████████│███████ 1.000
    Line: majority-class rate.

Salient regions
  The most salient regions, by mean score
    rank  region  score       95% CI  rank by model  kept  planted
       1  c       0.750  0.750–0.750            1–1  100%  yes
       2  a       0.500  0.500–0.500            2–2   75%  yes
  On average, two models share 2.0 of their top 2 regions (1.3 expected by
  chance, p = 0.294). All 2 models share 2 (1.3 expected by chance). The rank
  correlation of all regions is 1.00.

  Rankings of the regions and references that involve no network training, top 2
  of 3 regions
    ranking                     planted  AUROC  agreement  shared  held-out
    trained models, mean score   2 of 2   1.00       1.00       2       n/a
    trained models, contrast     0 of 2   0.50        n/a       0       n/a
    There are 2 planted regions; 1.3 of the top 2 are expected by chance.

Quality control and checks
  No stage of this pipeline checks leakage. Only the training rejects a
  participant on both sides of a split and two participants with the same
  features; it does not compare scans.
  It is unknown whether 1 model fitted the training graphs, because the history
  has no majority-class rate, or has accuracies of mixed graphs, which are
  lower: fold 1.
  Accuracy per graph is 0.990 on training graphs (running mean over the batches
  of the last epoch, while the weights change; mean over 1 model) and 0.800 on
  test graphs (pooled over the folds).

  Quality of each step, over participants and their scans, regions or graphs
    step     measure                                median  smallest  largest
    parcels  voxels per region                         5.5       0.0      9.0
    parcels  share of the label on the scan's grid     1.0       0.5      1.0
    graphs   edges                                     348       348      348
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Where too few permutations of the labels differ, a test that could never show anything is not taken for a result.
func TestSummaryOfPowerlessTest(t *testing.T) {
	in := summaryInputs(t, stagetest.SomeParticipants(40, "ASD", "HC"))
	evaluation, _ := stagetest.Evaluated(1, 0.9, 1)
	for name, v := range map[string]float64{"p": 0.068, "auc_p": 0.068, "p_least": 1. / 16} {
		column, _ := evaluation.Column(name)
		column.Values = []float64{v, v}
	}
	in["evaluation"] = []dag.Input{dag.InputOf(evaluation)}
	text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 10}, in)), " ")
	const why = "cannot be shown to be above chance, because p of a fold-by-fold test without retraining cannot be below 0.062, since the labels of a fold have few distinct permutations (a test with retrained models can give a smaller p, docs/statistics.md)"
	if !strings.Contains(text, "the accuracy "+why+".") || !strings.Contains(text, "- The model: accuracy and AUC cannot be shown to be above chance, because p of a fold-by-fold test") ||
		strings.Contains(text, "not significantly above chance") {
		t.Error(text)
	}
	// An accuracy that is not higher than the majority-class rate is not open, whatever the test can show.
	evaluation, _ = stagetest.Evaluated(0.6, 0.5, 0.7)
	for name, v := range map[string]float64{"p": 1, "auc_p": 1, "p_least": 1. / 9} {
		column, _ := evaluation.Column(name)
		column.Values = []float64{v, v}
	}
	in["evaluation"] = []dag.Input{dag.InputOf(evaluation)}
	text = strings.Join(strings.Fields(summaryText(t, &Summary{Top: 10}, in)), " ")
	if !strings.Contains(text, "set: the accuracy is not higher than the majority-class rate. It classifies 60%") ||
		!strings.Contains(text, "- The model: the accuracy (0.600) is not higher than the majority-class rate (0.600), and "+
			"the AUC cannot be shown to be above chance, because p of a fold-by-fold test without retraining cannot be below") {
		t.Error(text)
	}
}

// Without a headline, tests that Holm's correction leaves at 0.05 or more decide nothing, whatever their p.
func TestSummaryOfUncorrectable(t *testing.T) {
	in := summaryInputs(t, stagetest.SomeParticipants(40, "ASD", "HC"))
	one, _ := stagetest.Evaluated(0.9, 0.8, 1)
	both := need.Value(encoding.Concat(one, one))(t)
	for _, c := range []struct {
		test, code string
		draws      int32
		p          float64
		answer     string
	}{
		{"fold-by-fold test", column.PerFold, 9999, 0.03, "p of a fold-by-fold test cannot be below 0.05 after Holm's correction for 2 classifiers (at best 0.060); state one as the headline in advance, or retrain the models (docs/statistics.md)."},
		{"retrained", column.Retrained, 24, 0.04, "p of 24 label permutations cannot be below 0.05 after Holm's correction for 2 classifiers (at best 0.080); state one as the headline in advance, or use at least 40 permutations (logistic, svm and linear-svm: at most 199)."},
	} {
		pool := encoding.Column{Name: "pool", Values: []string{"topk", "topk", "sage", "sage"}}
		table := encoding.NewTable(append([]encoding.Column{pool}, both.Columns...)...)
		for i, of := range table.Columns {
			switch of.Name {
			case "test":
				table.Columns[i].Values = []string{"", c.code, "", c.code}
			case "p", "p_least", "auc_p":
				table.Columns[i].Values = slices.Repeat([]float64{c.p}, 4)
			case "permutations":
				table.Columns[i].Values = slices.Repeat([]int32{c.draws}, 4)
			}
		}
		in["evaluation"] = []dag.Input{dag.InputOf(table)}
		text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 10}, in)), " ")
		if want := "training set? Whether a setting distinguishes ASD from HC is open: " + c.answer; !strings.Contains(text, want) {
			t.Errorf("%s:\n%s\nwant %s", c.test, text[:900], want)
		}
	}
}

// A caution that questions the models refers also to an AUC above chance beside an accuracy that is not.
func TestAUCAboveQuestioned(t *testing.T) {
	for doubt, is := range map[string]bool{column.DoubtEntity: true, column.DoubtSite: false} {
		in := summaryInputs(t, stagetest.SomeParticipants(40, "ASD", "HC"))
		evaluation, _ := stagetest.Evaluated(0.62, 0.5, 0.7)
		p, _ := evaluation.Column("p")
		p.Values = []float64{0.3, 0.3}
		in["evaluation"] = []dag.Input{dag.InputOf(evaluation)}
		in["notes"] = []dag.Input{dag.InputOf(column.Table([]column.Note{{Text: "a note", Doubt: doubt}}))}
		text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 10}, in)), " ")
		need.Equal(t, strings.Contains(text, "The AUC may be above chance for another reason: see the first caution."), is, text)
	}
}

// What is not shown is not claimed.
func TestSummaryOfChance(t *testing.T) {
	const not, regions = "set: the accuracy is not significantly above chance, but the AUC, ", "The accuracy of the model is not shown to be above chance, so the ranking alone is no evidence of a group difference."
	for _, c := range []struct {
		low, p  float64
		retrain float64 // p of retrained models; NaN where there are none
		above   bool
		caution string
	}{
		{0.61, math.NaN(), math.NaN(), false, "The model: accuracy was not tested against chance; to test it, connect the output permuted of split"},
		// p decides, whatever the interval says.
		{0.61, 0.241, math.NaN(), false, "The model: accuracy is not significantly above chance, p = 0.241 (fold by fold, models not retrained)"},
		{0.5, 0.003, math.NaN(), true, "The model: the permutation test is significant, but the 95% CI for the accuracy (0.500–0.700) includes the majority-class rate (0.600), so the size of the advantage is uncertain"},
		{0.61, 0.003, 0.2, false, "The model: accuracy is not significantly above chance, p = 0.200 (models retrained on 99 label permutations)"},
	} {
		in := summaryInputs(t, stagetest.SomeParticipants(40, "ASD", "HC"))
		evaluation, _ := stagetest.Evaluated(0.62, c.low, 0.7)
		p, _ := evaluation.Column("p")
		p.Values = []float64{c.p, c.p}
		in["evaluation"] = []dag.Input{dag.InputOf(evaluation)}
		if !math.IsNaN(c.retrain) {
			in["permutation"] = []dag.Input{dag.InputOf(column.Table([]column.PermutationTestRow{{Measure: "accuracy",
				Observed: 0.62, Permutations: 99, P: c.retrain}}))}
		}
		text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 10}, in)), " ")
		if !strings.Contains(text, c.caution) || strings.Contains(text, not) == (c.above || math.IsNaN(c.p)) ||
			strings.Contains(text, regions) == c.above {
			t.Errorf("%+v: the summary is\n%s", c, text)
		}
		if strings.Contains(text, "not significantly above chance") == (c.above || math.IsNaN(c.p)) ||
			c.caution == "" && strings.Contains(text, "majority-class rate (") {
			t.Errorf("%+v: the summary is\n%s", c, text)
		}
		if strings.Contains(strings.ToLower(text), "simulated") {
			t.Error("real participants are called simulated")
		}
	}
}

// The page says which classifiers for comparison are above chance where the headline is not, and that the tests of
// accuracy and AUC disagree; each is judged by the last test that can go below 0.05.
func TestSummaryOfWhatIsAboveChance(t *testing.T) {
	row := func(name string, own bool, accuracy, p, aucP float64) performance.Row {
		r := performance.Row{Title: name, Own: own}
		r.Coords, r.Classifier = []dag.Coord{{Axis: "model", Value: name}}, classifierNamed(name)
		r.Level, r.Positive, r.Sensitivity, r.Specificity, r.Majority = "participant", "PAT", 0.6, 0.6, 0.55
		r.Accuracy, r.Low, r.High, r.P = accuracy, accuracy-0.1, accuracy+0.1, p
		r.AUC, r.AUCP, r.Permutations, r.Folds, r.Test = 0.7, aucP, 9999, 5, column.PerFold
		r.AUCLow, r.AUCHigh = math.NaN(), math.NaN()
		return r
	}
	retrained := func(p float64, n int32) []column.PermutationTestRow {
		return []column.PermutationTestRow{{Name: "PR-GNN", Measure: "accuracy", Observed: 0.8, P: p,
			Permutations: n}}
	}
	for _, c := range []struct {
		name     string
		rows     []performance.Row
		permuted []column.PermutationTestRow
		result   string // its end
		caution  string // "" for none on disagreement
	}{
		{"another one is", []performance.Row{row("PR-GNN", true, 0.6, 0.3, 0.4), row("ridge", false, 0.8, 0.001, 0.001),
			row("MLP", false, 0.6, 0.2, 0.001)}, nil,
			"The AUC is 0.700 (mean over the folds); p = 0.400 (fold by fold, models not retrained). The accuracy is not significantly above chance. One of the other classifiers is above chance (p with Holm's correction for 3 classifiers): ridge (accuracy 0.800, tested fold by fold).", ""},
		{"two are", []performance.Row{row("PR-GNN", true, 0.6, 0.3, 0.4), row("ridge", false, 0.8, 0.001, 0.001),
			row("linear SVM", false, 0.75, 0.01, 0.01)}, nil,
			"The accuracy is not significantly above chance. 2 of the other classifiers are above chance (p with Holm's correction for 3 classifiers): ridge (accuracy 0.800, tested fold by fold) and linear SVM (accuracy 0.750, tested fold by fold).", ""},
		{"one is after the correction", []performance.Row{row("PR-GNN", true, 0.6, 0.3, 0.4), row("ridge", false, 0.8, 0.001, 0.001),
			row("linear SVM", false, 0.75, 0.03, 0.03)}, nil,
			"One of the other classifiers is above chance (p with Holm's correction for 3 classifiers): ridge (accuracy 0.800, tested fold by fold).", ""},
		{"none is after the correction", []performance.Row{row("PR-GNN", true, 0.6, 0.3, 0.4), row("ridge", false, 0.8, 0.02, 0.001),
			row("linear SVM", false, 0.75, 0.03, 0.03)}, nil,
			"The accuracy is not significantly above chance. No other classifier is shown to be above chance (p with Holm's correction for 3 classifiers).", ""},
		{"none is", []performance.Row{row("PR-GNN", true, 0.6, 0.3, 0.02),
			row("majority classifier", false, 0.55, 0.001, 1)}, nil, "The accuracy is not significantly above chance.",
			"PR-GNN: the tests of accuracy and AUC disagree (accuracy p = 0.300 (fold by fold, models not retrained); AUC p = 0.020 (fold by fold, models not retrained))"},
		{"it is", []performance.Row{row("PR-GNN", true, 0.8, 0.01, 0.02),
			row("ridge", false, 0.9, 0.001, 0.001)}, nil,
			"p = 0.020 (fold by fold, models not retrained).", ""},
		{"retrained models decide", []performance.Row{row("PR-GNN", true, 0.8, 0.01, 0.02)}, retrained(0.2, 99), "The accuracy is not significantly above chance.",
			"PR-GNN: the tests of accuracy and AUC disagree (accuracy p = 0.200 (models retrained on 99 label permutations); AUC p = 0.020 (fold by fold, models not retrained))"},
		{"too few of them do not", []performance.Row{row("PR-GNN", true, 0.8, 0.01, 0.02)}, retrained(0.1, 9), "p = 0.020 (fold by fold, models not retrained).", ""},
	} {
		a := newAuthor(section.NewWriter(nil), nil)
		a.Accuracy, a.Permuted = c.rows, c.permuted
		const state = "The accuracy is not significantly above chance."
		want, not := strings.Replace(c.result, state+" ", "", 1), strings.Contains(c.result, state)
		want = strings.TrimSuffix(want, state)
		answer, got := a.result(c.rows[0], values{"Classes": []string{"ASD", "HC"}, "Many": false, "Column": "",
			"HeldOut": "", "Number": ""}, values{"Settings": 1})
		if !strings.HasSuffix(got, want) || not && !strings.Contains(answer, "is not significantly above chance") {
			t.Errorf("%s: %s\n%s", c.name, answer, got)
		}
		a.Find(a.Performance()...)
		need.NoError(t, a.Err())
		var disagree string
		for _, text := range a.Cautions() {
			if strings.Contains(text, "disagree") {
				disagree = text
			}
		}
		need.Equal(t, disagree, c.caution, c.name)
	}
}

// Where evaluate permuted test labels within sites, the sentence says so.
func TestSummaryOfPermutationsWithinSites(t *testing.T) {
	for within, want := range map[string]string{"site": "fold by fold within sites, models not retrained", "": "fold by fold, models not",
		"scanner": "fold by fold within values of scanner, models not retrained"} {
		in := summaryInputs(t, stagetest.SomeParticipants(40, "ASD", "HC"))
		evaluation, _ := stagetest.Evaluated(0.8, 0.7, 0.9)
		evaluation.Meta = map[string]string{"within": within}
		in["evaluation"] = []dag.Input{dag.InputOf(evaluation)}
		text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 10}, in)), " ")
		if !strings.Contains(text, want) || within == "" && strings.Contains(text, "within sites") {
			t.Errorf("within %q: %q is missing in\n%s", within, want, text)
		}
	}
}

// A ranking that the next training would turn round is not presented as a finding.
func TestSummaryOfLuckyRanking(t *testing.T) {
	in := summaryInputs(t, stagetest.SomeParticipants(40, "ASD", "HC"))
	markers := stagetest.BiomarkerInputs()
	markers["scores"][1] = dag.InputOf(stagetest.ScoresOf(
		stagetest.ScoreRow{ID: "sub-002", Draw: 1, Set: "test", Layer: 1, Index: 1, Score: 0.4, Kept: true},
		stagetest.ScoreRow{ID: "sub-002", Draw: 1, Set: "test", Layer: 1, Index: 2, Score: 0.6, Kept: false},
		stagetest.ScoreRow{ID: "sub-002", Draw: 1, Set: "test", Layer: 1, Index: 3, Score: 0.2, Kept: true},
	), dag.Coord{Axis: "fold", Value: "2"})
	out := stagetest.MustRun(t, &assess.Biomarkers{Layer: 1, Top: 1, Resamples: 200}, markers)
	in["ranking"], in["consistency"] = []dag.Input{dag.InputOf(out["ranking"])},
		[]dag.Input{dag.InputOf(out["consistency"])}
	text := summaryText(t, &Summary{Top: 10}, in)
	for _, want := range []string{"Two models share only 0.0 of their top 1 region on average (0.3 expected by chance), so the ranking differs between trainings, which differ in the split and the initial weights", "On average, two models share 0.0 of their top 1 region (0.3 expected by chance, p = 1.000)"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// Regions whose scores differ between the groups are found, whatever the ranking is by.
func TestContrastsOfBiomarkers(t *testing.T) {
	for sign, want := range map[float64]string{
		1: "contrast.none 0.09", // of few permutations
		0: "contrast.none 1.00",
	} {
		markers := stagetest.BiomarkerInputs()
		markers["scores"], markers["participants"] = stagetest.Contrasted(sign),
			[]dag.Input{dag.InputOf(stagetest.SomeParticipants(16, "ASD", "HC"))}
		out := stagetest.MustRun(t, &assess.Biomarkers{Reading: "score", Layer: 1, Top: 1, Resamples: 999}, markers)
		rows := need.Value(column.Rows[column.RankingRow](out["ranking"].(*encoding.Table)))(t)
		f, _ := ranking.Contrasted(rows)
		need.Equal(t, fmt.Sprintf("%s %.2f", f.Code, f.Numbers.(ranking.Contrasts).Q), want)
		at := slices.IndexFunc(rows, func(r column.RankingRow) bool { return r.Abbreviation == "a" })
		if rows[at].Q = 0.01; sign == 1 {
			f, _ = ranking.Contrasted(rows)
			need.Equal(t, need.Value(wording.Text(f.Code, f.Numbers))(t), "The groups differ in the scores of 1 region "+
				"(contrast in test participants, tested fold by fold without retraining, q < 0.05): a 10.95.")
		}
	}
}

// Everything but the participants may be left out.
func TestSummaryOfLittle(t *testing.T) {
	in := map[string][]dag.Input{"participants": {dag.InputOf(stagetest.SomeParticipants(3, "a", "b"))}}
	want := `Summary
  Data: 3 participants (2 a and 1 b).

Cautions
  - Group a has only 2 participants
  - Group b has only 1 participant
  - 3 participants can be divided into groups of these sizes in only 3 ways, so
    no permutation test can give p < 0.05 (for comparison, two groups of 4 can
    be formed in 70 ways)

Participants
  Groups
    group  n
    a      2
    b      1
`
	if got := summaryText(t, &Summary{Top: 10}, in); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSummaryOfSettings(t *testing.T) {
	in := summaryInputs(t, stagetest.SomeParticipants(40, "ASD", "HC"))
	one, _ := stagetest.Evaluated(0.8, 0.7, 0.9)
	two, _ := stagetest.Evaluated(0.9, 0.8, 0.95)
	both := need.Value(encoding.Concat(one, two))(t)
	both.Columns = slices.Insert(both.Columns, 0,
		encoding.Column{Name: "pool", Values: []string{"sage", "sage", "topk", "topk"}})
	in["evaluation"] = []dag.Input{dag.InputOf(both)}
	delete(in, "scores")
	text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 10}, in)), " ")
	for _, want := range []string{" TopK 0.900 0.800–0.950", " SAGE 0.800 0.700–0.900", "2 classifiers were compared, which biases the accuracy of the best one upward", "Result: the pipeline has 2 settings and no headline."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// With three groups there is no positive one unless evaluate names it, and the headline says what the AUC is of.
func TestSummaryOfThreeGroups(t *testing.T) {
	in := summaryInputs(t, stagetest.SomeParticipants(40, "A", "B", "C"))
	table := need.Value(in["evaluation"][0].Table())(t)
	column, _ := table.Column("positive")
	named := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 2}, in)), " ")
	if want := "AUC is 0.800 (ASD against all other groups, mean over the folds)"; !strings.Contains(named, want) {
		t.Errorf("no %q in %s", want, named)
	}
	column.Values = []string{"n/a", "n/a"}
	in["evaluation"] = []dag.Input{dag.InputOf(table)}
	text := summaryText(t, &Summary{Top: 2}, in)
	if want := "AUC is 0.800 (each group against the rest, mean over groups and folds)"; !strings.Contains(
		strings.Join(strings.Fields(text), " "), want) {
		t.Errorf("no %q in %s", want, text)
	}
	if strings.Contains(text, "class is n/a") || !strings.Contains(strings.Join(strings.Fields(text), " "),
		"The AUC is the mean over the groups, each against the rest.") {
		t.Errorf("three groups:\n%s", text)
	}
}

// A contrast of three groups is that of the two furthest apart, and a t-test that of the two it tells apart best; of
// two groups nothing is said of that.
func TestReportOfContrastsOfThreeGroups(t *testing.T) {
	markers := stagetest.BiomarkerInputs()
	markers["scores"], markers["participants"] = stagetest.Contrasted(1),
		[]dag.Input{dag.InputOf(stagetest.SomeParticipants(16, "ASD", "HC"))}
	out := stagetest.MustRun(t, &assess.Biomarkers{Reading: "score", Layer: 1, Top: 1, Resamples: 200}, markers)
	tested := stagetest.MustRun(t, stagetest.Fresh("biomarkers", "top", 4, "resamples", 100), referenced(60, 12, 4, 8))
	for _, groups := range [][]string{{"A", "B"}, {"A", "B", "C"}} {
		in := summaryInputs(t, stagetest.SomeParticipants(40, groups...))
		in["ranking"] = []dag.Input{dag.InputOf(out["ranking"])}
		in["recovery"] = []dag.Input{dag.InputOf(tested["recovery"])}
		page := html.UnescapeString(reportText(t, in))
		for _, of := range []string{"largest difference between two groups' mean scores", "the two groups with the largest |t|"} {
			need.Equal(t, strings.Contains(page, of), len(groups) > 2, of)
		}
	}
}

// Warnings of a step are one caution, with the number of participants and the range of the numbers that differ.
func TestSummaryOfWarnings(t *testing.T) {
	quality := func(warning string) dag.Input {
		return dag.InputOf(encoding.NewTable(encoding.Column{Name: "draw", Values: []int32{0, 1}},
			encoding.Column{Name: "warning", Values: []string{"", warning}}))
	}
	coded := func(code string, numbers map[string]any) dag.Input {
		return quality(finding.Written(finding.List{finding.Warning(code, numbers)}))
	}
	few := func(seconds float64) dag.Input {
		return coded("windows.few", map[string]any{"Seconds": seconds, "Least": 5})
	}
	in := summaryInputs(t, stagetest.SomeParticipants(40, "ASD", "HC"))
	in["connectivity"] = []dag.Input{quality(""), few(44), few(60.5)}
	const begin = "- Connectivity in 2 of 3 participants: the scan has fewer than 5 windows of 44–60.5 s side by side"
	if got := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 2}, in)), " "); !strings.Contains(got, begin) {
		t.Errorf("%s\ndoes not have\n%s", got, begin)
	}
	in["connectivity"] = append(in["connectivity"], quality("a region is silent"))
	if got := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 2}, in)), " "); !strings.Contains(got, "(and 1 other warning, see Warnings)") ||
		!strings.Contains(got, "- connectivity: a region is silent (1 participant)") {
		t.Error(got)
	}
	in["connectivity"] = []dag.Input{quality("")}
	short := quality("the windows are too short")
	short.Coords = []dag.Coord{{Axis: "stage", Value: "windows"}, {Axis: "subject", Value: "sub-001"}}
	again := short // another session of this participant
	again.Coords = append(slices.Clone(short.Coords), dag.Coord{Axis: "session", Value: "2"})
	in["warnings"] = []dag.Input{short, again}
	text := summaryText(t, &Summary{Top: 2}, in)
	for _, want := range []string{"  - Windows in 1 of 1 participant: the windows are too short\n",
		"  - windows: the windows are too short (1 participant: sub-001)\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	delete(in, "warnings")
	if got := summaryText(t, &Summary{Top: 2}, in); strings.Contains(got, "Connectivity of") {
		t.Errorf("a warning of nothing:\n%s", got)
	}
}
