package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"prgnn/artifacts"
	"prgnn/internal/need"
)

func init() { children["without locks"] = childWithoutLocks }

// TestWithoutLocks: where the kernel answers ENOLCK to all locks, as with NFS mounted without a lock daemon, two runs
// on one store may do the same work twice. Its result is right and there once, and gc refuses beside another process.
func TestWithoutLocks(t *testing.T) {
	cmd := exec.Command(need.Value(os.Executable())(t))
	cmd.Env = append(os.Environ(), "PRGNN_CHILD=without locks", "PRGNN_CHILD_STORE="+filepath.Join(t.TempDir(), "store"))
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), errNoFilter.Error()) {
		need.Missing(t, "%s", out)
	} else if err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

var errNoFilter = errors.New("the kernel takes no filter of system calls")

// refuseLocks has all locks of this process fail with ENOLCK from now on.
func refuseLocks() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const number, second = 0, 16 + 8 // where the filter finds the call, and its second argument (little-endian)
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	equal := func(k, yes, no int) unix.SockFilter {
		const code = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		return unix.SockFilter{Code: code, K: uint32(k), Jt: uint8(yes), Jf: uint8(no)}
	}
	answer := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	filter := []unix.SockFilter{
		load(number),
		equal(unix.SYS_FLOCK, 3, 0),
		equal(unix.SYS_FCNTL, 0, 3),
		load(second),
		equal(unix.F_OFD_SETLK, 0, 1),
		answer(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOLCK)),
		answer(unix.SECCOMP_RET_ALLOW),
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("%w: %w", errNoFilter, err)
	}
	_, _, no := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&program)))
	if no != 0 {
		return fmt.Errorf("%w: %w", errNoFilter, no)
	}
	return nil
}

func childWithoutLocks(dir string) error {
	if err := refuseLocks(); err != nil {
		return err
	}
	a, err := Open(dir)
	if err != nil {
		return err
	}
	b, err := Open(dir)
	if err != nil {
		return err
	}
	able, err := a.Health.Probe()
	if err != nil || able.Lock || able.Problems() == nil {
		return fmt.Errorf("the probe finds locks: %+v, %w", able, err)
	}
	var k artifacts.Key
	var r artifacts.Ref
	for _, s := range []*Store{a, b} { // both get the claim, and do the work
		c, ok, err := s.Work.TryClaim(artifacts.KeyOf("recipe"))
		if err != nil || !ok {
			return fmt.Errorf("claimed: %v, %w", ok, err)
		}
		defer c.Release()
		if r, err = s.Put(artifacts.Text("result")); err != nil {
			return err
		}
		if k, err = s.Record(artifacts.Action{Recipe: "recipe", Outputs: artifacts.Refs{{Name: "text",
			Ref: r}}}); err != nil {
			return err
		}
	}
	gc := func(s *Store) error {
		p, err := s.Health.PlanGC(GCOptions{})
		if err == nil {
			_, _, err = p.Execute()
		}
		return err
	}
	if err := gc(a); err == nil || !strings.Contains(err.Error(), "no locks") {
		return fmt.Errorf("gc beside another process: %w", err)
	}
	err = b.SaveRun(&artifacts.RunRecord{ID: artifacts.NewRunID(), Started: time.Now(), Finished: time.Now(),
		Tasks: []artifacts.RunTask{{ID: "task", Key: k, Outputs: artifacts.Refs{{Name: "text", Ref: r}}}}})
	if err := errors.Join(err, b.Close(), gc(a)); err != nil { // alone
		return err
	}
	if got, err := content(a, r); got != "result" || err != nil {
		return fmt.Errorf("after gc: %q, %w", got, err)
	}
	if _, err := a.Lookup(k); err != nil {
		return err
	}
	if rep, err := a.Health.Verify(context.Background(), nil); err != nil || len(rep.Findings) > 0 {
		return fmt.Errorf("%v, %w", rep, err)
	}
	return a.Close()
}
