package memo

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"
)

// Files remembers the digests of files, by path or another name. An entry counts only while the file is
// in the state in which it was read.
type Files struct {
	log     Log
	once    sync.Once
	mu      sync.RWMutex
	entries map[string]hashed
}

type hashed struct {
	state  State
	digest [32]byte
}

const filesHead = 5*8 + 32

// Open says where the memo lies, and how many bytes of entries may wait to be written.
func (m *Files) Open(path string, room int) { m.log.Open(path, room) }

// Close writes the entries that wait.
func (m *Files) Close() { m.log.Close() }

// load reads the log, and writes it anew when more than half of it is outdated.
func (m *Files) load() {
	m.once.Do(func() {
		raw := m.log.Load()
		m.entries = make(map[string]hashed, len(raw))
		for _, b := range raw {
			if len(b) >= filesHead {
				st := decode(b)
				st.Device = binary.LittleEndian.Uint64(b[4*8:])
				m.entries[string(b[filesHead:])] = hashed{st, [32]byte(b[5*8 : filesHead])}
			}
		}
		if len(raw) > 64+2*len(m.entries) {
			live := make([][]byte, 0, len(m.entries))
			for k, e := range m.entries {
				live = append(live, e.encode(k))
			}
			m.log.Rewrite(live)
		}
	})
}

func (e hashed) encode(path string) []byte {
	b := appendState(nil, e.state)
	b = binary.LittleEndian.AppendUint64(b, e.state.Device)
	return append(append(b, e.digest[:]...), path...)
}

// Lookup is the digest of a file in this state, if it is known.
func (m *Files) Lookup(path string, st State) ([32]byte, bool) {
	m.load()
	m.mu.RLock()
	defer m.mu.RUnlock()
	e, ok := m.entries[path]
	return e.digest, ok && e.state == st
}

// Remember keeps the digest of a file in this state.
func (m *Files) Remember(path string, st State, d [32]byte) {
	m.load()
	m.mu.Lock()
	m.entries[path] = hashed{st, d}
	m.mu.Unlock()
	m.log.Append(hashed{st, d}.encode(path))
}

// A file of many objects has no digest that anybody knows: these stand in the place of one.
var wholeSign, notWhole = sha256.Sum256([]byte("whole")), [32]byte{}

// Whole tells whether all objects in a file were whole in this state, if it is known.
func (m *Files) Whole(name string, st State) (all, known bool) {
	found, known := m.Lookup(name, st.Identity())
	return found == wholeSign, known
}

// SawWhole keeps whether all objects in a file are whole, in the state that it has now.
func (m *Files) SawWhole(name, path string, all bool) {
	found := notWhole
	if all {
		found = wholeSign
	}
	if st, err := StateOf(path); err == nil {
		m.Remember(name, st.Identity(), found)
	}
}

// Each calls f for every entry.
func (m *Files) Each(f func(path string, st State, d [32]byte)) {
	m.load()
	m.mu.RLock()
	defer m.mu.RUnlock()
	for path, e := range m.entries {
		f(path, e.state, e.digest)
	}
}
