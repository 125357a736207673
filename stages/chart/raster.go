package chart

import (
	"image"
	"image/color"
	"slices"

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
	Edges         []color.NRGBA // of each region, the color of a line where it ends; nil for a darker edge
}

// Regions are the values and marks that color a view.
type Regions struct {
	Value map[int]float64 // 0 … 1 on the color scale
	Ring  map[int]bool    // outlined: planted, or Shared
	// Shared is that outlines are of regions that all participants share. They have a color of their own.
	Shared bool
}

// ringColor marks planted regions, sharedColor those that all participants share.
var (
	ringColor   = color.NRGBA{0x00, 0x7a, 0x33, 0xff}
	sharedColor = color.NRGBA{0x00, 0x4c, 0xc4, 0xff}
)

// ring is the color of outlines.
func (r Regions) ring() color.NRGBA {
	if r.Shared {
		return sharedColor
	}
	return ringColor
}

// Shade is a color in less light; 255 is its own.
func Shade(c color.NRGBA, light uint8) color.NRGBA {
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
				paint = Shade(heat.At(value), r.Light[j*r.Width+i])
			}
			// The edge of a region is darker: neighbors of one color stay apart.
			right, below := region(min(i+1, r.Width-1), j), region(i, min(j+1, r.Height-1))
			switch edge := right != n || below != n; {
			case edge && r.Edges != nil:
				of := n
				if n == 0 {
					of = max(right, below)
				}
				paint = r.Edges[of-1]
			case edge && n != 0 && (colored || r.Outlined):
				paint = Shade(paint, 199)
			}
			// An outline lies between white lines: its color alone does not differ enough from that of the regions.
			within := func(k int) bool { // that the region ends within so many pixels
				return region(i-k, j) != n || region(i+k, j) != n || region(i, j-k) != n || region(i, j+k) != n
			}
			switch ringed := of.Ring[n] && n != 0; {
			case ringed && (within(1) || within(wide)):
				paint = of.ring()
			case ringed && within(wide+1), !ringed && slices.ContainsFunc(
				[]int{region(i-1, j), right, region(i, j-1), below},
				func(m int) bool { return m != 0 && of.Ring[m] }):
				paint = color.NRGBA{0xff, 0xff, 0xff, 0xff}
			}
			img.SetNRGBA(i, j, paint)
		}
	}
	return img
}

func (r Raster) size() (float64, float64) {
	return float64(r.Width) * r.Step, float64(r.Height) * r.Step
}

func (r Raster) names() (below, left, right string) { return r.Name, r.Left, r.Right }

func (r Raster) paint(c draw.Canvas, in vg.Rectangle, of Regions) {
	if r.Edges != nil {
		c.DrawImage(in, ours.Cells{Image: r.image(of)})
		return
	}
	c.DrawImage(in, r.image(of))
}

// spot is the pixel of a region that is nearest to the mean of its pixels.
func (r Raster) spot(region int) (at spot) {
	sx, sy, n, least := 0, 0, 0, -1
	for p, of := range r.Region {
		if of == region {
			sx, sy, n = sx+p%r.Width, sy+p/r.Width, n+1
		}
	}
	at.area = float64(n) * r.Step * r.Step
	for p, of := range r.Region { // distances times n: whole numbers
		dx, dy := p%r.Width*n-sx, p/r.Width*n-sy
		if d := dx*dx + dy*dy; of == region && (least < 0 || d < least) {
			at.x, at.y = (float64(p%r.Width)+0.5)/float64(r.Width), (float64(p/r.Width)+0.5)/float64(r.Height)
			least = d
		}
	}
	return at
}
