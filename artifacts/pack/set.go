package pack

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"prgnn/internal/pattern"
)

// ErrDamaged says that an object is not whole.
var ErrDamaged = errors.New("the entry of the pack is not whole")

// An Item is one object in one pack; several packs may have the same.
type Item struct {
	Name
	Size int64 // of the body, in bytes
	At   int64 // where the entry begins, in bytes
	file *file
}

// Pack is the name of its pack.
func (i Item) Pack() string { return i.file.name }

// Ordered reports whether what is appended from now on becomes durable after it: it is durable, or stands
// before that in a pack of this process.
func (s *Set) Ordered(i Item) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return i.file.own || i.file.sealed
}

// Settled reports whether the pack of an item is sealed, so that nothing more is appended; or else whether it is that
// of another process, whose entries were read and checked when they were found.
func (s *Set) Settled(i Item) (sealed, read bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return i.file.sealed, !i.file.sealed && !i.file.own
}

// Whole reports whether all objects of a pack are whole.
func (s *Set) Whole(pack string) bool {
	for _, i := range s.Of(pack) {
		if _, err := s.Read(i); err != nil {
			return false
		}
	}
	return true
}

// Of lists the entries of a pack that are not removed, in their order.
func (s *Set) Of(pack string) (items []Item) {
	s.mu.RLock()
	for i := range s.table.entries {
		if e := s.table.at(i); s.byID[e.file].name == pack && s.live(e) {
			items = append(items, s.item(e))
		}
	}
	s.mu.RUnlock()
	slices.SortFunc(items, func(a, b Item) int { return int(a.At - b.At) })
	return items
}

// Body is where the bytes lie: the offset in the pack, in bytes.
func (i Item) Body() int64 { return i.At + headSize }

// A Set is a directory of packs. Its methods may be called from many goroutines.
type Set struct {
	dir string

	mu      sync.RWMutex
	files   map[string]*file
	byID    []*file
	table   table
	removed map[[32]byte]bool // names of removals
	lists   *os.File          // the directory; nil before it is there
	local   bool              // it is on a local disk
	listed  time.Time         // its mtime when it was listed last
	looks   int               // that read what others have appended
	early   bool              // it was so young then that it may have changed since and look the same

	Begun  func(path string) error // called when this process has begun a pack; may be nil
	Sealed func(pack string)       // called when it has sealed one, as it lies on the disk then; may be nil

	open  []*file // for reading, the longest open first
	write writer
}

// An entry is an object as the index in memory has it.
type entry struct {
	Name
	at   uint32
	size int32
	file int32
	next int32 // the next older one of that name; -1: none
}

// A file is a pack.
type file struct {
	name   string
	number int32
	path   string
	gone   bool  // deleted
	own    bool  // this process appends to it
	sealed bool  // nothing will be appended
	end    int64 // of what is known to be whole, in bytes
	bodies int64 // of its entries, in bytes
	size   int64 // of the file when it was read last, in bytes
	mtime  time.Time
	err    error // why it cannot be read

	mu sync.RWMutex // held while f is read
	f  *os.File     // nil while it is not open
}

// maxOpen is how many packs are open at once.
const maxOpen = 64

// Open is the set in a directory, which may come later. prefix names the packs that this process
// writes; it is asked before the first one, and makes the directory.
func Open(dir string, prefix func() (string, error)) *Set {
	return &Set{dir: dir, files: map[string]*file{}, removed: map[[32]byte]bool{},
		write: writer{prefix: prefix}}
}

var packName = pattern.New(`^[0-9a-f]{16}-[0-9]{1,7}$`)

// place is the name of the removal of an entry.
func place(pack string, at int64) (id [32]byte) {
	copy(id[:24], pack)
	for i := range 8 {
		id[24+i] = byte(at >> (8 * i))
	}
	return id
}

// add puts an entry into the index. The lock is held.
func (s *Set) add(p *file, n Name, at, size int64) {
	s.table.add(entry{Name: n, at: uint32(at), size: int32(size), file: p.number})
	p.bodies += size
	if n.Kind == removal {
		s.removed[n.ID] = true
	}
}

// live reports whether an entry is still there. The lock is held.
func (s *Set) live(e *entry) bool {
	p := s.byID[e.file]
	return !p.gone && (len(s.removed) == 0 || !s.removed[place(p.name, int64(e.at))])
}

// Known is Find without a look for what is new: an item may be gone.
func (s *Set) Known(n Name) []Item { return s.known(nil, n) }

// known appends to items.
func (s *Set) known(items []Item, n Name) []Item {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for number := s.table.find(n); number >= 0; {
		e := s.table.at(number)
		if s.live(e) {
			items = append(items, s.item(e))
		}
		number = e.next
	}
	return items
}

func (s *Set) item(e *entry) Item { return Item{e.Name, int64(e.size), int64(e.at), s.byID[e.file]} }

