package hdf5

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/internal/budget"
)

// An Object is a group or an array, with its attributes.
type Object struct {
	f *File
	o *object
	// The rest is of an array.
	Dims    []int // as HDF5 counts them: the last one runs fastest
	Class   Class
	size    int  // bytes of an element
	signed  bool // of whole numbers
	layout  []byte
	filters []filter
}

// A Class is that of the elements of an array (IV.A.2.d).
type Class byte

// Classes of elements. Others are not read.
const (
	Group     Class = 255 // it is no array
	Whole     Class = 0
	Float     Class = 1
	Text      Class = 3
	Compound  Class = 6
	Reference Class = 7
)

// Root is the group of all others.
func (f *File) Root() (*Object, error) { return f.open(f.root) }

// At is the object that a reference names.
func (f *File) At(reference uint64) (*Object, error) {
	o, err := f.object(reference)
	if err != nil {
		return nil, err
	}
	return f.open(o)
}

// open describes an object.
func (f *File) open(o *object) (*Object, error) {
	a := &Object{f: f, o: o, Class: Group}
	space, there := o.get(msgDataspace)
	if !there {
		return a, nil
	}
	dims, err := dimensions(space)
	if err != nil {
		return nil, err
	}
	a.Dims = dims
	kind, _ := o.get(msgDatatype)
	if a.Class, a.size, a.signed, err = element(kind); err != nil {
		return nil, err
	}
	// Deflate makes at most 1032 bytes of one.
	if n := a.Count(); a.size > 0 && uint64(n) > uint64(f.size)*1032/uint64(a.size) {
		return nil, fmt.Errorf("%d elements in a file of %d bytes: the file is damaged", n, f.size)
	}
	a.layout, _ = o.get(msgLayout)
	if packed, ok := o.get(msgFilters); ok {
		a.filters, err = readFilters(packed)
	}
	return a, err
}

// Count is the number of elements.
func (a *Object) Count() int { return product(a.Dims) }

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// dimensions reads a dataspace (IV.A.2.b).
func dimensions(b []byte) ([]int, error) {
	c := cursor{b: b}
	version, rank := c.byte(), int(c.byte())
	c.skip(1)
	switch version {
	case 1:
		c.skip(5)
	case 2:
		if kind := c.byte(); kind == 2 {
			return []int{0}, nil
		}
	default:
		return nil, fmt.Errorf("a dataspace of version %d is not supported", version)
	}
	dims, n := make([]int, rank), uint64(1)
	for i := range dims {
		d := c.uint(8)
		if d > math.MaxInt32 || d > 0 && n > math.MaxInt64/16/d {
			return nil, fmt.Errorf("a dimension of %d: the file is damaged", d)
		}
		if n *= d; d == 0 {
			n = 1 // the others are still bounded
		}
		dims[i] = int(d)
	}
	if c.short {
		return nil, errors.New("the dataspace is too short: the file is damaged")
	}
	return dims, nil
}

// element reads a datatype (IV.A.2.d): numbers are little-endian, and floating-point ones IEEE's.
func element(b []byte) (class Class, size int, signed bool, err error) {
	if len(b) < 8 {
		return 0, 0, false, errors.New("it has no datatype: the file is damaged")
	}
	class, size = Class(b[0]&15), int(u32(b[4:]))
	if size <= 0 {
		return 0, 0, false, fmt.Errorf("elements of %d bytes: the file is damaged", size)
	}
	switch class {
	case Float:
		if want := ieee[size]; want == "" || len(b) < 1+len(want) || string(b[1:1+len(want)]) != want {
			err = fmt.Errorf("floating-point numbers of %d bytes are not supported, only float32 and float64, little-endian", size)
		}
	case Whole:
		if size != 1 && size != 2 && size != 4 && size != 8 || size > 1 && b[1]&1 != 0 ||
			len(b) < 12 || u16(b[8:]) != 0 || int(u16(b[10:])) != 8*size {
			err = fmt.Errorf("whole numbers of %d bytes with padding or another byte order are not supported", size)
		}
		signed = b[1]&8 != 0
	case Reference:
		if size != 8 || b[1]&15 != 0 {
			err = errors.New("references to regions are not supported")
		}
	}
	return class, size, signed, err
}

// Links are the names in a group with references to their objects.
func (a *Object) Links() (names []string, references map[string]uint64, err error) {
	references, err = a.f.links(a.o)
	return sortedNames(references), references, err
}

// Attribute is a whole number or a text that an object has; ok is false where it has none of this name, or another
// kind.
func (a *Object) Attribute(name string) (number int64, text string, ok bool) {
	for _, m := range a.o.messages {
		if m.kind != msgAttribute {
			continue
		}
		found, kind, data, err := attribute(m.data)
		if err != nil || found != name {
			continue
		}
		class, size, _, err := element(kind)
		switch {
		case err != nil || len(data) < size:
		case class == Text:
			for i, c := range data[:size] {
				if c == 0 {
					return 0, string(data[:i]), true
				}
			}
			return 0, string(data[:size]), true
		case class == Whole:
			return int64(uintOf(data[:size])), "", true
		}
		return 0, "", false
	}
	return 0, "", false
}

