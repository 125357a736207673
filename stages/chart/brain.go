package chart

import (
	"cmp"
	"image/color"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// A Spot is a region at its place in the brain.
type Spot struct {
	X, Y, Z float64 // mm, MNI: to the right, to the front, upwards
	Value   float64 // 0 … 1, its color; NaN: it is only hinted at
	Ring    bool
}

// drawSpots draws spots as a side sees them, over the outline of a brain where they fit one, and returns where each
// lies.
func drawSpots(c draw.Canvas, side Side, all []Spot, scale ours.Scale) (place func(Spot) vg.Point) {
	left, right, low, high := side.Extent()
	for _, s := range all { // places beyond a head
		if x, y := side.Flat(s.X, s.Y, s.Z); !math.IsNaN(x + y) {
			left, right, low, high = min(left, x-8), max(right, x+8), min(low, y-8), max(high, y+8)
		}
	}
	unit := min(c.Size().X/vg.Length(right-left), c.Size().Y/vg.Length(high-low))
	center := c.Center()
	at := func(x, y float64) vg.Point {
		return vg.Point{X: center.X + vg.Length(x-(left+right)/2)*unit, Y: center.Y + vg.Length(y-(low+high)/2)*unit}
	}
	place = func(s Spot) vg.Point { return at(side.Flat(s.X, s.Y, s.Z)) }
	points := func(l Curve) (p []vg.Point) {
		for _, one := range l {
			p = append(p, at(one[0], one[1]))
		}
		return p
	}
	var x, y, z []float64
	for _, s := range all {
		x, y, z = append(x, s.X), append(y, s.Y), append(z, s.Z)
	}
	if Holds(x, y, z) {
		brain := side.Silhouette()
		for _, l := range brain.Parts {
			c.FillPolygon(color.NRGBA{0xee, 0xf0, 0xf3, 0xff}, points(l))
			c.StrokeLines(draw.LineStyle{Color: ours.Rule, Width: vg.Points(0.5)}, points(l))
		}
		for _, l := range brain.Folds {
			c.StrokeLines(draw.LineStyle{Color: color.NRGBA{0xc6, 0xcb, 0xd2, 0xff}, Width: vg.Points(0.8)}, points(l))
		}
	}
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b Spot) int {
		near := cmp.Compare(a.Z, b.Z)
		if side == Left {
			near = cmp.Compare(b.X, a.X)
		}
		return cmp.Or(cmp.Compare(shown(a), shown(b)), near)
	})
	for _, s := range sorted {
		at := place(s)
		if math.IsNaN(s.Value) {
			c.DrawGlyph(draw.GlyphStyle{Color: color.NRGBA{0xc3, 0xc8, 0xcf, 0xff}, Radius: 1.6 * unit,
				Shape: draw.CircleGlyph{}}, at)
			continue
		}
		edge := color.NRGBA{0xff, 0xff, 0xff, 0xff}
		if s.Ring {
			c.DrawGlyph(draw.GlyphStyle{Color: ringColor, Radius: 8 * unit, Shape: draw.CircleGlyph{}}, at)
			c.DrawGlyph(draw.GlyphStyle{Color: edge, Radius: 6 * unit, Shape: draw.CircleGlyph{}}, at)
		} else { // neighbors of one color stay apart
			c.DrawGlyph(draw.GlyphStyle{Color: edge, Radius: 5.7 * unit, Shape: draw.CircleGlyph{}}, at)
		}
		c.DrawGlyph(draw.GlyphStyle{Color: scale.At(s.Value), Radius: 5 * unit, Shape: draw.CircleGlyph{}}, at)
	}
	return place
}

func shown(s Spot) int {
	switch {
	case math.IsNaN(s.Value):
		return 0
	case s.Ring:
		return 2
	}
	return 1
}

func (a Atlas) spots(of Regions) []Spot {
	spots := make([]Spot, len(a.At[0]))
	for i := range spots {
		value, ok := of.Value[i+1]
		if !ok {
			value = math.NaN()
		}
		spots[i] = Spot{X: a.At[0][i], Y: a.At[1][i], Z: a.At[2][i], Value: value, Ring: of.Ring[i+1]}
	}
	return spots
}

// Individuals is a row of brains: what the models of one setting keep of each participant.
type Individuals struct {
	Title  string
	Brains []Regions // one a participant
}

