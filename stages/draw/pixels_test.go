package draw

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"prgnn/internal/need"
)

// ink is how many pixels' worth of black a canvas holds.
func ink(c *pixels) float64 {
	sum := 0.
	for i := 0; i < len(c.image.Pix); i += 4 {
		sum += 1 - float64(c.image.Pix[i])/255
	}
	return sum
}

const perPoint = DPI / 72. // pixels

func TestAreas(t *testing.T) {
	draws := map[string]struct {
		draw func(c vg.Canvas)
		want float64 // square points
		near float64
	}{
		"rectangle between pixels": {func(c vg.Canvas) {
			c.Fill(vg.Rectangle{Min: vg.Point{X: 3.3, Y: 4.7}, Max: vg.Point{X: 20.1, Y: 9.9}}.Path())
		}, 16.8 * 5.2, 0.3},
		"disc": {func(c vg.Canvas) {
			var p vg.Path
			p.Move(vg.Point{X: 35, Y: 20})
			p.Arc(vg.Point{X: 25, Y: 20}, 10, 0, 2*math.Pi)
			p.Close()
			c.Fill(p)
		}, math.Pi * 100, 1},
		"hole": {func(c vg.Canvas) { // wound the other way round
			p := vg.Rectangle{Max: vg.Point{X: 20, Y: 20}}.Path()
			p.Move(vg.Point{X: 5, Y: 5})
			p.Line(vg.Point{X: 5, Y: 10})
			p.Line(vg.Point{X: 10, Y: 10})
			p.Line(vg.Point{X: 10, Y: 5})
			p.Close()
			c.Fill(p)
		}, 400 - 25, 0.3},
		"parabola": {func(c vg.Canvas) { // two thirds of the triangle of its control points
			var p vg.Path
			p.Move(vg.Point{X: 2, Y: 2})
			p.QuadTo(vg.Point{X: 22, Y: 32}, vg.Point{X: 42, Y: 2})
			p.Close()
			c.Fill(p)
		}, 2. / 3 * 40 * 30 / 2, 0.6},
		"line": {func(c vg.Canvas) {
			c.SetLineWidth(3)
			c.Stroke(vg.Path{{Type: vg.MoveComp, Pos: vg.Point{X: 5, Y: 5}},
				{Type: vg.LineComp, Pos: vg.Point{X: 35, Y: 30}}})
		}, 3 * math.Hypot(30, 25), 1.5},
		"dashes": {func(c vg.Canvas) { // 4 of every 6, and of the last 3 all
			c.SetLineWidth(2)
			c.SetLineDash([]vg.Length{4, 2}, 0)
			c.Stroke(vg.Path{{Type: vg.MoveComp, Pos: vg.Point{X: 5, Y: 5}},
				{Type: vg.LineComp, Pos: vg.Point{X: 38, Y: 5}}})
		}, 2 * (5*4 + 3), 0.5},
		"square's outline": {func(c vg.Canvas) { // all four corners; the joins are round
			c.SetLineWidth(2)
			c.Stroke(vg.Rectangle{Min: vg.Point{X: 10, Y: 10}, Max: vg.Point{X: 20, Y: 20}}.Path())
		}, 12*12 - 8*8 - 4 + math.Pi, 0.5},
		"turned": {func(c vg.Canvas) {
			c.Push()
			c.Translate(vg.Point{X: 25, Y: 10})
			c.Rotate(math.Pi / 6)
			c.Fill(vg.Rectangle{Max: vg.Point{X: 12, Y: 12}}.Path())
			c.Pop()
		}, 144, 0.3},
		"image": {func(c vg.Canvas) { // two of its six cells are black
			img := image.NewGray(image.Rect(0, 0, 3, 2))
			copy(img.Pix, []uint8{255, 0, 255, 255, 255, 0})
			c.DrawImage(vg.Rectangle{Min: vg.Point{X: 3.3, Y: 4.1}, Max: vg.Point{X: 28.7, Y: 17.6}}, img)
		}, 25.4 * 13.5 / 3, 0.5},
	}
	for name, d := range draws {
		c := newPixels(50, 40)
		d.draw(snapped{c})
		if got := ink(c) / (perPoint * perPoint); math.Abs(got-d.want) > d.near {
			t.Errorf("%s: covers %.2f square points, want %.2f", name, got, d.want)
		}
	}
}

