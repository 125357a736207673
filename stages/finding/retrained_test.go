package finding

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/column"
)

// study is a pipeline of baselines, of others in tangent space and after ComBat, and of baselines on permuted labels;
// each text that begins with a stage and a parameter, "folds seed 7", sets the parameter.
func study(t *testing.T, sets ...string) *dag.Task {
	t.Helper()
	var rows []Parameter
	for _, line := range []string{
		"folds split folds=5 stratify_by=scanner within=site permutation=0 seed=1",
		"permuted_folds split folds=5 stratify_by=scanner within=scanner permutation=0;1 seed=1",
		"tangent tangent reference=geometric fold=1;2", "permuted_tangent tangent reference=geometric fold=1;2",
		"combat combat site=scanner", "connectivity connectivity pearson=empirical",
		"baselines baseline model=ridge;svm fold=1;2 penalty=1 trees=10 lambda=0.1,1;2 seed=1;2",
		"tangents baseline model=ridge fold=1;2 penalty=1 trees=10 lambda=0.1,1 seed=1",
		"after_combat baseline model=ridge fold=1;2 penalty=1 trees=10 lambda=0.1,1 seed=1",
		"permuted baseline model=ridge fold=1;2 penalty=1 trees=10 lambda=0.1,1 seed=1",
		"gate leakage least=1", "evaluate evaluate n=1", "permutation permutation n=1", "report report top=5",
	} {
		words := strings.Fields(line)
		for _, w := range words[2:] {
			name, value, _ := strings.Cut(w, "=")
			p := Parameter{Stage: words[0], Kind: words[1], Parameter: name}
			for _, s := range sets {
				if f := strings.Fields(s); len(f) > 0 && f[0] == p.Stage && f[1] == name {
					value = strings.Join(f[2:], " ")
				}
			}
			if name == "trees" {
				p.Of = []string{"forest"}
			}
			for _, v := range strings.Split(value, ";") { // of an axis
				p.Value = strings.FieldsFunc(v, func(r rune) bool { return r == ',' })
				rows = append(rows, p)
			}
		}
	}
	settings := column.Table(rows)
	inputs := []string{"tangent matrices connectivity.pearson", "tangent folds folds.folds",
		"permuted_tangent matrices connectivity.pearson", "permuted_tangent folds permuted_folds.folds",
		"combat folds folds.folds", "baselines pearson connectivity.pearson", "baselines folds folds.folds",
		"baselines checked gate.passed", "baselines nodes cohort.nodes aside", "tangents tangent tangent.fitted", "tangents folds folds.folds",
		"after_combat pearson combat.fitted", "after_combat folds folds.folds", "permuted folds permuted_folds.folds",
		"evaluate predictions baselines.predictions", "evaluate predictions tangents.predictions",
		"evaluate predictions after_combat.predictions", "permutation predictions permuted.predictions",
		"report evaluation evaluate.summary", "report permutation permutation.test"}
	on := "permuted pearson connectivity.pearson"
	for _, s := range sets {
		if f := strings.Fields(s); len(f) > 0 && f[0] == "takes" {
			on = "permuted " + strings.Join(f[1:], " ")
		}
	}
	settings.Meta = links(append(inputs, on)...)
	return dag.NewTask(map[string][]dag.Input{"settings": {dag.InputOf(settings)}})
}

