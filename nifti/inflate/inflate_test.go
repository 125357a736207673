package inflate

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"prgnn/internal/need"
)

// zip compresses with the standard library.
func zip(t testing.TB, level int, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := need.Value(gzip.NewWriterLevel(&b, level))(t)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	need.NoError(t, w.Close())
	return b.Bytes()
}

// samples are data of many kinds: empty, short, random, of few symbols, repeating
// at every short distance, long runs, integers with noise.
var samples = sync.OnceValue(func() map[string][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	s := map[string][]byte{
		"empty": {}, "one": {7}, "text": []byte(strings.Repeat("the quick brown fox jumps over the lazy dog. ", 3000)),
		"zeros": make([]byte, 1<<20),
	}
	for _, n := range []int{100, history + piece - 1, history + piece, history + piece + 1, 700000} {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		s[fmt.Sprint("random ", n)] = b
	}
	few := make([]byte, 500000)
	for i := range few {
		few[i] = byte(min(r.ExpFloat64()*3, 255))
	}
	s["few symbols"] = few
	noise := make([]byte, 600000)
	for i := 0; i < len(noise); i += 2 {
		v := 1000 + int(30*r.NormFloat64())
		noise[i], noise[i+1] = byte(v), byte(v>>8)
	}
	s["noise"] = noise
	for d := 1; d < 20; d++ {
		var b []byte
		for len(b) < 20000 {
			for range 1 + r.IntN(300) {
				b = append(b, byte(len(b)%d))
			}
			b = append(b, byte(r.Uint32()))
		}
		s[fmt.Sprint("distance ", d)] = b
	}
	far := make([]byte, 33000)
	for i := range far {
		far[i] = byte(r.Uint32())
	}
	s["far"] = bytes.Repeat(far, 10)[:300000]
	var lop []byte // symbols of very different frequencies, so that codes get long
	for i := range 256 {
		lop = append(lop, bytes.Repeat([]byte{byte(i)}, 1+1<<min(i%20, 17))...)
	}
	r.Shuffle(len(lop), func(i, j int) { lop[i], lop[j] = lop[j], lop[i] })
	s["long codes"] = lop[:400000] // blocks of 65,535 symbols at most
	return s
})

func TestReader(t *testing.T) {
	for name, data := range samples() {
		for _, level := range []int{flate.NoCompression, flate.HuffmanOnly, 1, 6, 9} {
			z := zip(t, level, data)
			for _, src := range []io.Reader{bytes.NewReader(z), iotest.DataErrReader(bytes.NewReader(z)), &dribble{z}} {
				got, err := io.ReadAll(NewReader(src))
				if err != nil || !bytes.Equal(got, data) {
					t.Fatalf("%s, level %d, %T: %d bytes, want %d; error %v", name, level, src, len(got), len(data), err)
				}
			}
			var b bytes.Buffer
			if n, err := io.Copy(&b, NewReader(bytes.NewReader(z))); err != nil || n != int64(len(data)) ||
				!bytes.Equal(b.Bytes(), data) {
				t.Fatalf("%s, level %d: WriteTo %d bytes, error %v", name, level, n, err)
			}
		}
	}
}

// A dribble gives few bytes at a time, and sometimes none.
type dribble struct{ b []byte }

func (d *dribble) Read(p []byte) (int, error) {
	n := min(len(d.b)%11, len(p))
	if len(d.b) > 1000 {
		n = min(len(d.b)%1009, len(p))
	}
	if len(d.b) == 0 {
		return 0, io.EOF
	}
	n = copy(p, d.b[:max(n, min(1, len(d.b)))])
	d.b = d.b[n:]
	return n, nil
}

