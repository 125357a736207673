package inflate

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"
)

// A guess decompresses blocks from somewhere in the stream, before what comes before is
// known (Kerbiriou & Chikhi 2019, arXiv:1905.07224; Knespel & Brunst 2023,
// arXiv:2308.08955). It looks for something that reads as a block, and decompresses it
// to symbols: below 256 a byte, from marker on a place among the bytes before, which
// matches copy like bytes. When there have been none for as far as a distance reaches,
// it goes on with bytes. Only whole blocks count, and none that is the last of its
// member; whatever else it comes to it leaves to the Reader.
type guess struct {
	decoder
	from    int64         // where it begins to look, bytes from the start of the stream
	look    int64         // how far
	starts  int64         // of its first block, bits from the start of the stream; −1 for none
	ends    int64         // of its last one
	until   *atomic.Int64 // where the next guess starts
	before  *atomic.Int64 // until of the one before; may be nil
	stop    atomic.Bool   // at the end of the block
	found   chan struct{} // closed when starts is known
	done    chan struct{} // closed at the end
	symbols made[uint16]
	bytes   made[uint8]
	marked  int // end of the last marker in symbols
}

// made is what blocks were decompressed to: of[history:end], and before it the bytes
// before, known or not.
type made[T symbol] struct {
	of  []T
	end int
}

const marker = 1 << 15 // the symbol of the first of the bytes before

func newGuess(room int) *guess {
	g := &guess{}
	g.symbols.of = make([]uint16, history+room+slack)
	for i := range history {
		g.symbols.of[i] = marker + uint16(i)
	}
	return g
}

// begin starts at a place in a stream.
func (g *guess) begin(s *stream, from, look int64, before *atomic.Int64) {
	g.src, g.base, g.pos, g.end, g.eof = &peek{s, from}, from, 0, 0, nil
	g.from, g.look, g.starts, g.ends = from, look, -1, -1
	g.until, g.before = new(atomic.Int64), before
	g.until.Store(1<<63 - 1)
	g.stop.Store(false)
	g.found, g.done = make(chan struct{}), make(chan struct{})
	g.symbols.end, g.bytes.end, g.marked = history, history, history
	go g.run()
}

func (g *guess) run() {
	defer close(g.done)
	for g.eof == nil && g.end < input {
		g.fill()
	}
	g.starts = g.find()
	if g.starts >= 0 && g.before != nil {
		g.before.Store(g.starts)
	}
	close(g.found)
	g.ends = g.starts
	if g.starts < 0 {
		return
	}
	g.seek(g.starts)
	g.state, g.final = atBlock, false
	for !g.stop.Load() && g.ends < g.until.Load() && g.block() {
		g.ends = g.bit()
	}
}

// find looks for the header of a block with codes of its own, which is not the last one:
// fixed codes cannot be told from anything else.
func (g *guess) find() int64 {
	last := g.end - 8
	if g.eof == nil {
		last = g.end - 1024 // a header has 570 bytes at most
	}
	last = min(last, int(g.look))
	const step = 6 // bytes whose bits are looked at together, with the 13 bits from each on
	for at := 0; at < last && !g.stop.Load(); at += step {
		w := binary.LittleEndian.Uint64(g.in[at:])
		few := ^(w >> 4 & (w >> 5) & (w >> 6) & (w >> 7)) & ^(w >> 9 & (w >> 10) & (w >> 11) & (w >> 12))
		for heads := ^w & ^(w >> 1) & (w >> 2) & few & (1<<(8*step) - 1); heads != 0; heads &= heads - 1 {
			k := bits.TrailingZeros64(heads)
			pres := binary.LittleEndian.Uint64(g.in[at+(k+13)>>3:]) >> ((k + 13) & 7)
			codes := binary.LittleEndian.Uint64(g.in[at+(k+17)>>3:]) >> ((k + 17) & 7)
			if !complete(codes & (1<<(3*(pres&15+4)) - 1)) {
				continue
			}
			bit := 8*(g.base+int64(at)) + int64(k)
			g.seek(bit)
			g.final = false
			if g.readBlock() == nil && g.lens[256] > 0 {
				return bit
			}
		}
	}
	return -1
}

// complete reports whether lengths of codes, of three bits each, are those of a complete
// code (Kraft's sum is 1).
func complete(lengths uint64) bool {
	sum := uint32(0)
	for range 5 {
		sum += kraft[lengths&(1<<12-1)]
		lengths >>= 12
	}
	return sum == 1<<7
}

// kraft are the sums of 2⁻ⁿ, times 2⁷, over four lengths n of three bits, of which 0 is none.
var kraft = func() (sums [1 << 12]uint32) {
	for i := range sums {
		for v := i; v > 0; v >>= 3 {
			if n := v & 7; n > 0 {
				sums[i] += 1 << (7 - n)
			}
		}
	}
	return sums
}()

// block decompresses a block. What it has made of one that does not count is left beyond
// the end.
func (g *guess) block() bool {
	if g.readBlock() != nil || g.final {
		return false
	}
	if g.symbols.end-g.marked >= history {
		if g.bytes.of == nil {
			g.bytes.of = make([]uint8, len(g.symbols.of))
		}
		if g.bytes.end == history {
			for i, s := range g.symbols.of[g.symbols.end-history : g.symbols.end] {
				g.bytes.of[i] = byte(s)
			}
		}
		return rest(&g.decoder, &g.bytes)
	}
	from := g.symbols.end
	if !rest(&g.decoder, &g.symbols) {
		return false
	}
	for i := g.symbols.end; i > from; i-- {
		if g.symbols.of[i-1] >= marker {
			g.marked = i
			break
		}
	}
	return true
}

// rest decompresses the rest of a block, if there is room for it.
func rest[T symbol](z *decoder, m *made[T]) bool {
	o, limit := m.end, len(m.of)-slack
	for z.state != atBlock {
		if o >= limit {
			return false
		}
		var err error
		if z.state == inStored {
			o, err = copyStored(z, m.of, o, limit)
		} else {
			o, err = decode(z, m.of, 0, o, limit)
		}
		if err != nil {
			return false
		}
	}
	m.end = o
	return true
}
