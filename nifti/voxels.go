package nifti

import "math"

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
