package markup

import (
	"encoding/xml"
	"html"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// encoding/xml reads back what was written, with U+FFFD for what XML cannot hold.
func TestText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\x1b[31m\x00\x07\r", "]]>&<\"'", "\xff",
			"\ufffe", "\u009b[2J", "\x7f"})).Draw(t, "text")
		for name, written := range map[string]string{"Text": Text(text),
			"Characters": html.EscapeString(Characters(text))} {
			var got struct {
				Of   string `xml:"of,attr"`
				Text string `xml:",chardata"`
			}
			if err := xml.Unmarshal([]byte(`<a of="`+written+`">`+written+"</a>"), &got); err != nil {
				t.Fatalf("%s %q gives %q: %v", name, text, written, err)
			}
			want := Characters(text)
			if name == "Characters" { // which leaves a carriage return, that XML reads as the end of a line
				want = strings.ReplaceAll(strings.ReplaceAll(want, "\r\n", "\n"), "\r", "\n")
			}
			if i := strings.IndexFunc(want, func(r rune) bool {
				return unicode.IsControl(r) &&
					!strings.ContainsRune("\t\n\r", r)
			}); i >= 0 {
				t.Fatalf("%s %q leaves the control character %q", name, text, want[i:i+1])
			}
			if got.Text != want || got.Of != want {
				t.Fatalf("%s %q reads %q and %q", name, text, got.Text, got.Of)
			}
		}
	})
}
