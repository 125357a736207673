package encoding

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"unsafe"

	"prgnn/internal/budget"
)

// ReadArray reads an npy file of version 1.0 to 3.0, either byte order, C or
// Fortran order, of any element type that Array holds (bool, unsigned and
// float16 are widened). It never allocates more than the bytes it is given.
func ReadArray(r io.Reader) (*Array, error) {
	a, err := readNPY(r, nil)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	return a, nil
}

// ArrayOf is a value that encodes an array: itself, or what it encodes.
func ArrayOf(v interface{ Encode(io.Writer) error }) (*Array, error) {
	if a, ok := v.(*Array); ok {
		return a, a.check()
	}
	var b bytes.Buffer
	if err := v.Encode(&b); err != nil {
		return nil, err
	}
	return ReadArray(&b)
}

// ReadFloats reads the numbers of an npy file from outside in double precision, and their shape. What they take is
// claimed by the header, before they are read: as they are stored, in double precision, and so many further copies of
// that.
func ReadFloats(r io.Reader, copies int) (shape []int, v []float64, err error) {
	mem := budget.Of(r)
	a, err := readNPY(r, func(h npyDescr, n int) error {
		if h.kind == 'c' {
			return fmt.Errorf("element type %q: the numbers are complex: save their real parts or magnitudes", h.descr)
		}
		size := h.size + 8*copies
		if h.kind != 'f' || h.size != 8 {
			size += 8
		}
		if h.foreign() { // read as bytes, as numbers, and in a wider type or another order
			size += 3 * h.size
		}
		if err := mem.Take(int64(n), int64(size), "numbers"); err != nil {
			return fmt.Errorf("shape %v of %s: %w", h.shape, h.descr, err)
		}
		if h.kind == 'b' {
			return fmt.Errorf("element type %q: the values are truth values, as of a mask: save numbers", h.descr)
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("npy: %w", err)
	}
	return a.Shape, a.Float64s(), nil
}

// ReadShape reads the shape of the array in an npy file from its header.
func ReadShape(r io.Reader) ([]int, error) {
	h, err := readNPYHeader(r)
	return h.shape, err
}

// DecodeArray is ReadArray for a whole file in memory. The array may lie in b, which is its own from then on.
func DecodeArray(b []byte) (*Array, error) {
	r := bytes.NewReader(b)
	if h, err := readNPYHeader(r); err == nil && h.canonical() && h.order != '>' && !h.fortran {
		if data, ok := inPlace(b[len(b)-r.Len():], h); ok {
			return &Array{Shape: h.shape, data: data}, nil
		}
	}
	return ReadArray(bytes.NewReader(b))
}

// inPlace are the elements of a canonical array where they lie. It declines bytes of another number, those of
// processors that begin at the other end, and those that do not begin at a multiple of their size.
func inPlace(b []byte, h npyDescr) (any, bool) {
	n, err := elements(h.shape)
	little := binary.NativeEndian.Uint16([]byte{1, 0}) == 1
	if err != nil || n == 0 || n > len(b) || len(b) != n*h.size || !little ||
		uintptr(unsafe.Pointer(&b[0]))%uintptr(h.size) != 0 {
		return nil, false
	}
	first := unsafe.Pointer(&b[0])
	switch {
	case h.kind == 'c' && h.size == 16:
		return unsafe.Slice((*complex128)(first), n), true
	case h.kind == 'c':
		return unsafe.Slice((*complex64)(first), n), true
	case h.kind == 'f' && h.size == 8:
		return unsafe.Slice((*float64)(first), n), true
	case h.kind == 'f':
		return unsafe.Slice((*float32)(first), n), true
	case h.kind == 'i' && h.size == 8:
		return unsafe.Slice((*int64)(first), n), true
	case h.kind == 'i' && h.size == 4:
		return unsafe.Slice((*int32)(first), n), true
	case h.kind == 'i':
		return unsafe.Slice((*int16)(first), n), true
	}
	return b, true
}

// readNPY reads an array; claim, if given, is called with what the header claims.
func readNPY(r io.Reader, claim func(h npyDescr, n int) error) (*Array, error) {
	size := remaining(r)
	br := bufio.NewReaderSize(r, 64<<10)
	h, err := readNPYHeader(br)
	if err != nil {
		return nil, err
	}
	n, err := elements(h.shape)
	if err != nil {
		return nil, err
	}
	if n > math.MaxInt/h.size {
		return nil, fmt.Errorf("shape %v of %s has too many bytes", h.shape, h.descr)
	}
	if size >= 0 && n*h.size > size {
		return nil, fmt.Errorf("shape %v of %s needs %d bytes, but the file has %d", h.shape, h.descr, n*h.size, size)
	}
	known := 0 // how many elements it is safe to make room for before they have been seen
	if size >= 0 || claim != nil {
		known = n
	}
	if claim != nil {
		if err := claim(h, n); err != nil {
			return nil, err
		}
	}

	var data any
	le := binary.LittleEndian
	switch {
	case h.foreign():
		data, err = readForeign(br, h, n, known)
	case h.kind == 'c' && h.size == 16:
		data, err = readElements(br, n, known, 16, func(b []byte) complex128 {
			return complex(math.Float64frombits(le.Uint64(b)), math.Float64frombits(le.Uint64(b[8:])))
		})
	case h.kind == 'c':
		data, err = readElements(br, n, known, 8, func(b []byte) complex64 {
			return complex(math.Float32frombits(le.Uint32(b)), math.Float32frombits(le.Uint32(b[4:])))
		})
	case h.kind == 'f' && h.size == 8:
		data, err = readElements(br, n, known, 8, func(b []byte) float64 { return math.Float64frombits(le.Uint64(b)) })
	case h.kind == 'f':
		data, err = readElements(br, n, known, 4, func(b []byte) float32 { return math.Float32frombits(le.Uint32(b)) })
	case h.kind == 'i' && h.size == 8:
		data, err = readElements(br, n, known, 8, func(b []byte) int64 { return int64(le.Uint64(b)) })
	case h.kind == 'i' && h.size == 4:
		data, err = readElements(br, n, known, 4, func(b []byte) int32 { return int32(le.Uint32(b)) })
	case h.kind == 'i':
		data, err = readElements(br, n, known, 2, func(b []byte) int16 { return int16(le.Uint16(b)) })
	default:
		data, err = readElements(br, n, known, 1, func(b []byte) uint8 { return b[0] })
	}
	if err != nil {
		return nil, err
	}
	// Reading on to the end is what lets a checking reader tell whether the bytes
	// were the right ones.
	switch _, err := br.ReadByte(); {
	case err == nil:
		return nil, fmt.Errorf("extra bytes follow the data of an array %s %v", h.descr, h.shape)
	case err != io.EOF:
		return nil, err
	}
	return &Array{Shape: h.shape, data: data, stored: h.narrow()}, nil
}

// remaining is how many bytes a reader has, at most, or -1 when it cannot tell.
func remaining(r io.Reader) int {
	switch r := r.(type) {
	case interface{ Len() int }: // bytes.Reader, bytes.Buffer, strings.Reader, and the checking reader of a blob
		return r.Len()
	case *os.File:
		if fi, err := r.Stat(); err == nil && fi.Mode().IsRegular() {
			return int(min(fi.Size(), math.MaxInt))
		}
	}
	return -1
}

// readElements reads n elements of size bytes. It makes room for known of them at
// once; beyond that room is made as the bytes come, in blocks that are joined at the end.
func readElements[T Element](r io.Reader, n, known, size int, get func([]byte) T) ([]T, error) {
	const piece, block = 64 << 10, 4 << 20
	var full [][]T
	out := make([]T, 0, max(known, min(n, piece/size)))
	buf := make([]byte, min(piece, n*size))
	for have := 0; have < n; {
		b := buf[:min(piece/size, n-have)*size]
		if m, err := io.ReadFull(r, b); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return nil, fmt.Errorf("ends after %d of %d bytes of data", have*size+m, n*size)
			}
			return nil, err
		}
		if count := len(b) / size; cap(out)-len(out) < count {
			full, out = append(full, out), make([]T, 0, max(count, min(n-have, block/size)))
		}
		have += len(b) / size
		for ; len(b) > 0; b = b[size:] {
			out = append(out, get(b))
		}
	}
	if full == nil {
		return out, nil
	}
	return slices.Concat(append(full, out)...), nil
}
