package figure

import (
	"context"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/fold"
)

var kindTraining = dag.Kind{
	Name: "figure-training",
	Doc:  "cross-entropy and accuracy over the epochs, on training and test graphs\nOne row per setting; thin lines are the folds, thick ones their mean, bands one SD over the folds.",
	New:  func() dag.Stage { return &Training{Most: 8} },
}

// Training draws training curves.
type Training struct {
	Most int `param:"most" doc:"maximum number of settings drawn, the first ones" min:"1" max:"40"`
}

func (*Training) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "training", Gather: true, Doc: "train's or baseline's history of each model",
				Type: dag.Arrow("epoch", "ce", "train_accuracy", "test_accuracy", "test_ce")},
			{Name: "evaluation", Optional: true, Doc: "evaluate's summary, for the majority-class rate", Type: dag.Arrow("level", "majority")},
			fold.LeakagePort(),
		},
		Out: picturePorts("the curves"),
	}
}

func (s *Training) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	draw := outputsOr("no curves to draw: connect training to the history of a train stage, or of a baseline that is a network")
	return draw(DrawTraining(t, s.Most))
}

// An epochRow is one epoch of a training (train's or baseline's history).
type epochRow struct {
	CE           float64 `column:"ce,optional"`
	TestCE       float64 `column:"test_ce,optional"`
	Accuracy     float64 `column:"train_accuracy,optional"`
	TestAccuracy float64 `column:"test_accuracy,optional"`
}

type majorityRow struct {
	Majority float64 `column:"majority"`
}

// noRows tells the history of a classifier that is not trained in epochs.
func noRows(in dag.Input) bool {
	table, err := in.Table()
	return err == nil && table.Rows() == 0
}

// nameNetworks names settings of several classifiers by these, PR-GNN first. names are those of the classifiers, also
// where the figure shows one only.
func nameNetworks(settings []settingInputs) (names []string, err error) {
	coords, models := make([][]dag.Coord, len(settings)), make([]string, len(settings))
	several := false
	for i, s := range settings {
		coords[i] = slices.DeleteFunc(slices.Clone(s.members[0].Coords),
			func(c dag.Coord) bool { return c.Axis == "seed" })
		several = several || slices.ContainsFunc(coords[i], func(c dag.Coord) bool {
			return c.Axis == "stage" ||
				c.Axis == "model"
		})
		table, err := s.members[0].Table()
		if err != nil {
			return nil, err
		}
		models[i] = table.Meta["model"]
		if _, ok := table.Column("glc"); ok { // the group-level loss is PR-GNN's own
			models[i] = column.PrGNN
		}
	}
	if names = column.NameClassifiers(coords, models); !several {
		return names, nil
	}
	for i, name := range names {
		settings[i].name = name
	}
	slices.SortStableFunc(settings, func(a, b settingInputs) int { return column.CompareNamed(a.name, b.name, 0, 0) })
	return lists.Map(settings, func(s settingInputs) string { return s.name }), nil
}

// DrawTraining is nil when there is nothing to draw.
func DrawTraining(t *dag.Task, drawn int) (*Chart, error) {
	chance := math.NaN()
	if t.Has("evaluation") {
		rows, err := column.Read[majorityRow](t.In("evaluation"))
		if err != nil {
			return nil, err
		}
		if len(rows) > 0 {
			chance = rows[0].Majority
		}
	}
	settings := bySettings(slices.DeleteFunc(slices.Clone(t.All("training")), noRows))
	names, err := nameNetworks(settings)
	if err != nil {
		return nil, err
	}
	var rows []chart.Training
	series := column.Series(names)
	for i, s := range settings[:min(len(settings), drawn)] {
		row := chart.Training{Title: s.name, Chance: chance, Series: max(series[i], 0)}
		for _, in := range s.members {
			epochs, err := column.Read[epochRow](in)
			if err != nil {
				return nil, err
			}
			var c chart.Course
			for _, e := range epochs {
				c.TrainLoss, c.TestLoss = append(c.TrainLoss, e.CE), append(c.TestLoss, e.TestCE)
				c.TrainAccuracy, c.TestAccuracy = append(c.TrainAccuracy, e.Accuracy),
					append(c.TestAccuracy, e.TestAccuracy)
			}
			row.Courses = append(row.Courses, c)
		}
		rows = append(rows, row)
	}
	if rows == nil {
		return nil, nil
	}
	return Captioned(chart.Curves(rows), "figure.training", most(drawn, len(settings), "settings",
		values{"Majority": !math.IsNaN(chance)})), nil
}