// Members follow each other; padding with zeros is let pass, anything else is not.
func TestMembers(t *testing.T) {
	a, b := []byte("first"), bytes.Repeat([]byte("second "), 50000)
	za, zb := zip(t, 6, a), zip(t, 9, b)
	want := append(bytes.Clone(a), b...)
	for _, pad := range []int{0, 1, 2, 511, 300000} {
		z := bytes.Join([][]byte{za, zip(t, 6, nil), zb, make([]byte, pad)}, nil)
		if got, err := io.ReadAll(NewReader(bytes.NewReader(z))); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d zeros: %d bytes, want %d; error %v", pad, len(got), len(want), err)
		}
	}
	end := len(za) + len(zb)
	for _, tail := range []string{"x", "\x00\x00x", "\x1f", "\x1f\x8b", "\x1f\x8b\x08\x00", "garbage that goes on",
		strings.Repeat("\x00", 300000) + "x"} {
		z := bytes.Join([][]byte{za, zb, []byte(tail)}, nil)
		got, err := io.ReadAll(NewReader(bytes.NewReader(z)))
		if err == nil || !bytes.Equal(got, want) {
			t.Errorf("tail %.10q: %d bytes, want %d; error %v", tail, len(got), len(want), err)
			continue
		}
		says := fmt.Sprintf("gzip: data after the end, at byte %d, that are not gzip; fetch or write the file again", end)
		if tail[0] == 0x1f {
			says = fmt.Sprintf("gzip: truncated at byte %d; fetch or write the file again (unexpected EOF)", len(z))
		}
		if err.Error() != says {
			t.Errorf("tail %.10q: error %q, want %q", tail, err, says)
		}
	}
	// A distance does not reach into the member before, wherever the window is.
	for n := range 40 {
		before := zip(t, 0, make([]byte, 1+n*7919))
		reach := append(before, withHeader(fixedBlock("X", 4))...)
		if _, err := io.ReadAll(NewReader(bytes.NewReader(reach))); err == nil || !errors.Is(err, errDistance) {
			t.Errorf("a distance into the member before, of %d bytes: error %v", 1+n*7919, err)
		}
	}
}

