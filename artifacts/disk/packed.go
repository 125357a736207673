package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"prgnn/artifacts"
	"prgnn/artifacts/memo"
	"prgnn/artifacts/pack"
	"prgnn/artifacts/whole"
	"prgnn/internal/lists"
	"prgnn/internal/regular"
)

// Blobs and records of up to smallUpTo bytes go to packs, and in a run at home (see PackMore) those of up to
// packedUpTo. Every blob of that size is looked for there, so it must not become less.
const (
	smallUpTo  = 16 << 10
	packedUpTo = 128 << 10
)

// packing is smallUpTo, save in tests of files.
var packing int64 = smallUpTo

// PackMore has this process write blobs of up to packedUpTo bytes to packs, if the store is on a local disk. Other
// processes read a pack on as it grows: pilots that share a store over a network would read all that each of them
// stores.
func (x *Work) PackMore() {
	s := x.store
	if pack.Local(s.dir) {
		s.packing.CompareAndSwap(smallUpTo, packedUpTo)
	}
}

const (
	blobKind   = 'b'
	actionKind = 'a'
)

func packedBlob(d artifacts.Digest) pack.Name { return pack.Name{Kind: blobKind, ID: d} }
func packedAction(k artifacts.Key) pack.Name  { return pack.Name{Kind: actionKind, ID: k} }

// beginPacks makes the place for packs, and names those of this process by its session: gc leaves them
// alone while that lives.
func (s *Store) beginPacks() (string, error) {
	session, err := s.session.Begin()
	if err != nil {
		return "", err
	}
	b, err := regular.ReadFile(filepath.Join(s.dir, versionFile))
	if err == nil && string(b) != version { // before an older program finds half of what there is
		err = s.writeText(session, version, versionFile)
	}
	if err == nil {
		err = whole.MkdirAll(filepath.Join(s.dir, packsDir))
	}
	if err == nil {
		err = pack.SyncDir(s.dir)
	}
	if s.session.Shut() { // all of tmp is its directory
		return whole.RandomName(), err
	}
	return filepath.Base(session), err
}

// packed reads a blob that lies in a pack. The error is fs.ErrNotExist when none has it.
func (s *Store) packed(d artifacts.Digest) ([]byte, error) {
	b, sum, err := s.packs.Get(packedBlob(d))
	if errors.Is(err, pack.ErrDamaged) || err == nil && sum != d {
		err = fmt.Errorf("%w: %w", artifacts.ErrCorrupt, err)
	}
	return b, err
}

// packBlob stores a small blob, unless it is there and whole. Copies that are not whole are removed.
func (s *Store) packBlob(d artifacts.Digest, b []byte) error {
	n := packedBlob(d)
	var damaged []pack.Item
	for _, i := range s.packs.Listed(n) { // what others append now is not Ordered, and would be of no use
		switch got, err := s.packs.Read(i); {
		case err == nil && bytes.Equal(got, b):
			if s.packs.Ordered(i) && s.usePack(i.Pack()) {
				return nil
			}
		case err == nil || errors.Is(err, pack.ErrDamaged):
			damaged = append(damaged, i)
		}
	}
	if err := s.packs.AppendHashed(n, b, d); err != nil {
		return err
	}
	right := func(path string) bool { return holds(path, d) }
	return errors.Join(s.unpackAll(damaged), s.healLoose(s.Health.BlobPath(d), right))
}

// packRecord stores the record of an action, in the place of others of its key. Whole records are removed only
// after a new one was appended: of two processes that each kept another of two equal ones, both would be gone.
func (s *Store) packRecord(k artifacts.Key, text []byte) error {
	older := s.olderRecords(k)
	if len(older) > 0 && s.packs.Ordered(older[0]) {
		if got, err := s.packs.Read(older[0]); err == nil && bytes.Equal(got, text) {
			return s.unpackAll(slices.DeleteFunc(older, func(i pack.Item) bool {
				_, err := s.packs.Read(i)
				return !errors.Is(err, pack.ErrDamaged)
			}))
		}
	}
	err := s.packs.Append(packedAction(k), text)
	if err == nil {
		s.packs.SyncSoon()
		err = s.unpackAll(older)
	}
	if err == nil {
		err = s.healLoose(s.actionPath(k), func(string) bool { return false })
	}
	return err
}

