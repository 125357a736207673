package nifti

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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

// Copies finds images with the same voxels by the sums at the ends of gzip files, under any header, gzipped or not.
func TestCopies(t *testing.T) {
	dir := t.TempDir()
	stream := rand.New(rand.NewPCG(1, 2))
	random := make([]int16, 30*31*32)
	for i := range random {
		random[i] = int16(stream.IntN(9))
	}
	write := func(name string, x float64, data []int16) string {
		var b bytes.Buffer
		img := &Image{Shape: []int{30, 31, 32}, Code: 1, Data: data,
			Affine: Affine{{2, 0, 0, x}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 1}}}
		need.NoError(t, Encode(&b, img))
		out := b.Bytes()
		if !strings.HasSuffix(name, ".gz") {
			out = need.Value(io.ReadAll(need.Value(gzip.NewReader(&b))(t)))(t)
		}
		path := filepath.Join(dir, name)
		need.NoError(t, os.WriteFile(path, out, 0o666))
		return path
	}
	other := slices.Clone(random)
	other[len(other)-1]++
	paths := []string{write("a.nii.gz", 0, random), write("b.nii.gz", 0, other), write("c.nii", 1, random),
		write("d.nii.gz", -3, random), write("e.nii", 5, other), filepath.Join(dir, "missing.nii")}
	need.Equal(t, fmt.Sprint(Copies(paths)), "[[0 2 3] [1 4]]")
}
