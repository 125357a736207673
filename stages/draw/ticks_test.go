package draw

import (
	"slices"
	"testing"
)

func TestTicksAreRound(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		most      int
		want      []string
	}{
		{0, 1, 0, []string{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}},
		{0.517, 0.52, 4, []string{"0.517", "0.518", "0.519", "0.520"}},
		{-0.31, 0.31, 3, []string{"−0.2", "0", "0.2"}},
		{942, 968, 3, []string{"950", "960"}},
		{1, 60, 0, []string{"10", "20", "30", "40", "50", "60"}},
		{0, 84000, 0, []string{"0", "20000", "40000", "60000", "80000"}},
		{0.63, 0.6571, 0, []string{"0.630", "0.635", "0.640", "0.645", "0.650", "0.655"}},
		{2, 2, 0, nil},
	} {
		var got []string
		for _, tick := range (Ticks{c.most}).Ticks(c.low, c.high) {
			got = append(got, tick.Label)
			if tick.Value < c.low-1e-9 || tick.Value > c.high+1e-9 {
				t.Errorf("%v … %v: a tick at %v", c.low, c.high, tick.Value)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v … %v, at most %d: %q, want %q", c.low, c.high, c.most, got, c.want)
		}
	}
}
