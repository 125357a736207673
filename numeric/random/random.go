// Package random gives independent streams of random numbers, each named by a
// seed and words: the purpose, the participant, the ROI, the draw. A stream
// depends on its name alone, so that adding a participant or a worker moves
// nobody else's draws, and its bits are the same on every machine: those of Normal
// and Normals, and of all methods of rand.Rand but NormFloat64 and ExpFloat64, which
// panic here.
package random

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"prgnn/numeric/exact"
)

// A Stream is a source of random numbers: ChaCha8, keyed by the SHA-256 of its
// name. One stream is for one goroutine.
type Stream struct {
	*rand.Rand
	source   *rand.ChaCha8 // of Rand
	spare    float64
	hasSpare bool
}

// New opens the stream of this seed and name. The words are joined with their
// lengths, so that ("ab", "c") and ("a", "bc") are different streams. A word is a
// string or a number; its text is that of fmt.Sprint.
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
	source := rand.NewChaCha8([32]byte(h.Sum(nil)))
	return &Stream{Rand: rand.New(source), source: source}
}

// Normal draws from the standard normal distribution, by the polar method of
// Marsaglia (1964). It hides rand.Rand.NormFloat64, whose tail uses math.Exp and
// math.Log and so differs between machines.
func (s *Stream) Normal() float64 {
	if s.hasSpare {
		s.hasSpare = false
		return s.spare
	}
	u, v, q := s.inDisk()
	f := radius(q)
	s.spare, s.hasSpare = v*f, true
	return u * f
}

// Normals fills x with what Normal would give, one after the other. The roots and logarithms of many numbers wait
// neither for each other nor for the next draws.
func (s *Stream) Normals(x []float64) {
	if s.hasSpare && len(x) > 0 {
		x[0], x = s.Normal(), x[1:]
	}
	var u, v, q [128]float64
	for len(x) > 1 {
		pairs := min(len(x)/2, len(q))
		for i := 0; i < pairs; { // as inDisk, without a branch that is foretold wrongly for every fourth place
			u[i], v[i] = float64(2*s.uniform())-1, float64(2*s.uniform())-1
			q[i] = float64(u[i]*u[i]) + float64(v[i]*v[i])
			if q[i] == 0 {
				continue
			}
			i += int(math.Float64bits(q[i]-1) >> 63)
		}
		for i, q := range q[:pairs] {
			f := radius(q)
			x[2*i], x[2*i+1] = u[i]*f, v[i]*f
		}
		x = x[2*pairs:]
	}
	if len(x) > 0 {
		x[0] = s.Normal()
	}
}

// inDisk is a place in the unit disk, without its center, and its squared distance from that.
func (s *Stream) inDisk() (u, v, q float64) {
	for {
		u = float64(2*s.uniform()) - 1
		v = float64(2*s.uniform()) - 1
		q = float64(u*u) + float64(v*v)
		if q < 1 && q != 0 {
			return u, v, q
		}
	}
}

// Uint64 is that of rand.Rand, without a call through an interface.
func (s *Stream) Uint64() uint64 { return s.source.Uint64() }

// uniform is Float64, without a call through an interface.
func (s *Stream) uniform() float64 { return float64(float64(s.source.Uint64()<<11>>11) * 0x1p-53) }

func radius(q float64) float64 { return math.Sqrt(-2 * exact.Log(q) / q) }

// NormFloat64 is not portable: use Normal.
func (s *Stream) NormFloat64() float64 { panic("random: use Normal") }

// ExpFloat64 is not portable, for the same reason.
func (s *Stream) ExpFloat64() float64 { panic("random: not portable") }
