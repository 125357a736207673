package draw

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// TextSize is that of all text in points, in print at the width of a figure.
const TextSize = 8

// Ink is the color of text, Rule that of axes, Faint that of grids, Ground that of paper.
var (
	Ground = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	Ink    = color.NRGBA{0x22, 0x26, 0x2b, 0xff}
	Rule   = color.NRGBA{0x8a, 0x90, 0x99, 0xff}
	Faint  = color.NRGBA{0xe3, 0xe6, 0xea, 0xff}
)

// NewPlot is an empty plot in our fonts and colors. Its texts may hold anything: they
// are escaped where a format needs it.
func NewPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.TextStyle.Font, p.Title.TextStyle.Color = Sans(TextSize, true), Ink
	p.Title.Padding = vg.Points(6)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font, a.Label.TextStyle.Color = Sans(TextSize, false), Ink
		a.Tick.Label.Font, a.Tick.Label.Color = Sans(TextSize, false), Ink
		a.LineStyle.Color, a.LineStyle.Width = Rule, vg.Points(0.7)
		a.Tick.LineStyle.Color, a.Tick.LineStyle.Width = Rule, vg.Points(0.7)
		a.Tick.Length, a.Tick.Marker = vg.Points(3), Ticks{}
	}
	p.Legend.TextStyle.Font, p.Legend.TextStyle.Color = Sans(TextSize, false), Ink
	return p
}

// Style is text in our font.
func Style(size float64, bold bool) text.Style {
	return text.Style{Color: Ink, Font: Sans(size, bold), Handler: plot.DefaultTextHandler}
}

// Text writes at a point; x and y say which end of the text stands there.
func Text(c draw.Canvas, at vg.Point, s string, sty text.Style, x text.XAlignment, y text.YAlignment) {
	sty.XAlign, sty.YAlign = x, y
	c.FillText(sty, at, s)
}
