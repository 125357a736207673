package itk

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/nifti"
)

func read(t testing.TB, path string) (*Transform, error) {
	t.Helper()
	b := need.Value(os.ReadFile(path))(t)
	return Read(bytes.NewReader(b), int64(len(b)))
}

// rows reads a table of numbers after a first column of text.
func rows(t testing.TB, path string) (text []string, numbers [][]float64) {
	t.Helper()
	f := need.Value(os.Open(path))(t)
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = '\t'
	all := need.Value(r.ReadAll())(t)
	for _, row := range all[1:] {
		var v []float64
		for _, cell := range row[1:] {
			x := need.Value(strconv.ParseFloat(cell, 64))(t)
			v = append(v, x)
		}
		text, numbers = append(text, row[0]), append(numbers, v)
	}
	return text, numbers
}

const files = "../hdf5/testdata"

// SimpleITK takes the same points to the same places, in every layout, also at the border of
// the field; see make.py of the fixtures.
func TestPointsOfSimpleITK(t *testing.T) {
	names, points := rows(t, filepath.Join(files, "points.tsv"))
	of := map[string][][]float64{}
	for i, name := range names {
		of[name] = append(of[name], points[i])
	}
	if len(of) != 15 {
		t.Fatalf("%d files, want 15", len(of))
	}
	for name, rows := range of {
		tr, err := read(t, filepath.Join(files, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		moved := lists.Map(rows, func(r []float64) Point { return Point(r[1:4]) })
		if _, err := tr.Map(moved); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for i, r := range rows {
			for c, want := range r[4:7] {
				if math.Abs(moved[i][c]-want) > 1e-6 {
					t.Errorf("%s: point %d goes to %v, want %v", name, i, moved[i], r[4:7])
					break
				}
			}
		}
	}
}

// What is not a composite of affines and fields is refused by its name, and damage by its place.
func TestRefuse(t *testing.T) {
	for file, want := range map[string]string{
		"adler-wrong.h5":          "zlib: invalid checksum: the file is damaged",
		"both-spellings.h5":       "it has both /TransformGroup/1/TranformFixedParameters and /TransformGroup/1/TransformFixedParameters",
		"bspline.h5":              "part 1 (BSplineTransform_double_3_3): only affine transforms and displacement fields are read",
		"cut-in-half.h5":          "the file has 10492 bytes of 20984: it is truncated",
		"euler.h5":                "part 1 (Euler3DTransform_double_3_3): only affine transforms and displacement fields are read",
		"field-nan.h5":            "value 5 of the field is NaN",
		"field-too-short.h5":      "part 2 (DisplacementFieldTransform_float_3_3): 4287 parameters of a field of 11×13×10 nodes, want 3 a node",
		"header-checksum.h5":      "root group: object header at byte 48: wrong checksum",
		"no-hdf5.h5":              `the transform is "", expected a three-dimensional affine`,
		"no-transform-group.h5":   "an HDF5 file without a TransformGroup: not an ITK transform",
		"packed-bytes-changed.h5": "the file is damaged; copy it again",
		"spacing-zero.h5":         "part 1 (DisplacementFieldTransform_float_3_3): the field has a spacing of 0 mm along axis 0",
	} {
		tr, err := read(t, filepath.Join(files, "refuse", file))
		if err == nil {
			_, err = tr.Map([]Point{{0, 0, 0}})
		}
		need.Error(t, err, want, file)
	}
}

// What a field does is told: its longest vector, and the points that it does not reach.
func TestExtent(t *testing.T) {
	tr := need.Value(read(t, filepath.Join(files, "ants-float-gz.h5")))(t)
	far := []Point{{1000, 0, 0}, {0, 0, 0}}
	told := need.Value(tr.Map(far))(t)
	linear, whole := tr.Linear()
	if whole {
		t.Error("a field is taken for an affine")
	}
	// numpy: np.linalg.norm(field.reshape(-1, 3), axis=1).max(), np.linalg.det(matrix)
	if math.Abs(told.Displacement-8.6186570879691) > 1e-12 || !slices.Equal(told.Outside, []int32{0}) ||
		math.Abs(linear.Determinant()-0.967195027185) > 1e-12 {
		t.Errorf("%+v, determinant %v", told, linear.Determinant())
	}
	only := need.Value(read(t, filepath.Join(files, "eleven-parts.h5")))(t)
	only.steps = only.steps[1:] // the field is applied first
	one := []Point{{3, -40, 20}}
	a, ok := only.Linear()
	x, y, z := a.Apply(3, -40, 20)
	if _, err := only.Map(one); err != nil || !ok ||
		math.Abs(one[0][0]-x)+math.Abs(one[0][1]-y)+math.Abs(one[0][2]-z) > 1e-9 {
		t.Errorf("ten affines in a row go to %v, as one to %v %v %v", one, x, y, z)
	}
}

// FreeSurfer's labels on the scan's grid in MNI space are those of SimpleITK in every voxel, for
// the three ways in which ITK writes: 28,800 labels.
func TestLabelsOfSimpleITK(t *testing.T) {
	compared := 0
	for _, sub := range []string{"sub-01", "sub-02", "sub-03"} {
		root := need.Shared(t, "fixtures", "fmriprep", "fmriprep-25.1.4")
		want := labels(t, need.Shared(t, "fixtures", "fmriprep", "oracle", sub+"_space-MNI152NLin2009cAsym_desc-aparcaseg_dseg.nii.gz"))
		surfer := labels(t, filepath.Join(root, "sourcedata", "freesurfer", sub, "mri", "aparc+aseg.mgz"))
		anat := filepath.Join(root, sub, "anat", sub+"_from-")
		warp, err := read(t, anat+"T1w_to-MNI152NLin2009cAsym_mode-image_xfm.h5")
		need.NoError(t, err)
		rigid, err := read(t, anat+"fsnative_to-T1w_mode-image_xfm.txt")
		need.NoError(t, err)
		got, err := surfer.Resampled(want.Grid, want.Box(), 1, func(p []Point) error {
			_, err := warp.Map(p)
			if err == nil {
				_, err = rigid.Map(p)
			}
			return err
		})
		need.NoError(t, err)
		differ := 0
		for i, v := range want.Voxels {
			if compared++; got[i] != v {
				differ++
			}
		}
		if differ > 0 {
			t.Errorf("%s: %d of %d labels differ from SimpleITK's", sub, differ, len(want.Voxels))
		}
		// The points on the way there.
		_, points := rows(t, need.Shared(t, "fixtures", "fmriprep", "oracle", sub+"_points.tsv"))
		first := firstColumn(t, need.Shared(t, "fixtures", "fmriprep", "oracle", sub+"_points.tsv"))
		moved := make([]Point, len(points))
		for i, p := range points {
			moved[i] = Point{first[i], p[0], p[1]}
		}
		for step, tr := range []*Transform{warp, rigid} {
			if _, err := tr.Map(moved); err != nil {
				t.Fatal(err)
			}
			for i, p := range points {
				for c, want := range p[2+3*step : 5+3*step] {
					if math.Abs(moved[i][c]-want) > 1e-6 {
						t.Errorf("%s: point %d, step %d: %v, want %v", sub, i, step, moved[i], p[2+3*step:5+3*step])
						break
					}
				}
			}
		}
	}
	need.Equal(t, compared, 28_800, "labels were compared")
}

func firstColumn(t testing.TB, path string) []float64 {
	text, _ := rows(t, path)
	var v []float64
	for _, s := range text {
		x := need.Value(strconv.ParseFloat(s, 64))(t)
		v = append(v, x)
	}
	return v
}

func labels(t testing.TB, path string) *nifti.Labels {
	t.Helper()
	r := need.Value(nifti.Open(path))(t)
	defer r.Close()
	l := need.Value(nifti.ReadLabels(r))(t)
	return l
}

// A field of one slice is linear within it; half a spacing beyond the slice there is none.
func TestFieldOfOneSlice(t *testing.T) {
	f := &field{size: [3]int{2, 1, 1}, inverse: nifti.Identity}
	points := []Point{{0.25, 0, 0.4}, {1, 0, 0}, {1.4, 0.4, -0.5}}
	for _, p := range points {
		if _, _, ok := f.index(p); !ok {
			t.Errorf("%v is outside", p)
		}
	}
	for _, p := range []Point{{1.5, 0, 0}, {-0.51, 0, 0}, {0, 0, 0.5}, {0, 0.5, 0}} {
		if _, _, ok := f.index(p); ok {
			t.Errorf("%v is inside", p)
		}
	}
	v := []float64{1, 0, 10, 3, 0, 20} // LPS, of the two nodes
	f.between(v, v, 0, points, []int32{0, 1, 2})
	want := []Point{{0.25 - 1.5, 0, 0.4 + 12.5}, {1 - 3, 0, 20}, {1.4 - 3, 0.4, -0.5 + 20}}
	if !slices.Equal(points, want) {
		t.Errorf("%v, want %v", points, want)
	}
}
