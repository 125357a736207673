package chart

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// A Spot is a region at its place in the brain.
type Spot struct {
	X, Y, Z float64 // mm, MNI: to the right, to the front, upwards
	Value   float64 // 0 … 1, its colour; NaN: it is only hinted at
	Ring    bool
}

// drawSpots draws spots as a side sees them, over the outline of a brain where they fit one.
func drawSpots(c draw.Canvas, side Side, all []Spot, scale ours.Scale) {
	left, right, low, high := side.Extent()
	unit := min(c.Size().X/vg.Length(right-left), c.Size().Y/vg.Length(high-low))
	center := c.Center()
	at := func(x, y float64) vg.Point {
		return vg.Point{X: center.X + vg.Length(x-(left+right)/2)*unit, Y: center.Y + vg.Length(y-(low+high)/2)*unit}
	}
	place := func(s Spot) vg.Point { return at(side.Flat(s.X, s.Y, s.Z)) }
	points := func(l Line) (p []vg.Point) {
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
			c.DrawGlyph(draw.GlyphStyle{Color: color.NRGBA{0xc3, 0xc8, 0xcf, 0xff}, Radius: 1.6 * unit, Shape: draw.CircleGlyph{}}, at)
			continue
		}
		edge := color.NRGBA{0xff, 0xff, 0xff, 0xff}
		if s.Ring {
			c.DrawGlyph(draw.GlyphStyle{Color: ours.Categories[2], Radius: 8 * unit, Shape: draw.CircleGlyph{}}, at)
			c.DrawGlyph(draw.GlyphStyle{Color: edge, Radius: 6 * unit, Shape: draw.CircleGlyph{}}, at)
		} else { // neighbours of one colour stay apart
			c.DrawGlyph(draw.GlyphStyle{Color: edge, Radius: 5.7 * unit, Shape: draw.CircleGlyph{}}, at)
		}
		c.DrawGlyph(draw.GlyphStyle{Color: scale.At(s.Value), Radius: 5 * unit, Shape: draw.CircleGlyph{}}, at)
	}
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

// Individuals is a row of brains: what the models of one setting keep of each
// participant.
type Individuals struct {
	Title  string
	Brains [][]Spot // one a participant
}

// ByParticipant draws brains, a row a setting and a column a participant, as Figure 4 of
// the paper, each from above and from the left. low and high are the scores of the
// colour scale's ends.
func ByParticipant(names []string, rows []Individuals, low, high float64) ours.Figure {
	const top, foot, bar, gap = 18, 18, 58, 8
	side := vg.Length(8)
	if slices.ContainsFunc(rows, func(r Individuals) bool { return r.Title != "" }) {
		side = 66
	}
	cell := (page - side - bar) / vg.Length(max(len(names), 4))
	tall := func(s Side) vg.Length {
		left, right, low, high := s.Extent()
		return (cell - 10) * vg.Length((high-low)/(right-left))
	}
	upper, lower := tall(Above), tall(Left)
	each := upper + lower + 3 + gap
	f := ours.Figure{Width: side + bar + cell*vg.Length(len(names)), Height: top + foot + each*vg.Length(len(rows))}
	small := ours.Style(ours.TickSize-1.5, false)
	small.Color = ours.Rule
	f.Paint = func(c draw.Canvas) {
		for j, name := range names {
			ours.Text(c, vg.Point{X: c.Min.X + side + cell*(vg.Length(j)+0.5), Y: c.Max.Y - 5}, name, ours.Style(ours.LabelSize, true), draw.XCenter, draw.YTop)
		}
		for i, row := range rows {
			y := c.Max.Y - top - each*vg.Length(i)
			ours.Text(c, vg.Point{X: c.Min.X + 4, Y: y - (upper+lower)/2}, row.Title, ours.Style(ours.LabelSize, true), draw.XLeft, draw.YCenter)
			for j, spots := range row.Brains {
				left := c.Min.X + side + cell*vg.Length(j) + 5
				for _, view := range []struct {
					side      Side
					low, high vg.Length
				}{{Above, y - upper, y}, {Left, y - upper - 3 - lower, y - upper - 3}} {
					one := c
					one.Rectangle = vg.Rectangle{Min: vg.Point{X: left, Y: view.low}, Max: vg.Point{X: left + cell - 10, Y: view.high}}
					drawSpots(one, view.side, spots, heat)
				}
				ours.Text(c, vg.Point{X: left + 2, Y: y - upper/2 + upper*0.34}, "L", small, draw.XLeft, draw.YCenter)
				ours.Text(c, vg.Point{X: left + cell - 12, Y: y - upper/2 + upper*0.34}, "R", small, draw.XRight, draw.YCenter)
				ours.Text(c, vg.Point{X: left + 2, Y: y - upper - lower}, "front", small, draw.XLeft, draw.YBottom)
			}
		}
		strip := c
		strip.Rectangle = vg.Rectangle{Min: vg.Point{X: c.Max.X - bar + 10, Y: c.Max.Y - top - min(upper, 120)}, Max: vg.Point{X: c.Max.X, Y: c.Max.Y - top}}
		ours.Bar(strip, heat, low, high, "score")
		words := []sign{{"kept in all of them", dot(ours.Categories[2], 4, draw.RingGlyph{})}, {"not kept", dot(color.NRGBA{0xc3, 0xc8, 0xcf, 0xff}, 1.4, draw.CircleGlyph{})}}
		drawSigns(c, vg.Point{X: c.Min.X + side, Y: c.Min.Y + 9}, page, words)
	}
	return f
}

// heat is the darker part of the sequential scale, whose pale end is lost on grey.
var heat = ours.Sequential[2:]
