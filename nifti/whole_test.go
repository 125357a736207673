package nifti

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// A file that breaks off is found by its size, plain and compressed; one that another program has padded is whole.
func TestCheckWhole(t *testing.T) {
	var packed, plain bytes.Buffer
	voxels := make([]float32, 4*4*4*9)
	for i := range voxels {
		voxels[i] = float32(i * i % 977)
	}
	affine := Affine{{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 1}}
	need.NoError(t, Encode(&packed, &Image{Shape: []int{4, 4, 4, 9}, Affine: affine, Data: voxels, TR: 2}))
	z, err := gzip.NewReader(&packed)
	if err == nil {
		_, err = plain.ReadFrom(z)
	}
	need.NoError(t, err)
	zip := func(b []byte) []byte {
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		if _, err := w.Write(b); err != nil {
			t.Fatal(err)
		}
		need.NoError(t, w.Close())
		return z.Bytes()
	}
	whole := zip(plain.Bytes())
	half := plain.Len() / 2
	two := append(zip(plain.Bytes()[:half]), zip(plain.Bytes()[half:])...) // ISIZE is that of the second member
	for _, c := range []struct {
		name string
		data []byte
		want string // in the error; "" for none
	}{
		{"a.nii", plain.Bytes(), ""}, {"a.nii.gz", whole, ""}, {"two.nii.gz", two, ""},
		{"padded.nii", append(bytes.Clone(plain.Bytes()), 0, 0), ""},
		{"half.nii", plain.Bytes()[:half], "truncated at byte"}, {"half.nii.gz", whole[:len(whole)/2],
			"truncated at byte"},
		{"short.nii.gz", zip(plain.Bytes()[:half]), "truncated at byte"}, {"empty.nii.gz", nil, "the file is empty"},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		need.NoError(t, os.WriteFile(path, c.data, 0o600))
		err := CheckWhole(path)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}
