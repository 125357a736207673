package chart

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// A Brain is what slices are cut from: functions of a place in mm (RAS+).
type Brain struct {
	Low, High [3]float64 // mm: the space to show
	Region    func(x, y, z float64) int
	Under     func(x, y, z float64) float64 // 0 … 1, what lies under the regions; NaN outside; nil for none
	Score     map[int]float64               // of the regions that are colored
	Scale     string                        // what the colors are: score, contrast
}

// Slices cuts the brain in the three directions, each at several depths, the left of
// the picture being the left of the brain. low and high are the scores of the color
// scale's ends.
func Slices(b Brain, low, high float64) ours.Figure {
	const each, gap, head, bar = 6, 3, 12, 58
	type cut struct {
		name         string
		depth, right int
		up           int
	}
	cuts := []cut{{"axial, z", 2, 0, 1}, {"coronal, y", 1, 0, 2}, {"sagittal, x", 0, 1, 2}}
	size := func(a int) float64 { return b.High[a] - b.Low[a] }
	width := (Page - bar) / each
	var heights [3]vg.Length
	total := vg.Length(4)
	for i, c := range cuts {
		heights[i] = (width - gap) * vg.Length(size(c.up)/size(c.right))
		total += heights[i] + head + gap
	}
	f := ours.Figure{Width: Page, Height: total}
	shown := Regions{Value: map[int]float64{}}
	for n, score := range b.Score {
		shown.Value[n] = (score - low) / (high - low)
	}
	f.Paint = func(c draw.Canvas) {
		top := c.Max.Y - 2
		for i, cut := range cuts {
			for k := range each {
				at := b.depth(cut.depth, k, each)
				left := c.Min.X + width*vg.Length(k)
				ours.Text(c, vg.Point{X: left + (width-gap)/2, Y: top}, cut.name+" = "+millimeters(at),
					ours.Style(ours.TickSize-1, false), draw.XCenter, draw.YTop)
				c.DrawImage(vg.Rectangle{Min: vg.Point{X: left, Y: top - head - heights[i]},
					Max: vg.Point{X: left + width - gap, Y: top - head}},
					ours.Cells{Image: b.slice(cut.depth, cut.right, cut.up, at).image(shown)})
			}
			top -= heights[i] + head + gap
		}
		strip := c
		strip.Rectangle = vg.Rectangle{Min: vg.Point{X: c.Max.X - bar + 12, Y: c.Max.Y - 2 - min(heights[0]+head, 120)},
			Max: vg.Point{X: c.Max.X, Y: c.Max.Y - 2}}
		ours.Bar(strip, heat, low, high, b.Scale)
	}
	return f
}

// depth is where slice k of n along an axis lies: whole mm, equally spaced within the middle 80 % of the extent.
func (b Brain) depth(axis, k, n int) float64 {
	size := b.High[axis] - b.Low[axis]
	return math.Round(b.Low[axis] + float64(size*(0.1+float64(0.8*(float64(k)+0.5))/float64(n))))
}

func millimeters(x float64) string {
	return strings.Replace(fmt.Sprintf("%.0f mm", x+0), "-", "−", 1) // −0 + 0 is 0
}

// AxialCuts are n axial slices, from below.
func (b Brain) AxialCuts(n int) (cuts []Raster) {
	for k := range n {
		at := b.depth(2, k, n)
		r := b.slice(2, 0, 1, at)
		r.Name, r.Left, r.Right = "z = "+millimeters(at), "L", "R"
		cuts = append(cuts, r)
	}
	return cuts
}

// slice is one cut, a point every mm and a half.
func (b Brain) slice(depth, right, up int, at float64) Raster {
	const step = 1.5
	w, h := max(1, int((b.High[right]-b.Low[right])/step)), max(1, int((b.High[up]-b.Low[up])/step))
	r := Raster{Width: w, Height: h, Step: step, Region: make([]int, w*h), Ground: make([]color.NRGBA, w*h),
		Light: make([]uint8, w*h), Outlined: b.Under == nil}
	for j := range h {
		for i := range w {
			var p [3]float64
			p[depth] = at
			p[right] = b.Low[right] + float64((float64(i)+0.5)*step)
			p[up] = b.High[up] - float64((float64(j)+0.5)*step)
			n := b.Region(p[0], p[1], p[2])
			paint := color.NRGBA{0xff, 0xff, 0xff, 0xff}
			if b.Under != nil {
				if v := b.Under(p[0], p[1], p[2]); !math.IsNaN(v) {
					g := uint8(math.Round(80 + float64(155*min(max(v, 0), 1)))) // light enough for the colors above it
					paint = color.NRGBA{g, g, g, 0xff}
				}
			} else if n != 0 {
				paint = color.NRGBA{0xdd, 0xe0, 0xe4, 0xff}
			}
			r.Region[j*w+i], r.Ground[j*w+i], r.Light[j*w+i] = n, paint, 0xff
		}
	}
	return r
}
