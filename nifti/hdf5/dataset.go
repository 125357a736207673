package hdf5

import (
	"errors"
	"fmt"
	"math"
)

// A Vector is a dataset of one dimension of float32 or float64.
type Vector struct {
	Len int // numbers

	f       *File
	path    string
	size    int // bytes of a number, 4 or 8
	layout  []byte
	filters []filter
}

// Vector opens a dataset. Nothing of it is read yet.
func (f *File) Vector(path string) (*Vector, error) {
	o, err := f.find(path)
	if err != nil {
		return nil, err
	}
	v := &Vector{f: f, path: path}
	if err := v.describe(o); err != nil {
		return nil, fmt.Errorf("/%s: %w", path, err)
	}
	return v, nil
}

func (v *Vector) describe(o *object) error {
	n, err := length(o)
	if err != nil {
		return err
	}
	if v.size, err = floatSize(o); err != nil {
		return err
	}
	// Deflate makes at most 1032 bytes of one.
	if n > uint64(v.f.size)*1032/uint64(v.size) {
		return fmt.Errorf("%d numbers in a file of %d bytes: the file is damaged", n, v.f.size)
	}
	v.Len = int(n)
	v.layout, _ = o.get(msgLayout)
	if packed, ok := o.get(msgFilters); ok {
		v.filters, err = readFilters(packed)
	}
	return err
}

// length is the number of elements of a dataset (IV.A.2.b).
func length(o *object) (uint64, error) {
	b, ok := o.get(msgDataspace)
	if !ok {
		return 0, errors.New("it is not a dataset")
	}
	c := cursor{b: b}
	version, rank := c.byte(), c.byte()
	c.skip(1)
	switch version {
	case 1:
		c.skip(5)
	case 2:
		if kind := c.byte(); kind == 2 {
			return 0, errors.New("a dataset without elements (a null dataspace) is not supported")
		}
	default:
		return 0, fmt.Errorf("a dataspace of version %d is not supported", version)
	}
	if rank > 1 {
		return 0, fmt.Errorf("a dataset with %d dimensions is not supported, only with one", rank)
	}
	n := uint64(1)
	if rank == 1 {
		n = c.uint(8)
	}
	if c.short || n > math.MaxInt64/16 {
		return 0, errors.New("the dataspace is too short or too large: the file is damaged")
	}
	return n, nil
}

// IEEE numbers, little endian, as a datatype message describes them (IV.A.2.d): class and
// version, sign, size, and the places of the parts.
var ieee = map[int]string{
	4: "\x20\x1f\x00\x04\x00\x00\x00\x00\x00\x20\x00\x17\x08\x00\x17\x7f\x00\x00\x00",
	8: "\x20\x3f\x00\x08\x00\x00\x00\x00\x00\x40\x00\x34\x0b\x00\x34\xff\x03\x00\x00",
}

// floatSize is the size of the numbers of a dataset, bytes.
func floatSize(o *object) (int, error) {
	b, ok := o.get(msgDatatype)
	if !ok || len(b) < 8 {
		return 0, errors.New("it has no datatype: the file is damaged")
	}
	size := int(u32(b[4:]))
	want := ieee[size]
	if b[0]&15 != 1 || want == "" || len(b) < 1+len(want) || string(b[1:1+len(want)]) != want {
		return 0, fmt.Errorf("values of class %d and %d bytes are not supported, only float32 and float64, little-endian", b[0]&15, size)
	}
	return size, nil
}

// Each passes all numbers in order, in pieces that are valid until the next call.
func (v *Vector) Each(take func([]float64) error) error {
	if err := v.each(take); err != nil {
		return fmt.Errorf("/%s: %w", v.path, err)
	}
	return nil
}

// All returns the numbers of a vector of at most this many.
func (v *Vector) All(most int) ([]float64, error) {
	if v.Len > most {
		return nil, fmt.Errorf("/%s: %d values, expected at most %d", v.path, v.Len, most)
	}
	all := make([]float64, 0, v.Len)
	err := v.Each(func(x []float64) error {
		all = append(all, x...)
		return nil
	})
	return all, err
}

