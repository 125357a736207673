package pack

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"prgnn/internal/regular"
)

// tick is how old a directory must be for its mtime to tell of every change.
const tick = 20 * time.Millisecond

// settled is how old the end of a pack must be to count as torn, and not as being written.
const settled = 2 * time.Second

var errDangling = errors.New("a link that leads nowhere, and the results behind it look missing: bring back what it " +
	"leads to, or remove the link to compute them again")

// OutOfReach is the error of a pack that permissions forbid to read, or that is a link that leads nowhere; nil for
// none.
func (s *Set) OutOfReach() error {
	s.look(false)
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, p := range s.byID {
		switch {
		case p.gone:
		case p.err == errDangling:
			return fmt.Errorf("%s is %w", p.path, errDangling)
		case errors.Is(p.err, fs.ErrPermission):
			return p.err
		}
	}
	return nil
}

// look reads what is new, and reports whether anything may be: packs that came or went, and with grown what
// other processes have appended. Asking for the directory's state costs less than 1 µs.
func (s *Set) look(grown bool) (changed bool) {
	s.mu.RLock()
	dir, listed, early, asked := s.lists, s.listed, s.early, s.looks
	s.mu.RUnlock()
	if dir != nil {
		if info, err := dir.Stat(); err == nil && info.ModTime().Equal(listed) && !grown {
			return false
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if grown && s.looks > asked { // another look began after this one was asked for: one serves all that wait
		return true
	}
	if grown {
		s.looks++
	}
	// NFS asks the server for a directory's time when it is opened, and not each time.
	if s.lists == nil || grown && !s.local {
		f, err := os.Open(s.dir)
		if err != nil {
			return false
		}
		if s.lists != nil {
			s.lists.Close()
		}
		s.lists, s.local = f, local(f)
	}
	info, err := s.lists.Stat()
	if err != nil {
		return false
	}
	if !info.ModTime().Equal(s.listed) || early && grown {
		now := time.Now()
		if changed, err = s.list(); err == nil {
			s.listed, s.early = info.ModTime(), now.Sub(info.ModTime()) < tick
		}
	}
	if grown {
		for _, p := range s.byID {
			if !p.gone && !p.own && !p.sealed {
				changed = s.load(p) || changed
			}
		}
	}
	return changed
}

// list finds packs that came or went. The lock is held.
func (s *Set) list() (changed bool, err error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return false, err
	}
	there := make(map[string]bool, len(entries))
	for _, e := range entries {
		there[e.Name()] = true
		if packName.MatchString(e.Name()) {
			if p := s.files[e.Name()]; p == nil || p.gone {
				s.load(s.newFile(e.Name()))
				changed = true
			}
		}
	}
	for _, p := range s.byID {
		if !p.gone && !there[p.name] {
			p.gone, changed = true, true
			s.closeFile(p)
		}
	}
	return changed, nil
}

// newFile is a pack that is not known yet. The lock is held.
func (s *Set) newFile(name string) *file {
	p := &file{name: name, number: int32(len(s.byID)), path: s.Path(name)}
	s.byID = append(s.byID, p)
	s.files[name] = p
	return p
}

// load reads the index of a pack, or else the entries that are new. The lock is held.
func (s *Set) load(p *file) (changed bool) {
	f, err := regular.Open(p.path) // NFS asks the server how long a file is when it is opened
	if errors.Is(err, fs.ErrNotExist) {
		if info, err := os.Lstat(p.path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return false
		}
		err = errDangling
	}
	if p.err = err; err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || p.size > 0 && info.Size() == p.size &&
		(p.size == p.end || info.ModTime().Equal(p.mtime) && time.Since(p.mtime) > settled) {
		return false
	}
	p.size, p.mtime = info.Size(), info.ModTime()
	if p.size > longestPack {
		p.err = fmt.Errorf("%d bytes are too many for a pack", p.size)
		return false
	}
	before := s.table.entries
	if s.loadIndex(p, f, info.Size()) {
		return true
	}
	if p.end == 0 {
		magic := make([]byte, len(fileMagic))
		if _, err := f.ReadAt(magic, 0); err != nil || string(magic) != fileMagic {
			return false
		}
		p.end = int64(len(fileMagic))
	}
	scan(io.NewSectionReader(f, p.end, info.Size()-p.end), func(n Name, at, size int64) {
		if n.Kind == index {
			p.sealed = true
			p.end = info.Size()
			return
		}
		s.add(p, n, p.end, size)
		p.end += headSize + size
	})
	return s.table.entries > before
}

// loadIndex reads the index of a pack that is sealed.
func (s *Set) loadIndex(p *file, f io.ReaderAt, size int64) bool {
	tail := make([]byte, tailSize)
	if _, err := f.ReadAt(tail, size-int64(tailSize)); err != nil || string(tail[8:]) != tailMagic {
		return false
	}
	at := binary.LittleEndian.Uint64(tail)
	length := size - int64(tailSize)
	if at > uint64(length) || length-int64(at) < headSize || length-int64(at) > headSize+longest {
		return false
	}
	b := make([]byte, length-int64(at))
	if _, err := f.ReadAt(b, int64(at)); err != nil {
		return false
	}
	h, ok := parseHead(b[:headSize])
	if !ok || h.name.Kind != index || !h.whole(b[headSize:]) {
		return false
	}
	s.table.reserve(s.table.names + (len(b)-headSize)/indexSize)
	ok = parseIndex(b[headSize:], int64(at), func(n Name, at, size int64) {
		if at >= p.end { // the others are known
			s.add(p, n, at, size)
		}
	})
	if ok {
		p.sealed, p.end = true, size
	}
	return ok
}

// scan reads entries up to the first that is not whole, or an index.
func scan(r io.Reader, add func(n Name, at, size int64)) {
	in := bufio.NewReaderSize(r, 1<<18)
	start := make([]byte, headSize)
	var body []byte
	var at int64
	for {
		if _, err := io.ReadFull(in, start); err != nil {
			return
		}
		h, ok := parseHead(start)
		if !ok {
			return
		}
		if int64(cap(body)) < h.size {
			var err error
			if body, err = readBody(in, h.size); err != nil {
				return
			}
		} else {
			body = body[:h.size]
			if _, err := io.ReadFull(in, body); err != nil {
				return
			}
		}
		if !h.whole(body) {
			return
		}
		add(h.name, at, h.size)
		if h.name.Kind == index {
			return
		}
		at += headSize + h.size
	}
}

// readBody reads a body of a size that may be wrong: no more memory is taken than there are bytes.
func readBody(r io.Reader, size int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, size))
	if err == nil && int64(len(b)) < size {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

// openFile opens a pack for reading, and closes another when too many are open.
func (s *Set) openFile(p *file) error {
	f, err := regular.Open(p.path)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p.mu.Lock()
	if p.f != nil {
		p.mu.Unlock()
		return f.Close()
	}
	p.f = f
	p.mu.Unlock()
	if s.open = append(s.open, p); len(s.open) > maxOpen {
		s.closeFile(s.open[0])
	}
	return nil
}

// closeFile closes a pack that is open for reading. The lock is held.
func (s *Set) closeFile(p *file) {
	for i, o := range s.open {
		if o == p {
			s.open = append(s.open[:i:i], s.open[i+1:]...)
			break
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.f != nil {
		p.f.Close()
		p.f = nil
	}
}
