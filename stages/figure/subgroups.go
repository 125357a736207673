package figure

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"

	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/draw"
	"prgnn/stages/finding"
	"prgnn/stages/region"
	"prgnn/stages/report"
)

// mostLetters of a column and a group leave space for the panels.
const mostLetters = 30

// brief are columns of the program where the words of a table are too long.
var brief = map[string]string{column.MeanFD: "mean FD", "max_fd": "largest FD"}

// DrawSubgroups is a forest plot of one classifier: accuracy and AUC of each group with their intervals; of a model of
// a number r, mean absolute error and mean error. Suppressed groups are counted, not drawn; nil where nothing is left.
func DrawSubgroups(rows []column.AnySubgroupRow) *Chart {
	type measure struct {
		key, called      string // in the catalog; in the caption
		value, low, high []float64
		x                chart.Axis
		reference        float64 // NaN for none
		of               func(r column.AnySubgroupRow) [3]float64
	}
	share := chart.Axis{Max: 1, At: []float64{0, 0.5, 1}, Names: []string{"0", "0.5", "1"}}
	nan := math.NaN()
	measures := []*measure{
		{key: "figure.subgroups.accuracy", called: "Accuracies", x: share, reference: nan,
			of: func(r column.AnySubgroupRow) [3]float64 { return [3]float64{r.Accuracy, r.Low, r.High} }},
		{key: "figure.subgroups.auc", called: "Areas", x: share, reference: 0.5,
			of: func(r column.AnySubgroupRow) [3]float64 { return [3]float64{r.AUC, r.AUCLow, r.AUCHigh} }},
		{key: "figure.subgroups.r", called: "Correlations", x: chart.Axis{Most: 4}, reference: 0,
			of: func(r column.AnySubgroupRow) [3]float64 { return [3]float64{r.R, r.RLow, r.RHigh} }},
		{key: "figure.subgroups.mae", called: "Errors", reference: nan,
			of: func(r column.AnySubgroupRow) [3]float64 { return [3]float64{r.MAE, r.MAELow, r.MAEHigh} }},
		{key: "figure.subgroups.error", called: "Biases", reference: 0,
			of: func(r column.AnySubgroupRow) [3]float64 { return [3]float64{r.Error, r.ErrorLow, r.ErrorHigh} }},
	}
	var at []float64
	var names []string
	hidden, height, before := 0, 0.0, ""
	for _, r := range rows {
		if r.Suppressed != "" {
			hidden++
			continue
		}
		if height--; before != "" && before != r.Column {
			height -= 0.6
		}
		before = r.Column
		at, names = append(at, height), append(names, fmt.Sprintf("%s, n %.0f",
			region.Clip(cmp.Or(brief[r.Column], r.Column)+": "+r.Group, mostLetters), r.N))
		for _, m := range measures {
			v := m.of(r)
			m.value, m.low, m.high = append(m.value, v[0]), append(m.low, v[1]), append(m.high, v[2])
		}
	}
	if at == nil {
		return nil
	}
	of := values{"Of": rows[0].Name, "N": len(at), "Hidden": hidden}
	y := chart.Axis{Min: height - 0.7, Max: -0.3, Bare: true, At: at, Names: names}
	blue := draw.Categories[0]
	sty := chart.Style{Color: blue, Width: 1.2}
	var panels []chart.Panel
	for _, m := range measures {
		known := column.Known(m.value)
		if of[m.called] = nil; len(known) == 0 {
			continue
		}
		of[m.called], m.x.Label = spanOf(known), label(m.key, nil)
		var marks []chart.Mark
		if !math.IsNaN(m.reference) {
			marks = append(marks, chart.Upright(m.reference, chart.Chance))
		}
		marks = append(marks, chart.Whiskers(at, m.low, m.high, sty, true), chart.Discs(m.value, at, 2.8, blue))
		panels = append(panels, chart.Panel{X: m.x, Y: y, Marks: marks})
		y = chart.Axis{Min: y.Min, Max: y.Max, Bare: true, At: []float64{}, Names: []string{}}
	}
	if span, is := of["Errors"].(finding.Span); is { // in units of the number
		ends := report.Alike(span.Low, span.High)
		if of["Errors"] = ends[0]; ends[0] != ends[1] {
			of["Errors"] = report.Between(ends[0], ends[1])
		}
	}
	plot := chart.Plot{Rows: [][]chart.Panel{panels}, Width: chart.Page,
		Height: []vg.Length{vg.Length(float64(math.Ceil(-height)*12)) + 44}, Key: []chart.Mark{}}
	return Captioned(plot.Figure(), "figure.subgroups", of)
}
