package present

import (
	"fmt"
	"html"
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/present/tables"
	"prgnn/stages/report"
	"prgnn/stages/stagetest"
)

var tag = regexp.MustCompile(`<[^>]*>`)

// unevenRun are predictions of PR-GNN and of the majority classifier on folds of 5 and 3, so
// that a mean over the folds and a value pooled over folds differ in every measure.
func unevenRun(stage, model string) []dag.Input {
	g := [2]string{"ASD", "HC"}
	p := [2][]float64{{0.3, 0.6, 0.6, 0.7, 0.4}, {0.45, 0.05, 0.9}} // of HC
	if model == "majority" {
		p = [2][]float64{{0.4, 0.4, 0.4, 0.4, 0.4}, {0.2, 0.2, 0.2}}
	}
	label := [2][]int{{0, 0, 0, 1, 1}, {0, 0, 1}}
	var out []dag.Input
	for f := range 2 {
		var rows [][3]any
		for i := range p[f] {
			rows = append(rows, [3]any{string(rune('a' + 5*f + i)), label[f][i], p[f][i]})
		}
		table := stagetest.OneFold(int32(f+1), g, rows...)
		table.Meta = map[string]string{"model": model}
		coords := []dag.Coord{{Axis: "fold", Value: []string{"1", "2"}[f]}, {Axis: "stage", Value: stage}}
		if stage != "train" {
			coords = slices.Insert(coords, 1, dag.Coord{Axis: "model", Value: model})
		}
		out = append(out, dag.InputOf(table, coords...))
	}
	return out
}

