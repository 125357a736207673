package weather

import (
	"math"
	"testing"
)

// Four points by hand: the deviations are -3, -1, 1, 3 and -1, -1, 1, 1, so r = 8/√(20·4).
func TestPearson(t *testing.T) {
	got := Pearson([]float64{1, 3, 5, 7}, []float64{2, 2, 4, 4})
	if want := 8 / math.Sqrt(80); math.Abs(got-want) > 1e-15 {
		t.Errorf("r = %v, want %v", got, want)
	}
	if r := Pearson([]float64{1, 1}, []float64{1, 2}); !math.IsNaN(r) {
		t.Errorf("r of a constant is %v, want NaN", r)
	}
}

func TestCodes(t *testing.T) {
	for _, kind := range []string{"weather-clean", "weather-daily", "weather-correlation"} {
		if codes[kind] == "" {
			t.Errorf("%s has no code identity: go generate ./...", kind)
		}
	}
}
