package hdf5

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"prgnn/internal/budget"
)

// A File is an HDF5 file that has been opened.
type File struct {
	r    io.ReaderAt
	size int64 // bytes
	root *object
	mem  *budget.Budget // for all that is read but the numbers of vectors, which pass by
}

// undefined is the address of what is not there.
const undefined = math.MaxUint64

var signature = []byte("\x89HDF\r\n\x1a\n")

// Is reports whether a file begins as an HDF5 file does.
func Is(first []byte) bool {
	return len(first) >= len(signature) && string(first[:len(signature)]) == string(signature)
}

// Open reads the superblock (II.A) and the root group of a file of so many bytes.
func Open(r io.ReaderAt, size int64) (*File, error) {
	block := userblock(r, size)
	f := &File{r: io.NewSectionReader(r, block, size-block), size: size - block, mem: budget.For(size)}
	b, err := f.bytes(0, 48, "the superblock")
	if err != nil || !Is(b) {
		return nil, errors.New("not an HDF5 file: it does not begin with \\x89HDF")
	}
	var offsets, lengths byte
	var base, end, root uint64
	switch version := b[8]; version {
	case 0:
		if b, err = f.bytes(0, 96, "the superblock"); err != nil {
			return nil, err
		}
		offsets, lengths, base, end, root = b[13], b[14], u64(b[24:]), u64(b[40:]), u64(b[64:])
	case 2, 3:
		if err := checked(b, "the superblock"); err != nil {
			return nil, err
		}
		offsets, lengths, base, end, root = b[9], b[10], u64(b[12:]), u64(b[28:]), u64(b[36:])
	default:
		return nil, fmt.Errorf("superblock version %d is not supported", version)
	}
	switch {
	case offsets != 8 || lengths != 8:
		return nil, fmt.Errorf("addresses of %d bytes and lengths of %d are not supported, only of 8", offsets, lengths)
	case base != uint64(block) && base != 0:
		return nil, fmt.Errorf("a file that begins at byte %d of another is not supported", base)
	case end > uint64(size):
		return nil, fmt.Errorf("the file has %d bytes of %d: it is truncated; copy it again", size, end)
	}
	if f.root, err = f.object(root); err != nil {
		return nil, fmt.Errorf("root group: %w", err)
	}
	return f, nil
}

// userblock is how many bytes of another program stand before the superblock (II.A): none, 512, or twice as many …
// All addresses count from its end.
func userblock(r io.ReaderAt, size int64) int64 {
	b := make([]byte, len(signature))
	for at := int64(0); at+int64(len(b)) <= size; at = max(512, 2*at) {
		if _, err := r.ReadAt(b, at); err == nil && Is(b) {
			return at
		}
	}
	return 0
}

// Names are the names in a group, sorted as text; path "" is the root.
func (f *File) Names(path string) ([]string, error) {
	o, err := f.find(path)
	if err != nil {
		return nil, err
	}
	links, err := f.links(o)
	if err != nil {
		return nil, fmt.Errorf("group /%s: %w", path, err)
	}
	return sortedNames(links), nil
}

// Has reports whether there is an object of this path, "group/group/dataset".
func (f *File) Has(path string) bool {
	_, err := f.find(path)
	return err == nil
}

// find follows the links of a path.
func (f *File) find(path string) (*object, error) {
	o, done := f.root, ""
	for name := range strings.SplitSeq(path, "/") {
		if name == "" {
			continue
		}
		links, err := f.links(o)
		if err != nil {
			return nil, fmt.Errorf("group /%s: %w", done, err)
		}
		at, ok := links[name]
		if !ok {
			return nil, fmt.Errorf("%.80q is missing in group /%.200s", name, done)
		}
		done = strings.TrimPrefix(done+"/"+name, "/")
		if o, err = f.object(at); err != nil {
			return nil, fmt.Errorf("/%s: %w", done, err)
		}
	}
	return o, nil
}

// bytes reads n bytes at an address; what names them in an error.
func (f *File) bytes(at, n uint64, what string) ([]byte, error) {
	if n <= uint64(f.size) {
		if err := f.mem.Take(int64(n), 1, "further bytes of headers and names"); err != nil { // blocks may be read again and again
			return nil, fmt.Errorf("%s at byte %d: %w", what, at, err)
		}
	}
	return f.read(at, n, what)
}

// read is bytes for the numbers of a vector, which pass by.
func (f *File) read(at, n uint64, what string) ([]byte, error) {
	if at > uint64(f.size) || n > uint64(f.size)-at {
		return nil, fmt.Errorf("%s: %d bytes at byte %d, but the file has %d", what, n, at, f.size)
	}
	b := make([]byte, n)
	if _, err := f.r.ReadAt(b, int64(at)); err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", what, err)
	} else if err == io.EOF {
		return nil, fmt.Errorf("%s: the file ends before byte %d", what, at+n)
	}
	return b, nil
}

// block reads n bytes at an address that begin with a signature of 4 bytes and a version.
func (f *File) block(at, n uint64, mark string, version byte) ([]byte, error) {
	if n < uint64(len(mark)+1) {
		return nil, fmt.Errorf("%s of %d bytes at byte %d: the file is damaged", mark, n, at)
	}
	b, err := f.bytes(at, n, mark)
	if err != nil {
		return nil, err
	}
	if string(b[:4]) != mark {
		return nil, fmt.Errorf("there is no %[2]s at byte %[1]d: the file is damaged", at, mark)
	}
	if b[4] != version {
		return nil, fmt.Errorf("%s of version %d is not supported", mark, b[4])
	}
	return b, nil
}

func u16(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }
func u32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func u64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// uint is a little-endian number of up to 8 bytes.
func uintOf(b []byte) (v uint64) {
	for i := len(b) - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v
}

// A cursor reads a message from its start. Reading beyond the end gives zeros and sets short.
type cursor struct {
	b     []byte
	short bool
}

func (c *cursor) take(n int) []byte {
	if n > len(c.b) {
		c.short = true
		c.b = nil
		return make([]byte, min(n, 8))
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

func (c *cursor) skip(n int)        { c.take(n) }
func (c *cursor) byte() byte        { return c.take(1)[0] }
func (c *cursor) uint(n int) uint64 { return uintOf(c.take(n)) }
