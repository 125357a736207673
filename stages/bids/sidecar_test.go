package bids

import "testing"

// A repetition time of 2 ms is one of 2 s in another unit.
func TestCheckTime(t *testing.T) {
	for tr, believed := range map[float64]bool{0: true, 0.002: false, 0.0199: false, 0.02: true, 0.1: true, 60: true,
		60.1: false, -1: false} {
		if errs := CheckTime(tr); (errs == nil) != believed {
			t.Errorf("%g s: %v", tr, errs)
		}
	}
}
