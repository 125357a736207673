package chart

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// seriesDashes follow each other, so that of two lines in one place both are seen.
var seriesDashes = [][]vg.Length{nil, {6, 4}, {2, 2}}

// seriesColors are those of Categories that lines on white can have.
const seriesColors = 7

// MostSeries is how many series differ in color or dashes.
const MostSeries = seriesColors * 3

// Series is the line of a classifier: the same in every figure.
func Series(i int, width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: seriesColor(i), Width: width, Dashes: seriesDashes[i%len(seriesDashes)]}
}

// seriesColor is gray for the majority classifier, which has no number (−1).
func seriesColor(i int) color.NRGBA {
	if i < 0 {
		return ours.Rule
	}
	return ours.Categories[i%seriesColors]
}
