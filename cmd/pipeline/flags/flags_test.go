package flags

import "testing"

func TestSizeFlag(t *testing.T) {
	for text, want := range map[string]int64{"500": 500, "2k": 2000, "1.5 GB": 1_500_000_000, "200G": 200_000_000_000,
		"2TB": 2_000_000_000_000} {
		var n int64
		if err := Size(&n).Set(text); err != nil || n != want {
			t.Errorf("%q is %d, %v; want %d", text, n, err, want)
		}
	}
	for _, text := range []string{"", "G", "-1", "0", "1e30T", "lots", "NaN"} {
		var n int64
		if err := Size(&n).Set(text); err == nil {
			t.Errorf("%q is taken as %d", text, n)
		}
	}
	for _, text := range []string{"0", "-1", "1.5", "1 2", "", "x"} {
		var n int
		if err := Positive(&n).Set(text); err == nil {
			t.Errorf("%q is taken as %d", text, n)
		}
	}
}
