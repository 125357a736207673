package finding

import (
	"cmp"
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

// The regions are those of the headline, which the file gives; a ranking that has not got it is not of it.
func TestRegionsFollowTheHeadline(t *testing.T) {
	settings := []string{"pool=topk lambda=0.1-0", "pool=topk lambda=0.1-0", "pool=sage lambda=0.1-0"}
	nested := &Row{}
	for _, c := range []struct {
		settings []string
		headline string
		chosen   string
		nested   *Row
		want     string
		relation string
	}{
		{settings, "", "", nil, settings[0], RegionsOfFirst},
		{settings, "pool=sage", "", nil, settings[2], RegionsOfHeadline},
		{settings, "stage=train lambda=0.1-0 pool=sage", "", nil, settings[2], RegionsOfHeadline},
		{settings, "pool=mean", "", nil, settings[0], RegionsOfOther},
		{settings[:1], "pool=topk", "", nil, settings[0], RegionsOfOnly},
		{settings[:1], "", "", nil, settings[0], RegionsOfOnly},
		{[]string{""}, "stage=train", "", nil, "", RegionsOfOnly},
		{[]string{"stage=a", "stage=b"}, "stage=b", "", nil, "stage=b", RegionsOfHeadline},
		{[]string{""}, "", "λ x in 3 of 3 folds", nested, "", RegionsOfChosen},
		{settings, "pool=sage", "λ x in 3 of 3 folds", nil, settings[2], ChosenNotHeadline},
		{settings, "", "", nested, settings[0], NestedNotRegions},
	} {
		a := &Results{Plan: &Settings{}, Headline: coords(c.headline), Nested: c.nested}
		got := a.RegionsOf(lists.Map(c.settings, coords), c.chosen)
		need.Equal(t, column.CoordText(got.Setting), c.want, c)
		need.Equal(t, got.Relation, c.relation, c)
		need.Equal(t, len(got.Findings()) > 0, c.relation == NestedNotRegions)
	}
}

// A headline of another network has its own findings; the accuracy behind the regions, which are of PR-GNN, is
// PR-GNN's.
func TestHeadlineOfAnotherNetwork(t *testing.T) {
	row := func(stage, name string, p float64) column.AccuracyRow {
		r := sound(name, "stage="+stage).AccuracyRow
		r.Name, r.P, r.AUCP = name, p, p
		return r
	}
	settings := column.Table([]Parameter{{Stage: "train", Kind: "train"}, {Stage: "net", Kind: "network"},
		{Stage: "markers", Kind: "biomarkers"}, {Stage: "page", Kind: "report"}})
	settings.Meta = links("markers scores train.scores", "page ranking markers.ranking")
	for _, c := range []struct {
		headline   string
		train, net float64 // p
		relation   string
		of         string // the finding on the accuracy
		unproven   bool
	}{
		{"stage=net", 0.01, 0.3, RegionsOfOther, "BrainGNN", false},
		{"stage=net", 0.3, 0.01, RegionsOfOther, "", true},
		{"stage=train", 0.3, 0.01, RegionsOfOnly, "PR-GNN", true},
		{"stage=train", 0.01, 0.3, RegionsOfOnly, "", false},
	} {
		evaluation := column.Table([]column.AccuracyRow{row("train", "PR-GNN", c.train), row("net", "BrainGNN", c.net)},
			"stage")
		task := dag.NewTask(map[string][]dag.Input{"evaluation": {dag.InputOf(evaluation)},
			"settings": {dag.InputOf(settings)}})
		plan, err := ReadSettings(task)
		need.NoError(t, err)
		a := &Results{Plan: plan, Headline: coords(c.headline)}
		need.NoError(t, a.Read(task))
		of := ""
		for _, f := range a.Performance() {
			if f.Code == "accuracy.not-above-chance" {
				of += f.Subject.Classifier
			}
		}
		need.Equal(t, of, c.of, c)
		need.Equal(t, a.RegionsOf([][]dag.Coord{nil}, "").Relation, c.relation, c)
		need.Equal(t, len(a.Unproven(nil, a.StagesBehind("ranking", "scores"))) > 0, c.unproven, c)
	}
}

// A ranking pools the seeds of a training: it is of the headline, which has one of them, and so is what is known of
// its accuracy.
func TestRegionsOverTheSeedsOfTheHeadline(t *testing.T) {
	rows := func(settings ...string) []Row {
		return lists.Map(settings, func(s string) Row { return sound("PR-GNN, "+s, s) })
	}
	one := rows("seed=1 stage=train", "seed=2 stage=train", "seed=1 stage=net")
	two := rows("pool=sage seed=1", "pool=sage seed=2", "pool=topk seed=1")
	for _, c := range []struct {
		rows               []Row
		headline, settings string
		want               string
	}{
		{one, "stage=train seed=2", "", RegionsOfOnly + " 2"},
		{one[:1], "stage=train seed=1", "", RegionsOfOnly + " 0"},
		{two, "seed=1 pool=sage", "pool=topk; pool=sage", RegionsOfHeadline + " 2"},
		{two, "seed=1 pool=sage", "pool=topk", RegionsOfOther + " 0"},
	} {
		a := &Results{Plan: &Settings{}, Headline: coords(c.headline), Accuracy: c.rows, First: &c.rows[0]}
		got := a.RegionsOf(lists.Map(strings.Split(c.settings, ";"), coords), "")
		need.Equal(t, fmt.Sprint(got.Relation, " ", got.Seeds), c.want, c.headline, c.settings)
	}
	failed := rows("seed=2 stage=train", "pool=sage seed=1")
	failed[0].P, failed[1].P = 0.5, 0.5
	a := &Results{Plan: &Settings{}, Accuracy: failed}
	for setting, want := range map[string]bool{"": true, "pool=sage": true, "pool=topk": false, "seed=2": true,
		"seed=1": false} {
		need.Equal(t, len(a.Unproven(coords(setting), []string{"train"})) > 0, want, setting)
	}
	own := Row{Title: "PR-GNN, SAGE, seed 2 (own)"}
	own.Coords = coords("pool=sage seed=2")
	need.Equal(t, own.unseeded(coords("pool=sage")), "PR-GNN, SAGE (own)")
}

// Models of data that were fitted to one group by the true labels have no test, wherever the results have one.
func TestDataFittedToOneGroup(t *testing.T) {
	row := func(stage string) column.AccuracyRow {
		r := sound(stage, "stage="+stage).AccuracyRow
		r.Name = stage
		return r
	}
	for _, c := range []struct {
		kind, group, aside string
		above, finding     string
	}{
		{"deconfound", "", "", "raw adjusted", ""},
		{"deconfound", "HC", "", "raw", "fit.one-group [adjusted] HC [age mean_fd]"},
		{"tangent", "HC", "", "raw", "fit.one-group [adjusted] HC []"},
		{"deconfound", "HC", "quality", "raw adjusted", ""},
	} {
		parameters := []Parameter{{Stage: "fit", Kind: c.kind, Parameter: "controls", Value: []string{c.group}},
			{Stage: "apply", Kind: "residualize"}, {Stage: "raw", Kind: "network"},
			{Stage: "adjusted", Kind: "baseline"},
			{Stage: "evaluate", Kind: "evaluate"}, {Stage: "permutation", Kind: "permutation"},
			{Stage: "page", Kind: "report"}}
		if c.kind == "deconfound" {
			parameters = append([]Parameter{{Stage: "fit", Kind: c.kind, Parameter: "covariates",
				Value: []string{"age", "mean_fd"}}}, parameters...)
		}
		settings := column.Table(parameters)
		connected := []column.Link{{Stage: "apply", Port: "fitted", From: column.Results("fit.fitted")[0],
			Fits: "controls"},
			{Stage: "adjusted", Port: cmp.Or(c.aside, "pearson"), From: column.Results("apply.matrices")[0],
				Aside: c.aside != ""},
			{Stage: "evaluate", Port: "predictions", From: column.Results("raw.predictions")[0]},
			{Stage: "evaluate", Port: "predictions", From: column.Results("adjusted.predictions")[0]},
			{Stage: "permutation", Port: "predictions", From: column.Results("adjusted.predictions")[0]},
			{Stage: "page", Port: "evaluation", From: column.Results("evaluate.summary")[0]},
			{Stage: "page", Port: "permutation", From: column.Results("permutation.test")[0]}}
		settings.Meta = map[string]string{column.SettingLinks: column.JSON(connected)}
		evaluation := column.Table([]column.AccuracyRow{row("raw"), row("adjusted")}, "stage")
		shuffled := column.Table([]column.PermutationTestRow{{Name: "adjusted", Measure: "accuracy", Observed: 0.8,
			Permutations: 99, P: 0.01}})
		task := dag.NewTask(map[string][]dag.Input{"evaluation": {dag.InputOf(evaluation)},
			"permutation": {dag.InputOf(shuffled)}, "settings": {dag.InputOf(settings)}})
		plan, err := ReadSettings(task)
		need.NoError(t, err)
		a := &Results{Plan: plan}
		need.NoError(t, a.Read(task))
		var above []string
		for _, r := range a.PerParticipant() {
			state, _ := a.Chance(r, "accuracy")
			if auc, _ := a.Chance(r, "auc"); state == Above && auc == Above {
				above = append(above, r.Name)
			}
			need.Equal(t, math.IsNaN(r.P), state == Untested, c)
		}
		slices.Sort(above)
		slices.Reverse(above)
		need.Equal(t, strings.Join(above, " "), c.above, c)
		of := ""
		for _, f := range a.Performance() {
			if f.Code == "fit.one-group" {
				v := f.Values()
				of = fmt.Sprint(f.Code, " ", v["Models"], " ", v["Group"], " ", v["Covariates"])
			}
			need.Equal(t, f.Code == "accuracy.untested", false)
		}
		need.Equal(t, of, c.finding, c)
		joint := a.Joint([]column.JointRow{{Test: true, P: 0.01, Statistic: "median", Value: 0.1}})
		need.Equal(t, joint, Above, c) // no multiverse reads the fit
	}
}

// A setting that the inner folds lack was not chosen from.
func TestCandidatesAreTrainedInside(t *testing.T) {
	var rows []Parameter
	for _, stage := range []string{"baselines", "inner"} {
		for _, penalty := range []string{"0.01", "1", "100"} {
			if stage == "baselines" || penalty != "100" {
				rows = append(rows, Parameter{Stage: stage, Kind: "baseline", Parameter: "penalty",
					Value: []string{penalty}})
			}
		}
	}
	for _, kind := range []string{"choose", "evaluate", "report"} {
		rows = append(rows, Parameter{Stage: kind, Kind: kind})
	}
	rows = append(rows, Parameter{Stage: "evaluate_chosen", Kind: "evaluate"})
	settings := column.Table(rows)
	settings.Meta = links("choose inner inner.predictions", "choose outer baselines.predictions",
		"evaluate predictions baselines.predictions", "evaluate_chosen predictions choose.predictions",
		"report evaluation evaluate.summary", "report nested evaluate_chosen.summary")
	plan := need.Value(ReadSettings(dag.NewTask(map[string][]dag.Input{"settings": {dag.InputOf(settings)}})))(t)
	a := &Results{Plan: plan, Nested: &Row{}}
	for penalty, want := range map[string]bool{"0.01": true, "1": true, "100": false} {
		r := Row{AccuracyRow: column.AccuracyRow{Coords: coords("penalty=" + penalty)}}
		need.Equal(t, a.IsCandidate(r), want, penalty)
	}
}

// An evaluation of nothing but the settings that were chosen inside each fold states so in place of their models.
func TestEvaluationOfAChoice(t *testing.T) {
	for of, want := range map[string]bool{"choose.predictions": true, "baselines.predictions": false} {
		settings := column.Table([]Parameter{{Stage: "baselines", Kind: "baseline"}, {Stage: "choose", Kind: "choose"},
			{Stage: "evaluate", Kind: "evaluate"}, {Stage: "report", Kind: "report"}})
		settings.Meta = links("evaluate predictions "+of, "report evaluation evaluate.summary")
		row := column.Table([]column.AccuracyRow{{Name: "ridge or SVM", Level: "participant", Classifier: "ridge"}})
		in := map[string][]dag.Input{"settings": {dag.InputOf(settings)}, "evaluation": {dag.InputOf(row)}}
		plan := need.Value(ReadSettings(dag.NewTask(in)))(t)
		a := &Results{Plan: plan}
		need.NoError(t, a.Read(dag.NewTask(in)))
		need.Equal(t, a.First.Chosen, want, of)
		need.Equal(t, a.First.Called() == "The setting chosen inside each fold", want, a.First.Called())
	}
}

// Among models of a number, the headline is the one that the file gives, or PR-GNN where it has one setting: it comes
// first, and its p needs no correction for the others.
func TestHeadlineAmongNumbers(t *testing.T) {
	row := func(model, setting string, p float64) column.RegressionRow {
		return column.RegressionRow{Coords: coords(setting), Name: setting, Classifier: model, Folds: 5,
			RFolds: 5, Participants: 60, Test: column.Retrained, Permutations: 999, Least: 0.001,
			R: 0.4, P: p, R2: 0.2, R2Low: 0.1}
	}
	gnn, mean := row("pr-gnn", "stage=train", 0.03), row("mean", "stage=models model=mean", math.NaN())
	ridge, svr := row("ridge", "stage=models model=ridge", 0.03), row("svr", "stage=models model=svr", 0.001)
	for _, c := range []struct {
		rows         []column.RegressionRow
		given        string
		order, above string // above: of the models beside the headline
		found, wrong string
	}{
		{[]column.RegressionRow{mean, ridge, svr, gnn}, "", "train ridge svr mean", "svr",
			"ridge regression.not-above-chance", ""},
		{[]column.RegressionRow{mean, ridge, svr, gnn}, "model=ridge", "ridge svr train mean", "svr",
			"train regression.not-above-chance", ""},
		{[]column.RegressionRow{mean, ridge, svr}, "", "ridge svr mean", "ridge svr", "", ""},
		{[]column.RegressionRow{gnn, row("pr-gnn", "stage=other", 0.03)}, "", "train other", "",
			"train regression.not-above-chance, other regression.not-above-chance", ""},
		{[]column.RegressionRow{mean, ridge}, "model=svr", "", "", "", "no setting matches model=svr"},
	} {
		a := &Results{Plan: &Settings{}, Number: "IQ", Headline: coords(c.given)}
		if c.given == "" {
			a.Headline = nil
		}
		table := dag.InputOf(column.Table(c.rows, "model", "stage"))
		err := a.readRegression(dag.NewTask(map[string][]dag.Input{"regression": {table}}))
		if c.wrong != "" {
			need.Error(t, err, c.wrong)
			continue
		}
		need.NoError(t, err)
		name := func(setting string) string { return setting[strings.LastIndex(setting, "=")+1:] }
		order := lists.Map(a.Regression, func(r column.RegressionRow) string { return name(r.Name) })
		need.Equal(t, strings.Join(order, " "), c.order)
		if a.FirstNumber != nil {
			below := *a.FirstNumber
			below.R = -0.01 // permuted numbers may give less
			above, _ := a.ChanceOfR(*a.FirstNumber)
			not, _ := a.ChanceOfR(below)
			need.Equal(t, above, Above)
			need.Equal(t, not, NotAbove)
		}
		above, _, _ := a.PredictNumber()
		need.Equal(t, strings.Join(lists.Map(above, name), " "), c.above)
		var found []string
		for _, f := range a.Regressions() {
			if f.Code == "regression.not-above-chance" {
				found = append(found, name(f.Subject.Classifier)+" "+f.Code)
				need.Equal(t, f.Weight == Limits, a.FirstNumber != nil) // the page concludes from the headline
			}
		}
		need.Equal(t, strings.Join(found, ", "), c.found)
	}
}
