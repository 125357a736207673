package main

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"prgnn/stages/chart"
	"prgnn/stages/draw"
)

// steps are the p of the cohorts, of one test.
type steps struct {
	name string
	p    []float64
}

// picture draws the share of cohorts with a p of at most x. Evenly spread p follow the
// diagonal; the band holds 95 of 100 of them as a whole (Kolmogorov and Smirnov).
func picture(of []steps) draw.Figure {
	half := 1.36 / math.Sqrt(float64(len(of[0].p)))
	marks := []chart.Mark{chart.Band([]float64{0, half, 1 - half, 1}, []float64{0, 0, 1 - 2*half, 1 - half},
		[]float64{half, 2 * half, 1, 1}, draw.Faint), chart.Diagonal(0, 1)}
	for k, s := range of {
		x, y := []float64{0}, []float64{0}
		for i, v := range slices.Sorted(slices.Values(s.p)) {
			x, y = append(x, v, v), append(y, float64(i)/float64(len(s.p)), float64(i+1)/float64(len(s.p)))
		}
		marks = append(marks, chart.Line(append(x, 1), append(y, 1), chart.Group(k, 1.3)).Called(s.name))
	}
	p := chart.Panel{X: chart.Unit("p"), Y: chart.Unit("share of the cohorts"), Marks: marks, Blank: true}
	return chart.Plot{Rows: [][]chart.Panel{{p}}, Width: 130 * vg.Millimeter,
		Height: []vg.Length{110 * vg.Millimeter}}.Figure()
}
