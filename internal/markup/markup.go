// Package markup writes texts into XML, SVG and HTML.
package markup

import (
	"encoding/xml"
	"strings"

	"prgnn/internal/words"
)

// Text is a text as the content or an attribute's value of an element. Control characters and
// what else XML cannot hold, such as bytes that are no UTF-8, become U+FFFD.
func Text(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(Characters(s))) // a Builder does not fail
	return b.String()
}

// Shown is Text for a reader's eyes: what would reorder the text around it is written out (\u202e).
func Shown(s string) string { return Text(words.InOrder(s)) }

// Characters is a text with U+FFFD for control characters and what else XML cannot hold, for a
// writer that escapes markup and nothing else.
func Characters(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\r', r >= ' ' && r < 0x7f, r >= 0xa0 && r <= 0xd7ff, r >= 0xe000 &&
			r <= 0xfffd, r >= 0x10000:
			return r
		}
		return '\ufffd'
	}, s)
}
