// Package random gives independent streams of random numbers, each named by a
// seed and words: the purpose, the participant, the ROI, the draw. A stream
// depends on its name alone, so that adding a participant or a worker moves
// nobody else's draws, and its bits are the same on every machine.
package random

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"prgnn/internal/exact"
)

// A Stream is a source of random numbers: ChaCha8, keyed by the SHA-256 of its
// name. One stream is for one goroutine.
type Stream struct {
	*rand.Rand
	spare    float64
	hasSpare bool
}

// New opens the stream of this seed and name. The words are joined with their
// lengths, so that ("ab", "c") and ("a", "bc") are different streams.
func New(seed uint64, name ...any) *Stream {
	h := sha256.New()
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], seed)
	h.Write(n[:])
	for _, w := range name {
		s := fmt.Sprint(w)
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	return &Stream{Rand: rand.New(rand.NewChaCha8([32]byte(h.Sum(nil))))}
}

// Normal draws from the standard normal distribution, by the polar method of
// Marsaglia (1964). It hides rand.Rand.NormFloat64, whose tail uses math.Exp and
// math.Log and so differs between machines.
func (s *Stream) Normal() float64 {
	if s.hasSpare {
		s.hasSpare = false
		return s.spare
	}
	for {
		u := 2*s.Float64() - 1
		v := 2*s.Float64() - 1
		q := float64(u*u) + float64(v*v)
		if q >= 1 || q == 0 {
			continue
		}
		f := math.Sqrt(-2 * exact.Log(q) / q)
		s.spare, s.hasSpare = v*f, true
		return u * f
	}
}

// NormFloat64 is not portable: use Normal.
func (s *Stream) NormFloat64() float64 { panic("random: use Normal") }

// ExpFloat64 is not portable, for the same reason.
func (s *Stream) ExpFloat64() float64 { panic("random: not portable") }
