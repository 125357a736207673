package present

import (
	"context"
	"errors"
	"fmt"

	"prgnn/dag"
	"prgnn/stages/chart"
	"prgnn/stages/fold"
)

var figureROCKind = dag.Kind{
	Name: "figure-roc",
	Doc:  "ROC curves of classifiers, per participant\nThe mean probability over a participant's test graphs is the score. The curve is the vertical average of the folds' curves, and its area is the mean over the folds, as evaluate has it: scores of different folds are not compared. For a single classifier each fold is a thin line. For two groups.",
	New:  func() dag.Stage { return &FigureROC{} },
}

var figureConfusionKind = dag.Kind{
	Name: "figure-confusion",
	Doc:  "confusion matrix, per participant\nCounts are pooled over folds; of repeated divisions, the mean number. Of several settings the one named by setting, or the first.",
	New:  func() dag.Stage { return &FigureConfusion{Setting: 1} },
}

// FigureROC draws ROC curves.
type FigureROC struct {
	Positive string `param:"positive" doc:"the group whose detection sensitivity counts; by default as in evaluate"`
}

// FigureConfusion draws a confusion matrix.
type FigureConfusion struct {
	Setting int `param:"setting" doc:"which of several settings, in their order" min:"1" max:"100000"`
}

// Ports are the stage's inputs and outputs.
func (*FigureROC) Ports() dag.Ports {
	return dag.Ports{In: []dag.Port{predictionsPort, fold.LeakagePort()}, Out: figurePorts("the curves")}
}

// Ports are the stage's inputs and outputs.
func (*FigureConfusion) Ports() dag.Ports {
	return dag.Ports{In: []dag.Port{predictionsPort, fold.LeakagePort()}, Out: figurePorts("the matrix")}
}

var predictionsPort = dag.Port{Name: "predictions", Gather: true, Doc: "of the classifiers",
	Type: dag.Arrow("participant_id", "group", "draw", "fold", "repeat", "set", "label", "predicted")}

// Run draws.
func (s *FigureROC) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	all, err := fold.ReadSettings(t.All("predictions"))
	if err != nil {
		return nil, err
	}
	c, err := rocChart(all, s.Positive)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, errors.New("a ROC curve is for two groups, of which each has somebody who was tested")
	}
	return c.outputs()
}

// Run draws.
func (s *FigureConfusion) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	all, err := fold.ReadSettings(t.All("predictions"))
	if err != nil {
		return nil, err
	}
	if n := s.Setting; n > len(all.Settings) {
		return nil, fmt.Errorf("setting is %d, and there are %d", n, len(all.Settings))
	}
	return confusionChart(all, s.Setting-1).outputs()
}

// rocChart is nil when there are not two groups.
func rocChart(all *fold.Settings, named string) (*chartOf, error) {
	positive, err := fold.PositiveGroup(named, all.Groups)
	if err != nil || positive < 0 || len(all.Groups) != 2 {
		return nil, err
	}
	var of []chart.Classifier
	for _, folds := range all.Settings {
		one := chart.Classifier{Name: "AUC " + number3(fold.MeanOver(folds, func(f fold.Tested) float64 { return fold.Score(f.Participants, positive).Auc }))}
		if name := folds[0].Name; name != "" {
			one.Name = name + ": " + one.Name
		}
		flat := true
		for i, f := range folds {
			var cases []chart.Case
			for _, p := range f.Participants {
				cases = append(cases, chart.Case{Score: p.Probability[positive], Positive: p.Label == positive, Fold: i})
			}
			flat = flat && len(chart.Rates(cases)) <= 2
			one.Cases = append(one.Cases, cases...)
		}
		if chart.MeanRates(one.Cases) == nil {
			return nil, nil
		}
		if flat && len(all.Settings) > 1 {
			continue // one answer for everybody: the diagonal is drawn already
		}
		of = append(of, one)
	}
	if of == nil {
		return nil, nil
	}
	c := &chartOf{Figure: chart.ROC(of, all.Groups[positive]), title: "ROC curves",
		alt:     "Sensitivity over one minus specificity, with the diagonal of chance",
		caption: fmt.Sprintf("Per participant (positive: %s): mean of the folds' curves at each specificity. AUC: mean over the folds. Dashed: chance.", all.Groups[positive])}
	if len(of) == 1 {
		c.title = "ROC curve"
		c.caption += " Thin lines: the folds."
	} else if len(of) > 8 {
		c.caption += fmt.Sprintf(" The first 8 of %d settings.", len(of))
	}
	return c, nil
}

func confusionChart(all *fold.Settings, setting int) *chartOf {
	folds := all.Settings[setting]
	counts := make([][]float64, len(all.Groups))
	for i := range counts {
		counts[i] = make([]float64, len(all.Groups))
	}
	repeats := map[int64]bool{}
	for _, f := range folds {
		repeats[f.Repeat] = true
		for _, p := range f.Participants {
			counts[p.Label][p.Predicted]++
		}
	}
	for _, row := range counts {
		for j := range row {
			row[j] /= float64(len(repeats))
		}
	}
	c := &chartOf{Figure: chart.Confusion(all.Groups, counts), title: "Confusion matrix", caption: "Participants, pooled over folds; per cent of the row."}
	if len(repeats) > 1 {
		c.caption = fmt.Sprintf("Participants, pooled over folds, mean of %d divisions; per cent of the row.", len(repeats))
	}
	if name := folds[0].Name; name != "" {
		c.caption += " Classifier: " + name + "."
	}
	c.alt = "Confusion matrix:"
	for i, g := range all.Groups {
		for j, h := range all.Groups {
			c.alt += fmt.Sprintf(" %s %s predicted as %s;", short(counts[i][j]), g, h)
		}
	}
	return c
}
