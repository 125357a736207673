package nifti

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// ramp is a scan of two volumes whose values are linear in the place, which a cubic spline keeps away from the borders.
func ramp(t *testing.T, bad float32) *Reader {
	t.Helper()
	shape, n := []int{12, 12, 12, 2}, 12
	data := make([]float32, 2*n*n*n)
	for i := range data {
		at := i % (n * n * n)
		data[i] = float32(at%n + 100*(at/n%n) + 10000*(at/n/n))
	}
	data[len(data)-1] += bad
	a := Affine{{2, 0, 0, -10}, {0, 2, 0, -11}, {0, 0, 2, -12}, {0, 0, 0, 1}}
	var b bytes.Buffer
	need.NoError(t, Encode(&b, &Image{Shape: shape, Affine: a, TR: 2, Data: data}))
	return need.Value(NewReader(&b, "ramp.nii.gz"))(t)
}

// shifted moves points by millimeters.
func shifted(x, y, z float64) Affine {
	return Affine{{1, 0, 0, x}, {0, 1, 0, y}, {0, 0, 1, z}, {0, 0, 0, 1}}
}

// Of a linear scan the values at the moved and shifted places are known; a voxel outside is NaN.
func TestRealigned(t *testing.T) {
	grid := Grid{Shape: [3]int{3, 2, 2}, Affine: Affine{{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}, {0, 0, 0, 1}},
		Oriented: true}
	to := Realignment{Grid: grid, Volumes: []Affine{shifted(0, 0, 0), shifted(1, -2, 0.5)}, Axis: 1,
		Shift: make([]float64, 12)}
	to.Shift[5], to.Shift[7], to.Shift[8] = 0.75, 99, math.NaN()
	r := need.Value(ramp(t, 0).Realigned(to))(t)
	defer r.Close()
	if g := r.Header.Grid(); !g.Same(grid) || r.Volumes() != 2 || r.Header.TR() != 2 || r.CheckSeries() != nil {
		t.Errorf("grid %v, %d volumes, TR %v", g, r.Volumes(), r.Header.TR())
	}
	values := make([]float64, 12)
	for v, move := range to.Volumes {
		need.NoError(t, r.Next(values))
		for i, got := range values {
			x, y, z := float64(1+i%3), float64(1+i/3%2), float64(1+i/6)
			c := [3]float64{(x + move[0][3] + 10) / 2, (y+move[1][3]+11)/2 + to.Shift[i], (z + move[2][3] + 12) / 2}
			want := c[0] + 100*c[1] + 10000*c[2]
			if i == 7 || i == 8 {
				want = math.NaN()
			}
			// The mirror at the border reaches five voxels inwards by 0.27⁵ of the slope.
			if math.IsNaN(got) != math.IsNaN(want) || !math.IsNaN(want) && !(math.Abs(got-want) < 20) {
				t.Errorf("volume %d, voxel %d: %v, want %v", v, i, got, want)
			}
		}
	}
	if err := r.Next(values); err != io.EOF {
		t.Errorf("behind the last volume: %v", err)
	}
}

func TestRealignedRefuses(t *testing.T) {
	grid := Grid{Shape: [3]int{1, 1, 1}, Affine: Identity, Oriented: true}
	if _, err := ramp(t, 0).Realigned(Realignment{Grid: grid, Volumes: []Affine{Identity}}); err == nil ||
		!strings.Contains(err.Error(), "ramp.nii.gz: 2 volumes, but 1 transforms of head motion") {
		t.Error(err)
	}
	still := Realignment{Grid: grid, Volumes: []Affine{Identity, Identity}}
	r := need.Value(ramp(t, float32(math.NaN())).Realigned(still))(t)
	values := make([]float64, 1)
	need.NoError(t, r.Next(values))
	if err := r.Next(values); err == nil || !strings.Contains(err.Error(), "volume 2 of 2: voxels are NaN or infinite") {
		t.Error(err)
	}
	unknown := ramp(t, 0)
	unknown.Header.SformCode, unknown.Header.QformCode = 0, 0
	if _, err := unknown.Realigned(still); err == nil ||
		!strings.Contains(err.Error(), "does not state the position of the scan") {
		t.Error(err)
	}
	if _, err := Sampled(ramp(t, 0), nil); err == nil || !strings.Contains(err.Error(), "2 volumes, expected one") {
		t.Error(err)
	}
}
