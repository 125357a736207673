package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/klauspost/compress/zstd"

	"prgnn/artifacts/encoding"
	"prgnn/internal/budget"
	"prgnn/internal/lists"
)

// Of the Parquet library, the footer and the codecs are used. Its decoders of pages believe what they read: a run that
// is too short keeps them in a loop, and a header of a few bytes makes them set gigabytes aside. The format is that of
// github.com/apache/parquet-format (Encodings.md, README.md).

var errPage = errors.New("a page is damaged")

// Encodings of the values of a page.
const (
	encPlain         = 0
	encPlainDict     = 2
	encRLE           = 3
	encDelta         = 5
	encDeltaLength   = 6
	encDeltaBytes    = 7
	encDict          = 8
	encByteSplit     = 9
	longestDelta     = 1 << 16  // values of a block; writers use 128 to 1024
	widestDictionary = 32       // bits of an index
	widestWindow     = 32 << 20 // bytes; writers use 8 MiB at most
)

var encodingNames = map[int64]string{4: "BIT_PACKED", encRLE: "RLE", encDelta: "DELTA_BINARY_PACKED",
	encDeltaLength: "DELTA_LENGTH_BYTE_ARRAY", encDeltaBytes: "DELTA_BYTE_ARRAY", encByteSplit: "BYTE_STREAM_SPLIT"}

func errEncoding(e int64) error {
	name := encodingNames[e]
	if name == "" {
		name = fmt.Sprint("number ", e)
	}
	return fmt.Errorf("the encoding %s is not supported for this type: write the file again with another one", name)
}

// A physical type says how values lie in a page, and what becomes of them.
type physical[T any] struct {
	plain func(b []byte, n int) (values []T, ok bool)
	width int // bytes of a value, where all have as many: BYTE_STREAM_SPLIT
	bits  func(v uint64) T
	whole func(v int64) T // of DELTA_BINARY_PACKED
	text  func(b []byte) T
	size  func(v T) int // bytes beside the value itself
}

// fixed is a type of width bytes a value.
func fixed[T any](width int, value func(b []byte) T) physical[T] {
	return physical[T]{width: width, plain: func(b []byte, n int) ([]T, bool) {
		if n > len(b)/width {
			return nil, false
		}
		v := make([]T, n)
		for i := range v {
			v[i] = value(b[i*width:])
		}
		return v, true
	}}
}

// integers is a type of whole numbers.
func integers[T any](width int, value func(v int64) T) physical[T] {
	p := fixed(width, func(b []byte) T {
		if width == 4 {
			return value(int64(int32(binary.LittleEndian.Uint32(b))))
		}
		return value(int64(binary.LittleEndian.Uint64(b)))
	})
	p.whole = value
	return p
}

var booleans = physical[bool]{
	plain: func(b []byte, n int) ([]bool, bool) {
		if n > 8*len(b) {
			return nil, false
		}
		v := make([]bool, n)
		for i := range v {
			v[i] = b[i/8]>>(i%8)&1 == 1
		}
		return v, true
	},
	bits: func(v uint64) bool { return v == 1 },
}

var texts = physical[string]{
	plain: func(b []byte, n int) ([]string, bool) {
		if n > len(b)/4 {
			return nil, false
		}
		v := make([]string, n)
		for i := range v {
			if len(b) < 4 {
				return nil, false
			}
			size := binary.LittleEndian.Uint32(b)
			if b = b[4:]; uint64(size) > uint64(len(b)) {
				return nil, false
			}
			v[i], b = string(b[:size]), b[size:]
		}
		return v, true
	},
	text: func(b []byte) string { return string(b) },
	size: func(s string) int { return len(s) },
}