// A permutation test is of the evaluated classifier whose stage has its kind, inputs, folds and parameters, whatever
// the names are; a test of another design, or with another result, is of none.
func TestPermutationTestsFindTheirClassifier(t *testing.T) {
	const baselines, tangents, combat = "model=ridge seed=1 stage=baselines", "model=ridge stage=tangents",
		"model=ridge stage=after_combat"
	for _, c := range []struct {
		name, sets, coords string
		observed           float64
		of, other          string
		reason, design     string
		may                string // be of; which then is not above chance
	}{
		{"the same", "", "model=ridge", 0.706, baselines, "", "", "", ""},
		{"a parameter of another model", "permuted trees 99", "model=ridge", 0.706, baselines, "", "", "", ""},
		{"behind tangent space", "takes tangent permuted_tangent.fitted", "model=ridge", 0.725, tangents, "", "", "", ""},
		{"behind ComBat of the true labels", "takes pearson combat.fitted", "model=ridge", 0.598, combat, "", "", "", ""},
		{"another seed of the training", "permuted seed 2", "model=ridge", 0.61, "model=ridge seed=2 stage=baselines", "", "", "", ""},
		{"another parameter", "permuted penalty 3", "model=ridge", 0.6, baselines, "[{penalty 3 1  }]", "", "", ""},
		{"another parameter without effect", "permuted penalty 3", "model=ridge", 0.706, baselines, "[{penalty 3 1  }]", "",
			"", ""},
		{"other folds", "permuted_folds stratify_by", "model=ridge", 0.706, "", "", OtherDesign,
			"[{stratify_by none scanner permuted_folds folds}]", baselines},
		{"another tangent space", "takes tangent permuted_tangent.fitted; permuted_tangent reference euclidean",
			"model=ridge", 0.706, "", "", OtherDesign, "[{reference euclidean geometric permuted_tangent tangent}]", tangents},
		{"fewer folds", "permuted fold 1", "model=ridge", 0.706, "", "", OtherDesign, "[{fold 1 1; 2  }]", baselines},
		{"another result", "", "model=ridge", 0.657, "", "", OtherResult, "", baselines},
		{"another kind", "", "model=forest", 0.706, "", "", NoSuchModel, "", ""},
		{"any seed", "permuted seed 3", "model=ridge", 0.706, "", "", NoSuchModel, "", ""},
		{"other data", "takes pearson baselines.predictions", "model=ridge", 0.706, "", "", NoSuchModel, "", ""},
	} {
		row := func(setting, title string, accuracy float64) Row {
			return Row{AccuracyRow: column.AccuracyRow{Coords: coords(setting), Level: "participant",
				Accuracy: accuracy, Low: 0.6,
				Majority: 0.5, Test: column.PerFold, P: 0.001, AUCP: 0.001, Permutations: 9999}, Title: title}
		}
		plan, err := ReadSettings(study(t, strings.Split(c.sets, "; ")...))
		need.NoError(t, err)
		a := &Results{Plan: plan, Permuted: []column.PermutationTestRow{{Coords: coords(c.coords),
			Name:    "ridge regression",
			Measure: "accuracy", Observed: c.observed, Permutations: 39, P: 0.025}},
			Accuracy: []Row{row(baselines, "ridge regression (baselines), seed 1", 0.706),
				row("model=ridge seed=2 stage=baselines", "ridge regression (baselines), seed 2", 0.61),
				row("model=svm seed=1 stage=baselines", "SVM (RBF)", 0.706),
				row(tangents, "ridge regression (tangents)", 0.725), row(combat, "ridge regression (after combat)", 0.598)}}
		test := a.RetrainedTests()[0]
		of := ""
		if test.Of != nil {
			of = column.CoordText(test.Of.Setting)
		}
		shown := func(d []Difference) string { return strings.TrimPrefix(fmt.Sprint(d), "[]") }
		need.Equal(t, of, c.of, c.name, test.Reason)
		need.Equal(t, shown(test.Other), c.other, c.name)
		need.Equal(t, test.Reason, c.reason, c.name)
		need.Equal(t, shown(test.Design), c.design, c.name)
		want := ""
		switch {
		case c.reason != "":
			want = "permutation.unattributed"
		case c.other != "":
			want = "permutation.other-training"
		}
		need.Equal(t, codes(a.RetrainedOthers()), want, c.name)
		for _, r := range a.Accuracy {
			state, judged := a.Chance(r, "accuracy")
			want := Above
			if column.CoordText(r.Coords) == c.may {
				want = Unattributed
			}
			need.Equal(t, state, want, c.name, r.Title)
			need.Equal(t, judged.Retrained, column.CoordText(r.Coords) == c.of && c.observed == r.Accuracy, c.name,
				r.Title)
		}
	}
}

