package nifti

import (
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

// TR is the repetition time in seconds, or 0 when the header does not give a
// usable one.
func (h *Header) TR() float64 {
	if h.Dim[0] < 4 {
		return 0
	}
	f, ok := timeUnits[h.XYZTUnits&0o70]
	if !ok {
		f = 1
	}
	tr := h.Pixdim[4]
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