// items reads a column in all row groups, and sets which rows have a value. The levels of a column of lists go to l:
// rows are then the items, and the lists that have none.
func items[T any](c *encoding.Column, l *listLevels, f *file.Reader, b []byte, mem *budget.Budget, i int,
	p physical[T]) error {
	var zero T
	rows := f.NumRows()
	count := func(g int) (int64, error) { return f.MetaData().RowGroup(g).NumRows(), nil }
	if l != nil {
		count = func(g int) (int64, error) {
			m, err := f.MetaData().RowGroup(g).ColumnChunk(i)
			if err != nil {
				return 0, err
			}
			return m.NumValues(), nil
		}
		rows = 0
		for g := range f.NumRowGroups() {
			n, err := count(g)
			if err != nil {
				return err
			}
			if n < 0 || n > math.MaxInt64-rows {
				return fmt.Errorf("row group %d claims %d items", g, n)
			}
			rows += n
		}
	}
	if err := mem.Take(rows, int64(unsafe.Sizeof(zero))+1, "rows"); err != nil {
		return err
	}
	all, valid := make([]T, 0, rows), make([]bool, 0, rows)
	for g := range f.NumRowGroups() {
		k, err := openChunk(f, b, mem, g, i)
		if err != nil {
			return err
		}
		var dictionary []T
		left, err := count(g)
		if err != nil {
			return err
		}
		if l != nil {
			l.groups = append(l.groups, len(valid))
		}
		for left > 0 {
			h, page, err := k.next()
			if err != nil {
				return fmt.Errorf("row group %d, %d rows before its end: %w", g, left, err)
			}
			if h.kind == pageDictionary {
				if dictionary, err = dictionaryOf(k, p, h, page); err != nil {
					return err
				}
				continue
			}
			if h.values > left {
				return fmt.Errorf("a page of %d rows where row group %d has %d left", h.values, g, left)
			}
			left -= h.values
			from := len(valid)
			if valid, page, err = k.levels(h, page, valid, l); err != nil {
				return err
			}
			there := lists.Count(valid[from:], func(is bool) bool { return is })
			// The values of a page, and numbers of 8 bytes that some encodings need on the way.
			temporary := int64(there) * int64(unsafe.Sizeof(zero)+8)
			if err := mem.Take(temporary, 1, "further bytes of values"); err != nil {
				return err
			}
			values, err := valuesOf(mem, p, h.encoding, page, there, dictionary)
			if err != nil {
				return err
			}
			mem.Give(temporary)
			for _, is := range valid[from:] {
				var x T
				if is {
					x, values = values[0], values[1:]
					if p.size != nil {
						if err := mem.Take(int64(p.size(x)), 1, "further bytes of text"); err != nil {
							return err
						}
					}
				}
				all = append(all, x)
			}
		}
	}
	c.Values = all
	for _, is := range valid {
		if !is {
			c.Valid = valid
		}
	}
	return nil
}

// A chunk is a column in a row group: its pages, one after another.
type chunk struct {
	b     []byte
	mem   *budget.Budget
	codec compress.Compression
	held  int64  // bytes of the last page
	top   uint64 // definition level of a value that is there: 0 where no value can be missing

	repeats int16 // the highest repetition level: 1 in lists
}

func openChunk(f *file.Reader, b []byte, mem *budget.Budget, group, column int) (*chunk, error) {
	m, err := f.MetaData().RowGroup(group).ColumnChunk(column)
	if err != nil {
		return nil, err
	}
	if m.CryptoMetadata() != nil {
		return nil, errors.New("it is encrypted, which is not supported")
	}
	if m.FilePath() != "" {
		return nil, errors.New("its values are in another file, which is not supported")
	}
	from, n := m.DataPageOffset(), m.TotalCompressedSize()
	if d := m.DictionaryPageOffset(); m.HasDictionaryPage() && d > 0 && d < from {
		from = d
	}
	if from < 0 || n < 0 || from > int64(len(b)) || n > int64(len(b))-from {
		return nil, fmt.Errorf("%d bytes at byte %d, beyond the end of the file", n, from)
	}
	if err := mem.Take(n, 1, "further bytes of row groups"); err != nil { // many may be the same bytes
		return nil, err
	}
	top := f.MetaData().Schema.Column(column).MaxDefinitionLevel()
	repeats := f.MetaData().Schema.Column(column).MaxRepetitionLevel()
	return &chunk{b: b[from : from+n], mem: mem, codec: m.Compression(), top: uint64(max(top, 0)),
		repeats: repeats}, nil
}

