package nifti

import (
	"bytes"
	"encoding/hex"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// encode∘decode is the identity, for every type of data and many affines.
func TestEncode(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for n, data := range []any{make([]uint8, 120), make([]int16, 120), make([]int32, 120), make([]float32, 120)} {
		want := make([]float64, 120)
		for i := range want {
			switch d := data.(type) {
			case []uint8:
				d[i] = uint8(r.Uint32())
				want[i] = float64(d[i])
			case []int16:
				d[i] = int16(r.Uint32())
				want[i] = float64(d[i])
			case []int32:
				d[i] = int32(r.Uint32())
				want[i] = float64(d[i])
			case []float32:
				d[i] = float32(r.NormFloat64())
				want[i] = float64(d[i])
			}
		}
		for _, shape := range [][]int{{4, 5, 6}, {4, 5, 2, 3}, {120, 1, 1}, {1, 2, 3, 4, 5}} {
			img := &Image{Shape: shape, Affine: turned(r), Code: n, TR: 0.72 * float64(len(shape)-3), Data: data,
				Descrip: "a test", Intent: 1002}
			var b bytes.Buffer
			need.NoError(t, Encode(&b, img))
			var again bytes.Buffer
			if err := Encode(&again, img); err != nil || !bytes.Equal(again.Bytes(), b.Bytes()) {
				t.Fatalf("encoded twice: other bytes, error %v", err)
			}
			rd := need.Value(NewReader(&b, "x.nii.gz"))(t)
			h := rd.Header
			var got []float64
			volume := make([]float64, h.Grid().Voxels())
			for {
				if err := rd.Next(volume); err == io.EOF {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				got = append(got, volume...)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%T, shape %v: voxels changed", data, shape)
			}
			code := int64(max(n, 1))
			if n == 0 {
				code = 2
			}
			if h.SformCode != code || h.QformCode != code || h.IntentCode != 1002 ||
				cString(h.Descrip[:]) != "a test" || len(h.Check()) > 0 {
				t.Errorf("header %+v, problems %v", h, h.Check())
			}
			if tr := h.TR(); len(shape) == 4 && tr != 0.72 || len(shape) == 3 && tr != 0 {
				t.Errorf("shape %v: TR %v", shape, tr)
			}
			q := need.Value(h.qform())(t)
			for i := range 3 {
				for j := range 4 {
					a := img.Affine[i][j]
					if math.Abs(h.Affine()[i][j]-a) > 1e-5 || math.Abs(q[i][j]-a) > 1e-4 {
						t.Errorf("affine %v became %v and %v", img.Affine, h.Affine(), q)
					}
				}
			}
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	good := func() *Image {
		return &Image{Shape: []int{2, 3, 4}, Affine: Identity, Data: make([]int16, 24)}
	}
	nan, _ := nanInf()
	for _, c := range []struct {
		change func(*Image)
		want   string
	}{
		{func(i *Image) { i.Shape = []int{24, 1} }, "shape [24 1] has 2 axes, want 3 to 7"},
		{func(i *Image) { i.Shape[0] = 0 }, "axis 1 has 0 voxels, want 1 to 32767\n24 values for shape [0 3 4], want 0"},
		{func(i *Image) { i.Shape = []int{40000, 1, 1}; i.Data = make([]int16, 40000) }, "axis 1 has 40000 voxels, want 1 to 32767\n40000 values for shape [40000 1 1], want 0"},
		{func(i *Image) { i.Shape[1] = 4 }, "24 values for shape [2 4 4], want 32"},
		{func(i *Image) { i.Data = make([]float64, 24) }, "data must be []uint8, []int16, []int32 or []float32\n0 values for shape [2 3 4], want 24"},
		{func(i *Image) { i.Descrip = strings.Repeat("x", 80) }, "description of 80 bytes, want at most 79"},
		{func(i *Image) { i.TR = nan }, "repetition time NaN s"},
		{func(i *Image) { i.Affine = Affine{} }, "affine [[0 0 0 0] [0 0 0 0] [0 0 0 0] [0 0 0 0]] cannot be inverted"},
	} {
		img := good()
		c.change(img)
		err := Encode(io.Discard, img)
		if err == nil || err.Error() != "nifti image to be written: "+c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
	need.NoError(t, Encode(io.Discard, good()))
}

// The bytes of an encoded image, so that a change of them is seen: it makes every
// stored image another one.
func TestEncodeBytes(t *testing.T) {
	img := &Image{Shape: []int{3, 2, 2}, Affine: Identity, Data: []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
		-11.5}, Descrip: "map"}
	var b bytes.Buffer
	need.NoError(t, Encode(&b, img))
	if b.Bytes()[3] != 0 || !bytes.Equal(b.Bytes()[4:8], []byte{0, 0, 0, 0}) {
		t.Error("the gzip header has a name or a time")
	}
	rd := need.Value(NewReader(bytes.NewReader(b.Bytes()), "x"))(t)
	if h := rd.Header; h.CalMin != -11.5 || h.CalMax != 10 {
		t.Errorf("range %v to %v", h.CalMin, h.CalMax)
	}
	const want = "1f8b08000000000000ffb4cfb10d822110c5f13fc7028c406f6547e75d5cc3c60134c60918c5111c41367114e3418c1a6368be1f21ef41aeb95d60c299484410c2389f12d96bddfcbfd76d4f27900d4af3d79bc3fee4b934417af9e9b9c3b7d93f38aed6af3e661454a12a5c146e0a77050c92413628ed310008dc846e90010000"
	need.Equal(t, hex.EncodeToString(b.Bytes()), want, "bytes")
}

// Programs of others read what we write, where they are installed.
func TestOthersRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.nii.gz")
	data := make([]int16, 4*5*6*7)
	for i := range data {
		data[i] = int16(i)
	}
	a := Affine{{-2, 0, 0, 90}, {0, 2.5, 0, -126}, {0, 0, 3, -72}, {0, 0, 0, 1}}
	var b bytes.Buffer
	need.NoError(t, Encode(&b, &Image{Shape: []int{4, 5, 6, 7}, Affine: a, Code: 1, TR: 2, Data: data}))
	need.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
	for _, c := range []struct {
		name    string
		program func(t *testing.T) string
		args    []string
		want    []string
	}{
		{"mrinfo", func(t *testing.T) string { return need.Program(t, "mrtrix3", "mrinfo") }, []string{path},
			[]string{"4 x 5 x 6 x 7", "2 x 2.5 x 3 x 2", "signed 16 bit integer"}},
		{"wb_command", func(t *testing.T) string { return need.Program(t, "connectome-workbench", "wb_command") },
			[]string{"-file-information", path}, []string{"Dimensions", "4, 5, 6, 7"}},
		{"nibabel", func(t *testing.T) string { return need.Python(t, "nibabel") }, []string{"-c", `import nibabel, sys
i = nibabel.load(sys.argv[1])
print(i.shape, i.get_data_dtype(), i.affine.tolist(), i.get_qform().tolist(), float(i.header["pixdim"][4]), float(i.get_fdata().sum()))`, path},
			[]string{"(4, 5, 6, 7) int16 [[-2.0, 0.0, 0.0, 90.0], [0.0, 2.5, 0.0, -126.0], [0.0, 0.0, 3.0, -72.0], [0.0, 0.0, 0.0, 1.0]] [[-2.0, 0.0, 0.0, 90.0], [0.0, 2.5, 0.0, -126.0], [0.0, 0.0, 3.0, -72.0], [0.0, 0.0, 0.0, 1.0]] 2.0 352380.0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := exec.Command(c.program(t), c.args...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			for _, w := range c.want {
				if !strings.Contains(string(out), w) {
					t.Errorf("%q is missing from\n%s", w, out)
				}
			}
		})
	}
}
