package finding

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/column"
)

// coords are coordinates written as "seed=1 stage=a".
func coords(text string) []dag.Coord { return column.ReadCoords(strings.Fields(text)) }

// codes are those of findings, with their weights.
func codes(all List) string {
	return strings.Join(lists.Map(all, func(f Finding) string { return f.Code }), " ")
}

// sound is a classifier that is above chance by all measures.
func sound(title, setting string) Row {
	return Row{Title: title, Own: true, AccuracyRow: column.AccuracyRow{Coords: coords(setting), Level: "participant",
		Positive: "PAT", Participants: 50, Accuracy: 0.8, Low: 0.7, High: 0.9, Majority: 0.6, Sensitivity: 0.9,
		Specificity: 0.9,
		AUC:         0.8, AUCLow: 0.6, AUCHigh: 0.9, Test: column.Retrained, P: 0.01, AUCP: 0.01, Least: 0.001,
		Permutations: 999, Folds: 5}}
}

// The findings about one classifier: what changes in a sound one, and what follows.
func TestOfOneClassifier(t *testing.T) {
	for _, c := range []struct {
		change func(*Row)
		want   string
	}{
		{func(r *Row) {}, ""},
		{func(r *Row) { r.Sensitivity, r.Specificity = 1, 0 }, "specificity.everybody"},
		{func(r *Row) { r.Sensitivity, r.Specificity = 0.933, 0 }, "specificity.none"},
		{func(r *Row) { r.Sensitivity, r.Specificity = 0, 1 }, "sensitivity.nobody"},
		{func(r *Row) { r.Sensitivity, r.Specificity = 0, 0.933 }, "sensitivity.none"},
		{func(r *Row) { r.Sensitivity = 0.4 }, "sensitivity.below-half"},
		{func(r *Row) { r.Specificity = 0.4 }, "specificity.below-half"},
		{func(r *Row) { r.Specificity = 0.5 }, ""},
		{func(r *Row) { r.Accuracy, r.Participants = 1, 20 }, "accuracy.near-perfect"},
		{func(r *Row) { r.Accuracy, r.Participants = 1, 14 }, "accuracy.near-perfect"}, // 0.8^14 = 0.044
		{func(r *Row) { r.Accuracy, r.Participants = 1, 13 }, ""},                      // 0.8^13 = 0.055
		{func(r *Row) { r.Accuracy = 0.98 }, "accuracy.near-perfect"},
		{func(r *Row) { r.Accuracy = 0.97 }, ""},
		{func(r *Row) { r.Accuracy, r.Own = 1, false }, "accuracy.near-perfect"},
		{func(r *Row) { r.P, r.AUCP = 0.049, 0.049 }, ""},
		{func(r *Row) { r.P, r.AUCP = 0.05, 0.05 }, "accuracy.not-above-chance accuracy.interval-excludes-chance"},
		{func(r *Row) { r.P, r.AUCP, r.Own = 0.05, 0.05, false }, ""},
		{func(r *Row) { r.P = 0.05 }, "accuracy.not-above-chance accuracy.interval-excludes-chance accuracy.auc-disagrees"},
		{func(r *Row) { r.AUCP = 0.05 }, "accuracy.interval-excludes-chance accuracy.auc-disagrees"},
		{func(r *Row) { r.P, r.AUCP, r.Least = 0.06, 0.06, 0.05 }, "accuracy.undecidable"},
		{func(r *Row) { r.Test = "" }, "accuracy.untested"},
		{func(r *Row) { r.AUCLow, r.AUCHigh = 0.02, 0.21 }, "auc.below-chance auc.interval-includes-chance"},
		{func(r *Row) { r.AUCLow, r.AUCHigh, r.Own = 0.02, 0.21, false }, "auc.below-chance"},
		{func(r *Row) { r.AUCLow = 0.5 }, "auc.interval-includes-chance"},
		{func(r *Row) { r.AUCLow = math.NaN() }, ""},
		{func(r *Row) { r.AUCLow, r.Test = 0.4, "" }, "accuracy.untested"}, // no test rejects anything
		{func(r *Row) { r.Low = 0.6 }, "accuracy.interval-includes-majority"},
		{func(r *Row) { r.Low, r.Own = 0.6, false }, "accuracy.interval-includes-majority"},
		{func(r *Row) { r.Low, r.Accuracy, r.High = 0.2, 0.6, 0.7 }, "accuracy.not-above-majority"},
		{func(r *Row) { r.Low, r.Accuracy, r.High, r.Own = 0.2, 0.417, 0.7, false }, "accuracy.not-above-majority"},
		{func(r *Row) { r.Low, r.Accuracy, r.P, r.AUCP, r.AUCLow = 0.2, 0.417, 0.2, 0.2, 0.5 }, "accuracy.not-above-chance"},
		{func(r *Row) { r.Low, r.P, r.AUCP = 0.6, 0.2, 0.2 }, "accuracy.not-above-chance accuracy.interval-excludes-chance"},
		{func(r *Row) { r.Low, r.High, r.P, r.AUCP, r.AUCLow = 0.3, 0.59, 0.9, 0.9, 0.4 }, "accuracy.below-majority"},
		{func(r *Row) { r.Low, r.Accuracy, r.High = 0.3, 0.45, 0.59 }, "accuracy.below-majority"},
		{func(r *Row) { r.Low, r.Accuracy, r.High, r.Own = 0.3, 0.45, 0.59, false }, "accuracy.not-above-majority"},
		{func(r *Row) { r.AUCFolds, r.SensFolds, r.SpecFolds = 5, 5, 5 }, ""},
		{func(r *Row) { r.AUCFolds, r.SensFolds, r.SpecFolds = 3, 4, 4 }, "folds.of-one-class"},
		{func(r *Row) { r.AUCFolds, r.SensFolds, r.SpecFolds = 4, 5, 4 }, "folds.of-one-class"},
		{func(r *Row) { r.AUC, r.AUCP, r.SensFolds, r.SpecFolds = math.NaN(), math.NaN(), 2, 3 }, "folds.of-one-class"},
		{func(r *Row) { r.AUCFolds, r.Positive = 5, "n/a" }, ""}, // several classes have no sensitivity
		{func(r *Row) { r.AUCFolds, r.Positive = 4, "n/a" }, "folds.of-one-class"},
		{func(r *Row) { r.AUCFolds, r.Positive, r.Incomplete = 5, "n/a", 3 }, "folds.lack-groups"},
		{func(r *Row) { r.TestFolds, r.TestAccuracy = 2, 0.7 }, "accuracy.p-of-first-repeat"},
		{func(r *Row) { r.Classifier, r.Own, r.Low = "majority", false, 0.5 }, ""},
	} {
		r := sound("PR-GNN", "")
		c.change(&r)
		a := &Results{Plan: &Settings{}, Accuracy: []Row{r}}
		need.Equal(t, codes(a.Performance()), c.want, r)
	}
}

