package chart

import (
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// A Reliability is the calibration of one classifier: the bins that hold participants.
type Reliability struct {
	Name   string // in the key, with its Brier score
	Series int
	Bins   []ReliabilityBin
}

// A ReliabilityBin holds participants whose predicted probabilities are alike.
type ReliabilityBin struct {
	Mean, Share float64 // predicted probability; share of positive participants
	N           int
}

// Calibration draws reliability curves over the number of participants in each bin.
func Calibration(of []Reliability, positive string) ours.Figure {
	var signs []sign
	most := 1
	for _, r := range of {
		signs = append(signs, sign{r.Name, stroke(Series(r.Series, 1.8))})
		for _, b := range r.Bins {
			most = max(most, b.N)
		}
	}
	lines := vg.Length(signLines(signs, column-16)) * 11
	const counts = 72
	f := ours.Figure{Width: column, Height: column + counts + lines}
	f.Paint = func(c draw.Canvas) {
		p := unitSquare("", "share of "+positive)
		fifths := []float64{0, 0.2, 0.4, 0.6, 0.8, 1}
		p.X.Tick.Marker = ticks(fifths, strings.Split(strings.Repeat("\u00a0", 6), "")) // the labels stand below
		p.Add(paintOn(grid), paintOn(func(c draw.Canvas, p *plot.Plot) {
			x, y := p.Transforms(&c)
			c.StrokeLine2(chanceLine, x(0), y(0), x(1), y(1))
			for i := len(of) - 1; i >= 0; i-- { // the first on top
				sty := Series(of[i].Series, 1.5)
				var line []vg.Point
				for _, b := range of[i].Bins {
					line = append(line, vg.Point{X: x(b.Mean), Y: y(b.Share)})
				}
				c.StrokeLines(sty, line)
				for _, at := range line {
					c.DrawGlyph(draw.GlyphStyle{Color: sty.Color, Radius: 2.4, Shape: draw.CircleGlyph{}}, at)
				}
			}
		}))
		n := unitSquare("predicted probability of "+positive, "participants")
		n.Y.Max = 1.08 * float64(most)
		n.Y.Tick.Marker = spaced{ours.Ticks{Most: 3}}
		n.Add(paintOn(grid), paintOn(func(c draw.Canvas, p *plot.Plot) {
			x, y := p.Transforms(&c)
			for i := len(of) - 1; i >= 0; i-- {
				sty := Series(of[i].Series, 1.2)
				for _, b := range of[i].Bins {
					top := vg.Point{X: x(b.Mean), Y: y(float64(b.N))}
					c.StrokeLine2(draw.LineStyle{Color: sty.Color, Width: 1}, top.X, y(0), top.X, top.Y)
					c.DrawGlyph(draw.GlyphStyle{Color: sty.Color, Radius: 2, Shape: draw.CircleGlyph{}}, top)
				}
			}
		}))
		p.Draw(draw.Crop(c, 2, -8, lines+counts, -4))
		n.Draw(draw.Crop(c, 2, -8, 2+lines, -(column + 2)))
		drawSigns(c, vg.Point{X: c.Min.X + 12, Y: c.Min.Y + lines - 5}, column-16, signs)
	}
	return f
}

// spaced puts a blank before labels: two digits are then as wide as those of a share (0.2), and both plots begin at
// the same place.
type spaced struct{ plot.Ticker }

func (s spaced) Ticks(low, high float64) []plot.Tick {
	all := s.Ticker.Ticks(low, high)
	for i := range all {
		if all[i].Label != "" {
			all[i].Label = "\u00a0" + all[i].Label // XML drops a leading blank
		}
	}
	return all
}
