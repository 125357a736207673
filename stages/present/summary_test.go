package present

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/assess"
	"prgnn/stages/stagetest"
)

func summaryInputs(t *testing.T, participants *encoding.Table) map[string][]dag.Input {
	t.Helper()
	evaluation, scores := stagetest.Evaluated(0.8, 0.7, 0.9)
	markers := stagetest.BiomarkerInputs()
	markers["truth"] = []dag.Input{dag.InputOf(stagetest.TruthOf(1, 3, 0.2))}
	out := stagetest.MustRun(t, &assess.Biomarkers{Layer: 1, Top: 2, Resamples: 200}, markers)
	subject := func(id string) dag.Coord { return dag.Coord{Axis: "subject", Value: id} }
	coverage := func(voxels ...int32) *encoding.Table {
		return encoding.NewTable(encoding.Column{Name: "name", Values: []string{"a", "b", "c"}}, encoding.Column{Name: "voxels", Values: voxels},
			encoding.Column{Name: "coverage", Values: []float64{1, 1, 0.5}})
	}
	graphs := func(edges int32) *encoding.Table {
		return encoding.NewTable(encoding.Column{Name: "draw", Values: []int32{0}}, encoding.Column{Name: "edges", Values: []int32{edges}})
	}
	return map[string][]dag.Input{
		"participants": {dag.InputOf(participants)},
		"evaluation":   {dag.InputOf(evaluation)},
		"scores":       {dag.InputOf(scores)},
		"ranking":      {dag.InputOf(out["ranking"])},
		"recovery":     {dag.InputOf(out["recovery"])},
		"consistency":  {dag.InputOf(out["consistency"])},
		"coverage":     {dag.InputOf(coverage(4, 8, 0), subject("sub-001")), dag.InputOf(coverage(6, 9, 5), subject("sub-002"))},
		"graphs":       {dag.InputOf(graphs(348), subject("sub-001")), dag.InputOf(graphs(348), subject("sub-002"))},
		"training": {dag.InputOf(encoding.NewTable(encoding.Column{Name: "epoch", Values: []int32{1, 2}},
			encoding.Column{Name: "train_accuracy", Values: []float64{0.7, 0.99}}), dag.Coord{Axis: "fold", Value: "1"})},
	}
}

