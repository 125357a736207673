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

// brainFromAbove draws spots as seen from above, the front at the top, left at the left.
func brainFromAbove(c draw.Canvas, all []Spot, scale ours.Scale) {
	// The middle of the MNI brain is about (0, −18); it is 140 mm wide and 175 long.
	unit := min(c.Size().X/158, c.Size().Y/192)
	center := c.Center()
	place := func(s Spot) vg.Point {
		return vg.Point{X: center.X + vg.Length(s.X)*unit, Y: center.Y + vg.Length(s.Y+18)*unit}
	}
	outline := make([]vg.Point, 0, 73)
	for i := range 73 {
		// A brain from above is an egg: narrower at the front.
		a := float64(i) * 2 * math.Pi / 72
		outline = append(outline, place(Spot{X: (72 - 7*math.Sin(a)) * math.Cos(a), Y: -18 + 88*math.Sin(a)}))
	}
	c.FillPolygon(color.NRGBA{0xee, 0xf0, 0xf3, 0xff}, outline)
	c.StrokeLines(draw.LineStyle{Color: ours.Rule, Width: vg.Points(0.5)}, outline)
	gap := draw.LineStyle{Color: color.White, Width: vg.Points(1)}
	c.StrokeLines(gap, []vg.Point{place(Spot{Y: 62}), place(Spot{Y: -98})})
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b Spot) int {
		return cmp.Or(cmp.Compare(shown(a), shown(b)), cmp.Compare(a.Z, b.Z))
	})
	for _, s := range sorted {
		at := place(s)
		if math.IsNaN(s.Value) {
			c.DrawGlyph(draw.GlyphStyle{Color: color.NRGBA{0xc3, 0xc8, 0xcf, 0xff}, Radius: 1.6 * unit, Shape: draw.CircleGlyph{}}, at)
			continue
		}
		if s.Ring {
			c.DrawGlyph(draw.GlyphStyle{Color: ours.Categories[2], Radius: 7.2 * unit, Shape: draw.CircleGlyph{}}, at)
			c.DrawGlyph(draw.GlyphStyle{Color: color.White, Radius: 5.4 * unit, Shape: draw.CircleGlyph{}}, at)
		}
		c.DrawGlyph(draw.GlyphStyle{Color: scale.At(s.Value), Radius: 4.8 * unit, Shape: draw.CircleGlyph{}}, at)
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
// the paper. low and high are the scores of the colour scale's ends.
func ByParticipant(names []string, rows []Individuals, low, high float64) ours.Figure {
	const top, foot, bar = 18, 16, 58
	side := vg.Length(8)
	if slices.ContainsFunc(rows, func(r Individuals) bool { return r.Title != "" }) {
		side = 84
	}
	cell := (page - side - bar) / vg.Length(max(len(names), 4))
	high2 := cell * 192 / 158
	f := ours.Figure{Width: side + bar + cell*vg.Length(len(names)), Height: top + foot + high2*vg.Length(len(rows))}
	f.Paint = func(c draw.Canvas) {
		for j, name := range names {
			ours.Text(c, vg.Point{X: c.Min.X + side + cell*(vg.Length(j)+0.5), Y: c.Max.Y - 6}, name, ours.Style(ours.LabelSize, true), draw.XCenter, draw.YTop)
		}
		for i, row := range rows {
			upper := c.Max.Y - top - high2*vg.Length(i)
			ours.Text(c, vg.Point{X: c.Min.X + 4, Y: upper - high2/2}, row.Title, ours.Style(ours.LabelSize, true), draw.XLeft, draw.YCenter)
			for j, spots := range row.Brains {
				left := c.Min.X + side + cell*vg.Length(j)
				one := c
				one.Rectangle = vg.Rectangle{Min: vg.Point{X: left + 3, Y: upper - high2 + 3}, Max: vg.Point{X: left + cell - 3, Y: upper - 3}}
				brainFromAbove(one, spots, heat)
			}
		}
		strip := c
		strip.Rectangle = vg.Rectangle{Min: vg.Point{X: c.Max.X - bar + 10, Y: c.Max.Y - top - min(high2, 120)}, Max: vg.Point{X: c.Max.X, Y: c.Max.Y - top}}
		ours.Bar(strip, heat, low, high, "score")
		key(c, vg.Point{X: c.Min.X + side, Y: c.Min.Y + 8}, []string{"kept in all of them"}, []draw.LineStyle{{Color: ours.Categories[2], Width: 2}})
	}
	return f
}

// heat is the darker part of the sequential scale, whose pale end is lost on grey.
var heat = ours.Sequential[2:]
