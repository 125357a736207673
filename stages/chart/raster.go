package chart

import (
	"image"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	ours "prgnn/stages/draw"
)

// A Raster is a view of a parcellation, before it is colored: a slice, or a hemisphere from one side.
type Raster struct {
	Name          string
	Left, Right   string // letters at the upper corners: L and R, or where the front is
	Width, Height int    // pixels, the first row at the top
	Step          float64
	Region        []int         // of each pixel; 0 for none
	Ground        []color.NRGBA // where no colored region lies; alpha 0 for nothing
	Light         []uint8       // how bright a region is here; 255 is its own color
	Outlined      bool          // the edges of all regions are drawn, not only of colored ones
}

// Regions are the values and marks that color a view.
type Regions struct {
	Value map[int]float64 // 0 … 1 on the color scale
	Ring  map[int]bool    // outlined in green
}

// ringColor marks regions: shared, or planted.
var ringColor = color.NRGBA{0x00, 0x7a, 0x33, 0xff}

func shade(c color.NRGBA, light uint8) color.NRGBA {
	f := func(v uint8) uint8 { return uint8(int(v) * int(light) / 255) }
	return color.NRGBA{f(c.R), f(c.G), f(c.B), c.A}
}

// image colors a view. All arithmetic is in whole numbers but for the color scale.
func (r Raster) image(of Regions) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, r.Width, r.Height))
	region := func(i, j int) int {
		if i < 0 || j < 0 || i >= r.Width || j >= r.Height {
			return 0
		}
		return r.Region[j*r.Width+i]
	}
	wide := max(1, int(2/r.Step)) // of a ring, pixels: 2 mm
	for j := range r.Height {
		for i := range r.Width {
			n := region(i, j)
			paint := r.Ground[j*r.Width+i]
			value, colored := of.Value[n]
			colored = colored && n != 0
			if colored {
				paint = shade(heat.At(value), r.Light[j*r.Width+i])
			}
			// The edge of a region is darker: neighbors of one color stay apart.
			if n != 0 && (colored || r.Outlined) && (i+1 < r.Width && region(i+1, j) != n || j+1 < r.Height &&
				region(i, j+1) != n) {
				paint = shade(paint, 199)
			}
			if n != 0 && of.Ring[n] {
				for k := 1; k <= wide; k++ {
					if region(i-k, j) != n || region(i+k, j) != n || region(i, j-k) != n || region(i, j+k) != n {
						paint = ringColor
					}
				}
			}
			img.SetNRGBA(i, j, paint)
		}
	}
	return img
}

// sizes are the width and height in mm.
func (r Raster) sizes() (float64, float64) {
	return float64(r.Width) * r.Step, float64(r.Height) * r.Step
}

// paint draws the view into the upper middle of a rectangle, unit points a mm, with its letters.
func (r Raster) paint(c draw.Canvas, in vg.Rectangle, unit vg.Length, of Regions) (at vg.Rectangle) {
	w, h := r.sizes()
	left := (in.Min.X + in.Max.X - vg.Length(w)*unit) / 2
	at = vg.Rectangle{Min: vg.Point{X: left, Y: in.Max.Y - vg.Length(h)*unit},
		Max: vg.Point{X: left + vg.Length(w)*unit, Y: in.Max.Y}}
	c.DrawImage(at, r.image(of))
	small := ours.Style(ours.TickSize-2, false)
	small.Color = ours.Ink
	ours.Text(c, vg.Point{X: in.Min.X + 1, Y: in.Max.Y}, r.Left, small, draw.XLeft, draw.YTop)
	ours.Text(c, vg.Point{X: in.Max.X - 1, Y: in.Max.Y}, r.Right, small, draw.XRight, draw.YTop)
	return at
}

func (r Raster) visible() map[int][]int {
	all := map[int][]int{}
	for i, n := range r.Region {
		if n != 0 {
			all[n] = append(all[n], i)
		}
	}
	return all
}

// middle is the pixel of a region that is nearest to the mean of its pixels.
func (r Raster) middle(pixels []int) (x, y int) {
	sx, sy := 0, 0
	for _, p := range pixels {
		sx, sy = sx+p%r.Width, sy+p/r.Width
	}
	n, least := len(pixels), -1
	for _, p := range pixels { // distances times n: whole numbers
		dx, dy := p%r.Width*n-sx, p/r.Width*n-sy
		if d := dx*dx + dy*dy; least < 0 || d < least {
			x, y, least = p%r.Width, p/r.Width, d
		}
	}
	return x, y
}
