package chart

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// A Row is one line of Dots.
type Row struct {
	Name      string
	Value     float64
	Low, High float64 // its interval; NaN when not known
	Chance    float64 // what chance gives; NaN when not known
	Hollow    bool    // not to be told from chance
	Ring      bool
	Series    int // of a classifier, −1 for the majority classifier; otherwise 0, which is blue
}

// Dots are values with their intervals, a row each, the first at the top.
type Dots struct {
	Title, Axis string
	Rows        []Row
	Interval    string  // what the intervals are, for the key
	Ring        string  // what a ring means
	Filled      string  // what sets filled dots apart from hollow ones
	Mark        float64 // a dashed line, such as what guessing gives; NaN for none
	MarkName    string
}

// dotRow is the height of a row.
const dotRow = 12

func (d Dots) Figure() ours.Figure {
	ring, interval, chance, hollow := false, false, false, false
	low, high := math.Inf(1), math.Inf(-1)
	names, named := ours.Style(ours.TickSize, false), vg.Length(0)
	for _, r := range d.Rows {
		named = max(named, names.Width(r.Name))
		ring, interval = ring || r.Ring, interval || !math.IsNaN(r.Low+r.High)
		chance, hollow = chance || !math.IsNaN(r.Chance), hollow || r.Hollow
		for _, v := range []float64{r.Value, r.Low, r.High, r.Chance} {
			if !math.IsNaN(v) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if !math.IsNaN(d.Mark) {
		low, high = min(low, d.Mark), max(high, d.Mark)
	}
	blue := ours.Categories[0]
	var signs []sign
	if interval {
		line := draw.LineStyle{Color: blue, Width: 1.2}
		if slices.ContainsFunc(d.Rows, func(r Row) bool { return r.Series != d.Rows[0].Series }) {
			line.Color = ours.Ink // of all colors
		}
		signs = append(signs, sign{d.Interval, stroke(line)})
	}
	if ring {
		signs = append(signs, sign{d.Ring, dot(ours.Categories[2], 4.6, draw.RingGlyph{})})
	}
	if hollow {
		signs = append(signs, sign{d.Filled, dot(blue, 2.8, draw.CircleGlyph{})})
	}
	if chance {
		signs = append(signs, sign{"95th percentile by chance", func(c draw.Canvas, at vg.Point) {
			c.StrokeLine2(draw.LineStyle{Color: ours.Ink, Width: 1}, at.X+7, at.Y-3.5, at.X+7, at.Y+3.5)
		}})
	}
	if !math.IsNaN(d.Mark) {
		signs = append(signs, sign{d.MarkName, stroke(chanceLine)})
	}
	lines := signLines(signs, column-24)
	foot := vg.Length(lines)*11 + 6
	f := ours.Figure{Width: column, Height: vg.Length(len(d.Rows))*dotRow + 40 + foot}
	if named > column/2 { // else hardly any room would be left for the values
		f.Width = named + 0.7*column
	}
	if d.Title != "" {
		f.Height += 18
	}
	f.Paint = func(c draw.Canvas) {
		p := ours.NewPlot(d.Title, d.Axis, "")
		if low <= high {
			margin := 0.06 * max(high-low, 1e-6)
			p.X.Min, p.X.Max = low-margin, high+margin
		}
		p.Y.Min, p.Y.Max = -0.6, float64(len(d.Rows))-0.4
		var at []float64
		var names []string
		for i, r := range d.Rows {
			at, names = append(at, float64(len(d.Rows)-1-i)), append(names, r.Name)
		}
		p.Y.Tick.Marker = ticks(at, names)
		p.Y.Tick.Length, p.Y.LineStyle.Width = 0, 0
		p.Add(paintOn(grid), paintOn(func(c draw.Canvas, p *plot.Plot) { d.paint(c, p) }))
		p.Draw(draw.Crop(c, 2, -10, foot, -4))
		drawSigns(c, vg.Point{X: c.Min.X + 12, Y: c.Min.Y + foot - 8}, column-24, signs)
	}
	return f
}

func (d Dots) paint(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	if !math.IsNaN(d.Mark) {
		c.StrokeLine2(chanceLine, x(d.Mark), c.Min.Y, x(d.Mark), c.Max.Y)
	}
	for i, r := range d.Rows {
		level := y(float64(len(d.Rows) - 1 - i))
		if !math.IsNaN(r.Chance) {
			c.StrokeLine2(draw.LineStyle{Color: ours.Ink, Width: 1}, x(r.Chance), level-3.5, x(r.Chance), level+3.5)
		}
		if !math.IsNaN(r.Low) && !math.IsNaN(r.High) {
			bar := draw.LineStyle{Color: seriesColor(r.Series), Width: vg.Points(1.2)}
			c.StrokeLine2(bar, x(r.Low), level, x(r.High), level)
			c.StrokeLine2(bar, x(r.Low), level-2, x(r.Low), level+2)
			c.StrokeLine2(bar, x(r.High), level-2, x(r.High), level+2)
		}
		if math.IsNaN(r.Value) {
			continue
		}
		here := vg.Point{X: x(r.Value), Y: level}
		if r.Ring {
			dot(ours.Categories[2], 4.6, draw.RingGlyph{})(c, vg.Point{X: here.X - 7, Y: level})
		}
		dot(seriesColor(r.Series), 2.8, draw.CircleGlyph{})(c, vg.Point{X: here.X - 7, Y: level})
		if r.Hollow {
			c.DrawGlyph(draw.GlyphStyle{Color: ours.Ground, Radius: 1.7, Shape: draw.CircleGlyph{}}, here)
		}
	}
}
