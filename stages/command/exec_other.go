//go:build !unix

package command

import (
	"errors"
	"os"
	"os/exec"
)

// runGuarded runs a command. Stopping it stops the command itself, and nothing that it has
// started. If this process is killed, the command goes on.
func runGuarded(cmd *exec.Cmd) error { return cmd.Run() }

// closeInherited does nothing: no program inherits files there.
func closeInherited() error { return nil }

// peakMemory is not known.
func peakMemory(*os.ProcessState) int64 { return 0 }

// resourceLimits are not known.
func resourceLimits() []string { return nil }

// removeAtEnd has no shell that could remove the container.
func removeAtEnd(string, string) (func(), error) {
	return nil, errors.New("containers run only on Linux and macOS")
}
