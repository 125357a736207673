package draw

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"prgnn/internal/need"
)

func sample() Figure {
	return Figure{Width: 260, Height: 180, Paint: func(c draw.Canvas) {
		p := NewPlot(`mean <of> "draws" & more`, "degree", "nodes")
		line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 3}, {X: 2, Y: 1}})
		if err != nil {
			panic(err)
		}
		line.Color = Categories[0]
		p.Add(line)
		p.Draw(draw.Crop(c, 0, -60, 0, 0))
		Bar(draw.Crop(c, 215, 0, 20, -20), Diverging, -1, 1, "r", false)
	}}
}

func TestFigureIsTheSameEachTime(t *testing.T) {
	for name, of := range map[string]func(Figure) ([]byte, error){"svg": Figure.SVG, "png": Figure.PNG} {
		a := need.Value(of(sample()))(t)
		b, _ := of(sample())
		if !bytes.Equal(a, b) {
			t.Errorf("%s: two drawings of one figure differ", name)
		}
		if dir := os.Getenv("PRGNN_PICTURES"); dir != "" {
			os.WriteFile(dir+"/draw."+name, a, 0o666)
		}
	}
}

func TestSVGIsPlainAndEscaped(t *testing.T) {
	b := need.Value(sample().SVG())(t)
	d, text := xml.NewDecoder(bytes.NewReader(b)), ""
	for {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		need.NoError(t, err)
		if s, ok := tok.(xml.StartElement); ok && (s.Name.Local == "script" || s.Name.Local == "of") {
			t.Errorf("element %s in the picture", s.Name.Local)
		}
		if s, ok := tok.(xml.CharData); ok {
			text += string(s)
		}
	}
	if want := `mean <of> "draws" & more`; !strings.Contains(text, want) {
		t.Errorf("the title %q is not in the text %q", want, text)
	}
	for _, never := range []string{"image/jpg", "font-family:Liberation Sans;"} {
		if bytes.Contains(b, []byte(never)) {
			t.Errorf("the SVG holds %q", never)
		}
	}
}

func TestPNGSize(t *testing.T) {
	b := need.Value(sample().PNG())(t)
	img := need.Value(png.Decode(bytes.NewReader(b)))(t)
	need.Equal(t, img.Bounds().Dx(), int(math.Round(260.0/72*DPI)), "pixels wide")
	if r, g, bl, _ := img.At(1, 1).RGBA(); r != 0xffff || g != 0xffff || bl != 0xffff {
		t.Error("the ground is not white")
	}
}

// linear is an sRGB color in linear light (IEC 61966-2-1).
func linear(c color.NRGBA) [3]float64 {
	var v [3]float64
	for i, u := range []uint8{c.R, c.G, c.B} {
		x := float64(u) / 255
		if x <= 0.04045 {
			v[i] = x / 12.92
		} else {
			v[i] = math.Pow((x+0.055)/1.055, 2.4)
		}
	}
	return v
}

