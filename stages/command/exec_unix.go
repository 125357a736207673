//go:build unix

package command

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// guardScript waits until nobody holds the other end of its standard input, and kills its
// group of processes, itself with it. What a command sends to its own group does not stop it.
const guardScript = "trap '' HUP INT QUIT TERM USR1 USR2; read line; kill -KILL 0"

// runGuarded runs a command in a group of processes that is killed as a whole: when the
// command is stopped, when it has ended, and when this process is killed. The head of the
// group is a shell that waits for that; it is there before the command, so no moment is
// unguarded. A process that makes a group of its own (setsid) is not reached.
func runGuarded(cmd *exec.Cmd) error {
	guard := exec.Command("/bin/sh", "-c", guardScript)
	guard.Env, guard.Dir = []string{}, "/"
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	alive, err := guard.StdinPipe()
	if err == nil {
		err = guard.Start()
	}
	if err != nil {
		return fmt.Errorf("the shell that stops the command if this program is killed does not start: %w", err)
	}
	group := guard.Process.Pid
	defer func() {
		_ = syscall.Kill(-group, syscall.SIGKILL)
		alive.Close()
		_ = guard.Wait() // until then nobody else can get the group's number
	}()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: group}
	cmd.Cancel = func() error { return syscall.Kill(-group, syscall.SIGKILL) }
	return cmd.Run()
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
