package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// name is how the program is called as the first process of the namespaces. Its file 3 is the Command to run, or one
// without words to see whether it could; the end of this file is that of the program. File 4 takes the answer.
const name = "pipeline: sandbox"

func init() {
	if len(os.Args) == 1 && os.Args[0] == name {
		enter()
	}
}

// A filtered command is one with the filter of its system calls.
type filtered struct {
	*Command
	Calls []unix.SockFilter
}

// An answer is what became of it.
type answer struct {
	Failed string        // in the setup
	Errno  syscall.Errno // with which the program did not start
	Status int           // with which the command ended
}

// An Exit is how a command ended that did not succeed.
type Exit syscall.WaitStatus

func (e Exit) Error() string {
	w := syscall.WaitStatus(e)
	if w.Signaled() {
		return "signal: " + w.Signal().String()
	}
	return fmt.Sprintf("exit status %d", w.ExitStatus())
}

// Run runs a command, whose output goes to out. The state counts the memory of all that ended; it is nil where that is
// not known. An error in which the command has no part is an *Unavailable.
func Run(ctx context.Context, c *Command, out *os.File) (*os.ProcessState, error) {
	run, err := way()
	if err != nil {
		return nil, &Unavailable{err}
	}
	return run(ctx, c, out)
}

// Available reports why this machine cannot confine commands, or nil. It tries once.
func Available() error {
	_, err := way()
	return err
}

type runner func(ctx context.Context, c *Command, out *os.File) (*os.ProcessState, error)

// way is the first way to confine a command that works here.
var way = sync.OnceValues(func() (runner, error) {
	dir, err := os.MkdirTemp("", "pipeline-sandbox-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	nothing := &Command{View: &View{Root: dir}}
	_, err = runItself(context.Background(), nothing, os.Stderr)
	if err == nil {
		return runItself, nil
	}
	bwrap, missing := exec.LookPath("bwrap")
	if missing != nil {
		return nil, fmt.Errorf("%w, and there is no bubblewrap (bwrap)", err)
	}
	other := runner(func(ctx context.Context, c *Command, out *os.File) (*os.ProcessState, error) {
		return runBubblewrap(ctx, bwrap, c, out)
	})
	if e := os.Mkdir(filepath.Join(dir, "tmp"), 0o700); e != nil {
		return nil, e
	}
	log, e := os.CreateTemp(dir, "log")
	if e != nil {
		return nil, e
	}
	defer log.Close()
	nothing = &Command{View: New("", dir, "/work", false), Path: "/bin/sh", Args: []string{"sh", "-c", ":"}, Dir: "/"}
	if _, e = other(context.Background(), nothing, log); e != nil {
		text, _ := os.ReadFile(log.Name())
		return nil, fmt.Errorf("%w, and bubblewrap ends with %q", err, strings.TrimSpace(string(text)))
	}
	return other, nil
})

// runItself runs a command in namespaces whose first process is this program.
func runItself(ctx context.Context, c *Command, out *os.File) (*os.ProcessState, error) {
	calls, err := filter(c.View.Network)
	if err != nil {
		return nil, &Unavailable{err}
	}
	commands, send, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer send.Close()
	answers, reply, err := os.Pipe()
	if err != nil {
		commands.Close()
		return nil, err
	}
	defer answers.Close()
	cmd := exec.CommandContext(ctx, "/proc/self/exe")
	cmd.Args, cmd.Env, cmd.Dir = []string{name}, []string{}, "/"
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = out, out, []*os.File{commands, reply}
	namespaces := unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	if !c.View.Network {
		namespaces |= unix.CLONE_NEWNET
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setpgid:     true, // of no signal of the terminal
		Cloneflags:  uintptr(namespaces),
		UidMappings: []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Getgid(), Size: 1}},
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP, unix.CAP_NET_ADMIN, unix.CAP_SYS_RESOURCE},
	}
	err = cmd.Start()
	commands.Close()
	reply.Close()
	if err != nil {
		return nil, &Unavailable{fmt.Errorf("a process with namespaces of its own does not start: %w", err)}
	}
	go func() { _ = json.NewEncoder(send).Encode(filtered{c, calls}) }() // it ends with the process that reads it
	var a answer
	unread := json.NewDecoder(answers).Decode(&a)
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return cmd.ProcessState, ctx.Err()
	case err != nil:
		return cmd.ProcessState, fmt.Errorf("the process that confines it (%w), which the system ends where memory is short", err)
	case unread != nil:
		return cmd.ProcessState, fmt.Errorf("the process that confines it, which did not answer: %w", unread)
	case a.Failed != "":
		return cmd.ProcessState, &Unavailable{errors.New(a.Failed)}
	case a.Errno != 0:
		return cmd.ProcessState, a.Errno
	case a.Status != 0:
		return cmd.ProcessState, Exit(a.Status)
	}
	return cmd.ProcessState, nil
}

