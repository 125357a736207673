package results

import (
	"math"
	"testing"

	"prgnn/internal/need"
)

func TestSummarize(t *testing.T) {
	nan := number(math.NaN())
	for _, c := range []struct {
		values []float64
		want   stats
	}{
		{[]float64{3, 1, math.NaN(), 2, 10}, stats{1, 2.5, 10, 4, number(math.Sqrt((1.0 + 9 + 4 + 36) / 3)), 1}},
		{[]float64{3, 1, 2}, stats{1, 2, 3, 2, 1, 0}},
		{[]float64{7}, stats{7, 7, 7, 7, nan, 0}},
		{[]float64{math.NaN(), math.NaN()}, stats{nan, nan, nan, nan, nan, 2}},
		{nil, stats{nan, nan, nan, nan, nan, 0}},
	} {
		got := summarize(c.values)
		for i, pair := range [][2]number{{got.Min, c.want.Min}, {got.Median, c.want.Median}, {got.Max, c.want.Max},
			{got.Mean, c.want.Mean}, {got.SD, c.want.SD}} {
			if a, b := float64(pair[0]), float64(pair[1]); math.Abs(a-b) > 1e-12 || math.IsNaN(a) != math.IsNaN(b) {
				t.Errorf("%v: number %d is %v, want %v", c.values, i, pair[0], pair[1])
			}
		}
		need.Equal(t, got.NaN, c.want.NaN, c.values, "NaN")
	}
}
