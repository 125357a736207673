package nifti

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/klauspost/compress/gzip"
)

// An Image is a whole image in memory, to be written: a label map, a statistical
// map, a simulated scan.
type Image struct {
	Shape   []int   // x, y, z and, for a series, t
	Affine  Affine  // written as sform and, where it can be, qform
	Code    int     // sform/qform code: 1 scanner, 2 aligned (also meant by 0), 4 MNI
	TR      float64 // s; 0 for an image without time
	Data    any     // []uint8, []int16, []int32 or []float32, x fastest
	Descrip string  // at most 79 bytes
	Intent  int     // NIfTI intent code, such as 1002 for labels
}

// gzipLevel is the compressor's level. On a simulated int16 scan of 4.3 MB level 2 takes
// no longer than level 1 for files 2% smaller; level 5 gives 1% more for 1.6 times the time.
const gzipLevel = 2

// Encode writes the image as a gzipped NIfTI-1 file: equal images give equal bytes.
// The compressor is the module's, not the standard library's, so that a new
// version of Go leaves the bytes as they are.
func Encode(w io.Writer, img *Image) error {
	h, err := img.header()
	if err != nil {
		return fmt.Errorf("nifti image to be written: %w", err)
	}
	z, err := gzip.NewWriterLevel(w, gzipLevel)
	if err != nil {
		return err
	}
	z.ModTime = time.Unix(0, 0)                                        // written as "no time"; the zero Time is not
	if _, err := z.Write(append(h.encode(), 0, 0, 0, 0)); err != nil { // no extensions
		return err
	}
	if err := writeData(z, img.Data); err != nil {
		return err
	}
	return z.Close()
}

// header builds and checks the header of an image; all mistakes are joined.
func (img *Image) header() (*Header, error) {
	var wrong []error
	bad := func(format string, a ...any) { wrong = append(wrong, fmt.Errorf(format, a...)) }

	h := &Header{Version: 1, SizeofHdr: 348, VoxOffset: 352, SclSlope: 1, Regular: 'r', IntentCode: int64(img.Intent)}
	copy(h.Magic[:], "n+1")
	if n := len(img.Shape); n < 3 || n > 7 {
		bad("shape %v has %d axes, want 3 to 7", img.Shape, n)
		return nil, errors.Join(wrong...)
	}
	voxels := 1
	for i := range 7 {
		h.Dim[i+1], h.Pixdim[i+1] = 1, 1
		if i >= len(img.Shape) {
			continue
		}
		n := img.Shape[i]
		if n < 1 || n > math.MaxInt16 {
			bad("axis %d has %d voxels, want 1 to %d", i+1, n, math.MaxInt16)
			n = 0
		}
		h.Dim[i+1] = int64(n)
		voxels *= n
	}
	h.Dim[0] = int64(len(img.Shape))

	kind, n := img.dataType()
	if kind == 0 {
		bad("data must be []uint8, []int16, []int32 or []float32")
	}
	h.Datatype, h.Bitpix = int64(kind), int64(8*kind.Size())
	if d, ok := img.Data.([]float32); ok && len(img.Shape) == 3 { // a map: viewers open it with its whole range
		h.CalMin, h.CalMax = span(d)
	}
	if n != voxels {
		bad("%d values for shape %v, want %d", n, img.Shape, voxels)
	}
	if len(img.Descrip) > 79 {
		bad("description of %d bytes, want at most 79", len(img.Descrip))
	}
	copy(h.Descrip[:79], img.Descrip)
	if !(img.TR >= 0) || math.IsInf(img.TR, 0) {
		bad("repetition time %v s", img.TR)
	}
	if !img.Affine.Usable() || img.Affine[3] != Identity[3] {
		bad("affine %v cannot be inverted", img.Affine)
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}

	h.XYZTUnits = unitMillimetre
	if len(img.Shape) > 3 {
		h.XYZTUnits |= unitSecond
		h.Pixdim[4] = img.TR
	}
	code := int64(img.Code)
	if code == 0 {
		code = 2
	}
	h.SformCode = code
	for r := range 3 {
		h.Srow[r] = img.Affine[r]
		h.QOffset[r] = img.Affine[r][3]
	}
	bcd, size, qfac, ok := img.Affine.quaternion()
	copy(h.Pixdim[1:4], size[:])
	h.Pixdim[0] = 1
	if ok {
		h.QformCode, h.Quatern, h.Pixdim[0] = code, bcd, qfac
	}
	return h, nil
}

// dataType is the type of the values and their number; 0 of data that cannot be written.
func (img *Image) dataType() (DataType, int) {
	switch d := img.Data.(type) {
	case []uint8:
		return Uint8, len(d)
	case []int16:
		return Int16, len(d)
	case []int32:
		return Int32, len(d)
	case []float32:
		return Float32, len(d)
	}
	return 0, 0
}

// span is the least and greatest finite value, 0 and 0 when there is none.
func span(d []float32) (lo, hi float64) {
	first := true
	for _, v := range d {
		x := float64(v)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		if first {
			lo, hi, first = x, x, false
		}
		lo, hi = min(lo, x), max(hi, x)
	}
	return lo, hi
}

// writeData writes values little-endian, some at a time.
func writeData(w io.Writer, data any) error {
	const some = 1 << 14
	buf := make([]byte, 0, 4*some)
	switch d := data.(type) {
	case []uint8:
		_, err := w.Write(d)
		return err
	case []int16:
		for len(d) > 0 {
			n := min(some, len(d))
			buf = buf[:0]
			for _, v := range d[:n] {
				buf = binary.LittleEndian.AppendUint16(buf, uint16(v))
			}
			if _, err := w.Write(buf); err != nil {
				return err
			}
			d = d[n:]
		}
	case []int32:
		for len(d) > 0 {
			n := min(some, len(d))
			buf = buf[:0]
			for _, v := range d[:n] {
				buf = binary.LittleEndian.AppendUint32(buf, uint32(v))
			}
			if _, err := w.Write(buf); err != nil {
				return err
			}
			d = d[n:]
		}
	case []float32:
		for len(d) > 0 {
			n := min(some, len(d))
			buf = buf[:0]
			for _, v := range d[:n] {
				buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(v))
			}
			if _, err := w.Write(buf); err != nil {
				return err
			}
			d = d[n:]
		}
	}
	return nil
}