// A nearly perfect prediction of the site needs no cause. Left-out sites of one group are stated as such.
func TestPredictionOfSites(t *testing.T) {
	for predicts, want := range map[string]string{"scanner": "", "site": "", "group": "accuracy.near-perfect",
		"": "accuracy.near-perfect"} {
		r := sound("SVM", "")
		r.Accuracy = 1
		a := &Results{Plan: &Settings{}, Accuracy: []Row{r}, Predicts: predicts}
		need.Equal(t, codes(a.Performance()), want, predicts)
	}
	out := sound("SVM", "")
	out.AUCFolds, out.SensFolds, out.SpecFolds = 3, 4, 4
	a := &Results{Plan: &Settings{Stages: []StageSettings{{Stage: "sites", Kind: "split",
		Values: map[string][][]string{"leave_out": {{"site"}}}}}}, Accuracy: []Row{sound("SVM", "")}}
	a.Beyond = &Results{Plan: a.Plan, Accuracy: []Row{out}}
	found := a.Performance()
	need.Equal(t, codes(found), "folds.of-one-class")
	need.Equal(t, found[0].Values()["Beyond"], any("site"))
}

// Where site is still predicted above chance from matrices that ComBat harmonized for it, by Holm's correction for all
// models of site, it is a finding about the models of the page that have such matrices.
func TestSiteIsLeftAfterComBat(t *testing.T) {
	stage := func(name, kind string, inputs ...string) StageSettings {
		s := StageSettings{Stage: name, Kind: kind, Inputs: map[string][]column.Result{},
			Values: map[string][][]string{}}
		for i, from := range inputs {
			s.Inputs[fmt.Sprint("in", i)] = column.Results(from)
		}
		return s
	}
	combat := stage("combat", "combat", "connectivity.pearson")
	for _, c := range []struct {
		adjusted    string  // the column of ComBat
		p           float64 // of the prediction after ComBat; that of the one before is 0.03
		used        bool    // by the models of the page
		want, names string
	}{
		{"site", 0.001, true, "accuracy.site-is-left", "[PR-GNN]"},
		{"site", 0.03, true, "", ""}, // 0.06 after the correction
		{"site", 0.001, false, "", ""},
		{"scanner", 0.001, true, "", ""},
	} {
		combat.Values["site"] = [][]string{{c.adjusted}}
		from := "connectivity.pearson"
		if c.used {
			from = "harmonized.matrices"
		}
		plan := &Settings{Stages: []StageSettings{stage("connectivity", "connectivity"), combat,
			stage("harmonized", "harmonize", "connectivity.pearson", "combat.fitted"), stage("train", "train", from),
			stage("plain", "baseline", "connectivity.pearson"), stage("after", "baseline", "harmonized.matrices")}}
		before, after := sound("SVM (plain)", "stage=plain"), sound("SVM (after)", "stage=after")
		before.P, after.P = 0.03, c.p
		a := &Results{Plan: plan, Accuracy: []Row{sound("PR-GNN", "stage=train")}}
		a.OtherLabel = &Results{Plan: plan, Accuracy: []Row{before, after}, Predicts: "site"}
		found := a.Performance()
		need.Equal(t, codes(found), c.want, c)
		if c.want != "" {
			need.Equal(t, fmt.Sprint(found[0].Values()["Models"]), c.names)
			left := found[0].Values()["Left"].([]values)
			need.Equal(t, len(left), 1)
			need.Equal(t, fmt.Sprint(left[0]["Name"], " ", left[0]["P"], " ", left[0]["AtMost"]), "SVM (after) 0.002 true")
		}
	}
}

// The p that Holm's correction gives is a bound where the p that determines it is the smallest of its permutations.
func TestCorrectedIsAtMost(t *testing.T) {
	var rows []Row
	for i, of := range []struct {
		p     float64
		draws int32
	}{{0.001, 999}, {0.001, 999}, {0.002, 999}, {0.005, 199}, {0.074, 999}} {
		r := sound(fmt.Sprint("model ", i), fmt.Sprint("model=", i))
		r.P, r.Permutations = of.p, of.draws
		rows = append(rows, r)
	}
	a := &Results{Plan: &Settings{}, Accuracy: rows}
	var got []string
	for _, r := range rows {
		p := a.Corrected()[column.CoordText(r.Coords)]
		got = append(got, fmt.Sprintf("%.3f %v", p.P, p.AtMost))
	}
	need.Equal(t, strings.Join(got, ", "), "0.005 true, 0.005 true, 0.006 false, 0.010 true, 0.074 false")
}

