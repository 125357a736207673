package nifti

import (
	"encoding/binary"
	"math"
)

// seen follows the voxels that have been constant so far. There are many only
// while the first volumes are looked at, so it costs next to nothing.
type seen struct {
	candidates []int32
	isConstant []bool
}

func newSeen(n int) seen {
	s := seen{make([]int32, n), make([]bool, n)}
	for i := range s.candidates {
		s.candidates[i] = int32(i)
		s.isConstant[i] = true
	}
	return s
}

// keep drops the candidates that are no longer constant.
func (s *seen) keep(same func(voxel int32) bool) {
	left := s.candidates[:0]
	for _, v := range s.candidates {
		if same(v) {
			left = append(left, v)
		} else {
			s.isConstant[v] = false
		}
	}
	s.candidates = left
}

func (s *seen) constant(voxel int) bool { return s.isConstant[voxel] }

// shortSums sums voxels of 8 and 16 bits. The values of one voxel in four volumes
// stand side by side in a uint64, raised to be no less than 0; two masks and two
// additions then add all four, in lanes of 32 bits.
type shortSums struct {
	seen
	dtype  DataType
	first  []uint16 // each voxel's value in the first volume
	packed [guessed][]uint64
	bias   int64 // what raising added to a value
}

func newShortSums(t DataType, n int) *shortSums {
	s := &shortSums{seen: newSeen(n), dtype: t}
	switch t {
	case Int16:
		s.bias = 1 << 15
	case Int8:
		s.bias = 1 << 7
	}
	return s
}

func (s *shortSums) nonFinite(int) bool { return false }

func (s *shortSums) gather(slot int, volumes [][]byte, voxels []int32) {
	var v [lanes][]byte
	for i := range v {
		v[i] = volumes[0] // a lane without a volume repeats the first
	}
	copy(v[:], volumes)
	if s.packed[slot] == nil {
		s.packed[slot] = make([]uint64, len(voxels))
	}
	packed := s.packed[slot]
	var raise uint64
	if s.dtype.Size() == 2 {
		le := binary.LittleEndian
		for i, at := range voxels {
			a := 2 * int(at)
			packed[i] = uint64(le.Uint16(v[0][a:])) | uint64(le.Uint16(v[1][a:]))<<16 |
				uint64(le.Uint16(v[2][a:]))<<32 | uint64(le.Uint16(v[3][a:]))<<48
		}
		if s.dtype == Int16 {
			raise = 0x8000800080008000
		}
	} else {
		for i, at := range voxels {
			packed[i] = uint64(v[0][at]) | uint64(v[1][at])<<16 | uint64(v[2][at])<<32 | uint64(v[3][at])<<48
		}
		if s.dtype == Int8 {
			raise = 0x0080008000800080
		}
	}
	if raise != 0 {
		for i := range packed {
			packed[i] ^= raise
		}
	}
	if s.first == nil {
		s.first = make([]uint16, len(packed))
		for i, x := range packed {
			s.first[i] = uint16(x)
		}
	}
	s.keep(func(i int32) bool { return packed[i] == uint64(s.first[i])*0x0001000100010001 })
}

func (s *shortSums) sum(slot int, list []int32) [lanes]float64 {
	const mask = 0x0000ffff0000ffff
	const some = 1 << 16 // values of 16 bits whose sum fits in 32
	packed := s.packed[slot]
	var total [lanes]int64
	n := int64(len(list))
	for len(list) > 0 {
		part := list[:min(some, len(list))]
		list = list[len(part):]
		var even, odd uint64
		for _, p := range part {
			x := packed[p]
			even += x & mask
			odd += x >> 16 & mask
		}
		total[0] += int64(even & 0xffffffff)
		total[1] += int64(odd & 0xffffffff)
		total[2] += int64(even >> 32)
		total[3] += int64(odd >> 32)
	}
	var sums [lanes]float64
	for i := range sums {
		sums[i] = float64(total[i] - n*s.bias)
	}
	return sums
}

// wideSums sums voxels of 32 and 64 bits in float64.
type wideSums struct {
	seen
	dtype  DataType
	first  []float64
	packed [guessed][][lanes]float64
	wild   []bool // has been NaN or infinite
}

func newWideSums(t DataType, n int) *wideSums {
	return &wideSums{seen: newSeen(n), dtype: t, wild: make([]bool, n)}
}

func (s *wideSums) nonFinite(voxel int) bool { return s.wild[voxel] }

func (s *wideSums) gather(slot int, volumes [][]byte, voxels []int32) {
	if s.packed[slot] == nil {
		s.packed[slot] = make([][lanes]float64, len(voxels))
	}
	packed := s.packed[slot]
	le := binary.LittleEndian
	for lane := range lanes {
		v := volumes[0]
		if lane < len(volumes) {
			v = volumes[lane]
		}
		switch s.dtype {
		case Float32:
			for i, at := range voxels {
				packed[i][lane] = float64(math.Float32frombits(le.Uint32(v[4*int(at):])))
			}
		case Int32:
			for i, at := range voxels {
				packed[i][lane] = float64(int32(le.Uint32(v[4*int(at):])))
			}
		case Uint32:
			for i, at := range voxels {
				packed[i][lane] = float64(le.Uint32(v[4*int(at):]))
			}
		case Float64:
			for i, at := range voxels {
				packed[i][lane] = math.Float64frombits(le.Uint64(v[8*int(at):]))
			}
		case Int64:
			for i, at := range voxels {
				packed[i][lane] = float64(int64(le.Uint64(v[8*int(at):])))
			}
		case Uint64:
			for i, at := range voxels {
				packed[i][lane] = float64(le.Uint64(v[8*int(at):]))
			}
		}
	}
	for i := range packed {
		x := &packed[i]
		if d := (x[0] - x[0]) + (x[1] - x[1]) + (x[2] - x[2]) + (x[3] - x[3]); d != 0 {
			s.wild[i] = true // v − v is 0 for every number, and NaN for the others
		}
	}
	if s.first == nil {
		s.first = make([]float64, len(packed))
		for i := range packed {
			s.first[i] = packed[i][0]
		}
	}
	s.keep(func(i int32) bool {
		f := s.first[i]
		return packed[i] == [lanes]float64{f, f, f, f}
	})
}

func (s *wideSums) sum(slot int, list []int32) [lanes]float64 {
	packed := s.packed[slot]
	var a, b, c, d float64
	for _, p := range list {
		x := &packed[p]
		a += x[0]
		b += x[1]
		c += x[2]
		d += x[3]
	}
	return [lanes]float64{a, b, c, d}
}
