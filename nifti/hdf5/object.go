package hdf5

import (
	"errors"
	"fmt"
)

// Kinds of messages (IV.A.2).
const (
	msgDataspace    = 0x01
	msgLinkInfo     = 0x02
	msgDatatype     = 0x03
	msgLink         = 0x06
	msgExternal     = 0x07
	msgLayout       = 0x08
	msgFilters      = 0x0b
	msgAttribute    = 0x0c
	msgContinuation = 0x10
	msgSymbolTable  = 0x11
)

// An object is a group or a dataset: the messages of its header.
type object struct{ messages []message }

type message struct {
	kind int
	data []byte
}

// get is the data of the first message of a kind.
func (o *object) get(kind int) ([]byte, bool) {
	for _, m := range o.messages {
		if m.kind == kind {
			return m.data, true
		}
	}
	return nil, false
}

// A span is a block of a header.
type span struct{ at, n uint64 }

// object reads the header of an object (IV.A.1).
func (f *File) object(at uint64) (*object, error) {
	b, err := f.bytes(at, 16, "object header")
	if err != nil {
		return nil, err
	}
	if string(b[:4]) == "OHDR" {
		return f.objectV2(at)
	}
	if b[0] != 1 {
		return nil, fmt.Errorf("there is no object header at byte %d: the file is damaged", at)
	}
	o := &object{}
	more := []span{{at + 16, uint64(u32(b[8:]))}}
	for n := 0; n < len(more); n++ {
		b, err := f.headerBlock(more, n)
		if err != nil {
			return nil, err
		}
		for len(b) >= 8 {
			kind, size, flags := int(u16(b)), int(u16(b[2:])), b[4]
			if b = b[8:]; size > len(b) {
				return nil, fmt.Errorf("object header at byte %d: a message of %d bytes, but %d are left", at, size, len(b))
			}
			if more, err = f.add(o, kind, flags, b[:size], more); err != nil {
				return nil, err
			}
			b = b[size:]
		}
	}
	return o, nil
}

// objectV2 reads a header of version 2.
func (f *File) objectV2(at uint64) (*object, error) {
	b, err := f.block(at, 6, "OHDR", 2)
	if err != nil {
		return nil, err
	}
	flags := b[5]
	begin := uint64(6)
	if flags&0x20 != 0 {
		begin += 16 // four times
	}
	if flags&0x10 != 0 {
		begin += 4 // when attributes move
	}
	width := uint64(1) << (flags & 3)
	b, err = f.bytes(at, begin+width, "object header")
	if err != nil {
		return nil, err
	}
	size := uintOf(b[begin:])
	if size > uint64(f.size) {
		return nil, fmt.Errorf("object header at byte %d: %d bytes, but the file has %d", at, size, f.size)
	}
	begin += width
	o := &object{}
	more := []span{{at, begin + size + 4}}
	for n := 0; n < len(more); n++ {
		b, err := f.headerBlock(more, n)
		if err != nil {
			return nil, err
		}
		if err := checked(b, fmt.Sprintf("object header at byte %d", more[n].at)); err != nil {
			return nil, err
		}
		if n > 0 {
			if begin = 4; string(b[:4]) != "OCHK" {
				return nil, fmt.Errorf("there is no OCHK at byte %d: the file is damaged", more[n].at)
			}
		}
		prefix := 4
		if flags&4 != 0 {
			prefix += 2 // order of creation
		}
		// What is left and too short for a message is a gap.
		for b = b[begin : len(b)-4]; len(b) >= prefix; {
			kind, size, mflags := int(b[0]), int(u16(b[1:])), b[3]
			if b = b[prefix:]; size > len(b) {
				return nil, fmt.Errorf("object header at byte %d: a message of %d bytes, but %d are left", at, size, len(b))
			}
			if more, err = f.add(o, kind, mflags, b[:size], more); err != nil {
				return nil, err
			}
			b = b[size:]
		}
	}
	return o, nil
}

// headerBlock reads one block of a header.
func (f *File) headerBlock(blocks []span, n int) ([]byte, error) {
	s := blocks[n]
	if n > 0 && s.n < 8 {
		return nil, errors.New("an object header continues in an empty block: the file is damaged")
	}
	return f.bytes(s.at, s.n, "object header")
}

// add keeps a message, or goes where the header is continued.
func (f *File) add(o *object, kind int, flags byte, data []byte, more []span) ([]span, error) {
	if err := f.mem.Take(1, 64, "further messages in object headers"); err != nil {
		return nil, err
	}
	switch {
	case kind == msgContinuation:
		c := cursor{b: data}
		at, n := c.uint(8), c.uint(8)
		if c.short {
			return nil, errors.New("a continuation of an object header is too short: the file is damaged")
		}
		return append(more, span{at, n}), nil
	case flags&0x02 != 0 && (kind == msgDatatype || kind == msgDataspace || kind == msgFilters):
		return nil, fmt.Errorf("shared messages (kind %#x) are not supported", kind)
	case kind == msgExternal:
		return nil, errors.New("data in external files are not supported")
	}
	o.messages = append(o.messages, message{kind, data})
	return more, nil
}
