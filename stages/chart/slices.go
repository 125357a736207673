package chart

import (
	"fmt"
	"image"
	"image/color"
	"math"

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
// the picture being the left of the brain. low and high are the scores of the colour
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
	width := (page - bar) / each
	var heights [3]vg.Length
	total := vg.Length(4)
	for i, c := range cuts {
		heights[i] = (width - gap) * vg.Length(size(c.up)/size(c.right))
		total += heights[i] + head + gap
	}
	f := ours.Figure{Width: page, Height: total}
	f.Paint = func(c draw.Canvas) {
		top := c.Max.Y - 2
		for i, cut := range cuts {
			for k := range each {
				// Equally spaced within the middle 80 % of the extent.
				at := b.Low[cut.depth] + size(cut.depth)*(0.1+0.8*(float64(k)+0.5)/each)
				left := c.Min.X + width*vg.Length(k)
				ours.Text(c, vg.Point{X: left + (width-gap)/2, Y: top}, fmt.Sprintf("%s = %.0f mm", cut.name, at), ours.Style(ours.TickSize-1, false), draw.XCenter, draw.YTop)
				c.DrawImage(vg.Rectangle{Min: vg.Point{X: left, Y: top - head - heights[i]}, Max: vg.Point{X: left + width - gap, Y: top - head}},
					b.slice(cut.depth, cut.right, cut.up, at, low, high))
			}
			top -= heights[i] + head + gap
		}
		strip := c
		strip.Rectangle = vg.Rectangle{Min: vg.Point{X: c.Max.X - bar + 12, Y: c.Max.Y - 2 - min(heights[0]+head, 120)}, Max: vg.Point{X: c.Max.X, Y: c.Max.Y - 2}}
		ours.Bar(strip, heat, low, high, b.Scale)
	}
	return f
}

// slice is one cut as an image, a point every mm and a half.
func (b Brain) slice(depth, right, up int, at, low, high float64) image.Image {
	const step = 1.5
	w, h := max(1, int((b.High[right]-b.Low[right])/step)), max(1, int((b.High[up]-b.Low[up])/step))
	regions := make([]int, w*h)
	place := func(i, j int) [3]float64 {
		var p [3]float64
		p[depth] = at
		p[right] = b.Low[right] + (float64(i)+0.5)*step
		p[up] = b.High[up] - (float64(j)+0.5)*step
		return p
	}
	for j := range h {
		for i := range w {
			p := place(i, j)
			regions[j*w+i] = b.Region(p[0], p[1], p[2])
		}
	}
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for j := range h {
		for i := range w {
			n := regions[j*w+i]
			paint := color.NRGBA{0xff, 0xff, 0xff, 0xff}
			if b.Under != nil {
				p := place(i, j)
				if v := b.Under(p[0], p[1], p[2]); !math.IsNaN(v) {
					g := uint8(math.Round(80 + 155*min(max(v, 0), 1))) // light enough for the colours above it
					paint = color.NRGBA{g, g, g, 0xff}
				}
			} else if n != 0 {
				paint = color.NRGBA{0xdd, 0xe0, 0xe4, 0xff}
			}
			if score, ok := b.Score[n]; ok && n != 0 {
				paint = heat.At((score - low) / (high - low))
			}
			// Where a region ends, its edge is darker: neighbours of one colour stay apart.
			if n != 0 && (b.Under == nil || b.coloured(n)) && (i+1 < w && regions[j*w+i+1] != n || j+1 < h && regions[(j+1)*w+i] != n) {
				paint = color.NRGBA{darker(paint.R), darker(paint.G), darker(paint.B), 0xff}
			}
			img.SetNRGBA(i, j, paint)
		}
	}
	return ours.Enlarge(img, 2, 2)
}

func (b Brain) coloured(n int) bool {
	_, ok := b.Score[n]
	return ok
}

func darker(v uint8) uint8 { return uint8(float64(v) * 0.78) }