// Series that no stage denoised are a finding: raw ones always, those of files beside a stage that denoises.
func TestUndenoised(t *testing.T) {
	for _, c := range []struct {
		kind, series string
		denoises     bool
		want         string
	}{
		{"baseline", column.Raw, false, "inputs.undenoised"},
		{"edges", column.Raw, true, "inputs.undenoised"},
		{"baseline", column.AsGiven, true, "inputs.undenoised"},
		{"baseline", column.AsGiven, false, ""},
		{"baseline", column.Denoised, true, ""},
		{"figure-connectivity", column.Raw, false, ""},
	} {
		plan := &Settings{Stages: []StageSettings{{Stage: "models", Kind: c.kind,
			Inputs: map[string][]column.Result{"pearson": column.Results("r.pearson")}}}}
		plan.SetHolds(column.Results("r.pearson")[0], column.Data{Measure: column.Pearson, Series: c.series})
		if c.denoises {
			plan.Stages = append(plan.Stages, StageSettings{Stage: "clean", Kind: "denoise"})
		}
		need.Equal(t, codes((&Results{Plan: plan}).undenoised()), c.want, c.kind+" "+c.series)
	}
}

// A sentence about participants counts them: the mean over folds of unequal size can be on the other side of half.
func TestHalfOfParticipants(t *testing.T) {
	fold := func(n int32, accuracy, specificity float64) FoldScore {
		return FoldScore{FoldRow: column.FoldRow{Level: "participant", N: n, Accuracy: accuracy, Sensitivity: 1,
			Specificity: specificity}}
	}
	for _, c := range []struct {
		mean   float64
		scores []FoldScore
		want   string
	}{
		{0.45, []FoldScore{fold(20, 0.7, 0.4), fold(8, 0.75, 0.5), fold(12, 11./12, 5./6)}, ""}, // 11 of 20
		{0.45, []FoldScore{fold(20, 0.7, 0.4), fold(12, 5./6, 2./3)}, ""},                       // 8 of 16: half
		{0.51, []FoldScore{fold(20, 0.7, 0.4), fold(4, 0.75, 0.5)}, "specificity.below-half 5 12"},
		{0.45, []FoldScore{fold(20, 1, 1), fold(20, 0.7, 0.4), {FoldRow: column.FoldRow{Level: "participant", N: 2,
			Accuracy: 0.5, Sensitivity: 0.5, Specificity: 0.5}}}, "specificity.below-half 0 0"}, // groups not known
		{0.45, []FoldScore{fold(20, 1, 1), fold(20, 0.7, 0.4), {FoldRow: column.FoldRow{Level: "participant", N: 2,
			Fold: 2, Accuracy: 0.5, Sensitivity: 0.5, Specificity: 0.5}}, {FoldRow: column.FoldRow{
			Coords: coords("model=svm"), Level: "participant", N: 2, Fold: 2, Accuracy: 0.5, Sensitivity: 1,
			Specificity: 0}}}, ""},
		{0.45, nil, "specificity.below-half 0 0"},
	} {
		r := sound("PR-GNN", "")
		r.Specificity = c.mean
		a := &Results{Plan: &Settings{}, Labels: []string{"HC", "PAT"}, Accuracy: []Row{r}, Scores: c.scores}
		got := ""
		for _, f := range a.accuracyOf(r) {
			got += fmt.Sprint(f.Code, " ", f.Values()["N"], " ", f.Values()["Of"])
		}
		need.Equal(t, got, c.want, c)
	}
}

// One of several seeds as the headline is a choice among results; seeds of another setting are none.
func TestSeedsOfTheHeadline(t *testing.T) {
	for settings, want := range map[string]float64{
		"seed=1 stage=a; seed=2 stage=a; seed=3 stage=a; seed=1 stage=b": 3,
		"seed=1 pool=a; seed=1 pool=b":                                   0,
		"pool=a; pool=b":                                                 0,
	} {
		var rows []Row
		for s := range strings.SplitSeq(settings, "; ") {
			rows = append(rows, sound("PR-GNN", s))
		}
		a := &Results{Plan: &Settings{}, Accuracy: rows, First: &rows[1]}
		got := 0.0
		for _, f := range a.Performance() {
			if f.Code == "accuracy.one-of-seeds" {
				got = float64(f.Numbers.(map[string]any)["Seeds"].(int))
			}
		}
		need.Equal(t, got, want, settings)
	}
}

// A fault that several settings share is one group, in which the other seeds of the first training are counted.
func TestFindingsOfSettingsAreOne(t *testing.T) {
	row := func(title, setting string, sensitivity float64) Row {
		r := sound(title, setting)
		r.Sensitivity = sensitivity
		return r
	}
	a := &Results{Plan: &Settings{}, Accuracy: []Row{row("A1", "seed=1 stage=a", 0.1), row("A2", "seed=2 stage=a", 0.2),
		row("A3", "seed=3 stage=a", 0.9), row("A4", "seed=4 stage=a", 0.3), row("B1", "seed=1 stage=b", 0.4),
		row("C1", "pool=x", 0.45), row("C2", "pool=y", 0.46)}}
	groups := a.Performance().Grouped()
	need.Equal(t, len(groups), 2)
	need.Equal(t, groups[0].Subject.Classifier, "A1")
	need.Equal(t, groups[0].Seeds, 2)
	need.Equal(t, strings.Join(groups[0].Also, " "), "B1 C1 C2")
	need.Equal(t, groups[1].Code, "accuracy.best-of-several")
}

