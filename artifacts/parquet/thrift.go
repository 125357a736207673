package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"

	"prgnn/internal/budget"
)

// Kinds of values in Thrift's compact protocol, in which Parquet writes its footer and the headers of pages.
const (
	kindTrue   = 1
	kindFalse  = 2
	kindByte   = 3
	kindInt64  = 6 // and the narrower ones, 4 and 5
	kindDouble = 7
	kindBytes  = 8
	kindList   = 9
	kindSet    = 10
	kindStruct = 12
)

var errThrift = errors.New("its metadata are damaged")

// structSize is what the Parquet library makes of a structure of the footer, bytes: a column of the schema is the
// largest.
const structSize = 512

// A thriftReader reads values one after another. The first error ends it: what follows is 0.
type thriftReader struct {
	b     []byte
	mem   *budget.Budget // nil where the caller keeps nothing of what is read
	depth int
	err   error
}

func (t *thriftReader) fail(err error) {
	if t.err == nil {
		t.err = err
	}
	t.b = nil
}

func (t *thriftReader) take(n uint64) []byte {
	if n > uint64(len(t.b)) {
		t.fail(errThrift)
		return nil
	}
	b := t.b[:n]
	t.b = t.b[n:]
	return b
}

func (t *thriftReader) byte() byte {
	if b := t.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (t *thriftReader) uint() uint64 {
	v, n := binary.Uvarint(t.b)
	if n <= 0 {
		t.fail(errThrift)
		return 0
	}
	t.b = t.b[n:]
	return v
}

func (t *thriftReader) int() int64 {
	v := t.uint()
	return int64(v>>1) ^ -int64(v&1)
}

func (t *thriftReader) text() string { return string(t.take(t.uint())) }

// fields reads a structure. visit reads the value of a field, or skips it.
func (t *thriftReader) fields(visit func(id int, kind byte)) {
	if t.mem != nil {
		if err := t.mem.Take(1, structSize, "further structures in the footer"); err != nil {
			t.fail(err)
		}
	}
	if t.depth++; t.depth > 32 {
		t.fail(errThrift)
	}
	for id := 0; t.err == nil; {
		head := t.byte()
		if head == 0 {
			break
		}
		if delta := int(head >> 4); delta > 0 {
			id += delta
		} else {
			id = int(int16(t.int()))
		}
		visit(id, head&15)
	}
	t.depth--
}

// list reads a list of elements of one kind.
func (t *thriftReader) list(element func(i int, kind byte)) {
	head := t.byte()
	n, kind := uint64(head>>4), head&15
	if n == 15 {
		n = t.uint()
	}
	for i := uint64(0); i < n && t.err == nil; i++ {
		element(int(i), kind)
	}
}

func (t *thriftReader) skip(kind byte) {
	switch kind {
	case kindTrue, kindFalse:
	case kindByte:
		t.take(1)
	case 4, 5, kindInt64:
		t.uint()
	case kindDouble:
		t.take(8)
	case kindBytes:
		t.take(t.uint())
	case kindList, kindSet:
		t.list(func(_ int, kind byte) {
			if kind == kindTrue || kind == kindFalse {
				kind = kindByte // an element of a list takes a byte
			}
			t.skip(kind)
		})
	case kindStruct:
		t.fields(func(_ int, kind byte) { t.skip(kind) })
	default:
		t.fail(errThrift)
	}
}

var errColumns = errors.New("it claims other columns than it describes")

// checkFooter walks the footer before the library reads it, which believes it: structures are counted, and no column is
// nested deeper than the items of a list (FileMetaData and SchemaElement of parquet.thrift).
func checkFooter(b []byte, mem *budget.Budget) error {
	if len(b) < 12 || string(b[len(b)-4:]) != "PAR1" {
		if len(b) >= 4 && string(b[len(b)-4:]) == "PARE" {
			return errors.New("it is encrypted, which is not supported")
		}
		return errors.New(`truncated: it does not end with "PAR1"`)
	}
	end := len(b) - 8
	size := binary.LittleEndian.Uint32(b[end:])
	if uint64(size) > uint64(end) {
		return fmt.Errorf("a footer of %d bytes in a file of %d", size, len(b))
	}
	t := &thriftReader{b: b[uint64(end)-uint64(size) : end], mem: mem}
	t.fields(func(id int, kind byte) {
		if id != 2 || kind != kindList {
			t.skip(kind)
			return
		}
		var open []int64 // children that the elements around the next one still have
		t.list(func(i int, _ byte) {
			name, children := "", int64(0)
			t.fields(func(id int, kind byte) {
				switch {
				case id == 4 && kind == kindBytes:
					name = t.text()
				case id == 5 && kind == 5:
					children = t.int()
				default:
					t.skip(kind)
				}
			})
			for len(open) > 0 && open[len(open)-1] == 0 {
				open = open[:len(open)-1]
			}
			const list = 3 // elements around the items of a list: the root, the list and its repeated group
			switch {
			case i > 0 && len(open) == 0, children < 0:
				t.fail(errColumns)
			case children > 0 && len(open) == list:
				t.fail(errType(name, "list or structure of others"))
			}
			if i > 0 && t.err == nil {
				open[len(open)-1]--
			}
			if open = append(open, children); i > 0 && children == 0 {
				open = open[:len(open)-1]
			}
		})
		for _, left := range open {
			if left != 0 && t.err == nil {
				t.fail(errColumns)
			}
		}
	})
	return t.err
}

// A pageHeader is the head of a page (PageHeader of parquet.thrift).
type pageHeader struct {
	kind             int64 // pageData …
	size, stored     int64 // bytes of the page, and as it is stored
	crc              uint32
	checked          bool // crc is set
	values, encoding int64
	levelEncoding    int64
	levels, repeats  int64 // bytes of levels of version 2
	plain            bool  // version 2: the values are not compressed
}

// Kinds of pages.
const (
	pageData       = 0
	pageDictionary = 2
	pageDataV2     = 3
)

// pageHeader reads the head of a page.
func (t *thriftReader) pageHeader() (h pageHeader) {
	number := map[int]*int64{1: &h.kind, 2: &h.size, 3: &h.stored}
	inner := map[int]map[int]*int64{
		5: {1: &h.values, 2: &h.encoding, 3: &h.levelEncoding},
		7: {1: &h.values, 2: &h.encoding},
		8: {1: &h.values, 4: &h.encoding, 5: &h.levels, 6: &h.repeats},
	}
	t.fields(func(id int, kind byte) {
		switch {
		case number[id] != nil && kind == 5:
			*number[id] = t.int()
		case id == 4 && kind == 5:
			h.crc, h.checked = uint32(t.int()), true
		case inner[id] != nil && kind == kindStruct:
			t.fields(func(field int, kind byte) {
				switch {
				case inner[id][field] != nil && kind == 5:
					*inner[id][field] = t.int()
				case id == 8 && field == 7:
					h.plain = kind == kindFalse
				default:
					t.skip(kind)
				}
			})
		default:
			t.skip(kind)
		}
	})
	return h
}
