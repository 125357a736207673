package chart

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

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
	return ours.Figure{Width: 120 * vg.Millimeter, Height: 75 * vg.Millimeter,
		Paint: paintTrends(steps, axis, "share", 1, true, of)}
}

// paintTrends draws values between 0 and top; joined draws a line from step to step.
func paintTrends(steps []string, axis, label string, top float64, joined bool, of []Trend) func(draw.Canvas) {
	return func(c draw.Canvas) {
		p := ours.NewPlot("", axis, label)
		at := make([]float64, len(steps))
		for i := range steps {
			at[i] = float64(i)
		}
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.4, float64(len(steps))-0.6, 0, top
		p.X.Tick.Marker = ticks(at, steps)
		var signs []sign
		p.Add(paintOn(grid))
		for k, t := range of {
			style := draw.LineStyle{Color: ours.Categories[k%len(ours.Categories)], Width: 1.6,
				Dashes: dashes[k%len(dashes)]}
			shift := 0.05 * (float64(k) - float64(len(of)-1)/2) // intervals side by side
			p.Add(paintOn(func(c draw.Canvas, p *plot.Plot) {
				x, y := p.Transforms(&c)
				if !math.IsNaN(t.Chance) {
					c.StrokeLine2(draw.LineStyle{Color: style.Color, Width: 0.8, Dashes: []vg.Length{1, 2}}, c.Min.X,
						y(t.Chance), c.Max.X, y(t.Chance))
				}
				var line []vg.Point
				for i, v := range t.Value {
					if math.IsNaN(v) {
						continue
					}
					here := vg.Point{X: x(float64(i) + shift), Y: y(v)}
					line = append(line, here)
					if !math.IsNaN(t.Low[i] + t.High[i]) {
						c.StrokeLine2(draw.LineStyle{Color: style.Color, Width: 1}, here.X, y(t.Low[i]), here.X,
							y(t.High[i]))
					}
					c.DrawGlyph(draw.GlyphStyle{Color: style.Color, Radius: 2.6, Shape: draw.CircleGlyph{}}, here)
				}
				if joined {
					c.StrokeLines(style, line)
				}
			}))
			signs = append(signs, sign{t.Name, stroke(style)})
		}
		width := c.Max.X - c.Min.X - 40
		lines := signLines(signs, width)
		p.Draw(draw.Crop(c, 2, -8, vg.Length(11*lines)+8, -4))
		drawSigns(c, vg.Point{X: c.Min.X + 34, Y: c.Min.Y + vg.Length(11*lines) - 2}, width, signs)
	}
}