// enter is the life of the first process.
func enter() {
	runtime.LockOSThread()                 // capabilities belong to threads
	signal.Notify(make(chan os.Signal, 1)) // the command may send them, and none ends this process
	unix.CloseOnExec(3)
	unix.CloseOnExec(4)
	from, to := os.NewFile(3, "command"), os.NewFile(4, "answer")
	end := func(a answer) {
		_ = json.NewEncoder(to).Encode(a)
		os.Exit(0)
	}
	var c filtered
	if json.NewDecoder(from).Decode(&c) != nil {
		os.Exit(1)
	}
	go func() { // what ends the program ends the command
		_, _ = io.Copy(io.Discard, from)
		os.Exit(1)
	}()
	if err := c.View.enter(); err != nil {
		end(answer{Failed: err.Error()})
	}
	if err := giveUp(); err != nil {
		end(answer{Failed: "capabilities cannot be given up: " + err.Error()})
	}
	if err := restrict(c.Calls); err != nil {
		end(answer{Failed: "system calls cannot be filtered: " + err.Error()})
	}
	if len(c.Args) == 0 {
		end(answer{})
	}
	pid, err := syscall.ForkExec(c.Path, c.Args, &syscall.ProcAttr{Dir: c.Dir, Env: c.Env, Files: []uintptr{0, 1, 2},
		Sys: &syscall.SysProcAttr{Setsid: true}})
	if err != nil {
		var errno syscall.Errno
		errors.As(err, &errno)
		end(answer{Errno: errno})
	}
	for {
		var status syscall.WaitStatus
		switch ended, err := syscall.Wait4(-1, &status, 0, nil); {
		case err == syscall.EINTR:
		case err != nil:
			end(answer{Failed: "the command cannot be waited for: " + err.Error()})
		case ended == pid:
			end(answer{Status: int(status)})
		}
	}
}

// enter mounts the view and makes it the root.
func (v *View) enter() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mounts cannot be kept apart from those of the machine: %w", err)
	}
	if err := unix.Mount("tmpfs", v.Root, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755"); err != nil {
		return fmt.Errorf("a directory for it cannot be mounted: %w", err)
	}
	made := &View{Root: v.Root}
	for _, e := range v.ordered() {
		err := made.make(e)
		made.Entries = append(made.Entries, e)
		if err != nil {
			return fmt.Errorf("%s cannot be shown to it: %w", e.To, err)
		}
	}
	for _, m := range []struct {
		to, fs string
		flags  uintptr
		data   string
	}{
		{"/proc", "proc", unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC, ""},
		{"/dev/shm", "tmpfs", unix.MS_NOSUID | unix.MS_NODEV, "mode=1777"},
	} {
		err := os.MkdirAll(v.Root+m.to, 0o755)
		if err == nil {
			err = unix.Mount(m.fs, v.Root+m.to, m.fs, m.flags, m.data)
		}
		if err != nil {
			return fmt.Errorf("a %s of its own cannot be mounted: %w", m.to, err)
		}
	}
	if err := v.protect(); err != nil {
		return err
	}
	if err := unix.Sethostname([]byte(hostname)); err != nil {
		return fmt.Errorf("its host name cannot be set: %w", err)
	}
	if !v.Network {
		if err := loopbackUp(); err != nil {
			return fmt.Errorf("its loopback device cannot be started: %w", err)
		}
	}
	// In namespaces of its own the command would have capabilities again.
	if err := os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("further user namespaces cannot be forbidden to it: %w", err)
	}
	if err := os.Chdir(v.Root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("its root cannot be changed: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("the root of the machine cannot be taken away from it: %w", err)
	}
	return os.Chdir("/")
}

