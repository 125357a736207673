package nifti

import (
	"encoding/binary"
	"math"
)

// A voxelSeries keeps the series of some voxels, [time, voxel].
type voxelSeries struct {
	dtype  DataType
	voxels []int32
	series []float64 // as stored
}

func (s *voxelSeries) add(volumes [][]byte) {
	size := s.dtype.Size()
	var one [1]float64
	for _, raw := range volumes {
		for _, at := range s.voxels {
			decode(one[:], raw[int(at)*size:][:size], s.dtype)
			s.series = append(s.series, one[0])
		}
	}
}

// wrapJump is a range of the stored numbers of a voxel over time that only an overflow makes: nearly all of 16 bits.
const wrapJump = 60000

// A wrapping finds the voxels whose values left the range of 16 bits and began again at its other end. Scaled numbers
// use the whole range, so they show nothing; dtype is 0 then.
type wrapping struct {
	dtype     DataType
	low, high []int32
}

func newWrapping(t DataType, slope, inter float64, voxels int) *wrapping {
	if t != Int16 && t != Uint16 || slope != 1 || inter != 0 {
		return &wrapping{}
	}
	w := &wrapping{dtype: t, low: make([]int32, voxels), high: make([]int32, voxels)}
	for i := range w.low {
		w.low[i], w.high[i] = math.MaxInt32, math.MinInt32
	}
	return w
}

func (w *wrapping) add(raw []byte, voxels []int32) {
	if w.dtype == 0 {
		return
	}
	for i, at := range voxels {
		v := int32(binary.LittleEndian.Uint16(raw[2*int(at):]))
		if w.dtype == Int16 {
			v = int32(int16(v))
		}
		w.low[i], w.high[i] = min(w.low[i], v), max(w.high[i], v)
	}
}

// count is the number of these voxels.
func (w *wrapping) count() (n int) {
	for i, low := range w.low {
		if w.high[i] >= low && w.high[i]-low >= wrapJump {
			n++
		}
	}
	return n
}

// scaled are the series in real values.
func (s *voxelSeries) scaled(slope, inter float64) []float64 {
	scale(s.series, slope, inter)
	clearNonFinite(s.series, len(s.voxels))
	return s.series
}

// clearNonFinite makes a voxel NaN throughout that is not finite in some volume.
func clearNonFinite(series []float64, voxels int) {
	for j := range voxels {
		whole := true
		for at := j; at < len(series) && whole; at += voxels {
			whole = series[at]-series[at] == 0
		}
		for at := j; at < len(series) && !whole; at += voxels {
			series[at] = math.NaN()
		}
	}
}