// Every rendering of one run shows the same accuracy, pooled over the folds, and the same area,
// the mean over the folds, worked out by hand; the accuracy lies inside its interval.
func TestRenderingsAgree(t *testing.T) {
	predictions := slices.Concat(unevenRun("train", column.PrGNN), unevenRun("baselines", "majority"))
	in := map[string][]dag.Input{"predictions": predictions}
	evaluated := stagetest.MustRun(t, stagetest.Fresh("evaluate", "permutations", 99), in)
	summary := evaluated["summary"].(*encoding.Table)
	// Fold 1: a right, b and c wrong, d right, e wrong: 2/5. Pairs (ASD, HC): a below d and e,
	// b and c below d and above e: 4/6. Fold 2: all right.
	rows := map[string][]float64{"accuracy": {5. / 8, 5. / 8}, "fold_mean": {0.7, (3./5 + 2./3) / 2},
		"auc": {(4./6 + 1) / 2, 0.5}, "majority": {5. / 8, 5. / 8}}
	names, _ := summary.Strings("name")
	level, _ := summary.Strings("level")
	for column, want := range rows {
		got := []float64{0, 0}
		for i, x := range stagetest.FloatsOf(t, summary, column) {
			if level[i] == "participant" {
				got[map[bool]int{true: 0, false: 1}[names[i] == "PR-GNN"]] = x
			}
		}
		if !stagetest.Near(got, want) {
			t.Fatalf("evaluate: %s %v, want %v", column, got, want)
		}
	}
	wantAccuracy, wantArea := report.Share(rows["accuracy"][0]), report.Share(rows["auc"][0])
	chance, folds := report.Share(rows["majority"][1]), report.Share(rows["fold_mean"][0])
	if folds == wantAccuracy {
		t.Fatal("pooled and mean are the same: the test cannot fail")
	}
	low, high := stagetest.FloatsOf(t, summary, "ci_low"), stagetest.FloatsOf(t, summary, "ci_high")
	for i, x := range stagetest.FloatsOf(t, summary, "accuracy") {
		if x < low[i] || x > high[i] {
			t.Errorf("accuracy %v is outside its interval, %v to %v", x, low[i], high[i])
		}
	}

	pairs := stagetest.MustRun(t, stagetest.Fresh("compare", "reference", []any{"stage=train"}), in)["pairs"]
	if a, b := stagetest.FloatsOf(t, pairs, "accuracy_a"),
		stagetest.FloatsOf(t, pairs, "accuracy_b"); report.Share(a[0]) != wantAccuracy || report.Share(b[0]) != chance {
		t.Errorf("compare: %v and %v, want %s and %s", a, b, wantAccuracy, chance)
	}
	made := stagetest.MustRun(t, stagetest.Fresh("tables", "level", "participant"),
		map[string][]dag.Input{"comparison": {dag.InputOf(summary)}})
	if got := stagetest.FloatsOf(t, made["table2"], "accuracy"); !slices.ContainsFunc(got,
		func(x float64) bool { return report.Share(x) == wantAccuracy }) ||
		!strings.Contains(string(stagetest.Encoded(t, made["markdown"])), folds+"(") {
		t.Errorf("tables: %v", got)
	}
	shown := map[string][]dag.Input{"participants": {dag.InputOf(stagetest.SomeParticipants(8, "ASD", "HC"))},
		"evaluation": {dag.InputOf(summary)},
		"scores":     {dag.InputOf(evaluated["scores"])}, "comparison": {dag.InputOf(pairs)}}
	text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 5}, shown)), " ")
	for _, want := range []string{"majority-class rate " + chance, "Result: the accuracy per participant (PR-GNN) is " +
		wantAccuracy, "AUC is " + wantArea, "PR-GNN " + wantAccuracy + " ", " " + folds + " ±", "majority classifier " + chance,
		"PR-GNN majority classifier " + wantAccuracy + " " + chance} {
		if !strings.Contains(text, want) {
			t.Errorf("the summary does not say %q:\n%s", want, text)
		}
	}
	// The headline is A in each pair, in any order of the table.
	swapped := need.Value(column.Read[column.PairRow](shown["comparison"][0]))(t)
	for i, r := range swapped {
		r.A, r.B, r.NameA, r.NameB, r.AccuracyA, r.AccuracyB = r.B, r.A, r.NameB, r.NameA, r.AccuracyB, r.AccuracyA
		r.OnlyA, r.OnlyB = r.OnlyB, r.OnlyA
		swapped[i] = r
	}
	inOrder := maps.Clone(shown)
	inOrder["comparison"] = []dag.Input{dag.InputOf(column.Table(swapped))}
	need.Equal(t, strings.Join(strings.Fields(summaryText(t, &Summary{Top: 5}, inOrder)), " "), text)
	// The table of the folds names the site that each leaves out, where the scores do.
	sites := *evaluated["scores"].(*encoding.Table)
	siteNames := make([]string, sites.Rows())
	for i, f := range stagetest.FloatsOf(t, &sites, "fold") {
		siteNames[i] = fmt.Sprintf("scanner-%g", f)
	}
	sites.Columns = append(slices.Clone(sites.Columns), encoding.Column{Name: "left_out", Values: siteNames})
	withSites := maps.Clone(shown)
	withSites["scores"] = []dag.Input{dag.InputOf(&sites)}
	text = strings.Join(strings.Fields(summaryText(t, &Summary{Top: 5}, withSites)), " ")
	if !strings.Contains(text, "fold left out accuracy 1 scanner-1 ") || !strings.Contains(text, " 2 scanner-2 ") {
		t.Errorf("the table of the folds does not name what is left out:\n%s", text)
	}
	// With the sites as a second division they have tables of their own, beside published figures.
	withSites["scores"], withSites["left_out"], withSites["left_out_scores"] = shown["scores"],
		[]dag.Input{dag.InputOf(summary)}, []dag.Input{dag.InputOf(&sites)}
	withSites["published"] = []dag.Input{dag.InputOf(column.Table([]tables.PublishedRow{
		{Source: tables.ThisRun, Model: "PR-GNN", Accuracy: 0.5, AUCSD: math.NaN()},
		{Source: tables.ThisRun, Model: "ridge regression", Accuracy: 0.6, AUC: 0.65, AUCSD: math.NaN()},
		{Source: "a benchmark", File: "all.csv", Model: "SVM", Participants: 871, Preprocessing: "AAL",
			Splits: "10 splits", Accuracy: 0.66, AccuracySD: 0.02, AUC: 0.71, AUCSD: 0.03,
			Differs: []string{"splits"}}}))}
	text = strings.Join(strings.Fields(tag.ReplaceAllString(reportText(t, withSites), " ")), " ")
	for _, want := range []string{"Performance with each group of participants left out in turn",
		"left out (2 rows) group of participants n PR-GNN majority classifier scanner-1 5 0.400 0.600 scanner-2 3 1.000 0.667",
		"a benchmark SVM 871 0 10 splits 0.660 ± 0.020 0.710 ± 0.030 splits", "a benchmark: all.csv, AAL.",
		"this run PR-GNN 0 0 0.500 ± 0.000 0.000 this run ridge"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q:\n%s", want, text)
		}
	}
	shown["predictions"] = predictions
	page := reportText(t, shown)
	for _, want := range []string{`<span class="value">` + wantAccuracy + `</span>`, `<span class="value">` + wantArea +
		`</span>`, "<strong>" + wantAccuracy + "</strong>", folds + " ± ", "Majority-class rate: " + chance} {
		if !strings.Contains(page, want) {
			t.Errorf("the report does not say %s", want)
		}
	}
	areas := regexp.MustCompile(`AUC (0\.\d+)`)
	found := 0
	for _, m := range regexp.MustCompile(`data:image/svg\+xml;charset=utf-8,([^"]+)`).FindAllStringSubmatch(html.UnescapeString(page), -1) {
		svg := need.Value(url.PathUnescape(m[1]))(t)
		for _, a := range areas.FindAllStringSubmatch(svg, -1) {
			if found++; a[1] != wantArea {
				t.Errorf("a figure of the report says AUC %s, want %s", a[1], wantArea)
			}
		}
	}
	if found == 0 {
		t.Error("no figure of the report has an area")
	}
	svg := string(stagetest.Encoded(t, stagetest.MustRun(t, stagetest.Fresh("figure-roc"), in)["picture"]))
	_, drawn, _ := strings.Cut(svg, "</metadata>") // the caption has it, too
	if got := areas.FindAllStringSubmatch(drawn, -1); len(got) != 1 || got[0][1] != wantArea {
		t.Errorf("figure-roc: %v, want one AUC, %s: the majority classifier is the diagonal", got, wantArea)
	}
	alone := string(stagetest.Encoded(t, stagetest.MustRun(t, stagetest.Fresh("figure-roc"),
		map[string][]dag.Input{"predictions": unevenRun("baselines", "majority")})["picture"]))
	if got := areas.FindStringSubmatch(alone); got == nil || got[1] != "0.500" {
		t.Errorf("the majority classifier alone: %v, want 0.500", got)
	}
}

