package fold

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
)

// Reliability curves and Brier scores are those of scikit-learn (testdata/calibration.py).
func TestCalibrateAsScikitLearn(t *testing.T) {
	b := need.Value(os.ReadFile("testdata/calibration.json"))(t)
	var cases []struct {
		P           []float64
		Y           []int
		Bins        int
		Share, Mean []float64
		Brier       float64
	}
	need.NoError(t, json.Unmarshal(b, &cases))
	for i, c := range cases {
		positive := lists.Map(c.Y, func(y int) bool { return y == 1 })
		bins, brier := Calibrate(c.P, positive, c.Bins)
		if len(bins) != c.Bins || math.Abs(brier-c.Brier) > 1e-12 {
			t.Errorf("case %d: %d bins, Brier score %v, want %d and %v", i, len(bins), brier, c.Bins, c.Brier)
		}
		k, n := 0, 0 // scikit-learn leaves empty bins out
		for _, b := range bins {
			n += b.N
			if b.N == 0 {
				if !math.IsNaN(b.Mean) || !math.IsNaN(b.Share) {
					t.Errorf("case %d: an empty bin has %v and %v", i, b.Mean, b.Share)
				}
				continue
			}
			if k >= len(c.Mean) || math.Abs(b.Mean-c.Mean[k]) > 1e-12 || math.Abs(b.Share-c.Share[k]) > 1e-12 {
				t.Fatalf("case %d, bin %d: %+v, want mean %v and share %v", i, k, b, c.Mean, c.Share)
			}
			k++
		}
		if k != len(c.Mean) || n != len(c.P) {
			t.Errorf("case %d: %d bins of %d cases, want %d of %d", i, k, n, len(c.Mean), len(c.P))
		}
	}
}
