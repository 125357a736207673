package chart

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
	"prgnn/stages/wording"
)

// outlines are the regions' outlines over the image below them, in three planes.
func (p Participant) outlines(b NamedBrain) layout {
	brain := *b.Brain
	brain.Edges = p.regionColors()
	return lay([][]view{views(brain.cuts(axial, 4)), views(brain.cuts(coronal, 4)), views(brain.cuts(sagittal, 4))},
		Page-overTimeWide, 4, 14)
}

// outlinesHead is the height of the line above outlines.
const outlinesHead = 14

// paintOutlines draws outlines below a height.
func (p Participant) paintOutlines(c draw.Canvas, y vg.Length, name string, brain layout) {
	of := wording.Values{"Run": ""}
	if len(p.Runs) > 0 {
		of["Run"] = name
	}
	title := wording.Label("chart.outlines", of)
	ours.Text(c, vg.Point{X: c.Min.X + 2, Y: y}, title, ours.Style(ours.TextSize, false), draw.XLeft, draw.YTop)
	brain.paint(c, vg.Point{X: c.Min.X, Y: y - outlinesHead}, RegionMap{}, false)
}

// regionColors is the color of each region's block, as in the plot of tSNR.
func (p Participant) regionColors() []color.NRGBA {
	order, blocks := arrange(p.Groups)
	paint := make([]color.NRGBA, len(order))
	for k, b := range blocks {
		for _, r := range order[b.from:b.to] {
			paint[r] = ours.Categories[k%len(ours.Categories)]
			if paint[r] == (color.NRGBA{A: 0xff}) { // black would not show
				paint[r] = color.NRGBA{0xff, 0xff, 0xff, 0xff}
			}
		}
	}
	return paint
}
