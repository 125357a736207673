package words

import (
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
