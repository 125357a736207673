package chart

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
	"prgnn/stages/wording"
)

// discs are the regions as discs at their places, as a side sees them, over the outline of a brain where they fit one.
type discs struct {
	side                    Side
	at                      *[3][]float64
	left, end, below, above float64 // mm: what is shown
}

// discs are the views of an atlas without an image.
func (a Atlas) discs(side Side) view {
	d := discs{side: side, at: a.At}
	d.left, d.end, d.below, d.above = side.Extent()
	for i := range a.At[0] { // places beyond a head
		if x, y := d.flat(i); !math.IsNaN(x + y) {
			d.left, d.end, d.below, d.above = min(d.left, x-8), max(d.end, x+8), min(d.below, y-8), max(d.above, y+8)
		}
	}
	return d
}

func (d discs) flat(i int) (right, up float64) {
	return d.side.Flat(d.at[0][i], d.at[1][i], d.at[2][i])
}

func (d discs) size() (float64, float64) { return d.end - d.left, d.above - d.below }

func (d discs) names() (below, left, right string) {
	switch d.side {
	case Left:
		return wording.Label("chart.left", nil), wording.Label("chart.front", nil), ""
	case Behind:
		return wording.Label("chart.behind", nil), "L", "R"
	}
	return wording.Label("chart.above", nil), "L", "R"
}

// spot is in every view.
func (d discs) spot(region int) (at spot) {
	if region < 1 || region > len(d.at[0]) {
		return at
	}
	x, y := d.flat(region - 1)
	return spot{(x - d.left) / (d.end - d.left), (d.above - y) / (d.above - d.below), math.Inf(1)}
}

// ground draws the outline of a brain, where the places fit one, and returns the position of a place.
func (d discs) ground(c draw.Canvas, in vg.Rectangle) (at func(x, y float64) vg.Point, unit vg.Length) {
	unit = in.Size().X / vg.Length(d.end-d.left)
	at = func(x, y float64) vg.Point {
		return vg.Point{X: in.Min.X + vg.Length(x-d.left)*unit, Y: in.Min.Y + vg.Length(y-d.below)*unit}
	}
	points := func(l Curve) (p []vg.Point) {
		for _, one := range l {
			p = append(p, at(one[0], one[1]))
		}
		return p
	}
	if Holds(d.at[0], d.at[1], d.at[2]) {
		brain := d.side.Silhouette()
		for _, l := range brain.Parts {
			c.FillPolygon(color.NRGBA{0xee, 0xf0, 0xf3, 0xff}, points(l))
			c.StrokeLines(Style{Color: ours.Rule, Width: 0.5}, points(l))
		}
		for _, l := range brain.Folds {
			c.StrokeLines(Style{Color: color.NRGBA{0xc6, 0xcb, 0xd2, 0xff}, Width: 0.8}, points(l))
		}
	}
	return at, unit
}

func (d discs) paint(c draw.Canvas, in vg.Rectangle, of Regions) {
	at, unit := d.ground(c, in)
	order := make([]int, len(d.at[0]))
	for i := range order {
		order[i] = i
	}
	shown := func(i int) int {
		switch _, colored := of.Value[i+1]; {
		case !colored:
			return 0
		case of.Ring[i+1]:
			return 2
		}
		return 1
	}
	slices.SortStableFunc(order, func(i, j int) int { // the nearest last
		near := cmp.Compare(d.at[2][i], d.at[2][j])
		if d.side == Left {
			near = cmp.Compare(d.at[0][j], d.at[0][i])
		}
		return cmp.Or(cmp.Compare(shown(i), shown(j)), near)
	})
	for _, i := range order {
		disc := func(col color.NRGBA, radius vg.Length) {
			c.DrawGlyph(draw.GlyphStyle{Color: col, Radius: radius * unit, Shape: draw.CircleGlyph{}}, at(d.flat(i)))
		}
		switch shown(i) {
		case 0:
			disc(hint, 1.6)
			continue
		case 2:
			disc(of.ring(), 8)
			disc(ours.Ground, 6)
		default: // neighbors of one color stay apart
			disc(ours.Ground, 5.7)
		}
		disc(heat.At(of.Value[i+1]), 5)
	}
}

// hint is the color of a region that has no value.
var hint = color.NRGBA{0xc3, 0xc8, 0xcf, 0xff}
