package memo

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"prgnn/artifacts"
	"prgnn/internal/regular"
)

// Racy is how old a file must be for its state to stand for its bytes. Two edits within one tick of the file system's
// clock leave the same times; ticks are 10 ms on Linux, and up to 2 s on FAT and on some network file systems.
const Racy = 2 * time.Second

// Hash digests a file outside the store, and counts its bytes. A memo keyed on path, size, mtime, ctime, inode and
// device spares reading it again; the memo is never trusted for a file younger than two seconds, nor when rehash is
// set. A file that changes while it is read gives artifacts.ErrChanged; the end of ctx ends the reading.
//
// A program that has mapped the file into memory (numpy.memmap, mode r+) moves the file's times with its first write
// to a clean page only. So the pages are written back (see WriteBack) before the state is taken that goes into
// the memo: the next write to any of them moves the times again. The clock is read before that, so that a write in
// between makes the file too young to be remembered.
func (m *Files) Hash(ctx context.Context, path string, rehash bool) (digest [32]byte, size int64, err error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return digest, 0, err
	}
	before, err := StateOf(abs)
	if err != nil {
		return digest, 0, &os.PathError{Op: "open", Path: path, Err: regular.Cause(err)}
	}
	if !before.Regular {
		return digest, 0, regular.Not(path, os.Stat)
	}
	now := time.Now()
	settled := !before.Unsure && !before.Younger(now, Racy)
	if settled && !rehash {
		if d, ok := m.Lookup(abs, before); ok {
			return d, before.Size, nil
		}
	}
	if settled {
		WriteBack(abs)
		if before, err = StateOf(abs); err != nil {
			return digest, 0, fmt.Errorf("%s: %w: it was removed while it was being read", path, artifacts.ErrChanged)
		}
		settled = !before.Unsure && !before.Younger(now, Racy)
	}
	digest, size, err = HashFile(ctx, abs)
	if err != nil {
		return digest, 0, err
	}
	if after, err := StateOf(abs); err != nil || after != before || size != before.Size {
		return digest, 0, fmt.Errorf("%s: %w: it was changed while it was being read", path, artifacts.ErrChanged)
	}
	if settled {
		m.Remember(abs, before, digest)
	}
	return digest, size, nil
}

// HashFile digests a file, and counts its bytes.
func HashFile(ctx context.Context, path string) (digest [32]byte, size int64, err error) {
	f, err := regular.Open(path)
	if err != nil {
		return digest, 0, err
	}
	defer f.Close()
	h := sha256.New()
	b := hashBuffers.Get().(*[hashBuffer]byte)
	defer hashBuffers.Put(b)
	n, err := io.CopyBuffer(struct{ io.Writer }{h}, regular.Until(ctx, f), b[:])
	if err != nil {
		return digest, 0, err
	}
	return [32]byte(h.Sum(nil)), n, nil
}

// hashBuffer is how much of a file is read at a time, in bytes: little enough to stay in the processor's cache.
const hashBuffer = 256 << 10

var hashBuffers = sync.Pool{New: func() any { return new([hashBuffer]byte) }}
