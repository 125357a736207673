package draw

import (
	"image"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"prgnn/internal/lists"
)

// snapped is a canvas that moves every point and length it is given to a grid of
// 1/1024 point, a hundredth of what an eye or a printer can tell apart.
//
// A compiler may fuse x·y+z into one rounding, on arm64 and on newer amd64, in gonum/plot
// as well as here, so the last bits of a coordinate are those of a processor. On the
// grid they are gone, and all that is drawn afterwards is exact. Numbers that people
// choose (halves, eighths) lie on the grid, and what lies between two of its points
// goes up from 0.37 on: the border is where no such number lies.
type snapped struct{ vg.CanvasSizer }

func snap(l vg.Length) vg.Length {
	const grid = 1024
	return vg.Length(math.Floor(float64(l*grid)+0.63) / grid)
}

func snapPoint(p vg.Point) vg.Point { return vg.Point{X: snap(p.X), Y: snap(p.Y)} }

func snapPath(p vg.Path) vg.Path {
	out := make(vg.Path, len(p))
	for i, c := range p {
		c.Pos, c.Radius = snapPoint(c.Pos), snap(c.Radius)
		control := lists.Map(c.Control, snapPoint)
		c.Control = control
		out[i] = c
	}
	return out
}

func (s snapped) SetLineWidth(w vg.Length) { s.CanvasSizer.SetLineWidth(snap(w)) }

func (s snapped) SetLineDash(pattern []vg.Length, offset vg.Length) {
	out := lists.Map(pattern, snap)
	s.CanvasSizer.SetLineDash(out, snap(offset))
}

func (s snapped) Translate(p vg.Point) { s.CanvasSizer.Translate(snapPoint(p)) }

func (s snapped) Stroke(p vg.Path) { s.CanvasSizer.Stroke(snapPath(p)) }

func (s snapped) Fill(p vg.Path) { s.CanvasSizer.Fill(snapPath(p)) }

func (s snapped) FillString(f font.Face, at vg.Point, text string) {
	s.CanvasSizer.FillString(f, snapPoint(at), text)
}

func (s snapped) DrawImage(r vg.Rectangle, img image.Image) {
	s.CanvasSizer.DrawImage(vg.Rectangle{Min: snapPoint(r.Min), Max: snapPoint(r.Max)}, img)
}
