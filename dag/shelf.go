package dag

import (
	"sync"

	"prgnn/artifacts"
)

// A shelf holds what tasks of a run have made of their inputs, for those that are still to read them: hundreds of
// trainings read the same graphs. Each value is held from its first reader to its last one, while there is room.
type shelf struct {
	mu   sync.Mutex
	used int64
	held map[artifacts.Digest]shelved
}

type shelved struct {
	value any
	size  int64 // of the bytes that it was made of
}

// shelfRoom bounds the bytes of which values are held.
const shelfRoom = 128 << 20

func (s *shelf) get(d artifacts.Digest) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held[d].value
}

func (s *shelf) put(r artifacts.Ref, value any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.held[r.Digest]; there || s.used+r.Size > shelfRoom {
		return
	}
	if s.held == nil {
		s.held = map[artifacts.Digest]shelved{}
	}
	s.held[r.Digest] = shelved{value, r.Size}
	s.used += r.Size
}

func (s *shelf) drop(d artifacts.Digest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used -= s.held[d].size
	delete(s.held, d)
}
