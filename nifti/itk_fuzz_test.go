package nifti

import (
	"bytes"
	"math"
	"testing"
)

// FuzzReadITK: a transform is finite numbers, or there is an error.
func FuzzReadITK(f *testing.F) {
	f.Add([]byte("#Insight Transform File V1.0\n#Transform 0\nTransform: AffineTransform_double_3_3\nParameters: 1 0 0 0 1 0 0 0 1 1 2 3\nFixedParameters: 0 0 0\n"))
	f.Add([]byte("#Insight Transform File V1.0\nTransform: MatrixOffsetTransformBase_float_3_3\nParameters: 1e300 nan\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := ReadITK(bytes.NewReader(b), "x.txt")
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
