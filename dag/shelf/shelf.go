// Package shelf holds what tasks of a run have made of their inputs.
package shelf

import (
	"sync"

	"prgnn/artifacts"
)

// A Shelf holds what tasks of a run have made of their inputs, for those that are still to read them: hundreds of
// trainings read the same graphs. Each value is held from its first reader to its last one, while there is room.
type Shelf struct {
	mu   sync.Mutex
	used int64
	held map[artifacts.Digest]shelved
}

type shelved struct {
	value any
	size  int64 // of the bytes that it was made of
}

// room bounds the bytes of which values are held.
const room = 128 << 20

// Get is what is held of the bytes; nil where nothing is.
func (s *Shelf) Get(d artifacts.Digest) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held[d].value
}

// Put holds a value, if there is room.
func (s *Shelf) Put(r artifacts.Ref, value any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.held[r.Digest]; there || s.used+r.Size > room {
		return
	}
	if s.held == nil {
		s.held = map[artifacts.Digest]shelved{}
	}
	s.held[r.Digest] = shelved{value, r.Size}
	s.used += r.Size
}

// Drop makes room: the last reader is through.
func (s *Shelf) Drop(d artifacts.Digest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used -= s.held[d].size
	delete(s.held, d)
}

// Used is how many bytes the values were made of.
func (s *Shelf) Used() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}
