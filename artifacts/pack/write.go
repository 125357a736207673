package pack

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"time"
)

// A writer appends to the packs of this process. Its lock is taken before that of the Set.
type writer struct {
	prefix func() (string, error)

	mu      sync.Mutex
	packs   int   // begun so far
	p       *file // nil before the first one, and between two
	f       *os.File
	entries []entry // of p
	buffer  []byte  // for an entry
	dirty   bool    // something may not be durable yet
	named   bool    // the name of p may not be, either
	err     error

	syncing sync.Mutex // held during a sync, for those who wait for it
	timer   *time.Timer
}

// roll is how long a pack grows, in bytes: so much is copied when something in it is removed.
const roll = 16 << 20

// mostBuffered is the most that a buffer for entries holds from one to the next, in bytes.
const mostBuffered = 1 << 18

// pause is how long what was appended may wait for others to share its sync.
const pause = 50 * time.Millisecond

// Append stores an object. Everybody finds it from now on, and after Sync it is durable.
func (s *Set) Append(n Name, body []byte) error { return s.AppendHashed(n, body, sha256.Sum256(body)) }

// AppendHashed is Append for who knows the SHA-256 of the body.
func (s *Set) AppendHashed(n Name, body []byte, sum [32]byte) error {
	return s.append(object{n, body, sum})
}

// An object is what is appended to a pack.
type object struct {
	Name
	body []byte
	sum  [32]byte // SHA-256 of the body
}

// append stores all of the objects, or none.
func (s *Set) append(objects ...object) error {
	for _, o := range objects {
		if len(o.body) > longest || o.Kind == index {
			return fmt.Errorf("a pack cannot hold an object of %d bytes and kind %q", len(o.body), o.Kind)
		}
	}
	w := &s.write
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.p != nil && w.p.end >= roll {
		if err := s.seal(); err != nil {
			return err
		}
	}
	if w.p == nil {
		if err := s.begin(); err != nil {
			return err
		}
	}
	at := w.p.end
	if cap(w.buffer) > mostBuffered {
		w.buffer = nil
	}
	w.buffer = w.buffer[:0]
	for _, o := range objects {
		w.buffer = appendEntry(w.buffer, o.Name, o.body, o.sum)
	}
	if _, err := w.f.WriteAt(w.buffer, at); err != nil {
		if len(w.entries) == 0 { // on a full disk it would be in the way
			path := w.p.path
			return errors.Join(err, s.abandon(), os.Remove(path))
		}
		if w.f.Truncate(at) != nil { // what follows would stand behind a torn entry
			err = errors.Join(err, s.abandon())
			w.err = err
		}
		return err
	}
	w.dirty = true
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range objects {
		size := int64(len(o.body))
		w.entries = append(w.entries, entry{Name: o.Name, at: uint32(w.p.end), size: int32(size)})
		s.add(w.p, o.Name, w.p.end, size)
		w.p.end += headSize + size
	}
	return nil
}

// begin makes a new pack. The writer's lock is held.
func (s *Set) begin() error {
	w := &s.write
	prefix, err := w.prefix()
	if err != nil {
		return err
	}
	w.packs++
	name := fmt.Sprintf("%s-%d", prefix, w.packs)
	if !packName.MatchString(name) {
		return fmt.Errorf("%q cannot name a pack", name)
	}
	s.mu.Lock() // from before the file is there: else a look might take it for another process's
	defer s.mu.Unlock()
	f, err := os.OpenFile(s.Path(name), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(fileMagic), 0)
	if err == nil && s.Begun != nil {
		err = s.Begun(f.Name())
	}
	if err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	w.f, w.named, w.entries = f, true, nil
	w.p = s.newFile(name)
	w.p.own, w.p.end = true, int64(len(fileMagic))
	return nil
}

// Removal names the entry that removes another: the one of a pack that begins at a byte.
func Removal(pack string, at int64) Name { return Name{removal, place(pack, at)} }

// Remove removes one copy of an object.
func (s *Set) Remove(i Item) error {
	return s.Append(Removal(i.file.name, i.At), nil)
}

