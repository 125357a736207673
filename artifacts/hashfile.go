package artifacts

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"prgnn/artifacts/memo"
	"prgnn/internal/regular"
)

// racy is how old a file must be for its state to stand for its bytes. Two edits within one tick of the file system's
// clock leave the same times; ticks are 10 ms on Linux, and up to 2 s on FAT and on some network file systems.
const racy = 2 * time.Second

// HashFile digests a file outside the store. A memo keyed on path, size, mtime, ctime, inode and device spares reading
// it again; the memo is never trusted for a file younger than two seconds, nor when rehash is set. A file that changes
// while it is read gives ErrChanged. The Ref has no format: a name does not tell what a file holds.
//
// A program that has mapped the file into memory (numpy.memmap, mode r+) moves the file's times with its first write
// to a clean page only. So the pages are written back (see memo.WriteBack) before the state is taken that goes into
// the memo: the next write to any of them moves the times again. The clock is read before that, so that a write in
// between makes the file too young to be remembered.
func (s *Store) HashFile(path string, rehash bool) (Ref, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return Ref{}, err
	}
	before, err := memo.StateOf(abs)
	if err != nil {
		return Ref{}, &os.PathError{Op: "open", Path: path, Err: unwrapPath(err)}
	}
	if !before.Regular {
		return Ref{}, notRegular(path, os.Stat)
	}
	now := time.Now()
	settled := !before.Unsure && !before.Younger(now, racy)
	if settled && !rehash {
		if d, ok := s.files.Lookup(abs, before); ok {
			return Ref{Digest: d, Size: before.Size}, nil
		}
	}
	if settled {
		memo.WriteBack(abs)
		if before, err = memo.StateOf(abs); err != nil {
			return Ref{}, fmt.Errorf("%s: %w: it was removed while it was being read", path, ErrChanged)
		}
		settled = !before.Unsure && !before.Younger(now, racy)
	}
	ref, err := hashFile(abs)
	if err != nil {
		return Ref{}, err
	}
	if after, err := memo.StateOf(abs); err != nil || after != before || ref.Size != before.Size {
		return Ref{}, fmt.Errorf("%s: %w: it was changed while it was being read", path, ErrChanged)
	}
	if settled {
		s.files.Remember(abs, before, ref.Digest)
	}
	return ref, nil
}

// notRegular says what lies where a file was expected.
func notRegular(path string, stat func(string) (os.FileInfo, error)) error {
	info, err := stat(path)
	if err != nil {
		return err
	}
	return &regular.Error{Path: path, What: cmp.Or(regular.Otherwise(info), "replaced")}
}

func unwrapPath(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func hashFile(path string) (Ref, error) {
	f, err := regular.Open(path)
	if err != nil {
		return Ref{}, err
	}
	defer f.Close()
	h := sha256.New()
	b := hashBuffers.Get().(*[hashBuffer]byte)
	defer hashBuffers.Put(b)
	n, err := io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{f}, b[:])
	if err != nil {
		return Ref{}, err
	}
	return Ref{Digest: Digest(h.Sum(nil)), Size: n}, nil
}

// hashBuffer is how much of a file is read at a time, in bytes: little enough to stay in the processor's cache.
const hashBuffer = 256 << 10

var hashBuffers = sync.Pool{New: func() any { return new([hashBuffer]byte) }}