// A permutation test of a training with another result is no verdict about the evaluated model, whatever its p is.
func TestPermutationTestOfAnotherTrainingDecidesNothing(t *testing.T) {
	for _, p := range []float64{0.01, 1} {
		plan, err := ReadSettings(study(t, "permuted penalty 3"))
		need.NoError(t, err)
		r := Row{AccuracyRow: column.AccuracyRow{Coords: coords("model=ridge seed=1 stage=baselines"),
			Level: "participant", Accuracy: 0.905, Low: 0.8, Majority: 0.5, P: math.NaN(), AUCP: math.NaN()},
			Title: "ridge regression (baselines), seed 1"}
		a := &Results{Plan: plan, Accuracy: []Row{r}, Permuted: []column.PermutationTestRow{{
			Coords: coords("model=ridge"), Name: "ridge regression", Measure: "accuracy", Observed: 0.571,
			Permutations: 99, P: p}}}
		state, _ := a.Chance(r, "accuracy")
		need.Equal(t, state, Untested)
		need.Equal(t, codes(a.PermutationTests()), "")
		need.Equal(t, codes(a.RetrainedOthers()), "permutation.other-training")
	}
}

// A permutation test is of another training, too, where only its AUC or balanced accuracy with the true labels differs:
// not by rounding, not where one of the two is missing, and not in more than two groups, whose AUC depends on the
// positive one. The finding has the measure that differs.
func TestPermutationTestWithAnotherAUC(t *testing.T) {
	two, three := []string{"CON", "PAT"}, []string{"CON", "PAT", "SIB"}
	for _, c := range []struct {
		measure  string
		observed float64
		labels   []string
		differs  bool
	}{
		{"accuracy", 0.8, two, false}, {"auc", 0.9, two, false}, {"auc", 0.87, two, true},
		{"auc", 0.9 + 1e-12, two, false}, {"auc", 0.9 - 1e-6, two, true}, {"auc", math.NaN(), two, false},
		{"auc", 0.87, three, false},
		{"balanced_accuracy", 0.7, three, true}, {"balanced_accuracy", 0.75, three, false},
	} {
		r := Row{AccuracyRow: column.AccuracyRow{Level: "participant", Accuracy: 0.8, Balanced: 0.75, AUC: 0.9,
			Majority: 0.5, P: math.NaN(), AUCP: math.NaN()}, Title: "SVM"}
		test := func(measure string, observed float64) column.PermutationTestRow {
			return column.PermutationTestRow{Name: "SVM", Measure: measure, Observed: observed, Permutations: 99,
				P: 0.01}
		}
		a := &Results{Plan: &Settings{}, Labels: c.labels, Accuracy: []Row{r},
			Permuted: []column.PermutationTestRow{test("accuracy", 0.8), test(c.measure, c.observed)}}
		state, _ := a.Chance(r, "accuracy")
		need.Equal(t, state == Unattributed, c.differs, c)
		need.Equal(t, state == Above, !c.differs, c)
		found := a.RetrainedOthers()
		if need.Equal(t, len(found) == 1, c.differs, c); len(found) == 1 {
			need.Equal(t, found[0].Values()["Measure"], any(c.measure))
			need.Equal(t, found[0].Values()["Observed"], any(c.observed))
		}
	}
}

// A test of another training takes nothing from a classifier that has a test of its own.
func TestOneOfTwoPermutationTestsIsOfTheClassifier(t *testing.T) {
	r := Row{AccuracyRow: column.AccuracyRow{Level: "participant", Accuracy: 0.7, Test: column.PerFold, P: 0.001,
		Permutations: 9999}, Title: "SVM"}
	test := func(run string, observed float64) column.PermutationTestRow {
		return column.PermutationTestRow{Coords: coords("run=" + run), Name: "SVM",
			Measure: "accuracy", Observed: observed, Permutations: 99, P: 0.02}
	}
	other := test("2", 0.6)
	for _, c := range []struct {
		tests []column.PermutationTestRow
		p     float64
		state State
	}{
		{[]column.PermutationTestRow{test("1", 0.7), other}, 0.02, Above},
		{[]column.PermutationTestRow{other}, 0, Unattributed},
	} {
		a := &Results{Plan: &Settings{}, Accuracy: []Row{r}, Permuted: c.tests}
		state, judged := a.Chance(r, "accuracy")
		need.Equal(t, fmt.Sprint(judged.P, state), fmt.Sprint(c.p, c.state))
		need.Equal(t, codes(a.RetrainedOthers()), "permutation.unattributed")
	}
}

// links are connections as metadata of the settings: stage, port and source of each.
func links(of ...string) map[string]string {
	return map[string]string{column.SettingLinks: column.JSON(lists.Map(of, func(link string) column.Link {
		words := strings.Fields(link)
		return column.Link{Stage: words[0], Port: words[1], From: column.Results(words[2])[0], Aside: len(words) > 3}
	}))}
}
