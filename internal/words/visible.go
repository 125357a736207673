package words

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// AppendVisible appends the first character of text to b, written out (\u001b) when it is hidden; a byte that
// is no UTF-8 becomes \xff. It returns how many bytes of text that were.
func AppendVisible(b, text []byte, hidden func(rune) bool) ([]byte, int) {
	r, n := utf8.DecodeRune(text)
	switch {
	case r == utf8.RuneError && n <= 1:
		return fmt.Appendf(b, `\x%02x`, text[:n]), n
	case hidden(r):
		return fmt.Appendf(b, `\u%04x`, r), n
	}
	return append(b, text[:n]...), n
}

// Plain is a text whose control characters, but for tabs and ends of lines, are written out.
func Plain(text string) string {
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\t' && r != '\n' }
	if !strings.ContainsFunc(text, control) && utf8.ValidString(text) {
		return text
	}
	var b []byte
	for rest := []byte(text); len(rest) > 0; {
		var n int
		b, n = AppendVisible(b, rest, control)
		rest = rest[n:]
	}
	return string(b)
}

// Reorders reports whether a character sets the direction in which the text around it is written, or ends a line or
// paragraph: with it a name can look like another one (Boucher and Anderson 2021, CVE-2021-42574).
func Reorders(r rune) bool {
	return r == 0x061c || r == 0x200e || r == 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// InOrder is a text with the characters that would reorder it written out (\u202e).
func InOrder(text string) string {
	if !strings.ContainsFunc(text, Reorders) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if Reorders(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// JSON is a value as an indented JSON file for people and programs: every control character of its texts is escaped,
// and so is what would reorder them.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return escaped(b.Bytes()), err
}

// escaped is JSON with the characters escaped that encoding/json leaves as they are.
func escaped(b []byte) []byte {
	hidden := func(r rune) bool { return r >= 0x7f && r < 0xa0 || Reorders(r) }
	if !bytes.ContainsFunc(b, hidden) {
		return b
	}
	out := make([]byte, 0, len(b)+64)
	for _, r := range string(b) {
		if hidden(r) {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}
