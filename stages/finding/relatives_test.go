package finding

import (
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/column"
)

// related are the notes of a study whose stages divide relatives.
func related(divides bool, stages ...string) []column.Note {
	if !divides {
		return nil
	}
	notes := []column.Note{{Doubt: column.DoubtRelated}}
	for i, stage := range stages {
		notes = append(notes[:i], column.Note{Doubt: column.DoubtRelated, Stages: stage})
	}
	return notes
}

// Relatives in training and test data question the results of the stages that divide them, and of no others; where the
// stages are unknown, all.
func TestRelativesOfADivision(t *testing.T) {
	stage := func(name, kind string, inputs ...string) StageSettings {
		s := StageSettings{Stage: name, Kind: kind, Inputs: map[string][]column.Result{},
			aside: map[string]bool{"checked": true}}
		for i := 0; i < len(inputs); i += 2 {
			s.Inputs[inputs[i]] = append(s.Inputs[inputs[i]], column.Results(inputs[i+1])...)
		}
		return s
	}
	plan := &Settings{Stages: []StageSettings{
		stage("folds", "split"), stage("sites", "split"), stage("inner", "split", "folds", "folds.folds"),
		stage("combat", "combat", "folds", "folds.folds"),
		stage("models", "baseline", "harmonized", "combat.fitted", "checked", "sites.folds"),
		stage("scores", "regression", "folds", "sites.folds"),
		stage("beyond", "baseline", "folds", "sites.folds"), stage("choose", "choose", "inner", "inner.folds"),
		stage("e", "evaluate", "predictions", "models.predictions"),
		stage("o", "evaluate", "predictions", "beyond.predictions"),
		stage("n", "evaluate", "predictions", "choose.predictions"),
		stage("r", "evaluate-regression", "predictions", "scores.predictions"),
		stage("universes", "multiverse", "evaluation", "e.summary"),
		stage("page", "report", "evaluation", "e.summary", "left_out", "o.summary", "nested", "n.summary",
			"regression", "r.summary", "universe_tests", "universes.joint")}}
	row, number := sound("PR-GNN", ""), column.RegressionRow{Test: column.Retrained, P: 0.01, R: 0.3}
	row.P = 0.01
	chosen := row
	chosen.Chosen = true
	joint := []column.JointRow{{Statistic: "median", P: 0.01, Value: 0.1, Test: true}}
	for _, c := range []struct {
		notes                                   []column.Note
		inside, beyond, nested, number, overall State
	}{
		{nil, Above, Above, Above, Above, Above},
		{related(true), Dependent, Dependent, Dependent, Dependent, Dependent},
		{related(true, "folds"), Dependent, Above, Dependent, Above, Dependent},
		{related(true, "sites"), Above, Dependent, Above, Dependent, Above},
		{related(true, "others sites"), Above, Dependent, Above, Dependent, Above},
		{related(true, "others", "folds sites"), Dependent, Dependent, Dependent, Dependent, Dependent},
	} {
		a := &Results{Plan: plan, Related: c.notes, Accuracy: []Row{row}}
		a.Beyond = &Results{Plan: plan, Related: c.notes, Port: "left_out"}
		is := func(s State, _ Test) State { return s }
		need.Equal(t, is(a.Chance(row, "accuracy")), c.inside, c.notes)
		need.Equal(t, is(a.Beyond.Chance(row, "accuracy")), c.beyond, c.notes)
		need.Equal(t, is(a.Chance(chosen, "auc")), c.nested, c.notes)
		need.Equal(t, is(a.ChanceOfR(number)), c.number, c.notes)
		need.Equal(t, a.Joint(joint), c.overall, c.notes)
		for _, n := range c.notes {
			of := func(state State) bool { return state == Dependent }
			if len(c.notes) == 1 {
				need.Equal(t, a.Answers(n), of(c.inside), c.notes)
				need.Equal(t, (&Results{Plan: plan, First: &row}).Answers(n), of(c.inside), c.notes)
				need.Equal(t, (&Results{Plan: plan, Nested: &chosen}).Answers(n), of(c.nested), c.notes)
				need.Equal(t, (&Results{Plan: plan, FirstNumber: &number}).Answers(n), of(c.number), c.notes)
				need.Equal(t, (&Results{Plan: plan, Regression: []column.RegressionRow{number}}).Answers(n),
					of(c.number), c.notes)
			}
			need.Equal(t, (&Results{Plan: plan}).Answers(n), true, c.notes)
		}
	}
}

// Only findings about what the answer of a page comes from question it.
func TestNotesOfOtherResultsDoNotQuestionTheAnswer(t *testing.T) {
	var all List
	all.Add(Finding{Code: "noted.text", Weight: Overturns, Subject: Subject{Results: OtherResults}})
	need.Equal(t, questions(all), 0)
	all.Study("noted.text", Overturns, nil)
	need.Equal(t, questions(all), 1)
}

// Folds leave out each site only where all divisions behind a result do.
func TestLeavesOut(t *testing.T) {
	stage := func(name, kind, leaveOut string, inputs ...string) StageSettings {
		s := StageSettings{Stage: name, Kind: kind,
			Inputs: map[string][]column.Result{"predictions": column.Results(inputs...)},
			aside:  map[string]bool{}, Values: map[string][][]string{}}
		if kind == "split" {
			s.Values["leave_out"] = [][]string{{leaveOut}}
		}
		return s
	}
	s := &Settings{Stages: []StageSettings{stage("folds", "split", ""), stage("sites", "split", "site"),
		stage("inside", "baseline", "", "folds.folds"), stage("outside", "baseline", "", "sites.folds"),
		stage("first", "subgroups", "", "outside.predictions"), stage("second", "subgroups", "", "inside.predictions"),
		stage("both", "subgroups", "", "inside.predictions", "outside.predictions"), stage("none", "subgroups", "")}}
	for name, want := range map[string]bool{"first": true, "second": false, "both": false, "none": false} {
		need.Equal(t, s.LeavesOut(s.Stage(name), "site"), want, name)
	}
	need.Equal(t, s.LeavesOut(s.Stage("first"), "scanner"), false)
}
