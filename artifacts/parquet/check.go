package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
)

// The Parquet library believes what it reads, as that for Arrow does, and pages have
// no checksum: a run that is too short, or an index that is out of the
// dictionary, keeps its decoders in a loop for ever. So the footer and the
// pages are walked first. What is checked are the levels, the indices into
// dictionaries, and that a page has what it states; of encodings other than
// plain and dictionary nothing is known here. (A page may still state that it is
// up to 2 GB long; the library sets that aside, untouched, before it misses the
// bytes.)

// checkFooter refuses a footer that states more values than there is room for.
func checkFooter(f *file.Reader, room int) error {
	rows, leaves := f.NumRows(), int64(f.MetaData().Schema.NumColumns())
	if rows < 0 || leaves > 0 && rows > int64(room)/leaves {
		return fmt.Errorf("it claims %d rows of %d columns, more than its size allows", rows, leaves)
	}
	var sum int64
	for i := range f.NumRowGroups() {
		n := f.MetaData().RowGroup(i).NumRows()
		if n < 0 || n > math.MaxInt64-sum {
			return fmt.Errorf("row group %d claims %d rows", i, n)
		}
		sum += n
	}
	if sum != rows {
		return fmt.Errorf("it claims %d rows, but its row groups have %d", rows, sum)
	}
	return nil
}

var errPage = errors.New("a page is damaged")

// checkPages walks the pages of one flat column in one row group.
func checkPages(f *file.Reader, group, column int) error {
	pages, err := f.RowGroup(group).GetColumnPageReader(column)
	if err != nil {
		return err
	}
	top := uint64(f.MetaData().Schema.Column(column).MaxDefinitionLevel())
	dictionary := -1 // how many values it has
	var rows int64
	for pages.Next() {
		var n int
		var levels, values []byte
		var encoding parquet.Encoding
		switch p := pages.Page().(type) {
		case *file.DictionaryPage:
			dictionary = int(p.NumValues())
			continue
		case *file.DataPageV1:
			n, values, encoding = int(p.NumValues()), p.Data(), parquet.Encoding(p.Encoding())
			if top > 0 {
				if p.DefinitionLevelEncoding() != parquet.Encodings.RLE || len(values) < 4 {
					return errPage
				}
				size := binary.LittleEndian.Uint32(values)
				if int64(size) > int64(len(values)-4) {
					return errPage
				}
				levels, values = values[4:4+size], values[4+size:]
			}
		case *file.DataPageV2:
			n, values, encoding = int(p.NumValues()), p.Data(), parquet.Encoding(p.Encoding())
			size := int(p.DefinitionLevelByteLen())
			if p.RepetitionLevelByteLen() != 0 || size > len(values) {
				return errPage
			}
			levels, values = values[:size], values[size:]
		}
		rows += int64(n)
		there := n
		if top > 0 {
			there = 0
			if !eachRun(levels, bits(top), n, func(v uint64, count int) bool {
				if v == top {
					there += count
				}
				return v <= top
			}) {
				return errPage
			}
		}
		if encoding == parquet.Encodings.PlainDict || encoding == parquet.Encodings.RLEDict {
			if there > 0 && (len(values) == 0 || values[0] > 32 ||
				!eachRun(values[1:], int(values[0]), there,
					func(v uint64, _ int) bool { return v < uint64(max(0, dictionary)) })) {
				return errPage
			}
		}
	}
	if err := pages.Err(); err != nil {
		return err
	}
	if want := f.MetaData().RowGroup(group).NumRows(); rows != want {
		return fmt.Errorf("it has %d rows of the %d in row group %d", rows, want, group)
	}
	return nil
}

// bits is how many a number up to top takes.
func bits(top uint64) int {
	n := 0
	for ; top > 0; top >>= 1 {
		n++
	}
	return n
}

// eachRun decodes n numbers of the hybrid of runs and packed bits that Parquet has
// for levels and indices. It gives each run, or number, to visit, and tells
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
			var v uint64
			for k := range width {
				at := i*width + k
				v |= uint64(b[at/8]>>(at%8)&1) << k
			}
			if !visit(v, 1) {
				return false
			}
		}
		b, n = b[min(len(b), int(header>>1)*width):], n-count
	}
	return true
}
