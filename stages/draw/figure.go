package draw

import (
	"bytes"
	"image/color"
	"image/png"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"prgnn/internal/markup"
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

// SVG is the figure as an SVG document.
func (f Figure) SVG() ([]byte, error) {
	c := vgsvg.New(f.Width, f.Height)
	f.paint(svgCanvas{c})
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
	}
	// A viewer without the Liberation fonts takes a serif font for an unknown name. And
	// vgsvg says jpg of the images that it embeds, which are PNG (strict viewers refuse),
	// and leaves viewers to keep their proportions.
	s := b.Bytes()
	for _, change := range [][2]string{
		{"font-family:Liberation Sans;", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"},
		{`xlink:href="data:image/jpg;`, `xlink:href="data:image/png;`},
		{`<image x="`, `<image preserveAspectRatio="none" x="`},
	} {
		s = bytes.ReplaceAll(s, []byte(change[0]), []byte(change[1]))
	}
	return s, nil
}

// An svgCanvas leaves out of texts what XML cannot hold: vgsvg escapes as for HTML.
type svgCanvas struct{ *vgsvg.Canvas }

func (c svgCanvas) FillString(f font.Face, at vg.Point, text string) {
	c.Canvas.FillString(f, at, markup.Characters(text))
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
