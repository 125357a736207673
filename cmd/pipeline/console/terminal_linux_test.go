package console

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"prgnn/internal/need"
)

// terminal is a terminal of so many columns, and what shows what is written to it.
func terminal(t *testing.T, columns uint16) (tty *os.File, shown func() string) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	t.Cleanup(func() { screen.Close() })
	need.NoError(t, unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0))
	n := need.Value(unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN))(t)
	tty = need.Value(os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0))(t)
	need.NoError(t, unix.IoctlSetWinsize(int(screen.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}))
	return tty, func() string {
		tty.Close()
		b, _ := io.ReadAll(screen) // which ends in an error where the other side is closed
		return strings.ReplaceAll(string(b), "\r\n", "\n")
	}
}

// TestTerminal: messages and answers break between words; JSON, and the bytes of a file, do not break.
func TestTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	tty, shown := terminal(t, 30)
	a := New(nil, tty, tty)
	need.Equal(t, a.Wide(), 30)
	const long = "a line that is too wide for so narrow a terminal"
	a.Warn("%s", long)
	a.Fold(true)
	fmt.Fprintln(a.Out, long)
	need.NoError(t, a.Bytes(func(w io.Writer) error { _, err := fmt.Fprintln(w, long); return err }))
	a.Fold(false)
	a.Object("", long)
	need.NoError(t, a.Close())
	const folded = "a line that is too wide for so\n  narrow a terminal\n"
	need.Equal(t, shown(), folded+folded+long+"\n\""+long+"\"\n")
}