// Sync makes everything durable that was appended.
func (s *Set) Sync() error {
	w := &s.write
	w.syncing.Lock()
	defer w.syncing.Unlock()
	w.mu.Lock()
	f, dirty, named := w.f, w.dirty, w.named
	w.dirty, w.named = false, false
	err := w.err
	w.mu.Unlock()
	if !dirty || err != nil {
		return err
	}
	if err = f.Sync(); errors.Is(err, fs.ErrClosed) {
		err = nil // it was sealed meanwhile, and so synced
	}
	if named {
		err = errors.Join(err, SyncDir(s.dir))
	}
	if err != nil {
		w.mu.Lock()
		w.err = err
		w.mu.Unlock()
	}
	return err
}

// SyncSoon makes everything durable within a moment, in the background. Sync and Close tell how that went.
func (s *Set) SyncSoon() {
	w := &s.write
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer == nil {
		w.timer = time.AfterFunc(pause, func() {
			w.mu.Lock()
			w.timer = nil
			w.mu.Unlock()
			_ = s.Sync()
		})
	}
}

// seal ends the pack that is being written: entries first, then the index. The writer's lock is held.
func (s *Set) seal() error {
	w := &s.write
	if w.p == nil {
		return nil
	}
	err := w.f.Sync()
	if err == nil {
		_, err = w.f.WriteAt(appendIndex(nil, w.p.end, w.entries), w.p.end)
	}
	if err == nil {
		err = w.f.Sync()
	}
	if info, statErr := w.f.Stat(); err == nil && statErr == nil {
		s.mu.Lock()
		w.p.end = info.Size()
		s.mu.Unlock()
	}
	if w.named {
		err = errors.Join(err, SyncDir(s.dir))
	}
	if info, statErr := w.f.Stat(); statErr == nil && err == nil {
		err = w.f.Chmod(info.Mode().Perm() &^ 0o222)
	}
	w.err = errors.Join(w.err, err)
	name := w.p.name
	err = errors.Join(err, s.abandon())
	if err == nil && s.Sealed != nil {
		s.Sealed(name)
	}
	return err
}

// abandon leaves the pack that is being written as it is. The writer's lock is held.
func (s *Set) abandon() error {
	w := &s.write
	s.mu.Lock()
	w.p.own, w.p.sealed = false, true
	s.mu.Unlock()
	err := w.f.Close()
	w.p, w.f, w.dirty, w.named, w.entries = nil, nil, false, false, nil
	return err
}

// Seal ends the pack that is being written, if there is one, and gives it the time at as its last
// use, if that is not zero.
func (s *Set) Seal(at time.Time) error {
	w := &s.write
	w.syncing.Lock()
	defer w.syncing.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.p == nil {
		return w.err
	}
	p := w.p
	_ = s.seal()
	err := w.err
	if err == nil && !at.IsZero() {
		if err = os.Chtimes(p.path, at, at); err == nil && s.Sealed != nil {
			s.Sealed(p.name)
		}
	}
	return err
}

// Close seals the pack that is being written, and closes all.
func (s *Set) Close() error {
	s.write.mu.Lock()
	if s.write.timer != nil {
		s.write.timer.Stop()
	}
	s.write.mu.Unlock()
	err := s.Seal(time.Time{})
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.byID {
		s.closeFile(p)
	}
	if s.lists != nil {
		s.lists.Close()
		s.lists = nil
	}
	return err
}

// Copy appends the objects of a pack that keep wants, with the removals that are still needed, and makes
// them durable: the pack may then be deleted. An object that is not whole is an error. After an error nothing
// has been appended.
func (s *Set) Copy(pack string, keep func(Item) bool) error {
	s.look(true)
	var objects []object
	for _, i := range s.Of(pack) { // a record after its bytes
		if i.Kind == removal {
			target := string(i.ID[:24])
			if !s.there(target) || target == pack {
				continue
			}
		} else if !keep(i) {
			continue
		}
		body, sum, err := s.read(i)
		if err != nil {
			return err
		}
		objects = append(objects, object{i.Name, body, sum})
	}
	if len(objects) > 0 {
		if err := s.append(objects...); err != nil {
			return err
		}
	}
	return s.Sync()
}

// there reports whether a pack, its name padded with zeros, is there.
func (s *Set) there(padded string) bool {
	for len(padded) > 0 && padded[len(padded)-1] == 0 {
		padded = padded[:len(padded)-1]
	}
	_, err := os.Lstat(s.Path(padded))
	return err == nil
}

// Release closes a pack that is about to be deleted: Windows keeps files that are open.
func (s *Set) Release(pack string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.files[pack]; p != nil {
		s.closeFile(p)
	}
}

// SyncDir makes the names in a directory durable. Windows has no such call.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
