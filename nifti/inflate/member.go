package inflate

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// Flags of a member's header (RFC 1952, 2.3.1).
const (
	flagHeaderSum = 1 << 1
	flagExtra     = 1 << 2
	flagName      = 1 << 3
	flagComment   = 1 << 4
	flagReserved  = 0xe0
)

// A headerReader reads bytes of a member's header and sums them.
type headerReader struct {
	z   *Reader
	sum uint32
	err error
}

func (h *headerReader) byte() byte {
	if h.err != nil {
		return 0
	}
	v, err := h.z.bits(8)
	h.err = err
	h.sum = crc32.Update(h.sum, crc32.IEEETable, []byte{byte(v)})
	return byte(v)
}

// text skips a text that ends with a zero.
func (h *headerReader) text() {
	for h.byte() != 0 {
	}
}

// readMember reads the header of a member, or finds the end of the stream.
func (z *Reader) readMember() error {
	z.align()
	if z.end-z.pos < pad {
		z.fill()
	}
	at := z.place()
	if z.pos == z.end && z.member > 0 {
		return z.ended()
	}
	h := headerReader{z: z}
	id := [2]byte{h.byte(), h.byte()}
	if h.err != nil && z.eof != io.EOF {
		return h.err
	}
	if id != [2]byte{0x1f, 0x8b} {
		if z.member == 0 && h.err == nil {
			return fmt.Errorf("gzip: not a gzip stream: it starts with % x", id)
		}
		if z.member > 0 && id[0] != 0x1f {
			return z.padding(at, id)
		}
		if h.err != nil {
			return h.err
		}
		return z.garbage(at)
	}
	method, flags := h.byte(), h.byte()
	for range 6 { // time, extra flags, system
		h.byte()
	}
	if flags&flagExtra != 0 {
		n := int(h.byte()) | int(h.byte())<<8
		for range n {
			h.byte()
		}
	}
	if flags&flagName != 0 {
		h.text()
	}
	if flags&flagComment != 0 {
		h.text()
	}
	if flags&flagHeaderSum != 0 {
		want := uint16(h.sum)
		if got := uint16(h.byte()) | uint16(h.byte())<<8; h.err == nil && got != want {
			return z.corrupt(errors.New("the header's checksum is wrong"))
		}
	}
	switch {
	case h.err != nil:
		return h.err
	case method != 8 || flags&flagReserved != 0:
		return z.corrupt(fmt.Errorf("an invalid header: method %d, flags %#x", method, flags))
	}
	z.member++
	z.state, z.final = atBlock, false
	z.sum, z.size, z.begun = 0, 0, z.done
	return nil
}

// padding reads to the end of the stream, all of which must be zeros.
func (z *Reader) padding(at int64, id [2]byte) error {
	zero := id == [2]byte{}
	z.align()
	for zero {
		for ; z.pos < z.end; z.pos++ {
			if z.in[z.pos] != 0 {
				return z.garbage(at)
			}
		}
		if z.eof != nil {
			return z.ended()
		}
		z.fill()
	}
	return z.garbage(at)
}

// ended is for the end of the stream where it may end.
func (z *Reader) ended() error {
	if z.eof == io.EOF {
		z.state = atEnd
	}
	return z.eof
}

func (z *Reader) garbage(at int64) error {
	return fmt.Errorf("gzip: data after the end, at byte %d, that are not gzip; fetch or write the file again", at)
}

// readTrailer checks the sum and the length of a member.
func (z *Reader) readTrailer() error {
	z.align()
	at := z.place()
	sum, err := z.bits(32)
	if err != nil {
		return err
	}
	size, err := z.bits(32)
	if err != nil {
		return err
	}
	switch {
	case sum != z.sum:
		return fmt.Errorf("gzip: damaged somewhere before byte %d: its checksum is %08x, want %08x; fetch or write the file again", at, z.sum, sum)
	case size != z.size:
		return fmt.Errorf("gzip: damaged somewhere before byte %d: it has %d bytes, want %d (modulo 2³²); fetch or write the file again", at, z.size, size)
	}
	z.state = atMember
	return nil
}
