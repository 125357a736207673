package stages

import (
	"context"
	"errors"
	"fmt"

	"prgnn/dag"
	"prgnn/stages/chart"
)

func init() {
	Register(dag.Kind{
		Name: "figure-roc",
		Doc:  "ROC curves of classifiers, per participant\nThe mean probability over a participant's test graphs is the score; all folds together, and for a single classifier each fold as a thin line. For two groups.",
		New:  func() dag.Stage { return &FigureROC{} },
	})
	Register(dag.Kind{
		Name: "figure-confusion",
		Doc:  "who was taken for what: a matrix of true and predicted groups, per participant\nAll folds together; of repeated divisions, the mean number. Of several settings the one named by setting, or the first.",
		New:  func() dag.Stage { return &FigureConfusion{Setting: 1} },
	})
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
	return dag.Ports{In: []dag.Port{predictionsPort}, Out: figurePorts("the curves")}
}

// Ports are the stage's inputs and outputs.
func (*FigureConfusion) Ports() dag.Ports {
	return dag.Ports{In: []dag.Port{predictionsPort}, Out: figurePorts("the matrix")}
}

var predictionsPort = dag.Port{Name: "predictions", Gather: true, Doc: "of the classifiers",
	Type: dag.Arrow("participant_id", "group", "draw", "fold", "repeat", "set", "label", "predicted")}

// Run draws.
func (s *FigureROC) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	all, err := readSettings(t.All("predictions"))
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
	all, err := readSettings(t.All("predictions"))
	if err != nil {
		return nil, err
	}
	if n := s.Setting; n > len(all.settings) {
		return nil, fmt.Errorf("setting is %d, and there are %d", n, len(all.settings))
	}
	return confusionChart(all, s.Setting-1).outputs()
}

// rocChart is nil when there are not two groups.
func rocChart(all *testedSettings, named string) (*chartOf, error) {
	positive, err := (&Evaluate{Positive: named}).positive(all.groups)
	if err != nil || positive < 0 || len(all.groups) != 2 {
		return nil, err
	}
	var of []chart.Classifier
	for _, folds := range all.settings {
		one := chart.Classifier{Name: folds[0].name}
		for i, f := range folds {
			for _, p := range f.participants {
				one.Cases = append(one.Cases, chart.Case{Score: p.probability[positive], Positive: p.label == positive, Fold: i})
			}
		}
		rates := chart.Rates(one.Cases)
		if rates == nil {
			return nil, nil
		}
		if len(rates) == 2 && len(all.settings) > 1 {
			continue // it says the same of everybody, and would draw the line of guessing
		}
		of = append(of, one)
	}
	if of == nil {
		return nil, nil
	}
	c := &chartOf{Figure: chart.ROC(of, all.groups[positive]), title: "ROC curves",
		alt:     "Sensitivity over one minus specificity, with the line of guessing",
		caption: fmt.Sprintf("Per participant, all folds together (positive: %s). Dashed: guessing.", all.groups[positive])}
	if len(of) == 1 {
		c.title = "ROC curve"
		c.caption += " Thin lines are the folds; the area under the pooled curve differs from the mean over the folds in the table."
	} else if len(of) > 8 {
		c.caption += fmt.Sprintf(" The first 8 of %d settings.", len(of))
	}
	return c, nil
}

func confusionChart(all *testedSettings, setting int) *chartOf {
	folds := all.settings[setting]
	counts := make([][]float64, len(all.groups))
	for i := range counts {
		counts[i] = make([]float64, len(all.groups))
	}
	repeats := map[int64]bool{}
	for _, f := range folds {
		repeats[f.repeat] = true
		for _, p := range f.participants {
			counts[p.label][p.predicted]++
		}
	}
	for _, row := range counts {
		for j := range row {
			row[j] /= float64(len(repeats))
		}
	}
	c := &chartOf{Figure: chart.Confusion(all.groups, counts), title: "Confusion matrix", caption: "Participants, all folds together; per cent of the row."}
	if len(repeats) > 1 {
		c.caption = fmt.Sprintf("Participants, mean of %d divisions into folds; per cent of the row.", len(repeats))
	}
	if name := folds[0].name; name != "" {
		c.caption += " Setting: " + name + "."
	}
	c.alt = "Matrix of true and predicted groups:"
	for i, g := range all.groups {
		for j, h := range all.groups {
			c.alt += fmt.Sprintf(" %s of %s were taken for %s;", short(counts[i][j]), g, h)
		}
	}
	return c
}
