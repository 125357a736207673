package chart

import (
	"slices"

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
	const perRow, low = 4, 62 * vg.Millimeter
	above := matrixRows(panels, groups, min(perRow, len(panels)))
	return ours.Figure{Width: page, Height: above.Height + low, Paint: func(c draw.Canvas) {
		above.Paint(draw.Crop(c, 0, 0, low, 0))
		for i, cell := range tiles(draw.Crop(c, 0, 0, 0, -above.Height), 1, len(measures), 12)[0] {
			most := 0.0
			for _, g := range measures[i].Groups {
				for _, v := range slices.Concat(g.Value, g.High) {
					if v > most { // NaN is not
						most = v
					}
				}
			}
			paintTrends(names, "state", measures[i].Label, 1.05*most, false, measures[i].Groups)(cell)
		}
	}}
}
