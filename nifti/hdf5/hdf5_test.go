package hdf5

import (
	"bufio"
	"bytes"
	"cmp"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"prgnn/internal/need"
)

func open(t testing.TB, path string) (*File, error) {
	t.Helper()
	b := need.Value(os.ReadFile(path))(t)
	return Open(bytes.NewReader(b), int64(len(b)))
}

// Every vector and text is what h5py reads, in all layouts; see testdata/sums.py.
func TestAgainstH5py(t *testing.T) {
	list := need.Value(os.Open(filepath.Join("testdata", "sums.tsv")))(t)
	defer list.Close()
	files := map[string]int{}
	lines := bufio.NewScanner(list)
	lines.Scan() // the names of the columns
	for lines.Scan() {
		c := strings.Split(lines.Text(), "\t")
		files[c[0]]++
		f, err := open(t, filepath.Join("testdata", c[0]))
		need.NoError(t, err, c[0])
		if c[6] != "" {
			if text, err := f.Text(c[1]); err != nil || text != c[6] {
				t.Errorf("%s %s: %q, want %q; error %v", c[0], c[1], text, c[6], err)
			}
			continue
		}
		v, err := f.Vector(c[1])
		if err != nil {
			t.Errorf("%s %s: %v", c[0], c[1], err)
			continue
		}
		n := 0
		var sum, sum2, weighted float64
		need.Equal(t, v.Each(func(x []float64) error {
			for _, x := range x {
				sum += x
				sum2 += x * x
				weighted += x * float64(n%97+1)
				n++
			}
			return nil
		}), nil, c[0], c[1])
		if strconv.Itoa(n) != c[2] || v.Len != n {
			t.Errorf("%s %s: %d numbers of %d, want %s", c[0], c[1], n, v.Len, c[2])
		}
		for i, got := range []float64{sum, sum2, weighted} {
			want := need.Value(strconv.ParseFloat(c[3+i], 64))(t)
			if math.Abs(got-want) > 1e-9*math.Max(1, sum2) {
				t.Errorf("%s %s: sum %d is %.17g, want %.17g", c[0], c[1], i, got, want)
			}
		}
	}
	all, _ := filepath.Glob(filepath.Join("testdata", "*.h5"))
	if len(files) != len(all) || len(all) != 15 {
		t.Errorf("%d files of %d are in the list, want 15", len(files), len(all))
	}
}

// Numbers count, not letters: parts 0 to 11 of a group with dense links.
func TestNames(t *testing.T) {
	f, err := open(t, filepath.Join("testdata", "eleven-parts.h5"))
	need.NoError(t, err)
	names, err := f.Names("TransformGroup")
	if want := strings.Fields("0 1 10 11 2 3 4 5 6 7 8 9"); err != nil || !slices.Equal(names, want) {
		t.Errorf("%v, want %v; error %v", names, want, err)
	}
	if !f.Has("TransformGroup/11/TransformType") || f.Has("TransformGroup/12") || f.Has("HDFVersion/x") {
		t.Error("Has")
	}
}

// What is damaged is refused with its place and cause, wherever reading meets it.
func TestRefuse(t *testing.T) {
	for _, c := range []struct{ file, path, want string }{
		{"adler-wrong.h5", "TransformGroup/2/TransformParameters", "zlib: invalid checksum: the file is damaged; copy it again"},
		{"packed-bytes-changed.h5", "TransformGroup/2/TransformParameters", "the file is damaged; copy it again"},
		{"cut-in-half.h5", "", "the file has 10492 bytes of 20984: it is truncated; copy it again"},
		{"header-checksum.h5", "", "root group: object header at byte 48: wrong checksum: the file is damaged; copy it again"},
		{"no-hdf5.h5", "", `not an HDF5 file: it does not begin with \x89HDF`},
		{"no-transform-group.h5", "TransformGroup", `"TransformGroup" is missing in group /`},
	} {
		f, err := open(t, filepath.Join("testdata", "refuse", c.file))
		if c.path != "" && err == nil {
			var v *Vector
			if v, err = f.Vector(c.path); err == nil {
				err = v.Each(func([]float64) error { return nil })
			}
		}
		need.Error(t, err, c.want, c.file)
	}
}