// make makes one entry more.
func (v *View) make(e Entry) error {
	to := v.Root + e.To
	info, err := os.Lstat(to)
	there := err == nil
	if in := v.entry(e.To); !there && in != nil && !in.Own {
		return fmt.Errorf("it would have to be made in %s", in.To)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(to)); err != nil || !within(real, v.Root) {
		return errors.New("a link leads there")
	}
	switch {
	case e.Link != "":
		return os.Symlink(e.Link, to)
	case e.Hidden && e.Own:
		return unix.Mount("tmpfs", to, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755") // protect makes it read-only
	case e.Hidden:
		return unix.Mount("/dev/null", to, "", unix.MS_BIND, "")
	case e.From == "":
		return os.WriteFile(to, []byte(e.Text), 0o644)
	}
	from, err := os.Stat(e.From)
	switch {
	case err != nil:
	case there && info.Mode()&fs.ModeSymlink != 0:
		err = errors.New("it is a link there")
	case there:
	case from.IsDir():
		err = os.Mkdir(to, 0o755)
	default:
		err = os.WriteFile(to, nil, 0o644)
	}
	if err == nil {
		err = unix.Mount(e.From, to, "", unix.MS_BIND|unix.MS_REC, "")
	}
	return err
}

// kept are the options that a mount of the machine keeps.
var kept = map[string]uintptr{"ro": unix.MS_RDONLY, "nosuid": unix.MS_NOSUID, "nodev": unix.MS_NODEV,
	"noexec": unix.MS_NOEXEC, "noatime": unix.MS_NOATIME, "nodiratime": unix.MS_NODIRATIME,
	"relatime": unix.MS_RELATIME}

// protect makes every mount of the view read-only, also those inside directories of the machine; those that the command
// may write to have no devices, and no programs that run as their owner.
func (v *View) protect() error {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line) // proc_pid_mountinfo(5)
		if len(fields) < 6 {
			continue
		}
		at := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(fields[4])
		if !within(at, v.Root) {
			continue
		}
		path := strings.TrimPrefix(at, v.Root)
		if path == "/dev/shm" {
			continue
		}
		flags, as := uintptr(unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY), "read-only"
		if v.Writable(path) {
			flags, as = unix.MS_BIND|unix.MS_REMOUNT|unix.MS_NOSUID|unix.MS_NODEV, "a place without devices"
		}
		for option := range strings.SplitSeq(fields[5], ",") {
			flags |= kept[option]
		}
		if err := unix.Mount("", at, "", flags, ""); err != nil {
			return fmt.Errorf("%s cannot be made %s for it: %w", path, as, err)
		}
	}
	return nil
}

func loopbackUp() error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	lo, err := unix.NewIfreq("lo")
	if err == nil {
		lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
		err = unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, lo)
	}
	return err
}

// giveUp leaves this thread, and what it starts, without capabilities, now and in programs that give some.
func giveUp() error {
	for c := uintptr(0); unix.Prctl(unix.PR_CAPBSET_READ, c, 0, 0, 0) == nil; c++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil {
			return err
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData // of 32 capabilities each
	return errors.Join(
		unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0),
		unix.Capset(&header, &none[0]),
		unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
		unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)) // other threads of this process have them still
}
