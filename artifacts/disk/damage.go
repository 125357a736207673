package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"prgnn/artifacts"
	"prgnn/artifacts/memo"
	"prgnn/artifacts/pack"
	"prgnn/artifacts/refused"
	"prgnn/artifacts/remote"
	"prgnn/artifacts/whole"
	"prgnn/internal/regular"
)

// Damaged reports whether a blob lies here with other bytes than its name says. The blob is read, unless its file is
// in the state in which it was read or written last; so an undisturbed store costs one question to the file system a
// blob. A blob that is not here is damaged if it was found so in the remote.
func (x *Health) Damaged(r artifacts.Ref) bool {
	s := x.store
	if bad, known := s.known(r); known {
		if !bad && r.Size <= packedUpTo {
			s.mendFile(r)
		}
		return bad
	}
	err := s.Health.Check(r)
	// One whose sectors cannot be read is lost, too; one of another user's is not.
	return err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission)
}

// mendFile writes what was written out of a pack again, if that is damaged.
func (s *Store) mendFile(r artifacts.Ref) {
	if st, err := s.blobs.Stat(r.Digest.String()); err == nil && st.Regular && !s.rightBytes(r, st) {
		_, _ = s.File(r)
	}
}

// KnownDamaged is Damaged without reading the blob: it reports damage that was met before and is not yet mended.
func (x *Health) KnownDamaged(r artifacts.Ref) bool {
	s := x.store
	bad, known := s.known(r)
	return known && bad
}

// Lost reports whether a blob that is not here is damaged in the remote, or missing although the record of the
// task that gave it is there. It then counts as damaged there, and is remembered as such.
func (x *Sharing) Lost(k artifacts.Key, r artifacts.Ref) bool {
	s := x.store
	if s.link == nil || s.hasHere(r) {
		return false
	}
	if s.link.refuses(r.Digest) {
		return true
	}
	// The record is asked for first: blobs arrive before it, and gc takes them after it.
	if _, err := s.link.size(context.Background(), remote.Name(actionsDir, k.String())); err != nil {
		return false
	}
	n, err := s.link.blobSize(context.Background(), r.Digest)
	if err == nil && n == r.Size || err != nil && !errors.Is(err, artifacts.ErrMiss) {
		return false
	}
	sign := refused.Damaged
	if err != nil {
		sign = refused.Missing
	}
	s.link.refuseBlob(r.Digest, sign)
	return true
}

// Missing reports whether a blob that is not here was found missing in the remote (see Lost): a gc of
// the remote removes blobs while others read its records.
func (x *Sharing) Missing(r artifacts.Ref) bool {
	s := x.store
	if s.link == nil || s.hasHere(r) {
		return false
	}
	s.link.mu.Lock()
	defer s.link.mu.Unlock()
	return s.link.refused.Sign(remote.Name(blobsDir, r.Digest.String())) == refused.Missing
}

// known tells what is known of a blob's bytes.
func (s *Store) known(r artifacts.Ref) (bad, known bool) {
	if s.rightFile(r) {
		return false, true
	}
	_, packErr := s.openPacked(r)
	if packErr == nil {
		return false, true
	}
	st, err := s.blobs.Stat(r.Digest.String())
	switch {
	case errors.Is(err, fs.ErrNotExist) && errors.Is(packErr, artifacts.ErrCorrupt):
		return true, true
	case errors.Is(err, fs.ErrNotExist) && !errors.Is(packErr, fs.ErrNotExist):
		return false, false
	case errors.Is(err, fs.ErrNotExist):
		return s.link != nil && s.link.refuses(r.Digest), true
	case err != nil:
		return false, false
	case !st.Regular || st.Size != r.Size:
		return true, true
	}
	found, known := s.bytes.Lookup(string(r.Digest[:]), st.Identity())
	return found != r.Digest, known
}

