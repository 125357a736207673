//go:build linux

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"prgnn/internal/need"
)

func init() { // the command of TestCalls
	if os.Getenv("SANDBOX_TEST_CALLS") == "" {
		return
	}
	err := func(_, _ uintptr, e syscall.Errno) string { return fmt.Sprint(int(e)) }
	socket := func(family uintptr) string {
		return err(syscall.RawSyscall(syscall.SYS_SOCKET, family, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0))
	}
	none := uintptr(1 << 20) // no file, key or process
	fmt.Println(socket(unix.AF_UNIX), socket(unix.AF_INET), socket(unix.AF_INET6), socket(unix.AF_VSOCK),
		socket(unix.AF_ALG))
	fmt.Println(err(syscall.RawSyscall(unix.SYS_KEYCTL, none, 0, 0)),
		err(syscall.RawSyscall(unix.SYS_IO_URING_SETUP, 0, 0, 0)),
		err(syscall.RawSyscall(unix.SYS_PTRACE, syscall.PTRACE_ATTACH, 1, 0)),
		err(syscall.RawSyscall(unix.SYS_PTRACE, syscall.PTRACE_ATTACH, none, 0)),
		err(syscall.RawSyscall(unix.SYS_FCHMOD, none, 0o4755, 0)), err(syscall.RawSyscall(unix.SYS_FCHMOD, none,
			0o755, 0)))
	file := "/tmp/mode"
	fmt.Println(os.WriteFile(file, nil, 0o700), os.Chmod(file, 0o755|os.ModeSetuid) != nil, os.Chmod(file, 0o750),
		unix.Fchmodat(unix.AT_FDCWD, file, 0o4755, 0), unix.Fchmodat(unix.AT_FDCWD, file, 0o1755, 0),
		unix.Fchmodat(unix.AT_FDCWD, file, 0o4755, unix.AT_SYMLINK_NOFOLLOW) != nil, os.Chmod(file,
			0o755|os.ModeSetgid))
	_, made := os.OpenFile("/tmp/made", os.O_CREATE|os.O_WRONLY, 0o700|os.ModeSetuid)
	_, opened := os.OpenFile(file, os.O_RDONLY, 0o700|os.ModeSetuid)
	fmt.Println(made != nil, opened, unix.Mknod("/tmp/node", unix.S_IFREG|0o4700, 0))
	info, _ := os.Stat(file)
	fmt.Println(info.Mode())
	os.Exit(0)
}

// Calls that lead out of the namespaces fail, and those beside them do not.
func calls(t *testing.T, call func(script string, env ...string) string) {
	made := "\ntrue <nil> operation not permitted\n"
	group := "<nil>" + made + "grwxr-xr-x\n"
	if os.Getgid() == 0 {
		group = "chmod /tmp/mode: operation not permitted" + made + "trwxr-xr-x\n"
	}
	want := fmt.Sprintf("0 0 0 %d %[1]d\n%[2]d %[2]d %[3]d %[4]d %[3]d %[5]d\n", syscall.EAFNOSUPPORT, syscall.ENOSYS, syscall.EPERM,
		syscall.ESRCH, syscall.EBADF) + "<nil> true <nil> operation not permitted <nil> true " + group
	need.Equal(t, call(os.Args[0], "SANDBOX_TEST_CALLS=1"), want)
}

// Both ways to confine a command give it the same view.
func TestRun(t *testing.T) {
	t.Run("namespaces", func(t *testing.T) {
		if _, err := runItself(context.Background(), &Command{View: &View{Root: t.TempDir()}}, nil); err != nil {
			need.Missing(t, "%v; allow user namespaces", err)
		}
		confines(t, runItself)
	})
	t.Run("bubblewrap", func(t *testing.T) {
		bwrap := need.Program(t, "bubblewrap", "bwrap")
		confines(t, func(ctx context.Context, c *Command, out *os.File) (*os.ProcessState, error) {
			return runBubblewrap(ctx, bwrap, c, out)
		})
	})
}

func confines(t *testing.T, run runner) {
	dir := t.TempDir()
	room, root, seen := filepath.Join(dir, "work"), filepath.Join(dir, "root"), filepath.Join(dir, "seen")
	need.NoError(t, errors.Join(os.MkdirAll(room, 0o700), os.Mkdir(root, 0o700),
		os.WriteFile(seen, []byte("seen\n"), 0o600), os.WriteFile(filepath.Join(dir, "hidden"),
			[]byte("hidden\n"), 0o600),
		os.Symlink(seen, filepath.Join(dir, "link"))))
	view := func() *View {
		tmp := filepath.Join(room, "tmp")
		need.NoError(t, errors.Join(os.RemoveAll(tmp), os.Mkdir(tmp, 0o700)))
		v := New(root, room, "/work", false)
		v.Show(filepath.Join(dir, "link"))
		v.Show(filepath.Join(dir, "none"))
		v.Show(os.Args[0])
		return v
	}
	call := func(ctx context.Context, script string, env ...string) (string, error) {
		out := need.Value(os.Create(filepath.Join(dir, "out")))(t)
		defer out.Close()
		_, err := run(ctx, &Command{View: view(), Path: "/bin/sh", Args: []string{"/bin/sh", "-c", script},
			Env: append(env, "PATH=/usr/bin:/bin", "DIR="+dir), Dir: "/work"}, out)
		return string(need.Value(os.ReadFile(out.Name()))(t)), err
	}
	said, err := call(context.Background(), `
		pwd; id -u; hostname; cat $DIR/link $DIR/seen; ls $DIR; cat /etc/passwd; echo / *; wc -c < /dev/null
		grep Cap /proc/self/status | cut -f2 | sort -u
		stat -c %a / /dev/shm /tmp
		for f in /x /usr/x /etc/x /dev/x /sys/x /proc/sys/kernel/hostname $DIR/seen; do (echo x > $f) 2>/dev/null && echo "wrote $f"; done
		grep " /work \| /tmp " /proc/self/mountinfo | grep -c nosuid,nodev
		for s in HUP INT QUIT ILL ABRT BUS FPE USR1 SEGV USR2 PIPE ALRM TERM; do kill -$s 1 2>/dev/null; done
		(cat /proc/1/environ; readlink /proc/1/fd/* /proc/1/cwd; grep -a "$DIR" /proc/1/cmdline) 2>/dev/null
		unshare --user true 2>/dev/null && echo "has namespaces of its own"
		echo kept > /tmp/kept; echo kept > /dev/shm/kept; exit 7`)
	need.Error(t, err, "exit status 7")
	need.Equal(t, said, "/work\n1000\npipeline\nseen\nseen\nlink\nseen\nuser:x:1000:1000::/nonexistent:/bin/sh\n/ tmp\n0\n0000000000000000\n755\n1777\n700\n2\n")
	need.Equal(t, string(need.Value(os.ReadFile(filepath.Join(room, "tmp", "kept")))(t)), "kept\n")

	calls(t, func(script string, env ...string) string {
		said, err := call(context.Background(), script, env...)
		need.NoError(t, err)
		return said
	})

	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err = call(ctx, "sleep 600"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("stopped: %v", err)
	}
	v := view()
	v.Entries = append(v.Entries, Entry{To: "/none", From: filepath.Join(dir, "none")})
	_, err = run(context.Background(), &Command{View: v, Path: "/bin/sh", Args: []string{"sh"}, Dir: "/"}, nil)
	var not *Unavailable
	if !errors.As(err, &not) {
		t.Errorf("a file that does not exist: %v", err)
	}
	if strings.Contains(said, "hidden") {
		t.Error(said)
	}
}
