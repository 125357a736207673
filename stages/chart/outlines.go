package chart

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// An outlineCut is a slice of the brain, in the middle of which numbers of equal parts of its depth it lies.
type outlineCut struct {
	axis             string
	depth, right, up int
	part, of         int
}

// outlineCuts are two rows of six slices.
var outlineCuts = [2][6]outlineCut{
	{{"z", 2, 0, 1, 0, 6}, {"z", 2, 0, 1, 1, 6}, {"z", 2, 0, 1, 2, 6}, {"z", 2, 0, 1, 3, 6}, {"z", 2, 0, 1, 4, 6},
		{"z", 2, 0, 1, 5, 6}},
	{{"y", 1, 0, 2, 0, 3}, {"y", 1, 0, 2, 1, 3}, {"y", 1, 0, 2, 2, 3}, {"x", 0, 1, 2, 0, 3}, {"x", 0, 1, 2, 1, 3},
		{"x", 0, 1, 2, 2, 3}},
}

const outlineGap, outlineName = 4, 11

// rowHeight is the height of a row of slices of this width, without their names.
func (b NamedBrain) rowHeight(row [6]outlineCut, width vg.Length) (high vg.Length) {
	for _, cut := range row {
		high = max(high, width*vg.Length(b.size(cut.up)/b.size(cut.right)))
	}
	return high
}

func (b NamedBrain) size(axis int) float64 { return b.High[axis] - b.Low[axis] }

// allOutlinesHigh is the height of the slices of all brains.
func (p Participant) allOutlinesHigh() (high vg.Length) {
	for _, b := range p.Brains {
		high += b.outlinesHigh()
	}
	return high
}

func (b NamedBrain) outlinesHigh() vg.Length {
	high := vg.Length(14)
	for _, row := range outlineCuts {
		high += b.rowHeight(row, outlineWidth) + outlineName + outlineGap
	}
	return high
}

const outlineWidth = Page/6 - outlineGap

// outlines draws the regions' outlines over the image below them, in three planes, from the top of the canvas.
func (p Participant) outlines(c draw.Canvas, b NamedBrain) {
	title := "regions over the mean of the scan; left is left"
	if len(p.Runs) > 0 {
		title = b.Name + ": " + title
	}
	ours.Text(c, vg.Point{X: c.Min.X + 2, Y: c.Max.Y}, title, ours.Style(ours.TickSize-1, false), draw.XLeft, draw.YTop)
	paint := p.regionColors()
	top := c.Max.Y - 14
	for _, row := range outlineCuts {
		for k, cut := range row {
			// Equally spaced within the middle 80 % of the extent.
			// Never fused: the place of a slice may lie between two voxels.
			at := b.Low[cut.depth] + float64(b.size(cut.depth)*(0.1+0.8*(float64(cut.part)+0.5)/float64(cut.of)))
			left := c.Min.X + Page/6*vg.Length(k)
			ours.Text(c, vg.Point{X: left + outlineWidth/2, Y: top}, strings.Replace(fmt.Sprintf("%s = %.0f mm",
				cut.axis, at), "-", "−", 1), ours.Style(ours.TickSize-1, false), draw.XCenter, draw.YTop)
			high := outlineWidth * vg.Length(b.size(cut.up)/b.size(cut.right))
			c.DrawImage(vg.Rectangle{Min: vg.Point{X: left, Y: top - outlineName - high},
				Max: vg.Point{X: left + outlineWidth, Y: top - outlineName}}, b.outline(cut, at, paint))
		}
		top -= b.rowHeight(row, outlineWidth) + outlineName + outlineGap
	}
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

// outline is one slice as an image of two pixels a point of 1.5 mm: the image below, in 32 grays, and a line where one
// region ends and another begins.
func (b NamedBrain) outline(cut outlineCut, at float64, paint []color.NRGBA) image.Image {
	const step = 1.5
	w, h := max(1, int(b.size(cut.right)/step)), max(1, int(b.size(cut.up)/step))
	place := func(i, j int) (x, y, z float64) {
		var of [3]float64
		of[cut.depth] = at
		of[cut.right] = b.Low[cut.right] + (float64(i)+0.5)*step
		of[cut.up] = b.High[cut.up] - (float64(j)+0.5)*step
		return of[0], of[1], of[2]
	}
	regions := make([]int, (w+1)*(h+1))
	for j := range h + 1 {
		for i := range w + 1 {
			regions[j*(w+1)+i] = b.Region(place(i, j))
		}
	}
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for j := range h {
		for i := range w {
			v := b.Under(place(i, j))
			if math.IsNaN(v) { // air
				v = 0
			}
			g := uint8(8 * math.Round(31*min(max(v, 0), 1)))
			here := color.NRGBA{g, g, g, 0xff}
			n := regions[j*(w+1)+i]
			for _, other := range [2]int{regions[j*(w+1)+i+1], regions[(j+1)*(w+1)+i]} {
				if other != n {
					here = paint[max(n, other)-1]
					if n != 0 {
						here = paint[n-1]
					}
					break
				}
			}
			img.SetNRGBA(i, j, here)
		}
	}
	return ours.Cells{Image: img}
}
