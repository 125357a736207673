//go:build !unix

package stages

import (
	"os"
	"os/exec"
)

// killWhole leaves it at stopping the command itself: the pipes of what it has
// started are closed after cmd.WaitDelay.
func killWhole(*exec.Cmd) {}

// peakMemory is not known.
func peakMemory(*os.ProcessState) int64 { return 0 }