// next is the next page, without its compression.
func (k *chunk) next() (h pageHeader, page []byte, err error) {
	k.mem.Give(k.held)
	k.held = 0
	for {
		t := &thriftReader{b: k.b}
		h = t.pageHeader()
		if t.err != nil || min(h.stored, h.size, h.values) < 0 || h.stored > int64(len(t.b)) {
			return h, nil, errPage
		}
		stored := t.b[:h.stored]
		k.b = t.b[h.stored:]
		if h.kind != pageData && h.kind != pageDictionary && h.kind != pageDataV2 {
			continue
		}
		if h.checked && crc32.ChecksumIEEE(stored) != h.crc {
			return h, nil, errors.New("a page has a wrong checksum: copy the file again")
		}
		levels := int64(0)
		if h.kind == pageDataV2 { // its levels are not compressed
			if min(h.levels, h.repeats) < 0 || max(h.levels, h.repeats) > min(h.stored, h.size) {
				return h, nil, errPage
			}
			if levels = h.levels + h.repeats; levels > h.stored || levels > h.size {
				return h, nil, errPage
			}
		}
		if h.plain || k.codec == compress.Codecs.Uncompressed {
			if h.stored != h.size {
				return h, nil, errPage
			}
			return h, stored, nil
		}
		if err := k.mem.Take(h.size, 1, "further bytes of pages"); err != nil {
			return h, nil, err
		}
		k.held = h.size
		page = make([]byte, h.size)
		copy(page, stored[:levels])
		if err := inflate(page[levels:], stored[levels:], k.codec); err != nil {
			return h, nil, err
		}
		return h, page, nil
	}
}

// inflate undoes compression; dst is as long as the values are.
func inflate(dst, src []byte, codec compress.Compression) error {
	if len(dst) == 0 {
		return nil
	}
	switch codec {
	case compress.Codecs.Zstd:
		z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxMemory(uint64(max(len(dst), widestWindow))))
		if err != nil {
			return err
		}
		defer z.Close()
		out, err := z.DecodeAll(src, dst[:0])
		if errors.Is(err, zstd.ErrWindowSizeExceeded) {
			return fmt.Errorf("a page has a zstd window above %d MiB: write the file again at a lower level", widestWindow>>20)
		}
		if err != nil || len(out) != len(dst) {
			return errPage
		}
	case compress.Codecs.Snappy: // a number of bytes, then a block
		if n, k := binary.Uvarint(src); k <= 0 || n != uint64(len(dst)) {
			return errPage
		}
		z, err := compress.GetCodec(codec)
		if err != nil {
			return err
		}
		z.Decode(dst, src) // a panic is a damaged file
	case compress.Codecs.Gzip, compress.Codecs.Brotli:
		z, err := compress.GetCodec(codec)
		if err != nil {
			return err
		}
		r := z.NewReader(bytes.NewReader(src))
		defer r.Close()
		if _, err := io.ReadFull(r, dst); err != nil {
			return errPage
		}
		if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			return errPage
		}
	default:
		return fmt.Errorf("its compression %s is not supported: write the file again with zstd, snappy or gzip", codec)
	}
	return nil
}

// levels appends which rows of a page have a value, and cuts the levels off.
func (k *chunk) levels(h pageHeader, page []byte, valid []bool, l *listLevels) ([]bool, []byte, error) {
	levels := page[:0]
	if (l == nil) != (k.repeats == 0) || l == nil && h.repeats != 0 {
		return nil, nil, errPage
	}
	if l != nil {
		repeats, rest, err := k.repeated(h, page)
		if err != nil {
			return nil, nil, err
		}
		page = rest
		ok := eachRun(repeats, 1, int(h.values), func(v uint64, count int) bool {
			for range count {
				l.further = append(l.further, v == 1)
			}
			return true
		})
		if !ok {
			return nil, nil, errPage
		}
	}
	switch {
	case h.kind == pageDataV2:
		levels, page = page[:h.levels], page[h.levels:]
	case k.top > 0:
		if h.levelEncoding != encRLE {
			return nil, nil, errors.New("levels in the encoding BIT_PACKED are not supported: write the file again")
		}
		if len(page) < 4 || uint64(binary.LittleEndian.Uint32(page)) > uint64(len(page)-4) {
			return nil, nil, errPage
		}
		n := binary.LittleEndian.Uint32(page)
		levels, page = page[4:4+n], page[4+n:]
	}
	if k.top == 0 {
		for range h.values {
			valid = append(valid, true)
		}
		return valid, page, nil
	}
	ok := eachRun(levels, bits(k.top), int(h.values), func(v uint64, count int) bool {
		for range count {
			valid = append(valid, v == k.top)
		}
		if l != nil {
			l.levels = append(l.levels, bytes.Repeat([]byte{byte(v)}, count)...)
		}
		return v <= k.top
	})
	if !ok {
		return nil, nil, errPage
	}
	return valid, page, nil
}

