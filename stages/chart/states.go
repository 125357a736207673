package chart

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// A StateMeasure is a number of each connectivity state, by group.
type StateMeasure struct {
	Label  string // with the unit
	Groups []Trend
}

// States draws connectivity states as matrices, and below them what is known of each.
func States(panels []MatrixPanel, groups, names []string, measures []StateMeasure) ours.Figure {
	const perRow = 4
	above := matrixRows(panels, groups, min(perRow, len(panels)))
	p := Plot{Rows: [][]Panel{nil}, Width: Page, Height: []vg.Length{58 * vg.Millimeter}}
	for _, m := range measures {
		p.Rows[0] = append(p.Rows[0], trends(names, "state", Axis{Label: m.Label, Zero: true}, false, m.Groups))
	}
	below := p.Figure()
	return ours.Figure{Width: Page, Height: above.Height + below.Height, Paint: func(c draw.Canvas) {
		above.Paint(draw.Crop(c, 0, 0, below.Height, 0))
		below.Paint(draw.Crop(c, 0, 0, 0, -above.Height))
	}}
}
