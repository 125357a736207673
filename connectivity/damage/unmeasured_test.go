package damage

import (
	"testing"

	"prgnn/connectivity"
	"prgnn/internal/need"
)

// One volume of 24, or two of 48, may not be a million times as large as the others.
func TestUnmeasured(t *testing.T) {
	const all = "region 1 (left) is 1e+30 in volume 11, more than a million times as large as in other volumes: it is not measured; correct the file, or exclude the participant"
	for _, c := range []struct {
		volumes int
		large   []float64
		want    string
	}{
		{24, []float64{1e30}, all},
		{24, []float64{-4e6}, "region 1 (left) is -4e+06 in volume 11"},
		{24, []float64{1e6}, ""},
		{24, []float64{1e30, 1e30}, ""}, // another unit
		{48, []float64{1e30, -1e29}, all},
		{9, []float64{1e30}, ""},
	} {
		x := connectivity.NewMatrix(c.volumes, 1)
		for t := range x.Data {
			x.Data[t] = float64(t%4) - 1.5
		}
		copy(x.Data[min(10, c.volumes-1):], c.large)
		if err := Unmeasured(x, "left"); c.want == "" {
			need.NoError(t, err)
		} else {
			need.Error(t, err, c.want)
		}
	}
	only := connectivity.NewMatrix(24, 1) // a region with one event
	only.Data[3] = 1
	need.NoError(t, Unmeasured(only))
}
