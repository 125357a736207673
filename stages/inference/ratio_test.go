package inference

import (
	"encoding/json"
	"os"
	"testing"

	"prgnn/internal/need"
)

// TestVarianceRatio compares with SciPy (edgewise/testdata/oracle.py).
func TestVarianceRatio(t *testing.T) {
	var o struct {
		Ratio, Quantiles [][4]float64
		Student          [][3]float64
		Explained        [][5]float64
	}
	b, err := os.ReadFile("edgewise/testdata/oracle.json")
	need.NoError(t, err)
	need.NoError(t, json.Unmarshal(b, &o))
	near := func(what string, args, got, want any, a, b, relative float64) {
		t.Helper()
		if d := max(a-b, b-a); !(d <= relative*b+1e-300) {
			t.Errorf("%s of %v: %v, want %v", what, args, got, want)
		}
	}
	for _, c := range o.Ratio {
		p := VarianceRatioP(c[0], int(c[1]), int(c[2]))
		near("p", c, p, c[3], p, c[3], 1e-10)
	}
	for _, c := range o.Quantiles {
		f := VarianceRatio(c[0], int(c[1]), int(c[2]))
		near("F", c, f, c[3], f, c[3], 1e-9)
	}
	for _, c := range o.Student {
		v := StudentT(c[0], int(c[1]))
		near("t", c, v, c[2], v, c[2], 1e-9)
	}
	for _, c := range o.Explained {
		low, high := ExplainedInterval(c[0], int(c[1]), int(c[2]))
		near("interval", c, low, c[3], 1+low, 1+c[3], 1e-6)
		near("interval", c, high, c[4], 1+high, 1+c[4], 1e-6)
	}
}