// repeated cuts off the levels that state which items follow others of the same row.
func (k *chunk) repeated(h pageHeader, page []byte) (levels, rest []byte, err error) {
	if h.kind == pageDataV2 {
		return page[:h.repeats], page[h.repeats:], nil
	}
	if len(page) < 4 || uint64(binary.LittleEndian.Uint32(page)) > uint64(len(page)-4) {
		return nil, nil, errPage
	}
	n := binary.LittleEndian.Uint32(page)
	return page[4 : 4+n], page[4+n:], nil
}

// dictionaryOf reads the values to which the pages after it point.
func dictionaryOf[T any](k *chunk, p physical[T], h pageHeader, page []byte) ([]T, error) {
	if h.encoding != encPlain && h.encoding != encPlainDict {
		return nil, errEncoding(h.encoding)
	}
	var zero T
	if err := k.mem.Take(h.values, int64(unsafe.Sizeof(zero)), "further values of dictionaries"); err != nil {
		return nil, err
	}
	if p.text != nil {
		if err := k.mem.Take(int64(len(page)), 1, "further bytes of dictionaries"); err != nil {
			return nil, err
		}
	}
	values, ok := p.plain(page, int(h.values))
	if !ok {
		return nil, errPage
	}
	return values, nil
}

// valuesOf decodes the n values of a page.
func valuesOf[T any](mem *budget.Budget, p physical[T], encoding int64, page []byte, n int, dictionary []T) ([]T,
	error) {
	if n == 0 {
		return nil, nil
	}
	switch {
	case encoding == encPlain:
		if values, ok := p.plain(page, n); ok {
			return values, nil
		}
		return nil, errPage
	case encoding == encDict || encoding == encPlainDict:
		if len(page) == 0 || page[0] > widestDictionary {
			return nil, errPage
		}
		values := make([]T, 0, n)
		ok := eachRun(page[1:], int(page[0]), n, func(v uint64, count int) bool {
			if v >= uint64(len(dictionary)) {
				return false
			}
			for range count {
				values = append(values, dictionary[v])
			}
			return true
		})
		if !ok {
			return nil, errPage
		}
		return values, nil
	case encoding == encRLE && p.bits != nil:
		if len(page) < 4 || uint64(binary.LittleEndian.Uint32(page)) > uint64(len(page)-4) {
			return nil, errPage
		}
		values := make([]T, 0, n)
		ok := eachRun(page[4:4+binary.LittleEndian.Uint32(page)], 1, n, func(v uint64, count int) bool {
			for range count {
				values = append(values, p.bits(v))
			}
			return true
		})
		if !ok {
			return nil, errPage
		}
		return values, nil
	case encoding == encDelta && p.whole != nil:
		whole, _, ok := deltas(page, n)
		if !ok {
			return nil, errPage
		}
		values := make([]T, n)
		for i, v := range whole {
			values[i] = p.whole(v)
		}
		return values, nil
	case encoding == encByteSplit && p.width > 0: // all first bytes, then all second ones …
		if n > len(page)/p.width {
			return nil, errPage
		}
		joined := make([]byte, n*p.width)
		for k := range p.width {
			for i, x := range page[k*n : (k+1)*n] {
				joined[i*p.width+k] = x
			}
		}
		values, _ := p.plain(joined, n)
		return values, nil
	case (encoding == encDeltaLength || encoding == encDeltaBytes) && p.text != nil:
		return deltaTexts(mem, p, encoding, page, n)
	}
	return nil, errEncoding(encoding)
}

