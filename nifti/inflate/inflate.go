package inflate

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

const (
	history = 1 << 15 // bytes that a distance reaches back
	piece   = 1 << 17 // bytes decompressed at a time
	slack   = 512     // bytes that a round of the loop may write beyond a piece
	window  = history + piece + slack

	input = 1 << 17 // bytes read at a time
	pad   = 64      // zeros after the last byte, so that words can be read there
)

// What a Reader is in the middle of.
type state uint8

const (
	atMember  state = iota // between members
	atBlock                // before a block's header
	inStored               // in a block that is not compressed
	inBlock                // in a block with the tables lit and dist
	atTrailer              // before a member's checksum and length
	atEnd                  // of the last member
)

// A Reader decompresses a gzip stream.
type Reader struct {
	src io.Reader
	err error // what reading the stream ended with

	in   [input + pad]byte
	pos  int   // in in, of the next byte for the bit buffer
	end  int   // of the bytes in in
	base int64 // place in the stream of in[0]
	eof  bool  // in[end] is the end of the stream; zeros follow

	hold uint64 // the bit buffer: the next bits, lowest first
	n    uint   // how many of them count

	state  state
	final  bool // the block is the last of its member
	stored int  // bytes left of a stored block
	member int  // members that have begun

	out   [window]byte
	start int // of what has not been handed on in out
	done  int // end of what has been decompressed in out
	begun int // where the member's bytes begin in out, at least 0
	sum   uint32
	size  uint32 // of the member so far, modulo 2³²

	lit  [litSize]uint32
	dist [distSize]uint32
	pre  [1 << 7]uint32
	lens [288 + 32]uint8
}

// NewReader returns a Reader of the gzip stream that src reads.
func NewReader(src io.Reader) *Reader { return &Reader{src: src} }

// Read decompresses into p.
func (z *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if err := z.more(); err != nil {
		return 0, err
	}
	n := copy(p, z.out[z.start:z.done])
	z.start += n
	return n, nil
}

// WriteTo decompresses what is left to w.
func (z *Reader) WriteTo(w io.Writer) (total int64, err error) {
	for {
		if err := z.more(); err == io.EOF {
			return total, nil
		} else if err != nil {
			return total, err
		}
		n, err := w.Write(z.out[z.start:z.done])
		z.start += n
		total += int64(n)
		if err != nil {
			return total, err
		}
	}
}

// more sees to it that there is something to hand on, or gives the error that the
// stream ended with: io.EOF when all is well.
func (z *Reader) more() error {
	for z.start == z.done {
		if z.err != nil {
			return z.err
		}
		if z.done >= history+piece {
			n := copy(z.out[:], z.out[z.done-history:z.done])
			z.begun = max(0, z.begun-(z.done-n))
			z.start, z.done = n, n
		}
		from := z.done
		z.err = z.step()
		if z.err != nil && z.err != io.EOF {
			z.done = from // nothing of a piece with a mistake in it
		}
		if z.err == nil && z.done > from {
			continue
		}
	}
	return nil
}

// decompressed counts bytes that have been decompressed into the window.
func (z *Reader) decompressed(from, to int) {
	z.sum = crc32.Update(z.sum, crc32.IEEETable, z.out[from:to])
	z.size += uint32(to - from)
	z.done = to
}

// step does the next piece of work: the part of a block that fits into the window,
// or a header, or a trailer.
func (z *Reader) step() error {
	switch z.state {
	case atMember:
		return z.readMember()
	case atBlock:
		return z.readBlock()
	case inStored:
		return z.copyStored()
	case inBlock:
		return z.decode()
	case atTrailer:
		return z.readTrailer()
	}
	return io.EOF
}

// fill reads on until there are some more bytes or the stream ends. It keeps those
// from pos, and the eight before, of which some may be in the bit buffer and have
// to be given back.
func (z *Reader) fill() error {
	if z.eof {
		return nil
	}
	from := max(0, z.pos-8)
	z.base += int64(from)
	z.end = copy(z.in[:], z.in[from:z.end])
	z.pos -= from
	for tries := 0; z.end < input; tries++ {
		n, err := z.src.Read(z.in[z.end:input])
		z.end += n
		if err == io.EOF {
			z.eof = true
			clear(z.in[z.end : z.end+pad])
			return nil
		}
		if err != nil {
			return err
		}
		if n > 0 && z.end >= pad {
			return nil
		}
		if tries == 100 {
			return io.ErrNoProgress
		}
	}
	return nil
}

// need fills the bit buffer with at least 56 bits, of which those beyond the end of
// the stream are zeros.
func (z *Reader) need() error {
	if z.end-z.pos < 8 {
		if err := z.fill(); err != nil {
			return err
		}
	}
	z.hold |= binary.LittleEndian.Uint64(z.in[z.pos:]) << z.n
	z.pos += int((63 - z.n) >> 3)
	z.n |= 56
	return nil
}

// overrun reports whether n bits are more than the stream has left.
func (z *Reader) overrun(n uint) bool {
	return z.eof && z.pos*8-int(z.n)+int(n) > z.end*8
}

// bits takes n bits, n ≤ 32.
func (z *Reader) bits(n uint) (uint32, error) {
	if z.n < n {
		if err := z.need(); err != nil {
			return 0, err
		}
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
func (z *Reader) align() {
	z.pos -= int(z.n >> 3)
	z.hold, z.n = 0, 0
}

// place is where the next bit is in the stream, bytes.
func (z *Reader) place() int64 { return z.base + int64(z.pos) - int64(z.n>>3) }
