package encoding

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sbinet/npyio/npy"
	"pgregory.net/rapid"

	"prgnn/internal/need"
)

// The canonical header, byte by byte: what numpy 2.4 writes for the same array.
func TestArrayBytes(t *testing.T) {
	got := Encoded(t, NewArray([]float64{1, math.Copysign(math.NaN(), -1)}, 1, 2))
	want := "\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }" +
		strings.Repeat(" ", 118-59-1) + "\n" +
		"\x00\x00\x00\x00\x00\x00\xf0\x3f" + "\x00\x00\x00\x00\x00\x00\xf8\x7f"
	if string(got) != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Complex numbers are those of numpy, in every order, and numpy's files are ours.
func TestComplex(t *testing.T) {
	for _, name := range []string{"le-c16", "le-c8", "be-c16", "be-c8"} {
		for _, order := range []string{"", "-fortran"} {
			a := need.Value(readFixture(name + order))(t)
			file := need.Value(os.ReadFile("testdata/npy/" + name + order + ".npy"))(t)
			own := need.Value(DecodeArray(bytes.Clone(file)))(t)
			need.Equal(t, a.DType(), "<"+name[3:], name+order)
			for i, x := range a.Parts() {
				need.Equal(t, x, float64(i/2)*[]float64{1, -2}[i%2], name+order, i)
				need.Equal(t, own.Parts()[i], x, name+order, i)
			}
			if name[0] == 'l' && order == "" && !bytes.Equal(Encoded(t, a), file) {
				t.Errorf("%s: written again, the file differs from numpy's", name)
			}
		}
	}
	_, _, err := ReadFloats(need.Value(os.Open("testdata/npy/complex.npy"))(t), 1)
	need.Error(t, err, `element type "<c16": the numbers are complex`)
	head := "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 2), }\n"
	mask := "\x93NUMPY\x01\x00" + string([]byte{byte(len(head)), 0}) + head + "\x00\x01\x01\x00"
	_, _, err = ReadFloats(strings.NewReader(mask), 1)
	need.Error(t, err, `element type "|b1": the values are truth values, as of a mask: save numbers`)
	nan := complex(math.Copysign(math.NaN(), -1), math.NaN())
	a, b := Encoded(t, NewArray([]complex128{nan}, 1)), Encoded(t, NewArray([]complex128{-nan}, 1))
	if !bytes.Equal(a, b) {
		t.Error("two NaN have different bytes")
	}
	both := need.Value(Stack([]*Array{NewArray([]complex64{1i}, 1), NewArray([]complex64{2}, 1)}))(t)
	need.Equal(t, need.Value(Data[complex64](both))(t)[1], 2)
}

// What numpy wrote of 0 … 23 in every type and order reads as 0 … 23; and where
// numpy's file is of a type that we write, ours is the same file.
func TestReadNumpy(t *testing.T) {
	widened := map[string]string{"f2": "<f4", "i1": "<i2", "u8": "<i8", "u4": "<i8", "u2": "<i4",
		"u1": "|u1", "bool": "|u1"}
	paths, err := filepath.Glob("testdata/npy/*.npy")
	if err != nil || len(paths) == 0 {
		t.Fatal("no fixtures", err)
	}
	read := 0
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".npy")
		kind, fortran := strings.CutSuffix(name, "-fortran")
		_, typ, ordered := strings.Cut(kind, "-")
		if !ordered {
			typ = kind
		}
		if strings.HasPrefix(name, "version-") {
			typ = "f8"
		}
		dtype := widened[typ]
		if dtype == "" && slices.Contains([]string{"f8", "f4", "i8", "i4", "i2"}, typ) {
			dtype = "<" + typ
		}
		if dtype == "" {
			continue
		}
		read++
		file, err := os.ReadFile(path)
		need.NoError(t, err)
		a, err := ReadArray(bytes.NewReader(file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if a.DType() != dtype || !slices.Equal(a.Shape, []int{2, 3, 4}) {
			t.Errorf("%s: %s %v, want %s [2 3 4]", name, a.DType(), a.Shape, dtype)
		}
		for i, x := range a.Float64s() {
			want := float64(i)
			if typ == "bool" {
				want = float64(i % 2)
			}
			if x != want {
				t.Errorf("%s: element %d is %v, want %v", name, i, x, want)
				break
			}
		}
		if kind == "le-"+strings.Trim(dtype, "<|") && !fortran && !bytes.Equal(Encoded(t, a), file) {
			t.Errorf("%s: written again, the file differs from numpy's", name)
		}
	}
	if read != 45 {
		t.Errorf("%d files were read, want 45", read)
	}
}

func TestReadNumpySpecial(t *testing.T) {
	for name, want := range map[string]*Array{
		"scalar": {Shape: []int{}, data: []float64{7.5}},
		"empty":  {Shape: []int{0, 3}, data: []float64{}},
	} {
		a, err := readFixture(name)
		if err != nil || !reflect.DeepEqual(a, want) {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
	half := need.Value(readFixture("half"))(t)
	// 6e-8 is 2⁻²⁴, 6.1e-5 is 1023·2⁻²⁴ in float16.
	want := []float64{0, math.Copysign(0, -1), 1.5, -65504, 0x1p-24, 1023 * 0x1p-24, math.Inf(1),
		math.Inf(-1), math.NaN()}
	for i, x := range half.Float64s() {
		if math.Float64bits(x) != math.Float64bits(want[i]) && (x == x || want[i] == want[i]) {
			t.Errorf("float16 element %d: %v, want %v", i, x, want[i])
		}
	}
	for name, message := range map[string]string{
		"huge-unsigned": "larger than an int64",
		"longdouble":    `element type "<c32"`,
		"text":          `element type "<U2"`,
		"record":        "structured arrays cannot be read",
		"object":        `element type "|O"`,
	} {
		if _, err := readFixture(name); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v, want %q", name, err, message)
		}
	}
}

func readFixture(name string) (*Array, error) {
	f, err := os.Open("testdata/npy/" + name + ".npy")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadArray(f)
}

func TestReadArrayRefuses(t *testing.T) {
	file := func(header string) string {
		return npyMagic + string([]byte{1, 0, byte(len(header)), byte(len(header) >> 8)}) + header
	}
	for _, c := range []struct{ name, file, message string }{
		{"nothing", "", "shorter than a header"},
		{"other file", "PNG and more", "not an npy file"},
		{"version", npyMagic + "\x04\x00\x00\x00\x00\x00", "version 4.0"},
		{"long header", npyMagic + "\x02\x00\xff\xff\xff\xff", "a header of 4294967295 bytes"},
		{"short header", npyMagic + "\x01\x00\x76\x00{'descr'", "ends before its 118 bytes"},
		{"no dictionary", file("[1, 2]"), "is not a dictionary"},
		{"no shape", file("{'descr': '<f8', 'fortran_order': False, }"), `the entry "shape" is missing`},
		{"twice", file("{'descr': '<f8', 'descr': '<f8'}"), `two entries "descr"`},
		{"unknown entry", file("{'descr': '<f8', 'order': 1}"), `unknown entry "order"`},
		{"order", file("{'fortran_order': Maybe}"), "neither True nor False"},
		{"negative", file("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }"), `shape: "-1" is not a length: a shape is such as (90, 84)`},
		{"no comma", file("{'descr': '<f8', 'fortran_order': False, 'shape': (3 4), }"), `"4" instead of a comma or bracket`},
		{"overflow", file("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }"), "too many elements"},
		{"too large", file("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }"), "is too large"},
		{"many axes", file("{'descr': '<f8', 'fortran_order': False, 'shape': (" + strings.Repeat("1,", 65) + "), }"), "more than 64 axes"},
		{"no data", file("{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776,), }"), "needs 8796093022208 bytes"},
		{"no byte order", file("{'descr': '=f8', 'fortran_order': False, 'shape': (1,), }"), "does not state its byte order"},
		{"trailing text", file("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), } + 1"), "follows the dictionary"},
		{"trailing data", file("{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }") + "ab", "extra bytes follow"},
		{"bool of 2", file("{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }") + "\x02", "truth value of 2"},
	} {
		for kind, r := range map[string]io.Reader{"sized": strings.NewReader(c.file),
			"stream": io.MultiReader(strings.NewReader(c.file))} {
			_, err := ReadArray(r)
			message := c.message
			if c.name == "no data" && kind == "stream" {
				message = "ends after 0 of 8796093022208 bytes"
			}
			need.Error(t, err, message, c.name, kind)
		}
	}
}

// An array of any type and shape reads back as itself, also through a reader that
// does not tell its length, and npyio reads the same from it.
func TestArrayRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		a := drawArray(r)
		file := Encoded(t, a)
		if at := len(file) - a.Len()*int(a.DType()[2]-'0'); at%64 != 0 {
			r.Fatalf("the data begin at %d", at)
		}
		for _, in := range []io.Reader{bytes.NewReader(file), io.MultiReader(bytes.NewReader(file))} {
			got := need.Value(ReadArray(in))(r)
			if !bytes.Equal(Encoded(t, got), file) || !slices.Equal(got.Shape, a.Shape) {
				r.Fatalf("%s %v came back as %s %v", a.DType(), a.Shape, got.DType(), got.Shape)
			}
		}
		if got := need.Value(DecodeArray(slices.Clone(file)))(r); !bytes.Equal(Encoded(t, got), file) {
			r.Fatalf("%s %v is read from memory as %s %v", a.DType(), a.Shape, got.DType(), got.Shape)
		}
		if d, ok := a.data.([]float64); ok && len(d) > 0 {
			var got []float64
			need.NoError(r, npy.Read(bytes.NewReader(file), &got))
			for i := range d {
				if got[i] != d[i] && (got[i] == got[i] || d[i] == d[i]) {
					r.Fatalf("npyio reads %v where %v was written", got[i], d[i])
				}
			}
		}
		cut := rapid.IntRange(0, len(file)-1).Draw(r, "cut")
		if _, err := ReadArray(bytes.NewReader(file[:cut])); err == nil {
			r.Fatalf("a file cut to %d of %d bytes is read", cut, len(file))
		}
	})
}

