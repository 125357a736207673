package artifacts

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"sync"

	"prgnn/internal/regular"
)

// A memoLog is a file of things that were found out and can be found out again: an
// append-only sequence of entries, each with its length and checksum. Several
// processes append to it at once, each entry in one write; whatever is torn,
// damaged or lost is simply not remembered. Nothing in it is ever synced.
type memoLog struct {
	path string
	room int // how many bytes of entries may wait to be written together

	mu   sync.Mutex
	wait []byte   // framed entries
	f    *os.File // open for appending; nil before the first append
	dead bool     // it cannot be written: a store that is read-only
}

const (
	memoHead = 8       // length and checksum, uint32 each
	memoMax  = 1 << 26 // no entry is longer
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// load reads all entries, to the first that is not whole. They stay valid: they are
// slices of one buffer. What is behind damage would never be read again, so
// then the file is written anew.
func (m *memoLog) load() [][]byte {
	b, err := regular.ReadFile(m.path)
	if errors.As(err, new(*regular.Error)) {
		_ = displace(m.path)
	}
	if err != nil {
		return nil
	}
	var entries [][]byte
	for len(b) >= memoHead {
		n, sum := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
		if n > memoMax || int(n) > len(b)-memoHead {
			break
		}
		entry := b[memoHead : memoHead+n : memoHead+n]
		if crc32.Checksum(entry, castagnoli) != sum {
			break
		}
		entries = append(entries, entry)
		b = b[memoHead+n:]
	}
	if len(b) > 0 {
		m.rewrite(entries)
	}
	return entries
}

func appendFrame(b, entry []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(entry)))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(entry, castagnoli))
	return append(b, entry...)
}

func (m *memoLog) append(entry []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead || len(entry) > memoMax {
		return
	}
	if m.wait = appendFrame(m.wait, entry); len(m.wait) > m.room {
		m.flush()
	}
}

// flush writes the entries that wait.
func (m *memoLog) flush() {
	if m.f == nil && len(m.wait) > 0 {
		os.MkdirAll(filepath.Dir(m.path), 0o777)
		f, err := regular.OpenFile(m.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
		if m.f = f; err != nil {
			m.f, m.dead = nil, true
		}
	}
	if m.f != nil {
		m.f.Write(m.wait)
	}
	m.wait = m.wait[:0]
}

// rewrite replaces the file by one of these entries. A process that has the old
// one open goes on appending to a file without a name: what it found out is
// found out again some day.
func (m *memoLog) rewrite(entries [][]byte) {
	m.close()
	t, err := createTemp(filepath.Dir(m.path))
	if err != nil {
		return
	}
	defer t.discard()
	for _, e := range entries {
		if _, err := t.f.Write(appendFrame(nil, e)); err != nil {
			return
		}
	}
	if t.f.Close() == nil {
		t.publish(m.path)
	}
}

func (m *memoLog) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.flush()
	if m.f != nil {
		m.f.Close()
		m.f = nil
	}
}

// A memo is what a memoLog holds, in memory, by key.
type memo[K comparable, E interface{ encode(K) []byte }] struct {
	log     memoLog
	once    sync.Once
	mu      sync.RWMutex
	entries map[K]E
}

// open says where the memo lies, and how many bytes of entries may wait to be written.
func (m *memo[K, E]) open(path string, room int) { m.log.path, m.log.room = path, room }
func (m *memo[K, E]) close()                     { m.log.close() }

// fill reads the log. decode is given entries of head bytes or more.
func (m *memo[K, E]) fill(head int, decode func([]byte) (K, E)) {
	m.once.Do(func() {
		raw := m.log.load()
		m.entries = make(map[K]E, len(raw))
		for _, b := range raw {
			if len(b) >= head {
				k, e := decode(b)
				m.entries[k] = e
			}
		}
		if len(raw) > 64+2*len(m.entries) { // more than half is outdated
			live := make([][]byte, 0, len(m.entries))
			for k, e := range m.entries {
				live = append(live, e.encode(k))
			}
			m.log.rewrite(live)
		}
	})
}

func (m *memo[K, E]) get(k K) (E, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	e, ok := m.entries[k]
	return e, ok
}

func (m *memo[K, E]) put(k K, e E) {
	m.mu.Lock()
	m.entries[k] = e
	m.mu.Unlock()
	m.log.append(e.encode(k))
}
