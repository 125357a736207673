package itk

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/nifti"
)

// SimpleITK takes the same points to the same places; see testdata/itk/points.py.
func TestText(t *testing.T) {
	f := need.Value(os.Open(filepath.Join("testdata", "affine.txt")))(t)
	defer f.Close()
	tr := need.Value(Read(f, 1<<16))(t)
	a, ok := tr.Linear()
	if !ok {
		t.Fatal("a text has no field")
	}
	b := need.Value(os.ReadFile(filepath.Join("testdata", "points.json")))(t)
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

func TestTextRefuses(t *testing.T) {
	const head = "#Insight Transform File V1.0\n#Transform 0\nTransform: "
	good := head + "AffineTransform_double_3_3\nParameters: 1 0 0 0 1 0 0 0 1 0 0 0\nFixedParameters: 0 0 0\n"
	if a, err := readText(strings.NewReader(good)); err != nil || nifti.Affine(a) != nifti.Identity {
		t.Errorf("%v, error %v", a, err)
	}
	for _, c := range []struct{ text, want string }{
		{"", `the transform is "", expected a three-dimensional affine transform`},
		{"hello\n", "not a transform in ITK's text format: its first line is not #Insight Transform File"},
		{head + "CompositeTransform_double_3_3\n", `the transform is "CompositeTransform_double_3_3", expected a three-dimensional affine transform`},
		{head + "AffineTransform_double_2_2\n", `the transform is "AffineTransform_double_2_2", expected a three-dimensional affine transform`},
		{strings.Replace(good, "Parameters: 1", "Parameters: one", 1), `line 4: "one" is not a number`},
		{strings.Replace(good, "Parameters: 1", "Parameters: NaN", 1), `line 4: "NaN" is not a number`},
		{strings.Replace(good, "Parameters: 1", "Parameters:", 1), "11 parameters and 3 fixed ones, want 12 and 3; is the file complete?"},
		{strings.Replace(good, "Parameters: 1", "Parameters: 0", 1), "the transform cannot be inverted"},
		{strings.Replace(good, "Parameters: 1", "Parameters: -1", 1), "the transform swaps left and right (determinant -1)"},
		{good + good[strings.Index(good, "#Transform"):], "several transforms in one file; only one affine transform is read"},
	} {
		_, err := readText(strings.NewReader(c.text))
		if err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

// A series is in the order of its volumes, each with its own center; its numbers count.
func TestSeries(t *testing.T) {
	const head = "#Insight Transform File V1.0\n"
	block := func(number, kind, x string) string {
		return "#Transform " + number + "\nTransform: " + kind + "_double_3_3\nParameters: 1 0 0 0 1 0 0 0 1 " + x +
			" 2 3\nFixedParameters: 4 5 6\n"
	}
	first, second := block("0", "MatrixOffsetTransformBase", "7"), block("1", "AffineTransform", "8")
	all, err := ReadSeries(strings.NewReader(head + first + second))
	if err != nil || len(all) != 2 || all[0][0][3] != -7 || all[1][0][3] != -8 ||
		all[1][1][3] != -2 || all[1][2][3] != 3 {
		t.Errorf("%v, error %v", all, err)
	}
	for _, c := range []struct{ text, want string }{
		{head, `transform 0: the transform is "", expected a three-dimensional affine transform`},
		{head + second, "line 2: transform 1 follows 0 transforms, but numbers start at 0; is a block missing?"},
		{head + first + first, "line 6: transform 0 follows 1 transforms, but numbers start at 0; is a block missing?"},
		{head + first + second[strings.Index(second, "Transform:"):], "line 6: a transform has no line #Transform"},
		{head + first + second[:strings.Index(second, "Fixed")], "transform 1: 12 parameters and 0 fixed ones, want 12 and 3; is the file complete?"},
		{head + first + "Parameters: 1\n", "line 6: Parameters appears twice in one transform"},
		{head + first + block("1", "Euler3DTransform", "0"), `transform 1: the transform is "Euler3DTransform_double_3_3", expected a three-dimensional affine transform`},
	} {
		if _, err := ReadSeries(strings.NewReader(c.text)); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}
