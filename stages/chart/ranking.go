package chart

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// A Region is a row of a ranking.
type Region struct {
	Name      string
	Score     float64
	Low, High float64 // 95 % interval; NaN when not known
	Planted   bool    // a difference was planted there
}

// Ranking draws the first regions with their scores and intervals, the most salient at
// the top. Planted ones have a ring.
func Ranking(title string, rows []Region, interval string) ours.Figure {
	planted := false
	low, high := math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		planted = planted || r.Planted
		for _, v := range []float64{r.Score, r.Low, r.High} {
			if !math.IsNaN(v) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	const foot = 18
	f := ours.Figure{Width: 120 * vg.Millimeter, Height: vg.Length(len(rows))*12 + 52 + foot}
	f.Paint = func(c draw.Canvas) {
		p := ours.NewPlot(title, "pooling score", "")
		if low <= high {
			margin := 0.06 * max(high-low, 1e-6)
			p.X.Min, p.X.Max = low-margin, high+margin
		}
		p.Y.Min, p.Y.Max = -0.6, float64(len(rows))-0.4
		var at []float64
		var names []string
		for i, r := range rows {
			at, names = append(at, float64(len(rows)-1-i)), append(names, r.Name)
		}
		p.Y.Tick.Marker = ticks(at, names)
		p.Y.Tick.Length, p.Y.LineStyle.Width = 0, 0
		p.Add(paintOn(grid), paintOn(func(c draw.Canvas, p *plot.Plot) {
			x, y := p.Transforms(&c)
			for i, r := range rows {
				level := y(float64(len(rows) - 1 - i))
				if !math.IsNaN(r.Low) && !math.IsNaN(r.High) {
					bar := draw.LineStyle{Color: ours.Categories[0], Width: vg.Points(1.2)}
					c.StrokeLine2(bar, x(r.Low), level, x(r.High), level)
					c.StrokeLine2(bar, x(r.Low), level-2, x(r.Low), level+2)
					c.StrokeLine2(bar, x(r.High), level-2, x(r.High), level+2)
				}
				if math.IsNaN(r.Score) {
					continue
				}
				if r.Planted {
					c.DrawGlyph(draw.GlyphStyle{Color: ours.Categories[2], Radius: 4.6, Shape: draw.RingGlyph{}}, vg.Point{X: x(r.Score), Y: level})
				}
				c.DrawGlyph(draw.GlyphStyle{Color: ours.Categories[0], Radius: 2.8, Shape: draw.CircleGlyph{}}, vg.Point{X: x(r.Score), Y: level})
			}
		}))
		p.Draw(draw.Crop(c, 2, -10, foot, -4))
		words, strokes := []string{interval}, []draw.LineStyle{{Color: ours.Categories[0], Width: 1.2}}
		if interval == "" {
			words, strokes = nil, nil
		}
		if planted {
			words, strokes = append(words, "ring: planted"), append(strokes, draw.LineStyle{Color: ours.Categories[2], Width: 2})
		}
		key(c, vg.Point{X: c.Min.X + 20, Y: c.Min.Y + 8}, words, strokes)
	}
	return f
}
