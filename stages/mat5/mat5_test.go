package mat5

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"prgnn/internal/need"
)

func file(t testing.TB, name string) []byte {
	t.Helper()
	b := need.Value(os.ReadFile(filepath.Join("testdata", name)))(t)
	return b
}

// What testdata/make.py wrote with scipy.io.
func TestReadScipy(t *testing.T) {
	m := Matrix("m", []float64{1, 2, 3, 4, 5.5, -6}, 2, 3)
	f := m
	f.Name, f.Class = "f", "single"
	cube := make([]float64, 24)
	for i := range cube {
		cube[i] = float64(i)
	}
	want := map[string]Variable{
		"m": m, "f": f,
		"i8":    {Name: "i8", Shape: []int{2, 3}, Numbers: []float64{1, 4, 2, 5, 3, -6}, Class: "int8"},
		"u16":   {Name: "u16", Shape: []int{1, 2}, Numbers: []float64{65535, 1}, Class: "uint16"},
		"i32":   {Name: "i32", Shape: []int{2, 1}, Numbers: []float64{-7, 8}, Class: "int32"},
		"i64":   {Name: "i64", Shape: []int{1, 2}, Numbers: []float64{1 << 40, -1}, Class: "int64"},
		"cube":  Matrix("cube", cube, 2, 3, 4),
		"yes":   {Name: "yes", Shape: []int{1, 2}, Numbers: []float64{1, 0}, Class: "logical"},
		"text":  {Name: "text", Shape: []int{1, 8}, Texts: []string{"ctx-lh é"}, Class: "char"},
		"rows":  {Name: "rows", Shape: []int{2, 3}, Texts: []string{"ab", "cde"}, Class: "char"},
		"names": {Name: "names", Shape: []int{3, 1}, Texts: []string{"L.TH", "Rücken", ""}, Class: "cell"},
		"empty": {Name: "empty", Shape: []int{0, 3}, Numbers: []float64{}, Class: "double"},
		"tiny":  {Name: "tiny", Shape: []int{1, 1}, Numbers: []float64{1}, Class: "double"},
	}
	one := func(name, class string, numbers ...float64) Variable {
		return Variable{Name: name, Shape: []int{1, len(numbers)}, Numbers: numbers, Class: class}
	}
	want["record"] = Variable{Name: "record", Shape: []int{1, 1}, Class: "struct", Fields: []string{"a"},
		Cells: []Variable{one("", "double", 1)}}
	want["nested"] = Variable{Name: "nested", Shape: []int{1, 2}, Class: "cell", Cells: []Variable{
		one("", "double", 0, 1), {Shape: []int{1, 1}, Texts: []string{"x"}, Class: "char"}}}
	want["sparse"] = Variable{Name: "sparse", Shape: []int{3, 3}, Class: "sparse",
		Numbers: []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}}
	problems := map[string]string{"complex": "real(x)"}
	for _, name := range []string{"plain.mat", "compressed.mat"} {
		all := need.Value(Read(bytes.NewReader(file(t, name))))(t)
		need.Equal(t, len(all), len(want)+len(problems), name, "variables")
		for _, v := range all {
			if p, ok := problems[v.Name]; ok {
				need.Error(t, v.Problem, p, name, v.Name)
				continue
			}
			if !reflect.DeepEqual(v, want[v.Name]) {
				t.Errorf("%s: %s is\n%#v, want\n%#v", name, v.Name, v, want[v.Name])
			}
		}
	}
}

func TestReadBigEndian(t *testing.T) {
	all := need.Value(Read(bytes.NewReader(file(t, "big.mat"))))(t)
	s := Variable{Name: "s", Shape: []int{1, 3}, Numbers: []float64{1, 2, 250}, Class: "double"}
	if want := []Variable{Matrix("m", []float64{1, 2, 3, 4, 5.5, -6}, 2, 3), s}; !reflect.DeepEqual(all, want) {
		t.Errorf("read %#v", all)
	}
}

