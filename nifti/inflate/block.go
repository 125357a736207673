package inflate

import (
	"errors"
	"fmt"
	"io"
)

var (
	errCode     = errors.New("bits that match no code")
	errDistance = errors.New("a distance beyond the start of the data")
	errType     = errors.New("a block of unknown type")
	errLengths  = errors.New("code lengths that do not form a code")
	errStored   = errors.New("a stored block whose length differs from its complement")
)

// corrupt says where the stream is wrong. What is wrong so near to the end that the
// trailer is missing is the zeros that were read beyond it.
func (z *decoder) corrupt(err error) error {
	if z.overrun(maxBits) {
		return z.truncated()
	}
	return fmt.Errorf("gzip: damaged at byte %d: %w; fetch or write the file again", z.place(), err)
}

// truncated says where the stream ends, if it is not its source's fault.
func (z *decoder) truncated() error {
	if z.eof != io.EOF {
		return z.eof
	}
	return fmt.Errorf("gzip: truncated at byte %d; fetch or write the file again (%w)", z.base+int64(z.end), io.ErrUnexpectedEOF)
}

// readBlock reads the header of a block, and of a compressed one the codes.
func (z *decoder) readBlock() error {
	if z.final {
		z.state = atTrailer
		return nil
	}
	head, err := z.bits(3)
	if err != nil {
		return err
	}
	z.final = head&1 == 1
	switch head >> 1 {
	case 0:
		z.align()
		sizes, err := z.bits(32)
		if err != nil {
			return err
		}
		if sizes&0xffff != ^sizes>>16 {
			return z.corrupt(errStored)
		}
		z.align()
		z.stored = int(sizes & 0xffff)
		z.state = inStored
		return nil
	case 1:
		for s := range z.lens[:288] {
			z.lens[s] = fixedLength(s)
		}
		for s := range 32 {
			z.lens[288+s] = 5
		}
		return z.tables(288, 32)
	case 2:
		return z.readCodes()
	}
	return z.corrupt(errType)
}

// fixedLength is the length of a symbol's code in a block of fixed codes.
func fixedLength(symbol int) uint8 {
	switch {
	case symbol < 144:
		return 8
	case symbol < 256:
		return 9
	case symbol < 280:
		return 7
	}
	return 8
}

// preOrder is the order in which the lengths of the code of code lengths stand.
var preOrder = [19]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// readCodes reads the codes of a block (RFC 1951, 3.2.7).
func (z *decoder) readCodes() error {
	head, err := z.bits(14)
	if err != nil {
		return err
	}
	lits, dists, pres := int(head&31)+257, int(head>>5&31)+1, int(head>>10)+4
	if lits > 286 || dists > 30 {
		return z.corrupt(errLengths)
	}
	var pre [19]uint8
	for i := range pres {
		n, err := z.bits(3)
		if err != nil {
			return err
		}
		pre[preOrder[i]] = uint8(n)
	}
	if !build(z.pre[:], 7, pre[:], preMeaning[:]) {
		return z.corrupt(errLengths)
	}
	for i := 0; i < lits+dists; {
		if z.n < 7 {
			z.need()
		}
		e := z.pre[z.hold&127]
		if e == 0 {
			return z.corrupt(errCode)
		}
		if _, err := z.bits(uint(e & 63)); err != nil {
			return err
		}
		symbol := uint8(e >> shiftByte)
		if symbol < 16 {
			z.lens[i] = symbol
			i++
			continue
		}
		repeat := [...]struct {
			bits uint
			base int
		}{{2, 3}, {3, 3}, {7, 11}}[symbol-16]
		more, err := z.bits(repeat.bits)
		if err != nil {
			return err
		}
		length := uint8(0)
		if symbol == 16 {
			if i == 0 {
				return z.corrupt(errLengths)
			}
			length = z.lens[i-1]
		}
		times := repeat.base + int(more)
		if i+times > lits+dists {
			return z.corrupt(errLengths)
		}
		for range times {
			z.lens[i] = length
			i++
		}
	}
	return z.tables(lits, dists)
}

// tables builds the tables from the first lengths, and starts the block.
func (z *decoder) tables(lits, dists int) error {
	if !build(z.lit[:], litBits, z.lens[:lits], litMeaning[:]) ||
		!build(z.dist[:], distBits, z.lens[lits:lits+dists], distMeaning[:]) {
		return z.corrupt(errLengths)
	}
	matches := 0 // their share, in 2⁻¹⁵
	for _, n := range z.lens[257:max(257, lits)] {
		matches += 1 << maxBits >> n &^ (^0 << maxBits)
	}
	z.mixed = hasFast && matches > 1<<maxBits/8
	z.state = inBlock
	return nil
}

// copyStored copies the part of a stored block that is there and has room from o, and
// gives its end.
func copyStored(z *decoder, out []byte, o, limit int) (int, error) {
	if z.stored > 0 && z.pos == z.end {
		z.fill()
		if z.pos == z.end {
			return o, z.truncated()
		}
	}
	n := copy(out[o:limit], z.in[z.pos:][:min(z.stored, z.end-z.pos)])
	z.pos += n
	z.stored -= n
	if z.stored == 0 {
		z.state = atBlock
	}
	return o + n, nil
}