// lab is CIE L*a*b* (D65) of linear light.
func lab(v [3]float64) [3]float64 {
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x := f((0.4124*v[0] + 0.3576*v[1] + 0.1805*v[2]) / 0.95047)
	y := f(0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2])
	z := f((0.0193*v[0] + 0.1192*v[1] + 0.9505*v[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// seen is what a dichromat sees: the projections of Viénot, Brettel & Mollon (1999),
// doi:10.1002/(SICI)1520-6378(199908)24:4<243::AID-COL5>3.0.CO;2-3.
var seen = map[string]func([3]float64) [3]float64{
	"all": func(v [3]float64) [3]float64 { return v },
	"protanope": func(v [3]float64) [3]float64 {
		r := 0.11238*v[0] + 0.88762*v[1]
		return [3]float64{r, r, 0.00401*v[0] - 0.00401*v[1] + v[2]}
	},
	"deuteranope": func(v [3]float64) [3]float64 {
		r := 0.29275*v[0] + 0.70725*v[1]
		return [3]float64{r, r, -0.02234*v[0] + 0.02234*v[1] + v[2]}
	},
}

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

func TestScalesCanBeToldApart(t *testing.T) {
	const just = 2.3 // a just noticeable difference in L*a*b* (Mahy et al. 1994)
	for who, see := range seen {
		look := func(c color.NRGBA) [3]float64 { return lab(see(linear(c))) }
		for i := 1; i < len(Sequential); i++ {
			if a, b := look(Sequential[i-1]), look(Sequential[i]); a[0]-b[0] < just {
				t.Errorf("%s: colour %d of the sequential scale is not darker than the one before (L* %.1f, %.1f)", who, i, b[0], a[0])
			}
		}
		mid := len(Diverging) / 2
		for i := 1; i <= mid; i++ {
			for _, side := range []int{-1, 1} {
				if a, b := look(Diverging[mid+side*(i-1)]), look(Diverging[mid+side*i]); a[0]-b[0] < just {
					t.Errorf("%s: the diverging scale does not darken at %d", who, mid+side*i)
				}
			}
			if d := distance(look(Diverging[mid-i]), look(Diverging[mid+i])); d < 4*just {
				t.Errorf("%s: colours %d and %d of the diverging scale look alike (%.1f)", who, mid-i, mid+i, d)
			}
		}
		for i := range Categories {
			for j := range i {
				if d := distance(look(Categories[i]), look(Categories[j])); d < 4*just {
					t.Errorf("%s: categories %d and %d look alike (%.1f)", who, j, i, d)
				}
			}
		}
	}
}

func TestScaleEnds(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want color.NRGBA
	}{{-1, Diverging[0]}, {0, Diverging[0]}, {0.5, Diverging[5]}, {1, Diverging[10]},
		{math.Inf(1), Diverging[10]}, {math.NaN(), None},
		{0.05, color.NRGBA{0x13, 0x4b, 0x87, 0xff}}} { // halfway from 053061 to 2166ac
		need.Equal(t, Diverging.At(c.x), c.want, "At(", c.x)
	}
}

// Images of a figure are PNG in their places, of few colors by their numbers, and cells keep their edges.
func TestImagesInSVG(t *testing.T) {
	few, many := image.NewNRGBA(image.Rect(0, 0, 3, 2)), image.NewNRGBA(image.Rect(0, 0, 20, 20))
	for i := range few.Pix {
		few.Pix[i] = uint8(i%4)*80 | 0x0f
	}
	for i := range 400 {
		many.SetNRGBA(i%20, i/20, color.NRGBA{uint8(i), uint8(i >> 8), 7, 0xff})
	}
	at := func(x vg.Length) vg.Rectangle {
		return vg.Rectangle{Min: vg.Point{X: x}, Max: vg.Point{X: x + 8, Y: 8}}
	}
	f := Figure{Width: 40, Height: 20, Paint: func(c draw.Canvas) {
		c.DrawImage(at(0), Cells{few})
		Text(c, vg.Point{X: 5, Y: 15}, `xlink:href="data:image/jpg;base64,AAAA"`, Style(5, false), draw.XLeft, draw.YBottom)
		c.DrawImage(at(20), many)
	}}
	svg := need.Value(f.SVG())(t)
	found := regexp.MustCompile(`<image x="([\d.]+)"[^>]*preserveAspectRatio="none"( [^>]*pixelated")? xlink:href="data:image/png;base64,([^"]*)"`).FindAllStringSubmatch(string(svg), -1)
	if len(found) != 2 || found[0][1] != "0" || found[1][1] != "20" || found[0][2] == "" || found[1][2] != "" {
		t.Fatalf("images %q", found)
	}
	for i, want := range []image.Image{few, many} {
		b, err := base64.StdEncoding.DecodeString(found[i][3])
		need.NoError(t, err)
		got, err := png.Decode(bytes.NewReader(b))
		if err != nil || got.Bounds() != want.Bounds() {
			t.Fatalf("image %d: %v", i, err)
		}
		if _, ok := got.(*image.Paletted); ok != (i == 0) {
			t.Errorf("image %d is a %T", i, got)
		}
		for k := range want.Bounds().Dx() * want.Bounds().Dy() {
			x, y := k%want.Bounds().Dx(), k/want.Bounds().Dx()
			if color.NRGBAModel.Convert(got.At(x, y)) != color.NRGBAModel.Convert(want.At(x, y)) {
				t.Fatalf("image %d: pixel %d, %d is %v, want %v", i, x, y, got.At(x, y), want.At(x, y))
			}
		}
	}
}
