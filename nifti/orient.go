package nifti

import (
	"errors"
	"fmt"
	"math"
)

// AffineSource says where the affine comes from: "sform", "qform", "mgh" or, when
// both codes are 0, "none".
func (h *Header) AffineSource() string {
	switch {
	case h.mgh != nil:
		return "mgh"
	case h.SformCode > 0:
		return "sform"
	case h.QformCode > 0:
		return "qform"
	}
	return "none"
}

// Affine is the sform where its code is positive, else the qform where its code
// is, else what nibabel makes of voxel sizes alone: x turned about, the origin in
// the middle of the grid. (The standard's "method 1" says x = pixdim·i, and other
// tools other things again: where two files must agree on a place, such a header
// does not do; see Grid.Oriented.) A header that passed Check has a usable one.
func (h *Header) Affine() Affine {
	var a Affine
	switch h.AffineSource() {
	case "mgh":
		a = *h.mgh
	case "sform":
		a = h.sform()
	case "qform":
		a, _ = h.qform()
	default:
		a = h.baseAffine()
	}
	if f, ok := spaceUnits[h.XYZTUnits&0o7]; ok && f != 1 {
		for r := range 3 {
			for c := range 4 {
				a[r][c] *= f
			}
		}
	}
	return a
}

// sform is the affine of the srow fields ("method 3" of nifti1.h).
func (h *Header) sform() Affine {
	return Affine{h.Srow[0], h.Srow[1], h.Srow[2], {0, 0, 0, 1}}
}

// qform is the affine of quaternion, voxel sizes and offset ("method 2").
func (h *Header) qform() (Affine, error) {
	size := [3]float64(h.Pixdim[1:4])
	for i, s := range size {
		if !(s > 0) {
			return Affine{}, fmt.Errorf("pixdim[%d] is %v, but a qform needs positive voxel sizes", i+1, s)
		}
	}
	a, ok := fromQuaternion(h.Quatern, h.QOffset, size, h.qfac())
	if !ok {
		return a, fmt.Errorf("quatern %v is longer than a unit quaternion", h.Quatern)
	}
	return a, nil
}

// qfac is the sign of the third axis of a qform: pixdim[0], where anything but
// -1 counts as 1.
func (h *Header) qfac() float64 {
	if h.Pixdim[0] == -1 {
		return -1
	}
	return 1
}

// baseAffine is nibabel's affine of a header without orientation.
func (h *Header) baseAffine() Affine {
	a := Identity
	for i := range 3 {
		n, step := 1.0, h.Pixdim[i+1]
		if int64(i) < h.Dim[0] {
			n = float64(h.Dim[i+1])
		}
		if math.IsNaN(step) || math.IsInf(step, 0) || step == 0 {
			step = 1
		}
		if step = math.Abs(step); i == 0 {
			step = -step
		}
		a[i][i] = step
		a[i][3] = -float64((n - 1) / 2 * step)
	}
	return a
}

// Grid is where the image's voxels lie.
func (h *Header) Grid() Grid {
	g := Grid{Affine: h.Affine(), Oriented: h.AffineSource() != "none"}
	for i := range g.Shape {
		g.Shape[i] = int(h.axis(i + 1))
	}
	return g
}

// axis is the length of an axis, 1 for one the image does not have.
func (h *Header) axis(i int) int64 {
	if int64(i) > h.Dim[0] {
		return 1
	}
	return h.Dim[i]
}

// Shape is the length of every axis.
func (h *Header) Shape() []int64 {
	return h.Dim[1 : 1+max(0, min(h.Dim[0], 7))]
}

// volumes is the number of 3-D volumes: the product of the lengths of the axes
// after the third.
func (h *Header) volumes() int64 {
	n := int64(1)
	for i := 4; i <= 7; i++ {
		n *= h.axis(i)
	}
	return n
}

// Scaling gives the slope and intercept that turn stored values into real ones.
// A slope of zero or no finite number means that the stored values are the real
// ones, whatever the intercept is.
func (h *Header) Scaling() (slope, inter float64, err error) {
	s, i := h.SclSlope, h.SclInter
	if h.Version == 0 || s == 0 || math.IsNaN(s) || math.IsInf(s, 0) {
		return 1, 0, nil
	}
	if math.IsNaN(i) || math.IsInf(i, 0) {
		return 0, 0, fmt.Errorf("scl_inter is %v beside a scl_slope of %v", i, s)
	}
	return s, i, nil
}

// series checks that the image is a series of volumes over time. Trailing axes of length one count for
// nothing; x, y, z, 1, t is a series when no intent says otherwise.
func (h *Header) series() error {
	n := int(h.Dim[0])
	for n > 3 && h.Dim[n] == 1 {
		n--
	}
	switch {
	case h.CIFTI():
		return errors.New("it is a CIFTI file, which has grayordinates, not voxels; give the volume file that it was made from")
	case n <= 3:
		return fmt.Errorf("shape %v has one volume, but a BOLD scan needs several", h.Shape())
	case n == 4, n == 5 && h.Dim[4] == 1 && (h.IntentCode < 1003 || h.IntentCode > 1011):
		return nil
	}
	return fmt.Errorf("shape %v has more axes than x, y, z and time; split it into four-dimensional images", h.Shape())
}

// CIFTI reports whether the header is of a CIFTI file: axes 5 and 6 hold a matrix.
func (h *Header) CIFTI() bool {
	return h.Version == 2 && h.IntentCode >= 3000 && h.IntentCode < 3100 && h.Dim[0] >= 5
}