// attribute reads an attribute message (IV.A.2.m): its name, datatype and bytes.
func attribute(b []byte) (name string, kind, data []byte, err error) {
	c := cursor{b: b}
	version, flags := c.byte(), c.byte()
	sizes := [3]int{int(c.uint(2)), int(c.uint(2)), int(c.uint(2))}
	if version == 3 {
		c.skip(1) // character set
	}
	if version < 1 || version > 3 || version > 1 && flags&3 != 0 {
		return "", nil, nil, fmt.Errorf("an attribute of version %d is not supported", version)
	}
	var parts [3][]byte
	for i, n := range sizes {
		if n > len(c.b) {
			return "", nil, nil, errors.New("an attribute is too short: the file is damaged")
		}
		parts[i] = c.b[:n]
		if version == 1 {
			n = min((n+7)&^7, len(c.b))
		}
		c.b = c.b[n:]
	}
	for i, x := range parts[0] {
		if x == 0 {
			parts[0] = parts[0][:i]
			break
		}
	}
	return string(parts[0]), parts[1], c.b, nil
}

// Numbers are the numbers of an array whose first index is from … to−1, in order. Whole numbers that float64 cannot
// hold are refused.
func (a *Object) Numbers(from, to int) ([]float64, error) {
	if a.Class != Whole && a.Class != Float {
		return nil, fmt.Errorf("elements of class %d are no numbers", a.Class)
	}
	b, err := a.bytes(from, to)
	if err != nil {
		return nil, err
	}
	n := len(b) / a.size
	if err := a.f.mem.Take(int64(n), 16, "numbers"); err != nil {
		return nil, err
	}
	x := make([]float64, 0, n)
	if a.Class == Float {
		return (&Vector{size: a.size}).numbers(x, b), nil
	}
	for ; len(b) > 0; b = b[a.size:] {
		u := uintOf(b[:a.size])
		v := float64(u)
		if a.signed {
			shift := 64 - 8*a.size
			s := int64(u<<shift) >> shift
			if v = float64(s); a.size == 8 && (v == 1<<63 || int64(v) != s) {
				return nil, fmt.Errorf("it holds %d, which double precision cannot hold exactly", s)
			}
		} else if a.size == 8 && (v == 1<<64 || uint64(v) != u) {
			return nil, fmt.Errorf("it holds %d, which double precision cannot hold exactly", u)
		}
		x = append(x, v)
	}
	return x, nil
}

// References are those of an array of them.
func (a *Object) References() ([]uint64, error) {
	if a.Class != Reference {
		return nil, fmt.Errorf("elements of class %d are no references", a.Class)
	}
	b, err := a.all()
	if err != nil {
		return nil, err
	}
	if err := a.f.mem.Take(int64(len(b)), 1, "bytes of references"); err != nil {
		return nil, err
	}
	all := make([]uint64, 0, len(b)/8)
	for ; len(b) > 0; b = b[8:] {
		all = append(all, u64(b))
	}
	return all, nil
}

func (a *Object) all() ([]byte, error) {
	if len(a.Dims) == 0 {
		return a.bytes(0, 1)
	}
	return a.bytes(0, a.Dims[0])
}

// bytes reads the elements whose first index is from … to−1 (IV.A.2.i).
func (a *Object) bytes(from, to int) ([]byte, error) {
	dims := a.Dims
	if len(dims) == 0 { // a scalar
		dims = []int{1}
	}
	if from < 0 || to < from || to > dims[0] {
		return nil, fmt.Errorf("elements %d to %d of %d", from, to, dims[0])
	}
	row := product(dims[1:]) * a.size
	want := (to - from) * row
	if want == 0 {
		return nil, nil
	}
	if a.filters != nil && (len(a.layout) < 2 || a.layout[1] != 2) {
		return nil, errors.New("filters of a dataset without chunks are not supported")
	}
	c := cursor{b: a.layout}
	version, class := c.byte(), c.byte()
	if version != 3 {
		return nil, fmt.Errorf("a data layout of version %d is not supported, only 3", version)
	}
	switch class {
	case 0:
		n := int(c.uint(2))
		if n < dims[0]*row || n > len(c.b) {
			return nil, fmt.Errorf("%d bytes of compact data for %d: the file is damaged", n, dims[0]*row)
		}
		return c.b[from*row : to*row], nil
	case 1:
		at, n := c.uint(8), c.uint(8)
		if c.short || at == undefined || n < uint64(dims[0]*row) {
			return nil, fmt.Errorf("%d bytes of data at byte %d for %d: the file is damaged or incomplete", n, at, dims[0]*row)
		}
		if err := a.f.mem.Take(int64(want), 1, "bytes of numbers"); err != nil {
			return nil, err
		}
		return a.f.read(at+uint64(from*row), uint64(want), "data")
	case 2:
		return a.fromChunks(&c, dims, from, to, row)
	}
	return nil, fmt.Errorf("a data layout of class %d is not supported", class)
}

