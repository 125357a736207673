package console

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"prgnn/internal/pattern"
)

// A folder breaks lines that are wider than a terminal between words, so that the terminal does not break them within
// one. What follows is set two columns further in than the line.
type folder struct {
	wide   func() int // columns; 0 breaks nothing
	at     int        // columns of the line so far
	indent int        // of the line; its first word has come when at is larger
}

// fold returns text with more line breaks. Control sequences take no room.
func (f *folder) fold(text []byte) []byte {
	wide := f.wide()
	if wide == 0 {
		return text
	}
	var out []byte
	for line := range bytes.Lines(text) {
		body, ends := bytes.CutSuffix(line, []byte("\n"))
		if f.at+columns(body) <= wide {
			if f.at == f.indent {
				f.indent += len(body) - len(bytes.TrimLeft(body, " "))
			}
			f.at += columns(body)
			out = append(out, line...)
		} else {
			out = f.words(out, string(body), wide)
			if ends {
				out = append(out, '\n')
			}
		}
		if ends {
			f.at, f.indent = 0, 0
		}
	}
	return out
}

// words appends the words of a line that is too wide.
func (f *folder) words(out []byte, body string, wide int) []byte {
	for body != "" {
		rest := strings.TrimLeft(body, " ")
		blanks := body[:len(body)-len(rest)]
		word := strings.TrimRight(valueOrWord.FindString(rest), " ")
		body = rest[len(word):]
		n := columns([]byte(word))
		switch {
		case f.at == f.indent: // the beginning of a line
			f.indent += len(blanks)
			f.at = f.indent
			out = append(out, blanks...)
		case f.at+len(blanks)+n > wide && n > 0:
			in := min(f.indent+2, wide/2)
			out = append(append(out, '\n'), strings.Repeat(" ", in)...)
			f.at = in
		default:
			f.at += len(blanks)
			out = append(out, blanks...)
		}
		f.at += n
		out = append(out, word...)
	}
	return out
}

// valueOrWord is a word, or a number with its unit: 37.3 s.
var valueOrWord = pattern.New(`^[^ ]*([0-9] \pL{1,3}( |$)|[^ ]*)`)

// columns is the width of a text without its control sequences.
func columns(text []byte) int {
	n := 0
	for len(text) > 0 {
		if rest, is := bytes.CutPrefix(text, []byte("\x1b[")); is {
			end := bytes.IndexFunc(rest, func(r rune) bool { return r >= '@' && r <= '~' })
			text = rest[end+1:]
			continue
		}
		_, size := utf8.DecodeRune(text)
		text = text[size:]
		n++
	}
	return n
}