func drawArray(r *rapid.T) *Array {
	shape := rapid.SliceOfN(rapid.IntRange(0, 5), 0, 4).Draw(r, "shape")
	n, _ := elements(shape)
	switch rapid.IntRange(0, 5).Draw(r, "type") {
	case 0:
		return NewArray(rapid.SliceOfN(rapid.Float64(), n, n).Draw(r, "data"), shape...)
	case 1:
		return NewArray(rapid.SliceOfN(rapid.Float32(), n, n).Draw(r, "data"), shape...)
	case 2:
		return NewArray(rapid.SliceOfN(rapid.Int64(), n, n).Draw(r, "data"), shape...)
	case 3:
		return NewArray(rapid.SliceOfN(rapid.Int32(), n, n).Draw(r, "data"), shape...)
	case 4:
		return NewArray(rapid.SliceOfN(rapid.Int16(), n, n).Draw(r, "data"), shape...)
	}
	return NewArray(rapid.SliceOfN(rapid.Byte(), n, n).Draw(r, "data"), shape...)
}

func TestArrayAccess(t *testing.T) {
	a := NewArray([]int16{1, -2, 3}, 3)
	if d, err := Data[int16](a); err != nil || d[1] != -2 {
		t.Error(d, err)
	}
	if _, err := Data[float64](a); err == nil || err.Error() != "the array holds <i2, not <f8" {
		t.Error(err)
	}
	if !slices.Equal(a.Float64s(), []float64{1, -2, 3}) || a.Len() != 3 {
		t.Error(a.Float64s(), a.Len())
	}
	defer func() {
		if p := recover(); p != "encoding: an array of shape [2 2] does not hold 3 elements" {
			t.Error(p)
		}
	}()
	NewArray([]float64{1, 2, 3}, 2, 2)
}

