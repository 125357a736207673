package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// A terminal is what a stream can show: nothing but text, or bars and colours.
type terminal struct {
	file  *os.File // nil when it is no terminal
	color bool
}

// terminalOf looks at a stream. Colours are only for terminals, and NO_COLOR
// (https://no-color.org) and TERM=dumb turn them off.
func terminalOf(w io.Writer) terminal {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" || !escapes(f) {
		return terminal{}
	}
	return terminal{file: f, color: os.Getenv("NO_COLOR") == ""}
}

func (t terminal) is() bool { return t.file != nil }

// size is columns and lines; 80 × 24 when the terminal does not tell.
func (t terminal) size() (width, height int) {
	if t.file != nil {
		if w, h, err := term.GetSize(int(t.file.Fd())); err == nil && w > 0 && h > 0 {
			return w, h
		}
	}
	return 80, 24
}

func (t terminal) paint(code, s string) string {
	if !t.color {
		return s
	}
	return control + code + "m" + s + control + "0m"
}

// newLine goes back to the beginning of the line and empties it.
func newLine() string { return control + "1G" + control + "K" }

func (t terminal) red(s string) string   { return t.paint("31", s) }
func (t terminal) green(s string) string { return t.paint("32", s) }
func (t terminal) faint(s string) string { return t.paint("2", s) }
func (t terminal) bold(s string) string  { return t.paint("1", s) }
