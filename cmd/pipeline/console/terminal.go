package console

import (
	"io"
	"os"

	"golang.org/x/term"
)

// A Terminal is what a stream can show: nothing but text, or bars and colors.
type Terminal struct {
	file  *os.File // nil when it is no terminal
	color bool
}

// terminalOf looks at a stream. Colors are only for terminals, and NO_COLOR
// (https://no-color.org) and TERM=dumb turn them off.
func terminalOf(w io.Writer) Terminal {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" || !escapes(f) {
		return Terminal{}
	}
	return Terminal{file: f, color: os.Getenv("NO_COLOR") == ""}
}

// IsTerminal reports whether the stream shows bars.
func (t Terminal) IsTerminal() bool { return t.file != nil }

// Size is columns and lines; 80 × 24 when the terminal does not tell.
func (t Terminal) Size() (width, height int) {
	if t.file != nil {
		if w, h, err := term.GetSize(int(t.file.Fd())); err == nil && w > 0 && h > 0 {
			return w, h
		}
	}
	return 80, 24
}

// wide is the columns of a terminal; 0 where there is none.
func (t Terminal) wide() int {
	if !t.IsTerminal() {
		return 0
	}
	w, _ := t.Size()
	return w
}

func (t Terminal) paint(code, s string) string {
	if !t.color {
		return s
	}
	return Control() + code + "m" + s + Control() + "0m"
}

// ClearLine goes back to the beginning of the line and empties it.
func ClearLine() string { return Control() + "1G" + Control() + "K" }

// Red, Green, Faint and Bold paint a text where colors are shown.
func (t Terminal) Red(s string) string { return t.paint("31", s) }

func (t Terminal) Green(s string) string { return t.paint("32", s) }

func (t Terminal) Faint(s string) string { return t.paint("2", s) }

func (t Terminal) Bold(s string) string { return t.paint("1", s) }
