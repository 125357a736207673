//go:build !purego

package inflate

import (
	"encoding/binary"
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:generate -command asm go run -C ../../internal/asm . -pkg inflate
//go:generate asm -out ../../nifti/inflate/fast_amd64.s -stubs ../../nifti/inflate/fast_stubs_amd64.go inflate

var hasFast = cpu.X86.HasAVX2 && cpu.X86.HasBMI2

// fast is what the loop in assembly works on; it knows its layout.
type fast struct {
	in, last          unsafe.Pointer // the next byte for the bit buffer, and the last one that a round may start with
	out, limit, begun unsafe.Pointer
	lit, dist         *uint64
	hold, n           uint64
	length            uint64 // the entry of a length whose distance has not been looked up
	wrong             uint64
}

// decodeFast is decode for what is right within a block. It ends before the first literal or match that begins beyond
// limit, or could. Where something is wrong it has changed nothing but out beyond o.
func decodeFast(z *decoder, out []byte, begun, o, limit, last int) (to int, ok bool) {
	base := unsafe.Pointer(unsafe.SliceData(out))
	in := unsafe.Pointer(&z.in)
	s := fast{
		in: unsafe.Add(in, z.pos), last: unsafe.Add(in, last),
		out: unsafe.Add(base, o), limit: unsafe.Add(base, limit), begun: unsafe.Add(base, begun),
		lit: &z.lit[0], dist: &z.dist[0],
	}
	s.hold = z.hold | binary.LittleEndian.Uint64(z.inWord(z.pos)[:])<<z.n
	s.in, s.n = unsafe.Add(s.in, (63-z.n)>>3), uint64(z.n|56)
	decodeBytes((*[11]uint64)(unsafe.Pointer(&s)))
	if s.wrong != 0 {
		return o, false
	}
	// Where it stopped is a matter of bits, however many of them it had in its buffer.
	bit := 8*(uintptr(s.in)-uintptr(in)) - uintptr(s.n)
	z.pos = int(bit >> 3)
	z.hold = binary.LittleEndian.Uint64(z.inWord(z.pos)[:]) >> (bit & 7)
	z.pos, z.n = z.pos+7, uint(56-bit&7)
	return int(uintptr(s.out) - uintptr(base)), true
}
