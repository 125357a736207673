package chart

import (
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	gonum "gonum.org/v1/plot/vg/draw"

	"prgnn/stages/draw"
)

// Sentence is a figure that says one sentence: why there is no other.
func Sentence(s string) draw.Figure {
	const height = 30 // points
	return draw.Figure{Width: vg.Points(7 * float64(len(s))), Height: vg.Points(height), Paint: func(c gonum.Canvas) {
		draw.Text(c, vg.Point{X: vg.Points(10), Y: vg.Points(height / 2)}, s, draw.Style(10, false),
			text.XLeft, text.YCenter)
	}}
}