func summaryText(t *testing.T, s *Summary, in map[string][]dag.Input) string {
	t.Helper()
	text := string(stagetest.Encoded(t, stagetest.MustRun(t, s, in)["text"]))
	if !utf8.ValidString(text) || !strings.HasSuffix(text, "\n") {
		t.Error("not a text")
	}
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 100 {
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

SIMULATED DATA · nobody was scanned, and none of these numbers says anything about people

40 simulated participants: 24 ASD, 16 HC

Steps (median, smallest to largest over participants)
  parcels       voxels a region 5.5 (0–9) · share of a region in the field of view 1 (0.5–1)
  graphs        edges 348

Accuracy on participants who were not trained on; always naming the largest group gives 0.600
  graph        0.800 (sd 0.050) over 3 folds · 95 % CI 0.700–0.900 · balanced 0.700 · AUC 0.800
  participant  0.800 (sd 0.050) over 3 folds · 95 % CI 0.700–0.900 · balanced 0.700 · AUC 0.800
               p<0.001, of the AUC p=0.020 (the groups of the tested permuted)
               sensitivity 0.900, specificity 0.400 for ASD
  fold 1       ████████████████████····│··············· 0.500 of the participants
  fold 2       ████████████████████████│█████·········· 0.750 of the participants
  fold 3       ████████████████████████│███████████████ 1.000 of the participants

To be careful about
  - the group HC has only 16 participants
  - 1 of 6 regions (all participants together) have no voxel: are the labels in the space of the
    scans?
  - more than half of those who are not ASD are taken for it (0.400 are not)
  - the models reach 0.990 on the graphs that they were trained on and 0.800 on the others: they
    know more of the training set by heart than carries over

The 2 most salient regions, by mean pooling score
                                                 score  95 % CI      by model   kept in
    1 c                                          0.750  0.750–0.750  1 to 1     100 %  planted
    2 a                                          0.500  0.500–0.500  2 to 2      75 %  planted
  2 models (folds) rank them: of the first 2, two models have 2.0 in common (1.3 by chance, p=0.29),
  all have 2 (1.3 by chance); rank correlation 1.00
  Rankings and references without training: first 2 of 3 regions; 2 planted (1.3 of 2 by chance)
                                              planted  AUROC  agreement  shared  held-out
    trained models, mean score                      2   1.00       1.00       2         –
    trained models, contrast                        0   0.50          –       0         –
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What is not shown is not claimed.
func TestSummaryOfChance(t *testing.T) {
	in := summaryInputs(t, stagetest.SomeParticipants(40, "ASD", "HC"))
	evaluation, _ := stagetest.Evaluated(0.62, 0.5, 0.7)
	in["evaluation"] = []dag.Input{dag.InputOf(evaluation)}
	text := summaryText(t, &Summary{Top: 10}, in)
	for _, want := range []string{
		"the confidence interval of the accuracy (0.500–0.700) holds the share of the largest group\n    (0.600): the groups are not shown to be told apart",
		"(of models that are not shown to tell the groups apart: they mark nothing about the groups)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Contains(strings.ToLower(text), "simulated") {
		t.Error("real participants are called simulated")
	}
}

// A ranking that the next training would turn round is not presented as a finding.
func TestSummaryOfLuckyRanking(t *testing.T) {
	in := summaryInputs(t, stagetest.SomeParticipants(40, "ASD", "HC"))
	markers := stagetest.BiomarkerInputs()
	markers["scores"][1] = dag.InputOf(stagetest.ScoresOf(
		stagetest.ScoreRow{ID: "sub-002", Draw: 1, Set: "test", Layer: 1, Index: 1, Score: 0.4, Kept: true}, stagetest.ScoreRow{ID: "sub-002", Draw: 1, Set: "test", Layer: 1, Index: 2, Score: 0.6, Kept: false}, stagetest.ScoreRow{ID: "sub-002", Draw: 1, Set: "test", Layer: 1, Index: 3, Score: 0.2, Kept: true},
	), dag.Coord{Axis: "fold", Value: "2"})
	out := stagetest.MustRun(t, &assess.Biomarkers{Layer: 1, Top: 1, Resamples: 200}, markers)
	in["ranking"], in["consistency"] = []dag.Input{dag.InputOf(out["ranking"])}, []dag.Input{dag.InputOf(out["consistency"])}
	text := summaryText(t, &Summary{Top: 10}, in)
	for _, want := range []string{"of the first 1 regions two models have only 0.0 in common, on average", "two models have 0.0 in common (0.3 by chance, p=1.00)"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// What tells the groups apart is named, whatever the ranking is by.
func TestSummaryOfContrasts(t *testing.T) {
	in := summaryInputs(t, stagetest.SomeParticipants(40, "ASD", "HC"))
	for _, c := range []struct {
		sign float64
		want string
	}{
		{1, "1 region is scored differently in the groups (contrast in participants whom a model has not seen, q<0.05): a 10.95"},
		{0, "No region is scored differently in the groups (contrast in participants whom a model has not seen; least q 1.00)"},
	} {
		markers := stagetest.BiomarkerInputs()
		markers["scores"], markers["participants"] = stagetest.Contrasted(c.sign), []dag.Input{dag.InputOf(stagetest.SomeParticipants(16, "ASD", "HC"))}
		out := stagetest.MustRun(t, &assess.Biomarkers{Reading: "score", Layer: 1, Top: 1, Resamples: 999}, markers)
		in["ranking"], in["consistency"] = []dag.Input{dag.InputOf(out["ranking"])}, []dag.Input{dag.InputOf(out["consistency"])}
		if text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 10}, in)), " "); !strings.Contains(text, c.want) {
			t.Errorf("%q is missing in\n%s", c.want, text)
		}
	}
}

