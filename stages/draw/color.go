package draw

import (
	"image/color"
	"math"
)

// A Scale is a color map: colors at equal distances from 0 to 1, linear between.
type Scale []color.NRGBA

// Sequential goes from pale to dark, Diverging from blue over near-white to red: YlOrRd
// and RdBu (reversed) of ColorBrewer (Harrower & Brewer 2003, doi:10.1179/000870403235002042),
// which are safe for the color-blind. Lightness alone orders the first; the second has
// its lightest color in the middle.
var (
	Sequential = hexes("ffffcc", "ffeda0", "fed976", "feb24c", "fd8d3c", "fc4e2a", "e31a1c", "bd0026", "800026")
	Diverging  = hexes("053061", "2166ac", "4393c3", "92c5de", "d1e5f0", "f7f7f7", "fddbc7", "f4a582",
		"d6604d", "b2182b", "67001f")
)

// Categories are the colors of groups (Okabe & Ito 2008, jfly.uni-koeln.de/color), those with most contrast to white
// first.
var Categories = hexes("0072b2", "d55e00", "009e73", "cc79a7", "e69f00", "56b4e9", "000000", "f0e442")

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

// ParseHex reads #rrggbb; ok is false for anything else.
func ParseHex(s string) (c color.NRGBA, ok bool) {
	if len(s) != 7 || s[0] != '#' {
		return c, false
	}
	c.A = 0xff
	for i, part := range []*uint8{&c.R, &c.G, &c.B} {
		for _, d := range []byte(s[1+2*i : 3+2*i]) {
			switch {
			case d >= '0' && d <= '9':
				d -= '0'
			case d >= 'a' && d <= 'f':
				d -= 'a' - 10
			case d >= 'A' && d <= 'F':
				d -= 'A' - 10
			default:
				return color.NRGBA{}, false
			}
			*part = *part<<4 | d
		}
	}
	return c, true
}

func hexes(list ...string) Scale {
	s := make(Scale, len(list))
	for i, h := range list {
		s[i], _ = ParseHex("#" + h)
	}
	return s
}
