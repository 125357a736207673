package figure

import (
	"slices"

	"gonum.org/v1/plot/vg"

	"prgnn/dag"
	"prgnn/stages/chart"
	"prgnn/stages/fold"
	"prgnn/stages/region"
)

// A PredictedNumber is what a model predicts: a number, on whose residual it may have been trained and be measured.
type PredictedNumber struct {
	Name             string
	Residual, Scored bool
	R, RLow, RHigh   float64 // of the model, with its 95% interval; NaN where it is not known
	Error            string  // its mean absolute error
}

func (n PredictedNumber) values() values {
	return values{"Number": n.Name, "Residual": n.Residual, "Scored": n.Scored,
		"R": n.R, "RLow": n.RLow, "RHigh": n.RHigh, "Error": n.Error}
}

// DrawPredicted draws predicted over observed numbers for each of the first models; number is what that of a setting
// predicts, over what predictions are averaged over, where participants have several. Models with one prediction in
// each fold, such as the mean, are not drawn.
func DrawPredicted(all *fold.Settings, number func(setting []dag.Coord) PredictedNumber, over string,
	most int) []*Chart {
	var charts []*Chart
	series := seriesOf(all)
	for k, folds := range all.Settings {
		var observed, predicted []float64
		varies, own := false, "" // of each model
		for _, f := range folds {
			if len(f.Graphs) > len(f.Participants) {
				own = over
			}
			for _, c := range f.Participants {
				observed, predicted = append(observed, c.Target), append(predicted, c.Probability[0])
				varies = varies || c.Probability[0] != f.Participants[0].Probability[0]
			}
		}
		if !varies || len(charts) == most {
			continue
		}
		name := number(folds[0].Coords)
		axis := func(code string) chart.Axis { return chart.Axis{Label: label(code, name.values()), Most: 5} }
		p := chart.Panel{X: axis("figure.predicted.x"), Y: axis("figure.predicted.y")}
		ends := slices.Concat(observed, predicted)
		low, high := slices.Min(ends), slices.Max(ends)
		room := max(0.04*(high-low), 1e-9)
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = low-room, high+room, low-room, high+room
		p.Marks = []chart.Mark{chart.Diagonal(p.X.Min, p.X.Max),
			chart.Discs(observed, predicted, 1.6, chart.Color(max(0, series[k])))}
		f := chart.Plot{Rows: [][]chart.Panel{{p}}, Width: chart.Column, Height: []vg.Length{chart.Column}}
		of := name.values()
		of["Model"], of["N"], of["Over"] = region.Clip(folds[0].Name, 60), len(observed), own
		charts = append(charts, Captioned(f.Figure(), "figure.predicted", of))
	}
	return charts
}
