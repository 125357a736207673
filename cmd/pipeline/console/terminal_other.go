//go:build !windows

package console

import (
	"os"
)

// escapes reports whether the terminal understands ANSI escapes.
func escapes(*os.File) bool { return true }