// olderRecords are the records of an action that a new one replaces. One in the pack of another process at work is
// not among them: each of the two might remove that of the other. So what others append now is not looked for.
func (s *Store) olderRecords(k artifacts.Key) []pack.Item {
	all := s.packs.Listed(packedAction(k))
	if !slices.ContainsFunc(all, func(i pack.Item) bool { return !s.packs.Ordered(i) }) {
		return all
	}
	_, at, err := s.busy()
	return slices.DeleteFunc(all, func(i pack.Item) bool { return (err != nil || at[i.Pack()]) && !s.packs.Ordered(i) })
}

// healLoose removes the file of an object that is now in a pack, unless it is right.
func (s *Store) healLoose(path string, right func(string) bool) error {
	if _, err := os.Lstat(path); err != nil || right(path) {
		return nil
	}
	return errors.Join(s.packs.Sync(), whole.Displace(path))
}

// unpackAll removes copies of objects from packs.
func (s *Store) unpackAll(items []pack.Item) error {
	errs := lists.Map(items, s.packs.Remove)
	if len(items) > 0 {
		s.packs.SyncSoon()
	}
	return errors.Join(errs...)
}

// hasPacked is hasHere for packs.
func (s *Store) hasPacked(r artifacts.Ref) bool {
	if r.Size > packedUpTo {
		return false
	}
	for _, i := range s.packs.Known(packedBlob(r.Digest)) {
		if _, ours := s.marked.Load(i.Pack()); ours && i.Size == r.Size { // no gc touches it
			return true
		}
	}
	for range 2 { // a pack may have been compacted
		items := s.packs.Find(packedBlob(r.Digest))
		for _, i := range items {
			if i.Size == r.Size && s.usePack(i.Pack()) {
				return true
			}
		}
		if len(items) == 0 {
			break
		}
	}
	return false
}

// usePack marks a pack as used in this session (see use), and reports whether it is still there.
func (s *Store) usePack(name string) bool {
	if s.session.Since.Load() == 0 {
		return true
	}
	if _, ok := s.marked.Load(name); ok {
		return true
	}
	path := s.packs.Path(name)
	st, err := memo.StateOf(path)
	if err != nil {
		return false
	}
	here, marked := s.session.Use(path, st)
	if marked {
		if whole, known := s.bytes.Whole(name, st); known && whole {
			s.sawPack(name, true) // other times, the same bytes
		}
	}
	if here {
		s.marked.Store(name, true)
	}
	return here
}

// sawPack remembers whether a pack that is sealed is whole, in the state that it has now.
func (s *Store) sawPack(name string, whole bool) { s.bytes.SawWhole(name, s.packs.Path(name), whole) }

// isWhole reports whether a pack that is sealed is whole. It is read, unless it is in a state in which it was read or
// written before: so large blobs in packs cost a run no more than files do.
func (s *Store) isWhole(name string) bool {
	path := s.packs.Path(name)
	st, err := memo.StateOf(path)
	if err != nil || !st.Regular {
		return false
	}
	s.wholes.Lock() // one at a time: several ask for the same pack
	defer s.wholes.Unlock()
	if whole, known := s.bytes.Whole(name, st); known {
		return whole
	}
	whole := s.packs.Whole(name)
	if now, err := memo.StateOf(path); err == nil && now == st {
		s.sawPack(name, whole)
	}
	return whole
}

// openPacked is open for a blob of a pack.
func (s *Store) openPacked(r artifacts.Ref) (io.ReadCloser, error) {
	if r.Size > packedUpTo {
		return nil, fs.ErrNotExist
	}
	b, err := s.packed(r.Digest)
	if err == nil && int64(len(b)) != r.Size {
		err = artifacts.ErrCorrupt
	}
	return inMemoryBlob{bytes.NewReader(b)}, err
}

type inMemoryBlob struct{ *bytes.Reader }

func (inMemoryBlob) Close() error { return nil }

// Path is where a blob lies, for readers that need to seek; "" for a small one, which may lie in a pack.
func (s *Store) Path(r artifacts.Ref) string {
	if r.Size <= packedUpTo {
		return ""
	}
	return s.Health.BlobPath(r.Digest)
}

// File is where a blob lies as a file of its own. One that lies in a pack is written out first: beside
// the others of the store, or in the user's cache directory when the store cannot be written.
func (s *Store) File(r artifacts.Ref) (string, error) {
	path := s.Health.BlobPath(r.Digest)
	if r.Size > packedUpTo {
		return path, nil
	}
	b, err := s.packed(r.Digest)
	if err != nil || holds(path, r.Digest) {
		if errors.Is(err, fs.ErrNotExist) || holds(path, r.Digest) {
			err = nil
		}
		return path, s.fault(err)
	}
	t, err := s.temp()
	if errors.Is(err, artifacts.ErrReadOnly) {
		return inCache(r.Digest, b)
	}
	if err == nil {
		err = s.fault(t.PublishBytes(b, path))
	}
	return path, err
}