// The window moves on just after a member has begun: what was before it still cannot
// be reached.
func TestReachAfterMove(t *testing.T) {
	for _, n := range []int{1, 500, 999, 1500} {
		before := zip(t, 0, make([]byte, history+piece-n))
		for symbol, distance := range map[int]int{18: 513, 20: 1025, 22: 2049} {
			blocks := append(storedBlock(make([]byte, 1000)),
				dynamicBlock(chain(286, 256, 'a', 'b', 'c', 'd', 1, 2, 3, 4, 5, 6, 7, 8, 9, 257, 258),
					chain(30, 0, symbol, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
					func(w *bitWriter, lit, dist func(int)) {
						lit(257)
						dist(symbol)
						w.number(0, symbol/2-1)
						lit(256)
					})...)
			_, err := io.ReadAll(NewReader(bytes.NewReader(append(before, withHeader(blocks)...))))
			if err == nil || errors.Is(err, errDistance) != (distance > 1000) {
				t.Errorf("%d bytes before the move, distance %d: error %v", n, distance, err)
			}
		}
	}
}

// withHeader puts a member's header before raw blocks, and a wrong trailer behind.
func withHeader(blocks []byte) []byte {
	return slices.Concat([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}, blocks, []byte("trailer."))
}

// bitWriter writes the bits of blocks.
type bitWriter struct{ bits []byte }

// code writes a code, whose highest bit stands first.
func (w *bitWriter) code(code, n int) {
	for i := n - 1; i >= 0; i-- {
		w.bits = append(w.bits, byte(code>>i&1))
	}
}

// number writes a number, whose lowest bit stands first.
func (w *bitWriter) number(v, n int) {
	for i := range n {
		w.bits = append(w.bits, byte(v>>i&1))
	}
}

func (w *bitWriter) bytes() []byte {
	b := make([]byte, (len(w.bits)+7)/8)
	for i, v := range w.bits {
		b[i/8] |= v << (i % 8)
	}
	return b
}

// fixedBlock is a block of fixed codes: the text, then a match of length 3 at a
// distance of 1 to 4.
func fixedBlock(text string, distance int) []byte {
	var w bitWriter
	w.number(1, 1) // final
	w.number(1, 2) // fixed
	for _, c := range []byte(text) {
		w.code(0x30+int(c), 8)
	}
	w.code(1, 7)
	w.code(distance-1, 5)
	w.code(0, 7)
	return w.bytes()
}

// codesOf gives each symbol's code by the canonical rule (RFC 1951, 3.2.2).
func codesOf(lengths []uint8) []int {
	codes := make([]int, len(lengths))
	code := 0
	for n := uint8(1); n <= maxBits; n++ {
		code <<= 1
		for s, l := range lengths {
			if l == n {
				codes[s] = code
				code++
			}
		}
	}
	return codes
}

// dynamicBlock is a final block with these codes; body writes what they encode. The
// lengths are written with a code of 4 bits for each length.
func dynamicBlock(lits, dists []uint8, body func(w *bitWriter, lit, dist func(symbol int))) []byte {
	var w bitWriter
	w.number(1, 1)
	w.number(2, 2)
	w.number(len(lits)-257, 5)
	w.number(len(dists)-1, 5)
	w.number(19-4, 4)
	for _, symbol := range preOrder {
		if symbol < 16 {
			w.number(4, 3)
		} else {
			w.number(0, 3)
		}
	}
	for _, l := range slices.Concat(lits, dists) {
		w.code(int(l), 4)
	}
	litCodes, distCodes := codesOf(lits), codesOf(dists)
	body(&w, func(s int) { w.code(litCodes[s], int(lits[s])) }, func(s int) { w.code(distCodes[s], int(dists[s])) })
	return w.bytes()
}

// chain is a complete code in which the first symbol has a code of one bit, the next
// of two, and so on to two of 15.
func chain(n int, symbols ...int) []uint8 {
	lengths := make([]uint8, n)
	for i, s := range symbols {
		lengths[s] = uint8(min(i+1, maxBits))
	}
	return lengths
}

// storedBlock is a block that is not the last, of up to 65535 bytes as they are.
func storedBlock(data []byte) []byte {
	var w bitWriter
	w.number(0, 8)
	w.number(len(data), 16)
	w.number(^len(data)&0xffff, 16)
	return append(w.bytes(), data...)
}

// longCodes are blocks of the longest codes there can be, one after the other: literals of 11 bits, lengths
// of 15+5, distances of 15+13; and codes that go through the subtables.
func longCodes() []byte {
	lits := chain(286, 256, 1, 2, 3, 4, 5, 6, 7, 8, 9, 'a', 'b', 'c', 'd', 284, 285)
	dists := chain(30, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 29)
	r := rand.New(rand.NewPCG(6, 6))
	start := make([]byte, 32768) // for the distances to reach into
	for i := range start {
		start[i] = byte(r.Uint32())
	}
	return append(storedBlock(start), dynamicBlock(lits, dists, func(w *bitWriter, lit, dist func(int)) {
		for range 3000 {
			for range r.IntN(4) {
				lit([]int{'a', 'b', 'c', 'd', 1, 9}[r.IntN(6)])
			}
			if r.IntN(2) == 0 {
				lit(284)
				w.number(r.IntN(31), 5)
			} else {
				lit(285)
			}
			if d := []int{0, 3, 14, 29, 29, 29}[r.IntN(6)]; d < 4 {
				dist(d)
			} else {
				dist(d)
				w.number(r.IntN(1<<(d/2-1)), d/2-1)
			}
		}
		lit(256)
	})...)
}

func TestLongCodes(t *testing.T) {
	blocks := longCodes()
	want, err := io.ReadAll(flate.NewReader(bytes.NewReader(blocks)))
	if err != nil || len(want) < 700000 {
		t.Fatalf("%d bytes, error %v", len(want), err)
	}
	var z bytes.Buffer
	z.Write(withHeader(blocks))
	z.Truncate(z.Len() - len("trailer."))
	var trailer [8]byte
	binary.LittleEndian.PutUint32(trailer[:], crc32.ChecksumIEEE(want))
	binary.LittleEndian.PutUint32(trailer[4:], uint32(len(want)))
	z.Write(trailer[:])
	got, err := io.ReadAll(NewReader(&z))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, want %d; error %v", len(got), len(want), err)
	}
}

