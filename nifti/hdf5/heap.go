package hdf5

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A fractalHeap is one whose objects are all in its first direct block.
type fractalHeap struct {
	block   []byte
	offsets int // bytes of an offset in an id
	begin   uint64
}

// fractalHeap reads a heap and its direct block (III.G).
func (f *File) fractalHeap(at uint64) (*fractalHeap, error) {
	b, err := f.block(at, 146, "FRHP", 0)
	if err != nil {
		return nil, err
	}
	if u16(b[7:]) != 0 {
		return nil, errors.New("a fractal heap with filters is not supported")
	}
	if err := checked(b, "FRHP"); err != nil {
		return nil, err
	}
	size, width := u64(b[112:]), uint64(u16(b[128:])+7)/8
	if u16(b[140:]) != 0 || width < 1 || width > 8 {
		return nil, errors.New("a group with so many links that its heap has several blocks is not supported")
	}
	sums := b[9]&2 != 0
	h := &fractalHeap{offsets: int(width), begin: 13 + width}
	if sums {
		h.begin += 4
	}
	if size < h.begin {
		return nil, fmt.Errorf("FHDB of %d bytes: the file is damaged", size)
	}
	if h.block, err = f.block(u64(b[132:]), size, "FHDB", 0); err != nil {
		return nil, err
	}
	if sums { // of the block, with zeros in place of the checksum
		sum := h.block[h.begin-4 : h.begin]
		want := u32(sum)
		clear(sum)
		if lookup3(h.block) != want {
			return nil, errors.New("FHDB: wrong checksum: the file is damaged; copy it again")
		}
		binary.LittleEndian.PutUint32(sum, want)
	}
	return h, nil
}

// get is an object of the heap by its id: kind, offset, length.
func (h *fractalHeap) get(id []byte) ([]byte, error) {
	if id[0] != 0 || len(id) <= 1+h.offsets {
		return nil, fmt.Errorf("an object of kind %#x in a fractal heap is not supported", id[0])
	}
	at, n := uintOf(id[1:1+h.offsets]), uintOf(id[1+h.offsets:])
	if at < h.begin || at > uint64(len(h.block)) || n > uint64(len(h.block))-at {
		return nil, errors.New("an object is outside its fractal heap: the file is damaged")
	}
	return h.block[at : at+n], nil
}

// global reads an object of a global heap (III.E).
func (f *File) global(at uint64, index uint32) ([]byte, error) {
	b, err := f.block(at, 16, "GCOL", 1)
	if err != nil {
		return nil, err
	}
	size := u64(b[8:])
	if size < 16 {
		return nil, fmt.Errorf("a global heap of %d bytes: the file is damaged", size)
	}
	if b, err = f.bytes(at, size, "GCOL"); err != nil {
		return nil, err
	}
	for b = b[16:]; len(b) >= 16; {
		id, n := uint32(u16(b)), u64(b[8:])
		if b = b[16:]; id == 0 || n > uint64(len(b)) {
			break
		}
		if id == index {
			return b[:n], nil
		}
		b = b[min((n+7)/8*8, uint64(len(b))):]
	}
	return nil, fmt.Errorf("object %d is not in the global heap at byte %d: the file is damaged", index, at)
}
