package results

import (
	"math"
	"testing"

	"prgnn/internal/need"
)

func TestSummarize(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		values []float64
		want   numbers
	}{
		{[]float64{3, 1, nan, 2, 10}, numbers{1, 2.5, 10, 4, math.Sqrt((1.0 + 9 + 4 + 36) / 3), 1}},
		{[]float64{3, 1, 2}, numbers{1, 2, 3, 2, 1, 0}},
		{[]float64{7}, numbers{7, 7, 7, 7, nan, 0}},
		{[]float64{nan, nan}, numbers{nan, nan, nan, nan, nan, 2}},
		{nil, numbers{nan, nan, nan, nan, nan, 0}},
	} {
		got := summarize(c.values)
		for i, pair := range [][2]float64{{got.min, c.want.min}, {got.median, c.want.median}, {got.max, c.want.max},
			{got.mean, c.want.mean}, {got.sd, c.want.sd}} {
			if math.Abs(pair[0]-pair[1]) > 1e-12 || math.IsNaN(pair[0]) != math.IsNaN(pair[1]) {
				t.Errorf("%v: number %d is %v, want %v", c.values, i, pair[0], pair[1])
			}
		}
		need.Equal(t, got.nan, c.want.nan, c.values, "NaN")
	}
}
