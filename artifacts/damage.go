package artifacts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"prgnn/internal/regular"
)

// Damaged reports whether a blob lies here with other bytes than its name says. The
// blob is read, unless its file is in the state in which it was read or written last;
// so an undisturbed store costs one question to the file system a blob. A blob that is
// not here is damaged if it was found so in the remote.
func (s *Store) Damaged(r Ref) bool {
	if bad, known := s.known(r); known {
		return bad
	}
	err := s.check(r)
	// One whose sectors cannot be read is lost, too; one of another user's is not.
	return err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission)
}

// KnownDamaged is Damaged without reading the blob: it reports damage that was met before and is not yet
// mended.
func (s *Store) KnownDamaged(r Ref) bool {
	bad, known := s.known(r)
	return known && bad
}

// LostRemotely reports whether a blob that is not here is damaged in the remote, or missing although the record of the
// task that gave it is there. It then counts as damaged there, and is remembered as such.
func (s *Store) LostRemotely(k Key, r Ref) bool {
	if s.link == nil || s.hasHere(r) {
		return false
	}
	if s.link.refuses(r.Digest) {
		return true
	}
	// The record is asked for first: blobs arrive before it, and gc takes them after it.
	if _, err := s.link.size(context.Background(), objectName(actionsDir, k.String())); err != nil {
		return false
	}
	n, err := s.link.blobSize(context.Background(), r.Digest)
	if err == nil && n == r.Size || err != nil && !errors.Is(err, ErrMiss) {
		return false
	}
	s.link.refuseBlob(r.Digest)
	return true
}

// known tells what is known of a blob's bytes.
func (s *Store) known(r Ref) (bad, known bool) {
	st, err := s.blobs.stat(r.Digest.String())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s.link != nil && s.link.refuses(r.Digest), true
	case err != nil:
		return false, false
	case !st.regular || st.size != r.Size:
		return true, true
	}
	found, known := s.bytes.lookup(string(r.Digest[:]), st.identity())
	return found != r.Digest, known
}

// saw remembers which bytes a blob had while its file was in this state. The machines of
// a cluster number their devices differently, so the device does not count.
func (s *Store) saw(name Digest, st fileStat, found Digest) {
	st = st.identity()
	if old, known := s.bytes.lookup(string(name[:]), st); !known || old != found {
		s.bytes.remember(string(name[:]), st, found)
	}
}

// wrote remembers that a blob has just got its name, with the right bytes.
func (s *Store) wrote(d Digest) {
	if st, err := s.blobs.stat(d.String()); err == nil {
		s.saw(d, st, d)
	}
}

// open opens a blob that is here. The reader ends with wrong() when the bytes are not
// the right ones; what it finds at the end is remembered.
func (s *Store) open(r Ref, wrong func() error) (io.ReadCloser, error) {
	st, statErr := s.blobs.stat(r.Digest.String())
	if statErr == nil && !st.regular {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, notRegular(s.BlobPath(r.Digest), os.Lstat))
	}
	f, err := regular.Open(s.BlobPath(r.Digest))
	if err != nil {
		return nil, err
	}
	return NewCheckedReader(f, r, wrong, func(right bool) {
		switch {
		case statErr != nil || st.size != r.Size:
		case right:
			s.saw(r.Digest, st, r.Digest)
		default:
			s.saw(r.Digest, st, Digest{})
		}
	}), nil
}

// check reads a blob that is here.
func (s *Store) check(r Ref) error {
	f, err := s.open(r, func() error { return ErrCorrupt })
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(io.Discard, f)
	return err
}

// Discard removes a blob that was found damaged, so that the work that gave it is done
// again. It is read once more before it goes: by now it may have been mended, or the
// record that gives it another size may be wrong.
func (s *Store) Discard(r Ref) error {
	path := s.BlobPath(r.Digest)
	got, err := hashFile(path)
	if err == nil && got.Digest == r.Digest || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return s.fault(errors.Join(s.appendCollected([]Victim{{Digest: r.Digest, Size: r.Size}}), displace(path)))
}