// Nobody is trained on and tested in one fold, with or without a leakage stage.
func TestPredictionsOfBothSides(t *testing.T) {
	in := unevenRun("train", column.PrGNN)
	table := need.Value(in[0].Table())(t)
	extra := stagetest.OneFold(1, [2]string{"ASD", "HC"}, [3]any{"a", 0, 0.3})
	set, _ := extra.Column("set")
	set.Values = []string{"train"}
	both := need.Value(encoding.Concat(table, extra))(t)
	in[0] = dag.InputOf(both, in[0].Coords...)
	for _, kind := range []string{"evaluate", "compare", "figure-roc", "figure-confusion", "figure-calibration"} {
		if _, err := stagetest.RunStage(t, stagetest.Fresh(kind),
			map[string][]dag.Input{"predictions": in}); err == nil || !strings.Contains(err.Error(), "leakage: a is in the training and the test set in fold 1 of repeat 1") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// The headline is named in the file, the only setting, or chosen inside each fold: never
// the setting that did best on the tested.
func TestHeadline(t *testing.T) {
	one, _ := stagetest.Evaluated(0.81, 0.7, 0.9)
	two, _ := stagetest.Evaluated(0.92, 0.8, 0.95)
	both := need.Value(encoding.Concat(one, two))(t)
	both.Columns = slices.Insert(both.Columns, 0,
		encoding.Column{Name: "pool", Values: []string{"sage", "sage", "topk", "topk"}})
	nested, _ := stagetest.Evaluated(0.85, 0.75, 0.92)
	for _, c := range []struct {
		name     string
		headline []string
		nested   bool
		value    string // in the large tile of the report
		text     string // in the summary
	}{
		{"nobody chose", nil, false, "2 settings", "Result: the pipeline has 2 settings and no headline. Specify the headline before the results are seen (with: " +
			"{ headline: SETTING } of summary and report, where SETTING is one of [pool=topk], [pool=sage]), or "},
		{"the file names the worse one", []string{"pool=sage"}, false, "0.810", "Result: the accuracy per participant (SAGE) is 0.810"},
		{"chosen inside each fold", nil, true, "0.850", "Result: the accuracy per participant (setting chosen inside each fold) is 0.850"},
	} {
		in := map[string][]dag.Input{"participants": {dag.InputOf(stagetest.SomeParticipants(40, "ASD", "HC"))},
			"evaluation": {dag.InputOf(both)}}
		if c.nested {
			in["nested"] = []dag.Input{dag.InputOf(nested)}
		}
		page := string(stagetest.Encoded(t, stagetest.MustRun(t, &Report{Top: 5, Headline: c.headline}, in)["page"]))
		values := regexp.MustCompile(`<span class="value">([^<]*)</span>`).FindAllStringSubmatch(page, -1)
		if len(values) == 0 || values[0][1] != c.value {
			t.Errorf("%s: the report has %v, want %s first", c.name, values, c.value)
		}
		rows := regexp.MustCompile(`<th scope="row">(?:SAGE|[Tt]op)`).FindAllString(page, -1) // the headline first, and else the better
		need.Equal(t, len(rows) > 1 && strings.HasSuffix(rows[0], "SAGE"), c.headline != nil, c.name, rows)
		text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 5, Headline: c.headline}, in)), " ")
		if !strings.Contains(text, c.text) || strings.Contains(text, "no headline") != (c.value == "2 settings") {
			t.Errorf("%s: the summary does not say %q:\n%s", c.name, c.text, text)
		}
	}
	in := map[string][]dag.Input{"participants": {dag.InputOf(stagetest.SomeParticipants(40, "ASD", "HC"))},
		"evaluation": {dag.InputOf(both)}}
	for named, want := range map[string]string{"pool=none": "headline: no setting matches pool=none; available: pool=sage; pool=topk"} {
		list := []string{}
		if named != "" {
			list = append(list, named)
		}
		for _, s := range []dag.Stage{&Report{Top: 5, Headline: list}, &Summary{Top: 5, Headline: list}} {
			if _, err := stagetest.RunStage(t, s, in); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%T, %q: %v, want %s", s, named, err, want)
			}
		}
	}
}

