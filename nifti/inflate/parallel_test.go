package inflate

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"prgnn/internal/need"
)

// blocks compresses data into many blocks, of the length each. Every flush leaves an
// empty stored block too.
func blocks(t testing.TB, level, length int, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := need.Value(gzip.NewWriterLevel(&b, level))(t)
	for len(data) > 0 {
		n := min(length, len(data))
		need.Value(w.Write(data[:n]))(t)
		need.NoError(t, w.Flush())
		data = data[n:]
	}
	need.NoError(t, w.Close())
	return b.Bytes()
}

// mixed are bytes of every kind that matters: many zeros first, so that little of the
// stream comes before the window is full; then noise, repetitions from near and far.
func mixed(n int) []byte {
	r := rand.New(rand.NewPCG(3, 4))
	b := make([]byte, history)
	for len(b) < n {
		switch r.IntN(4) {
		case 0:
			b = append(b, bytes.Repeat([]byte{byte(r.IntN(256))}, r.IntN(400))...)
		case 1:
			at := len(b) - 1 - r.IntN(history)
			b = append(b, b[at:min(len(b), at+r.IntN(300))]...)
		default:
			for range r.IntN(1000) {
				b = append(b, byte(r.ExpFloat64()*12))
			}
		}
	}
	return b[:n]
}

// all reads a stream to its end, and counts the guesses that were taken.
func all(z *Reader) (data []byte, taken int, err error) {
	var b [5000]byte
	for before := (*guess)(nil); ; {
		n, err := z.Read(b[:])
		data = append(data, b[:n]...)
		if z.ahead != nil {
			if z.taken != nil && z.taken != before {
				taken++
			}
			before = z.taken
		}
		if err == io.EOF {
			return data, taken, nil
		} else if err != nil {
			return data, taken, err
		}
	}
}

// same compares reading alone with reading by several, where guesses are near and small.
// What comes before a mistake is the same too.
func same(t testing.TB, z []byte, threads int, reach int64, room int) (taken int) {
	t.Helper()
	want, _, wantErr := all(NewReader(bytes.NewReader(z)))
	r := NewReader(bytes.NewReader(z))
	r.parallel(threads, reach, room)
	got, taken, err := all(r)
	if !bytes.Equal(got, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("%d threads, reach %d, room %d: %d bytes, error %v; alone %d bytes, error %v",
			threads, reach, room, len(got), err, len(want), wantErr)
	}
	return taken
}

func TestParallel(t *testing.T) {
	data := maps.Clone(samples())
	data["mixed"] = mixed(400000)
	taken := 0
	for name, d := range data {
		for _, level := range []int{flate.NoCompression, flate.HuffmanOnly, 6} {
			t.Run(fmt.Sprint(name, " ", level), func(t *testing.T) {
				z := blocks(t, level, 3000, d)
				taken += same(t, z, 2, 1000, 1<<16)
				taken += same(t, z, 4, 3000, 5000)
				taken += same(t, zip(t, level, d), 3, 20000, 1<<18)
			})
		}
	}
	if taken < 500 {
		t.Errorf("of all guesses %d were taken", taken)
	}
}

// A guess comes to bytes that depend on nothing before, and goes on with bytes.
func TestParallelForgets(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	data := make([]byte, 3<<20)
	for i := range data {
		data[i] = byte(r.ExpFloat64() * 20)
	}
	z := zip(t, 6, data)
	reader := NewReader(bytes.NewReader(z))
	reader.parallel(2, 300000, 1<<20)
	forgot := false
	got := bytes.Buffer{}
	for b := make([]byte, 1<<16); ; {
		n, err := reader.Read(b)
		got.Write(b[:n])
		forgot = forgot || reader.taken != nil && reader.taken.bytes.end > history
		if err == io.EOF {
			break
		}
		need.NoError(t, err)
	}
	if !forgot || !bytes.Equal(got.Bytes(), data) {
		t.Errorf("went on with bytes: %v; %d bytes, want %d", forgot, got.Len(), len(data))
	}
}

// Members that follow each other, damage, truncation and a source's own error.
func TestParallelErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	a, b := blocks(t, 6, 2500, mixed(150000)), blocks(t, 1, 4000, mixed(120000))
	z := bytes.Join([][]byte{a, b, a, make([]byte, 700)}, nil)
	same(t, z, 3, 2000, 1<<15)
	same(t, append(z, 'x'), 3, 2000, 1<<15)
	for range 60 {
		bad := bytes.Clone(z[:len(z)-r.IntN(len(z))])
		same(t, bad, 2, 1500, 1<<15)
		bad = bytes.Clone(z)
		bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
		same(t, bad, 2+r.IntN(2), 1500, 1<<15)
	}
	for n := range 20 {
		n *= len(z) / 20
		broken := func() io.Reader {
			return io.MultiReader(bytes.NewReader(z[:n]), iotest.ErrReader(errors.New("disk on fire")))
		}
		want, _, wantErr := all(NewReader(broken()))
		p := NewReader(iotest.HalfReader(broken()))
		p.parallel(2, 1500, 1<<15)
		got, _, err := all(p)
		if !bytes.Equal(got, want) || err == nil || err.Error() != "disk on fire" || wantErr.Error() != err.Error() {
			t.Errorf("a source that fails at byte %d: %d bytes, error %v; alone %d bytes, error %v", n, len(got), err, len(want), wantErr)
		}
	}
}

// A distance that reaches beyond what there is of its member is refused, though the guess
// that comes to it knows of no beginning.
func TestParallelReach(t *testing.T) {
	data := mixed(200000)
	z := blocks(t, 6, 2500, data)
	// The same blocks without the first ones: they reach too far back.
	first := len(blocks(t, 6, 2500, data[:60000])) - 8 - 5
	z = append(z[:10:10], z[first:]...)
	same(t, z, 2, 1500, 1<<15)
	if _, _, err := all(NewReader(bytes.NewReader(z))); !errors.Is(err, errDistance) {
		t.Errorf("error %v, want %v", err, errDistance)
	}
}

// Threads may come when a part has been read.
func TestThreads(t *testing.T) {
	data := mixed(6 << 20)
	z := zip(t, 6, data)
	r := NewReader(bytes.NewReader(z))
	head := make([]byte, 400)
	need.Value(io.ReadFull(r, head))(t)
	r.Threads(2)
	got, taken, err := all(r)
	if err != nil || !bytes.Equal(append(head, got...), data) || taken == 0 {
		t.Errorf("%d bytes, want %d; %d guesses taken; error %v", 400+len(got), len(data), taken, err)
	}
}

// FuzzParallel compares reading alone with reading by several. Its streams are short, with a block each few hundred
// bytes, and the guesses as near.
func FuzzParallel(f *testing.F) {
	data := mixed(history + 1500)
	for _, level := range []int{flate.HuffmanOnly, 6} {
		z := blocks(f, level, 300, data)
		if same(f, z, 3, 150, 1000) == 0 {
			f.Fatal("no guess was taken")
		}
		f.Add(z, uint16(50), uint16(1000))
	}
	f.Fuzz(func(t *testing.T, z []byte, reach, room uint16) {
		if len(z) > 4096 {
			return
		}
		same(t, z, 3, 100+int64(reach%1024), 200+int(room%4096))
	})
}
