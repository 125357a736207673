package draw

import (
	"image"

	"gonum.org/v1/plot/vg"
)

// DrawImage draws an image into a rectangle: every pixel of the picture is the mean of
// what it covers of the image, so cells keep sharp edges and nothing is left out. The
// canvas must not be turned.
func (c *pixels) DrawImage(r vg.Rectangle, img image.Image) {
	m := c.pen().place
	if m.b != 0 || m.c != 0 || m.a <= 0 || m.d >= 0 {
		panic("draw: an image on a turned canvas")
	}
	lower, upper := m.of(r.Min).fixed(), m.of(r.Max).fixed()
	size := img.Bounds().Size()
	columns := shares(int(lower.X), int(upper.X), size.X, c.image.Rect.Dx())
	rows := shares(int(upper.Y), int(lower.Y), size.Y, c.image.Rect.Dy())
	// What a pixel that is wholly covered weighs.
	whole := uint64(64*size.X) * uint64(64*size.Y)
	from := img.Bounds().Min
	for y, vertical := range rows {
		for x, horizontal := range columns {
			var sum [4]uint64
			for _, v := range vertical {
				for _, h := range horizontal {
					r, g, b, a := img.At(from.X+h.cell, from.Y+v.cell).RGBA()
					weight := h.weight * v.weight
					for k, value := range [4]uint32{r, g, b, a} {
						sum[k] += weight * uint64(value)
					}
				}
			}
			pixel := c.image.Pix[c.image.PixOffset(x, y):][:4:4]
			clear := whole*0xffff - sum[3]
			for k := range pixel {
				pixel[k] = uint8((sum[k] + clear/0xffff*0x101*uint64(pixel[k]) + whole*0x80) / (whole * 0x101))
			}
		}
	}
}

// A share is how much of a cell of an image lies in a pixel: by weights, of which a whole
// pixel has 64 times the number of cells.
type share struct {
	cell   int
	weight uint64
}

// shares are those of each pixel in which an image of so many cells lies, in one
// dimension. The image reaches from low to high, in 1/64 of a pixel; pixels outside the
// picture are left out.
func shares(low, high, cells, pixels int) map[int][]share {
	out := map[int][]share{}
	extent := high - low
	if extent <= 0 {
		return out
	}
	for pixel := max(low>>6, 0); pixel < pixels && pixel*64 < high; pixel++ {
		// In units in which both a cell and 1/64 of a pixel are whole: of extent·cells.
		from, to := (max(pixel*64, low)-low)*cells, (min(pixel*64+64, high)-low)*cells
		for cell := from / extent; cell < cells && cell*extent < to; cell++ {
			if w := min(to, (cell+1)*extent) - max(from, cell*extent); w > 0 {
				out[pixel] = append(out[pixel], share{cell, uint64(w)})
			}
		}
	}
	return out
}