// fromChunks puts together what chunks have of the elements whose first index is from … to−1.
func (a *Object) fromChunks(c *cursor, dims []int, from, to, row int) ([]byte, error) {
	rank := int(c.byte()) - 1
	tree := c.uint(8)
	if rank != len(dims) {
		return nil, fmt.Errorf("chunks of %d dimensions for %d: the file is damaged", rank, len(dims))
	}
	chunk, bytes := make([]int, rank), a.size
	for i := range chunk {
		chunk[i] = int(c.uint(4))
		if chunk[i] == 0 || chunk[i] > longestChunk/bytes {
			return nil, fmt.Errorf("a chunk is longer than %d MiB, or empty: the file is damaged", longestChunk>>20)
		}
		bytes *= chunk[i]
	}
	if elem := int(c.uint(4)); c.short || elem != a.size {
		return nil, fmt.Errorf("chunks of elements of %d bytes instead of %d: the file is damaged", elem, a.size)
	}
	want := (to - from) * row
	if err := a.f.mem.Take(int64(want), 1, "bytes of numbers"); err != nil {
		return nil, err
	}
	out := make([]byte, want)
	u := &unpacker{size: bytes, elem: a.size}
	mem := budget.For(a.f.size) // for one pass: several chunks may be the same bytes
	filled := 0                 // elements
	offset := make([]int, rank)
	last := slices.Repeat([]int{-1}, rank)
	err := a.f.tree(tree, 1, uint64(8+8*(rank+1)), -1, func(key []byte, at uint64) error {
		size, skipped := uint64(u32(key)), u32(key[4:])
		for i := range offset {
			o := u64(key[8+8*i:])
			if o >= uint64(dims[i]) || o%uint64(chunk[i]) != 0 {
				return fmt.Errorf("a chunk begins at %d of %d: the file is damaged", o, dims[i])
			}
			offset[i] = int(o)
		}
		if slices.Compare(offset, last) <= 0 {
			return fmt.Errorf("chunk %v after chunk %v: the file is damaged", offset, last)
		}
		copy(last, offset)
		if offset[0] >= to || offset[0]+chunk[0] <= from {
			return nil
		}
		if size > longestChunk+longestChunk/8 {
			return fmt.Errorf("a packed chunk of %d bytes is too long: the file is damaged", size)
		}
		if err := mem.Take(int64(size)+int64(u.size), 1, "further bytes of chunks"); err != nil {
			return err
		}
		b, err := a.f.read(at, size, "chunk")
		if err != nil {
			return err
		}
		if b, err = u.plainOf(b, a.filters, skipped); err != nil {
			return fmt.Errorf("chunk at byte %d: %w", at, err)
		}
		filled += spread(out, b, dims, chunk, offset, from, to, a.size)
		return nil
	})
	if err == nil && filled*a.size != want {
		err = fmt.Errorf("only %d of %d elements are present: the file is damaged or incomplete", filled, want/a.size)
	}
	return out, err
}

// plainOf undoes the filters of a chunk.
func (u *unpacker) plainOf(b []byte, filters []filter, skipped uint32) (_ []byte, err error) {
	for i := len(filters) - 1; i >= 0; i-- {
		if skipped>>i&1 == 1 {
			continue
		}
		if b, err = u.undo(filters[i], b); err != nil {
			return nil, err
		}
	}
	if len(b) != u.size {
		return nil, fmt.Errorf("%d bytes, want %d: the file is damaged", len(b), u.size)
	}
	return b, nil
}

// spread copies the rows of a chunk to their places in the elements whose first index is from … to−1. It returns how
// many elements these are; those of a chunk that lie beyond the array are left out.
func spread(out, b []byte, dims, chunk, offset []int, from, to, size int) (n int) {
	rank := len(dims)
	index := make([]int, rank) // within the chunk; the last one stays 0
	run := min(chunk[rank-1], dims[rank-1]-offset[rank-1])
	first := 0 // of the run
	if rank == 1 {
		first = max(0, from-offset[0])
		run = min(run, to-offset[0]) - first
	}
	for {
		inside, source, target := true, 0, 0
		for i := range rank {
			k := offset[i] + index[i]
			low, high := 0, dims[i]
			if i == 0 {
				low, high = from, to
			}
			if rank > 1 { // else the run is cut
				inside = inside && k >= low && k < high
			}
			source = source*chunk[i] + index[i]
			target = target*(high-low) + k - low
		}
		if inside {
			source, target = source+first, target+first
			copy(out[target*size:(target+run)*size], b[source*size:(source+run)*size])
			n += run
		}
		i := rank - 2
		for ; i >= 0; i-- {
			if index[i]++; index[i] < chunk[i] {
				break
			}
			index[i] = 0
		}
		if i < 0 {
			return n
		}
	}
}
