// Package shelf holds what tasks of a run have made of their inputs.
package shelf

import (
	"slices"
	"sync"

	"prgnn/artifacts"
)

// A Shelf holds what tasks of a run have made of their inputs, for those that are still to read them: hundreds of
// trainings read the same graphs. Each value is held from its first reader to its last one, while there is room.
type Shelf struct {
	mu   sync.Mutex
	used int64
	held map[artifacts.Digest][]shelved
}

type shelved struct {
	by    any // the reader that made it
	value any
	size  int64
}

// room bounds the bytes of which values are held.
const room = 128 << 20

// Get is what the reader by made of the bytes; nil where nothing is held.
func (s *Shelf) Get(d artifacts.Digest, by any) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.held[d] {
		if v.by == by {
			return v.value
		}
	}
	return nil
}

// Put holds what the reader by made of the bytes, if there is room. It takes as much as it states (Size), or as the
// bytes.
func (s *Shelf) Put(r artifacts.Ref, by, value any) {
	size := r.Size
	if of, ok := value.(interface{ Size() int64 }); ok {
		size = of.Size()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	there := slices.ContainsFunc(s.held[r.Digest], func(v shelved) bool { return v.by == by })
	if there || s.used+size > room {
		return
	}
	if s.held == nil {
		s.held = map[artifacts.Digest][]shelved{}
	}
	s.held[r.Digest] = append(s.held[r.Digest], shelved{by, value, size})
	s.used += size
}

// Drop makes room: the last reader is through.
func (s *Shelf) Drop(d artifacts.Digest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.held[d] {
		s.used -= v.size
	}
	delete(s.held, d)
}

// Used is how many bytes the values take.
func (s *Shelf) Used() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}
