package column

import (
	"math"
	"testing"
)

func TestMeanSD(t *testing.T) {
	x := []float64{1, math.NaN(), 2, 6}
	if mean, sd := MeanSD(Known(x)); mean != 3 || math.Abs(sd-math.Sqrt(7)) > 1e-15 {
		t.Errorf("%v ± %v", mean, sd)
	}
	if mean, sd := MeanSD(x); !math.IsNaN(mean) || !math.IsNaN(sd) {
		t.Errorf("of a missing value %v ± %v", mean, sd)
	}
	if mean, sd := MeanSD([]float64{1}); mean != 1 || !math.IsNaN(sd) {
		t.Errorf("of one value %v ± %v", mean, sd)
	}
	if mean, _ := MeanSD(nil); !math.IsNaN(mean) {
		t.Errorf("of no value %v", mean)
	}
}
