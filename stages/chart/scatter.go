package chart

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// Scatter draws predicted over observed numbers on one scale, with the line on which they are equal.
func Scatter(observed, predicted []float64, name string, series int) ours.Figure {
	f := ours.Figure{Width: column, Height: column}
	f.Paint = func(c draw.Canvas) {
		p := ours.NewPlot("", "observed "+name, "predicted "+name)
		low := math.Min(slices.Min(observed), slices.Min(predicted))
		high := math.Max(slices.Max(observed), slices.Max(predicted))
		room := max(0.04*(high-low), 1e-9)
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = low-room, high+room, low-room, high+room
		p.X.Tick.Marker, p.Y.Tick.Marker = ours.Ticks{Most: 5}, ours.Ticks{Most: 5}
		p.Add(paintOn(grid), paintOn(func(c draw.Canvas, p *plot.Plot) {
			x, y := p.Transforms(&c)
			c.StrokeLine2(chanceLine, x(p.X.Min), y(p.Y.Min), x(p.X.Max), y(p.Y.Max))
			dot := draw.GlyphStyle{Color: Series(series, 1).Color, Radius: 1.6, Shape: draw.CircleGlyph{}}
			for i, v := range observed {
				c.DrawGlyph(dot, vg.Point{X: x(v), Y: y(predicted[i])})
			}
		}))
		p.Draw(draw.Crop(c, 2, -8, 2, -4))
	}
	return f
}
