package nifti

import (
	"fmt"
	"math"
	"strconv"
)

// The units of xyzt_units: the low three bits for space, the next three for time.
const (
	unitMillimetre = 2
	unitSecond     = 8
)

// spaceUnits and timeUnits give the factor to millimetres and seconds. A code
// that is not here (0 is "unknown") counts as millimetres and seconds, as every
// tool takes it.
var (
	spaceUnits = map[int64]float64{1: 1000, 2: 1, 3: 0.001}
	timeUnits  = map[int64]float64{8: 1, 16: 0.001, 24: 1e-6}
)

// noTimes are units of the fourth axis that are none of time: Hz, ppm and rad/s.
var noTimes = map[int64]bool{32: true, 40: true, 48: true}

// TimeAxis is the axis of the volumes: the fourth, or of x, y, z, 1, t the fifth.
func (h *Header) TimeAxis() int {
	axis := 4
	for int64(axis) < min(h.Dim[0], 7) && h.Dim[axis] == 1 {
		axis++
	}
	return axis
}

// TR is the repetition time in seconds, or 0 when the header does not give a
// usable one.
func (h *Header) TR() float64 {
	unit := h.XYZTUnits & 0o70
	if h.Dim[0] < 4 || noTimes[unit] || h.rivalTime() > 0 {
		return 0
	}
	f, ok := timeUnits[unit]
	if !ok {
		f = 1
	}
	tr := h.Pixdim[h.TimeAxis()]
	if h.Version == 1 {
		// Stored as float32: take the decimal that was meant, 0.72 and not
		// 0.7200000286102295.
		tr, _ = strconv.ParseFloat(strconv.FormatFloat(tr, 'g', -1, 32), 64)
	}
	tr *= f
	if !(tr > 0) || math.IsInf(tr, 0) {
		return 0
	}
	return tr
}

// rivalTime is an axis of one before that of the volumes whose step is another, 0
// for none: it may be the repetition time of the scan that got a further axis.
// 1 is what writers fill in for an axis of one.
func (h *Header) rivalTime() int {
	axis := h.TimeAxis()
	for i := 4; i < axis; i++ {
		if step := h.Pixdim[i]; step > 0 && step != 1 && step != h.Pixdim[axis] && h.Pixdim[axis] > 0 {
			return i
		}
	}
	return 0
}

// NoTime is why the header gives no repetition time; "" where it gives one.
func (h *Header) NoTime() string {
	if h.TR() > 0 {
		return ""
	}
	axis := h.TimeAxis()
	text := fmt.Sprintf("pixdim[%d] is %v", axis, h.Pixdim[axis])
	switch rival := h.rivalTime(); {
	case noTimes[h.XYZTUnits&0o70] && h.Pixdim[axis] > 0:
		text += fmt.Sprintf(", but the unit of xyzt_units, %d, is none of time", h.XYZTUnits)
	case rival > 0:
		text = fmt.Sprintf("pixdim[%d] is %v, %s: either may be the repetition time", rival, h.Pixdim[rival], text)
	}
	return text
}
