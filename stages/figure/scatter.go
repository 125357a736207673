package figure

import (
	"prgnn/stages/chart"
	"prgnn/stages/fold"
	"prgnn/stages/region"
)

// DrawPredicted draws predicted over observed numbers for each of the first models; name is what the number is called.
// Models with one prediction in each fold, such as the mean, are not drawn.
func DrawPredicted(all *fold.Settings, name string, most int) []*Chart {
	var charts []*Chart
	series := seriesOf(all)
	for k, folds := range all.Settings {
		var observed, predicted []float64
		varies, draws := false, false
		for _, f := range folds {
			draws = draws || len(f.Graphs) > len(f.Participants)
			for _, c := range f.Participants {
				observed, predicted = append(observed, c.Target), append(predicted, c.Probability[0])
				varies = varies || c.Probability[0] != f.Participants[0].Probability[0]
			}
		}
		if !varies || len(charts) == most {
			continue
		}
		charts = append(charts, Captioned(chart.Scatter(observed, predicted, name, max(0, series[k])), "figure.predicted",
			values{"Model": region.Clip(folds[0].Name, 60), "N": len(observed), "Number": name, "Draws": draws}))
	}
	return charts
}
