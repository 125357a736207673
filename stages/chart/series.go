package chart

import (
	"image/color"

	"gonum.org/v1/plot/vg"

	ours "prgnn/stages/draw"
)

// seriesDashes follow each other, so that of two lines in one place both are seen.
var seriesDashes = [][]vg.Length{nil, {6, 4}, {2, 2}}

// seriesColors are those of Categories that lines on white can have.
const seriesColors = 7

// MostSeries is how many series differ in color or dashes.
const MostSeries = seriesColors * 3

// Series is the line of a classifier: the same in every figure.
func Series(i int, width vg.Length) Style {
	return Style{Color: Color(i), Width: width, Dashes: seriesDashes[i%len(seriesDashes)]}
}

// Color is that of a classifier; gray for the majority classifier, which has no number (−1).
func Color(i int) color.NRGBA {
	if i < 0 {
		return ours.Rule
	}
	return ours.Categories[i%seriesColors]
}

// groupDashes distinguish lines without their colors.
var groupDashes = [][]vg.Length{nil, {4, 2}, {1, 1.5}, {6, 2, 1, 2}}

// Group is the line of a group of participants.
func Group(i int, width vg.Length) Style {
	return Style{Color: ours.Categories[i%len(ours.Categories)], Width: width, Dashes: groupDashes[i%len(groupDashes)]}
}

// Chance is the line of what chance gives, and of equality.
var Chance = Style{Color: ours.Rule, Width: 1, Dashes: []vg.Length{3, 2}}
