package draw

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"io"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"prgnn/internal/need"
)

// The embedded glyphs have the outlines and widths of the whole font, which is the oracle.
func TestEmbeddedGlyphs(t *testing.T) {
	const shown = "AÄÅé ij½λ2 – ≤±日"
	f := Figure{Width: 200, Height: 100, Paint: func(c draw.Canvas) {
		Text(c, vg.Point{X: 5, Y: 50}, shown, Style(9, false), draw.XLeft, draw.YBottom)
		Text(c, vg.Point{X: 5, Y: 20}, "Bold", Style(9, true), draw.XLeft, draw.YBottom)
	}}
	svg := need.Value(f.SVG())(t)
	faces := regexp.MustCompile(`font-weight:(normal|bold);src:url\(data:font/woff;base64,([^)]*)\)`).FindAllSubmatch(svg, -1)
	if len(faces) != 2 || !bytes.Contains(svg, []byte(`<svg font-family="'`+Family+"',")) {
		t.Fatalf("%d embedded fonts, want a normal and a bold one", len(faces))
	}
	for i, text := range []string{shown, "Bold"} {
		b := need.Value(base64.StdEncoding.DecodeString(string(faces[i][2])))(t)
		if len(b) > 5000 {
			t.Errorf("the subset for %q has %d bytes", text, len(b))
		}
		b = unpacked(t, b)
		if checksum(append(b, make([]byte, -len(b)&3)...)) != 0xB1B0AFBA {
			t.Error("the checksum of the font is wrong")
		}
		got := need.Value(sfnt.Parse(b))(t)
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
			need.Equal(t, gotWidth, wantWidth, c, "wide")
			outline, err := got.LoadGlyph(&buffer, a, em, nil)
			gotOutline := append(sfnt.Segments{}, outline...)
			need.NoError(t, err, c)
			if want, err := whole.LoadGlyph(&buffer, w, em, nil); err != nil ||
				!reflect.DeepEqual(gotOutline, append(sfnt.Segments{}, want...)) {
				t.Errorf("%q has another outline than in the whole font: %v", c, err)
			}
		}
	}
}

// unpacked is the font in a WOFF file, by the sections "WOFF Header" and "Table directory" of the recommendation.
func unpacked(t *testing.T, b []byte) []byte {
	t.Helper()
	u32 := func(at int) uint32 { return binary.BigEndian.Uint32(b[at:]) }
	n := int(binary.BigEndian.Uint16(b[12:]))
	if string(b[:4]) != "wOFF" || int(u32(8)) != len(b) {
		t.Fatalf("signature %q, length %d of %d", b[:4], u32(8), len(b))
	}
	var tables []fontTable
	for i := range n {
		at := 44 + 20*i
		offset, packed, length := u32(at+4), u32(at+8), u32(at+12)
		data := b[offset:][:packed]
		if packed < length {
			r, err := zlib.NewReader(bytes.NewReader(data))
			need.NoError(t, err)
			if data, err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
		if uint32(len(data)) != length || offset%4 != 0 {
			t.Errorf("table %q has %d bytes at %d, want %d", b[at:at+4], len(data), offset, length)
		}
		whole := append(slices.Clone(data), make([]byte, -len(data)&3)...)
		if tag := string(b[at : at+4]); tag == "head" {
			binary.BigEndian.PutUint32(data[8:], 0) // assemble writes it again
			binary.BigEndian.PutUint32(whole[8:], 0)
		}
		if checksum(whole) != u32(at+16) {
			t.Errorf("table %q: wrong checksum", b[at:at+4])
		}
		tables = append(tables, fontTable{string(b[at : at+4]), data})
	}
	font := assemble(tables)
	if int(u32(16)) != len(font) || u32(4) != 0x10000 {
		t.Errorf("the font has %d bytes, and the file says %d", len(font), u32(16))
	}
	return font
}
