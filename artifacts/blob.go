package artifacts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Put encodes a value into the store: to a temporary file, hashed on the way,
// synced, then renamed to its digest. The name itself becomes durable with the
// action that promises it (see Record).
func (s *Store) Put(v Value) (Ref, error) {
	if err := checkWord("format", v.Format()); err != nil {
		return Ref{}, err
	}
	t, err := s.temp()
	if err != nil {
		return Ref{}, err
	}
	defer t.discard()
	if err := v.Encode(t); err != nil {
		return Ref{}, s.fault(fmt.Errorf("writing %s: %w", v.Format(), err))
	}
	ref := Ref{Digest: t.digest(), Size: t.size, Format: v.Format()}
	if err := t.settle(); err != nil {
		return Ref{}, s.fault(err)
	}
	path := s.BlobPath(ref.Digest)
	changed, err := t.publish(path)
	if err != nil {
		return Ref{}, s.fault(err)
	}
	s.dirty.mark(changed)
	s.wrote(ref.Digest)
	// A clock that was set back since the session began would make it look unused.
	s.session.use(path, fileStat{mtime: time.Now().UnixNano()})
	return ref, nil
}

// temp is a new file in this process's own part of tmp.
func (s *Store) temp() (*temp, error) {
	dir, err := s.session.begin(s)
	if err != nil {
		return nil, s.fault(err)
	}
	t, err := createTemp(dir)
	return t, s.fault(err)
}

// syncBlobs makes the names of blobs durable.
func (s *Store) syncBlobs(refs ...Ref) error {
	var errs []error
	for _, r := range refs {
		errs = append(errs, s.dirty.sync(filepath.Dir(s.BlobPath(r.Digest))))
	}
	errs = append(errs, s.dirty.sync(filepath.Join(s.dir, blobsDir)))
	return errors.Join(errs...)
}

// OpenBlob returns a reader of a blob that checks it on the way: the read that
// would end it returns ErrCorrupt when the bytes are not the ones named. A
// reader that stops before the end has checked nothing.
func (s *Store) OpenBlob(r Ref) (io.ReadCloser, error) {
	wrong := func() error { return fmt.Errorf("blob %s: %w", s.BlobPath(r.Digest), ErrCorrupt) }
	f, err := s.open(r, wrong)
	if errors.Is(err, os.ErrNotExist) && s.session.since.Load() != 0 {
		// A gc at work may have set the blob aside for a moment, to look at it again.
		if unlock, gateErr := s.gate(false); gateErr == nil {
			unlock()
			f, err = s.open(r, wrong)
		}
	}
	if errors.Is(err, os.ErrNotExist) && s.link != nil {
		if s.fetch(context.Background(), r) != nil && s.link.refuses(r.Digest) {
			return nil, fmt.Errorf("blob %s: %w in %s", r.Digest, ErrCorrupt, s.link.remote)
		}
		f, err = s.open(r, wrong)
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("blob %s: %w", r.Digest, ErrMiss)
	}
	return f, s.fault(unreadable(err))
}

// BlobPath is where the blob lies; the file may be absent or damaged.
func (s *Store) BlobPath(d Digest) string { return s.object(blobsDir, d.String()) }

// Has reports whether a blob of that digest and size is there (not whether its
// bytes are right; reading tells that), or in the remote. While the store is held
// (see Hold), a blob that was asked for is safe from gc.
func (s *Store) Has(r Ref) bool {
	return s.hasHere(r) || s.link != nil && s.hasRemote(r)
}

func (s *Store) hasHere(r Ref) bool {
	name := r.Digest.String()
	st, err := s.blobs.stat(name)
	if err != nil || !st.regular || st.size != r.Size {
		return false
	}
	here, marked := s.session.use(s.BlobPath(r.Digest), st)
	if marked {
		if found, known := s.bytes.lookup(string(r.Digest[:]), st.identity()); known && found == r.Digest {
			s.wrote(r.Digest) // other times, the same bytes
		}
	}
	return here
}

// Remove deletes a blob.
func (s *Store) Remove(d Digest) error { return s.fault(remove(s.BlobPath(d))) }
