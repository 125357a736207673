package hdf5

import (
	"fmt"
	"math/bits"
)

// lookup3 is Bob Jenkins' hashlittle with the initial value 0, the checksum of HDF5's metadata
// (burtleburtle.net/bob/c/lookup3.c).
func lookup3(k []byte) uint32 {
	a := 0xdeadbeef + uint32(len(k))
	b, c := a, a
	for len(k) > 12 {
		a += u32(k)
		b += u32(k[4:])
		c += u32(k[8:])
		a = a - c ^ bits.RotateLeft32(c, 4)
		c += b
		b = b - a ^ bits.RotateLeft32(a, 6)
		a += c
		c = c - b ^ bits.RotateLeft32(b, 8)
		b += a
		a = a - c ^ bits.RotateLeft32(c, 16)
		c += b
		b = b - a ^ bits.RotateLeft32(a, 19)
		a += c
		c = c - b ^ bits.RotateLeft32(b, 4)
		b += a
		k = k[12:]
	}
	if len(k) == 0 {
		return c
	}
	var last [12]byte
	copy(last[:], k)
	a += u32(last[:])
	b += u32(last[4:])
	c += u32(last[8:])
	c = c ^ b - bits.RotateLeft32(b, 14)
	a = a ^ c - bits.RotateLeft32(c, 11)
	b = b ^ a - bits.RotateLeft32(a, 25)
	c = c ^ b - bits.RotateLeft32(b, 16)
	a = a ^ c - bits.RotateLeft32(c, 4)
	b = b ^ a - bits.RotateLeft32(a, 14)
	c = c ^ b - bits.RotateLeft32(b, 24)
	return c
}

// checked compares the checksum in the last 4 bytes of a block with that of all before.
func checked(b []byte, what string) error {
	at := len(b) - 4
	if at < 0 || lookup3(b[:at]) != u32(b[at:]) {
		return fmt.Errorf("%s: wrong checksum: the file is damaged; copy it again", what)
	}
	return nil
}
