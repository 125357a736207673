package nifti

import (
	"math"
	"math/rand/v2"
	"testing"

	"prgnn/internal/need"
)

func nanInf() (nan, inf float64) { return math.NaN(), math.Inf(1) }

// turned is a random affine: a rotation by the angles, voxel sizes, maybe mirrored.
func turned(r *rand.Rand) Affine {
	a := Identity
	for axis := range 3 {
		s, c := math.Sincos(2 * math.Pi * r.Float64())
		m := Identity
		p, q := (axis+1)%3, (axis+2)%3
		m[p][p], m[q][q], m[p][q], m[q][p] = c, c, -s, s
		a = a.Mul(&m)
	}
	for col := range 3 {
		size := 0.5 + 4*r.Float64()
		if r.IntN(2) == 0 {
			size = -size
		}
		for row := range 3 {
			a[row][col] *= size
		}
	}
	for row := range 3 {
		a[row][3] = 200 * (r.Float64() - 0.5)
	}
	return a
}

// An affine without shear goes through a quaternion and comes back.
func TestQuaternion(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	all := []Affine{Identity, {{-1, 0, 0, 1}, {0, 1, 0, 2}, {0, 0, 1, 3}, {0, 0, 0, 1}},
		{{-2, 0, 0, 1}, {0, -2, 0, 2}, {0, 0, 2, 3}, {0, 0, 0, 1}},
		{{0, 0, 1, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 1}},
		{{0, 1, 0, 0}, {1, 0, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}}
	for range 500 {
		all = append(all, turned(r))
	}
	for _, a := range all {
		bcd, size, qfac, ok := a.quaternion()
		if !ok {
			t.Fatalf("%v has no quaternion", a)
		}
		back, ok := fromQuaternion(bcd, [3]float64{a[0][3], a[1][3], a[2][3]}, size, qfac)
		if !ok {
			t.Fatalf("%v: quaternion %v", a, bcd)
		}
		for i := range 4 {
			for j := range 4 {
				// A turn by nearly 180° loses half of the digits: w = √(1−b²−c²−d²).
				if math.Abs(back[i][j]-a[i][j]) > 3e-7 {
					t.Errorf("%v became %v", a, back)
				}
			}
		}
	}
	shear := Identity
	shear[0][1] = 0.01
	if _, _, _, ok := shear.quaternion(); ok {
		t.Error("a shear has a quaternion")
	}
	if _, ok := fromQuaternion([3]float64{0.8, 0.8, 0}, [3]float64{}, [3]float64{1, 1, 1}, 1); ok {
		t.Error("a quaternion longer than 1 is taken")
	}
}

func TestInverse(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		a := turned(r)
		inv, ok := a.Inverse()
		if !ok {
			t.Fatal(a)
		}
		p := a.Mul(&inv)
		for i := range 4 {
			for j := range 4 {
				if math.Abs(p[i][j]-Identity[i][j]) > 1e-12 {
					t.Fatalf("affine × inverse = %v", p)
				}
			}
		}
	}
	flat := Identity
	flat[2][2] = 0
	if _, ok := flat.Inverse(); ok {
		t.Error("a flat affine has an inverse")
	}
}

// nibabel's test_aff2axcodes, and a permutation.
func TestAxes(t *testing.T) {
	for want, a := range map[string]Affine{
		"RAS": Identity,
		"LAS": {{-1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}},
		"PRS": {{0, 1, 0, 10}, {-1, 0, 0, 20}, {0, 0, 1, 30}, {0, 0, 0, 1}},
		"LIA": {{-1, 0, 0, 0}, {0, 0, 1, 0}, {0, -1, 0, 0}, {0, 0, 0, 1}},
		"SAR": {{0, 0.1, 2, 0}, {0, 3, 0.1, 0}, {1, 0, 0, 0}, {0, 0, 0, 1}},
	} {
		need.Equal(t, a.Axes(), want, a)
	}
}

// Which affine is used, and what a header without one gets (nibabel's
// get_best_affine and get_base_affine).
func TestBestAffine(t *testing.T) {
	h := &Header{Version: 1, Dim: [8]int64{3, 5, 6, 7}, Pixdim: [8]float64{-1, 2, 3, 4}, QOffset: [3]float64{1, 2, 3}}
	h.Srow = [3][4]float64{{1, 0, 0, 9}, {0, 1, 0, 9}, {0, 0, 1, 9}}
	base := Affine{{-2, 0, 0, 4}, {0, 3, 0, -7.5}, {0, 0, 4, -12}, {0, 0, 0, 1}}
	qform := Affine{{2, 0, 0, 1}, {0, 3, 0, 2}, {0, 0, -4, 3}, {0, 0, 0, 1}}
	sform := Affine{h.Srow[0], h.Srow[1], h.Srow[2], {0, 0, 0, 1}}
	for _, c := range []struct {
		q, s   int64
		want   Affine
		source string
	}{{0, 0, base, "none"}, {1, 0, qform, "qform"}, {0, 1, sform, "sform"}, {1, 4, sform, "sform"}} {
		h.QformCode, h.SformCode = c.q, c.s
		if got := h.Affine(); got != c.want || h.AffineSource() != c.source {
			t.Errorf("codes %d, %d: %v from %s, want %v from %s", c.q, c.s, got, h.AffineSource(), c.want, c.source)
		}
	}
	h.XYZTUnits = 1 // meters
	if got := h.Affine(); got[0][0] != 1000 || got[0][3] != 9000 || got[3][3] != 1 {
		t.Errorf("in metres: %v", got)
	}
}
