package present

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/fold"
)

var figureTrainingKind = dag.Kind{
	Name: "figure-training",
	Doc:  "cross-entropy and accuracy over the epochs, on training and test graphs\nA row a setting; thin lines are the folds, thick ones their mean.",
	New:  func() dag.Stage { return &FigureTraining{Most: 8} },
}

// FigureTraining draws training curves.
type FigureTraining struct {
	Most int `param:"most" doc:"how many settings are drawn at most, the first ones" min:"1" max:"40"`
}

// Ports are the stage's inputs and outputs.
func (*FigureTraining) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "training", Gather: true, Doc: "train's or baseline's history of each model", Type: dag.Arrow("epoch", "ce", "train_accuracy", "test_accuracy", "test_ce")},
			{Name: "evaluation", Optional: true, Doc: "evaluate's summary, for the share of the largest group", Type: dag.Arrow("level", "majority")},
			fold.LeakagePort(),
		},
		Out: figurePorts("the curves"),
	}
}

// Run draws.
func (s *FigureTraining) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	c, err := trainingChart(t, s.Most)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, errors.New("no curves to draw: connect training to the history of a train stage, or of a baseline that is a network")
	}
	return c.outputs()
}

// noRows tells the history of a classifier that is not trained in epochs.
func noRows(in dag.Input) bool {
	table, err := in.Table()
	return err == nil && table.Rows() == 0
}

// nameNetworks names settings of several classifiers by these, PR-GNN first.
func nameNetworks(settings []gatheredSetting) error {
	coords, models := make([][]dag.Coord, len(settings)), make([]string, len(settings))
	several := false
	for i, s := range settings {
		coords[i] = slices.DeleteFunc(slices.Clone(s.members[0].Coords), func(c dag.Coord) bool { return c.Axis == "seed" })
		several = several || slices.ContainsFunc(coords[i], func(c dag.Coord) bool { return c.Axis == "stage" || c.Axis == "model" })
		table, err := s.members[0].Table()
		if err != nil {
			return err
		}
		models[i] = table.Meta["model"]
		if _, ok := table.Column("glc"); ok { // the group-level loss is PR-GNN's own
			models[i] = column.PrGNN
		}
	}
	if !several {
		return nil
	}
	for i, name := range column.NameClassifiers(coords, models) {
		settings[i].name = name
	}
	slices.SortStableFunc(settings, func(a, b gatheredSetting) int { return column.CompareNamed(a.name, b.name, 0, 0) })
	return nil
}

// trainingChart is nil when there is nothing to draw.
func trainingChart(t *dag.Task, most int) (*chartOf, error) {
	chance := math.NaN()
	if t.Has("evaluation") {
		table, err := t.In("evaluation").Table()
		if err != nil {
			return nil, err
		}
		v, err := table.Floats("majority")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.In("evaluation").Name, err)
		}
		if len(v) > 0 {
			chance = v[0]
		}
	}
	settings := bySettings(slices.DeleteFunc(slices.Clone(t.All("training")), noRows))
	if err := nameNetworks(settings); err != nil {
		return nil, err
	}
	left := max(len(settings)-most, 0)
	var rows []chart.Training
	for _, s := range settings[:len(settings)-left] {
		row := chart.Training{Title: s.name, Chance: chance}
		for _, in := range s.members {
			table, err := in.Table()
			if err != nil {
				return nil, err
			}
			var v [4][]float64
			for i, name := range []string{"ce", "test_ce", "train_accuracy", "test_accuracy"} {
				if _, ok := table.Column(name); !ok {
					continue
				}
				if v[i], err = table.Floats(name); err != nil {
					return nil, fmt.Errorf("%s: %w", in.Name, err)
				}
			}
			row.Courses = append(row.Courses, chart.Course{TrainLoss: v[0], TestLoss: v[1], TrainAccuracy: v[2], TestAccuracy: v[3]})
		}
		rows = append(rows, row)
	}
	if rows == nil {
		return nil, nil
	}
	c := &chartOf{Figure: chart.Curves(rows), title: "Training",
		alt:     "Lines of cross-entropy and of accuracy over the epochs, for training graphs and for test graphs",
		caption: "Cross-entropy (left) and accuracy (right) over the epochs; thin lines are the folds, thick ones their mean; dashed: majority class."}
	if left > 0 {
		c.caption += fmt.Sprintf(" The first %d of %d settings.", most, len(settings))
	}
	return c, nil
}
