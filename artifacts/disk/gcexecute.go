package disk

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"prgnn/artifacts/session"
	"prgnn/artifacts/whole"
)

// gcStep is how many blobs are removed under one closing of the gate: few enough
// that a run which begins waits for some milliseconds only.
const gcStep = 256

// Execute carries the plan out, and returns how many blobs and bytes it removed. It is safe while runs are going on in
// other processes: what they use after the plan was made stays.
func (p *GCPlan) Execute() (blobs int, bytes int64, err error) {
	s := p.s
	if s == nil {
		return 0, 0, errors.New("gc: a plan can be executed only once")
	}
	p.s = nil
	trash, err := s.session.Begin()
	if whole.IsFull(err) {
		trash, err = s.squeeze()
	}
	if err == nil {
		err = s.session.Lonely()
	}
	if err == nil {
		err = p.sweep(s)
	}
	if err != nil {
		return 0, 0, s.fault(err)
	}
	for step := range slices.Chunk(p.Remove, gcStep) {
		n, size, err := s.collect(step, trash, p.before)
		blobs, bytes = blobs+n, bytes+size
		if err != nil {
			return blobs, bytes, s.fault(err)
		}
	}
	n, size, err := s.compact(p.Remove, trash, p.before)
	blobs, bytes = blobs+n, bytes+size
	if err != nil {
		return blobs, bytes, s.fault(err)
	}
	unlock, err := s.session.Gate(true)
	if err != nil {
		return blobs, bytes, s.fault(err)
	}
	defer unlock()
	if err := s.compactCollected(); !whole.IsFull(err) { // it only becomes shorter
		return blobs, bytes, s.fault(err)
	}
	return blobs, bytes, nil
}

// squeeze has gc go on where the disk has no room for its session, or for a new pack: what can be found out again
// goes, and the gate takes the place of the session, which needs two files.
func (s *Store) squeeze() (trash string, err error) {
	s.forget()
	return s.session.ShutGate()
}

// sweep removes what nobody needs and whose removal takes no room.
func (p *GCPlan) sweep(s *Store) error {
	unlock, err := s.session.Gate(true)
	if err != nil {
		return err
	}
	defer unlock()
	errs := []error{s.removeStrays()}
	for _, path := range slices.Concat(p.Scratch, p.Logs) {
		errs = append(errs, whole.Remove(filepath.Join(s.dir, filepath.FromSlash(path))))
	}
	s.claims.RemoveStale()
	return errors.Join(errs...)
}

// collect removes some blobs. Each is set aside first and looked at again, for a run
// may have marked it as used a moment ago: then it goes back.
func (s *Store) collect(victims []Victim, trash string, before int64) (blobs int, bytes int64, err error) {
	unlock, err := s.session.Gate(true)
	if err != nil {
		return 0, 0, err
	}
	defer unlock()
	live, err := s.session.Others()
	if err != nil {
		return 0, 0, err
	}
	before = heedSessions(before, live)
	unused := func(path string) bool {
		fi, err := os.Lstat(path)
		return err == nil && fi.ModTime().UnixNano() < before
	}
	victims = slices.DeleteFunc(slices.Clone(victims),
		func(v Victim) bool { return !unused(s.Health.BlobPath(v.Digest)) })
	noted := s.appendCollected(victims)
	if noted != nil && !whole.IsFull(noted) {
		return 0, 0, noted
	}
	var removed []Victim
	defer func() {
		// On a full disk there is room for the note only now. A crash in between
		// makes Verify call these blobs lost, and costs no more.
		if noted != nil {
			err = errors.Join(err, s.appendCollected(removed))
		}
	}()
	for _, v := range victims {
		path, aside := s.Health.BlobPath(v.Digest), filepath.Join(trash, whole.RandomName())
		if err := os.Rename(path, aside); err != nil {
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			return blobs, bytes, err
		}
		if !unused(aside) {
			if err := os.Rename(aside, path); err != nil {
				return blobs, bytes, err
			}
			continue
		}
		if err := whole.Remove(aside); err != nil {
			return blobs, bytes, err
		}
		removed = append(removed, v)
		blobs, bytes = blobs+1, bytes+v.Size
	}
	return blobs, bytes, nil
}

// freeDead frees what dead processes left, which may be as large as a result. What it cannot remove is left to gc.
func (s *Store) freeDead() {
	all, _ := s.session.Others()
	// One that is just beginning has no lease yet.
	if !slices.ContainsFunc(all, func(p session.Presence) bool { return !p.Alive && p.Since > 0 }) {
		return
	}
	unlock, err := s.session.Gate(true)
	if err != nil {
		return
	}
	defer unlock()
	if s.session.Lonely() == nil {
		_ = s.removeStrays()
	}
}

// removeStrays clears away what dead processes left. The gate is closed.
func (s *Store) removeStrays() error {
	all, err := s.session.Others()
	errs := []error{err}
	for _, q := range all {
		if !q.Alive {
			errs = append(errs, os.RemoveAll(q.Dir))
		}
	}
	return errors.Join(errs...)
}

// forget removes what is remembered only to save time.
func (s *Store) forget() {
	entries, _ := os.ReadDir(filepath.Join(s.dir, memoDir))
	for _, e := range entries {
		if e.Name() != unsharedDir { // which nothing else tells
			_ = os.RemoveAll(filepath.Join(s.dir, memoDir, e.Name()))
		}
	}
}
