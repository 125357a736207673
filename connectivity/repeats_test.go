package connectivity

import (
	"math"
	"testing"
)

// Made series: what repeats is counted by hand.
func TestRepeats(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name             string
		rows             [][]float64
		volumes, regions int
	}{
		{"sound", [][]float64{{1, 2, 3}, {1, 2, 4}, {2, 1, 3}, {1, 2, 3}}, 0, 0},
		{"a run of three zeros, and one alone", [][]float64{{0, 0}, {1, 3}, {0, 0}, {0, 0}, {0, 0}, {2, 1}}, 2, 0},
		{"two copies", [][]float64{{1, 2}, {1, 2}, {3, 1}, {4, 7}, {4, 7}}, 2, 0},
		{"copies beside a missing region", [][]float64{{1, nan, 2}, {1, nan, 2}, {3, nan, 1}}, 1, 0},
		{"one region thrice, another twice", [][]float64{{1, 5, 1, 5, 1, 2}, {2, 4, 2, 4, 2, 2}, {1, 3, 1, 3, 1, 7}}, 0, 3},
		{"constant and missing regions", [][]float64{{1, 4, 4, nan, nan}, {2, 4, 4, nan, nan}}, 0, 0},
	} {
		x := NewMatrix(0, len(c.rows[0]))
		for _, row := range c.rows {
			x.Rows, x.Data = x.Rows+1, append(x.Data, row...)
		}
		status, err := Inspect(x)
		if err != nil {
			t.Fatal(err)
		}
		if v, r := Repeats(x, status); v != c.volumes || r != c.regions {
			t.Errorf("%s: %d volumes and %d regions, want %d and %d", c.name, v, r, c.volumes, c.regions)
		}
	}
}