// A classifier that predicts one class in every fold, also where the class differs from fold to fold.
func TestOneClass(t *testing.T) {
	for second, want := range map[float64]string{1: "accuracy.one-class", 0.9: ""} {
		for _, own := range []bool{true, false} {
			r := sound("Brain Network Transformer", "")
			r.Own = own
			a := &Results{Plan: &Settings{}, Accuracy: []Row{r}, Scores: []FoldScore{
				{FoldRow: column.FoldRow{Fold: 1, Repeat: 1, Level: "participant", Sensitivity: 0, Specificity: 1}},
				{FoldRow: column.FoldRow{Fold: 2, Repeat: 1, Level: "participant", Sensitivity: second,
					Specificity: 0}}}}
			all := a.Performance()
			need.Equal(t, codes(all), want)
			if want != "" {
				need.Equal(t, all[0].Weight, map[bool]Weight{true: Limits, false: Notes}[own])
				of := all[0].Values()
				need.Equal(t, fmt.Sprint(of["N"], of["Folds"]), "1 2") // the class differs between the folds
			}
		}
	}
}

// Of more than two groups, evaluate finds the one class; the majority classifier has it always.
func TestOneClassOfThreeGroups(t *testing.T) {
	for name, want := range map[string]string{"pr-gnn": OneClass, "majority": ""} {
		for _, own := range []bool{true, false} {
			r := sound("a", "model=a")
			r.Own, r.Classifier = own, name
			a := &Results{Plan: &Settings{}, Labels: []string{"AD", "CN", "MCI"}, Accuracy: []Row{r}, Found: List{
				{OneClass, Limits, r.Subject(), values{"Positive": "CN", "N": 3, "Folds": 5}},
				{OneClass, Limits, Subject{Classifier: "b", Setting: []dag.Coord{{Axis: "model", Value: "b"}}},
					values{}}}}
			all := a.Performance()
			need.Equal(t, codes(all), want)
			if want != "" {
				need.Equal(t, all[0].Weight, map[bool]Weight{true: Limits, false: Notes}[own])
				of := all[0].Values()
				need.Equal(t, fmt.Sprint(of["Positive"], " ", of["N"], of["Folds"], of["AUC"] == r.AUC), "CN 3 5 true")
			}
		}
	}
}

// A baseline is known by its classifier where the parameters of the stages are not connected.
func TestOwnModel(t *testing.T) {
	for _, c := range []struct{ names, own []string }{
		{[]string{column.PrGNN, "majority", "linear-svm", "", column.PrGNN}, []string{column.PrGNN, "", column.PrGNN}},
		{[]string{"majority", "linear-svm"}, []string{"linear-svm"}},
	} {
		rows := lists.Map(c.names, func(name string) Row {
			return Row{AccuracyRow: column.AccuracyRow{Classifier: name}}
		})
		(&Results{Plan: &Settings{}}).markOwn(rows)
		var own []string
		for _, r := range rows {
			if r.Own {
				own = append(own, r.Classifier)
			}
		}
		need.Equal(t, slices.Equal(own, c.own), true, own)
	}
}

// A classifier to compare with that is not above chance does not make the regions of the model unproven.
func TestUnprovenIsTheModel(t *testing.T) {
	low, own := sound("MeanMLP", "stage=meanmlp"), sound("PR-GNN", "stage=train")
	low.Own, low.P = false, 0.4
	for _, p := range []float64{0.01, 0.4} {
		own.P = p
		a := &Results{Plan: &Settings{}, Accuracy: []Row{own, low}}
		need.Equal(t, len(a.Unproven(nil, nil)) > 0, p >= 0.05)
	}
}

// A better classifier on the same folds is a finding where there is a headline of the model.
func TestBetterClassifier(t *testing.T) {
	row := func(title string, accuracy float64, own bool) Row {
		r := sound(title, "model="+strings.ReplaceAll(title, " ", "-"))
		r.Accuracy, r.Own = accuracy, own
		return r
	}
	for accuracy, want := range map[float64]string{
		0.8: "accuracy.other-is-better accuracy.best-of-several", 0.9: "accuracy.best-of-several", 0.95: "accuracy.best-of-several",
	} {
		rows := []Row{row("PR-GNN", accuracy, true), row("linear SVM", 0.7, false), row("ridge regression", 0.9, false)}
		a := &Results{Plan: &Settings{}, Accuracy: rows, First: &rows[0]}
		need.Equal(t, codes(a.Performance()), want)
	}
}

// Where a test between the classifiers finds no difference, that another one is better is a note.
func TestBetterClassifierTested(t *testing.T) {
	for _, c := range []struct {
		p      float64
		paired bool
		weight Weight
	}{{0.04, true, Limits}, {0.05, true, Notes}, {0.05, false, Limits}, {math.NaN(), true, Limits}} {
		own, other := sound("PR-GNN", "model=pr-gnn"), sound("ridge regression", "model=ridge")
		own.Accuracy, other.Accuracy, other.Own = 0.8, 0.9, false
		a := &Results{Plan: &Settings{}, Accuracy: []Row{own, other}, First: &own, Pairs: []column.PairRow{
			{A: "model=majority", B: "model=pr-gnn", THolm: 0.001}, {A: "model=ridge", B: "model=pr-gnn", THolm: c.p}}}
		if !c.paired {
			a.Pairs = a.Pairs[:1]
		}
		got := a.betterOther()[0]
		need.Equal(t, got.Weight, c.weight, c)
		need.Equal(t, math.IsNaN(got.Values()["P"].(float64)), !c.paired || math.IsNaN(c.p), c)
	}
}

