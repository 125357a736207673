package inflate

import (
	"encoding/binary"
	"unsafe"
)

// decode decompresses the current block into out, from o on, until it ends or limit is
// reached, which has slack bytes behind it; the member begins at begun. It gives the
// end of what it has made: that of the first literal or match to reach the limit.
//
// Each round begins with the next entry looked up and at least 56 bits, its own
// among them, in the bit buffer. Three literals take 33 of them and leave more than
// a look-up's worth. Two literals and a length (20 bits at most) leave 14, enough to
// look a distance up (8), but not to take it (28) and look the next entry up (11): more
// are filled in whether or not they are needed, since a branch on that cannot be
// predicted. Every look-up comes before the bits that are filled in: what the loop
// waits for is the chain from one look-up to the next.
//
// Memory is accessed without the checks of the language where the conditions of the
// loop make sure of it: a round starts at no more than last, reads two words, the
// second up to 7 bytes further on, and so stays below last+24; it starts below limit
// and writes up to 2 literals and 258+8 bytes, less than slack.
//
// It is one function: calls would move the bit buffer out of the registers.
func decode(z *decoder, out []byte, begun, o, limit int) (int, error) {
	const mask = 1<<litBits - 1
	base := unsafe.Pointer(unsafe.SliceData(out))
	var failed error
	for {
		if z.end-z.pos < pad {
			z.fill()
		}
		last := z.end - 24
		if z.eof != nil {
			last = z.end + pad - 24
		}
		stop := limit
		if z.mixed && z.pos <= last && o < limit-longest-1 {
			if to, ok := decodeFast(z, out, begun, o, limit-longest-1, last); ok {
				o, stop = to, to+1 // with one literal or match it could not go on
			} // else what is wrong is found below
		}
		// Only the lowest six bits of n count, so a whole entry may be taken off.
		pos, hold, n := z.pos, z.hold, uint64(z.n)
		hold |= binary.LittleEndian.Uint64(z.inWord(pos)[:]) << (n & 63)
		pos += int((63 - n) >> 3)
		n |= 56
		e := z.lit[hold&mask]
		for pos <= last && o < stop {
			was := hold
			hold >>= e & 63
			n -= e
			if int32(e) < 0 {
				b := byte(e >> shiftByte)
				e = z.lit[hold&mask]
				*(*byte)(unsafe.Add(base, o)) = b
				o++
				if int32(e) < 0 && o < stop {
					b = byte(e >> shiftByte)
					hold >>= e & 63
					n -= e
					e = z.lit[hold&mask]
					*(*byte)(unsafe.Add(base, o)) = b
					o++
				}
				if int32(e) < 0 && o < stop {
					b = byte(e >> shiftByte)
					hold >>= e & 63
					n -= e
					e = z.lit[hold&mask]
					*(*byte)(unsafe.Add(base, o)) = b
					o++
					hold |= binary.LittleEndian.Uint64(z.inWord(pos)[:]) << (n & 63)
					pos += int((^n & 63) >> 3)
					n |= 56
					continue
				}
				if o >= stop {
					break
				}
				was = hold
				hold >>= e & 63
				n -= e
			}
			if e&flagLength == 0 {
				if e&flagSubtable != 0 {
					e = z.lit[e>>shiftValue+hold&(1<<(e>>shiftCode&15)-1)]
					was = hold
					hold >>= e & 63
					n -= e
				}
				switch {
				case int32(e) < 0:
					*(*byte)(unsafe.Add(base, o)) = byte(e >> shiftByte)
					o++
					hold |= binary.LittleEndian.Uint64(z.inWord(pos)[:]) << (n & 63)
					pos += int((^n & 63) >> 3)
					n |= 56
					e = z.lit[hold&mask]
					continue
				case e&flagEnd != 0:
					z.state = atBlock
				case e == 0:
					failed = errCode
				}
				if e&flagLength == 0 {
					break
				}
			}
			length := int(e>>shiftValue) + int(was&(1<<(e&63)-1)>>(e>>shiftCode&15))
			d := z.dist[hold&(1<<distBits-1)]
			hold |= binary.LittleEndian.Uint64(z.inWord(pos)[:]) << (n & 63)
			pos += int((^n & 63) >> 3)
			n |= 56
			if d&flagDistance == 0 {
				if d&flagSubtable != 0 {
					hold >>= distBits
					n -= distBits
					d = z.dist[d>>shiftValue+hold&(1<<(d>>shiftCode&15)-1)]
				}
				if d == 0 {
					failed = errCode
					break
				}
			}
			distance := int(d>>shiftValue) + int(hold&(1<<(d&63)-1)>>(d>>shiftCode&15))
			hold >>= d & 63
			n -= d
			if distance > o-begun {
				failed = errDistance
				break
			}
			to := o
			o += length
			e = z.lit[hold&mask]
			hold |= binary.LittleEndian.Uint64(z.inWord(pos)[:]) << (n & 63)
			pos += int((^n & 63) >> 3)
			n |= 56
			if distance >= 8 && length <= 16 {
				to := unsafe.Add(base, to)
				from := unsafe.Add(to, -distance)
				*(*[8]byte)(to) = *(*[8]byte)(from)
				*(*[8]byte)(unsafe.Add(to, 8)) = *(*[8]byte)(unsafe.Add(from, 8))
			} else {
				copyMatch(out, to, distance, length)
			}
		}
		z.pos, z.hold, z.n = pos, hold, uint(n&63)
		switch {
		case failed != nil:
			return o, z.corrupt(failed)
		case z.overrun(0):
			return o, z.truncated()
		case z.state != inBlock || o >= limit:
			return o, nil
		}
	}
}

// inWord is the eight bytes of in at a place, without a check that they are there.
func (z *decoder) inWord(at int) *[8]byte {
	return (*[8]byte)(unsafe.Add(unsafe.Pointer(&z.in), at))
}

// copyMatch repeats length bytes of out that begin distance before o. It may write up to
// 7 bytes more.
func copyMatch(out []byte, o, distance, length int) {
	to := unsafe.Add(unsafe.Pointer(unsafe.SliceData(out)), o)
	switch {
	case distance >= 8:
		for from := unsafe.Add(to, -distance); length > 0; length -= 8 {
			*(*[8]byte)(to) = *(*[8]byte)(from)
			to, from = unsafe.Add(to, 8), unsafe.Add(from, 8)
		}
	case distance == 1:
		v := uint64(out[o-1]) * (^uint64(0) / (1<<8 - 1))
		for ; length > 0; length -= 8 {
			*(*uint64)(to) = v
			to = unsafe.Add(to, 8)
		}
	default:
		// What has been repeated can be repeated with it.
		from, end := o-distance, o+length
		for o < end {
			o += copy(out[o:end], out[from:o])
		}
	}
}
