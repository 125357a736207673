package chart

import (
	"math"

	"gonum.org/v1/plot/vg"

	ours "prgnn/stages/draw"
)

// A Trend is a value with its interval at each step, NaN where there is none; Chance is
// a dotted line, NaN for none.
type Trend struct {
	Name             string
	Value, Low, High []float64
	Chance           float64
}

// Trends draws shares between 0 and 1 over steps that have names.
func Trends(steps []string, axis string, of []Trend) ours.Figure {
	return Plot{Rows: [][]Panel{{trends(steps, axis, Axis{Label: "share", Max: 1}, true, of)}},
		Width: Column, Height: []vg.Length{64 * vg.Millimeter}}.Figure()
}

// trends has values with their intervals; joined draws a line from step to step.
func trends(steps []string, axis string, y Axis, joined bool, of []Trend) Panel {
	p := Panel{X: Axis{Label: axis, Min: -0.4, Max: float64(len(steps)) - 0.6, Names: steps}, Y: y}
	for i := range steps {
		p.X.At = append(p.X.At, float64(i))
	}
	for k, t := range of {
		style := Group(k, 1.6)
		color := ours.Categories[k%len(ours.Categories)]
		var x, at, value []float64 // also of those that have a value: lines go on
		for i, v := range t.Value {
			x = append(x, float64(i)+0.05*(float64(k)-float64(len(of)-1)/2)) // intervals side by side
			if !math.IsNaN(v) {
				at, value = append(at, x[i]), append(value, v)
			}
		}
		if !math.IsNaN(t.Chance) {
			p.Marks = append(p.Marks, Across(t.Chance, Style{Color: color, Width: 0.8, Dashes: []vg.Length{1, 2}}))
		}
		p.Marks = append(p.Marks, Whiskers(x, t.Low, t.High, Style{Color: color, Width: 1}, false),
			Discs(at, value, 2.6, color))
		line := Line(at, value, style).Called(t.Name)
		if !joined {
			line = Line(nil, nil, style).Called(t.Name)
		}
		p.Marks = append(p.Marks, line)
	}
	return p
}