// rightFile reports whether a blob that may lie in a pack is known to lie in a file as well, with the right bytes. So
// nobody looks in the packs of others for what is stored in files: over a network, that takes as long as reading it.
func (s *Store) rightFile(r artifacts.Ref) bool {
	if r.Size <= smallUpTo || r.Size > packedUpTo {
		return false
	}
	st, err := s.blobs.Stat(r.Digest.String())
	return err == nil && st.Regular && s.rightBytes(r, st)
}

// rightBytes reports whether a file in this state is known to have the bytes of a blob.
func (s *Store) rightBytes(r artifacts.Ref, st memo.State) bool {
	found, known := s.bytes.Lookup(string(r.Digest[:]), st.Identity())
	return known && found == r.Digest && st.Size == r.Size
}

// saw remembers which bytes a blob had while its file was in this state. The machines of
// a cluster number their devices differently, so the device does not count.
func (s *Store) saw(name artifacts.Digest, st memo.State, found artifacts.Digest) {
	st = st.Identity()
	if old, known := s.bytes.Lookup(string(name[:]), st); !known || old != found {
		s.bytes.Remember(string(name[:]), st, found)
	}
}

// wrote remembers that a blob has just got its name, with the right bytes.
func (s *Store) wrote(d artifacts.Digest) {
	if st, err := s.blobs.Stat(d.String()); err == nil {
		s.saw(d, st, d)
	}
}

// open opens a blob that is here. The reader ends with wrong() when the bytes are not
// the right ones; what it finds at the end is remembered.
func (s *Store) open(r artifacts.Ref, wrong func() error) (io.ReadCloser, error) {
	packErr := fs.ErrNotExist
	if !s.rightFile(r) {
		var in io.ReadCloser
		if in, packErr = s.openPacked(r); packErr == nil {
			return in, nil
		}
	}
	st, statErr := s.blobs.Stat(r.Digest.String())
	switch {
	case !errors.Is(statErr, fs.ErrNotExist) || errors.Is(packErr, fs.ErrNotExist):
	case errors.Is(packErr, artifacts.ErrCorrupt):
		return nil, wrong()
	default:
		return nil, packErr
	}
	if statErr == nil && !st.Regular {
		return nil, fmt.Errorf("%w: %w", artifacts.ErrCorrupt, regular.Not(s.Health.BlobPath(r.Digest), os.Lstat))
	}
	f, err := regular.Open(s.Health.BlobPath(r.Digest))
	if err != nil {
		return nil, err
	}
	return whole.NewCheckedReader(f, r.Size, r.Digest, wrong, func(right bool) {
		switch {
		case statErr != nil || st.Size != r.Size:
		case right:
			s.saw(r.Digest, st, r.Digest)
		default:
			s.saw(r.Digest, st, artifacts.Digest{})
		}
	}), nil
}

// Check reads a blob that is here: the error is ErrCorrupt when its bytes are not the ones named, and that is
// remembered.
func (x *Health) Check(r artifacts.Ref) error {
	s := x.store
	f, err := s.open(r, func() error { return artifacts.ErrCorrupt })
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(io.Discard, f)
	return err
}

// Discard removes a blob that was found damaged, so that the work that gave it is done again. It is read once more
// before it goes: by now it may have been mended, or the record that gives it another size may be wrong.
func (x *Health) Discard(r artifacts.Ref) error {
	s := x.store
	var damaged []pack.Item
	for _, i := range s.packs.Find(packedBlob(r.Digest)) {
		if b, err := s.packs.Read(i); errors.Is(err, pack.ErrDamaged) || err == nil &&
			artifacts.DigestOf(b) != r.Digest {
			damaged = append(damaged, i)
		}
	}
	if len(damaged) > 0 {
		err := errors.Join(s.appendCollected([]Victim{{Digest: r.Digest, Size: r.Size}}), s.unpackAll(damaged))
		if err != nil {
			return s.fault(err)
		}
	}
	path := s.Health.BlobPath(r.Digest)
	got, err := hashFile(context.Background(), path)
	if err == nil && got.Digest == r.Digest || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return s.fault(errors.Join(s.appendCollected([]Victim{{Digest: r.Digest, Size: r.Size}}), whole.Displace(path)))
}
