package itk

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"prgnn/internal/need"
)

// FuzzText: a transform is finite numbers, or there is an error.
func FuzzText(f *testing.F) {
	f.Add([]byte("#Insight Transform File V1.0\n#Transform 0\nTransform: AffineTransform_double_3_3\nParameters: 1 0 0 0 1 0 0 0 1 1 2 3\nFixedParameters: 0 0 0\n"))
	f.Add([]byte("#Insight Transform File V1.0\nTransform: MatrixOffsetTransformBase_float_3_3\nParameters: 1e300 nan\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := readText(bytes.NewReader(b))
		if err != nil {
			return
		}
		for _, row := range a {
			for _, v := range row {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%v", a)
				}
			}
		}
	})
}

// FuzzSeries: each volume has finite numbers that can be inverted, or there is an error.
func FuzzSeries(f *testing.F) {
	const block = "Transform: MatrixOffsetTransformBase_double_3_3\nParameters: 1 0 0 0 1 0 0 0 1 1 2 3\nFixedParameters: 0 0 0\n"
	f.Add([]byte("#Insight Transform File V1.0\n#Transform 0\n" + block + "#Transform 1\n" + block))
	f.Add([]byte("#Insight Transform File V1.0\n#Transform 1\n" + block))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := ReadSeries(bytes.NewReader(b))
		if err != nil {
			return
		}
		if len(all) == 0 || bytes.Count(b, []byte("#Transform ")) < len(all) {
			t.Fatalf("%d transforms", len(all))
		}
		for _, a := range all {
			if inverse, ok := a.Inverse(); !ok || !inverse.Usable() {
				t.Fatalf("%v", a)
			}
		}
	})
}

// FuzzComposite: a composite takes points to finite places, or there is an error.
func FuzzComposite(f *testing.F) {
	for _, name := range []string{"ants-float-gz.h5", "itk4-misspelt-gz-superblock0.h5", "only-affine.h5", "refuse/spacing-zero.h5"} {
		b := need.Value(os.ReadFile(filepath.Join(files, name)))(f)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		tr, err := Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		points := []Point{{0, 0, 0}, {-70, 30, 20}}
		if _, err := tr.Map(points); err != nil {
			return
		}
		for _, p := range points {
			for _, v := range p {
				if math.IsNaN(v) {
					t.Fatalf("%v", points)
				}
			}
		}
	})
}
