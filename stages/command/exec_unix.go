//go:build unix

package command

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
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

// closeInherited lets no program that this one starts inherit the files that were open when it was started itself.
// What this program opens closes itself.
func closeInherited() error {
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return fmt.Errorf("the files that the command must not inherit cannot be listed: %w", err)
	}
	for _, e := range open {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// resourceLimits are podman's words for the limits of this process, beyond which it may not go: podman's own
// may be higher, and then it starts nothing.
func resourceLimits() []string {
	var words []string
	for _, l := range []struct {
		name     string
		resource int
	}{{"nofile", unix.RLIMIT_NOFILE}, {"nproc", unix.RLIMIT_NPROC}} {
		var limit unix.Rlimit
		if unix.Getrlimit(l.resource, &limit) == nil && limit.Max < 1<<62 {
			limit.Cur, limit.Max = min(limit.Cur, mostOfPodman), min(limit.Max, mostOfPodman)
			words = append(words, "--ulimit", fmt.Sprintf("%s=%d:%d", l.name, limit.Cur, limit.Max))
		}
	}
	return words
}

// mostOfPodman is the highest limit that podman's own processes may set: they run with 32768 processes.
const mostOfPodman = 30000

// removeAtEnd removes a container when the function that it returns is called, and when this
// process is killed: podman's containers do not end with the process that started them.
func removeAtEnd(podman, name string) (end func(), err error) {
	watch := exec.Command("/bin/sh", "-c", "trap '' HUP INT QUIT TERM; read line; exec \"$0\" rm --force --ignore --time 0 \"$1\"", podman, name)
	watch.Dir, watch.SysProcAttr = "/", &syscall.SysProcAttr{Setpgid: true}
	alive, err := watch.StdinPipe()
	if err == nil {
		err = watch.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("the shell that removes the container if this program is killed does not start: %w", err)
	}
	return func() {
		alive.Close()
		_ = watch.Wait()
	}, nil
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
