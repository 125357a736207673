//go:build !windows

package console

import (
	"os"
)

// escapes tells whether the terminal understands ANSI escapes.
func escapes(*os.File) bool { return true }
