package nifti

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"prgnn/internal/need"
)

// golden opens a file of the golden set; see testdata/nilearn/README.md.
func golden(t testing.TB, name string) *Reader {
	t.Helper()
	r := need.Value(Open(filepath.Join("testdata", "nilearn", name)))(t)
	t.Cleanup(func() { r.Close() })
	return r
}

func goldenLabels(t testing.TB, name string) *Labels {
	t.Helper()
	l := need.Value(ReadLabels(golden(t, name)))(t)
	return l
}

// nilearn's own voxels: label 54 vanishes, 58 keeps one.
func TestOntoGolden(t *testing.T) {
	labels := goldenLabels(t, "labels_2mm.nii.gz")
	want := goldenLabels(t, "labels_resampled_expected.nii.gz")
	got := need.Value(labels.Onto(golden(t, "bold.nii.gz").Header.Grid()))(t)
	if !slices.Equal(got.Voxels, want.Voxels) {
		t.Error("voxels differ")
	}
	if n := got.Counts(); n[54] != 0 || n[58] != 1 || labels.Counts()[54] != 1 {
		t.Errorf("label 54 has %d voxels, 58 has %d, want 0 and 1", n[54], n[58])
	}
}

func TestOntoNilearn(t *testing.T) {
	var cases []struct {
		Name        string
		LabelAffine Affine `json:"label_affine"`
		LabelShape  [3]int `json:"label_shape"`
		GridAffine  Affine `json:"grid_affine"`
		GridShape   [3]int `json:"grid_shape"`
		Nonzero     int
		SHA256      string
	}
	b := need.Value(os.ReadFile(filepath.Join("testdata", "nilearn", "resample.json")))(t)
	need.NoError(t, json.Unmarshal(b, &cases))
	for _, c := range cases {
		l := &Labels{Grid: Grid{c.LabelShape, c.LabelAffine, true}}
		l.Voxels = make([]int32, l.Grid.Voxels())
		for at := range l.Voxels {
			if v := l.coords(at); (v[0]+v[1]+v[2])%5 != 0 {
				l.Voxels[at] = int32(1 + (7*v[0]+13*v[1]+29*v[2])%251)
			}
		}
		out, err := l.Onto(Grid{c.GridShape, c.GridAffine, true})
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		bytes := make([]byte, 0, 4*len(out.Voxels))
		nonzero := 0
		for _, v := range out.Voxels {
			bytes = binary.LittleEndian.AppendUint32(bytes, uint32(v))
			if v != 0 {
				nonzero++
			}
		}
		sum := sha256.Sum256(bytes)
		if hex.EncodeToString(sum[:]) != c.SHA256 {
			t.Errorf("%s: %d voxels with a label, want %d; digest %x", c.Name, nonzero, c.Nonzero, sum)
		}
	}
}

// numpy's allclose decides: 1e-5 of the value, and 1e-8.
func TestGridSame(t *testing.T) {
	g := Grid{[3]int{4, 5, 6}, Affine{{2, 0, 0, -90}, {0, 2, 0, -126}, {0, 0, 2, -72}, {0, 0, 0, 1}}, true}
	for _, c := range []struct {
		row, col int
		by       float64
		want     bool
	}{{0, 0, 0, true}, {0, 0, 1.9e-5, true}, {0, 0, 2.1e-5, false}, {0, 3, 8.9e-4, true}, {0, 3, 9.1e-4, false},
		{1, 0, 0.9e-8, true}, {1, 0, 1.1e-8, false}} {
		h := g
		h.Affine[c.row][c.col] += c.by
		if h.Same(g) != c.want {
			t.Errorf("%v at %d, %d: same is %v", c.by, c.row, c.col, !c.want)
		}
	}
	h := g
	h.Shape[2]++
	if h.Same(g) {
		t.Error("another shape is the same grid")
	}
}

// A voxel of a label counts when its middle is inside of the grid's voxels, whose
// first begins half a voxel before its middle.
func TestWithin(t *testing.T) {
	l := &Labels{Grid{[3]int{9, 1, 1}, Identity, true}, []int32{1, 1, 1, 2, 2, 2, 2, 2, 2}}
	g := Grid{[3]int{2, 1, 1}, Identity, true}
	g.Affine[0][0], g.Affine[0][3] = 2, 1 // from x = 0 to x = 4, the end not included
	if n := l.Within(g); n[1] != 3 || n[2] != 1 {
		t.Errorf("%v, want 3 of label 1 and 1 of label 2", n)
	}
	if n := l.Within(l.Grid); n[1] != 3 || n[2] != 6 {
		t.Errorf("%v on its own grid", n)
	}
}

// Labels of a head that lies 3 mm further left in its own space than in the scan's
// are found where they belong.
func TestMoved(t *testing.T) {
	l := &Labels{Grid{[3]int{4, 1, 1}, Identity, true}, []int32{1, 2, 3, 4}}
	shift := Identity
	shift[0][3] = -3 // from the scan's space to the labels' own
	m, err := l.Moved(shift)
	need.NoError(t, err)
	g := Grid{[3]int{8, 1, 1}, Identity, true}
	out, err := m.Onto(g)
	if err != nil || !slices.Equal(out.Voxels, []int32{0, 0, 0, 1, 2, 3, 4, 0}) {
		t.Errorf("%v, error %v", out, err)
	}
	if l.Affine != Identity {
		t.Error("the label image itself was moved")
	}
}

// A NaN is the background, and labels that nibabel stored as scaled integers are read as they were: 1 to 2035 in int16
// with the slope and intercept that its writer chooses (nibabel 5.3.2, ArrayWriter), and 0 to 3 in uint8.
func TestLabelsAsTheyWereMeant(t *testing.T) {
	nan, _ := nanInf()
	slope := float64(float32(2035.0 / 65535))
	inter := float64(float32(2035.0 / 65535 * 32768))
	stored := func(labels ...float64) (all []float64) {
		for _, l := range labels {
			all = append(all, math.RoundToEven((l-inter)/slope))
		}
		return all
	}
	for name, c := range map[string]struct {
		dtype        DataType
		slope, inter float64
		values       []float64
		want         []int32
	}{
		"NaN":                 {Float32, 1, 0, []float64{nan, 3, 0}, []int32{0, 3, 0}},
		"scaled":              {Int16, slope, inter, stored(0, 1, 17, 1035, 2035), []int32{0, 1, 17, 1035, 2035}},
		"scaled to 255 steps": {Uint8, 3.0 / 255, 0, []float64{0, 85, 170, 255}, []int32{0, 1, 2, 3}},
	} {
		s := scan{c.dtype, false, c.slope, c.inter, [4]int{len(c.values), 1, 1, 1}, c.values}
		r := need.Value(NewReader(bytes.NewReader(s.file()), "x.nii"))(t)
		l, err := ReadLabels(r)
		if err != nil || !slices.Equal(l.Voxels, c.want) {
			t.Errorf("%s: %v, want %v, error %v", name, l, c.want, err)
		}
	}
}