// A headline that is a choice inside each fold has its own p and caution; those of the settings that it chose from are
// stated as not of the headline.
func TestChoiceIsTheHeadline(t *testing.T) {
	one, _ := stagetest.Evaluated(0.81, 0.7, 0.9)
	two, _ := stagetest.Evaluated(0.92, 0.8, 0.97)
	both := need.Value(encoding.Concat(one, two))(t)
	both.Columns = slices.Insert(both.Columns, 0,
		encoding.Column{Name: "pool", Values: []string{"sage", "sage", "topk", "topk"}})
	nested, _ := stagetest.Evaluated(0.85, 0.75, 0.92)
	p, _ := nested.Column("p")
	p.Values = []float64{0.112, 0.112}
	in := map[string][]dag.Input{"participants": {dag.InputOf(stagetest.SomeParticipants(40, "ASD", "HC"))},
		"evaluation": {dag.InputOf(both)}, "nested": {dag.InputOf(nested)}}
	text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 5}, in)), " ")
	const alone = "The p values of TopK and SAGE are for each setting alone, not for the headline"
	for _, want := range []string{"The setting chosen inside each fold is not shown to distinguish ASD from HC",
		"the p values of accuracy and AUC are for the whole procedure. " + alone,
		"- The setting chosen inside each fold: accuracy is not significantly above chance, p = 0.112",
		"p = 0.112, and AUC is 0.800, p = 0.020. This is the headline."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(text, alone); n != 2 { // the result and the note of the table
		t.Errorf("%d times: %s", n, text)
	}
	// Beside a headline that the file gives, its accuracy follows, with how it was chosen.
	text = strings.Join(strings.Fields(summaryText(t, &Summary{Top: 5, Headline: []string{"pool=sage"}}, in)), " ")
	for _, want := range []string{"Result: the accuracy per participant (SAGE) is 0.810",
		"With the setting chosen inside each fold by its training participants (nested cross-validation), the accuracy " +
			"per participant is 0.850, 95% CI 0.750–0.920; p = 0.112"} {
		need.Equal(t, strings.Contains(text, want), true, want, text)
	}
	text = strings.Join(strings.Fields(summaryText(t, &Summary{Top: 5}, in)), " ")
	for _, not := range []string{"TopK: accuracy", "SAGE: accuracy", "other classifier"} {
		if strings.Contains(text, not) {
			t.Errorf("%q in\n%s", not, text)
		}
	}
}

