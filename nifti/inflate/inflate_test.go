package inflate

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// zip compresses with the standard library.
func zip(t testing.TB, level int, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// samples are data of many kinds: empty, short, random, of few symbols, repeating
// at every short distance, long runs, integers with noise.
func samples() map[string][]byte {
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
	s["long codes"] = lop
	return s
}

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
			if n, err := io.Copy(&b, NewReader(bytes.NewReader(z))); err != nil || n != int64(len(data)) || !bytes.Equal(b.Bytes(), data) {
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
	for _, tail := range []string{"x", "\x00\x00x", "\x1f", "\x1f\x8b", "\x1f\x8b\x08\x00", "garbage that goes on", strings.Repeat("\x00", 300000) + "x"} {
		z := bytes.Join([][]byte{za, zb, []byte(tail)}, nil)
		got, err := io.ReadAll(NewReader(bytes.NewReader(z)))
		if err == nil || !bytes.Equal(got, want) {
			t.Errorf("tail %.10q: %d bytes, want %d; error %v", tail, len(got), len(want), err)
			continue
		}
		says := fmt.Sprintf("gzip: after the end, at byte %d, there is something that is not gzip; fetch or write the file again", end)
		if tail[0] == 0x1f {
			says = fmt.Sprintf("gzip: truncated at byte %d; fetch or write the file again (unexpected EOF)", len(z))
		}
		if err.Error() != says {
			t.Errorf("tail %.10q: error %q, want %q", tail, err, says)
		}
	}
	// A distance does not reach into the member before.
	reach := append(bytes.Clone(za), withHeader(fixedBlock("X", 4))...)
	if _, err := io.ReadAll(NewReader(bytes.NewReader(reach))); err == nil || !errors.Is(err, errDistance) {
		t.Errorf("a distance into the member before: error %v", err)
	}
}

// withHeader puts a member's header before raw blocks, and a wrong trailer behind.
func withHeader(blocks []byte) []byte {
	return slices.Concat([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}, blocks, []byte("trailer."))
}

// fixedBlock is a block of fixed codes: the text, then a match of length 3 at a
// distance of 1 to 4.
func fixedBlock(text string, distance int) []byte {
	var bits []byte
	put := func(code, n int) { // codes stand with their highest bit first
		for i := n - 1; i >= 0; i-- {
			bits = append(bits, byte(code>>i&1))
		}
	}
	put(0b110, 3) // final, fixed: the bits 1, 01 read from the right
	for _, c := range []byte(text) {
		put(0x30+int(c), 8)
	}
	put(1, 7)
	put(distance-1, 5)
	put(0, 7)
	b := make([]byte, (len(bits)+7)/8)
	for i, v := range bits {
		b[i/8] |= v << (i % 8)
	}
	return b
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
		{"no gzip", []byte("hello"), "gzip: no gzip stream: it starts with 68 65"},
		{"method", []byte("\x1f\x8b\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00"), "a header of method 7"},
		{"block type", block(7), errType.Error()},
		{"stored length", block(1, 5, 0, 0, 0), errStored.Error()},
		{"too many symbols", block(0b11111101, 0xff, 0xff, 0xff, 0xff), errLengths.Error()},
		{"distance", withHeader(fixedBlock("abc", 4)), errDistance.Error()},
	} {
		_, err := io.ReadAll(NewReader(bytes.NewReader(c.z)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
	}
	// The same match where there is something to repeat: then the checksum is wrong.
	_, err := io.ReadAll(NewReader(bytes.NewReader(withHeader(fixedBlock("abcd", 4)))))
	if err == nil || !strings.Contains(err.Error(), "its checksum is") {
		t.Errorf("a wrong trailer: error %v", err)
	}
	// And its length, where the checksum is right.
	z := zip(t, 6, []byte("data"))
	z[len(z)-1] = 1
	if _, err = io.ReadAll(NewReader(bytes.NewReader(z))); err == nil || !strings.Contains(err.Error(), "it has 4 bytes, want 16777220") {
		t.Errorf("a wrong length: error %v", err)
	}
}

// FuzzReader compares with the standard library: both refuse, or both give the
// same bytes. Where ours lets padding pass and the other does not, see TestMembers.
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
			t.Fatalf("error %v, but compress/gzip says %v", err, stdErr)
		case err == nil && !bytes.Equal(got, want):
			t.Fatal("bytes differ")
		case err != nil && !bytes.HasPrefix(want, got) && !bytes.HasPrefix(got, want):
			t.Fatal("bytes before the error differ")
		}
	})
}

// FuzzBlocks compares blocks with compress/flate, whatever their checksum.
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
		case stdErr == nil && (!bytes.Equal(got, want) || !strings.Contains(err.Error(), "checksum")):
			t.Fatalf("%d bytes, want %d; error %v", len(got), len(want), err)
		case stdErr != nil && !bytes.HasPrefix(want, got) && !bytes.HasPrefix(got, want):
			t.Fatalf("bytes before the error differ; errors %v and %v", err, stdErr)
		}
	})
}