// Regions against permuted groups: whether any stands out, and which.
func TestSummaryOfNull(t *testing.T) {
	for _, c := range []struct {
		q, any []float64
		want   string
	}{
		{[]float64{0.01, 0.02, 0.5}, []float64{0.01, 0.04, 0.9}, "Beside 99 trainings on permuted groups 2 regions stand out (q<0.05): L.X …"},
		{[]float64{0.2, 0.2, 0.5}, []float64{0.12, 0.4, 0.9}, "Beside 99 trainings on permuted groups no region stands out (p=0.12 for the first of them)"},
	} {
		in := summaryInputs(t, stagetest.SomeParticipants(40, "ASD", "HC"))
		in["null"] = []dag.Input{dag.InputOf(encoding.NewTable(
			encoding.Column{Name: "index", Values: []int32{3, 1, 2}}, encoding.Column{Name: "name", Values: []string{"x", "y", "z"}}, encoding.Column{Name: "abbreviation", Values: []string{"L.X", "L.Y", "L.Z"}},
			encoding.Column{Name: "q", Values: c.q}, encoding.Column{Name: "p_any", Values: c.any}, encoding.Column{Name: "permutations", Values: []int32{99, 99, 99}}))}
		if text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 1}, in)), " "); !strings.Contains(text, c.want) {
			t.Errorf("%q is missing in\n%s", c.want, text)
		}
	}
}

// Everything but the participants may be left out.
func TestSummaryOfLittle(t *testing.T) {
	in := map[string][]dag.Input{"participants": {dag.InputOf(stagetest.SomeParticipants(3, "a", "b"))}}
	want := `3 participants: 2 a, 1 b

To be careful about
  - the group a has only 2 participants
  - the group b has only 1 participant
`
	if got := summaryText(t, &Summary{Top: 10}, in); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSummaryOfSettings(t *testing.T) {
	in := summaryInputs(t, stagetest.SomeParticipants(40, "ASD", "HC"))
	one, _ := stagetest.Evaluated(0.8, 0.7, 0.9)
	two, _ := stagetest.Evaluated(0.9, 0.8, 0.95)
	both, err := encoding.Concat(one, two)
	if err != nil {
		t.Fatal(err)
	}
	both.Columns = slices.Insert(both.Columns, 0, encoding.Column{Name: "pool", Values: []string{"sage", "sage", "topk", "topk"}})
	in["evaluation"] = []dag.Input{dag.InputOf(both)}
	delete(in, "scores")
	text := summaryText(t, &Summary{Top: 10}, in)
	for _, want := range []string{"\n  SAGE\n  graph        0.800", "\n  TopK\n  graph        0.900", "2 classifiers were compared: the best of them looks better than it is"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// What PR-GNN knows by heart is not measured by how well other classifiers do.
func TestOwnRows(t *testing.T) {
	rows := []accuracyRow{{name: "PR-GNN"}, {name: "majority class"}, {name: "linear SVM, repeat 1"}, {name: ""}, {name: "SAGE, λ 0.1-0.1"}}
	var own []string
	for _, r := range ownRows(rows) {
		own = append(own, r.name)
	}
	if want := []string{"PR-GNN", "", "SAGE, λ 0.1-0.1"}; !slices.Equal(own, want) {
		t.Errorf("%q, want %q", own, want)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{""}}, {"one", []string{"one"}}, {"one two", []string{"one", "two"}}, {"a b c d", []string{"a b c", "d"}},
		{"größer als", []string{"größe", "r als"}}, {"abcdefghijkl m", []string{"abcde", "fghij", "kl m"}},
	} {
		if got := wrap(c.text, 5); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// Too few volumes for the regions are told, with how many participants it strikes.
func TestSummaryOfWeakMatrices(t *testing.T) {
	quality := func(warning string) dag.Input {
		return dag.InputOf(encoding.NewTable(encoding.Column{Name: "draw", Values: []int32{0, 1}}, encoding.Column{Name: "warning", Values: []string{"", warning}}))
	}
	in := summaryInputs(t, stagetest.SomeParticipants(40, "ASD", "HC"))
	in["connectivity"] = []dag.Input{quality(""), quality("84 regions and 53 independent volumes"), quality("84 regions and 60 independent volumes")}
	if got, want := summaryText(t, &Summary{Top: 2}, in), "  - connectivity of 2 of 3 participants: 84 regions and 53 independent volumes\n"; !strings.Contains(got, want) {
		t.Errorf("%s\ndoes not say\n%s", got, want)
	}
	in["connectivity"] = []dag.Input{quality("")}
	if got := summaryText(t, &Summary{Top: 2}, in); strings.Contains(got, "connectivity of") {
		t.Errorf("a warning of nothing:\n%s", got)
	}
}