// Codes that are none: with bits that mean nothing, with more symbols than there
// are, with more codes than fit. compress/flate refuses them too.
func TestBadCodes(t *testing.T) {
	good, one := chain(286, 256, 'a', 'b', 'c', 'd', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), chain(1, 0)
	more := make([]uint8, 287)
	copy(more, good)
	for name, c := range map[string]struct {
		lits, dists []uint8
		ok          bool
	}{
		"good":              {good, one, true},
		"no distances":      {good, make([]uint8, 1), true},
		"287 literals":      {more, one, false},
		"31 distances":      {good, chain(31, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), false},
		"incomplete":        {chain(286, 256, 'a', 'b'), one, false},
		"incomplete dist":   {good, chain(30, 0, 1), false},
		"oversubscribed":    {append([]uint8{1, 1, 1}, good[3:]...), one, false},
		"one dist of 2 bit": {good, []uint8{2}, false},
	} {
		blocks := dynamicBlock(c.lits, c.dists, func(w *bitWriter, lit, dist func(int)) { lit('a'); lit(256) })
		want, stdErr := io.ReadAll(flate.NewReader(bytes.NewReader(blocks)))
		_, err := io.ReadAll(NewReader(bytes.NewReader(withHeader(blocks))))
		if ok := err != nil && strings.Contains(err.Error(), "checksum"); ok != c.ok || (stdErr == nil) != c.ok {
			t.Errorf("%s: error %v; compress/flate: %d bytes, %v", name, err, len(want), stdErr)
		}
		if !c.ok && !errors.Is(err, errLengths) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// A repeated length may not go beyond the last code, not even by one.
func TestRepeatBeyondTheCodes(t *testing.T) {
	for dists, ok := range map[int]bool{4: true, 3: false} {
		var w bitWriter
		w.number(0b101, 3) // the last block, with codes of its own
		w.number(0, 5)     // 257 literals and lengths
		w.number(dists-1, 5)
		w.number(18-4, 4)
		for _, n := range []int{0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1} { // of symbols 16, 17, 18 … 1
			w.number(n, 3)
		}
		one := func() { w.code(0, 1) }
		zeros := func(n int) { w.code(0b11, 2); w.number(n-11, 7) }
		one() // the literal 0
		zeros(138)
		zeros(117)
		one() // the end of the block
		one() // the first distance
		w.code(0b10, 2)
		w.number(0, 3) // three zeros
		w.code(1, 1)
		_, err := io.ReadAll(NewReader(bytes.NewReader(withHeader(w.bytes()))))
		_, stdErr := io.ReadAll(flate.NewReader(bytes.NewReader(w.bytes())))
		if errors.Is(err, errLengths) == ok || (stdErr == nil) != ok {
			t.Errorf("%d distances: error %v; compress/flate: %v", dists, err, stdErr)
		}
	}
}

// Every truncation is an error that names the byte, and every flipped bit gives an
// error or, in the few bits of the header that mean nothing, the right bytes.
func TestDamage(t *testing.T) {
	data := samples()["noise"][:400]
	data = append(data, make([]byte, 500)...)
	for _, level := range []int{0, 1, 6, flate.HuffmanOnly} {
		z := zip(t, level, data)
		for n := range len(z) {
			_, err := io.ReadAll(NewReader(bytes.NewReader(z[:n])))
			if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), fmt.Sprintf("truncated at byte %d;", n)) {
				t.Fatalf("level %d, %d of %d bytes: error %v", level, n, len(z), err)
			}
		}
		for bit := range 8 * len(z) {
			bad := bytes.Clone(z)
			bad[bit/8] ^= 1 << (bit % 8)
			got, err := io.ReadAll(NewReader(bytes.NewReader(bad)))
			if err == nil && !(bit/8 >= 4 && bit/8 < 10 && bytes.Equal(got, data)) && !bytes.Equal(got, data) {
				t.Fatalf("level %d: flipped bit %d of byte %d goes unseen", level, bit%8, bit/8)
			}
		}
	}
}

