package artifacts

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"prgnn/internal/regular"
)

// Claims are locks of one byte each in one file, locks/claims, which stays empty: the byte's offset
// is the first 62 bits of the key. A file for each claim, made and removed, took 40 % of the processor
// time of small tasks on ext4, which looks for inodes that were not freed a moment ago.
type claims struct {
	mu   sync.Mutex
	f    *os.File     // nil before the first claim
	held map[Key]bool // by this process: the kernel's locks belong to the open file
}

const claimsFile = "claims"

func (c *claims) try(s *Store, k Key) (release func() error, ok bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held[k] {
		return nil, false, nil
	}
	if c.f != nil && unlinked(c.f) { // somebody has taken the store, or its locks, away
		c.f.Close()
		c.f = nil
	}
	if c.f == nil {
		dir := filepath.Join(s.dir, locksDir)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, false, err
		}
		if c.f, err = regular.OpenFile(filepath.Join(dir, claimsFile), os.O_CREATE|os.O_RDWR, 0o666); err != nil {
			return nil, false, err
		}
		if c.held == nil {
			c.held = map[Key]bool{}
		}
	}
	err = c.lock(k, unix.F_WRLCK)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	c.held[k] = true
	return func() error {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.held, k)
		if c.f == nil { // closed, and so released
			return nil
		}
		return c.lock(k, unix.F_UNLCK)
	}, true, nil
}

// unlinked reports whether an open file has no name any more.
func unlinked(f *os.File) bool {
	var st unix.Stat_t
	return unix.Fstat(int(f.Fd()), &st) == nil && st.Nlink == 0
}

func (c *claims) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.f != nil {
		c.f.Close()
		c.f = nil
	}
}

// lock sets or removes the lock of a key. The kernel removes all when the process ends, however it does.
func (c *claims) lock(k Key, kind int16) error {
	return unix.FcntlFlock(c.f.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{
		Type: kind, Whence: io.SeekStart, Start: int64(binary.BigEndian.Uint64(k[:]) >> 2), Len: 1,
	})
}

// removeStaleClaims removes what other versions have left, which had a file for each claim.
func (s *Store) removeStaleClaims() {
	entries, _ := os.ReadDir(filepath.Join(s.dir, locksDir))
	for _, e := range entries {
		if e.IsDir() {
			_ = os.RemoveAll(filepath.Join(s.dir, locksDir, e.Name()))
		}
	}
}
