package chart

import (
	"image/color"
	"math"
	"testing"

	ours "prgnn/stages/draw"
)

// TestOutline: a line where one region ends and another begins, in the color of the block, over the image in 64 grays;
// the left of the picture is the left of the brain, and its top is up.
func TestOutline(t *testing.T) {
	b := Brain{Low: [3]float64{-15, -15, -15}, High: [3]float64{15, 15, 15}}
	b.Region = func(x, y, z float64) int { // two halves of a box
		switch {
		case math.Abs(x) > 9 || math.Abs(y) > 9 || math.Abs(z) > 9:
			return 0
		case x < 0:
			return 1
		}
		return 2
	}
	b.Under = func(x, _, z float64) float64 {
		if z > 12 {
			return math.NaN() // air
		}
		return (x + 15) / 30
	}
	p := Participant{Groups: []string{"L", "R"}}
	b.Edges = p.regionColors()
	img := b.slice(coronal, 0).image(Regions{})
	if s := img.Bounds().Size(); s.X != 20 || s.Y != 20 { // a pixel is 1.5 mm
		t.Fatalf("%v pixels", s)
	}
	// The middle of point i is at −15 + 1.5 (i + 0.5) mm: regions are points 4 to 15, the second from 10 on. A line is
	// the last point before a change, to the right or downwards.
	for j := range 20 {
		for i := range 20 {
			inside := func(i, j int) int {
				switch {
				case i < 4 || i > 15 || j < 4 || j > 15:
					return 0
				case i < 10:
					return 1
				}
				return 2
			}
			n, right, below := inside(i, j), inside(i+1, j), inside(i, j+1)
			g := uint8(8 * math.Round(31*(1.5*(float64(i)+0.5))/30))
			if j < 2 {
				g = 0
			}
			want := color.NRGBA{g, g, g, 0xff}
			if n != right || n != below {
				of := n
				if of == 0 {
					of = max(right, below)
				}
				want = ours.Categories[of-1]
			}
			if got := color.NRGBAModel.Convert(img.At(i, j)).(color.NRGBA); got != want {
				t.Fatalf("point %d, %d: %v, want %v", i, j, got, want)
			}
		}
	}
}
