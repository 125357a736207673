// Package memo remembers what was found out about files and can be found out again: it is never the
// truth, and deleting it changes no answer. An entry of a file holds only while the file has the
// size, times and inode that it had then.
package memo

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"sync"

	"prgnn/artifacts/whole"
	"prgnn/internal/regular"
)

// A Log is a file of things that were found out and can be found out again: an
// append-only sequence of entries, each with its length and checksum. Several
// processes append to it at once, each entry in one write; whatever is torn,
// damaged or lost is simply not remembered. Nothing in it is ever synced.
type Log struct {
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

// Open says where the log lies, and how many bytes of entries may wait to be written together.
func (m *Log) Open(path string, room int) { m.path, m.room = path, room }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Load reads all entries, to the first that is not whole. They stay valid: they are
// slices of one buffer. What is behind damage would never be read again, so
// then the file is written anew.
func (m *Log) Load() [][]byte {
	b, err := regular.ReadFile(m.path)
	if errors.As(err, new(*regular.Error)) {
		_ = os.Remove(m.path)
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
		m.Rewrite(entries)
	}
	return entries
}

func appendFrame(b, entry []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(entry)))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(entry, castagnoli))
	return append(b, entry...)
}

// Append adds an entry.
func (m *Log) Append(entry []byte) {
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
func (m *Log) flush() {
	if m.f == nil && len(m.wait) > 0 {
		_ = whole.MkdirAll(filepath.Dir(m.path))
		f, err := regular.OpenFile(m.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
		if m.f = f; err != nil {
			m.f, m.dead = nil, true
		} else {
			_ = whole.ShareFile(m.path)
		}
	}
	if m.f != nil {
		m.f.Write(m.wait)
	}
	m.wait = m.wait[:0]
}

// Rewrite replaces the file by one of these entries. A process that has the old
// one open goes on appending to a file without a name: what it found out is
// found out again some day.
func (m *Log) Rewrite(entries [][]byte) {
	m.Close()
	var b []byte
	for _, e := range entries {
		b = appendFrame(b, e)
	}
	part := m.path + ".part-" + rand.Text()
	err := os.WriteFile(part, b, 0o666)
	if err == nil {
		err = whole.ShareFile(part)
	}
	if err != nil || os.Rename(part, m.path) != nil {
		os.Remove(part)
	}
}

// Close writes the entries that wait.
func (m *Log) Close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.flush()
	if m.f != nil {
		m.f.Close()
		m.f = nil
	}
}