// ByParticipant draws brains, a row a setting and a column a participant, as Figure 4 of the paper: four views of the
// cortex and slices, or discs from above and from the left.
func (a Atlas) ByParticipant(names []string, rows []Individuals, scale Colorbar) ours.Figure {
	const top, foot, bar, gap = 18, 18, 58, 10
	side := vg.Length(8)
	if slices.ContainsFunc(rows, func(r Individuals) bool { return r.Title != "" }) {
		side = 66
	}
	cell := (Page - side - bar) / vg.Length(max(len(names), 4))
	// The views of a brain, two a line: lateral, medial, slices.
	var lines [][]Raster
	if len(a.Surfaces) == 4 {
		lines = [][]Raster{{a.Surfaces[0], a.Surfaces[3]}, {a.Surfaces[1], a.Surfaces[2]}}
	}
	if n := len(a.Cuts); n > 1 {
		lines = append(lines, []Raster{a.Cuts[n/2-1], a.Cuts[n/2]})
	}
	half := (cell - 10) / 2
	units, heights := make([]vg.Length, len(lines)), make([]vg.Length, len(lines))
	each := vg.Length(gap)
	for i, line := range lines {
		units[i] = 1e9
		for _, r := range line {
			w, _ := r.sizes()
			units[i] = min(units[i], (half-2)/vg.Length(w))
		}
		for _, r := range line {
			_, h := r.sizes()
			heights[i] = max(heights[i], vg.Length(h)*units[i])
		}
		each += heights[i] + 4
	}
	tall := func(s Side) vg.Length {
		left, right, low, high := s.Extent()
		return (cell - 10) * vg.Length((high-low)/(right-left))
	}
	upper, lower := tall(Above), tall(Left)
	if lines == nil {
		each += upper + lower + 3
	}
	f := ours.Figure{Width: side + bar + cell*vg.Length(len(names)), Height: top + foot + each*vg.Length(len(rows))}
	f.Paint = func(c draw.Canvas) {
		for j, name := range names {
			ours.Text(c, vg.Point{X: c.Min.X + side + cell*(vg.Length(j)+0.5), Y: c.Max.Y - 5}, name,
				ours.Style(ours.LabelSize, true), draw.XCenter, draw.YTop)
		}
		for i, row := range rows {
			y := c.Max.Y - top - each*vg.Length(i)
			ours.Text(c, vg.Point{X: c.Min.X + 4, Y: y - each/2}, row.Title, ours.Style(ours.LabelSize, true),
				draw.XLeft, draw.YCenter)
			for j, brain := range row.Brains {
				left, down := c.Min.X+side+cell*vg.Length(j)+5, y
				for k, line := range lines {
					for l, r := range line {
						in := vg.Rectangle{Min: vg.Point{X: left + half*vg.Length(l), Y: down - heights[k]},
							Max: vg.Point{X: left + half*vg.Length(l+1) - 2, Y: down}}
						r.Left, r.Right = "", ""
						r.paint(c, in, units[k], brain)
					}
					down -= heights[k] + 4
				}
				if lines == nil {
					a.above(c, vg.Rectangle{Min: vg.Point{X: left, Y: y - upper - 3 - lower},
						Max: vg.Point{X: left + cell - 10, Y: y}}, upper, lower, brain)
				}
			}
		}
		strip := c
		strip.Rectangle = vg.Rectangle{Min: vg.Point{X: c.Max.X - bar + 10, Y: c.Max.Y - top - min(each, 120)},
			Max: vg.Point{X: c.Max.X, Y: c.Max.Y - top}}
		ours.Bar(strip, heat, scale.Low, scale.High, scale.Label)
		var words []sign
		if shared(rows) {
			words = []sign{{"kept in all participants", stroke(draw.LineStyle{Color: ringColor, Width: 2})}}
			if lines == nil {
				words[0].draw = dot(ringColor, 4, draw.RingGlyph{})
			}
		}
		if lines == nil {
			words = append(words, sign{"not kept", dot(color.NRGBA{0xc3, 0xc8, 0xcf, 0xff}, 1.4, draw.CircleGlyph{})})
		}
		drawSigns(c, vg.Point{X: c.Min.X + side, Y: c.Min.Y + 9}, Page, words)
	}
	return f
}

// shared reports whether a region of any row is kept in all of its participants.
func shared(rows []Individuals) bool {
	return slices.ContainsFunc(rows, func(r Individuals) bool {
		return slices.ContainsFunc(r.Brains, func(b Regions) bool {
			return slices.Contains(slices.Collect(maps.Values(b.Ring)), true)
		})
	})
}

// above draws discs from above and, below that, from the left.
func (a Atlas) above(c draw.Canvas, in vg.Rectangle, upper, lower vg.Length, of Regions) {
	small := ours.Style(ours.TickSize-1.5, false)
	one := c
	one.Rectangle = vg.Rectangle{Min: vg.Point{X: in.Min.X, Y: in.Max.Y - upper}, Max: in.Max}
	drawSpots(one, Above, a.spots(of), heat)
	one.Rectangle = vg.Rectangle{Min: in.Min, Max: vg.Point{X: in.Max.X, Y: in.Min.Y + lower}}
	drawSpots(one, Left, a.spots(of), heat)
	y := in.Max.Y - upper/2 + upper*0.34
	ours.Text(c, vg.Point{X: in.Min.X + 2, Y: y}, "L", small, draw.XLeft, draw.YCenter)
	ours.Text(c, vg.Point{X: in.Max.X - 2, Y: y}, "R", small, draw.XRight, draw.YCenter)
	ours.Text(c, vg.Point{X: in.Min.X + 2, Y: in.Min.Y}, "front", small, draw.XLeft, draw.YBottom)
}

// heat is the darker part of the sequential scale, whose pale end is lost on gray.
var heat = ours.Sequential[2:]
