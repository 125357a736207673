//go:build unix

package stages

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// killWhole makes the command the head of a group of processes, which is stopped
// as a whole: a shell's children go with it.
func killWhole(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// peakMemory is the most that the command, or any one process that it started
// and waited for, has held, in bytes. On Linux a process begins as a copy of its
// parent, and is counted with what that held: the figure is never below ours.
func peakMemory(p *os.ProcessState) int64 {
	if p == nil {
		return 0
	}
	use, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" { // which counts bytes, where others count KiB
		return int64(use.Maxrss)
	}
	return int64(use.Maxrss) * 1024
}
