package figure

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/vg"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/chart"
	"prgnn/stages/column"
	ours "prgnn/stages/draw"
	"prgnn/stages/fold"
	"prgnn/stages/report"
	"prgnn/stages/role"
)

var kindROC = dag.Kind{
	Name: "figure-roc",
	Doc:  "ROC curves of classifiers, per participant\nThe mean probability over a participant's test graphs is the score. The curve is the vertical average of the folds' curves, and its area is the mean over the folds, as evaluate has it: scores of different folds are not compared. Bands are one SD over the folds. Of more than four classifiers the first alone has a band, and those after the fourth are gray. For a single classifier each fold is a thin line. For two groups.",
	New:  func() dag.Stage { return &ROC{} },
}

var kindConfusion = dag.Kind{
	Name: "figure-confusion",
	Doc:  "confusion matrix, per participant\nCounts are pooled over folds; of repeated divisions, the mean number. Of several settings the one named by setting, or the first.",
	New:  func() dag.Stage { return &Confusion{Setting: 1} },
}

var (
	_ role.Reader   = (*ROC)(nil)
	_ role.PortUser = (*ROC)(nil)
)

// ROC draws ROC curves.
type ROC struct {
	Positive string `param:"positive" doc:"the group that sensitivity refers to; by default as in evaluate"`
}

var _ role.PortUser = (*Confusion)(nil)

// Confusion draws a confusion matrix.
type Confusion struct {
	Setting int `param:"setting" doc:"which of several settings, in their order" min:"1" max:"100000"`
}

// UsesPorts are the checks.
func (*ROC) UsesPorts() []role.PortUse { return fold.AfterChecks() }

func (*ROC) Ports() dag.Ports {
	return dag.Ports{In: []dag.Port{predictionsPort, fold.LeakagePort()}, Out: picturePorts("the curves")}
}

// UsesPorts are the checks.
func (*Confusion) UsesPorts() []role.PortUse { return fold.AfterChecks() }

func (*Confusion) Ports() dag.Ports {
	return dag.Ports{In: []dag.Port{predictionsPort, fold.LeakagePort()}, Out: picturePorts("the matrix")}
}

var predictionsPort = fold.PredictionsPort("of the classifiers")

// ReadsParticipants is the group that its parameter names, of two.
func (s *ROC) ReadsParticipants() []role.Reading {
	return []role.Reading{{Parameter: "positive", Name: s.Positive, Group: true, Two: true}}
}

func (s *ROC) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	all, err := fold.ReadSettings(t.All("predictions"))
	if err != nil {
		return nil, err
	}
	draw := outputsOr("a ROC curve needs two groups, each with tested participants")
	return draw(DrawROC(all, s.Positive))
}

func (s *Confusion) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	all, err := fold.ReadSettings(t.All("predictions"))
	if err != nil {
		return nil, err
	}
	if n := s.Setting; n > len(all.Settings) {
		names := lists.Map(settingNames(all), func(name string) string { return cmp.Or(name, "the only one") })
		return nil, fmt.Errorf("setting is %d, but the predictions have %s, in this order: %s", n,
			words.Count(len(names), "setting"), words.Some(names, 20))
	}
	return outputs(DrawConfusion(all, s.Setting-1), nil)
}

