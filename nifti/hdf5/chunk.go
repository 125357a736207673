package hdf5

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"slices"

	"prgnn/internal/budget"
)

// longestChunk bounds the bytes of a chunk, unpacked; ITK's have 1 Mi numbers.
const longestChunk = 16 << 20

// Filters by their numbers (IV.A.2.l).
const (
	deflate filter = 1
	shuffle filter = 2
)

type filter int

// readFilters reads a filter pipeline message.
func readFilters(b []byte) (filters []filter, err error) {
	c := cursor{b: b}
	version, n := c.byte(), int(c.byte())
	if version == 1 {
		c.skip(6)
	} else if version != 2 {
		return nil, fmt.Errorf("filters of version %d are not supported", version)
	}
	for range n {
		id, name := int(c.uint(2)), 0
		if version == 1 || id >= 256 {
			name = int(c.uint(2))
		}
		c.skip(2)
		values := int(c.uint(2))
		if version == 1 {
			name = (name + 7) / 8 * 8
			values += values % 2
		}
		c.skip(name)
		c.skip(4 * values)
		if c.short {
			return nil, errors.New("its list of filters is too short: the file is damaged")
		}
		if filter(id) != deflate && filter(id) != shuffle {
			return nil, fmt.Errorf("filter %d is not supported, only deflate (1) and shuffle (2); write the file again with gzip", id)
		}
		if slices.Contains(filters, filter(id)) {
			return nil, fmt.Errorf("filter %d appears twice: the file is damaged", id)
		}
		filters = append(filters, filter(id))
	}
	return filters, nil
}

// chunks reads a dataset of chunks through its B-tree, in order.
func (v *Vector) chunks(tree, chunk uint64, take func([]float64) error) error {
	u := &unpacker{size: int(chunk) * v.size, elem: v.size}
	mem := budget.For(v.f.size) // for one pass: several chunks may be the same bytes
	var next uint64             // number
	var x []float64
	err := v.f.tree(tree, 1, 24, -1, func(key []byte, at uint64) error {
		size, skipped, offset := uint64(u32(key)), u32(key[4:]), u64(key[8:])
		if offset != next || next >= uint64(v.Len) {
			return fmt.Errorf("chunk %d instead of chunk %d: the file is damaged or incomplete", offset, next)
		}
		if size > longestChunk+longestChunk/8 {
			return fmt.Errorf("a packed chunk of %d bytes is too long: the file is damaged", size)
		}
		if err := mem.Take(int64(size)+int64(u.size), 1, "further bytes of chunks"); err != nil {
			return err
		}
		b, err := v.f.read(at, size, "chunk")
		if err != nil {
			return err
		}
		if b, err = u.plainOf(b, v.filters, skipped); err != nil {
			return fmt.Errorf("chunk at byte %d: %w", at, err)
		}
		n := min(chunk, uint64(v.Len)-next)
		next += n
		x = v.numbers(x[:0], b[:n*uint64(v.size)])
		return take(x)
	})
	if err == nil && next != uint64(v.Len) {
		err = fmt.Errorf("only %d of %d values are present: the file is damaged or incomplete", next, v.Len)
	}
	return err
}

// An unpacker undoes filters, in buffers that it keeps.
type unpacker struct {
	size, elem int // bytes of a chunk, and of a number
	z          io.ReadCloser
	out, plain []byte
}

func (u *unpacker) undo(f filter, b []byte) ([]byte, error) {
	if f == deflate {
		return u.inflate(b)
	}
	// Shuffled are all first bytes, then all second ones …
	u.plain = resize(u.plain, len(b))
	n := len(b) / u.elem
	copy(u.plain, b)
	for k := range u.elem {
		for i, x := range b[k*n : (k+1)*n] {
			u.plain[i*u.elem+k] = x
		}
	}
	return u.plain, nil
}

func (u *unpacker) inflate(b []byte) (out []byte, err error) {
	src := bytes.NewReader(b)
	if u.z == nil {
		u.z, err = zlib.NewReader(src)
	} else {
		err = u.z.(zlib.Resetter).Reset(src, nil)
	}
	if err != nil {
		u.z = nil
		return nil, fmt.Errorf("%w: the file is damaged; copy it again", err)
	}
	u.out = resize(u.out, u.size)
	n, err := io.ReadFull(u.z, u.out)
	if err == nil {
		// After the last byte comes io.EOF, when its checksum is right.
		var more int
		if more, err = u.z.Read(make([]byte, 1)); more > 0 {
			err = fmt.Errorf("more than %d bytes", u.size)
		}
	}
	if err != io.EOF {
		return nil, fmt.Errorf("%w: the file is damaged; copy it again", err)
	}
	return u.out[:n], nil
}

func resize(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}
