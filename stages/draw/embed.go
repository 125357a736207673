package draw

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"golang.org/x/image/font/sfnt"
)

// Family is the name of the embedded subset of Liberation Sans in an SVG: the font's license reserves its own name for
// the whole font.
const Family = "PRGNN Sans"

// families are the fonts of a text in order of preference. Programs that ignore embedded fonts (Inkscape) take one of
// the next three, whose widths equal those of Liberation Sans.
const families = "'" + Family + "','Liberation Sans',Arial,Helvetica,sans-serif"

// fontFace is a CSS rule that embeds the glyphs of the characters. Viewers draw with them what was measured with them.
func fontFace(f *sfnt.Font, bold bool, characters []rune) (string, error) {
	characters = slices.Compact(slices.Sorted(slices.Values(characters)))
	faces.Lock()
	defer faces.Unlock()
	for _, known := range faces.recent {
		if known.font == f && known.bold == bold && slices.Equal(known.characters, characters) {
			return known.rule, nil
		}
	}
	rule, err := newFace(f, bold, characters)
	if err != nil {
		return "", err
	}
	faces.recent = append(faces.recent[max(0, len(faces.recent)-7):], face{f, bold, characters, rule})
	return rule, nil
}

// faces are the last rules that were made: the pages of all scans have the same few characters.
var faces struct {
	sync.Mutex
	recent []face
}

type face struct {
	font       *sfnt.Font
	bold       bool
	characters []rune
	rule       string
}

func newFace(f *sfnt.Font, bold bool, characters []rune) (string, error) {
	var raw bytes.Buffer
	if _, err := f.WriteSourceTo(nil, &raw); err != nil {
		return "", err
	}
	b, err := subset(raw.Bytes(), f, characters)
	if err != nil {
		return "", err
	}
	weight := "normal"
	if bold {
		weight = "bold"
	}
	return fmt.Sprintf("@font-face{font-family:'%s';font-weight:%s;src:url(data:font/woff;base64,%s)}", Family, weight, base64.StdEncoding.EncodeToString(woff(b))), nil
}

// subset is a TrueType font (OpenType 1.9, tables glyf and loca) of the glyphs of some characters, without hinting and
// kerning. A character that the font lacks is left out; they are sorted.
func subset(raw []byte, f *sfnt.Font, characters []rune) ([]byte, error) {
	table := func(tag string) []byte {
		for i := range int(binary.BigEndian.Uint16(raw[4:])) {
			if d := raw[12+16*i:]; string(d[:4]) == tag {
				return raw[binary.BigEndian.Uint32(d[8:]):][:binary.BigEndian.Uint32(d[12:])]
			}
		}
		return nil
	}
	u16 := func(b []byte, at int) int { return int(binary.BigEndian.Uint16(b[at:])) }
	head, loca, glyf, hmtx := table("head"), table("loca"), table("glyf"), table("hmtx")
	if head == nil || loca == nil || glyf == nil || hmtx == nil {
		return nil, fmt.Errorf("the font has no TrueType outlines")
	}
	outline := func(g int) []byte {
		if u16(head, 50) == 0 {
			return glyf[2*u16(loca, 2*g) : 2*u16(loca, 2*g+2)]
		}
		return glyf[binary.BigEndian.Uint32(loca[4*g:]):binary.BigEndian.Uint32(loca[4*g+4:])]
	}

	// The glyphs, numbered anew: 0 for what is missing, those of the characters, and the parts of composed ones.
	glyphs := []int{0}
	number := func(g int) int {
		if at := slices.Index(glyphs, g); at >= 0 {
			return at
		}
		glyphs = append(glyphs, g)
		return len(glyphs) - 1
	}
	var cmap bytes.Buffer // groups of one character (format 12)
	groups := 0
	var buffer sfnt.Buffer
	for _, c := range characters {
		g, err := f.GlyphIndex(&buffer, c)
		if err != nil {
			return nil, err
		}
		if g != 0 {
			groups++
			writeAll(&cmap, uint32(c), uint32(c), uint32(number(int(g))))
		}
	}
	var newGlyf, newLoca, newHmtx bytes.Buffer
	long := u16(table("hhea"), 34) // number of full metrics
	for i := 0; i < len(glyphs); i++ {
		writeAll(&newLoca, uint32(newGlyf.Len()))
		newGlyf.Write(unhinted(outline(glyphs[i]), number))
		newGlyf.Write(make([]byte, -newGlyf.Len()&3))
		m := min(glyphs[i], long-1)
		side := hmtx[4*m+2:]
		if glyphs[i] >= long {
			side = hmtx[4*long+2*(glyphs[i]-long):]
		}
		newHmtx.Write(hmtx[4*m : 4*m+2])
		newHmtx.Write(side[:2])
	}
	writeAll(&newLoca, uint32(newGlyf.Len()))

	changed := func(tag string, at int, value uint16) []byte {
		b := slices.Clone(table(tag))
		binary.BigEndian.PutUint16(b[at:], value)
		return b
	}
	var post, index bytes.Buffer
	writeAll(&post, uint32(0x30000), make([]byte, 28)) // without names of glyphs
	writeAll(&index, uint16(0), uint16(1), uint16(3), uint16(10), uint32(12), uint16(12), uint16(0),
		uint32(16+cmap.Len()), uint32(0), uint32(groups), cmap.Bytes())
	longLoca := changed("head", 50, 1)
	binary.BigEndian.PutUint32(longLoca[8:], 0)
	return assemble([]fontTable{
		{"OS/2", table("OS/2")}, {"cmap", index.Bytes()}, {"glyf", newGlyf.Bytes()}, {"head", longLoca},
		{"hhea", changed("hhea", 34, uint16(len(glyphs)))},
		{"hmtx", newHmtx.Bytes()}, {"loca", newLoca.Bytes()}, {"maxp", changed("maxp", 4, uint16(len(glyphs)))},
		{"name", nameTable()}, {"post", post.Bytes()},
	}), nil
}

