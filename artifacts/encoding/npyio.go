package encoding

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/sbinet/npyio/npy"
)

// This file is the one that knows the package npyio, which reads what is not in
// our canonical form: big-endian, narrow, unsigned or boolean elements. npyio
// trusts headers (a flipped bit in one can make it panic, or ask for absurd
// amounts of memory) and leaves Fortran order as it lies, so it is never shown
// the header of a file: that has been checked by readNPYHeader, the bytes have been
// counted, and npyio is given a plain one-dimensional header that we wrote.

// readForeign reads n elements of a type or order that is not canonical.
func readForeign(r io.Reader, h npyDescr, n, known int) (any, error) {
	raw, err := readElements(r, n*h.size, known*h.size, 1, func(b []byte) uint8 { return b[0] })
	if err != nil {
		return nil, err
	}
	switch fmt.Sprintf("%c%d", h.kind, h.size) {
	case "c16":
		return foreign(raw, h, n, func(x complex128) (complex128, error) { return x, nil })
	case "c8":
		return foreign(raw, h, n, func(x complex64) (complex64, error) { return x, nil })
	case "f8":
		return foreign(raw, h, n, func(x float64) (float64, error) { return x, nil })
	case "f4":
		return foreign(raw, h, n, func(x float32) (float32, error) { return x, nil })
	case "f2": // npyio has no float16: its bits are read as an unsigned number
		h.kind = 'u'
		return foreign(raw, h, n, func(x uint16) (float32, error) { return HalfToFloat(x), nil })
	case "i8":
		return foreign(raw, h, n, func(x int64) (int64, error) { return x, nil })
	case "i4":
		return foreign(raw, h, n, func(x int32) (int32, error) { return x, nil })
	case "i2":
		return foreign(raw, h, n, func(x int16) (int16, error) { return x, nil })
	case "i1":
		return foreign(raw, h, n, func(x int8) (int16, error) { return int16(x), nil })
	case "u8":
		return foreign(raw, h, n, func(x uint64) (int64, error) {
			if x > math.MaxInt64 {
				return 0, fmt.Errorf("the unsigned number %d is larger than an int64", x)
			}
			return int64(x), nil
		})
	case "u4":
		return foreign(raw, h, n, func(x uint32) (int64, error) { return int64(x), nil })
	case "u2":
		return foreign(raw, h, n, func(x uint16) (int32, error) { return int32(x), nil })
	case "u1":
		return foreign(raw, h, n, func(x uint8) (uint8, error) { return x, nil })
	default: // b1
		h.kind = 'u' // npyio takes a byte that is neither 0 nor 1 for nothing at all
		return foreign(raw, h, n, func(x uint8) (uint8, error) {
			if x > 1 {
				return 0, fmt.Errorf("a truth value of %d", x)
			}
			return x, nil
		})
	}
}

// foreign has npyio read the elements as In, converts each to Out, and puts them
// in C order.
func foreign[In any, Out Element](raw []byte, h npyDescr, n int, widen func(In) (Out, error)) ([]Out, error) {
	if n == 0 {
		return []Out{}, nil
	}
	head, err := npyHeader(fmt.Sprintf("%c%c%d", h.order, h.kind, h.size), []int{n})
	if err != nil {
		return nil, err
	}
	in := make([]In, n)
	if err := npy.Read(io.MultiReader(bytes.NewReader(head), bytes.NewReader(raw)), &in); err != nil {
		return nil, err
	}
	out := make([]Out, n)
	var at cOrder
	if h.fortran {
		at = newCOrder(h.shape)
	}
	for i, x := range in {
		to := i
		if h.fortran {
			to = at.next()
		}
		if out[to], err = widen(x); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// A cOrder walks an array in Fortran order (the first axis fastest) and tells
// where each element lies in C order.
type cOrder struct{ shape, stride, index []int }

func newCOrder(shape []int) cOrder {
	c := cOrder{shape: shape, stride: make([]int, len(shape)), index: make([]int, len(shape))}
	s := 1
	for d := len(shape) - 1; d >= 0; d-- {
		c.stride[d] = s
		s *= shape[d]
	}
	return c
}

func (c *cOrder) next() int {
	at := 0
	for d, i := range c.index {
		at += i * c.stride[d]
	}
	for d := range c.index {
		if c.index[d]++; c.index[d] < c.shape[d] {
			break
		}
		c.index[d] = 0
	}
	return at
}

// HalfToFloat widens an IEEE 754 binary16 number, exactly.
func HalfToFloat(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exp := uint32(h >> 10 & 0x1f)
	frac := uint32(h & 0x3ff)
	switch exp {
	case 0: // zero or subnormal: frac · 2⁻²⁴
		x := float32(frac) * 0x1p-24
		return math.Float32frombits(sign | math.Float32bits(x))
	case 31: // infinity or NaN
		return math.Float32frombits(sign | 0xff<<23 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | frac<<13)
}
