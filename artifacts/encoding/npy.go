package encoding

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
)

// The npy format (NEP 1 of numpy): 6 bytes of magic, version, length of the
// header, the header as the text of a Python dictionary, padded with blanks
// so that the data begin at a multiple of 64, then the data.
const (
	npyMagic = "\x93NUMPY"
	npyAlign = 64
	// npyMaxHeader bounds the header that is read: one for 64 axes of 19 digits
	// has 1.4 kB, and a header is not trusted to say how long it is.
	npyMaxHeader = 64 << 10
	// npyMaxAxes is what numpy itself holds (NPY_MAXDIMS, numpy 2).
	npyMaxAxes = 64
)

// npyHeader writes the one canonical header of a dtype and a shape.
func npyHeader(dtype string, shape []int) ([]byte, error) {
	if len(shape) > npyMaxAxes {
		return nil, fmt.Errorf("npy: %d axes; numpy allows at most %d", len(shape), npyMaxAxes)
	}
	var dims strings.Builder
	for i, d := range shape {
		if i > 0 {
			dims.WriteByte(' ')
		}
		dims.WriteString(strconv.Itoa(d))
		if i < len(shape)-1 || len(shape) == 1 {
			dims.WriteByte(',')
		}
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", dtype, dims.String())
	size := len(npyMagic) + 4 + len(text) + 1
	text += strings.Repeat(" ", (npyAlign-size%npyAlign)%npyAlign) + "\n"

	h := append([]byte(npyMagic), 1, 0)
	h = binary.LittleEndian.AppendUint16(h, uint16(len(text)))
	return append(h, text...), nil
}

// writeNPY writes an array in the canonical form. Every NaN becomes the one that
// numpy.nan is: which bits a NaN has depends on the processor that made it
// (0/0 is negative on amd64, positive on arm64), and equal values must give
// equal bytes.
func writeNPY(w io.Writer, a *Array) error {
	if err := a.check(); err != nil {
		return fmt.Errorf("npy: %w", err)
	}
	h, err := npyHeader(a.DType(), a.Shape)
	if err != nil {
		return err
	}
	if _, err := w.Write(h); err != nil {
		return err
	}
	le := binary.LittleEndian
	switch d := a.data.(type) {
	case []float64:
		return writeElements(w, d, 8, func(b []byte, x float64) { le.PutUint64(b, float64bits(x)) })
	case []float32:
		return writeElements(w, d, 4, func(b []byte, x float32) { le.PutUint32(b, float32bits(x)) })
	case []int64:
		return writeElements(w, d, 8, func(b []byte, x int64) { le.PutUint64(b, uint64(x)) })
	case []int32:
		return writeElements(w, d, 4, func(b []byte, x int32) { le.PutUint32(b, uint32(x)) })
	case []int16:
		return writeElements(w, d, 2, func(b []byte, x int16) { le.PutUint16(b, uint16(x)) })
	case []complex64:
		return writeElements(w, d, 8, func(b []byte, x complex64) {
			le.PutUint32(b, float32bits(real(x)))
			le.PutUint32(b[4:], float32bits(imag(x)))
		})
	case []complex128:
		return writeElements(w, d, 16, func(b []byte, x complex128) {
			le.PutUint64(b, float64bits(real(x)))
			le.PutUint64(b[8:], float64bits(imag(x)))
		})
	default:
		_, err := w.Write(d.([]uint8))
		return err
	}
}

// float64bits and float32bits know one NaN.
func float64bits(x float64) uint64 {
	if x != x {
		return 0x7ff8000000000000
	}
	return math.Float64bits(x)
}

func float32bits(x float32) uint32 {
	if x != x {
		return 0x7fc00000
	}
	return math.Float32bits(x)
}

const piece = 64 << 10 // bytes

var pieces = sync.Pool{New: func() any { return new([piece]byte) }}

// writeElements converts and writes in pieces.
func writeElements[T Element](w io.Writer, data []T, size int, put func([]byte, T)) error {
	buf := pieces.Get().(*[piece]byte)
	defer pieces.Put(buf)
	for len(data) > 0 {
		n := min(len(data), piece/size)
		for i, x := range data[:n] {
			put(buf[i*size:], x)
		}
		if _, err := w.Write(buf[:n*size]); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}
