//go:build linux || darwin

package disk

import (
	"context"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"prgnn/artifacts"
	"prgnn/artifacts/memo"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
)

// A program keeps a file mapped and writes to a page that it has written to before:
// the digest is that of the new bytes.
func TestHashFileMapped(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a file to be two seconds old")
	}
	t.Parallel() // with the others that wait
	for name, dir := range map[string]string{"on a disk": t.TempDir(), "in memory": testdir.Memory(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := dir + "/series.npy"
			need.NoError(t, os.WriteFile(path, make([]byte, 1<<14), 0o666))
			f := need.Value(os.OpenFile(path, os.O_RDWR, 0))(t)
			defer f.Close()
			pages := need.Value(unix.Mmap(int(f.Fd()), 0, 1<<14, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED))(t)
			defer unix.Munmap(pages)
			s := newStore(t)
			pages[5000] = 1
			for i := byte(2); i < 5; i++ {
				time.Sleep(memo.Racy + 100*time.Millisecond)
				for range 2 { // the second time from the memo, where the file system allows one
					want := artifacts.DigestOf(need.Value(os.ReadFile(path))(t))
					if got := need.Value(s.HashFile(context.Background(), path, false))(t); got.Digest != want {
						t.Errorf("%s: write %d through the map is not seen", path, i-1)
					}
				}
				pages[5000] = i
			}
		})
	}
}
