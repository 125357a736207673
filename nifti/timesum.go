package nifti

import (
	"encoding/binary"
	"math"
)

// MeanStep is the step from one volume to the next of those that Means.Mean averages: all of them would make the
// reading
// of a compressed scan a fifth slower.
const MeanStep = lanes

// A timeSum adds up volumes, voxel by voxel, as they are stored. What is not finite counts as 0.
type timeSum struct {
	dtype DataType
	sums  []float64
	one   []float64 // a volume, decoded
	n     int       // volumes
}

func (s *timeSum) add(raw []byte) {
	n := len(raw) / s.dtype.Size()
	if s.sums == nil {
		s.sums = make([]float64, n)
	}
	s.n++
	le, sums := binary.LittleEndian, s.sums[:n]
	switch s.dtype {
	case Int16:
		for i := range sums {
			sums[i] += float64(int16(le.Uint16(raw[2*i:])))
		}
	case Float32:
		for i := range sums {
			if x := float64(math.Float32frombits(le.Uint32(raw[4*i:]))); x-x == 0 {
				sums[i] += x
			}
		}
	default:
		if s.one == nil {
			s.one = make([]float64, n)
		}
		decode(s.one, raw, s.dtype)
		for i, x := range s.one {
			if x-x == 0 {
				sums[i] += x
			}
		}
	}
}

// mean is that of each voxel, scaled.
func (s *timeSum) mean(slope, inter float64) []float64 {
	for i, sum := range s.sums {
		s.sums[i] = float64(sum/float64(s.n)*slope) + inter
	}
	return s.sums
}
