package main

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// steps are the p of the cohorts, of one test.
type steps struct {
	name string
	p    []float64
}

// picture draws the share of cohorts with a p of at most x. Evenly spread p follow the
// diagonal; the band holds 95 of 100 of them as a whole (Kolmogorov and Smirnov).
func picture(of []steps) ours.Figure {
	f := ours.Figure{Width: 130 * vg.Millimeter, Height: 115 * vg.Millimeter}
	f.Paint = func(c draw.Canvas) {
		p := ours.NewPlot("", "p", "share of the cohorts")
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
		p.Add(paint(func(c draw.Canvas, p *plot.Plot) {
			x, y := p.Transforms(&c)
			half := 1.36 / math.Sqrt(float64(len(of[0].p)))
			var band []vg.Point
			for _, corner := range [][2]float64{{0, 0}, {0, half}, {1 - half, 1}, {1, 1}, {1, 1 - half}, {half, 0}} {
				band = append(band, vg.Point{X: x(corner[0]), Y: y(corner[1])})
			}
			c.FillPolygon(ours.Faint, band)
			c.StrokeLine2(draw.LineStyle{Color: ours.Rule, Width: 1}, x(0), y(0), x(1), y(1))
			for k, s := range of {
				at := slices.Sorted(slices.Values(s.p))
				line := []vg.Point{{X: x(0), Y: y(0)}}
				for i, v := range at {
					line = append(line, vg.Point{X: x(v), Y: y(float64(i) / float64(len(at)))},
						vg.Point{X: x(v), Y: y(float64(i+1) / float64(len(at)))})
				}
				c.StrokeLines(style(k), append(line, vg.Point{X: x(1), Y: y(1)}))
			}
		}))
		foot := vg.Length(12*len(of)) + 8
		p.Draw(draw.Crop(c, 2, -8, foot, -4))
		for k, s := range of {
			at := vg.Point{X: c.Min.X + 36, Y: c.Min.Y + foot - 10 - vg.Length(12*k)}
			c.StrokeLine2(style(k), at.X, at.Y, at.X+18, at.Y)
			ours.Text(c, vg.Point{X: at.X + 23, Y: at.Y}, s.name, ours.Style(ours.TickSize, false),
				draw.XLeft, draw.YCenter)
		}
	}
	return f
}

func style(k int) draw.LineStyle {
	return draw.LineStyle{Color: ours.Categories[k%len(ours.Categories)], Width: 1.3,
		Dashes: [][]vg.Length{nil, {4, 2}, {1, 1.5}, {6, 2, 1, 2}}[k%4]}
}

// paint lets a function be a plotter.
type paint func(draw.Canvas, *plot.Plot)

func (f paint) Plot(c draw.Canvas, p *plot.Plot) { f(c, p) }