// A source's own error comes through.
func TestSourceError(t *testing.T) {
	z := zip(t, 6, samples()["random 700000"])
	src := io.MultiReader(bytes.NewReader(z[:len(z)/2]), iotest.ErrReader(errors.New("disk on fire")))
	n, err := io.Copy(io.Discard, NewReader(src))
	if err == nil || err.Error() != "disk on fire" || n == 0 {
		t.Errorf("%d bytes, error %v", n, err)
	}
}

// Header fields of every kind are passed over, and their checksum counts.
func TestHeader(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Name, w.Comment, w.Extra = "name.nii", "a comment", bytes.Repeat([]byte("extra"), 200)
	w.Write([]byte("data"))
	w.Close()
	if got, err := io.ReadAll(NewReader(bytes.NewReader(b.Bytes()))); err != nil || string(got) != "data" {
		t.Errorf("%q, error %v", got, err)
	}
}

func TestErrors(t *testing.T) {
	block := func(b ...byte) []byte { return withHeader(b) }
	for _, c := range []struct {
		name string
		z    []byte
		want string
	}{
		{"empty", nil, "gzip: truncated at byte 0"},
		{"no gzip", []byte("hello"), "gzip: not a gzip stream: it starts with 68 65"},
		{"method", []byte("\x1f\x8b\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00"), "an invalid header: method 7"},
		{"block type", block(7), errType.Error()},
		{"stored length", block(1, 5, 0, 0, 0), errStored.Error()},
		{"too many symbols", block(0b11111101, 0xff, 0xff, 0xff, 0xff), errLengths.Error()},
		{"distance", withHeader(fixedBlock("abc", 4)), errDistance.Error()},
	} {
		_, err := io.ReadAll(NewReader(bytes.NewReader(c.z)))
		need.Error(t, err, c.want, c.name)
	}
	// The same match where there is something to repeat: then the checksum is wrong.
	_, err := io.ReadAll(NewReader(bytes.NewReader(withHeader(fixedBlock("abcd", 4)))))
	need.Error(t, err, "its checksum is", "a wrong trailer: error")
	// And its length, where the checksum is right.
	z := zip(t, 6, []byte("data"))
	z[len(z)-1] = 1
	if _, err = io.ReadAll(NewReader(bytes.NewReader(z))); err == nil || !strings.Contains(err.Error(), "it has 4 bytes, want 16777220") {
		t.Errorf("a wrong length: error %v", err)
	}
}

// FuzzReader compares with the standard library: both refuse, or both give the
// same bytes. Where ours lets padding pass and the other does not, see TestMembers; and
// only ours refuses reserved flags, as RFC 1952 demands (2.3.1.2).
func FuzzReader(f *testing.F) {
	for _, data := range samples() {
		if len(data) < 25000 {
			for _, level := range []int{0, 1, 9, flate.HuffmanOnly} {
				f.Add(zip(f, level, data))
			}
		}
	}
	f.Add(withHeader(fixedBlock("abcd", 4)))
	f.Fuzz(func(t *testing.T, z []byte) {
		got, err := io.ReadAll(NewReader(bytes.NewReader(z)))
		std, stdErr := gzip.NewReader(bytes.NewReader(z))
		var want []byte
		if stdErr == nil {
			want, stdErr = io.ReadAll(std)
		}
		switch {
		case (err == nil) != (stdErr == nil):
			if err == nil && len(z) > 0 && z[len(z)-1] == 0 {
				return // padding
			}
			if err != nil && strings.Contains(err.Error(), "an invalid header: method 8") {
				return
			}
			t.Fatalf("error %v, but compress/gzip says %v", err, stdErr)
		case err == nil && !bytes.Equal(got, want):
			t.Fatal("bytes differ")
		case err != nil && !bytes.HasPrefix(want, got) && !bytes.HasPrefix(got, want):
			t.Fatal("bytes before the error differ")
		}
	})
}

// aboutTrailer reports whether an error is of the checksum or the length after the blocks, or, where these are
// right by chance, of what follows them.
func aboutTrailer(err error) bool {
	return strings.Contains(err.Error(), "checksum") || strings.Contains(err.Error(), "modulo 2³²") ||
		strings.Contains(err.Error(), "data after the end")
}