func TestStack(t *testing.T) {
	got, err := Stack([]*Array{NewArray([]float32{1, 2}, 2), NewArray([]float32{3, 4}, 2),
		NewArray([]float32{5, 6}, 2)})
	if want := NewArray([]float32{1, 2, 3, 4, 5, 6}, 3, 2); err != nil || !reflect.DeepEqual(got, want) {
		t.Error(got, err)
	}
	_, err = Stack([]*Array{NewArray([]float32{1}, 1), NewArray([]float64{1}, 1)})
	if err == nil || err.Error() != "stack: array 1 is <f8 [1], but array 0 is <f4 [1]" {
		t.Error(err)
	}
	if _, err = Stack(nil); err == nil {
		t.Error("nothing was stacked")
	}
}

// An array is written with the element type of its file as numpy writes it; so is a stack of arrays of one type.
func TestEncodeStored(t *testing.T) {
	for _, name := range []string{"bool", "half", "le-f2", "i1", "le-u2", "le-u4", "le-u8", "u1", "le-f8", "le-i2"} {
		file := need.Value(os.ReadFile("testdata/npy/" + name + ".npy"))(t)
		a := need.Value(ReadArray(bytes.NewReader(file)))(t)
		var b bytes.Buffer
		need.NoError(t, a.EncodeStored(&b))
		if !bytes.Equal(b.Bytes(), file) {
			t.Errorf("%s: other bytes: %q", name, b.Bytes()[:128])
		}
		need.Equal(t, need.Value(Stack([]*Array{a, a}))(t).FileDType(), a.FileDType(), name)
		wide := need.Value(ReadArray(bytes.NewReader(Encoded(t, a))))(t)
		mixed := need.Value(Stack([]*Array{a, wide}))(t)
		need.Equal(t, mixed.FileDType(), a.DType(), name)
	}
	big := need.Value(ReadArray(bytes.NewReader(need.Value(os.ReadFile("testdata/npy/be-u4-fortran.npy"))(t))))(t)
	need.Equal(t, big.FileDType(), "<u4")
}

// TestShapeFits: an array whose shape does not fit its elements is not written, in no format.
func TestShapeFits(t *testing.T) {
	for _, shape := range [][]int{{2, 1}, {4, 1}, {-3, -1}, {3, 0}, nil, {math.MaxInt, 2}} {
		a := NewArray([]float64{1, 2, 3}, 3, 1)
		a.Shape = shape
		for name, write := range map[string]func(io.Writer) error{
			"npy": a.Encode, "stored": a.EncodeStored,
			"arrow": func(w io.Writer) error { return a.WriteArrow(w, "a", nil, nil) },
		} {
			var b bytes.Buffer
			if err := write(&b); err == nil || b.Len() > 0 {
				t.Errorf("%s: an array of 3 elements and the shape %v has %d bytes: %v", name, shape, b.Len(), err)
			}
		}
	}
	for _, a := range []*Array{nil, {}, {Shape: []int{0}}} {
		need.Error(t, a.Encode(io.Discard), "NewArray")
		_, err := ArrayOf(a)
		need.Error(t, err, "NewArray")
	}
	need.Error(t, (*Table)(nil).Encode(io.Discard), "NewTable")
}
