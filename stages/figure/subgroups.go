package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"

	"prgnn/stages/chart"
	"prgnn/stages/column"
	"prgnn/stages/draw"
	"prgnn/stages/region"
)

// mostLetters of a column and a group leave space for the panels.
const mostLetters = 30

// DrawSubgroups is a forest plot of one classifier: accuracy and AUC of each group with their intervals. Suppressed
// groups are counted, not drawn; nil where nothing is left.
func DrawSubgroups(rows []column.SubgroupRow) *Chart {
	var at, value, low, high, area, areaLow, areaHigh []float64
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
			region.Clip(r.Column+": "+r.Group, mostLetters), r.N))
		value, low, high = append(value, r.Accuracy), append(low, r.Low), append(high, r.High)
		area, areaLow, areaHigh = append(area, r.AUC), append(areaLow, r.AUCLow), append(areaHigh, r.AUCHigh)
	}
	if at == nil {
		return nil
	}
	of := values{"Of": rows[0].Name, "N": len(at), "Hidden": hidden, "Accuracies": spanOf(value), "Areas": nil}
	if known := column.Known(area); len(known) > 0 {
		of["Areas"] = spanOf(known)
	}
	y := chart.Axis{Min: height - 0.7, Max: -0.3, Bare: true, At: at, Names: names}
	blue := draw.Categories[0]
	sty := chart.Style{Color: blue, Width: 1.2}
	panel := func(measure string, y chart.Axis, value, low, high []float64) chart.Panel {
		x := chart.Axis{Label: label(measure, nil), Max: 1, At: []float64{0, 0.5, 1}, Names: []string{"0", "0.5", "1"}}
		return chart.Panel{X: x, Y: y, Marks: []chart.Mark{chart.Whiskers(at, low, high, sty, true),
			chart.Discs(value, at, 2.8, blue)}}
	}
	bare := chart.Axis{Min: y.Min, Max: y.Max, Bare: true, At: []float64{}, Names: []string{}}
	panels := []chart.Panel{panel("figure.subgroups.accuracy", y, value, low, high)}
	if len(column.Known(area)) > 0 {
		other := panel("figure.subgroups.auc", bare, area, areaLow, areaHigh)
		other.Marks = append([]chart.Mark{chart.Upright(0.5, chart.Chance)}, other.Marks...)
		panels = append(panels, other)
	}
	plot := chart.Plot{Rows: [][]chart.Panel{panels}, Width: chart.Page,
		Height: []vg.Length{vg.Length(float64(math.Ceil(-height)*12)) + 44}, Key: []chart.Mark{}}
	return Captioned(plot.Figure(), "figure.subgroups", of)
}