// inCache writes a blob into the user's cache directory.
func inCache(d artifacts.Digest, b []byte) (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "prgnn", "results")
	path := filepath.Join(dir, d.String())
	if holds(path, d) {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	t, err := whole.Create(dir)
	if err != nil {
		return "", err
	}
	return path, t.PublishBytes(b, path)
}

// holds reports whether a file has the bytes of that digest.
func holds(path string, d artifacts.Digest) bool {
	got, err := hashFile(context.Background(), path)
	return err == nil && got.Digest == d
}

// Stored reports whether a blob is here and whole: the error is ErrMiss or ErrCorrupt when not.
func (x *Health) Stored(d artifacts.Digest) error {
	s := x.store
	_, err := s.packed(d)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return s.fault(err)
	}
	switch got, err := hashFile(context.Background(), s.Health.BlobPath(d)); {
	case errors.Is(err, fs.ErrNotExist):
		return artifacts.ErrMiss
	case err != nil || got.Digest != d:
		return artifacts.ErrCorrupt
	}
	return nil
}

// packedObjects lists the blobs or actions in packs.
func (s *Store) packedObjects(kind string) []object {
	letter := byte(blobKind)
	if kind == actionsDir {
		letter = actionKind
	}
	used := map[string]int64{}
	_, busy, _ := s.busy()
	var all []object
	for _, i := range s.packs.All() {
		if i.Kind != letter {
			continue
		}
		name := i.Pack()
		if _, ok := used[name]; !ok {
			if fi, err := os.Lstat(s.packs.Path(name)); err == nil {
				used[name] = fi.ModTime().UnixNano()
			}
			if at, listed := busy[name]; at || !listed { // whatever the clock says
				used[name] = math.MaxInt64
			}
		}
		d := artifacts.Digest(i.ID)
		all = append(all, object{name: d.String(), path: filepath.Join(s.packs.Path(name), kind, d.String()),
			size: i.Size, mtime: used[name], item: &i})
	}
	return all
}

// readObject reads a blob or an action, wherever it lies.
func (s *Store) readObject(o object) ([]byte, error) {
	if o.item != nil {
		return s.packs.Read(*o.item)
	}
	return regular.ReadFile(o.path)
}

// hashObject digests a blob, wherever it lies.
func (s *Store) hashObject(ctx context.Context, o object) (artifacts.Ref, error) {
	if o.item == nil {
		return hashFile(ctx, o.path)
	}
	b, err := s.packs.Read(*o.item)
	return artifacts.Ref{Digest: artifacts.DigestOf(b), Size: int64(len(b))}, err
}

// removeObject removes a blob or an action, wherever it lies, and what may lie in its place.
func (s *Store) removeObject(o object) error {
	if o.item != nil {
		return s.unpackAll([]pack.Item{*o.item})
	}
	return whole.Displace(o.path)
}

// packOwner is the session whose pack has that name.
func packOwner(name string) string { return name[:16] }

// packs finds packs of dead processes that do not end as they should.
func (v *verifier) packs(context.Context) error {
	all, busy, err := v.s.busy() // what forbids that is met here and in strays
	for _, p := range all {
		path := v.s.packs.Path(p.Pack)
		switch {
		case errors.Is(p.Err, pack.ErrForeign):
			v.find(Foreign, path, Finding{Detail: p.Err.Error()})
		case errors.Is(p.Err, fs.ErrPermission):
			v.blind = true
			v.find(Unreadable, path, Finding{Detail: regular.Cause(p.Err).Error()})
		case p.Err != nil:
			v.find(Foreign, path, Finding{Detail: regular.Cause(p.Err).Error()})
		case !p.Sealed && !busy[p.Pack]:
			v.unended(p, path)
		}
	}
	return v.closed(err)
}

// recordObject is the record of an action, wherever it lies.
func (s *Store) recordObject(k artifacts.Key) object {
	path := s.actionPath(k)
	if items := s.packs.Find(packedAction(k)); len(items) > 0 {
		return object{path: filepath.Join(s.packs.Path(items[0].Pack()), actionsDir, k.String()), item: &items[0]}
	}
	return object{path: path}
}
