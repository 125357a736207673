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

// storedCopies finds images with the same voxels by the sums at the ends of gzip files, under any header, gzipped or
// not.
func TestStoredCopies(t *testing.T) {
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
	need.Equal(t, fmt.Sprint(storedCopies(paths)), "[[0 2 3] [1 4]]")
}

// Labels of one image are found again in another type, order and direction of axes, on a larger field and under another
// affine; one label more, the same ball elsewhere in array and world, and images of one value are no copies.
func TestLabelCopies(t *testing.T) {
	dir := t.TempDir()
	affine := Affine{{2, 0, 0, -9}, {0, 2, 0, -7}, {0, 0, 3, 4}, {0, 0, 0, 1}}
	labels := func(change func(x, y, z int) int16) []int16 {
		v := make([]int16, 7*8*9)
		for i := range v {
			v[i] = change(i%7, i/7%8, i/56)
		}
		return v
	}
	of := func(x, y, z int) int16 { // in the inner voxels
		if min(x, 6-x, y, 7-y, z, 8-z) == 0 {
			return 0
		}
		return int16((3*x + 5*y*y + 7*z*x) % 11)
	}
	own := func(x, y, z int) int16 {
		if x == 3 && y == 4 && z == 5 {
			return of(x, y, z) + 1
		}
		return of(x, y, z)
	}
	ball := func(at int) func(x, y, z int) int16 {
		return func(x, y, z int) int16 {
			if x >= at && x < at+2 && y == 3 && z == 3 {
				return 1
			}
			return 0
		}
	}
	var paths []string
	write := func(img *Image) {
		var b bytes.Buffer
		img.Code = 1
		need.NoError(t, Encode(&b, img))
		paths = append(paths, filepath.Join(dir, fmt.Sprint(len(paths), ".nii.gz")))
		need.NoError(t, os.WriteFile(paths[len(paths)-1], b.Bytes(), 0o666))
	}
	shape := []int{7, 8, 9}
	write(&Image{Shape: shape, Affine: affine, Data: labels(of)})
	write(&Image{Shape: shape, Affine: affine, Data: labels(own)})
	floats := make([]float32, 7*8*9)
	for i, v := range labels(of) {
		floats[i] = float32(v)
	}
	moved := affine
	moved[0][3], moved[1][3] = 20, 30
	write(&Image{Shape: shape, Affine: moved, Data: floats})
	// z, y and x backward: (i, j, k) is the voxel (6 − k, j, i)
	swapped := make([]int16, 7*8*9)
	for i := range swapped {
		swapped[i] = of(6-i/72, i/9%8, i%9)
	}
	write(&Image{Shape: []int{9, 8, 7}, Data: swapped,
		Affine: Affine{{0, 0, -2, -9 + 12}, {0, 2, 0, -7}, {3, 0, 0, 4}, {0, 0, 0, 1}}})
	// two voxels more before each axis
	larger := make([]int16, 9*10*11)
	for i := range larger {
		if x, y, z := i%9-2, i/9%10-2, i/90-2; min(x, y, z) >= 0 {
			larger[i] = of(x, y, z)
		}
	}
	write(&Image{Shape: []int{9, 10, 11}, Data: larger,
		Affine: Affine{{2, 0, 0, -13}, {0, 2, 0, -11}, {0, 0, 3, -2}, {0, 0, 0, 1}}})
	write(&Image{Shape: shape, Affine: affine, Data: labels(ball(1))})
	write(&Image{Shape: shape, Affine: affine, Data: labels(ball(3))})
	one := slices.Repeat([]int16{1}, 7*8*9)
	write(&Image{Shape: shape, Affine: affine, Data: one})
	write(&Image{Shape: shape, Affine: affine, Data: slices.Repeat([]int32{1}, 7*8*9)})
	paths = append(paths, filepath.Join(dir, "missing.nii"))
	need.Equal(t, fmt.Sprint(LabelCopies(paths)), "[[0 2 3 4]]")
}

// A label image of another participant in which few voxels were edited, also beside all others and under a moved
// affine, is a copy; one that differs in more than a thousandth of its voxels, and one on another grid, are none.
func TestEditedLabelCopies(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	write := func(far float64, n int, edit func(v []int16)) {
		v := make([]int16, n*n*n)
		for i := range v {
			if x, y, z := i%n-20, i/n%n-20, i/n/n-20; x*x+y*y+z*z < 200 { // 11,513 voxels
				v[i] = int16(1 + (x+20)/7 + 3*((y+20)/9))
			}
		}
		edit(v)
		var b bytes.Buffer
		need.NoError(t, Encode(&b, &Image{Shape: []int{n, n, n}, Code: 1, Data: v,
			Affine: Affine{{2, 0, 0, far}, {0, 2, 0, -7}, {0, 0, 3, 4}, {0, 0, 0, 1}}}))
		paths = append(paths, filepath.Join(dir, fmt.Sprint(len(paths), ".nii.gz")))
		need.NoError(t, os.WriteFile(paths[len(paths)-1], b.Bytes(), 0o666))
	}
	center := 20 + 40*20 + 1600*20
	write(0, 40, func([]int16) {})
	write(0.3, 40, func(v []int16) { v[center]++ })
	write(0, 40, func(v []int16) { v[0] = 9 })
	few := func(n int) func(v []int16) {
		return func(v []int16) {
			for i := range n {
				v[center-8+i%16+40*(i/16)]++
			}
		}
	}
	write(0, 40, few(40)) // a three-hundredth: none
	write(0, 40, few(5))
	write(0, 41, func(v []int16) { v[20+41*20+1681*20]++ })
	need.Equal(t, fmt.Sprint(LabelCopies(paths)), "[[0 1 2 4]]")
}
