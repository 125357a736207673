package nifti

import (
	"math"
	"strings"
)

// An Affine takes voxel indices (i, j, k, 1) to millimetres (x, y, z, 1), RAS+.
type Affine [4][4]float64

// Identity is the affine of unit voxels with the first at the origin.
var Identity = Affine{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}

// Apply takes voxel indices to millimetres.
func (a *Affine) Apply(i, j, k float64) (x, y, z float64) {
	x = float64(a[0][0]*i) + float64(a[0][1]*j) + float64(a[0][2]*k) + a[0][3]
	y = float64(a[1][0]*i) + float64(a[1][1]*j) + float64(a[1][2]*k) + a[1][3]
	z = float64(a[2][0]*i) + float64(a[2][1]*j) + float64(a[2][2]*k) + a[2][3]
	return x, y, z
}

// Mul is the affine that applies b first, then a.
func (a *Affine) Mul(b *Affine) Affine {
	var c Affine
	for i := range 4 {
		for j := range 4 {
			var s float64
			for k := range 4 {
				s += float64(a[i][k] * b[k][j])
			}
			c[i][j] = s
		}
	}
	return c
}

// Inverse takes millimetres to voxel indices; ok is false when the voxels have
// no volume. Gauss-Jordan elimination with partial pivoting.
func (a *Affine) Inverse() (inv Affine, ok bool) {
	m, inv := *a, Identity
	for c := range 4 {
		p := c
		for r := c + 1; r < 4; r++ {
			if math.Abs(m[r][c]) > math.Abs(m[p][c]) {
				p = r
			}
		}
		if m[p][c] == 0 || math.IsNaN(m[p][c]) || math.IsInf(m[p][c], 0) {
			return Affine{}, false
		}
		m[c], m[p] = m[p], m[c]
		inv[c], inv[p] = inv[p], inv[c]
		d := m[c][c]
		for j := range 4 {
			m[c][j] /= d
			inv[c][j] /= d
		}
		for r := range 4 {
			f := m[r][c]
			if r == c || f == 0 {
				continue
			}
			for j := range 4 {
				m[r][j] -= float64(f * m[c][j])
				inv[r][j] -= float64(f * inv[c][j])
			}
		}
	}
	return inv, true
}

// VoxelSize is the edge lengths of a voxel, mm.
func (a *Affine) VoxelSize() (size [3]float64) {
	for c := range size {
		var s float64
		for r := range 3 {
			s += float64(a[r][c] * a[r][c])
		}
		size[c] = math.Sqrt(s)
	}
	return size
}

// Determinant is that of the linear part: how many times a volume grows.
func (a *Affine) Determinant() float64 {
	var m [3][3]float64
	for r := range m {
		m[r] = [3]float64(a[r][:3])
	}
	return det3(m)
}

// Axes names the direction of each voxel axis by the closest axis of the
// patient, such as "RAS" or "LPI" (the end that the index grows to).
func (a *Affine) Axes() string {
	ends := [3][2]byte{{'R', 'L'}, {'A', 'P'}, {'S', 'I'}}
	size := a.VoxelSize()
	name := []byte("???")
	var taken [3]bool
	// The largest cosine first, so that no two axes get one letter.
	for range 3 {
		best, row, col := -1.0, 0, 0
		for r := range 3 {
			for c := range 3 {
				if v := math.Abs(a[r][c]) / size[c]; name[c] == '?' && !taken[r] && v > best {
					best, row, col = v, r, c
				}
			}
		}
		if best < 0 {
			break
		}
		taken[row] = true
		name[col] = ends[row][0]
		if a[row][col] < 0 {
			name[col] = ends[row][1]
		}
	}
	return string(name)
}

// Usable reports whether the affine gives voxels a place and a volume.
func (a *Affine) Usable() bool {
	_, ok := a.Inverse()
	return ok && a.finite()
}

// finite reports whether all elements are numbers.
func (a *Affine) finite() bool {
	for _, r := range a {
		for _, v := range r {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return false
			}
		}
	}
	return true
}

// quaternionThreshold is how far 1-b²-c²-d² may fall below zero by the rounding
// of float32 before the quaternion is called wrong (nibabel's value).
const quaternionThreshold = -3 * 1.1920928955078125e-07