func TestImageKeepsItsSides(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 2, 2))
	copy(img.Pix, []uint8{0, 80, 160, 255}) // the first row is the upper one
	c := newPixels(36, 36)
	c.DrawImage(vg.Rectangle{Max: vg.Point{X: 36, Y: 36}}, img)
	for _, w := range []struct {
		x, y int
		want uint8
	}{{10, 10, 0}, {90, 10, 80}, {10, 90, 160}, {90, 90, 255}, {49, 49, 0}, {50, 50, 255}} {
		need.Equal(t, c.image.RGBAAt(w.x, w.y).R, w.want, "pixel", w.x, w.y)
	}
}

func TestLayersShowThrough(t *testing.T) {
	c := newPixels(36, 36)
	c.SetColor(color.NRGBA{0, 0, 0, 0x80})
	c.Fill(vg.Rectangle{Max: vg.Point{X: 36, Y: 36}}.Path())
	img := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	img.SetNRGBA(0, 0, color.NRGBA{0xff, 0, 0, 0x80})
	c.DrawImage(vg.Rectangle{Max: vg.Point{X: 18, Y: 36}}, img)
	if got := c.image.RGBAAt(80, 50); got.R > 0x80 || got.R < 0x7e || got.A != 0xff {
		t.Errorf("half of black over white is %v", got)
	}
	if got := c.image.RGBAAt(20, 50); got.R < 0xbe || got.R > 0xc0 || got.G < 0x3e || got.G > 0x40 || got.A != 0xff {
		t.Errorf("half of red over grey is %v", got)
	}
}

// TestPixelsAgreeWithGonum holds our canvas against gonum's: text, lines and images lie
// at the same place, in the same colors.
func TestPixelsAgreeWithGonum(t *testing.T) {
	f := sample()
	b := need.Value(f.PNG())(t)
	ours := need.Value(png.Decode(bytes.NewReader(b)))(t)
	canvas := vgimg.NewWith(vgimg.UseWH(f.Width, f.Height), vgimg.UseDPI(DPI))
	f.Paint(draw.New(canvas))
	theirs := canvas.Image()
	if ours.Bounds() != theirs.Bounds() {
		t.Fatalf("%v, gonum's is %v", ours.Bounds(), theirs.Bounds())
	}
	// Edges are smoothed in other ways, so what is compared are means of 4 × 4 pixels.
	const cell, most = 4, 40
	size := ours.Bounds().Size()
	total := 0.
	for y := 0; y+cell <= size.Y; y += cell {
		for x := 0; x+cell <= size.X; x += cell {
			sum := 0
			for i := range cell * cell {
				r1, _, b1, _ := ours.At(x+i%cell, y+i/cell).RGBA()
				r2, _, b2, _ := theirs.At(x+i%cell, y+i/cell).RGBA()
				sum += int(r1+b1)>>8 - int(r2+b2)>>8
			}
			d := math.Abs(float64(sum)) / (2 * cell * cell)
			if total += d; d > most {
				t.Errorf("around %d, %d the colours are %.0f apart", x, y, d)
			}
		}
	}
	if mean := total / float64(size.X/cell*size.Y/cell); mean > 0.5 {
		t.Errorf("the colours are %.2f apart on average", mean)
	}
}

// TestSnap: the last bit of a coordinate, which is the processor's, never shows.
func TestSnap(t *testing.T) {
	for _, x := range []float64{0, 0.5, 1. / 3, 0.1, 0.125, 12.0625, 123.125, 36.0 / 7, 510.236220472, 7.0 / 1024,
		7.5 / 1024, 7.25 / 1024, -3.5 / 1024, 72 / 25.4} {
		at := snap(vg.Length(x))
		if math.Abs(float64(at)-x) > 0.7/1024 {
			t.Errorf("%v goes to %v", x, at)
		}
		for _, to := range []float64{math.Inf(1), math.Inf(-1)} {
			need.Equal(t, snap(vg.Length(math.Nextafter(x, to))), at, x, "goes to", "its neighbour to")
		}
	}
}
