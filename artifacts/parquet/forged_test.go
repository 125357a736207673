package parquet

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"testing"

	"github.com/klauspost/compress/zstd"

	"prgnn/artifacts/encoding"
	"prgnn/internal/forge"
)

// A thriftWriter writes structures in Thrift's compact protocol; ids ascend by less than 16.
type thriftWriter struct {
	*forge.File
	last int
}

func (t *thriftWriter) head(id int, kind byte) {
	t.WriteByte(byte(id-t.last)<<4 | kind)
	t.last = id
}

func (t *thriftWriter) uint(v uint64) { t.Write(binary.AppendUvarint(nil, t.Num(v))) }

func (t *thriftWriter) int(id int, kind byte, v int64) {
	t.head(id, kind)
	v = int64(t.Num(uint64(v)))
	t.Write(binary.AppendUvarint(nil, uint64(v)<<1^uint64(v>>63)))
}

func (t *thriftWriter) text(id int, s string) {
	t.head(id, kindBytes)
	t.uint(uint64(len(s)))
	t.WriteString(s)
}

func (t *thriftWriter) list(id int, kind byte, n int) {
	t.head(id, kindList)
	t.WriteByte(0xf0 | kind)
	t.uint(uint64(n))
}

func (t *thriftWriter) end() { t.WriteByte(0) }

func (t *thriftWriter) begin(id int) *thriftWriter {
	t.head(id, kindStruct)
	return &thriftWriter{t.File, 0}
}

// A forgedPage is a page before it is written.
type forgedPage struct {
	kind, encoding int64
	rows           int64
	levels, values []byte
}

// forgeFile writes a file of one optional column of 100 rows, some repeated. Kind picks its type, its encoding, its
// compression and the version of its pages.
func forgeFile(f *forge.File, kind int) {
	const rows = 100
	parquetType, text := int64(5), false // double
	var pages []forgedPage
	body := &thriftWriter{File: f}
	numbers := func(make func(w *thriftWriter)) []byte { // their lies count with the others
		return f.Part(func() { make(body) })
	}
	f.WriteString("PAR1")
	levels := numbers(func(w *thriftWriter) { w.uint(rows << 1); w.WriteByte(1) }) // a run of 1
	switch kind % 6 {
	case 0:
		pages = []forgedPage{{pageData, encPlain, rows, levels, make([]byte, 8*rows)}}
	case 1: // a dictionary of two texts
		parquetType, text = 6, true
		words := numbers(func(w *thriftWriter) {
			for _, s := range []string{"asd", "hc"} {
				w.Put(4, uint64(len(s)))
				w.WriteString(s)
			}
		})
		run := numbers(func(w *thriftWriter) {
			w.Put(1, 1)
			w.uint(rows / 2 << 1)
			w.Put(1, 1)
			w.uint((rows/2+7)/8<<1 | 1)
			w.Write(make([]byte, (rows/2+7)/8))
		})
		pages = []forgedPage{{pageDictionary, encPlain, 2, nil, words}, {pageData, encDict, rows, levels, run}}
	case 2, 3, 4: // differences, lengths, beginnings
		parquetType = 1
		deltas := func(n int) []byte {
			return numbers(func(w *thriftWriter) {
				for _, v := range []uint64{128, 4, uint64(n), 0} { // of a block, its parts, all, the first
					w.uint(v)
				}
				w.uint(0)
				w.Put(1, 0, 0, 0, 0)
			})
		}
		values, encoding := deltas(rows), int64(encDelta)
		if kind%6 > 2 {
			parquetType, text, encoding = 6, true, encDeltaLength
		}
		if kind%6 > 3 {
			values, encoding = append(values, deltas(rows)...), encDeltaBytes
		}
		pages = []forgedPage{{pageData, encoding, rows, levels, values}}
	case 5:
		pages = []forgedPage{{pageData, encByteSplit, rows, levels, make([]byte, 8*rows)}}
	}
	compression, second := int64(0), kind/6%2 == 1
	if second {
		compression = 6
	}
	first := f.Len()
	for _, p := range pages {
		forgePage(body, p, compression, second)
	}
	stored := f.Len() - first
	footer := f.Len()
	t := &thriftWriter{f, 0}
	t.int(1, 5, 2)
	t.list(2, kindStruct, 2)
	root := &thriftWriter{f, 0}
	root.text(4, "schema")
	root.int(5, 5, 1)
	root.end()
	leaf := &thriftWriter{f, 0}
	leaf.int(1, 5, parquetType)
	leaf.int(3, 5, 1)
	leaf.text(4, "a")
	if text {
		leaf.int(6, 5, 0)
	}
	leaf.end()
	t.int(3, 6, 2*rows)
	t.list(4, kindStruct, 2)
	for range 2 { // two row groups of the same bytes
		g := &thriftWriter{f, 0}
		g.list(1, kindStruct, 1)
		c := &thriftWriter{f, 0}
		c.int(2, 6, int64(first))
		m := c.begin(3)
		m.int(1, 5, parquetType)
		m.list(2, 5, 0)
		m.list(3, kindBytes, 1)
		m.uint(1)
		m.WriteString("a")
		m.int(4, 5, compression)
		m.int(5, 6, rows)
		m.int(6, 6, int64(stored))
		m.int(7, 6, int64(stored))
		m.int(9, 6, int64(first))
		m.end()
		c.end()
		g.int(2, 6, int64(stored))
		g.int(3, 6, rows)
		g.end()
	}
	t.end()
	f.Put(4, uint64(f.Len()-footer))
	f.WriteString("PAR1")
}

var zstdWriter, _ = zstd.NewWriter(nil)

// forgePage writes a page with its checksum.
func forgePage(t *thriftWriter, p forgedPage, compression int64, second bool) {
	levels, values, kind := p.levels, p.values, p.kind
	second = second && p.kind == pageData
	if second {
		kind = pageDataV2
	} else if levels != nil {
		values = append(binary.LittleEndian.AppendUint32(nil, uint32(t.Num(uint64(len(levels))))), levels...)
		levels, values = nil, append(values, p.values...)
	}
	size := len(levels) + len(values)
	if compression != 0 {
		values = zstdWriter.EncodeAll(values, nil)
	}
	stored := append(bytes.Clone(levels), values...)
	h := &thriftWriter{t.File, 0}
	h.int(1, 5, kind)
	h.int(2, 5, int64(size))
	h.int(3, 5, int64(len(stored)))
	h.int(4, 5, int64(int32(crc32.ChecksumIEEE(stored))))
	switch {
	case p.kind == pageDictionary:
		d := h.begin(7)
		d.int(1, 5, p.rows)
		d.int(2, 5, p.encoding)
		d.end()
	case second:
		d := h.begin(8)
		for id, v := range []int64{p.rows, 0, p.rows, p.encoding, int64(len(levels)), 0} {
			d.int(id+1, 5, v)
		}
		d.end()
	default:
		d := h.begin(5)
		for id, v := range []int64{p.rows, p.encoding, encRLE, encRLE} {
			d.int(id+1, 5, v)
		}
		d.end()
	}
	h.end()
	t.Write(stored)
}

func FuzzForged(f *testing.F) {
	forge.Fuzz(f, 12, forgeFile, func(b []byte) error {
		tab, err := encoding.ReadTable(bytes.NewReader(b))
		if err != nil {
			return err
		}
		return tab.Encode(io.Discard)
	})
}
