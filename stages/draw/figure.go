package draw

import (
	"bytes"
	"image/color"
	"image/png"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// DPI of a PNG: sharp at a column's width in print (89 mm at 200 dots an inch is what
// most journals ask of a half-tone).
const DPI = 200

// A Figure is a picture of a fixed size.
type Figure struct {
	Width, Height vg.Length
	// Paint draws on a white canvas of that size, the origin at the lower left. It is
	// called once a format and has to draw the same each time.
	Paint func(draw.Canvas)
}

// PNG is the figure as a PNG of DPI dots an inch.
func (f Figure) PNG() ([]byte, error) {
	c := newPixels(f.Width, f.Height)
	f.paint(c)
	var b bytes.Buffer
	err := png.Encode(&b, c.image)
	return b.Bytes(), err
}

func (f Figure) paint(on vg.CanvasSizer) {
	c := draw.New(snapped{on})
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	f.Paint(c)
}

// Sans is the font of all text, in points; bold for titles.
func Sans(size float64, bold bool) font.Font {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return f
}
