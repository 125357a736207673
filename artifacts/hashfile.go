package artifacts

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"prgnn/internal/regular"
)

// racy is how old a file must be for its state to stand for its bytes. Two edits
// within one tick of the file system's clock leave the same times; ticks
// are 10 ms on Linux, and up to 2 s on FAT and on some network file systems.
const racy = 2 * time.Second

// HashFile digests a file outside the store. A memo keyed on path, size, mtime,
// ctime, inode and device spares reading it again; the memo is never trusted for a
// file younger than two seconds, nor when rehash is set. A file that changes
// while it is read gives ErrChanged. The Ref has no format: a name does not tell
// what a file holds.
//
// A program that has mapped the file into memory (numpy.memmap, mode r+) moves the
// file's times with its first write to a clean page only. So the pages are written
// back (see writeBack) before the state is taken that goes into the memo: the next
// write to any of them moves the times again. The clock is read before that, so
// that a write in between makes the file too young to be remembered.
func (s *Store) HashFile(path string, rehash bool) (Ref, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return Ref{}, err
	}
	before, err := statPath(abs)
	if err != nil {
		return Ref{}, &os.PathError{Op: "open", Path: path, Err: unwrapPath(err)}
	}
	if !before.regular {
		return Ref{}, notRegular(path, os.Stat)
	}
	now := time.Now()
	settled := !before.unsure && !before.younger(now, racy)
	if settled && !rehash {
		if d, ok := s.files.lookup(abs, before); ok {
			return Ref{Digest: d, Size: before.size}, nil
		}
	}
	if settled {
		writeBack(abs)
		if before, err = statPath(abs); err != nil {
			return Ref{}, fmt.Errorf("%s: %w: it was removed while it was being read", path, ErrChanged)
		}
		settled = !before.unsure && !before.younger(now, racy)
	}
	ref, err := hashFile(abs)
	if err != nil {
		return Ref{}, err
	}
	if after, err := statPath(abs); err != nil || after != before || ref.Size != before.size {
		return Ref{}, fmt.Errorf("%s: %w: it was changed while it was being read", path, ErrChanged)
	}
	if settled {
		s.files.remember(abs, before, ref.Digest)
	}
	return ref, nil
}

// younger reports whether the file was changed less than d before now, or after it:
// a time in the future proves nothing.
func (st fileStat) younger(now time.Time, d time.Duration) bool {
	return max(st.mtime, st.ctime) > now.Add(-d).UnixNano()
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
	n, err := io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{f}, make([]byte, 1<<20))
	if err != nil {
		return Ref{}, err
	}
	return Ref{Digest: Digest(h.Sum(nil)), Size: n}, nil
}

// A fileMemo remembers the digests of files, by path or another name. No entry waits to be written:
// the digest of a scan costs much to find out again.
type fileMemo struct{ memo[string, hashed] }

type hashed struct {
	stat   fileStat
	digest Digest
}

const fileMemoHead = 5*8 + len(Digest{})

func (m *fileMemo) load() {
	m.fill(fileMemoHead, func(b []byte) (string, hashed) {
		st := decodeStat(b)
		st.device = binary.LittleEndian.Uint64(b[4*8:])
		return string(b[fileMemoHead:]), hashed{st, Digest(b[5*8 : fileMemoHead])}
	})
}

func (e hashed) encode(path string) []byte {
	b := appendStat(nil, e.stat)
	b = binary.LittleEndian.AppendUint64(b, e.stat.device)
	return append(append(b, e.digest[:]...), path...)
}

func (m *fileMemo) lookup(path string, st fileStat) (Digest, bool) {
	m.load()
	e, ok := m.get(path)
	return e.digest, ok && e.stat == st
}

func (m *fileMemo) remember(path string, st fileStat, d Digest) {
	m.load()
	m.put(path, hashed{st, d})
}
