package draw

import (
	"bytes"
	"image/color"
	"image/png"
	"maps"
	"slices"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
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

// SVG is the figure as an SVG document. It embeds the glyphs of its texts.
func (f Figure) SVG() ([]byte, error) {
	c := svgCanvas{vgsvg.New(f.Width, f.Height), map[xfont.Weight]*written{}}
	f.paint(c)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
	}
	// vgsvg says jpg of the images that it embeds, which are PNG (strict viewers refuse), and leaves viewers to keep
	// their proportions.
	s := b.Bytes()
	for _, change := range [][2]string{
		{"font-family:Liberation Sans;", "font-family:" + families + ";"},
		{`xlink:href="data:image/jpg;`, `xlink:href="data:image/png;`},
		{`<image x="`, `<image preserveAspectRatio="none" x="`},
	} {
		s = bytes.ReplaceAll(s, []byte(change[0]), []byte(change[1]))
	}
	style, err := c.fontFaces()
	if err != nil || style == "" {
		return s, err
	}
	at := bytes.Index(s, []byte("<svg"))
	at += bytes.IndexByte(s[at:], '>') + 1
	return slices.Concat(s[:at], []byte("\n<style>"+style+"</style>"), s[at:]), nil
}

// An svgCanvas leaves out of texts what XML cannot hold (vgsvg escapes as for HTML), and remembers which characters
// were written.
type svgCanvas struct {
	*vgsvg.Canvas
	texts map[xfont.Weight]*written
}

// written are the characters of a font that a figure shows.
type written struct {
	font       *sfnt.Font
	characters []rune
}

func (c svgCanvas) FillString(f font.Face, at vg.Point, text string) {
	text = markup.Characters(text)
	w := c.texts[f.Font.Weight]
	if w == nil {
		w = &written{font: f.Face}
		c.texts[f.Font.Weight] = w
	}
	w.characters = append(w.characters, []rune(text)...)
	c.Canvas.FillString(f, at, text)
}

func (c svgCanvas) fontFaces() (style string, err error) {
	for _, weight := range slices.Sorted(maps.Keys(c.texts)) {
		face, err := fontFace(c.texts[weight].font, weight == xfont.WeightBold, c.texts[weight].characters)
		if err != nil {
			return "", err
		}
		style += face
	}
	return style, nil
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