// DrawROC is nil when there are not two groups.
func DrawROC(all *fold.Settings, named string) (*Chart, error) {
	positive, _, err := fold.PositiveGroup(named, all.Groups)
	if err != nil || positive < 0 || len(all.Groups) != 2 {
		return nil, err
	}
	colored := mostBands
	if len(all.Settings) == mostBands+1 { // gray is for several
		colored++
	}
	series := seriesOf(all)
	var bands, thin, lines []chart.Mark
	var drawn, classifiers []string
	var areas []float64
	var taken []int
	for k, folds := range all.Settings {
		var cases [][]chart.Case
		var curves []chart.Mark
		flat, number := true, apart(taken, max(series[k], 0))
		sty, color := chart.Series(number, 1.8), chart.Color(number)
		if len(lines) >= colored {
			sty = chart.Style{Color: chart.Faded(ours.Rule, 0xa0), Width: 0.8}
		}
		for _, f := range folds {
			var of []chart.Case
			for _, p := range f.Participants {
				of = append(of, chart.Case{Score: p.Probability[positive], Positive: p.Label == positive})
			}
			x, y := chart.Points(chart.Rates(of))
			curves = append(curves, chart.Line(x, y, chart.Style{Color: chart.Faded(color, 0x60), Width: 0.6}))
			cases, flat = append(cases, of), flat && len(x) <= 2
		}
		mean, low, high := chart.MeanRates(cases)
		if mean == nil {
			return nil, nil
		}
		if flat && len(all.Settings) > 1 {
			continue // one answer for everybody: the diagonal is drawn already
		}
		x, y := chart.Points(mean)
		_, from := chart.Points(low)
		_, to := chart.Points(high)
		area := fold.MeanOver(folds, func(f fold.Tested) float64 { return fold.Score(f.Participants, positive).Auc })
		name := "AUC " + report.Share(area)
		if folds[0].Name != "" {
			name = folds[0].Name + ": " + name
		}
		bands, thin, drawn = append(bands, chart.Band(x, from, to, chart.Faded(color, 0x1c))), curves,
			append(drawn, folds[0].Name)
		areas = append(areas, area)
		classifiers = append(classifiers, cmp.Or(column.ClassifierOf(folds[0].Coords, folds[0].Model), folds[0].Name))
		taken, lines = append(taken, number), append(lines, chart.Line(x, y, sty).Called(name))
	}
	if lines == nil {
		return nil, nil
	}
	v := most(chart.MostSeries, len(lines), "classifiers", Led(drawn, classifiers, areas,
		values{"Positive": all.Groups[positive], "Banded": ""}))
	if lines = lines[:min(len(lines), chart.MostSeries)]; len(lines) > 1 {
		thin = nil
	}
	key := lines
	if len(lines) > mostBands {
		bands, v["Banded"] = bands[:1], drawn[0]
	}
	if v["Gray"] = max(0, len(lines)-colored); len(lines) > colored {
		key = append(slices.Clone(lines[:colored]), lines[colored].Called(label("figure.roc.others", v)))
	}
	p := chart.Panel{X: chart.Unit(label("figure.roc.x", nil)), Y: chart.Unit(label("figure.roc.y", v))}
	p.Marks = slices.Concat([]chart.Mark{chart.Diagonal(0, 1)}, bands, thin, chart.FirstOnTop(lines))
	f := chart.Plot{Rows: [][]chart.Panel{{p}}, Width: chart.Column, Height: []vg.Length{chart.Column}, Key: key}
	return Captioned(f.Figure(), "figure.roc", v), nil
}

// mostBands is how many classifiers have colors and bands in one plot: more of them hide each other. Then the first
// alone has a band, and further ones are gray, unless there is only one.
const mostBands = 4

// DrawConfusion draws the confusion matrix of a setting, by its index from 0: counts pooled over the folds, a mean over
// repeats.
func DrawConfusion(all *fold.Settings, setting int) *Chart {
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
	var cells, rows []values
	right, tested := 0.0, 0.0
	for i, g := range all.Groups {
		n := floats.Sum(counts[i])
		right, tested = right+counts[i][i], tested+n
		rows = append(rows, values{"Right": counts[i][i], "N": n, "Group": g})
		for j, h := range all.Groups {
			cells = append(cells, values{"N": counts[i][j], "True": g, "Predicted": h})
		}
	}
	divisions := len(repeats)
	if divisions == 1 {
		divisions = 0
	}
	return Captioned(chart.Confusion(all.Groups, counts), "figure.confusion", values{"Cells": cells,
		"Rows": rows, "Right": right, "Tested": tested, "Divisions": divisions, "First": folds[0].Name,
		"Rates": len(all.Groups) == 2 && len(folds) > 1})
}
