package draw

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"github.com/golang/freetype/raster"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"prgnn/numeric/exact"
)

// pixels is a canvas of pixels. What it is told to draw becomes polygons in 1/64 of a
// pixel, and coverage is counted in whole numbers, so a picture is the same bytes
// on every processor. (gonum's own, vgimg, samples text and images in floating point.)
type pixels struct {
	width, height vg.Length
	image         *image.RGBA
	raster        *raster.Rasterizer
	paint         *raster.RGBAPainter
	pens          []pen // the last one draws
}

// A pen is what Push keeps.
type pen struct {
	color  color.Color
	width  float64 // points
	dash   []float64
	offset float64
	place  affine
}

func newPixels(width, height vg.Length) *pixels {
	size := func(l vg.Length) int { return int(math.Floor(float64(l*DPI/72) + 0.5)) }
	img := image.NewRGBA(image.Rect(0, 0, size(width), size(height)))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	c := &pixels{width: width, height: height, image: img, raster: raster.NewRasterizer(img.Rect.Dx(), img.Rect.Dy()),
		paint: raster.NewRGBAPainter(img)}
	c.raster.UseNonZeroWinding = true
	// From points, upwards from the lower left, to pixels, downwards from the upper left.
	c.pens = []pen{{place: affine{DPI / 72., 0, 0, -DPI / 72., 0, float64(img.Rect.Dy())}}}
	vg.Initialize(c)
	return c
}

func (c *pixels) pen() *pen { return &c.pens[len(c.pens)-1] }

func (c *pixels) Size() (w, h vg.Length) { return c.width, c.height }

func (c *pixels) SetLineWidth(w vg.Length) { c.pen().width = w.Points() }

func (c *pixels) SetLineDash(pattern []vg.Length, offset vg.Length) {
	p := c.pen()
	p.dash, p.offset = nil, offset.Points()
	for _, l := range pattern {
		p.dash = append(p.dash, l.Points())
	}
}

func (c *pixels) SetColor(to color.Color) {
	if to == nil {
		to = color.Black
	}
	c.pen().color = to
}

func (c *pixels) Rotate(angle float64) {
	sin, cos := exact.Sincos(angle)
	c.pen().place = c.pen().place.after(affine{cos, -sin, sin, cos, 0, 0})
}

func (c *pixels) Translate(by vg.Point) {
	c.pen().place = c.pen().place.after(affine{1, 0, 0, 1, by.X.Points(), by.Y.Points()})
}

func (c *pixels) Scale(x, y float64) { c.pen().place = c.pen().place.after(affine{x, 0, 0, y, 0, 0}) }

func (c *pixels) Push() { c.pens = append(c.pens, *c.pen()) }

func (c *pixels) Pop() { c.pens = c.pens[:len(c.pens)-1] }

func (c *pixels) Fill(p vg.Path) { c.fill(polygons(p, c.pen().place)) }

// fill fills polygons that are given in pixels.
func (c *pixels) fill(polygons []polygon) {
	for _, p := range polygons {
		for i, at := range p.points {
			if i == 0 {
				c.raster.Start(at.fixed())
			} else {
				c.raster.Add1(at.fixed())
			}
		}
		c.raster.Add1(p.points[0].fixed())
	}
	c.flush()
}

func (c *pixels) Stroke(p vg.Path) {
	pen := c.pen()
	width := fixed.Int26_6(math.Floor(float64(pen.width*pen.place.scale()*64) + 0.5))
	if width <= 0 {
		return
	}
	for _, line := range polygons(p, pen.place) {
		for _, part := range line.dashed(pen) {
			var path raster.Path
			last := fixed.Point26_6{}
			for i, at := range part.points {
				switch f := at.fixed(); {
				case i == 0:
					path.Start(f)
					last = f
				case f != last: // a step of no length has no direction
					path.Add1(f)
					last = f
				}
			}
			if part.closed && len(part.points) > 1 {
				// The rasteriser joins no ends: the beginning of the first side again gives
				// the corner.
				first, second := part.points[0], part.points[1]
				if first.fixed() != last {
					path.Add1(first.fixed())
				}
				if length := first.distance(second); length > 1 {
					path.Add1(first.to(second, 1/length).fixed())
				}
			}
			c.raster.AddStroke(path, width, raster.ButtCapper, raster.RoundJoiner)
		}
	}
	c.flush()
}

func (c *pixels) flush() {
	c.paint.SetColor(c.pen().color)
	c.raster.Rasterize(c.paint)
	c.raster.Clear()
}

// FillString fills the outlines of the letters, with the widths by which gonum/plot lays
// text out.
func (c *pixels) FillString(f font.Face, at vg.Point, text string) {
	var buf sfnt.Buffer
	em := fixed.Int26_6(f.Face.UnitsPerEm()) // a pixel an em's unit: whole numbers
	size := f.Font.Size.Points() / float64(em)
	var letters vg.Path
	x, last := 0, sfnt.GlyphIndex(0)
	for i, r := range text {
		index, err := f.Face.GlyphIndex(&buf, r)
		if err != nil {
			panic(err) // the fonts are compiled in
		}
		if i > 0 {
			if kern, err := f.Face.Kern(&buf, last, index, em, 0); err == nil {
				x += int(kern)
			}
		}
		segments, err := f.Face.LoadGlyph(&buf, index, em, nil)
		if err != nil {
			panic(err)
		}
		to := func(p fixed.Point26_6) vg.Point {
			return vg.Point{X: at.X + vg.Length(float64(x+int(p.X))*size), Y: at.Y - vg.Length(float64(p.Y)*size)}
		}
		for _, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				letters.Move(to(s.Args[0]))
			case sfnt.SegmentOpLineTo:
				letters.Line(to(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				letters.QuadTo(to(s.Args[0]), to(s.Args[1]))
			case sfnt.SegmentOpCubeTo:
				letters.CubeTo(to(s.Args[0]), to(s.Args[1]), to(s.Args[2]))
			}
		}
		advance, err := f.Face.GlyphAdvance(&buf, index, em, 0)
		if err != nil {
			panic(err)
		}
		x += int(advance)
		last = index
	}
	c.fill(polygons(letters, c.pen().place))
}
