package chart

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	ours "prgnn/stages/draw"
)

// A Brain is what slices are cut from: functions of a place in mm (RAS+).
type Brain struct {
	Low, High [3]float64 // mm: the space to show
	Region    func(x, y, z float64) int
	Under     func(x, y, z float64) float64 // 0 … 1, what lies under the regions; NaN outside; nil for none
	Score     map[int]float64               // of the regions that are colored
	Scale     string                        // what the colors are: score, contrast
	Edges     []color.NRGBA                 // of each region, the color of its outline; nil for filled regions
}

// Slices cuts the brain in the three directions, each at several depths, the left of
// the picture being the left of the brain. low and high are the scores of the color
// scale's ends.
func Slices(b Brain, low, high float64) ours.Figure {
	shown := Regions{Value: map[int]float64{}}
	for n, score := range b.Score {
		shown.Value[n] = (score - low) / (high - low)
	}
	const each = 6
	return regionMaps([][]view{views(b.cuts(axial, each)), views(b.cuts(coronal, each)), views(b.cuts(sagittal, each))},
		[]RegionMap{{Regions: shown}}, Colorbar{low, high, b.Scale}, "")
}

// A plane is a direction of slices: the axis that it cuts, and those to the right and upwards in the picture.
type plane struct {
	name, left, right string
	depth, across, up int
}

var axial, coronal, sagittal = plane{"z", "L", "R", 2, 0, 1}, plane{"y", "L", "R", 1, 0, 2}, plane{"x", "", "", 0, 1, 2}

// depth is where slice k of n along an axis lies: whole mm, equally spaced within the middle 80% of the extent.
func (b Brain) depth(axis, k, n int) float64 {
	size := b.High[axis] - b.Low[axis]
	return math.Round(b.Low[axis] + float64(size*(0.1+float64(0.8*(float64(k)+0.5))/float64(n))))
}

func millimeters(x float64) string {
	return strings.Replace(fmt.Sprintf("%.0f mm", x+0), "-", "−", 1) // −0 + 0 is 0
}

// AxialCuts are n axial slices, from below.
func (b Brain) AxialCuts(n int) []Raster { return b.cuts(axial, n) }

func (b Brain) cuts(p plane, n int) (cuts []Raster) {
	for k := range n {
		at := b.depth(p.depth, k, n)
		r := b.slice(p, at)
		r.Name, r.Left, r.Right = p.name+" = "+millimeters(at), p.left, p.right
		cuts = append(cuts, r)
	}
	return cuts
}

// slice is one cut, a point every mm and a half.
func (b Brain) slice(p plane, at float64) Raster {
	const step = 1.5
	w, h := max(1, int((b.High[p.across]-b.Low[p.across])/step)), max(1, int((b.High[p.up]-b.Low[p.up])/step))
	r := Raster{Width: w, Height: h, Step: step, Region: make([]int, w*h), Ground: make([]color.NRGBA, w*h),
		Light: make([]uint8, w*h), Outlined: b.Under == nil, Edges: b.Edges}
	for j := range h {
		for i := range w {
			var of [3]float64
			of[p.depth] = at
			of[p.across] = b.Low[p.across] + float64((float64(i)+0.5)*step)
			of[p.up] = b.High[p.up] - float64((float64(j)+0.5)*step)
			n := b.Region(of[0], of[1], of[2])
			paint := color.NRGBA{0xff, 0xff, 0xff, 0xff}
			if b.Under != nil {
				v := b.Under(of[0], of[1], of[2])
				g := uint8(255)
				switch {
				case b.Edges != nil: // 32 grays on black
					if g = 0; v > 0 {
						g = uint8(8 * math.Round(31*min(v, 1)))
					}
				case !math.IsNaN(v):
					g = uint8(math.Round(80 + float64(155*min(max(v, 0), 1)))) // light enough for the colors above it
				}
				paint = color.NRGBA{g, g, g, 0xff}
			} else if n != 0 {
				paint = color.NRGBA{0xdd, 0xe0, 0xe4, 0xff}
			}
			r.Region[j*w+i], r.Ground[j*w+i], r.Light[j*w+i] = n, paint, 0xff
		}
	}
	return r
}
