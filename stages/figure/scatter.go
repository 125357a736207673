package figure

import (
	"slices"

	"gonum.org/v1/plot/vg"

	"prgnn/stages/chart"
	"prgnn/stages/fold"
	"prgnn/stages/region"
)

// DrawPredicted draws predicted over observed numbers for each of the first models; name is what the number is
// called, over what predictions are averaged over, where participants have several. Models with one prediction in
// each fold, such as the mean, are not drawn.
func DrawPredicted(all *fold.Settings, name, over string, most int) []*Chart {
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
		axis := func(code string) chart.Axis { return chart.Axis{Label: label(code, values{"Number": name}), Most: 5} }
		p := chart.Panel{X: axis("figure.predicted.x"), Y: axis("figure.predicted.y")}
		ends := slices.Concat(observed, predicted)
		low, high := slices.Min(ends), slices.Max(ends)
		room := max(0.04*(high-low), 1e-9)
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = low-room, high+room, low-room, high+room
		p.Marks = []chart.Mark{chart.Diagonal(p.X.Min, p.X.Max),
			chart.Discs(observed, predicted, 1.6, chart.Color(max(0, series[k])))}
		f := chart.Plot{Rows: [][]chart.Panel{{p}}, Width: chart.Column, Height: []vg.Length{chart.Column}}
		charts = append(charts, Captioned(f.Figure(), "figure.predicted",
			values{"Model": region.Clip(folds[0].Name, 60),
				"N": len(observed), "Number": name, "Over": own}))
	}
	return charts
}
