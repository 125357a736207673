package figure

import (
	"fmt"

	"prgnn/internal/words"
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
		varies, drawn := false, ""
		for _, f := range folds {
			if len(f.Graphs) > len(f.Participants) {
				drawn = " (mean over the draws)"
			}
			for _, c := range f.Participants {
				observed, predicted = append(observed, c.Target), append(predicted, c.Probability[0])
				varies = varies || c.Probability[0] != f.Participants[0].Probability[0]
			}
		}
		if !varies || len(charts) == most {
			continue
		}
		title := region.Clip(folds[0].Name, 60)
		charts = append(charts, &Chart{Figure: chart.Scatter(observed, predicted, name, max(0, series[k])),
			Title: title,
			Alt:   fmt.Sprintf("A dot for %s of %s: predicted over observed %s, with the line on which they are equal", words.Each(len(observed), "test participant"), title, name),
			Caption: fmt.Sprintf("Predicted %s of each test participant%s over the observed one, participants of all folds pooled. Dashed: predicted and observed are equal.",
				name, drawn)})
	}
	return charts
}
