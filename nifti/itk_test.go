package nifti

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// SimpleITK takes the same points to the same places; see testdata/itk/points.py.
func TestReadITK(t *testing.T) {
	f, err := os.Open(filepath.Join("testdata", "itk", "affine.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a, err := ReadITK(f, "affine.txt")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join("testdata", "itk", "points.json"))
	if err != nil {
		t.Fatal(err)
	}
	var points [][2][3]float64
	if err := json.Unmarshal(b, &points); err != nil || len(points) != 4 {
		t.Fatal(len(points), err)
	}
	for _, p := range points {
		from, to := p[0], p[1]
		x, y, z := a.Apply(-from[0], -from[1], from[2]) // RAS
		for i, v := range [3]float64{-x, -y, z} {
			if math.Abs(v-to[i]) > 1e-12*100 {
				t.Errorf("%v goes to %v, want %v", from, [3]float64{-x, -y, z}, to)
			}
		}
	}
}

func TestReadITKRefuses(t *testing.T) {
	const head = "#Insight Transform File V1.0\n#Transform 0\nTransform: "
	good := head + "AffineTransform_double_3_3\nParameters: 1 0 0 0 1 0 0 0 1 0 0 0\nFixedParameters: 0 0 0\n"
	if a, err := ReadITK(strings.NewReader(good), "x.txt"); err != nil || a != Identity {
		t.Errorf("%v, error %v", a, err)
	}
	for _, c := range []struct{ text, want string }{
		{"", `x.txt: the transform is "", want an affine one in three dimensions`},
		{"hello\n", "x.txt: no transform in ITK's text format: its first line is not #Insight Transform File"},
		{head + "CompositeTransform_double_3_3\n", `x.txt: the transform is "CompositeTransform_double_3_3", want an affine one in three dimensions`},
		{head + "AffineTransform_double_2_2\n", `x.txt: the transform is "AffineTransform_double_2_2", want an affine one in three dimensions`},
		{strings.Replace(good, "Parameters: 1", "Parameters: one", 1), `x.txt: line 4: "one" is no number`},
		{strings.Replace(good, "Parameters: 1", "Parameters: NaN", 1), `x.txt: line 4: "NaN" is no number`},
		{strings.Replace(good, "Parameters: 1", "Parameters:", 1), "x.txt: 11 parameters and 3 fixed ones, want 12 and 3; is the file whole?"},
		{strings.Replace(good, "Parameters: 1", "Parameters: 0", 1), "x.txt: the transform cannot be inverted"},
		{good + good[strings.Index(good, "#Transform"):], "x.txt: several transforms in one file; give one affine transform"},
	} {
		_, err := ReadITK(strings.NewReader(c.text), "x.txt")
		if err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

// Labels of a head that lies 3 mm further left in its own space than in the scan's
// are found where they belong.
func TestMoved(t *testing.T) {
	l := &Labels{Grid{[3]int{4, 1, 1}, Identity, true}, []int32{1, 2, 3, 4}}
	shift := Identity
	shift[0][3] = -3 // from the scan's space to the labels' own
	m, err := l.Moved(shift)
	if err != nil {
		t.Fatal(err)
	}
	g := Grid{[3]int{8, 1, 1}, Identity, true}
	out, err := m.Onto(g)
	if err != nil || !slices.Equal(out.Voxels, []int32{0, 0, 0, 1, 2, 3, 4, 0}) {
		t.Errorf("%v, error %v", out, err)
	}
	if l.Affine != Identity {
		t.Error("the label image itself was moved")
	}
}
