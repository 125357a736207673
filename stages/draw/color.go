package draw

import (
	"image/color"
	"math"
)

// A Scale is a color map: colors at equal distances from 0 to 1, linear between.
type Scale []color.NRGBA

// Sequential goes from pale to dark, Diverging from blue over near-white to red, Blues from near-white to dark: YlOrRd,
// RdBu (reversed) and Blues of ColorBrewer (Harrower & Brewer 2003, doi:10.1179/000870403235002042),
// which are safe for the color-blind. Lightness alone orders the first; the second has
// its lightest color in the middle.
var (
	Sequential = hexes(0xffffcc, 0xffeda0, 0xfed976, 0xfeb24c, 0xfd8d3c, 0xfc4e2a, 0xe31a1c, 0xbd0026, 0x800026)
	Diverging  = hexes(0x053061, 0x2166ac, 0x4393c3, 0x92c5de, 0xd1e5f0, 0xf7f7f7, 0xfddbc7, 0xf4a582,
		0xd6604d, 0xb2182b, 0x67001f)
	Blues = hexes(0xf7fbff, 0xdeebf7, 0xc6dbef, 0x9ecae1, 0x6baed6, 0x4292c6, 0x2171b5, 0x08519c, 0x08306b)
)

// Categories are the colors of groups (Okabe & Ito 2008, jfly.uni-koeln.de/color), those with most contrast to white
// first.
var Categories = hexes(0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x000000, 0xf0e442)

// None is the color of what has no value.
var None = color.NRGBA{0xc8, 0xcc, 0xd2, 0xff}

// At is the color of x between 0 and 1; what lies outside takes the end's, NaN takes None.
func (s Scale) At(x float64) color.NRGBA {
	if math.IsNaN(x) {
		return None
	}
	x = float64(min(max(x, 0), 1) * float64(len(s)-1)) // converted, so that no processor fuses it with the difference
	i := min(int(x), len(s)-2)
	f := x - float64(i)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + float64(f*(float64(b)-float64(a))))) }
	a, b := s[i], s[i+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

func hexes(list ...uint32) Scale {
	s := make(Scale, len(list))
	for i, h := range list {
		s[i] = color.NRGBA{uint8(h >> 16), uint8(h >> 8), uint8(h), 0xff}
	}
	return s
}
