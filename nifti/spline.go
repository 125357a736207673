package nifti

import (
	"errors"
	"math"
)

// A spline is the cubic B-spline through the voxels of a volume, continued beyond its borders as in a mirror whose
// plane is the center of the outer voxels: the interpolation of scipy.ndimage.map_coordinates with order=3 and
// mode="mirror" (Unser, Aldroubi and Eden 1993, IEEE Trans. Signal Process. 41:821).
type spline struct {
	shape        [3]int
	coefficients []float64 // x fastest
}

// splinePole is the pole of the cubic B-spline's filter, √3 − 2.
const splinePole = 1.7320508075688772935274463415058723 - 2

// newSpline takes the voxels over, x fastest, and puts the coefficients in their place.
func newSpline(shape [3]int, voxels []float64) *spline {
	inner := 1
	for axis, n := range shape {
		if n > 1 {
			for at := 0; at < len(voxels); at += n * inner {
				splineFilter(voxels[at:at+n*inner], n, inner)
			}
		}
		inner *= shape[axis]
	}
	return &spline{shape, voxels}
}

// splineFilter turns values into coefficients along one axis: n rows, each of so many neighbors on the axes before it.
func splineFilter(v []float64, n, width int) {
	const z = splinePole
	for i := range v {
		v[i] *= 6 // (1−z)(1−1/z)
	}
	row := func(i int) []float64 { return v[i*width : (i+1)*width] }
	far := 1.0 // z to the power of n−1
	for range n - 1 {
		far *= z
	}
	// The causal filter begins with the sum over the mirrored row, z^i·c[i], of a period 2(n−1).
	first, last := row(0), row(n-1)
	for x := range first {
		first[x] += float64(far * last[x])
	}
	power := z
	for i := 1; i < n-1; i++ {
		near, mirrored := row(i), row(n-1-i)
		for x := range first {
			first[x] += float64(power * (near[x] + float64(far*mirrored[x])))
		}
		power *= z
	}
	for x := range first {
		first[x] /= 1 - float64(far*far)
	}
	for i := 1; i < n; i++ {
		before, here := row(i-1), row(i)
		for x := range here {
			here[x] += float64(z * before[x])
		}
	}
	before := row(n - 2)
	for x := range last {
		last[x] = float64((float64(z*before[x]) + last[x]) * (z / (z*z - 1)))
	}
	for i := n - 2; i >= 0; i-- {
		here, after := row(i), row(i+1)
		for x := range here {
			here[x] = float64(z * (after[x] - here[x]))
		}
	}
}

// beyondEdge is how far rounding may put a point beyond the center of an outer voxel, in voxels.
const beyondEdge = 1e-6

// at is the value at a place in voxels; NaN beyond the centers of the outer voxels, where the spline would be a guess.
func (s *spline) at(c [3]float64) float64 {
	var weights [3][4]float64
	var places [3][4]int
	stride := 1
	for axis, n := range s.shape {
		x := c[axis]
		if !(x >= -beyondEdge && x <= float64(n-1)+beyondEdge) {
			return math.NaN()
		}
		x = min(max(x, 0), float64(n-1))
		base := int(x)
		t := x - float64(base)
		u := 1 - t
		weights[axis] = [4]float64{
			float64(u*u) * u / 6,
			(4 - float64(float64(t*t)*(6-float64(3*t)))) / 6,
			(4 - float64(float64(u*u)*(6-float64(3*u)))) / 6,
			float64(t*t) * t / 6,
		}
		for i := range places[axis] {
			places[axis][i] = mirrored(base-1+i, n) * stride
		}
		stride *= n
	}
	sum := 0.0
	for k, z := range places[2] {
		plane := 0.0
		for j, y := range places[1] {
			line := 0.0
			for i, x := range places[0] {
				line += float64(weights[0][i] * s.coefficients[x+y+z])
			}
			plane += float64(weights[1][j] * line)
		}
		sum += float64(weights[2][k] * plane)
	}
	return sum
}

// mirrored is the voxel of a row of n that a place beyond its ends mirrors.
func mirrored(i, n int) int {
	if n == 1 {
		return 0
	}
	i %= 2 * (n - 1)
	if i < 0 {
		i = -i
	}
	if i >= n {
		i = 2*(n-1) - i
	}
	return i
}

var errNotFinite = errors.New("voxels are NaN or infinite, and a spline would spread them over the whole volume")

// finite refuses voxels that no spline goes through.
func finite(voxels []float64) error {
	for _, v := range voxels {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return errNotFinite
		}
	}
	return nil
}