func TestReadRefuses(t *testing.T) {
	plain := file(t, "plain.mat")
	for _, c := range []struct {
		name string
		b    []byte
		want string
	}{
		{"empty", nil, "too few for a MAT-file"},
		{"version 4", append(file(t, "version4.mat"), make([]byte, 128)...), "-v7"},
		{"version 7.3", []byte("MATLAB 7.3 MAT-file"), "version 7.3: not an HDF5 file"},
		{"HDF5", []byte("\x89HDF\r\n"), "-v7"},
		{"cut", plain[:len(plain)-40], "truncated"},
		{"cut in the tag", plain[:132], "truncated"},
	} {
		if _, err := Read(bytes.NewReader(c.b)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", c.name, err, c.want)
		}
	}
}

// A file of a few bytes must not ask for gigabytes.
func TestReadClaims(t *testing.T) {
	b := append([]byte(nil), file(t, "plain.mat")[:HeaderSize]...)
	var in buffer
	in.u32(miUINT32, 8, classReal, 0)
	in.element(miINT32, binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 40000), 40000))
	in.element(miINT8, []byte("x"))
	in.element(miDOUBLE, make([]byte, 16))
	var out buffer
	out.element(miMATRIX, in.Bytes())
	if _, err := Read(bytes.NewReader(append(b, out.Bytes()...))); err == nil ||
		!strings.Contains(err.Error(), "16 bytes") {
		t.Errorf("error %v", err)
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(0, 4), 2, 4).Draw(rt, "shape")
		n := 1
		for _, d := range shape {
			n *= d
		}
		c := rapid.SliceOfN(rapid.Float64(), n, n).Draw(rt, "numbers")
		texts := rapid.SliceOfN(rapid.StringMatching(`[a-zé𝛼]{0,5}`), 1, 4).Draw(rt, "texts")
		want := []Variable{Matrix("m", c, shape...), Texts("names", texts)}
		var b bytes.Buffer
		need.NoError(rt, Write(&b, want))
		got := need.Value(Read(&b))(rt)
		if !reflect.DeepEqual(got, want) {
			rt.Fatalf("read\n%#v, want\n%#v", got, want)
		}
		if !reflect.DeepEqual(got[0].Rows(), append([]float64{}, c...)) {
			rt.Fatalf("Rows of %v: %v, want %v", shape, got[0].Rows(), c)
		}
	})
}

func TestMatrixIndices(t *testing.T) {
	c := []float64{0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112}
	v := Matrix("x", c, 2, 2, 3)
	for i := range 2 {
		for j := range 2 {
			for k := range 3 {
				need.Equal(t, v.Numbers[i+2*j+4*k], float64(100*i+10*j+k), i, j, k)
			}
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	for _, vs := range [][]Variable{{Matrix("2x", []float64{1}, 1, 1)},
		{Matrix("a", []float64{1}, 1, 1), Matrix("a", []float64{1}, 1, 1)}} {
		if err := Write(&bytes.Buffer{}, vs); err == nil {
			t.Errorf("%v was written", vs)
		}
	}
	for in, want := range map[string]string{"": "x", "1a": "x1a", "a-b.c": "a_b_c", "_x": "x_x",
		strings.Repeat("y", 70): strings.Repeat("y", 63)} {
		need.Equal(t, Name(in), want, "Name(", in)
	}
}

func written(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "x.mat")
	f := need.Value(os.Create(path))(t)
	defer f.Close()
	need.NoError(t, Write(f, []Variable{
		Matrix("cube", []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, math.Inf(1)}, 2, 2, 3),
		Texts("names", []string{"L.TH", "Rücken", ""})}))
	return path
}

