package console

import (
	"os"

	"golang.org/x/sys/windows"
)

// escapes turns on ANSI escapes, which a Windows console has off by default.
func escapes(f *os.File) bool {
	var mode uint32
	h := windows.Handle(f.Fd())
	if windows.GetConsoleMode(h, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
