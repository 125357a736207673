package draw

import (
	"slices"
	"testing"
)

// Epochs are counted: between 1 and 3 there is no mark at 1.5.
func TestWholeTicks(t *testing.T) {
	for high, want := range map[float64]int{2: 2, 3: 3, 100: 5} {
		got := (Ticks{Whole: true}).Ticks(1, high)
		if len(got) != want {
			t.Errorf("1 … %v: %v", high, got)
		}
		for _, tick := range got {
			if tick.Value != float64(int(tick.Value)) {
				t.Errorf("1 … %v: a tick at %v", high, tick.Value)
			}
		}
	}
}

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
		for _, tick := range (Ticks{Most: c.most}).Ticks(c.low, c.high) {
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
