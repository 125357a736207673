package nifti

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"prgnn/internal/need"
)

// scipy's map_coordinates, by testdata/spline/make.py.
func TestSplineAgainstScipy(t *testing.T) {
	var x struct {
		Shape          [3]int
		Volume, Values []float64
		Points         [][3]float64
	}
	need.NoError(t, json.Unmarshal(need.Value(os.ReadFile("testdata/spline/spline.json"))(t), &x))
	s := newSpline(x.Shape, x.Volume)
	for i, p := range x.Points {
		if got := s.at(p); !(math.Abs(got-x.Values[i]) < 1e-10) {
			t.Errorf("at %v: %.15g, want %.15g", p, got, x.Values[i])
		}
	}
	if len(x.Points) != 60 {
		t.Error(len(x.Points))
	}
}

// bump is the cubic B-spline.
func bump(x float64) float64 {
	x = math.Abs(x)
	switch {
	case x < 1:
		return 2.0/3 - x*x + x*x*x/2
	case x < 2:
		return (2 - x) * (2 - x) * (2 - x) / 6
	}
	return 0
}

// The slow definition: Σ c·β³ over all voxels of the mirrored volume, whose coefficients go through the voxels.
func TestSpline(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 3))
	for _, shape := range [][3]int{{5, 4, 3}, {2, 6, 1}, {1, 1, 1}, {7, 2, 2}} {
		voxels := make([]float64, shape[0]*shape[1]*shape[2])
		for i := range voxels {
			voxels[i] = random.NormFloat64()
		}
		s := newSpline(shape, slices.Clone(voxels))
		slow := func(p [3]float64) (sum float64) {
			for k := -4; k < shape[2]+4; k++ {
				for j := -4; j < shape[1]+4; j++ {
					for i := -4; i < shape[0]+4; i++ {
						c := [3]int{i, j, k}
						for a, n := range shape {
							for n > 1 && (c[a] < 0 || c[a] >= n) { // reflect until inside
								if c[a] < 0 {
									c[a] = -c[a]
								} else {
									c[a] = 2*(n-1) - c[a]
								}
							}
							if n == 1 {
								c[a] = 0
							}
						}
						sum += s.coefficients[c[0]+shape[0]*(c[1]+shape[1]*c[2])] * bump(p[0]-float64(i)) *
							bump(p[1]-float64(j)) * bump(p[2]-float64(k))
					}
				}
			}
			return sum
		}
		for i, v := range voxels {
			p := [3]float64{float64(i % shape[0]), float64(i / shape[0] % shape[1]), float64(i / shape[0] / shape[1])}
			if got := s.at(p); !(math.Abs(got-v) < 1e-12) || !(math.Abs(slow(p)-v) < 1e-12) {
				t.Errorf("%v: voxel %v is %.15g, by definition %.15g, want %.15g", shape, p, got, slow(p), v)
			}
		}
		for range 50 {
			var p [3]float64
			for a, n := range shape {
				p[a] = random.Float64() * float64(n-1)
			}
			if got, want := s.at(p), slow(p); !(math.Abs(got-want) < 1e-12) {
				t.Errorf("%v at %v: %.15g, want %.15g", shape, p, got, want)
			}
		}
		outside := [3]float64{0, 0, 0}
		outside[1] = float64(shape[1]-1) + 1e-3
		if got := s.at(outside); !math.IsNaN(got) {
			t.Errorf("%v at %v, outside: %v", shape, outside, got)
		}
		if outside[1] = -1e-9; math.IsNaN(s.at(outside)) {
			t.Errorf("%v: rounding puts a point outside", shape)
		}
	}
}
