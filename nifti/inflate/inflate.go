package inflate

import (
	"hash/crc32"
	"io"
)

const (
	history = 1 << 15 // bytes that a distance reaches back
	longest = 258     // bytes of a match
	piece   = 1 << 17 // bytes decompressed at a time
	slack   = 512     // bytes that a round of the loop may write beyond a piece
	window  = history + 2*piece + slack

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
	decoder
	err error // what reading the stream ended with

	member int // members that have begun

	out   [window]byte
	start int   // of what has not been handed on in out
	done  int   // end of what has been decompressed in out
	begun int   // where the member's bytes begin in out, at least 0
	total int64 // bytes decompressed
	sum   uint32
	size  uint32 // of the member so far, modulo 2³²
}

// NewReader returns a Reader of the gzip stream that src reads.
func NewReader(src io.Reader) *Reader { return &Reader{decoder: decoder{src: src}} }

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
// stream ended with: io.EOF when all is well. Of a piece with a mistake in it nothing
// is handed on.
func (z *Reader) more() error {
	for z.start == z.done {
		if z.err != nil {
			return z.err
		}
		if z.done > history+piece {
			n := copy(z.out[:], z.out[z.done-history:z.done])
			z.begun = max(0, z.begun-(z.done-n))
			z.start, z.done = n, n
		}
		z.err = z.step()
	}
	return nil
}

// decompressed counts bytes that have been decompressed into the window.
func (z *Reader) decompressed(from, to int) {
	z.sum = crc32.Update(z.sum, crc32.IEEETable, z.out[from:to])
	z.size += uint32(to - from)
	z.total += int64(to - from)
	z.done = to
}

// inflate decompresses some of the current block.
func (z *Reader) inflate() error {
	to, err := decode(&z.decoder, z.out[:], z.begun, z.done, z.done+piece)
	if err == nil {
		z.decompressed(z.done, to)
	}
	return err
}

// copyStored hands on some of a stored block.
func (z *Reader) copyStored() error {
	to, err := copyStored(&z.decoder, z.out[:], z.done, z.done+piece)
	if err == nil {
		z.decompressed(z.done, to)
	}
	return err
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
		return z.inflate()
	case atTrailer:
		return z.readTrailer()
	}
	return io.EOF
}
