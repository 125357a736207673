package container

import (
	"os"
	"path/filepath"
	"testing"

	"prgnn/connectivity"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/region"
)

// Series of several participants that are stored regions × volumes are found, and those stored volumes × regions never
// are: noise, autocorrelated or not, with or without networks of neighboring regions, short scans, many regions, and
// the scans of ABIDE, also prewhitened.
func TestTurnedSeries(t *testing.T) {
	t.Parallel()
	made := func(volumes, regions int, phi, network float64) (all []connectivity.Matrix) {
		for k := range 20 {
			draw := random.New(uint64(k), "series")
			x := connectivity.NewMatrix(volumes, regions)
			shared, noise := make([]float64, regions/4+1), make([]float64, regions)
			for i := range volumes {
				for j := range shared {
					shared[j] = phi*shared[j] + draw.Normal()
				}
				for j := range regions {
					noise[j] = phi*noise[j] + draw.Normal()
					x.Row(i)[j] = noise[j] + network*shared[j/4] + 100*float64(j%3)
				}
			}
			all = append(all, x)
		}
		return all
	}
	over := func(x connectivity.Matrix) connectivity.Matrix {
		t := connectivity.NewMatrix(x.Cols, x.Rows)
		for k, v := range x.Data {
			t.Row(k % x.Cols)[k/x.Cols] = v
		}
		return t
	}
	both := func(what string, all []connectivity.Matrix, found bool) {
		if why := turned(all); why != "" {
			t.Errorf("%s: volumes × regions are refused: %s", what, why)
		}
		if why := turned(lists.Map(all, over)); (why != "") != found {
			t.Errorf("%s: regions × volumes: %t, want %t: %s", what, why != "", found, why)
		}
	}
	for what, c := range map[string]struct {
		volumes, regions int
		phi, network     float64
		found            bool
	}{
		"white":             {120, 20, 0, 0, false},
		"white, short":      {20, 120, 0, 0, false},
		"white, networks":   {148, 100, 0, 1, false},
		"many regions":      {148, 400, 0.4, 1, true},
		"as usual":          {120, 20, 0.4, 0.7, true},
		"independent":       {120, 20, 0.4, 0, true},
		"independent, long": {60, 200, 0.4, 0, false},
		"few regions":       {120, 6, 0.5, 1, true},
		"short":             {30, 60, 0.4, 0.7, true},
	} {
		both(what, made(c.volumes, c.regions, c.phi, c.network), c.found)
	}
	for _, pattern := range []string{"abide_pcp/cpac/nofilt_noglobal", "abide_nyu/nyu_original_1D"} {
		paths := need.Value(filepath.Glob(filepath.Join(need.Shared(t, "data"), pattern, "*_ho.1D.gz")))(t)
		var all, short, white []connectivity.Matrix
		for i := range 20 {
			f := need.Value(os.Open(paths[i*len(paths)/20]))(t)
			x := need.Value(region.ReadSeries(f, region.Layout{}))(t).Draws[0]
			f.Close()
			all, short = append(all, x), append(short, connectivity.Matrix{Rows: 30, Cols: x.Cols,
				Data: x.Data[:30*x.Cols]})
			y := connectivity.NewMatrix(x.Rows-1, x.Cols)
			for k := range y.Data {
				y.Data[k] = x.Data[k+x.Cols] - 0.4*x.Data[k]
			}
			white = append(white, y)
		}
		both(pattern, all, true)
		both(pattern+", short", short, true)
		if why := turned(white); why != "" {
			t.Errorf("%s, prewhitened: %s", pattern, why)
		}
	}
}
