package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/pack"
	"prgnn/artifacts/whole"
	"prgnn/internal/lists"
)

// smallPack is the size in bytes under which packs are joined when there are more than fewPacks of them.
const (
	smallPack = 1 << 20
	fewPacks  = 16
)

// busy lists the packs, and which of them a session at work may append to, this one among them. The packs are listed
// before the sessions: the pack of a session that begins in between would be taken for that of a dead process.
func (s *Store) busy() (packs []pack.State, busy map[string]bool, err error) {
	packs, err = s.packs.Packs()
	all, others := s.session.Others()
	owners, busy := map[string]bool{}, map[string]bool{}
	for _, p := range all {
		owners[filepath.Base(p.Dir)] = p.Alive
	}
	for _, p := range packs {
		busy[p.Pack] = p.Err == nil && (p.Own || owners[packOwner(p.Pack)])
	}
	return packs, busy, errors.Join(err, others)
}

// compactable lists the packs that are to be written anew: those of which victims go, those of processes that
// were killed, those of which less than half is still there, and many small ones.
func (s *Store) compactable(victims map[string][]Victim) ([]string, error) {
	packs, busy, err := s.busy()
	if err != nil {
		return nil, err
	}
	live := map[string]int64{}
	for _, i := range s.packs.All() {
		live[i.Pack()] += i.Size
	}
	var chosen, small []string
	for _, p := range packs {
		switch {
		case p.Err != nil || busy[p.Pack]:
		case victims[p.Pack] != nil || !p.Sealed || 2*live[p.Pack] < p.Bodies:
			chosen = append(chosen, p.Pack)
		case p.Size < smallPack:
			small = append(small, p.Pack)
		}
	}
	if len(small) > fewPacks {
		chosen = append(chosen, small...)
	}
	return chosen, nil
}

// compact writes packs anew without their victims, and tells which blobs are then nowhere. Runs go on
// meanwhile: what stays is in the new pack before the old one goes.
func (s *Store) compact(victims []Victim, trash string, before int64) (blobs int, bytes int64, err error) {
	of := map[string][]Victim{}
	left := map[artifacts.Digest]int{} // packs that have it still
	for _, v := range victims {
		for _, name := range v.packs {
			of[name] = append(of[name], v)
		}
		left[v.Digest] = len(v.packs)
	}
	packs, err := s.compactable(of)
	errs := []error{err}
	var last time.Time   // that a pack was used
	var waiting []string // for room
	var short error
	for len(packs) > 0 {
		name := packs[0]
		packs = packs[1:]
		used, err := s.compactPack(name, of[name], trash, before)
		switch {
		case errors.Is(err, pack.ErrDamaged): // verify --repair comes first
		case whole.IsFull(err) && !s.session.Shut():
			if trash, err = s.squeeze(); err != nil {
				return blobs, bytes, errors.Join(append(errs, err)...)
			}
			packs = append(packs, name)
		case whole.IsFull(err) && of[name] == nil: // it takes no more than before
		case whole.IsFull(err):
			waiting, short = append(waiting, name), err
		case err != nil:
			errs = append(errs, err)
		case !used.IsZero():
			for _, v := range of[name] {
				if left[v.Digest]--; left[v.Digest] == 0 && !v.file {
					blobs, bytes = blobs+1, bytes+v.Size
				}
			}
			if used.After(last) {
				last = used
			}
			packs, waiting = append(packs, waiting...), nil
		}
	}
	if len(waiting) > 0 {
		errs = append(errs, short)
	}
	return blobs, bytes, errors.Join(append(errs, s.sealCompacted(last))...)
}

// compactPack writes one pack anew. It returns when that was used last, or zero when it stays.
func (s *Store) compactPack(name string, victims []Victim, trash string, before int64) (time.Time, error) {
	gone := lists.SetOf(victims, func(v Victim) artifacts.Digest { return v.Digest })
	path, aside := s.packs.Path(name), filepath.Join(trash, whole.RandomName())
	unused := func(path string) (time.Time, bool) {
		fi, err := os.Lstat(path)
		if err != nil {
			return time.Time{}, false
		}
		return fi.ModTime(), len(gone) == 0 || fi.ModTime().UnixNano() < before
	}
	if _, ok := unused(path); !ok {
		return time.Time{}, nil
	}
	err := s.packs.Copy(name, func(i pack.Item) bool { return i.Kind != blobKind || !gone[artifacts.Digest(i.ID)] })
	if errors.Is(err, fs.ErrNotExist) { // another gc has written it anew
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	unlock, err := s.session.Gate(true)
	if err != nil {
		return time.Time{}, err
	}
	defer unlock()
	live, err := s.session.Others()
	if err != nil {
		return time.Time{}, err
	}
	before = heedSessions(before, live)
	if _, ok := unused(path); !ok {
		return time.Time{}, nil
	}
	noted := s.appendCollected(victims)
	if noted != nil && !whole.IsFull(noted) {
		return time.Time{}, noted
	}
	s.packs.Release(name)
	if err := os.Rename(path, aside); err != nil {
		return time.Time{}, err
	}
	at, ok := unused(aside) // a run may have marked it a moment ago
	if !ok {
		return time.Time{}, os.Rename(aside, path)
	}
	err = whole.Remove(aside)
	if noted != nil { // only now is there room for it
		err = errors.Join(err, s.appendCollected(victims))
	}
	return at, err
}

// sealCompacted ends the new pack. If nobody is at work, it counts as used when the old ones were.
func (s *Store) sealCompacted(last time.Time) error {
	unlock, err := s.session.Gate(true)
	if err != nil {
		return err
	}
	defer unlock()
	live, err := s.session.Others()
	for _, p := range live {
		if p.Alive {
			last = time.Time{}
		}
	}
	return errors.Join(err, s.packs.Seal(last))
}
