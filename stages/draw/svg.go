package draw

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"slices"
	"sync"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"

	"prgnn/internal/markup"
	"prgnn/internal/words"
)

// SVG is the figure as an SVG document. It embeds the glyphs of its texts.
func (f Figure) SVG() ([]byte, error) {
	c := &svgCanvas{Canvas: vgsvg.New(f.Width, f.Height), texts: map[xfont.Weight]*written{}}
	f.paint(c)
	if c.err != nil {
		return nil, c.err
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
	}
	s := b.Bytes()
	// The family is said once, for the whole document.
	for _, change := range [][2]string{
		{"<svg ", `<svg font-family="` + families + `" `},
		{"font-family:Liberation Sans;font-variant:normal;", ""},
		{"font-weight:normal;", ""},
		{"font-style:normal;", ""},
		{"\n\tstyle=", " style="},
	} {
		s = bytes.ReplaceAll(s, []byte(change[0]), []byte(change[1]))
	}
	s = c.withImages(s)
	style, err := c.fontFaces()
	if err != nil || style == "" {
		return s, err
	}
	at := bytes.Index(s, []byte("<svg"))
	at += bytes.IndexByte(s[at:], '>') + 1
	return slices.Concat(s[:at], []byte("\n<style>"+style+"</style>"), s[at:]), nil
}

// An svgCanvas leaves out of texts what XML cannot hold (vgsvg escapes as for HTML), and remembers which characters
// were written. It encodes images itself.
type svgCanvas struct {
	*vgsvg.Canvas
	texts  map[xfont.Weight]*written
	images []string // elements, in their order
	err    error
}

// written are the characters of a font that a figure shows.
type written struct {
	font       *sfnt.Font
	characters []rune
}

func (c *svgCanvas) FillString(f font.Face, at vg.Point, text string) {
	text = markup.Characters(words.InOrder(text))
	w := c.texts[f.Font.Weight]
	if w == nil {
		w = &written{font: f.Face}
		c.texts[f.Font.Weight] = w
	}
	w.characters = append(w.characters, []rune(text)...)
	c.Canvas.FillString(f, at, text)
}

func (c *svgCanvas) fontFaces() (style string, err error) {
	for _, weight := range slices.Sorted(maps.Keys(c.texts)) {
		face, err := fontFace(c.texts[weight].font, weight == xfont.WeightBold, c.texts[weight].characters)
		if err != nil {
			return "", err
		}
		style += face
	}
	return style, nil
}

// Cells are an image whose pixels are the cells of a matrix or of a grid: they keep sharp edges when a viewer enlarges
// them.
type Cells struct{ image.Image }

// DrawImage writes an image as a PNG, of at most 256 colors by their numbers (a third of the bytes). vgsvg would say
// jpg of PNG (strict viewers refuse), leave viewers to keep proportions, and compress little: an empty path keeps the
// place.
func (c *svgCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	how := ""
	if cells, ok := img.(Cells); ok {
		img, how = cells.Image, ` image-rendering="optimizeSpeed" style="image-rendering:pixelated"`
	}
	var b bytes.Buffer
	if err := quick.Encode(&b, indexed(img)); err != nil {
		c.err = fmt.Errorf("an image of the figure: %w", err)
		return
	}
	size := r.Size()
	c.images = append(c.images, fmt.Sprintf(`<image x="%v" y="%v" width="%v" height="%v" preserveAspectRatio="none"%s `+
		`xlink:href="data:image/png;base64,%s" transform="scale(1, -1)" />`, r.Min.X.Points(),
		-r.Min.Y.Points()-size.Y.Points(), size.X.Points(), size.Y.Points(), how,
		base64.StdEncoding.EncodeToString(b.Bytes())))
	c.Canvas.Fill(nil)
}

// Fill leaves out empty paths.
func (c *svgCanvas) Fill(path vg.Path) {
	if len(path) > 0 {
		c.Canvas.Fill(path)
	}
}

// quick writes PNGs in a ninth of the time that the smallest ones take, of 8% more bytes.
var quick = png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: &buffers{}}

// buffers are those of PNGs that have been written.
type buffers struct{ sync.Pool }

func (b *buffers) Get() *png.EncoderBuffer {
	old, _ := b.Pool.Get().(*png.EncoderBuffer)
	return old
}

func (b *buffers) Put(used *png.EncoderBuffer) { b.Pool.Put(used) }

// withImages puts the images into their places.
func (c *svgCanvas) withImages(svg []byte) []byte {
	var out []byte
	for _, image := range c.images {
		before, rest, _ := bytes.Cut(svg, []byte(`<path d=""`))
		_, after, _ := bytes.Cut(rest, []byte("/>"))
		out, svg = append(append(out, before...), image...), after
	}
	return append(out, svg...)
}

// indexed is an image of at most 256 colors by their numbers; other images stay.
func indexed(img image.Image) image.Image {
	of, ok := img.(*image.NRGBA)
	if !ok {
		return img
	}
	out := image.NewPaletted(of.Rect, nil)
	var colors [256]uint32
	var place [1024]uint16 // by a hash of a color, or behind it: its number plus 1; 0 where there is none
	for i := range out.Pix {
		c := binary.LittleEndian.Uint32(of.Pix[4*i:])
		at := c * 0x9e3779b1 >> 22
		for place[at] > 0 && colors[place[at]-1] != c {
			at = (at + 1) % uint32(len(place))
		}
		if place[at] == 0 {
			if len(out.Palette) == len(colors) {
				return img
			}
			colors[len(out.Palette)] = c
			out.Palette = append(out.Palette, color.NRGBA{byte(c), byte(c >> 8), byte(c >> 16), byte(c >> 24)})
			place[at] = uint16(len(out.Palette))
		}
		out.Pix[i] = uint8(place[at] - 1)
	}
	return out
}
