package nifti

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// golden opens a file of the golden set; see testdata/nilearn/README.md.
func golden(t testing.TB, name string) *Reader {
	t.Helper()
	r, err := Open(filepath.Join("testdata", "nilearn", name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func goldenLabels(t testing.TB, name string) *Labels {
	t.Helper()
	l, err := ReadLabels(golden(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// nilearn's own voxels: label 54 vanishes, 58 keeps one.
func TestOntoGolden(t *testing.T) {
	labels := goldenLabels(t, "labels_2mm.nii.gz")
	want := goldenLabels(t, "labels_resampled_expected.nii.gz")
	got, err := labels.Onto(golden(t, "bold.nii.gz").Header.Grid())
	if err != nil {
		t.Fatal(err)
	}
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
	b, err := os.ReadFile(filepath.Join("testdata", "nilearn", "resample.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
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
