package finding

import (
	"fmt"
	"math"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
)

func TestLeakageFindings(t *testing.T) {
	fit := []column.Unchecked{{By: "fit", Stage: "train", Input: "edges"}, {By: "fit", Stage: "ridge",
		Input: "pearson"}}
	for _, c := range []struct {
		of               Leakage
		want             string
		passed, complete bool
	}{
		{Leakage{Connected: true, Evaluated: true}, "", true, true},
		{Leakage{Connected: true, Evaluated: true, Admitted: 2}, "", false, true},
		{Leakage{Connected: true, Missing: []string{ComparedScans}}, "leakage.not-compared", false, false},
		{Leakage{Connected: true, Unchecked: fit}, "leakage.unchecked-program", false, false},
		{Leakage{Evaluated: true, Unchecked: fit}, "leakage.unchecked-program leakage.no-check", false, false},
		{Leakage{Connected: true, Uncovered: []string{"inner"}}, "leakage.uncovered", false, true},
		{Leakage{Evaluated: true}, "leakage.no-check", false, false},
		{Leakage{}, "", false, false},
	} {
		need.Equal(t, codes(c.of.Findings()), c.want, c.of)
		need.Equal(t, c.of.Passed(), c.passed, c.of)
		need.Equal(t, c.of.Complete(), c.complete, c.of)
	}
}

// Trainings in inner folds have no check where no leakage stage takes their predictions.
func TestUncovered(t *testing.T) {
	stages := func(check ...string) *Settings {
		return &Settings{Stages: []StageSettings{{Stage: "inner", Kind: "baseline"}, {Stage: "outer", Kind: "baseline"},
			{Stage: "unused", Kind: "train"},
			{Stage: "chosen", Kind: "choose",
				Inputs: map[string][]column.Result{"inner": column.Results("inner.predictions"),
					"outer": column.Results("outer.predictions")}},
			{Stage: "evaluate", Kind: "evaluate",
				Inputs: map[string][]column.Result{"predictions": column.Results("chosen.predictions")}},
			{Stage: "leakage", Kind: "leakage",
				Inputs: map[string][]column.Result{"predictions": column.Results(check...)}}}}
	}
	need.Equal(t, fmt.Sprint(stages("outer.predictions").Uncovered()), "[inner]")
	need.Equal(t, fmt.Sprint(stages("outer.predictions", "inner.predictions").Uncovered()), "[]")
	need.Equal(t, fmt.Sprint((&Settings{}).Uncovered()), "[]")
}

func TestLearning(t *testing.T) {
	training := func(model string, accuracy, majority float64, mixed bool) Training {
		return Training{model, []dag.Coord{{Axis: "fold", Value: "1"}}, accuracy, majority, mixed, 0}
	}
	own := Row{Own: true, Title: "PR-GNN", AccuracyRow: column.AccuracyRow{Level: "graph", Accuracy: 0.6}}
	for _, c := range []struct {
		of       Training
		want     string
		unknown  int
		compared int
	}{
		{training("", 0.7, 0.5, false), "", 0, 1},
		{training("", 0.76, 0.5, false), "training.overfit", 0, 1},
		{training("", 0.59, 0.5, false), "training.stuck", 0, 1},
		{training("", 0.6, 0.5, false), "", 0, 1},
		{training("", 0.59, math.NaN(), false), "", 1, 1},
		{training("", 0.8, 0.76, false), "training.stuck", 0, 1}, // and no overfitting of what was not learned
		{training("", 0.9, 0.5, true), "", 1, 0},
		{training("meanmlp", 0.9, 0.5, false), "", 0, 0},
	} {
		l := Learned([]Training{c.of}, []Row{own})
		need.Equal(t, codes(l.Findings()), c.want, c.of)
		need.Equal(t, len(l.Unknown), c.unknown, c.of)
		need.Equal(t, len(l.Compare), c.compared, c.of)
	}
}

