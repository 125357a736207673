package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/internal/record"
	"prgnn/artifacts/memo"
	"prgnn/artifacts/whole"
)

// Put encodes a value into the store. A small one is appended to a pack. A larger one goes to a temporary file, hashed
// on the way, synced, then renamed to its digest. It becomes durable with the action that promises it (see Record).
func (s *Store) Put(v artifacts.Value) (artifacts.Ref, error) {
	w, err := s.Write(v)
	if err != nil {
		return artifacts.Ref{}, err
	}
	return w.Ref, w.Keep()
}

// Write is the part of Put that needs a processor. Keep, which waits for the disk, is the other one.
func (s *Store) Write(v artifacts.Value) (*Written, error) {
	if err := record.CheckWord("format", v.Format()); err != nil {
		return nil, err
	}
	w := &Written{arrival: arrival{s: s}}
	if err := v.Encode(w); err != nil {
		w.Discard()
		return nil, s.fault(fmt.Errorf("writing %s: %w", v.Format(), err))
	}
	w.Ref = w.ref()
	w.Ref.Format = v.Format()
	return w, nil
}

// A Written value is encoded, and the store does not have it yet.
type Written struct {
	Ref artifacts.Ref
	arrival
}

// Waits reports whether Keep waits for the disk.
func (w *Written) Waits() bool { return w.t != nil }

// Keep stores it.
func (w *Written) Keep() error {
	defer w.Discard()
	return w.s.fault(w.keep(w.Ref))
}

// An arrival is a blob on its way into the store: in memory while it is small, then in a file.
type arrival struct {
	s     *Store
	small []byte
	t     *whole.File // nil while it is small
}

func (a *arrival) Write(p []byte) (int, error) {
	if a.t == nil && int64(len(a.small)+len(p)) > a.s.packing.Load() {
		t, err := a.s.temp()
		if err != nil {
			return 0, err
		}
		if a.t = t; len(a.small) > 0 {
			if _, err := t.Write(a.small); err != nil {
				return 0, err
			}
		}
	}
	if a.t != nil {
		return a.t.Write(p)
	}
	if a.small == nil {
		a.small = (*buffers.Get().(*[]byte))[:0]
	}
	a.small = append(a.small, p...)
	return len(p), nil
}

// buffers hold small blobs on their way.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, packedUpTo); return &b }}

func (a *arrival) ref() artifacts.Ref {
	if a.t != nil {
		return artifacts.Ref{Digest: a.t.Digest(), Size: a.t.Size}
	}
	return artifacts.Ref{Digest: artifacts.DigestOf(a.small), Size: int64(len(a.small))}
}

// keep gives the blob its name.
func (a *arrival) keep(r artifacts.Ref) error {
	if a.t == nil && a.s.packing.Load() > 0 {
		return a.s.packBlob(r.Digest, a.small)
	}
	if a.t == nil { // nothing was written
		t, err := a.s.temp()
		if err != nil {
			return err
		}
		a.t = t
	}
	if err := a.t.Settle(); err != nil {
		return err
	}
	path := a.s.Health.BlobPath(r.Digest)
	changed, err := a.t.Publish(path)
	if err != nil {
		return err
	}
	a.s.dirty.Mark(changed)
	a.s.wrote(r.Digest)
	// A clock that was set back since the session began would make it look unused.
	a.s.session.Use(path, memo.State{Mtime: time.Now().UnixNano()})
	return nil
}

// Discard removes what was not kept.
func (a *arrival) Discard() {
	if a.t != nil {
		a.t.Discard()
	}
	if b := a.small; b != nil {
		buffers.Put(&b)
	}
	a.small = nil
}

// temp is a new file in this process's own part of tmp.
func (s *Store) temp() (*whole.File, error) {
	dir, err := s.session.Begin()
	if err != nil {
		return nil, s.fault(err)
	}
	t, err := whole.Create(dir)
	return t, s.fault(err)
}

// syncBlobs makes the names of blobs durable.
func (s *Store) syncBlobs(refs ...artifacts.Ref) error {
	var errs []error
	for _, r := range refs {
		if r.Size > smallUpTo || s.packing.Load() == 0 { // else it stands in a pack
			errs = append(errs, s.dirty.Sync(filepath.Dir(s.Health.BlobPath(r.Digest))))
		}
	}
	errs = append(errs, s.dirty.Sync(filepath.Join(s.dir, blobsDir)))
	return errors.Join(errs...)
}

// OpenBlob returns a reader of a blob that checks it on the way: the read that would end it returns ErrCorrupt when
// the bytes are not the ones named. A reader that stops before the end has checked nothing.
func (s *Store) OpenBlob(r artifacts.Ref) (io.ReadCloser, error) {
	wrong := func() error { return fmt.Errorf("blob %s: %w", s.Health.BlobPath(r.Digest), artifacts.ErrCorrupt) }
	f, err := s.open(r, wrong)
	if errors.Is(err, os.ErrNotExist) && s.session.Since.Load() != 0 {
		// A gc at work may have set the blob aside for a moment, to look at it again.
		if unlock, gateErr := s.session.Gate(false); gateErr == nil {
			unlock()
			f, err = s.open(r, wrong)
		}
	}
	if errors.Is(err, os.ErrNotExist) && s.link != nil {
		if s.fetch(context.Background(), r) != nil && s.link.refuses(r.Digest) {
			return nil, fmt.Errorf("blob %s: %w in %s", r.Digest, artifacts.ErrCorrupt, s.link.remote)
		}
		f, err = s.open(r, wrong)
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("blob %s: %w", r.Digest, artifacts.ErrMiss)
	}
	return f, s.fault(whole.Unreadable(err))
}

// BlobPath is where the blob lies if it is a file of its own; the file may be absent or damaged. A small
// blob lies in a pack: see File.
func (x *Health) BlobPath(d artifacts.Digest) string {
	s := x.store
	return s.object(blobsDir, d.String())
}

// Has reports whether all blobs of these digests and sizes are here (not whether their bytes are right; reading shows
// that), or in the remote. While the store is held (see Work.Hold), a blob that was asked for is safe from gc.
func (s *Store) Has(refs ...artifacts.Ref) bool {
	for _, r := range refs {
		if !s.hasHere(r) && (s.link == nil || !s.hasRemote(r)) {
			return false
		}
	}
	return true
}

func (s *Store) hasHere(r artifacts.Ref) bool {
	if r.Size <= smallUpTo && s.hasPacked(r) {
		return true
	}
	name := r.Digest.String()
	st, err := s.blobs.Stat(name)
	if err != nil || !st.Regular || st.Size != r.Size {
		return r.Size > smallUpTo && s.hasPacked(r)
	}
	here, marked := s.session.Use(s.Health.BlobPath(r.Digest), st)
	if marked {
		if found, known := s.bytes.Lookup(string(r.Digest[:]), st.Identity()); known && found == r.Digest {
			s.wrote(r.Digest) // other times, the same bytes
		}
	}
	return here
}

// Remove deletes a blob.
func (x *Health) Remove(d artifacts.Digest) error {
	s := x.store
	return s.fault(errors.Join(s.unpackAll(s.packs.Find(packedBlob(d))), whole.Remove(s.Health.BlobPath(d))))
}