// Better classifiers of the same accuracy are all in the finding.
func TestBetterClassifiersTied(t *testing.T) {
	row := func(title string, accuracy float64, own bool) Row {
		r := sound(title, "model="+strings.ReplaceAll(title, " ", "-"))
		r.Accuracy, r.Own = accuracy, own
		return r
	}
	rows := []Row{row("PR-GNN", 0.8, true), row("linear SVM", 0.9, false), row("MLP", 0.85, false),
		row("ridge regression", 0.9, false)}
	a := &Results{Plan: &Settings{}, Accuracy: rows, First: &rows[0]}
	need.Equal(t, fmt.Sprint(a.betterOther()[0].Values()["Others"]), "[linear SVM ridge regression]")
}

// A headline that was chosen inside each fold is not the best of several.
func TestChosenIsNotBestOfSeveral(t *testing.T) {
	rows := []Row{sound("SVM", "model=svm"), sound("ridge regression", "model=ridge")}
	chosen := sound("the setting chosen inside each fold", "stage=chosen")
	for _, c := range []struct {
		first, nested *Row
		want          bool
	}{{nil, nil, true}, {nil, &chosen, false}, {&rows[0], &chosen, true}} {
		a := &Results{Plan: &Settings{}, Accuracy: rows, First: c.first, Nested: c.nested}
		need.Equal(t, strings.Contains(codes(a.Performance()), "accuracy.best-of-several"), c.want, c)
	}
}

// Models in different numbers of folds: in one repeat beside others in several.
func TestUnequalFolds(t *testing.T) {
	for _, c := range []struct {
		folds [3]int32
		want  []FoldsOf
	}{
		{[3]int32{5, 5, 5}, nil},
		{[3]int32{15, 5, 15}, []FoldsOf{{5, []string{"b"}}, {15, []string{"a", "c"}}}},
	} {
		a, b := &Results{Plan: &Settings{}}, &Results{Plan: &Settings{}}
		for i, n := range c.folds {
			r := sound(string("abc"[i]), "model="+string("abc"[i]))
			r.Folds = n
			a.Accuracy = append(a.Accuracy, r)
			b.Regression = append(b.Regression, column.RegressionRow{Name: string("abc"[i]), Folds: n,
				Participants: 175})
		}
		for name, got := range map[string]*Results{"groups": a, "numbers": b} {
			need.Equal(t, fmt.Sprint(got.FoldsOf()), fmt.Sprint(c.want), name)
		}
		need.Equal(t, strings.Contains(codes(a.Performance()), "folds.unequal"), c.want != nil)
		need.Equal(t, strings.Contains(codes(b.Regressions()), "folds.unequal"), c.want != nil)
	}
}

// What is known of r, R² and their tests, and what follows.
func TestOfNumbers(t *testing.T) {
	good := column.RegressionRow{Name: "ridge regression", Folds: 5, Participants: 175, Permutations: 9999,
		Test: column.PerFold, R: 0.4, P: 0.006, R2: 0.2, R2Low: 0.1, R2High: 0.3}
	with := func(change func(*column.RegressionRow)) column.RegressionRow {
		r := good
		change(&r)
		return r
	}
	retrained := []column.PermutationTestRow{{Measure: "r", Observed: 0.4, Permutations: 199, P: 0.01}}
	few := []column.PermutationTestRow{{Measure: "r", Observed: 0.4, Permutations: 19, P: 0.05}}
	untested := with(func(r *column.RegressionRow) { r.Test = "" })
	for _, c := range []struct {
		row      column.RegressionRow
		permuted []column.PermutationTestRow
		want     string
	}{
		{good, nil, ""},
		{good, retrained, ""},
		{good, few, "regression.undecidable"},
		{untested, nil, "regression.untested"},
		{untested, retrained, ""},
		{with(func(r *column.RegressionRow) { r.R2Low = -0.054 }), nil, "regression.r2-may-be-0"},
		{with(func(r *column.RegressionRow) { r.R2 = -0.1 }), nil, "regression.r2-not-positive"},
		{with(func(r *column.RegressionRow) { r.P = 0.05 }), nil, "regression.not-above-chance"},
		{with(func(r *column.RegressionRow) { r.R, r.Constant = math.NaN(), 10 }), nil, "regression.constant"},
		{with(func(r *column.RegressionRow) { r.Constant = 2 }), nil, "regression.constant"},
		{with(func(r *column.RegressionRow) { r.RFolds = 5 }), nil, ""},
		{with(func(r *column.RegressionRow) { r.RFolds = 4 }), nil, "regression.folds-without-r"},
		{with(func(r *column.RegressionRow) { r.R, r.R2 = math.NaN(), math.NaN() }), nil,
			"regression.folds-without-r"},
		{with(func(r *column.RegressionRow) { r.Participants = 49 }), nil, "regression.few-tested"},
		{with(func(r *column.RegressionRow) { r.Participants, r.Folds, r.TestFolds = 24, 10, 2 }), nil, ""},
	} {
		a := &Results{Plan: &Settings{}, Number: "IQ", Permuted: c.permuted, Regression: []column.RegressionRow{c.row}}
		need.Equal(t, codes(a.Regressions()), c.want, c.row)
	}
}