// The majority-class rates of training sets differ, and so do the limits of their accuracies.
func TestStuckByOwnLimit(t *testing.T) {
	of := func(accuracy, majority float64) Training { return Training{Accuracy: accuracy, Majority: majority} }
	l := Learned([]Training{of(0.6, 0.55), of(0.91, 0.9), of(0.9, 0.6)}, nil)
	need.Equal(t, fmt.Sprintf("%.3f %.3f %.3f", l.Least, l.Most, l.Stuck[1].Limit), "0.640 0.920 0.920")
	need.Equal(t, len(l.Stuck), 2)
}

// Every network is judged by its own history, which has its name; whether mixed graphs were learned is unknown.
func TestReadTrainings(t *testing.T) {
	history := func(stage, model, mixed, fold string, last float64, own bool) dag.Input {
		table := encoding.NewTable(encoding.Column{Name: "epoch", Values: []int32{1}},
			encoding.Column{Name: "train_accuracy", Values: []float64{last}},
			encoding.Column{Name: "majority", Values: []float64{0.5}})
		if own {
			table.Columns = append(table.Columns, encoding.Column{Name: "glc", Values: []float64{0}})
		}
		table.Meta = map[string]string{"model": model, column.MixedTraining: mixed}
		return dag.InputOf(table, dag.Coord{Axis: "stage", Value: stage}, dag.Coord{Axis: "fold", Value: fold})
	}
	empty := dag.InputOf(encoding.NewTable(encoding.Column{Name: "epoch", Values: []int32{}},
		encoding.Column{Name: "train_accuracy", Values: []float64{}}), dag.Coord{Axis: "stage", Value: "svm"})
	all, err := ReadTrainings(dag.NewTask(map[string][]dag.Input{"training": {history("train", "", "", "1", 0.9, true),
		history("released", "braingnn", "", "1", 0.55, false), history("net", "braingnn", "", "1", 0.9, false), empty,
		history("net", "braingnn", "", "2", 0.5, false), history("series", "meanmlp", "", "1", 0.51, false),
		history("bnt", "bnt", "true", "1", 0.5, false)}}))
	need.NoError(t, err)
	of := func(all []Training) (texts []string) {
		for _, tr := range all {
			texts = append(texts, tr.Model+" "+column.CoordText(tr.Coords))
		}
		return texts
	}
	for own, want := range map[string]float64{column.PrGNN: 0.9, "meanmlp": 0.51, "linear-svm": 0, "bnt": 0} {
		l := Learned(all, []Row{{Own: true, AccuracyRow: column.AccuracyRow{Classifier: own, Level: "graph",
			Accuracy: 0.6}}})
		need.Equal(t, fmt.Sprint(of(l.Stuck)), "[braingnn stage=net fold=2 braingnn stage=released fold=1 meanmlp fold=1]")
		need.Equal(t, fmt.Sprint(of(l.Unknown)), "[bnt fold=1]")
		need.Equal(t, l.Judged, 5)
		got := 0.0
		for _, c := range l.Compare {
			got = c.Training
		}
		need.Equal(t, got, want, own)
	}
}

// The accuracies on training and on test graphs are of the same settings: a page may have the trainings of one alone.
func TestOverfitOfOneSetting(t *testing.T) {
	row := func(estimator string, accuracy float64) Row {
		return Row{Own: true, AccuracyRow: column.AccuracyRow{Level: "graph", Accuracy: accuracy,
			Coords: []dag.Coord{{Axis: "stage", Value: "train"}, {Axis: "estimator", Value: estimator}}}}
	}
	of := func(fold string) Training {
		return Training{Coords: []dag.Coord{{Axis: "estimator", Value: "empirical"}, {Axis: "fold", Value: fold}},
			Accuracy: 0.96, Majority: 0.57}
	}
	l := Learned([]Training{of("1"), of("2")}, []Row{row("empirical", 0.756), row("ledoit-wolf", 0.878)})
	need.Equal(t, fmt.Sprint(l.Compare), "[{pr-gnn false 0.96 0.756 2}]")
}