// FuzzBlocks compares blocks with compress/flate, whatever their checksum and length.
func FuzzBlocks(f *testing.F) {
	for _, data := range samples() {
		if len(data) < 25000 {
			for _, level := range []int{0, 1, 9, flate.HuffmanOnly} {
				z := zip(f, level, data)
				f.Add(z[10 : len(z)-8])
			}
		}
	}
	f.Fuzz(func(t *testing.T, blocks []byte) {
		want, stdErr := io.ReadAll(flate.NewReader(bytes.NewReader(blocks)))
		got, err := io.ReadAll(NewReader(bytes.NewReader(withHeader(blocks))))
		switch {
		case err == nil:
			// The fuzzer has made a trailer.
		case stdErr == nil && (!bytes.Equal(got, want) || !aboutTrailer(err)):
			t.Fatalf("%d bytes, want %d; error %v", len(got), len(want), err)
		case stdErr != nil && !bytes.HasPrefix(want, got) && !bytes.HasPrefix(got, want):
			t.Fatalf("bytes before the error differ; errors %v and %v", err, stdErr)
		}
	})
}

// steps decompresses blocks in pieces. It gives where each ended and what the last one ended with.
func steps(blocks []byte, fast bool, piece int) (out []byte, ends []int, err error) {
	z := &decoder{src: bytes.NewReader(blocks), state: atBlock}
	for o := 0; z.state != atTrailer; {
		if o+piece+slack > len(out) {
			out = append(out, make([]byte, o+piece+slack)...)
		}
		to := o
		switch z.state {
		case atBlock:
			err = z.readBlock()
			z.mixed = fast
		case inStored:
			to, err = copyStored(z, out, o, o+piece)
		default:
			to, err = decode(z, out, 0, o, o+piece)
		}
		if err != nil {
			return out[:o], ends, err
		}
		o = to
		ends = append(ends, o)
	}
	return out[:ends[len(ends)-1]], ends, nil
}

func sameSteps(t testing.TB, blocks []byte, piece int) {
	t.Helper()
	want, wantEnds, wantErr := steps(blocks, false, piece)
	got, ends, err := steps(blocks, true, piece)
	if fmt.Sprint(err) != fmt.Sprint(wantErr) || !slices.Equal(ends, wantEnds) || !slices.Equal(got, want) {
		t.Fatalf("pieces of %d: %d bytes in %d, error %v; by Go %d bytes in %d, error %v",
			piece, len(got), len(ends), err, len(want), len(wantEnds), wantErr)
	}
}

// The loops in assembly do what the one in Go does, with data of every kind, and with damage.
func TestFast(t *testing.T) {
	if !hasFast {
		t.Skip("there are none for this machine")
	}
	r := rand.New(rand.NewPCG(9, 9))
	for name, data := range samples() {
		for _, level := range []int{flate.HuffmanOnly, 1, 6} {
			t.Run(fmt.Sprint(name, " ", level), func(t *testing.T) {
				blocks := zip(t, level, data)[10:]
				sameSteps(t, blocks, piece)
				sameSteps(t, blocks, 1+r.IntN(5000))
				for range 10 {
					bad := bytes.Clone(blocks[:min(len(blocks), 20000)])
					bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
					sameSteps(t, bad, 1+r.IntN(5000))
				}
			})
		}
	}
	sameSteps(t, longCodes(), piece)
	sameSteps(t, longCodes(), 777)
}

// FuzzFast compares the loops in assembly with the one in Go: what they make, where pieces end, and mistakes.
func FuzzFast(f *testing.F) {
	if !hasFast {
		f.Skip("there are none for this machine")
	}
	for _, data := range samples() {
		if len(data) < 25000 {
			for _, level := range []int{1, 9, flate.HuffmanOnly} {
				z := zip(f, level, data)
				f.Add(z[10:len(z)-8], uint16(1000))
			}
		}
	}
	f.Add(longCodes(), uint16(700))
	f.Fuzz(func(t *testing.T, blocks []byte, piece uint16) {
		sameSteps(t, blocks, 1+int(piece))
	})
}
