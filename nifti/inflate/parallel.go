package inflate

import "sync/atomic"

const (
	reach = 1 << 19 // bytes of the stream between guesses, at most
	room  = 1 << 20 // symbols that a guess may make
)

// An ahead is what a Reader that is not alone has beside it.
type ahead struct {
	stream  *stream
	tail    *tail // the Reader's source
	threads int
	reach   int64
	room    int

	guesses []*guess // that run ahead, in the order of their places
	spare   []*guess // that do not

	taken *guess          // the one that is handed on; nil for none
	next  int             // of its symbols and bytes, from history on
	known *[1 << 16]uint8 // the byte of each symbol of it
}

// Threads lets n goroutines decompress from now on: the one that reads, and others that
// guess. Each asks for up to 5 MB of memory. They end by themselves, and none reads the
// source but within Read and WriteTo.
func (z *Reader) Threads(n int) { z.parallel(n, reach, room) }

func (z *Reader) parallel(threads int, reach int64, room int) {
	if threads < 2 || z.eof != nil || z.ahead != nil {
		return
	}
	at := z.base + int64(z.end)
	s := &stream{src: z.src, base: at, end: at}
	tail := &tail{s, at, int64(threads+2) * reach}
	z.ahead = &ahead{stream: s, tail: tail, threads: threads, reach: reach, room: room, known: new([1 << 16]uint8)}
	for i := range 256 {
		z.known[i] = uint8(i)
	}
	z.src = tail
}

// meet is for the start of a block. It takes what a guess has decompressed from there, if
// there is one, which it reports. The guess stops at the end of its block, so that nobody
// waits long for anybody, whatever else keeps them busy.
func (z *Reader) meet() bool {
	at := z.bit()
	for len(z.guesses) > 0 && at >= 8*z.guesses[0].from {
		g := z.guesses[0]
		<-g.found
		if g.starts > at {
			break
		}
		g.stop.Store(true)
		<-g.done
		z.guesses = z.guesses[1:]
		// A distance may reach back as far as it can, so all of that has to be known.
		if g.starts == at && g.ends > at && z.done-z.begun >= history {
			z.taken, z.next, z.state = g, history, inGuess
			copy(z.known[marker:], z.out[z.done-history:z.done])
			at = g.ends
			break
		}
		z.spare = append(z.spare, g)
	}
	z.send(at / 8)
	return z.taken != nil
}

// send sends guesses ahead, so far from each other that their room is enough for what lies
// between them and as much again: a guess gets further than the Reader where the latter
// has more to do. What lies between is estimated from the ratio so far.
func (z *Reader) send(from int64) {
	step := min(z.reach, max(1, int64(float64(z.room)/2*float64(from)/float64(z.total+1))))
	var last *atomic.Int64
	for _, g := range z.guesses {
		from, last = max(from, g.from), g.until
	}
	for len(z.guesses) < z.threads-1 {
		if from += step; from+step/4 > z.stream.end {
			return
		}
		if len(z.spare) == 0 {
			z.spare = append(z.spare, newGuess(z.room))
		}
		g := z.spare[len(z.spare)-1]
		z.spare = z.spare[:len(z.spare)-1]
		g.begin(z.stream, from, max(4*step, 4096), last) // further on others look
		z.guesses = append(z.guesses, g)
		last = g.until
	}
}

// takeGuess hands on some of what a guess has made, now that the bytes before are known.
func (z *Reader) takeGuess() error {
	g := z.taken
	if z.next < g.symbols.end {
		from := g.symbols.of[z.next:min(g.symbols.end, z.next+piece)]
		to := z.out[z.done:][:len(from)]
		resolve(to, from, z.known)
		z.next += len(from)
		z.decompressed(z.done, z.done+len(from))
		return nil
	}
	if at := z.next - g.symbols.end + history; at < g.bytes.end {
		n := copy(z.out[z.done:][:piece], g.bytes.of[at:g.bytes.end])
		z.next += n
		z.decompressed(z.done, z.done+n)
		return nil
	}
	z.tail.at, z.base, z.pos, z.end, z.eof = g.ends/8, g.ends/8, 0, 0, nil
	z.fill()
	z.seek(g.ends)
	z.state, z.taken = atBlock, nil
	z.spare = append(z.spare, g)
	return nil
}

// resolve makes bytes of symbols.
func resolve(to []uint8, from []uint16, known *[1 << 16]uint8) {
	for len(from) >= 8 && len(to) >= 8 {
		t, f := (*[8]uint8)(to), (*[8]uint16)(from)
		t[0], t[1], t[2], t[3] = known[f[0]], known[f[1]], known[f[2]], known[f[3]]
		t[4], t[5], t[6], t[7] = known[f[4]], known[f[5]], known[f[6]], known[f[7]]
		to, from = to[8:], from[8:]
	}
	for i, s := range from {
		to[i] = known[s]
	}
}