func TestScipyReads(t *testing.T) {
	python := need.Python(t, "scipy")
	out, err := exec.Command(python, "-c", `
import sys, json, scipy.io
v = scipy.io.loadmat(sys.argv[1])
print(json.dumps([v["cube"].shape, v["cube"].ravel()[:11].tolist(), [str(x[0]) if len(x) else "" for x in v["names"].ravel()]]))`, written(t)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got any
	need.NoError(t, json.Unmarshal(out, &got))
	want := []any{[]any{2.0, 2.0, 3.0}, []any{0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0},
		[]any{"L.TH", "Rücken", ""}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("scipy reads %v, want %v", got, want)
	}
}

func TestOctaveReads(t *testing.T) {
	octave := need.Program(t, "octave", "octave-cli")
	back := filepath.Join(t.TempDir(), "back.mat")
	script := `load(getenv("PRGNN_IN")); assert(size(cube), [2 2 3]); assert(cube(2,1,3), 8); assert(cube(1,2,1), 3); assert(names{2}, "Rücken"); assert(isempty(names{3}));
		names{3} = "z"; save("-v7", getenv("PRGNN_OUT"), "cube", "names");`
	cmd := exec.Command(octave, "--no-gui", "--no-history", "--eval", script)
	cmd.Env = append(os.Environ(), "PRGNN_IN="+written(t), "PRGNN_OUT="+back)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b := need.Value(os.ReadFile(back))(t)
	all := need.Value(Read(bytes.NewReader(b)))(t)
	for _, v := range all {
		if v.Name == "cube" && !reflect.DeepEqual(v.Rows()[:4], []float64{0, 1, 2, 3}) {
			t.Errorf("what Octave wrote of cube is %v", v.Rows())
		}
		// Octave writes the bytes of UTF-8, a letter each.
		if v.Name == "names" && (len(v.Texts) != 3 || v.Texts[0] != "L.TH" || v.Texts[2] != "z") {
			t.Errorf("what Octave wrote of names is %q", v.Texts)
		}
	}
}

// The fixtures of CONN and others, as scipy reads them.
func TestFind(t *testing.T) {
	read := func(name string) []Variable {
		b := need.Value(os.ReadFile(filepath.Join(need.Shared(t, "fixtures/doors/mat"), name)))(t)
		return need.Value(Read(bytes.NewReader(b)))(t)
	}
	for _, c := range []struct {
		file, path string
		shape      []int
		first      float64
	}{
		{"plain/struct.mat", "out.timeseries", []int{60, 6}, 1.721292394},
		{"plain/struct_array.mat", "sub(2).ts", []int{50, 6}, 1.721292394},
		{"plain/struct_array.mat", "sub(1,2).ts", []int{50, 6}, 1.721292394},
		{"conn/ROI_Subject001_Condition001.mat", "data{4}", []int{60, 1}, 1.721292394},
		{"conn/ROI_Subject001_Condition001.mat", "data{1,5}", []int{60, 1}, 1.654352994},
		{"octave/v7.mat", "ts", []int{60, 6}, 1.721292394},
		{"plain/sparse.mat", "r", []int{6, 6}, 1},
	} {
		v := need.Value(Find(read(c.file), c.path))(t)
		if !reflect.DeepEqual(v.Shape, c.shape) || v.Numbers[0] != c.first {
			t.Errorf("%s: %s is %v, %v …, want %v, %v", c.file, c.path, v.Shape, v.Numbers[0], c.shape, c.first)
		}
	}
	names := need.Value(Find(read("plain/struct.mat"), "out.roi"))(t)
	need.Equal(t, names.Texts[5], "atlas.Brain-Stem")
	all := read("plain/struct_array.mat")
	for path, want := range map[string]string{
		"sub.ts": "there are 2 structs", "sub(3).ts": "outside [1 2]", "sub(2).t": "has no field", "su": "no variable",
		"sub{1}": "{} is for cells", "sub(1": "not closed", "sub(1)x": "is not the name", "sub(0).ts": "outside",
	} {
		_, err := Find(all, path)
		need.Error(t, err, want, path)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"plain.mat", "compressed.mat", "big.mat", "version4.mat"} {
		f.Add(file(f, name))
	}
	for _, name := range []string{"v73/struct.mat", "v73/sparse.mat", "v73/series.mat"} {
		if b, err := os.ReadFile(filepath.Join(need.Shared(f, "fixtures/doors/mat"), name)); err == nil {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := Read(bytes.NewReader(b))
		if err != nil {
			return
		}
		for _, v := range all {
			n := 1
			for _, d := range v.Shape {
				n *= d
			}
			Find(all, v.Name+"{1}")
			v.All()
			if v.Numbers != nil && len(v.Numbers) != n {
				t.Errorf("%d numbers of the shape %v", len(v.Numbers), v.Shape)
			}
		}
	})
}
