package inflate

import (
	"errors"
	"io"
	"sync"
)

// A stream is the compressed bytes that have been read of a source and are still needed.
// Only the Reader reads the source; guesses see what it has read.
type stream struct {
	src    io.Reader
	err    error // of src
	mu     sync.Mutex
	pieces [][]byte // of input bytes each, the last one in part
	base   int64    // place in the source of the first
	end    int64    // of what has been read
	spare  [][]byte
}

// extend reads on until a place, or the end, or nothing comes.
func (s *stream) extend(until int64) {
	for s.end < until && s.err == nil {
		at := int(s.end - s.base)
		if at == len(s.pieces)*input {
			if len(s.spare) == 0 {
				s.spare = append(s.spare, make([]byte, input))
			}
			last := len(s.spare) - 1
			s.mu.Lock()
			s.pieces = append(s.pieces, s.spare[last])
			s.mu.Unlock()
			s.spare = s.spare[:last]
		}
		var n int
		n, s.err = s.src.Read(s.pieces[at/input][at%input:])
		s.mu.Lock()
		s.end += int64(n)
		s.mu.Unlock()
		if n == 0 {
			return
		}
	}
}

// drop forgets what is before a place.
func (s *stream) drop(place int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.pieces) > 0 && s.base+input <= min(place, s.end) {
		s.spare = append(s.spare, s.pieces[0])
		s.pieces = s.pieces[1:]
		s.base += input
	}
}

// copy copies what is there from a place on, and says how much.
func (s *stream) copy(p []byte, place int64) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for len(p) > n && s.base <= place && place < s.end {
		at := int(place - s.base)
		k := copy(p[n:min(len(p), n+int(s.end-place))], s.pieces[at/input][at%input:])
		n, place = n+k, place+int64(k)
	}
	return n
}

// A tail is the stream as the Reader reads it.
type tail struct {
	*stream
	at    int64
	ahead int64 // bytes that are read ahead for guesses
}

func (t *tail) Read(p []byte) (int, error) {
	t.extend(t.at + t.ahead)
	n := t.copy(p, t.at)
	t.at += int64(n)
	t.drop(t.at - 2*input) // what a guess has made may end before at, but not by so much
	if n == 0 {
		return 0, t.err
	}
	return n, nil
}

// A peek is the stream as a guess reads it.
type peek struct {
	*stream
	at int64
}

var errAhead = errors.New("has not been read yet")

func (p *peek) Read(b []byte) (int, error) {
	n := p.copy(b, p.at)
	if p.at += int64(n); n == 0 {
		return 0, errAhead
	}
	return n, nil
}
