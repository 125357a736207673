package chart

import (
	"image"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// Widths of figures in print.
const (
	Column = 85 * vg.Millimeter
	Page   = 180 * vg.Millimeter
)

// A Plot describes a figure: panels row by row, and one key of all their marks below.
type Plot struct {
	Rows   [][]Panel
	Width  vg.Length
	Height []vg.Length // of each row; the last one also of the rows behind it
	Key    []Mark      // nil: the named marks of the panels, each name once
}

// A Panel has marks over two axes, the first one at the back.
type Panel struct {
	Title string
	X, Y  Axis
	Marks []Mark
	Blank bool // no grid
}

// An Axis goes from Min to Max; if these are equal, over what the marks hold.
type Axis struct {
	Label    string
	Min, Max float64
	Zero     bool      // from 0, with Min and Max equal
	At       []float64 // ticks, with their Names; nil: chosen
	Names    []string
	Most     int  // ticks
	Whole    bool // ticks at whole numbers
	Bare     bool // no line
}

// Unit is the axis of a share.
func Unit(label string) Axis {
	return Axis{Label: label, Max: 1, At: []float64{0, 0.2, 0.4, 0.6, 0.8, 1}, Names: []string{"0", "0.2",
		"0.4", "0.6", "0.8", "1"}}
}

// A Mark is something in a panel, in the units of its axes.
type Mark struct {
	Name  string    // in the key; "" is not there
	X, Y  []float64 // what the axes have to hold; NaN counts for nothing
	Paint func(c draw.Canvas, x, y func(float64) vg.Length)
	sign  func(c draw.Canvas, at vg.Point) // its part of the key, in the 14 points behind the place
}

// Called gives a mark a name in the key.
func (m Mark) Called(name string) Mark {
	m.Name = name
	return m
}

// A Style is that of a line.
type Style = draw.LineStyle

// Line joins points; a missing one interrupts it.
func Line(x, y []float64, sty Style) Mark {
	return Mark{X: x, Y: y, sign: stroke(sty), Paint: func(c draw.Canvas, atX, atY func(float64) vg.Length) {
		var line []vg.Point
		for i := range x {
			if math.IsNaN(x[i] + y[i]) {
				c.StrokeLines(sty, line)
				line = nil
				continue
			}
			line = append(line, vg.Point{X: atX(x[i]), Y: atY(y[i])})
		}
		c.StrokeLines(sty, line)
	}}
}

// Diagonal is where x and y are equal.
func Diagonal(from, to float64) Mark { return Line([]float64{from, to}, []float64{from, to}, Chance) }

// FirstOnTop are marks in reverse order.
func FirstOnTop(marks []Mark) []Mark {
	marks = slices.Clone(marks)
	slices.Reverse(marks)
	return marks
}

// Across is a line from edge to edge, at a height.
func Across(at float64, sty Style) Mark {
	return Mark{Y: []float64{at}, sign: stroke(sty), Paint: func(c draw.Canvas, _, y func(float64) vg.Length) {
		c.StrokeLine2(sty, c.Min.X, y(at), c.Max.X, y(at))
	}}
}

// Upright is a line from the lower to the upper edge.
func Upright(at float64, sty Style) Mark {
	return Mark{X: []float64{at}, sign: stroke(sty), Paint: func(c draw.Canvas, x, _ func(float64) vg.Length) {
		c.StrokeLine2(sty, x(at), c.Min.Y, x(at), c.Max.Y)
	}}
}

// Band fills what lies between two lines, within the panel; missing points are left out.
func Band(x, low, high []float64, fill color.NRGBA) Mark {
	return Mark{Paint: func(c draw.Canvas, atX, atY func(float64) vg.Length) {
		var edge []vg.Point
		add := func(i int, y []float64) {
			if !math.IsNaN(low[i] + high[i]) {
				edge = append(edge, vg.Point{X: atX(x[i]), Y: min(max(atY(y[i]), c.Min.Y), c.Max.Y)})
			}
		}
		for i := range x {
			add(i, low)
		}
		for i := range slices.Backward(x) {
			add(i, high)
		}
		if edge != nil {
			c.FillPolygon(fill, edge)
		}
	}}
}

// Discs are discs of a radius in points.
func Discs(x, y []float64, radius vg.Length, fill color.NRGBA) Mark {
	return glyphs(x, y, radius, fill, draw.CircleGlyph{})
}

// Circles are rings.
func Circles(x, y []float64, radius vg.Length, fill color.NRGBA) Mark {
	return glyphs(x, y, radius, fill, draw.RingGlyph{})
}

func glyphs(x, y []float64, radius vg.Length, fill color.NRGBA, shape draw.GlyphDrawer) Mark {
	sty := draw.GlyphStyle{Color: fill, Radius: radius, Shape: shape}
	return Mark{X: x, Y: y, sign: dot(fill, radius, shape), Paint: func(c draw.Canvas, atX,
		atY func(float64) vg.Length) {
		for i := range x {
			if !math.IsNaN(x[i] + y[i]) {
				c.DrawGlyph(sty, vg.Point{X: atX(x[i]), Y: atY(y[i])})
			}
		}
	}}
}

// Whiskers are intervals at x from low to high; with x and y exchanged they lie.
func Whiskers(at, low, high []float64, sty Style, lying bool) Mark {
	var a, b []float64
	for i, v := range at {
		a, b = append(a, v, v, math.NaN()), append(b, low[i], high[i], math.NaN())
	}
	if lying {
		a, b = b, a
	}
	return Line(a, b, sty)
}

// Ticks are short strokes, upright, at points, so many points to each side.
func Ticks(x, y []float64, half vg.Length, sty Style) Mark {
	return Mark{X: x, Y: y, Paint: func(c draw.Canvas, atX, atY func(float64) vg.Length) {
		for i, v := range x {
			if !math.IsNaN(v) {
				c.StrokeLine2(sty, atX(v), atY(y[i])-half, atX(v), atY(y[i])+half)
			}
		}
	}, sign: func(c draw.Canvas, at vg.Point) { c.StrokeLine2(sty, at.X+7, at.Y-half, at.X+7, at.Y+half) }}
}

// Bars are rectangles from 0, between edges that are one more, gap points apart.
func Bars(edges, height []float64, gap vg.Length, fill color.NRGBA) Mark {
	return Mark{X: edges, Y: height, sign: stroke(Style{Color: fill, Width: 4}),
		Paint: func(c draw.Canvas, x, y func(float64) vg.Length) {
			var bars vg.Path
			for i, v := range height {
				from, to := max(x(edges[i]), c.Min.X), min(x(edges[i+1]), c.Max.X)
				if v > 0 && from < to {
					bars = append(bars, rect(from, y(0), to-gap, y(v)).Path()...)
				}
			}
			c.SetColor(fill)
			c.Fill(bars)
		}}
}

// Steps are the outline of bars of width 1 around whole numbers from 0.
func Steps(height []float64, sty Style) Mark {
	var x, y []float64
	for i, v := range height {
		x = append(x, max(float64(i)-0.5, 0), min(float64(i)+0.5, float64(len(height)-1)))
		y = append(y, v, v)
	}
	return Line(x, y, sty)
}

// Shades fill the whole height between pairs of places.
func Shades(from, to []float64, fill color.NRGBA) Mark {
	return Mark{Paint: func(c draw.Canvas, x, _ func(float64) vg.Length) {
		c.SetColor(fill)
		for i := range from {
			c.Fill(rect(x(from[i]), c.Min.Y, x(to[i]), c.Max.Y).Path())
		}
	}}
}

// Picture is an image with sharp cells, over the whole panel.
func Picture(img image.Image) Mark {
	return Mark{Paint: func(c draw.Canvas, _, _ func(float64) vg.Length) {
		c.DrawImage(c.Rectangle,
			ours.Cells{Image: img})
	}}
}

// paintOn is a plotter that is a function.
type paintOn func(draw.Canvas, *plot.Plot)

func (f paintOn) Plot(c draw.Canvas, p *plot.Plot) { f(c, p) }

// plot is the panel with its axes: names below that would overlap stand upright. wide is the width of what the axes
// frame.
func (p Panel) plot(wide func(*plot.Plot) vg.Length) *plot.Plot {
	out := ours.NewPlot(p.Title, p.X.Label, p.Y.Label)
	var x, y []float64
	for _, m := range p.Marks {
		x, y = append(x, m.X...), append(y, m.Y...)
	}
	p.X.set(&out.X, x)
	p.Y.set(&out.Y, y)
	out.Add(paintOn(func(c draw.Canvas, on *plot.Plot) {
		x, y := on.Transforms(&c)
		if !p.Blank {
			grid(c, on)
		}
		for _, m := range p.Marks {
			m.Paint(c, x, y)
		}
	}))
	each := wide(out) / vg.Length(max(len(p.X.Names), 1))
	label := &out.X.Tick.Label
	if slices.ContainsFunc(p.X.Names, func(name string) bool { return label.Width(name)+3 > each }) {
		label.Rotation, label.XAlign, label.YAlign = math.Pi/2, draw.XRight, draw.YCenter
	}
	return out
}

func (a Axis) set(on *plot.Axis, values []float64) {
	values = slices.DeleteFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	switch {
	case a.Min < a.Max:
		on.Min, on.Max = a.Min, a.Max
	case a.Zero:
		if on.Min, on.Max = 0, 1; len(values) > 0 && slices.Max(values) > 0 {
			on.Max = 1.08 * slices.Max(values)
		}
	case len(values) > 0:
		low, high := slices.Min(values), slices.Max(values)
		margin := 0.06 * max(high-low, 1e-6)
		on.Min, on.Max = low-margin, high+margin
	default:
		on.Min, on.Max = 0, 1
	}
	if on.Tick.Marker = (ours.Ticks{Most: a.Most, Whole: a.Whole}); a.At != nil || a.Names != nil {
		marks := make(plot.ConstantTicks, len(a.At))
		for i, v := range a.At {
			marks[i] = plot.Tick{Value: v, Label: a.Names[i]}
		}
		on.Tick.Marker = marks
	}
	if a.Bare {
		on.Tick.Length, on.LineStyle.Width = 0, 0
	}
}

// grid is a set of faint lines at the marked ticks of the axes.
func grid(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	line := Style{Color: ours.Faint, Width: 0.5}
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

// within draws a panel so that its marks fill a box: axes and title lie outside.
func (p Panel) within(c draw.Canvas, box vg.Rectangle) {
	c.Rectangle = box
	of := p.plot(func(*plot.Plot) vg.Length { return box.Size().X })
	for range 4 { // how far labels reach beyond the axes depends a little on the size
		in := of.DataCanvas(c)
		c = draw.Crop(c, box.Min.X-in.Min.X, box.Max.X-in.Max.X, box.Min.Y-in.Min.Y, box.Max.Y-in.Max.Y)
	}
	of.Draw(c)
}

// Figure draws the plot: the panels of a row in equal parts, and marks below each other.
func (p Plot) Figure() ours.Figure {
	key := p.key()
	foot := vg.Length(0)
	if lines := signLines(key, p.Width-24); lines > 0 {
		foot = vg.Length(lines)*11 + 4
	}
	f := ours.Figure{Width: p.Width, Height: foot}
	for i := range p.Rows {
		f.Height += p.rowHeight(i)
	}
	f.Paint = func(c draw.Canvas) {
		p.paint(draw.Crop(c, 0, 0, foot, 0))
		drawSigns(c, vg.Point{X: c.Min.X + 12, Y: c.Min.Y + foot - 8}, p.Width-24, key)
	}
	return f
}

func (p Plot) rowHeight(i int) vg.Length { return p.Height[min(i, len(p.Height)-1)] }

// paint draws the panels without the key.
func (p Plot) paint(c draw.Canvas) {
	columns := 0
	for _, row := range p.Rows {
		columns = max(columns, len(row))
	}
	const edge, gap = 4, 8
	cell := func(i, j int, top vg.Length) draw.Canvas {
		wide := (c.Max.X - c.Min.X) / vg.Length(columns)
		left := c.Min.X + wide*vg.Length(j)
		return part(c, left+2, top-p.rowHeight(i)+edge/2, left+wide-gap, top-edge)
	}
	// What axes and titles take: to the left of each column, below and above each row.
	left, right := make([]vg.Length, columns), make([]vg.Length, columns)
	below, above := make([]vg.Length, len(p.Rows)), make([]vg.Length, len(p.Rows))
	for i, row := range p.Rows {
		for j, one := range row {
			out := cell(i, j, c.Max.Y)
			of := one.plot(func(p *plot.Plot) vg.Length { return p.DataCanvas(out).Size().X })
			in := of.DataCanvas(out)
			left[j], right[j] = max(left[j], in.Min.X-out.Min.X), max(right[j], out.Max.X-in.Max.X)
			below[i], above[i] = max(below[i], in.Min.Y-out.Min.Y), max(above[i], out.Max.Y-in.Max.Y)
		}
	}
	top := c.Max.Y
	for i, row := range p.Rows {
		for j, one := range row {
			if one.Marks == nil {
				continue // an empty place
			}
			one.within(c, draw.Crop(cell(i, j, top), left[j], -right[j], below[i], -above[i]).Rectangle)
		}
		top -= p.rowHeight(i)
	}
}

// key is that of all panels.
func (p Plot) key() []sign {
	marks := p.Key
	if marks == nil {
		for _, panel := range slices.Concat(p.Rows...) {
			marks = append(marks, panel.Marks...)
		}
	}
	var key []sign
	for _, m := range marks {
		if m.Name != "" && !slices.ContainsFunc(key, func(s sign) bool { return s.word == m.Name }) {
			key = append(key, sign{word: m.Name, draw: m.sign})
		}
	}
	return key
}

// Faded is a color that lets others through.
func Faded(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

// A sign is one entry of a key: a word, and what is drawn in the 14 points before it.
type sign struct {
	word string
	draw func(c draw.Canvas, at vg.Point) // nil for a word alone
	own  bool                             // begins a line
}

func stroke(sty Style) func(draw.Canvas, vg.Point) {
	return func(c draw.Canvas, at vg.Point) { c.StrokeLine2(sty, at.X, at.Y, at.X+14, at.Y) }
}

func dot(col color.NRGBA, radius vg.Length, shape draw.GlyphDrawer) func(draw.Canvas, vg.Point) {
	return func(c draw.Canvas, at vg.Point) {
		c.DrawGlyph(draw.GlyphStyle{Color: col, Radius: radius, Shape: shape}, vg.Point{X: at.X + 7, Y: at.Y})
	}
}

// lead is what an entry has before its word.
func (s sign) lead() vg.Length {
	if s.draw == nil {
		return 0
	}
	return 18
}

// broken are the signs with each that is wider than a line in several: its further lines are signs of nothing.
func broken(signs []sign, width vg.Length) (out []sign) {
	sty := ours.Style(ours.TextSize, false)
	behind := false
	for _, s := range signs {
		room := width - s.lead()
		s.own = behind
		if behind = sty.Width(s.word) > room; !behind {
			out = append(out, s)
			continue
		}
		line := ""
		for _, word := range strings.SplitAfter(s.word, " ") {
			if line != "" && sty.Width(strings.TrimSpace(line+word)) > room {
				out = append(out, sign{strings.TrimSpace(line), s.draw, true})
				line = ""
				if s.draw != nil {
					s.draw = func(draw.Canvas, vg.Point) {}
				}
			}
			line += word
		}
		out = append(out, sign{strings.TrimSpace(line), s.draw, true})
	}
	return out
}

// signPlaces are the places of the signs in lines of a width, from the upper left, and
// the number of lines.
func signPlaces(signs []sign, width vg.Length) (at []vg.Point, lines int) {
	sty := ours.Style(ours.TextSize, false)
	var x vg.Length
	lines = min(len(signs), 1)
	for _, s := range signs {
		w := s.lead() + sty.Width(s.word)
		if x > 0 && (x+w > width || s.own) {
			x = 0
			lines++
		}
		at = append(at, vg.Point{X: x, Y: -vg.Length(lines-1) * 11})
		x += w + 14
	}
	return at, lines
}

func signLines(signs []sign, width vg.Length) int {
	_, lines := signPlaces(broken(signs, width), width)
	return lines
}

// drawSigns writes a key; at is the middle of its first line's left end.
func drawSigns(c draw.Canvas, at vg.Point, width vg.Length, signs []sign) {
	signs = broken(signs, width)
	places, _ := signPlaces(signs, width)
	for i, s := range signs {
		here := at.Add(places[i])
		if s.draw != nil {
			s.draw(c, here)
			here.X += s.lead()
		}
		ours.Text(c, here, s.word, ours.Style(ours.TextSize, false),
			draw.XLeft, draw.YCenter)
	}
}

// part is the part of a canvas within some edges.
func part(c draw.Canvas, left, bottom, right, top vg.Length) draw.Canvas {
	c.Rectangle = rect(left, bottom, right, top)
	return c
}

// rect is a rectangle by its edges.
func rect(left, bottom, right, top vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: left, Y: bottom}, Max: vg.Point{X: right, Y: top}}
}
