package random

import (
	"crypto/sha256"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"prgnn/internal/need"
)

// testdata/golden.py computes the same streams by a definition of its own.
func TestGolden(t *testing.T) {
	raw := need.Value(os.ReadFile("testdata/golden.json"))(t)
	var golden []struct {
		Seed    string
		Name    []any
		First   []string
		Last    string // the 300th: after two refills
		Normals []float64
	}
	need.NoError(t, json.Unmarshal(raw, &golden))
	if len(golden) != 4 {
		t.Fatalf("%d streams, want 4", len(golden))
	}
	for _, g := range golden {
		seed := need.Value(strconv.ParseUint(g.Seed, 10, 64))(t)
		s := New(seed, g.Name...)
		var got uint64
		for i := range 300 {
			got = s.Uint64()
			if i < len(g.First) && strconv.FormatUint(got, 10) != g.First[i] {
				t.Errorf("stream %s %v: number %d is %d, want %s", g.Seed, g.Name, i, got, g.First[i])
			}
		}
		if strconv.FormatUint(got, 10) != g.Last {
			t.Errorf("stream %s %v: number 299 is %d, want %s", g.Seed, g.Name, got, g.Last)
		}
		s = New(seed, g.Name...)
		for i, want := range g.Normals {
			if x := s.Normal(); math.Abs(x-want) > 1e-15*math.Max(1, math.Abs(want)) {
				t.Errorf("stream %s %v: normal number %d is %v, want %v", g.Seed, g.Name, i, x, want)
			}
		}
	}
}

// The bits of normal numbers are the same on every machine: one digest.
func TestNormalBits(t *testing.T) {
	s := New(1, "bits")
	h := sha256.New()
	for range 10_000 {
		b := math.Float64bits(s.Normal())
		h.Write([]byte(strconv.FormatUint(b, 16)))
	}
	const want = "78f9bc37215ed6dd" // as made on amd64; TestGolden holds the values themselves
	need.Equal(t, strconv.FormatUint(uint64FromHash(h.Sum(nil)), 16), want, "the normal numbers have changed")
}

// Normals are what Normal gives, number by number, however many are asked for, and leave the stream where that would.
func TestNormalsInOne(t *testing.T) {
	one, many := New(1, "bits"), New(1, "bits")
	for n := range 300 {
		x := make([]float64, n%7*n%301)
		many.Normals(x)
		for i := range x {
			need.Equal(t, math.Float64bits(x[i]), math.Float64bits(one.Normal()), "call", n, "number", i)
		}
		if n%3 == 0 {
			need.Equal(t, many.Float64(), one.Float64(), "after call", n)
		}
	}
}

func uint64FromHash(b []byte) uint64 {
	var v uint64
	for _, c := range b[:8] {
		v = v<<8 | uint64(c)
	}
	return v
}

// A name is its list of words: no two names make one stream.
func TestNamesAreDistinct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(rapid.StringN(0, 3, 6), 0, 4).Draw(t, "a")
		b := rapid.SliceOfN(rapid.StringN(0, 3, 6), 0, 4).Draw(t, "b")
		seed := rapid.Uint64().Draw(t, "seed")
		first := func(name []string) uint64 {
			words := make([]any, len(name))
			for i, w := range name {
				words[i] = w
			}
			return New(seed, words...).Uint64()
		}
		need.Equal(t, slices.Equal(a, b), (first(a) == first(b)), a, "and", b, "equal", "but streams say otherwise")
	})
	if New(1, "ab", "c").Uint64() == New(1, "a", "bc").Uint64() {
		t.Error("words run into each other")
	}
	if New(1, "a").Uint64() == New(2, "a").Uint64() {
		t.Error("the seed does not matter")
	}
}

// Streams know nothing of each other: drawing from one moves no other, and
// neighbors are uncorrelated (|r| < 5/√n, five standard errors).
func TestStreamsAreIndependent(t *testing.T) {
	const n = 20_000
	a, b := New(7, "subject", 1), New(7, "subject", 2)
	alone := New(7, "subject", 1)
	var sum float64
	for range n {
		x, y := a.Normal(), b.Normal()
		if x != alone.Normal() {
			t.Fatal("a stream was moved by another")
		}
		sum += x * y
	}
	if r := sum / n; math.Abs(r) > 5/math.Sqrt(n) {
		t.Errorf("two streams correlate: %v", r)
	}
}

// Moments of the standard normal distribution: 0, 1, 0, 3, and
// P(|x| < 1.96) = 0.95; each within five of its standard errors.
func TestNormalMoments(t *testing.T) {
	const n = 400_000
	s := New(3, "moments")
	var m [5]float64
	inside := 0
	previous, lag := 0.0, 0.0
	for range n {
		x := s.Normal()
		p := 1.0
		for k := 1; k <= 4; k++ {
			p *= x
			m[k] += p / n
		}
		if math.Abs(x) < 1.959963984540054 {
			inside++
		}
		lag += previous * x / n
		previous = x
	}
	for _, c := range []struct {
		name            string
		got, want, sdOf float64 // sdOf: the standard deviation of one term
	}{
		{"mean", m[1], 0, 1},
		{"variance", m[2], 1, math.Sqrt2},
		{"third moment", m[3], 0, math.Sqrt(15)},
		{"fourth moment", m[4], 3, math.Sqrt(96)},
		{"share within 1.96", float64(inside) / n, 0.95, math.Sqrt(0.95 * 0.05)},
		{"correlation with the one before", lag, 0, 1},
	} {
		if math.Abs(c.got-c.want) > 5*c.sdOf/math.Sqrt(n) {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
}

func TestUnportableMethodsAreClosed(t *testing.T) {
	for name, f := range map[string]func(*Stream) float64{"NormFloat64": (*Stream).NormFloat64,
		"ExpFloat64": (*Stream).ExpFloat64} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s can be called", name)
				}
			}()
			f(New(1))
		}()
	}
}

func BenchmarkNormal(b *testing.B) {
	s := New(1)
	for b.Loop() {
		s.Normal()
	}
}
