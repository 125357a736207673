package nifti

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// swap turns big-endian elements of 2, 4 or 8 bytes into little-endian ones, in
// place.
func swap(b []byte, size int) {
	le := binary.LittleEndian
	switch size {
	case 2:
		for ; len(b) >= 8; b = b[8:] {
			v := le.Uint64(b)
			le.PutUint64(b, v&0x00ff00ff00ff00ff<<8|v>>8&0x00ff00ff00ff00ff)
		}
		for ; len(b) >= 2; b = b[2:] {
			b[0], b[1] = b[1], b[0]
		}
	case 4:
		for ; len(b) >= 4; b = b[4:] {
			le.PutUint32(b, bits.ReverseBytes32(le.Uint32(b)))
		}
	case 8:
		for ; len(b) >= 8; b = b[8:] {
			le.PutUint64(b, bits.ReverseBytes64(le.Uint64(b)))
		}
	}
}

// decode turns little-endian voxels into numbers, as many as raw holds and dst has
// room for, and returns how many raw holds.
func decode(dst []float64, raw []byte, t DataType) int {
	size := t.Size()
	n := len(raw) / size
	dst = dst[:min(n, len(dst))]
	le := binary.LittleEndian
	switch t {
	case Uint8:
		for i := range dst {
			dst[i] = float64(raw[i])
		}
	case Int8:
		for i := range dst {
			dst[i] = float64(int8(raw[i]))
		}
	case Int16:
		for i := range dst {
			dst[i] = float64(int16(le.Uint16(raw[2*i:])))
		}
	case Uint16:
		for i := range dst {
			dst[i] = float64(le.Uint16(raw[2*i:]))
		}
	case Int32:
		for i := range dst {
			dst[i] = float64(int32(le.Uint32(raw[4*i:])))
		}
	case Uint32:
		for i := range dst {
			dst[i] = float64(le.Uint32(raw[4*i:]))
		}
	case Float32:
		for i := range dst {
			dst[i] = float64(math.Float32frombits(le.Uint32(raw[4*i:])))
		}
	case Int64:
		for i := range dst {
			dst[i] = float64(int64(le.Uint64(raw[8*i:])))
		}
	case Uint64:
		for i := range dst {
			dst[i] = float64(le.Uint64(raw[8*i:]))
		}
	case Float64:
		for i := range dst {
			dst[i] = math.Float64frombits(le.Uint64(raw[8*i:]))
		}
	}
	return n
}

// scale turns stored values into real ones, in float64 as nibabel does.
func scale(v []float64, slope, inter float64) {
	if slope == 1 && inter == 0 {
		return
	}
	for i, x := range v {
		v[i] = float64(x*slope) + inter
	}
}

// encodeFloat64 writes values as little-endian float64.
func encodeFloat64(dst []byte, v []float64) {
	for i, x := range v {
		binary.LittleEndian.PutUint64(dst[8*i:], math.Float64bits(x))
	}
}