const piece = 1 << 17 // bytes read at a time

// each reads the storage (IV.A.2.i).
func (v *Vector) each(take func([]float64) error) error {
	b := v.layout
	c := cursor{b: b}
	version, class := c.byte(), c.byte()
	if version != 3 {
		return fmt.Errorf("a data layout of version %d is not supported, only 3", version)
	}
	size := uint64(v.Len) * uint64(v.size)
	if class < 2 && v.filters != nil {
		return errors.New("filters of a dataset without chunks are not supported")
	}
	switch class {
	case 0:
		n := c.uint(2)
		if n != size || n > uint64(len(c.b)) {
			return fmt.Errorf("%d bytes are stored of %d: the file is damaged", n, size)
		}
		return take(v.numbers(nil, c.b[:n]))
	case 1:
		at, n := c.uint(8), c.uint(8)
		if c.short || n != size || at > uint64(v.f.size) || n > uint64(v.f.size)-at {
			return fmt.Errorf("%d bytes at byte %d for %d values, but the file has %d bytes: it is damaged", n, at, v.Len, v.f.size)
		}
		var x []float64
		for size > 0 {
			b, err := v.f.read(at, min(size, piece), "data")
			if err != nil {
				return err
			}
			x = v.numbers(x[:0], b)
			if err := take(x); err != nil {
				return err
			}
			at, size = at+uint64(len(b)), size-uint64(len(b))
		}
		return nil
	case 2:
		rank, tree, chunk, elem := c.byte(), c.uint(8), c.uint(4), c.uint(4)
		if c.short || rank != 2 || elem != uint64(v.size) || chunk == 0 || chunk*elem > longestChunk {
			return fmt.Errorf("chunks of %d numbers of %d bytes: the file is damaged, or they are longer than %d MiB", chunk, elem, longestChunk>>20)
		}
		return v.chunks(tree, chunk, take)
	}
	return fmt.Errorf("a data layout of class %d is not supported", class)
}

// numbers appends the numbers in b to x.
func (v *Vector) numbers(x []float64, b []byte) []float64 {
	if v.size == 4 {
		for ; len(b) >= 4; b = b[4:] {
			x = append(x, float64(math.Float32frombits(u32(b))))
		}
		return x
	}
	for ; len(b) >= 8; b = b[8:] {
		x = append(x, math.Float64frombits(u64(b)))
	}
	return x
}

// Text is a dataset of one text of variable length.
func (f *File) Text(path string) (string, error) {
	text, err := f.text(path)
	if err != nil {
		return "", fmt.Errorf("/%s: %w", path, err)
	}
	return text, nil
}

func (f *File) text(path string) (string, error) {
	o, err := f.find(path)
	if err != nil {
		return "", err
	}
	n, err := length(o)
	if err != nil {
		return "", err
	}
	kind, _ := o.get(msgDatatype)
	layout, _ := o.get(msgLayout)
	if len(kind) < 8 || kind[0]&15 != 9 || kind[1]&15 != 1 || u32(kind[4:]) != 16 || n != 1 {
		return "", errors.New("it is not a single string of variable length")
	}
	c := cursor{b: layout}
	version, class := c.byte(), c.byte()
	var ref []byte
	switch {
	case version == 3 && class == 0:
		c.skip(2)
		ref = c.b
	case version == 3 && class == 1:
		if ref, err = f.bytes(c.uint(8), 16, "data"); err != nil {
			return "", err
		}
	default:
		return "", fmt.Errorf("a string in a data layout of version %d and class %d is not supported", version, class)
	}
	if len(ref) < 16 {
		return "", errors.New("its reference is too short: the file is damaged")
	}
	size := uint64(u32(ref))
	b, err := f.global(u64(ref[4:]), u32(ref[12:]))
	if err != nil {
		return "", err
	}
	if size > uint64(len(b)) {
		return "", fmt.Errorf("a string of %d bytes in an object of %d: the file is damaged", size, len(b))
	}
	for i, x := range b[:size] {
		if x == 0 {
			return string(b[:i]), nil
		}
	}
	return string(b[:size]), nil
}
