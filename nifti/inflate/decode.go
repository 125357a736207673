package inflate

import (
	"encoding/binary"
	"unsafe"
)

// decode decompresses the current block until it ends, or the window is full.
//
// Each round begins with the next entry looked up and at least 56 bits, its own
// among them, in the bit buffer. Three literals take 33 of them and leave more than
// a look-up's worth. Two literals and a length (20 bits at most) leave 14, enough to
// look a distance up (8), but not to take it (28) and look the next entry up (11), so
// there is a look at how many are left. Every look-up comes before the bits that are
// filled in: what the loop waits for is the chain from one look-up to the next.
//
// Memory is accessed without the checks of the language where the conditions of the
// loop make sure of it: a round starts at no more than last, reads two words, the
// second up to 7 bytes further on, and so stays below last+24; it starts below
// history+piece and writes up to 2 literals and 258+8 bytes, less than slack.
//
// It is one function: calls would move the bit buffer out of the registers.
func (z *Reader) decode() error {
	const mask = 1<<litBits - 1
	from := z.done
	for {
		if z.end-z.pos < pad && !z.eof {
			if err := z.fill(); err != nil {
				return err
			}
		}
		last := z.end - 24
		if z.eof {
			last = z.end + pad - 24
		}
		// Only the lowest six bits of n count, so a whole entry may be taken off.
		pos, hold, n, o := z.pos, z.hold, uint32(z.n), z.done
		begun := z.begun

		hold |= binary.LittleEndian.Uint64(z.inWord(pos)[:]) << (n & 63)
		pos += int((63 - n) >> 3)
		n |= 56
		e := z.lit[hold&mask]
		for pos <= last && o < history+piece {
			was := hold
			hold >>= e & 63
			n -= e
			if int32(e) < 0 {
				b := byte(e >> 8)
				e = z.lit[hold&mask]
				was = hold
				hold >>= e & 63
				n -= e
				*z.outByte(o) = b
				o++
				if int32(e) < 0 {
					b = byte(e >> 8)
					e = z.lit[hold&mask]
					was = hold
					hold >>= e & 63
					n -= e
					*z.outByte(o) = b
					o++
					if int32(e) < 0 {
						*z.outByte(o) = byte(e >> 8)
						o++
						e = z.lit[hold&mask]
						hold |= binary.LittleEndian.Uint64(z.inWord(pos)[:]) << (n & 63)
						pos += int((^n & 63) >> 3)
						n |= 56
						continue
					}
				}
			}
			if e&flagBase == 0 {
				if e&flagSubtable != 0 {
					e = z.lit[e>>16+uint32(hold)&(1<<(e>>8&15)-1)]
					was = hold
					hold >>= e & 63
					n -= e
				}
				switch {
				case int32(e) < 0:
					*z.outByte(o) = byte(e >> 8)
					o++
					hold |= binary.LittleEndian.Uint64(z.inWord(pos)[:]) << (n & 63)
					pos += int((^n & 63) >> 3)
					n |= 56
					e = z.lit[hold&mask]
					continue
				case e&flagEnd != 0:
					z.state = atBlock
				case e == 0:
					z.err = errCode
				}
				if e&flagBase == 0 {
					break
				}
			}
			length := int(e>>16) + int(was&(1<<(e&63)-1)>>(e>>8&15))
			d := z.dist[hold&(1<<distBits-1)]
			if n&63 < 28+litBits {
				hold |= binary.LittleEndian.Uint64(z.inWord(pos)[:]) << (n & 63)
				pos += int((^n & 63) >> 3)
				n |= 56
			}
			if d&flagBase == 0 {
				if d&flagSubtable != 0 {
					hold >>= distBits
					n -= distBits
					d = z.dist[d>>16+uint32(hold)&(1<<(d>>8&15)-1)]
				}
				if d == 0 {
					z.err = errCode
					break
				}
			}
			distance := int(d>>16) + int(hold&(1<<(d&63)-1)>>(d>>8&15))
			hold >>= d & 63
			n -= d
			if distance > o-begun {
				z.err = errDistance
				break
			}
			to := o
			o += length
			e = z.lit[hold&mask]
			hold |= binary.LittleEndian.Uint64(z.inWord(pos)[:]) << (n & 63)
			pos += int((^n & 63) >> 3)
			n |= 56
			if distance >= 8 && length <= 16 {
				*z.outWord(to) = *z.outWord(to - distance)
				*z.outWord(to + 8) = *z.outWord(to - distance + 8)
			} else {
				copyMatch(&z.out, to, distance, length)
			}
		}
		z.pos, z.hold, z.n = pos, hold, uint(n&63)
		if z.err != nil {
			return z.corrupt(z.err)
		}
		if z.overrun(0) {
			return z.truncated()
		}
		if z.state != inBlock || o >= history+piece {
			z.decompressed(from, o)
			return nil
		}
		z.done = o
	}
}

// inWord is the eight bytes of in at a place, without a check that they are there.
func (z *Reader) inWord(at int) *[8]byte {
	return (*[8]byte)(unsafe.Add(unsafe.Pointer(&z.in), at))
}

// outWord is eight bytes of out, and outByte one, likewise.
func (z *Reader) outWord(at int) *[8]byte {
	return (*[8]byte)(unsafe.Add(unsafe.Pointer(&z.out), at))
}

func (z *Reader) outByte(at int) *byte {
	return (*byte)(unsafe.Add(unsafe.Pointer(&z.out), at))
}

// copyMatch repeats length bytes of the window that begin distance before o. It may
// write some bytes more.
func copyMatch(out *[window]byte, o, distance, length int) {
	end := o + length
	if distance >= 8 {
		for from := o - distance; o < end; o, from = o+8, from+8 {
			binary.LittleEndian.PutUint64(out[o:], binary.LittleEndian.Uint64(out[from:]))
		}
		return
	}
	if distance == 1 {
		v := uint64(out[o-1]) * 0x0101010101010101
		for ; o < end; o += 8 {
			binary.LittleEndian.PutUint64(out[o:], v)
		}
		return
	}
	// What has been repeated can be repeated with it.
	from := o - distance
	for o < end {
		o += copy(out[o:end], out[from:o])
	}
}