// nameTable has one name, the family (platform 1, Roman).
func nameTable() []byte {
	var b bytes.Buffer
	family := []byte(Family)
	writeAll(&b, uint16(0), uint16(1), uint16(18), uint16(1), uint16(0), uint16(0), uint16(1),
		uint16(len(family)), uint16(0), family)
	return b.Bytes()
}

// unhinted is an outline without instructions; number gives the parts of a composed glyph their new numbers.
func unhinted(g []byte, number func(int) int) []byte {
	if len(g) == 0 {
		return nil
	}
	g = slices.Clone(g)
	u16 := func(at int) int { return int(binary.BigEndian.Uint16(g[at:])) }
	if contours := int(int16(u16(0))); contours >= 0 {
		at := 10 + 2*contours
		n := u16(at)
		g[at], g[at+1] = 0, 0
		return slices.Delete(g, at+2, at+2+n)
	}
	const wide, scale, more, scales, matrix, instructions = 1, 8, 32, 64, 128, 256
	for at := 10; ; {
		flags := u16(at)
		binary.BigEndian.PutUint16(g[at:], uint16(flags&^instructions))
		binary.BigEndian.PutUint16(g[at+2:], uint16(number(u16(at+2))))
		at += 6
		if flags&wide != 0 {
			at += 2
		}
		switch {
		case flags&scale != 0:
			at += 2
		case flags&scales != 0:
			at += 4
		case flags&matrix != 0:
			at += 8
		}
		if flags&more == 0 {
			return g[:at]
		}
	}
}

type fontTable struct {
	tag  string
	data []byte
}

// assemble writes a font file of tables in the order of their tags, with its checksums.
func assemble(tables []fontTable) []byte {
	var out, body bytes.Buffer
	log := bits.Len(uint(len(tables))) - 1
	search := 16 << log
	writeAll(&out, uint32(0x10000), uint16(len(tables)), uint16(search), uint16(log),
		uint16(16*len(tables)-search))
	start := 12 + 16*len(tables)
	adjust := 0
	for _, t := range tables {
		if t.tag == "head" {
			adjust = start + body.Len() + 8
		}
		padded := append(slices.Clone(t.data), make([]byte, -len(t.data)&3)...)
		writeAll(&out, []byte(t.tag), checksum(padded), uint32(start+body.Len()), uint32(len(t.data)))
		body.Write(padded)
	}
	file := append(out.Bytes(), body.Bytes()...)
	binary.BigEndian.PutUint32(file[adjust:], 0xB1B0AFBA-checksum(file))
	return file
}

// checksum is the sum of the words of b, whose length is a multiple of 4.
func checksum(b []byte) (sum uint32) {
	for ; len(b) >= 4; b = b[4:] {
		sum += binary.BigEndian.Uint32(b)
	}
	return sum
}

// writeAll writes values of fixed size, big-endian.
func writeAll(b *bytes.Buffer, values ...any) {
	for _, v := range values {
		if err := binary.Write(b, binary.BigEndian, v); err != nil {
			panic(err)
		}
	}
}
