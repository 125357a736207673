package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"prgnn/internal/need"
)

// hostile is what data may hold to write on a terminal: a title, a color, moving the cursor, a
// C1 sequence, a bell, a carriage return, DEL, and a change of the direction of writing.
const hostile = "\x1b]0;owned\x07\x1b[31m\x1b[2A\u009b31m\rerror\x7f\u202egnp"

// raw is the first character of a text that acts on a terminal, with what is around it.
func raw(text string) string {
	for i, r := range text {
		if r != '\n' && r != '\t' && invisible(r) || r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
			return fmt.Sprintf("%q", text[max(0, i-60):min(len(text), i+30)])
		}
	}
	return ""
}

func TestVisibleWriter(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain é 😀\ttab\n", "plain é 😀\ttab\n"},
		{"\x1b[31mred", `\u001b[31mred`},
		{"\u009b31m \x7f \r \u202e \u2028", `\u009b31m \u007f \u000d \u202e \u2028`},
		{"\xff\xc3", `\xff\xc3`},
		{Control() + "31mours" + Control() + "0m", "\x1b[31mours\x1b[0m"},
		{Control()[:5] + "31m", `\u001b` + Control()[1:5] + "31m"},
	} {
		for size := 1; size <= len(c.in); size++ { // in pieces of any size
			var b bytes.Buffer
			w := &visibleWriter{w: &b}
			for text := c.in; text != ""; text = text[min(size, len(text)):] {
				io.WriteString(w, text[:min(size, len(text))])
			}
			w.Close()
			need.Equal(t, b.String(), c.want, c.in, size)
		}
	}
}

// A JSON text through the writer means the same, and holds no character that acts.
func TestVisibleJSONMeansTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(rapid.String().Draw(t, "text")+
			rapid.SampledFrom([]string{"", hostile}).Draw(t, "hostile"), "")
		b := need.Value(json.Marshal(text))(t)
		var out bytes.Buffer
		(&visibleWriter{w: &out}).Write(b)
		var back string
		if err := json.Unmarshal(out.Bytes(), &back); err != nil || back != text || raw(out.String()) != "" {
			t.Fatalf("%q gives %s: %q, %v", text, out.String(), back, err)
		}
	})
}