// fromQuaternion is the qform affine ("method 2" of nifti1.h): rotation from
// the quaternion (a, b, c, d) with a ≥ 0 implied, the columns scaled by the
// voxel sizes, the third one turned about when qfac is negative. ok is false
// when b, c, d are no part of a unit quaternion.
func fromQuaternion(bcd, offset [3]float64, size [3]float64, qfac float64) (m Affine, ok bool) {
	b, c, d := bcd[0], bcd[1], bcd[2]
	sum := float64(b*b) + float64(c*c) + float64(d*d)
	w2 := 1 - sum
	if !(w2 >= quaternionThreshold) {
		return m, false
	}
	var w float64
	if math.Abs(w2) >= -quaternionThreshold { // else a turn by 180°
		w = math.Sqrt(w2)
	}
	ww, bb, cc, dd := float64(w*w), float64(b*b), float64(c*c), float64(d*d)
	n := ww + bb + cc + dd
	s := 2 / n
	bs, cs, ds := float64(b*s), float64(c*s), float64(d*s)
	rot := [3][3]float64{
		{1 - (float64(c*cs) + float64(d*ds)), float64(b*cs) - float64(w*ds), float64(b*ds) + float64(w*cs)},
		{float64(b*cs) + float64(w*ds), 1 - (float64(b*bs) + float64(d*ds)), float64(c*ds) - float64(w*bs)},
		{float64(b*ds) - float64(w*cs), float64(c*ds) + float64(w*bs), 1 - (float64(b*bs) + float64(c*cs))},
	}
	scale := size
	scale[2] *= qfac
	for r := range 3 {
		for c := range 3 {
			m[r][c] = rot[r][c] * scale[c]
		}
		m[r][3] = offset[r]
	}
	m[3][3] = 1
	return m, true
}

// quaternion splits the affine into a qform's parts. ok is false when its axes
// are not at right angles within 1e-4 (a shear has no quaternion) or a voxel
// has no volume.
func (a *Affine) quaternion() (bcd [3]float64, size [3]float64, qfac float64, ok bool) {
	size = a.VoxelSize()
	var r [3][3]float64
	for c := range 3 {
		if !(size[c] > 0) {
			return bcd, size, 0, false
		}
		for i := range 3 {
			r[i][c] = a[i][c] / size[c]
		}
	}
	for c := range 3 {
		e := (c + 1) % 3
		var dot float64
		for i := range 3 {
			dot += float64(r[i][c] * r[i][e])
		}
		if math.Abs(dot) > 1e-4 {
			return bcd, size, 0, false
		}
	}
	qfac = 1
	if det3(r) < 0 {
		qfac = -1
		for i := range 3 {
			r[i][2] = -r[i][2]
		}
	}
	// The largest of the four squares is found first, so that nothing is
	// divided by a small number (Shepperd 1978).
	t := [4]float64{
		1 + r[0][0] + r[1][1] + r[2][2],
		1 + r[0][0] - r[1][1] - r[2][2],
		1 - r[0][0] + r[1][1] - r[2][2],
		1 - r[0][0] - r[1][1] + r[2][2],
	}
	k := 0
	for i := range t {
		if t[i] > t[k] {
			k = i
		}
	}
	s := 2 * math.Sqrt(t[k]) // 4 × the largest component
	var w float64
	wx, wy, wz := r[2][1]-r[1][2], r[0][2]-r[2][0], r[1][0]-r[0][1]
	xy, xz, yz := r[0][1]+r[1][0], r[0][2]+r[2][0], r[1][2]+r[2][1]
	switch k {
	case 0:
		w, bcd = s/4, [3]float64{wx / s, wy / s, wz / s}
	case 1:
		w, bcd = wx/s, [3]float64{s / 4, xy / s, xz / s}
	case 2:
		w, bcd = wy/s, [3]float64{xy / s, s / 4, yz / s}
	case 3:
		w, bcd = wz/s, [3]float64{xz / s, yz / s, s / 4}
	}
	if w < 0 {
		for i := range bcd {
			bcd[i] = -bcd[i]
		}
	}
	return bcd, size, qfac, true
}

func det3(r [3][3]float64) float64 {
	return float64(r[0][0]*(float64(r[1][1]*r[2][2])-float64(r[1][2]*r[2][1]))) -
		float64(r[0][1]*(float64(r[1][0]*r[2][2])-float64(r[1][2]*r[2][0]))) +
		float64(r[0][2]*(float64(r[1][0]*r[2][1])-float64(r[1][1]*r[2][0])))
}

// Opposed lists the directions in which the axes of sform and qform are opposite, such as "left-right": the image lies
// mirrored, or turned around, by one of them. "" where they agree or one is missing.
func (h *Header) Opposed() string {
	if h.SformCode <= 0 || h.QformCode <= 0 || h.mgh != nil {
		return ""
	}
	s := h.sform()
	q, err := h.qform()
	if err != nil || !s.Usable() || !q.Usable() {
		return ""
	}
	names := map[byte]string{'L': "left-right", 'R': "left-right", 'A': "anterior-posterior", 'P': "anterior-posterior",
		'S': "superior-inferior", 'I': "superior-inferior"}
	var opposed []string
	for axis, letter := range []byte(s.Axes()) {
		along := 0.0
		for row := range 3 {
			along += float64(s[row][axis] * q[row][axis])
		}
		if along < 0 {
			opposed = append(opposed, names[letter])
		}
	}
	return strings.Join(opposed, ", ")
}
