package whole

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"prgnn/internal/need"
)

// NFS version 4 locks exclusively only what is open for writing, whatever the umask has left of its mode.
func TestLocksAreOpenForWriting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	for range 2 { // made, and found
		l := NewLock(path)
		if ok, err := l.TryLock(); !ok || err != nil {
			t.Fatal(ok, err)
		}
		found := false
		for _, fd := range need.Value(os.ReadDir("/proc/self/fd"))(t) {
			var n uintptr
			fmt.Sscan(fd.Name(), &n)
			if to, _ := os.Readlink("/proc/self/fd/" + fd.Name()); to == path {
				flags := need.Value(unix.FcntlInt(n, unix.F_GETFL, 0))(t)
				need.Equal(t, flags&unix.O_ACCMODE, unix.O_RDWR, "access")
				found = true
			}
		}
		need.Equal(t, found, true, "the lock is open")
		need.NoError(t, l.Unlock())
	}
}