// deltaTexts decodes texts by their lengths, and by what each begins with of the one before it.
func deltaTexts[T any](mem *budget.Budget, p physical[T], encoding int64, page []byte, n int) ([]T, error) {
	prefixes := make([]int64, n)
	ok := true
	if encoding == encDeltaBytes {
		if prefixes, page, ok = deltas(page, n); !ok {
			return nil, errPage
		}
	}
	lengths, page, ok := deltas(page, n)
	if !ok {
		return nil, errPage
	}
	values := make([]T, n)
	var last []byte
	for i, size := range lengths {
		if size < 0 || size > int64(len(page)) || prefixes[i] < 0 || prefixes[i] > int64(len(last)) {
			return nil, errPage
		}
		last = append(last[:prefixes[i]], page[:size]...)
		page = page[size:]
		if err := mem.Take(int64(len(last)), 1, "further bytes of text"); err != nil {
			return nil, err
		}
		values[i] = p.text(last)
	}
	return values, nil
}

// deltas decodes n whole numbers, each by its difference from the one before it: blocks of a least
// difference and of packed bits above it.
func deltas(b []byte, n int) (v []int64, rest []byte, ok bool) {
	t := &thriftReader{b: b} // its numbers are written alike
	block, parts, total, last := t.uint(), t.uint(), t.uint(), t.int()
	if t.err != nil || total != uint64(n) || parts == 0 || block == 0 || block > longestDelta || block%parts != 0 ||
		block/parts%8 != 0 {
		return nil, nil, false
	}
	v = make([]int64, 0, n)
	if n > 0 {
		v = append(v, last)
	}
	for len(v) < n {
		least, widths := t.int(), t.take(parts)
		for _, width := range widths {
			if len(v) == n {
				break
			}
			size := int(block / parts)
			packed := t.take(uint64(size) * uint64(width) / 8)
			if width > 64 || t.err != nil {
				return nil, nil, false
			}
			for i := range min(size, n-len(v)) {
				last += least + int64(unpack(packed, i*int(width), int(width)))
				v = append(v, last)
			}
		}
		if t.err != nil {
			return nil, nil, false
		}
	}
	return v, t.b, true
}

// bits is how many a number up to top takes.
func bits(top uint64) int {
	n := 0
	for ; top > 0; top >>= 1 {
		n++
	}
	return n
}

// unpack reads width bits from bit at on, the least first.
func unpack(b []byte, at, width int) (v uint64) {
	for got := 0; got < width; {
		have := min(8-(at+got)%8, width-got)
		part := uint64(b[(at+got)/8]) >> ((at + got) % 8) & (1<<have - 1)
		v |= part << got
		got += have
	}
	return v
}

// eachRun decodes n numbers of the hybrid of runs and packed bits that Parquet has
// for levels and indices. It gives each run, or number, to visit, and returns
// whether the bytes were enough and visit content.
func eachRun(b []byte, width, n int, visit func(v uint64, count int) bool) bool {
	for n > 0 {
		header, size := binary.Uvarint(b)
		if size <= 0 || header>>1 == 0 || header > math.MaxInt32 {
			return false
		}
		b = b[size:]
		if header&1 == 0 { // one value, so many times
			count, bytes := min(int(header>>1), n), (width+7)/8
			if bytes > len(b) {
				return false
			}
			var v uint64
			for i := range bytes {
				v |= uint64(b[i]) << (8 * i)
			}
			if !visit(v, count) {
				return false
			}
			b, n = b[bytes:], n-count
			continue
		}
		count := min(8*int(header>>1), n) // packed, in groups of eight
		if (count*width+7)/8 > len(b) {
			return false
		}
		for i := range count {
			if !visit(unpack(b, i*width, width), 1) {
				return false
			}
		}
		b, n = b[min(len(b), int(header>>1)*width):], n-count
	}
	return true
}
