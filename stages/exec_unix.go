//go:build unix

package stages

import (
	"os/exec"
	"syscall"
)

// killWhole makes the command the head of a group of processes, which is stopped
// as a whole: a shell's children go with it.
func killWhole(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
