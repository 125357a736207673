package console

import (
	"bytes"
	"crypto/rand"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"prgnn/internal/words"
)

// Control begins a control sequence of ours (CSI). It is another in each process, so that no
// name, cell or log can hold one.
var Control = sync.OnceValue(func() string { return "\x1b" + rand.Text() + "[" })

// A visibleWriter is what all text for a person goes through. It passes our own control
// sequences on; every other control character is written out as \u001b, so that no data can
// move the cursor, hide text or reorder it. Bytes that are no UTF-8 become \xff.
//
// In JSON these characters stand in strings only, where \u009b means the same.
type visibleWriter struct {
	w io.Writer

	mu    sync.Mutex
	rest  []byte // an incomplete character or control sequence
	folds *folder
}

func (v *visibleWriter) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	text, rest := appendVisible(make([]byte, 0, len(v.rest)+len(p)), append(v.rest, p...), false)
	v.rest = bytes.Clone(rest)
	if v.folds != nil {
		text = v.folds.fold(text)
	}
	if len(text) > 0 {
		if _, err := v.w.Write(text); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Close writes what is incomplete.
func (v *visibleWriter) Close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	text, _ := appendVisible(nil, v.rest, true)
	v.rest = nil
	if len(text) == 0 {
		return nil
	}
	_, err := v.w.Write(text)
	return err
}

// appendVisible appends text to b with its control characters visible. What may go on in
// later bytes is returned, unless the text ends here.
func appendVisible(b, text []byte, ends bool) (shown, rest []byte) {
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c >= ' ' && c < 0x7f || c == '\n' || c == '\t':
			b = append(b, c)
			i++
			continue
		case c == '\x1b' && bytes.HasPrefix(text[i:], []byte(Control())):
			b = append(b, "\x1b["...)
			i += len(Control())
			continue
		case !ends && (c == '\x1b' && strings.HasPrefix(Control(), string(text[i:])) || !utf8.FullRune(text[i:])):
			return b, text[i:]
		}
		var n int
		b, n = words.AppendVisible(b, text[i:], invisible)
		i += n
	}
	return b, nil
}

// invisible reports whether a character acts on the text around it: the C0 and C1 controls,
// DEL, line and paragraph separators, and what sets the direction of writing.
func invisible(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || words.Reorders(r)
}

// Visible is a text as visibleWriter writes it, on one line: for text whose width is measured.
func Visible(text string) string {
	for _, r := range text {
		if r == '\n' || r == '\t' || r == utf8.RuneError || invisible(r) {
			shown, _ := appendVisible(nil, []byte(text), true)
			return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(string(shown))
		}
	}
	return text
}