// A byte that is changed, or bytes that are missing at the end, give other numbers only where
// the format has no checksum: in contiguous data, in headers of version 1 and in heaps of it.
// They never give a panic, and a deflated field under headers of version 2 is never wrong.
func TestDamageIsSeen(t *testing.T) {
	whole := need.Value(os.ReadFile(filepath.Join("testdata", "ants-float-gz.h5")))(t)
	field := func(b []byte) (sum float64, err error) {
		f, err := Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return 0, err
		}
		v, err := f.Vector("TransformGroup/2/TransformParameters")
		if err != nil {
			return 0, err
		}
		n := 0.0
		err = v.Each(func(x []float64) error {
			for _, x := range x {
				n++
				sum += n * x
			}
			return nil
		})
		return sum, err
	}
	want := need.Value(field(whole))(t)
	seen := 0
	for at := 0; at < len(whole); at += 3 {
		b := slices.Clone(whole)
		b[at] ^= 1 << (at % 8)
		if got, err := field(b); err == nil && got != want {
			t.Errorf("byte %d changed: %v, want %v or an error", at, got, want)
		} else if err != nil {
			seen++
		}
	}
	if seen < 1000 { // the field alone has 17 kB
		t.Errorf("only %d changes were seen", seen)
	}
	for n := 0; n < len(whole); n += 997 {
		if _, err := field(whole[:n]); err == nil {
			t.Errorf("read from %d bytes of %d", n, len(whole))
		}
	}
}

// lookup3 of Jenkins' own test vectors (lookup3.c, driver5).
func TestLookup3(t *testing.T) {
	for text, want := range map[string]uint32{"": 0xdeadbeef, "Four score and seven years ago": 0x17770551} {
		if got := lookup3([]byte(text)); got != want {
			t.Errorf("%q: %#x, want %#x", text, got, want)
		}
	}
}

// FuzzOpen: whatever the bytes, every object is read or refused, with work bounded by the file.
func FuzzOpen(f *testing.F) {
	for _, pattern := range []string{"*.h5", "refuse/*.h5"} {
		files, _ := filepath.Glob(filepath.Join("testdata", pattern))
		for _, file := range files {
			if b, err := os.ReadFile(file); err == nil && len(b) < 25_000 {
				f.Add(b)
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) { _ = walk(t, b) })
}

// objects reads what the root group holds as arrays; their errors are as good as their numbers.
func objects(h *File) {
	root, err := h.Root()
	if err != nil {
		return
	}
	names, at, _ := root.Links() // those before the damage
	for _, name := range names[:min(len(names), 20)] {
		a, err := h.At(at[name])
		if err != nil || a.Class == Group || len(a.Dims) == 0 {
			continue
		}
		a.Attribute("MATLAB_class")
		a.Numbers(0, a.Dims[0])
		a.Numbers(a.Dims[0]/2, a.Dims[0])
		a.References()
	}
}

// walk reads all objects of a file, and returns the first error.
func walk(t testing.TB, b []byte) error {
	h, first := Open(bytes.NewReader(b), int64(len(b)))
	if first != nil {
		return first
	}
	if again, err := Open(bytes.NewReader(b), int64(len(b))); err == nil { // with a budget of its own
		objects(again)
	}
	groups := []string{""}
	for seen := 0; len(groups) > 0 && seen < 50; seen++ {
		g := groups[0]
		groups = groups[1:]
		names, err := h.Names(g)
		for _, name := range names[:min(len(names), 10)] {
			if len(groups) < 50 && name != "" && !strings.Contains(name, "/") {
				groups = append(groups, strings.TrimPrefix(g+"/"+name, "/"))
			}
		}
		if err == nil {
			continue
		}
		v, isNumbers := h.Vector(g)
		if isNumbers != nil {
			if _, isText := h.Text(g); isText != nil {
				if !strings.HasSuffix(err.Error(), "it is not a group") {
					isNumbers = err
				}
				first = cmp.Or(first, isNumbers)
			}
			continue
		}
		n := 0
		err = v.Each(func(x []float64) error { n += len(x); return nil })
		if err == nil && n != v.Len {
			t.Fatalf("%d numbers of %d", n, v.Len)
		}
		first = cmp.Or(first, err)
	}
	return first
}