// Models that were trained on the residual of the number are listed with what they are scored against.
func TestModelsOfResiduals(t *testing.T) {
	row := func(stage string) column.RegressionRow {
		return column.RegressionRow{Coords: []dag.Coord{{Axis: "stage", Value: stage}}, Name: stage, Folds: 5,
			Participants: 175, Test: column.PerFold, R: 0.4, P: 0.001, R2: 0.2, R2Low: -0.1, R2High: 0.3}
	}
	for _, c := range []struct {
		output, targets string
		want            string // code, scored, mixed
		rows            []column.RegressionRow
	}{
		{"predictions", "", "", []column.RegressionRow{row("models"), row("dmodels")}},
		{"predictions", "deconfound.targets", "regression.residual false true [dmodels]", []column.RegressionRow{row("models"), row("dmodels")}},
		{"residuals", "deconfound.targets", "regression.residual true true [dmodels]", []column.RegressionRow{row("models"), row("dmodels")}},
		{"residuals", "deconfound.targets", "regression.residual true false [dmodels]", []column.RegressionRow{row("dmodels")}},
	} {
		d := StageSettings{Stage: "dmodels", Kind: "regression", Inputs: map[string][]column.Result{}}
		if c.targets != "" {
			d.Inputs["targets"] = column.Results(c.targets)
		}
		a := &Results{Number: "age", Regression: c.rows, Plan: &Settings{Stages: []StageSettings{
			{Stage: "deconfound", Kind: "deconfound", Values: map[string][][]string{"covariates": {{"site",
				"mean_fd"}}}},
			{Stage: "models", Kind: "regression"}, d,
			{Stage: "evaluate", Kind: "evaluate-regression", Inputs: map[string][]column.Result{
				"predictions": column.Results("models.predictions", "dmodels."+c.output)}}}}}
		got := ""
		for _, f := range a.Regressions() {
			if f.Code == "regression.residual" {
				got = fmt.Sprint(f.Code, " ", f.Values()["Scored"], " ", f.Values()["Mixed"], " ", f.Values()["Models"])
				need.Equal(t, fmt.Sprint(f.Values()["Covariates"]), "[site mean_fd]")
			}
			if f.Code == "regression.r2-may-be-0" {
				need.Equal(t, f.Values()["Scored"], c.output == "residuals" && f.Subject.Classifier == "dmodels")
			}
		}
		need.Equal(t, got, c.want)
	}
}

// The predictions of a number and of its residual are of one model, and each score states what it is of.
func TestNumberAndResidual(t *testing.T) {
	rows := []column.RegressionRow{{Name: "predictions"}, {Name: "residuals"}}
	for i := range rows {
		rows[i].Coords = []dag.Coord{{Axis: column.Output, Value: rows[i].Name}, {Axis: "stage", Value: "models"}}
		rows[i].Folds, rows[i].Participants, rows[i].Permutations, rows[i].Test = 5, 175, 9999, column.PerFold
		rows[i].R, rows[i].P, rows[i].R2, rows[i].R2Low, rows[i].R2High = 0.4, 0.01, 0.2, 0.1, 0.3
	}
	a := &Results{Number: "IQ", Regression: rows, Plan: &Settings{Stages: []StageSettings{
		{Stage: "fit", Kind: "deconfound"},
		{Stage: "models", Kind: "regression",
			Inputs: map[string][]column.Result{"targets": column.Results("fit.targets")}},
		{Stage: "evaluate", Kind: "evaluate-regression", Inputs: map[string][]column.Result{
			"predictions": column.Results("models.predictions", "models.residuals")}}}}}
	need.Equal(t, codes(a.Regressions()), "regression.residual regression.residual")
	need.Equal(t, a.ResidualOf(rows[0].Coords).Scored, false)
	need.Equal(t, a.ResidualOf(rows[1].Coords).Scored, true)
}

// Two settings of one model with the same predictions are one model: p is not corrected for two.
func TestSameNumbersCountOnce(t *testing.T) {
	rows := []column.RegressionRow{{Name: "ridge regression, C 1"}, {Name: "ridge regression, C 2"}}
	same := map[string]string{}
	for i := range rows {
		rows[i].Coords = []dag.Coord{{Axis: "c", Value: fmt.Sprint(i + 1)}}
		rows[i].Folds, rows[i].Participants, rows[i].Permutations, rows[i].Test = 5, 175, 9999, column.PerFold
		rows[i].R, rows[i].P, rows[i].R2, rows[i].R2Low, rows[i].R2High = 0.4, 0.03, 0.2, 0.1, 0.3
	}
	same["c=2"] = "c=1"
	a := &Results{Plan: &Settings{}, Number: "IQ", Regression: rows, sameNumbers: same}
	need.Equal(t, codes(a.Regressions()), "regression.same-predictions")
	corrected, among := a.CorrectedR()
	need.Equal(t, fmt.Sprint(corrected[RKey(rows[0])], corrected[RKey(rows[1])], among), "0.03 0.03 1")
	a.sameNumbers = nil
	need.Equal(t, len(a.Regressions()), 3)
}

// Of two models p is corrected: 0.03 twice is not below 0.05.
func TestNumbersAreCorrected(t *testing.T) {
	for p, want := range map[float64]string{0.02: "regression.best-of-several",
		0.03: "regression.not-above-chance regression.not-above-chance regression.best-of-several"} {
		var rows []column.RegressionRow
		for _, name := range []string{"ridge regression", "linear SVR"} {
			rows = append(rows, column.RegressionRow{Name: name, Folds: 5, Participants: 175, Permutations: 9999,
				Test: column.PerFold, R: 0.4, P: p, R2: 0.2, R2Low: 0.1, R2High: 0.3})
		}
		a := &Results{Plan: &Settings{}, Number: "IQ", Regression: rows}
		need.Equal(t, codes(a.Regressions()), want, p)
	}
}

