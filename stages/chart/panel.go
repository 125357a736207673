package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// Widths of figures in print.
const (
	column = 88 * vg.Millimeter
	page   = 180 * vg.Millimeter
)

// paintOn is a plotter that is a function.
type paintOn func(draw.Canvas, *plot.Plot)

func (f paintOn) Plot(c draw.Canvas, p *plot.Plot) { f(c, p) }

// faded is a color that lets others through.
func faded(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

// tiles divides a canvas into equal parts, the first row at the top.
func tiles(c draw.Canvas, rows, columns int, gap vg.Length) [][]draw.Canvas {
	t := draw.Tiles{Rows: rows, Cols: columns, PadX: gap, PadY: gap, PadTop: 4, PadBottom: 2, PadLeft: 2, PadRight: 8}
	all := make([][]draw.Canvas, rows)
	for i := range all {
		for j := range columns {
			all[i] = append(all[i], t.At(c, j, i))
		}
	}
	return all
}

// key writes a legend in a line: a short stroke and a word for each, from the left.
func key(c draw.Canvas, at vg.Point, words []string, strokes []draw.LineStyle) {
	sty := ours.Style(ours.TickSize, false)
	for i, w := range words {
		c.StrokeLine2(strokes[i], at.X, at.Y, at.X+14, at.Y)
		ours.Text(c, vg.Point{X: at.X + 18, Y: at.Y}, w, sty, draw.XLeft, draw.YCenter)
		at.X += 18 + sty.Width(w) + 14
	}
}

// A sign is one entry of a key: a word, and what is drawn in the 14 points before it.
type sign struct {
	word string
	draw func(c draw.Canvas, at vg.Point)
}

func stroke(sty draw.LineStyle) func(draw.Canvas, vg.Point) {
	return func(c draw.Canvas, at vg.Point) { c.StrokeLine2(sty, at.X, at.Y, at.X+14, at.Y) }
}

func dot(col color.NRGBA, radius vg.Length, shape draw.GlyphDrawer) func(draw.Canvas, vg.Point) {
	return func(c draw.Canvas, at vg.Point) {
		c.DrawGlyph(draw.GlyphStyle{Color: col, Radius: radius, Shape: shape}, vg.Point{X: at.X + 7, Y: at.Y})
	}
}

// signPlaces are the places of the signs in lines of a width, from the upper left, and
// the number of lines.
func signPlaces(signs []sign, width vg.Length) (at []vg.Point, lines int) {
	sty := ours.Style(ours.TickSize, false)
	var x vg.Length
	lines = min(len(signs), 1)
	for _, s := range signs {
		w := 18 + sty.Width(s.word)
		if x > 0 && x+w > width {
			x = 0
			lines++
		}
		at = append(at, vg.Point{X: x, Y: -vg.Length(lines-1) * 11})
		x += w + 14
	}
	return at, lines
}

func signLines(signs []sign, width vg.Length) int {
	_, lines := signPlaces(signs, width)
	return lines
}

// drawSigns writes a key; at is the middle of its first line's left end.
func drawSigns(c draw.Canvas, at vg.Point, width vg.Length, signs []sign) {
	places, _ := signPlaces(signs, width)
	for i, s := range signs {
		here := vg.Point{X: at.X + places[i].X, Y: at.Y + places[i].Y}
		s.draw(c, here)
		ours.Text(c, vg.Point{X: here.X + 18, Y: here.Y}, s.word, ours.Style(ours.TickSize, false),
			draw.XLeft, draw.YCenter)
	}
}

// grid is a set of faint lines at the marked ticks of the axes.
func grid(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	line := draw.LineStyle{Color: ours.Faint, Width: vg.Points(0.5)}
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if t.Label != "" && t.Value >= p.X.Min && t.Value <= p.X.Max {
			c.StrokeLine2(line, x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
		}
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if t.Label != "" && t.Value >= p.Y.Min && t.Value <= p.Y.Max {
			c.StrokeLine2(line, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
		}
	}
}

// ticks are at these values, with their labels.
func ticks(values []float64, labels []string) plot.ConstantTicks {
	t := make(plot.ConstantTicks, len(values))
	for i, v := range values {
		t[i] = plot.Tick{Value: v, Label: labels[i]}
	}
	return t
}
