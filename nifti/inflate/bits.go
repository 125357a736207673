package inflate

import (
	"encoding/binary"
	"io"
)

// A decoder decompresses blocks: the input with its bit buffer, and the codes of the
// block.
type decoder struct {
	src io.Reader

	in   [input + pad]byte
	pos  int   // in in, of the next byte for the bit buffer
	end  int   // of the bytes in in
	base int64 // place in the stream of in[0]
	eof  error // why the stream ends at in[end], where zeros follow: io.EOF, or what its source said

	hold uint64 // the bit buffer: the next bits, lowest first
	n    uint   // how many of them count

	state  state
	final  bool // the block is the last of its member
	stored int  // bytes left of a stored block

	mixed bool // so many matches are among the literals of the block that which is next cannot be predicted

	lit  [litSize]uint64
	dist [distSize]uint64
	pre  [1 << 7]uint64
	lens [288 + 32]uint8
}

// fill reads on until there are some more bytes or the stream ends. It keeps those
// from pos, and the eight before, of which some may be in the bit buffer and have
// to be given back.
func (z *decoder) fill() {
	if z.eof != nil {
		return
	}
	from := max(0, z.pos-8)
	z.base += int64(from)
	z.end = copy(z.in[:], z.in[from:z.end])
	z.pos -= from
	for tries := 0; z.end < input; tries++ {
		n, err := z.src.Read(z.in[z.end:input])
		z.end += n
		if err == nil && n == 0 && tries >= 100 {
			err = io.ErrNoProgress
		}
		if err != nil {
			z.eof = err
			clear(z.in[z.end : z.end+pad])
			return
		}
		if n > 0 && z.end >= pad {
			return
		}
	}
}

// need fills the bit buffer with at least 56 bits, of which those beyond the end of
// the stream are zeros.
func (z *decoder) need() {
	if z.end-z.pos < 8 {
		z.fill()
	}
	z.hold |= binary.LittleEndian.Uint64(z.in[z.pos:]) << z.n
	z.pos += int((63 - z.n) >> 3)
	z.n |= 56
}

// overrun reports whether n bits are more than the stream has left.
func (z *decoder) overrun(n uint) bool {
	return z.eof != nil && z.pos*8-int(z.n)+int(n) > z.end*8
}

// bits takes n bits, n ≤ 32.
func (z *decoder) bits(n uint) (uint32, error) {
	if z.n < n {
		z.need()
	}
	if z.overrun(n) {
		return 0, z.truncated()
	}
	v := uint32(z.hold & (1<<n - 1))
	z.hold >>= n
	z.n -= n
	return v, nil
}

// align gives up the bits up to the next byte, and the bytes in the bit buffer.
func (z *decoder) align() {
	z.pos -= int(z.n >> 3)
	z.hold, z.n = 0, 0
}

// place is where the next bit is in the stream, bytes.
func (z *decoder) place() int64 { return z.base + int64(z.pos) - int64(z.n>>3) }