// Two predictions of one model, of a number and of its residual, are two tests of r, which the count of models states.
func TestTestsOfModels(t *testing.T) {
	row := func(setting string) column.RegressionRow {
		return column.RegressionRow{Name: setting, Coords: coords(setting), Folds: 5, Participants: 175,
			Permutations: 9999, Test: column.PerFold, R: 0.4, P: 0.001, R2: 0.2, R2Low: 0.1, R2High: 0.3}
	}
	two := []column.RegressionRow{row("model=ridge"), row("model=svr")}
	for want, rows := range map[string][]column.RegressionRow{"2 0": two,
		"3 4": append(two, row("model=clean output=predictions"), row("model=clean output=residuals"))} {
		a := &Results{Plan: &Settings{}, Number: "IQ", Regression: rows}
		all := a.Regressions()
		of := all[len(all)-1].Values()
		need.Equal(t, fmt.Sprint(all[len(all)-1].Code, " ", of["N"], " ", of["Tests"]), "regression.best-of-several "+want)
		_, among := a.CorrectedR()
		need.Equal(t, among, len(rows))
	}
}

// Findings in the metadata of a table are read as they were written; NaN is not a number in JSON.
func TestMeta(t *testing.T) {
	all := List{{"accuracy.near-perfect", Overturns, Subject{Classifier: "SVM", Setting: coords("model=svm")},
		map[string]any{"Accuracy": 0.99, "AUC": math.NaN(), "N": 20}}, {Code: "x", Weight: Notes}}
	read, err := Of(map[string]string{Meta: Written(all)})
	need.NoError(t, err)
	need.Equal(t, read[0].Subject.Classifier+column.CoordText(read[0].Subject.Setting), "SVMmodel=svm")
	need.Equal(t, read[0].Numbers.(map[string]any)["AUC"], nil)
	need.Equal(t, read[1].Weight, Notes)
	none, err := Of(nil)
	need.Equal(t, len(none), 0)
	need.NoError(t, err)
	_, err = Of(map[string]string{Meta: `[{"code":"x","weight":"huge"}]`})
	need.Equal(t, err != nil, true)
}

// Findings that overturn a conclusion come first, then those that limit one, then notes; each once.
func TestByWeight(t *testing.T) {
	var all List
	for _, f := range []Finding{{Code: "n1", Weight: Notes}, {Code: "l1", Weight: Limits}, {Code: "o1"},
		{Code: "n2", Weight: Notes},
		{Code: "o2"}, {Code: "l2", Weight: Limits}, {Code: "l1", Weight: Notes}} {
		all.Add(f)
	}
	need.Equal(t, codes(all), "o1 o2 l1 l2 n1 n2")
}

// Findings that question an answer stand before those of results, wherever these were found.
func TestQuestionsFirst(t *testing.T) {
	for order, want := range map[string]string{
		"accuracy.not-above-chance covariate.a training.stuck covariate.b": "2: covariate.a covariate.b " +
			"accuracy.not-above-chance training.stuck",
		"permutation.not-significant accuracy.near-perfect": "1: accuracy.near-perfect permutation.not-significant",
		"ranking.a auc.a": "0: ranking.a auc.a",
	} {
		var all List
		for _, code := range strings.Fields(order) {
			all.Add(Finding{Code: code})
		}
		need.Equal(t, fmt.Sprintf("%d: %s", questions(all), codes(all)), want)
	}
}

// A classifier for comparison is above chance after Holm's correction; its findings follow the same answer. With
// relatives in training and test data no classifier is.
func TestAboveChanceHasOneAnswer(t *testing.T) {
	for _, c := range []struct {
		own, other float64 // p
		related    bool
		state      State  // of the classifier's own accuracy
		above      int    // classifiers for comparison
		want       string // without best-of-several
	}{
		{0.01, 0.01, false, Above, 1, "accuracy.interval-includes-majority accuracy.interval-includes-majority"},
		{0.01, 0.045, false, Above, 1, "accuracy.interval-includes-majority accuracy.interval-includes-majority"},
		{0.2, 0.045, false, NotAbove, 0, "accuracy.not-above-chance accuracy.interval-excludes-chance"},
		{0.03, 0.2, false, Above, 0, "accuracy.interval-includes-majority"}, // the headline is one
		{0.01, 0.01, true, Dependent, 0, ""},
		{0.2, 0.01, true, NotAbove, 0, "accuracy.not-above-chance accuracy.interval-excludes-chance"},
	} {
		own, other := sound("PR-GNN", "stage=train"), sound("linear SVM", "stage=baselines")
		own.P, own.AUCP, own.Low = c.own, c.own, own.Majority
		other.P, other.AUCP, other.Low, other.Own = c.other, c.other, other.Majority, false
		a := &Results{Plan: &Settings{}, Accuracy: []Row{own, other}, First: &own, Related: related(c.related)}
		state, _ := a.Chance(own, "accuracy")
		above, _, _ := a.OthersAbove()
		need.Equal(t, state, c.state, c)
		need.Equal(t, len(above), c.above, c)
		need.Equal(t, codes(slices.DeleteFunc(a.Performance(),
			func(f Finding) bool { return f.Weight == Notes })), c.want, c)
		need.Equal(t, len(a.Unproven(coords("stage=train"), nil)) > 0, c.state != Above, c)
	}
	below := sound("linear SVM", "stage=baselines")
	below.Accuracy, below.Low, below.Own = below.Majority, 0.4, false
	among := &Results{Plan: &Settings{}, Accuracy: []Row{below}}
	is, _ := among.Chance(below, "accuracy")
	need.Equal(t, is, NotAboveMajority)
	above, before, _ := among.OthersAbove()
	need.Equal(t, len(above), 0)
	need.Equal(t, before, false)
	a := &Results{Related: related(true)}
	state, _ := a.TestOfR(column.RegressionRow{Test: column.Retrained, P: 0.01, Least: 0.001})
	need.Equal(t, state, Dependent)
}