// Listed is Find without what others have appended since: of K processes that store results, each would read the
// packs of all others for each of its own.
func (s *Set) Listed(n Name) []Item {
	s.look(false)
	return s.Known(n)
}

// Find lists the copies of an object, the newest of this process first. It reads what others have
// appended since only when it knows of none.
func (s *Set) Find(n Name) []Item {
	items := s.Listed(n)
	if len(items) == 0 && s.look(true) {
		items = s.Known(n)
	}
	return items
}

// Get reads an object; sum is the SHA-256 of its body, which was checked. The error is fs.ErrNotExist when no pack has
// it, and ErrDamaged when no copy is whole.
func (s *Set) Get(n Name) (body []byte, sum [32]byte, err error) {
	body, sum, err = s.first(s.Listed(n))
	if err != nil && s.look(true) { // others may have appended it; a pack may have been compacted
		body, sum, err = s.first(s.Known(n))
	}
	return body, sum, err
}

func (s *Set) first(items []Item) (b []byte, sum [32]byte, err error) {
	err = fs.ErrNotExist
	for _, i := range items {
		if b, sum, err = s.read(i); err == nil {
			return b, sum, nil
		}
	}
	return nil, sum, err
}

// Read reads one copy of an object, and checks it. With ErrDamaged come the bytes that are there.
func (s *Set) Read(i Item) ([]byte, error) {
	b, _, err := s.read(i)
	return b, err
}

func (s *Set) read(i Item) (body []byte, sum [32]byte, err error) {
	b := make([]byte, headSize+i.Size)
	if err := s.readAt(i.file, b, i.At); err != nil {
		return nil, sum, err
	}
	h, ok := i.check(b)
	if !ok {
		err = fmt.Errorf("%s, byte %d: %w", i.file.path, i.At, ErrDamaged)
	}
	return b[headSize:], h.sum, err
}

// check reports whether the bytes of an entry are whole, and those of the item.
func (i Item) check(b []byte) (head, bool) {
	h, ok := parseHead(b[:headSize])
	return h, ok && h.name == i.Name && h.size == i.Size && h.whole(b[headSize:])
}

// readAt fills b. A pack that is too short is damaged.
func (s *Set) readAt(p *file, b []byte, at int64) error {
	n, err := s.readSome(p, b, at)
	if err == nil && n < len(b) {
		err = fmt.Errorf("%s is truncated: %w", p.path, ErrDamaged)
	}
	return err
}

// readSome fills b, or as much of it as the pack has.
func (s *Set) readSome(p *file, b []byte, at int64) (int, error) {
	for {
		p.mu.RLock()
		if p.f != nil {
			n, err := p.f.ReadAt(b, at)
			p.mu.RUnlock()
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return n, err
		}
		p.mu.RUnlock()
		if err := s.openFile(p); err != nil {
			return 0, err
		}
	}
}

// All lists the objects that are there, by pack and offset.
func (s *Set) All() []Item {
	s.look(true)
	s.mu.RLock()
	defer s.mu.RUnlock()
	var all []Item
	for i := range s.table.entries {
		if e := s.table.at(i); e.Kind != removal && s.live(e) {
			all = append(all, s.item(e))
		}
	}
	slices.SortFunc(all, func(a, b Item) int {
		if a.file != b.file {
			return int(a.file.number - b.file.number)
		}
		return int(a.At - b.At)
	})
	return all
}

// A State tells how a pack was found.
type State struct {
	Pack   string
	Size   int64 // of the file, in bytes
	End    int64 // of what is whole, in bytes
	Sealed bool
	// ReadOnly says that its permissions forbid to write: this program takes the right away when the index is durable.
	ReadOnly bool
	Own      bool  // this process appends to it
	Bodies   int64 // of all entries, those that were removed among them, in bytes
	Err      error // why it cannot be read, or is no pack
}

// Packs lists what lies in the directory, by name.
func (s *Set) Packs() ([]State, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var found []State
	for _, e := range entries {
		if info, err := e.Info(); err == nil { // else deleted meanwhile
			found = append(found, State{Pack: e.Name(), Size: info.Size(), ReadOnly: info.Mode().Perm()&0o222 == 0})
		}
	}
	s.look(true) // after that: the index of a pack stands in it before its permissions change
	s.mu.RLock()
	defer s.mu.RUnlock()
	var all []State
	for _, st := range found {
		switch p := s.files[st.Pack]; {
		case !packName.MatchString(st.Pack):
			st.Err = ErrForeign
		case p == nil || p.gone:
			continue // it has just come or gone
		default:
			st.End, st.Bodies, st.Sealed, st.Own, st.Err = p.end, p.bodies, p.sealed, p.own, p.err
		}
		all = append(all, st)
	}
	return all, nil
}

// ErrForeign says that a file is no pack.
var ErrForeign = errors.New("not named as a pack")

// Path is where a pack lies.
func (s *Set) Path(pack string) string { return filepath.Join(s.dir, pack) }
