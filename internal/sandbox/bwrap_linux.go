package sandbox

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
)

// runBubblewrap runs a command in its view by bubblewrap, which some systems allow the namespaces that they deny to
// other programs. It does not wait for what it starts, so that the memory of the command is not known.
func runBubblewrap(ctx context.Context, bwrap string, c *Command, out *os.File) (*os.ProcessState, error) {
	statuses, reply, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer statuses.Close()
	files := []*os.File{reply}
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	fd := func() string { return strconv.Itoa(2 + len(files)) } // of the last of them
	args := []string{"--json-status-fd", fd(), "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
		"--uid", strconv.Itoa(user), "--gid", strconv.Itoa(user), "--hostname", hostname,
		"--die-with-parent", "--new-session", "--cap-drop", "ALL", "--disable-userns"}
	if !c.View.Network {
		args = append(args, "--unshare-net")
	}
	for _, e := range c.View.ordered() {
		switch {
		case e.Link != "":
			args = append(args, "--symlink", e.Link, e.To)
		case e.Hidden && e.Own:
			args = append(args, "--perms", "0555", "--tmpfs", e.To) // there may be many, and --remount-ro is slow
		case e.From == "":
			text, err := textFile(e.Text)
			if err != nil {
				return nil, err
			}
			files = append(files, text)
			args = append(args, "--ro-bind-data", fd(), e.To)
		case e.Writable:
			args = append(args, "--bind", e.From, e.To)
		case e.Device:
			args = append(args, "--dev-bind", e.From, e.To)
		default:
			args = append(args, "--ro-bind", e.From, e.To)
		}
	}
	program, err := filter(c.View.Network)
	if err != nil {
		return nil, &Unavailable{err}
	}
	var code bytes.Buffer
	if err := binary.Write(&code, binary.NativeEndian, program); err != nil {
		return nil, err
	}
	calls, err := textFile(code.String())
	if err != nil {
		return nil, err
	}
	files = append(files, calls)
	args = append(args, "--seccomp", fd(), "--proc", "/proc",
		"--perms", "0555", "--tmpfs", "/proc/1", "--remount-ro", "/proc/1", // bubblewrap: paths of the machine
		"--remount-ro", "/proc",
		"--perms", "1777", "--tmpfs", "/dev/shm", "--chmod", "0755", "/", "--remount-ro", "/",
		"--chdir", c.Dir, "--", c.Path)
	cmd := exec.CommandContext(ctx, bwrap, append(args, c.Args[1:]...)...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = c.Env, "/", out, out, files
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // of no signal of the terminal
	runtime.LockOSThread()                                // bubblewrap ends with the thread that started it
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return nil, &Unavailable{err}
	}
	reply.Close()
	ran, status := false, 0
	for d := json.NewDecoder(statuses); ; {
		var report struct {
			Exit *int `json:"exit-code"`
		}
		if d.Decode(&report) != nil {
			break
		}
		if report.Exit != nil {
			ran, status = true, *report.Exit
		}
	}
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !ran:
		return nil, &Unavailable{fmt.Errorf("bubblewrap, whose message is in the log: %w", errors.Join(err))}
	case status != 0:
		return nil, Exit(status << 8) // 128 + the number of a signal, as shells count
	}
	return nil, nil
}

// textFile is an open file with a text.
func textFile(text string) (*os.File, error) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	_, err = to.WriteString(text) // which a pipe takes at once
	return from, errors.Join(err, to.Close())
}
