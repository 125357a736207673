package figure

import (
	"slices"

	"gonum.org/v1/plot/vg"

	"prgnn/internal/lists"
	"prgnn/stages/chart"
	"prgnn/stages/column"
)

// mostCurves is how many learning curves a figure has.
const mostCurves = 6

// DrawLearning draws performance over the number of training participants: the mean at each size ± SE, the fitted curve
// with its band, dashed beyond the training participants of a fold. page are the classifiers of the page. nil without
// points.
func DrawLearning(rows []column.LearningRow, points []column.CurvePointRow, curve []column.CurveRow,
	page []string) *Chart {
	if len(points) == 0 {
		return nil
	}
	series := seriesAmong(lists.Map(rows, func(r column.LearningRow) string { return r.Name }), page)
	var bands, marks, key []chart.Mark
	for k, r := range rows[:min(len(rows), mostCurves)] {
		color := chart.Color(series[k])
		var n, value, low, high []float64
		for _, p := range points {
			if p.Name == r.Name {
				n, value = append(n, p.N), append(value, p.Value)
				low, high = append(low, p.Value-p.SE), append(high, p.Value+p.SE)
			}
		}
		var at, by, from, to, beyond, byBeyond []float64
		for _, c := range curve {
			if c.Name != r.Name {
				continue
			}
			at, from, to = append(at, c.N), append(from, c.Low), append(to, c.High)
			if by = append(by, c.Value); c.Beyond {
				if beyond == nil && len(at) > 1 { // it goes on from the last place before
					beyond, byBeyond = append(beyond, at[len(at)-2]), append(byBeyond, by[len(by)-2])
				}
				beyond, byBeyond = append(beyond, c.N), append(byBeyond, c.Value)
			}
		}
		within := len(at) - max(0, len(beyond)-1)
		band := chart.Band(at, from, to, chart.Faded(color, 30))
		band.Y = slices.Concat(from, to)
		bands = append(bands, band)
		line := chart.Style{Color: color, Width: 1.4}
		dashed := chart.Style{Color: color, Width: 1.4, Dashes: []vg.Length{4, 3}}
		marks = append(marks, chart.Line(at[:within], by[:within], line), chart.Line(beyond, byBeyond, dashed),
			chart.Whiskers(n, low, high, chart.Style{Color: color, Width: 1}, false), chart.Discs(n, value, 2.6, color))
		key = append(key, chart.Line(nil, nil, line).Called(r.Name))
	}
	of := values{"N": min(len(rows), mostCurves), "Measure": rows[0].Measure, "Fitted": len(curve) > 0,
		"Trained": rows[0].N, "Name": rows[0].Name, "Value": rows[0].Value, "Least": rows[0].Least,
		"Smallest": rows[0].Value - rows[0].Rise}
	most(min(len(rows), mostCurves), len(rows), "classifiers", of)
	target := chart.Across(rows[0].Target, chart.Chance)
	plot := chart.Plot{Rows: [][]chart.Panel{{{X: chart.Axis{Label: label("figure.learning.x", nil), Whole: true},
		Y: chart.Axis{Label: label("learning.measure", rows[0])}, Marks: append(append(bands, target), marks...)}}},
		Width: chart.Column, Height: []vg.Length{66 * vg.Millimeter}, Key: key}
	return Captioned(plot.Figure(), "figure.learning", of)
}
