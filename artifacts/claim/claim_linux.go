// Package claim has the locks by which processes that share a directory do each piece of work once. The kernel drops
// them with the process that has them.
package claim

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"prgnn/artifacts/whole"
	"prgnn/internal/pattern"
	"prgnn/internal/regular"
)

// A Set has the claims of one directory: locks of one byte each in one file, which stays empty. The byte's offset
// is the first 62 bits of the name. A file for each claim, made and removed, took 40% of the processor
// time of small tasks on ext4, which looks for inodes that were not freed a moment ago.
type Set struct {
	Dir string // it may come later

	mu   sync.Mutex
	f    *os.File          // nil before the first claim
	held map[[32]byte]bool // by this process: the kernel's locks belong to the open file
}

const file = "claims"

// Try takes the claim of a name, unless another process, or another goroutine of this one, has it: then ok is false.
func (c *Set) Try(k [32]byte) (release func() error, ok bool, err error) {
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
		if err := whole.MkdirAll(c.Dir); err != nil {
			return nil, false, err
		}
		if c.f, err = regular.OpenFile(filepath.Join(c.Dir, file), os.O_CREATE|os.O_RDWR, 0o666); err != nil {
			return nil, false, err
		}
		if err := whole.ShareFile(c.f.Name()); err != nil {
			return nil, false, err
		}
		if c.held == nil {
			c.held = map[[32]byte]bool{}
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

// Close gives up all claims.
func (c *Set) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.f != nil {
		c.f.Close()
		c.f = nil
	}
}

// lock sets or removes the lock of a key. The kernel removes all when the process ends, however it does.
func (c *Set) lock(k [32]byte, kind int16) error {
	return unix.FcntlFlock(c.f.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{
		Type: kind, Whence: io.SeekStart, Start: int64(binary.BigEndian.Uint64(k[:]) >> 2), Len: 1,
	})
}

// shard is the name of a directory of claims; the directory that holds them may be a link to where others have files.
var shard = pattern.New(`^[0-9a-f]{2}$`)

// RemoveStale removes what other versions have left, which had a file for each claim.
func (c *Set) RemoveStale() {
	entries, _ := os.ReadDir(c.Dir)
	for _, e := range entries {
		if e.IsDir() && shard.MatchString(e.Name()) {
			_ = os.RemoveAll(filepath.Join(c.Dir, e.Name()))
		}
	}
}
