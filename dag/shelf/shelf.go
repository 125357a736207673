// Package shelf holds what tasks of a run have made of their inputs.
package shelf

import (
	"container/list"
	"slices"
	"sync"

	"prgnn/artifacts"
)

// A Shelf holds what tasks of a run have made of their inputs, for those that are still to read them: hundreds of
// trainings read the same graphs. Each value is held from its first reader to its last one. Where there is no room, a
// new one takes the place of those that the last tasks have not read: in a multiverse, of the universes before.
type Shelf struct {
	AtOnce int // tasks that are at work at the same time; 0: one

	mu    sync.Mutex
	used  int64
	begun int // tasks
	held  map[artifacts.Digest][]*list.Element
	read  list.List // of *shelved, the last one read first
}

type shelved struct {
	of    artifacts.Digest
	by    any // the reader that made it
	value any
	size  int64
	begun int // tasks when it was last read
}

// room bounds the bytes of which values are held.
const room = 128 << 20

// Begin counts a task that begins.
func (s *Shelf) Begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun++
}

// Get is what the reader by made of the bytes; nil where nothing is held.
func (s *Shelf) Get(d artifacts.Digest, by any) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.held[d] {
		if v := e.Value.(*shelved); v.by == by {
			v.begun = s.begun
			s.read.MoveToFront(e)
			return v.value
		}
	}
	return nil
}

// Put holds what the reader by made of the bytes, if there is room or some can be made. It takes as much as it states
// (Size), or as the bytes.
func (s *Shelf) Put(r artifacts.Ref, by, value any) {
	size := r.Size
	if of, ok := value.(interface{ Size() int64 }); ok {
		size = of.Size()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	there := slices.ContainsFunc(s.held[r.Digest], func(e *list.Element) bool { return e.Value.(*shelved).by == by })
	if there || size > room || !s.makeRoom(size) {
		return
	}
	if s.held == nil {
		s.held = map[artifacts.Digest][]*list.Element{}
	}
	v := &shelved{r.Digest, by, value, size, s.begun}
	s.held[r.Digest] = append(s.held[r.Digest], s.read.PushFront(v))
	s.used += size
}

// makeRoom removes what the last tasks have not read, the longest unread first. What they have read stays: of tasks
// that read more than there is room for, each finds the same part.
func (s *Shelf) makeRoom(size int64) bool {
	for s.used+size > room {
		e := s.read.Back()
		if v := e.Value.(*shelved); v.begun > s.begun-max(s.AtOnce, 1) {
			return false
		}
		s.remove(e)
	}
	return true
}

func (s *Shelf) remove(e *list.Element) {
	v := s.read.Remove(e).(*shelved)
	s.used -= v.size
	rest := slices.DeleteFunc(s.held[v.of], func(other *list.Element) bool { return other == e })
	if s.held[v.of] = rest; len(rest) == 0 {
		delete(s.held, v.of)
	}
}

// Drop makes room: the last reader is through.
func (s *Shelf) Drop(d artifacts.Digest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.held[d] {
		s.used -= s.read.Remove(e).(*shelved).size
	}
	delete(s.held, d)
}

// Used is how many bytes the values take.
func (s *Shelf) Used() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}