// Four participants of two folds by hand: (0.3² + 0.1² + 0.6² + 0.2²)/4 is the same for either group.
func TestBrierScore(t *testing.T) {
	fold := func(n int32, people ...[3]any) dag.Input {
		return dag.InputOf(stagetest.OneFold(n, [2]string{"ASD", "HC"}, people...),
			dag.Coord{Axis: "fold", Value: fmt.Sprint(n)})
	}
	out := stagetest.MustRun(t, stagetest.Fresh("figure-calibration", "bins", 2),
		map[string][]dag.Input{"predictions": {fold(1, [3]any{"a", 0, 0.3}, [3]any{"b", 1, 0.9}),
			fold(2, [3]any{"c", 1, 0.4}, [3]any{"d", 0, 0.2})}})
	bins := out["bins"].(*encoding.Table)
	for name, want := range map[string][]float64{"brier": {0.125, 0.125}, "low": {0, 0.5}, "n": {1, 3},
		"mean": {0.1, 0.7}, "share": {0, 2. / 3}} {
		if got := stagetest.FloatsOf(t, bins, name); !stagetest.Near(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if svg := string(stagetest.Encoded(t, out["picture"])); !strings.Contains(svg, "Brier score 0.125") {
		t.Error("the figure does not name the Brier score")
	}
}

// The decision values of SVMs and ridge, alone or chosen inside the folds, have no reliability curve and no Brier
// score; those of other classifiers beside them do.
func TestDecisionValuesHaveNoCalibration(t *testing.T) {
	of := func(model, stated string) dag.Input {
		table := stagetest.OneFold(1, [2]string{"ASD", "HC"}, [3]any{"a", 0, 0.3}, [3]any{"b", 1, 0.9})
		table = column.WithMeta(table, map[string]string{"model": stated})
		coords := []dag.Coord{{Axis: "stage", Value: model + stated}, {Axis: "fold", Value: "1"}}
		if model != "" {
			coords = append(coords, dag.Coord{Axis: "model", Value: model})
		}
		return dag.InputOf(table, coords...)
	}
	for _, c := range []struct{ model, stated string }{{"svm", ""}, {"linear-svm", ""}, {"ridge", ""},
		{"kernel-ridge", ""}, {"", "ridge"}, {"", "logistic regression or ridge regression"}} {
		decided := of(c.model, c.stated)
		in := map[string][]dag.Input{"predictions": {decided}}
		_, err := stagetest.RunStage(t, stagetest.Fresh("figure-calibration"), in)
		need.Error(t, err, "calibrated probabilities")
		in["predictions"] = append(in["predictions"], of("logistic", ""))
		bins := stagetest.MustRun(t, stagetest.Fresh("figure-calibration"), in)["bins"].(*encoding.Table)
		need.Equal(t, bins.Rows(), 5, c)
		summary := stagetest.MustRun(t, stagetest.Fresh("evaluate"), in)["summary"].(*encoding.Table)
		rows := need.Value(column.Rows[column.AccuracyRow](summary))(t)
		for _, r := range rows {
			known := r.Classifier == "logistic" && r.Level == "participant"
			need.Equal(t, !math.IsNaN(r.Brier), known, r)
		}
	}
}

// The figures of a report have the positive group of its evaluation.
func TestFiguresHaveTheEvaluatedPositiveGroup(t *testing.T) {
	for positive, other := range map[string]string{"ASD": "HC", "HC": "ASD"} {
		in := map[string][]dag.Input{"predictions": unevenRun("train", column.PrGNN)}
		out := stagetest.MustRun(t, stagetest.Fresh("evaluate", "positive", positive), in)
		in["evaluation"] = []dag.Input{dag.InputOf(out["summary"])}
		in["scores"] = []dag.Input{dag.InputOf(out["scores"])}
		in["participants"] = []dag.Input{dag.InputOf(stagetest.SomeParticipants(8, "ASD", "HC"))}
		page := reportText(t, in)
		for group, want := range map[string]bool{positive: true, other: false} {
			need.Equal(t, strings.Contains(page, "Share of "+group+" "), want, positive+": "+group)
		}
	}
}
