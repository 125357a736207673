package draw

import (
	"bytes"
	"encoding/base64"
	"reflect"
	"regexp"
	"testing"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The embedded glyphs have the outlines and widths of the whole font, which is the oracle.
func TestEmbeddedGlyphs(t *testing.T) {
	const shown = "AÄÅé ij½λ2 – ≤±日"
	f := Figure{Width: 200, Height: 100, Paint: func(c draw.Canvas) {
		Text(c, vg.Point{X: 5, Y: 50}, shown, Style(9, false), draw.XLeft, draw.YBottom)
		Text(c, vg.Point{X: 5, Y: 20}, "Bold", Style(9, true), draw.XLeft, draw.YBottom)
	}}
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	faces := regexp.MustCompile(`font-weight:(normal|bold);src:url\(data:font/ttf;base64,([^)]*)\)`).FindAllSubmatch(svg, -1)
	if len(faces) != 2 || !bytes.Contains(svg, []byte(`<svg font-family="'`+Family+"',")) {
		t.Fatalf("%d embedded fonts, want a normal and a bold one", len(faces))
	}
	for i, text := range []string{shown, "Bold"} {
		b, err := base64.StdEncoding.DecodeString(string(faces[i][2]))
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > 8000 {
			t.Errorf("the subset for %q has %d bytes", text, len(b))
		}
		if checksum(append(b, make([]byte, -len(b)&3)...)) != 0xB1B0AFBA {
			t.Error("the checksum of the font is wrong")
		}
		got, err := sfnt.Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		whole := font.DefaultCache.Lookup(Sans(9, i == 1), 9).Face
		var buffer sfnt.Buffer
		const em = fixed.Int26_6(2048 * 64)
		for _, c := range text + "Z" {
			a, errA := got.GlyphIndex(&buffer, c)
			w, errW := whole.GlyphIndex(&buffer, c)
			if errA != nil || errW != nil {
				t.Fatal(errA, errW)
			}
			if (c == '日' || c == 'Z') != (a == 0) {
				t.Errorf("%q has the glyph %d", c, a)
			}
			if a == 0 {
				continue
			}
			gotWidth, _ := got.GlyphAdvance(&buffer, a, em, 0)
			wantWidth, _ := whole.GlyphAdvance(&buffer, w, em, 0)
			if gotWidth != wantWidth {
				t.Errorf("%q is %v wide, want %v", c, gotWidth, wantWidth)
			}
			outline, err := got.LoadGlyph(&buffer, a, em, nil)
			gotOutline := append(sfnt.Segments{}, outline...)
			if err != nil {
				t.Fatalf("%q: %v", c, err)
			}
			if want, err := whole.LoadGlyph(&buffer, w, em, nil); err != nil ||
				!reflect.DeepEqual(gotOutline, append(sfnt.Segments{}, want...)) {
				t.Errorf("%q has another outline than in the whole font: %v", c, err)
			}
		}
	}
}