// Without PR-GNN, all classifiers are the page's own: those beside the headline that are above chance after Holm's
// correction are other classifiers, and other settings of the headline's model are none.
func TestOwnClassifiersBesideTheHeadline(t *testing.T) {
	row := func(model, setting string, p float64) Row {
		r := sound(model, setting)
		r.Classifier, r.P = model, p
		return r
	}
	rows := []Row{row("ridge", "stage=baselines model=ridge k=1", 0.4),
		row("ridge", "stage=baselines model=ridge k=2", 0.001),
		row("logistic", "stage=baselines model=logistic", 0.01), row("svm", "stage=baselines model=svm", 0.03)}
	a := &Results{Plan: &Settings{}, Accuracy: rows, First: &rows[0]}
	above, before, _ := a.OthersAbove()
	need.Equal(t, strings.Join(lists.Map(above, func(r Row) string { return r.Classifier }), " "), "logistic")
	need.Equal(t, before, true)
}

// The answer without a headline has only settings and classifiers that are above chance after Holm's correction for
// all of them.
func TestAnswerOfSeveralSettings(t *testing.T) {
	row := func(setting string, p float64, own bool) Row {
		r := sound(setting, setting)
		r.P, r.Own = p, own
		return r
	}
	a := &Results{Plan: &Settings{}, Accuracy: []Row{row("a=1", 0.01, true), row("a=2", 0.03, true),
		row("a=3", 0.2, true),
		row("a=4", 0.0001, false)}}
	above, not, few := a.Distinguish()
	need.Equal(t, strings.Join(above, " "), "a=1 a=4")
	need.Equal(t, strings.Join(not, " "), "a=2 a=3")
	need.Equal(t, few == nil, true)
	for i := range a.Accuracy { // 4 × 0.02 > 0.05
		a.Accuracy[i].P, a.Accuracy[i].Least = 0.02, 0.02
	}
	above, not, few = a.Distinguish()
	need.Equal(t, len(above), 0)
	need.Equal(t, len(not), 4)
	need.Equal(t, few != nil && few.Needed == 80, true)
	for i := range a.Accuracy {
		a.Accuracy[i].Least = 0.001
	}
	_, _, few = a.Distinguish()
	need.Equal(t, few == nil, true)
}

// A group that a classifier above chance does not recognize limits what it distinguishes; below chance, nobody claims
// that it does.
func TestUnrecognizedGroups(t *testing.T) {
	for _, c := range []struct {
		p    float64
		own  bool
		want string
	}{{0.001, true, GroupUnrecognized + " 1"}, {0.001, false, GroupUnrecognized + " 1"}, {0.4, true, ""}} {
		r := sound("ridge regression", "model=ridge")
		r.P, r.Own = c.p, c.own
		a := &Results{Plan: &Settings{}, Labels: []string{"AD", "HC", "MCI"}, Accuracy: []Row{r}, Found: List{
			{GroupUnrecognized, Limits, r.Subject(), values{"Group": "MCI"}}}}
		got := ""
		found := a.Performance()
		need.Equal(t, questions(found), 0, c)
		need.Equal(t, strings.Join(a.Unrecognized(r), " "), "MCI")
		for _, f := range found {
			if f.Code == GroupUnrecognized {
				got += fmt.Sprintf("%s %d", f.Code, f.Weight)
			}
		}
		need.Equal(t, got, c.want, c)
	}
}

// The only model of a number has a name in sentences.
func TestOnlyModelOfANumber(t *testing.T) {
	a := &Results{Plan: &Settings{}}
	need.NoError(t, a.readRegression(dag.NewTask(map[string][]dag.Input{"regression": {dag.InputOf(column.Table(
		[]column.RegressionRow{{Folds: 2}}))}})))
	need.Equal(t, a.Regression[0].Name, "the model")
}

// Where the models are not above chance, or masking changes no prediction, a finding limits the effect of masking.
func TestMasking(t *testing.T) {
	for _, c := range []struct {
		unproven               string
		changed, randomChanged float64
		want                   string
	}{
		{"", 0.25, 0, ""},
		{"", 0, 0.25, ""},
		{"", 0, 0, "masking.no-change"},
		{"stage=train pool=topk", 0.25, 0.25, "masking.not-above-chance"},
		{"stage=train pool=topk", 0, 0, "masking.not-above-chance masking.no-change"},
		{"stage=train pool=sage", 0.25, 0.25, ""},
	} {
		a := &Results{Plan: &Settings{}}
		if c.unproven != "" {
			a.Accuracy = []Row{{Own: true, Title: "PR-GNN", AccuracyRow: column.AccuracyRow{Level: "participant",
				Coords: coords(c.unproven), Test: column.Retrained, P: 0.5}}, {Own: false, Title: "ridge",
				AccuracyRow: column.AccuracyRow{Level: "participant", Coords: coords("stage=ridge pool=topk")}}}
		}
		rows := []column.FidelityRow{{Coords: coords("pool=topk"), Changed: c.changed, RandomChanged: c.randomChanged}}
		found := a.Masking(append(rows, rows...))
		need.Equal(t, codes(found), c.want, c)
		if strings.HasPrefix(c.want, "masking.not-above-chance") {
			need.Equal(t, fmt.Sprint(found[0].Values()["Models"]), "[PR-GNN]") // once
		}
	}
	need.Equal(t, codes((&Results{Plan: &Settings{}}).Masking(nil)), "")
}
