package encoding

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/klauspost/compress/zstd"

	"prgnn/internal/budget"
)

// The library that reads Arrow files believes them: a flipped bit in a length can
// ask for more memory than any machine has, and then Go ends the program. Here
// the metadata of a file (flatbuffers, see the Schema.fbs, Message.fbs and File.fbs of
// the Arrow format) are walked first, and every length is compared with the
// bytes that there are. What is out of bounds panics as an index does; readArrow
// takes that for damage.

const (
	arrowMagic = "ARROW1"

	fieldSize     = 512      // what the library makes of a column, bytes
	maxZstdWindow = 32 << 20 // what a decoder sets aside before it has seen a byte; writers use 8 MB at most
)

// A flat is a table of a flatbuffer: the buffer and where the table begins in it.
type flat struct {
	b   []byte
	at  int
	mem *budget.Budget // for what the library makes of it
}

// take panics where the budget does not allow a claim.
func (t flat) take(n, size int, what string) {
	if err := t.mem.Take(int64(n), int64(size), what); err != nil {
		panic(err)
	}
}

func (t flat) u32(pos int) int { return int(binary.LittleEndian.Uint32(t.b[pos:])) }

// field is where the i-th field of the table lies, or 0 when it has none.
func (t flat) field(i int) int {
	vtable := t.at - int(int32(t.u32(t.at)))
	if size := int(binary.LittleEndian.Uint16(t.b[vtable:])); 4+2*i+2 > size {
		return 0
	}
	if offset := int(binary.LittleEndian.Uint16(t.b[vtable+4+2*i:])); offset != 0 {
		return t.at + offset
	}
	return 0
}

// follow is where the offset at pos points.
func (t flat) follow(pos int) int { return pos + t.u32(pos) }

// table is the i-th field, a table; ok is false when it is absent.
func (t flat) table(i int) (sub flat, ok bool) {
	pos := t.field(i)
	if pos == 0 {
		return flat{}, false
	}
	return flat{t.b, t.follow(pos), t.mem}, true
}

// vector is the i-th field, a vector of elements of some bytes each: where it
// begins, and how many there are.
func (t flat) vector(i, size int) (start, n int) {
	pos := t.field(i)
	if pos == 0 {
		return 0, 0
	}
	start = t.follow(pos)
	n = t.u32(start)
	start += 4
	if n > (len(t.b)-start)/size {
		panic(fmt.Errorf("a list of %d elements in %d bytes", n, len(t.b)-start))
	}
	return start, n
}

// tables are the elements of the i-th field, a vector of tables.
func (t flat) tables(i int) []flat {
	start, n := t.vector(i, 4)
	t.take(n, fieldSize, "further columns or metadata") // any number of them may be the same bytes
	subs := make([]flat, n)
	for j := range subs {
		subs[j] = flat{t.b, t.follow(start + 4*j), t.mem}
	}
	return subs
}

func (t flat) text(i int) string {
	start, n := t.vector(i, 1)
	t.take(n, 1, "further bytes of names and metadata")
	return string(t.b[start : start+n])
}

func (t flat) byte(i int) byte {
	if pos := t.field(i); pos != 0 {
		return t.b[pos]
	}
	return 0
}

func (t flat) int64(i int) int64 {
	if pos := t.field(i); pos != 0 {
		return int64(binary.LittleEndian.Uint64(t.b[pos:]))
	}
	return 0
}

// metadata checks a vector of pairs of strings.
func (t flat) metadata(i int) {
	for _, pair := range t.tables(i) {
		pair.text(0)
		pair.text(1)
	}
}

// arrowTypes are the values of the union Type that have a reader, and the names of the others, for messages.
var arrowTypes = map[byte]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true, 9: true,
	10: true,
	11: true, arrowList: true, arrowStruct: true, 15: true, arrowFixedList: true, arrowMap: true, 18: true, 19: true,
	20: true, arrowLargeList: true}

const (
	arrowDecimal   = 7
	arrowList      = 12
	arrowStruct    = 13
	arrowFixedList = 16
	arrowMap       = 17
	arrowLargeList = 21
)

var arrowTypeNames = map[byte]word{14: "union", 22: "run_end_encoded", 23: "binary_view", 24: "string_view",
	25: "list_view", 26: "large_list_view"}

// maxNesting is how deep lists and structures may be nested.
const maxNesting = 32

type word string

func (w word) String() string { return string(w) }

// checkArrow walks the metadata of an IPC file.
func checkArrow(b []byte, mem *budget.Budget) error {
	const head, tail = len(arrowMagic) + 2, 4 + len(arrowMagic)
	if !bytes.HasPrefix(b, []byte(arrowMagic)) {
		return fmt.Errorf("not an Arrow file: begins with %q, not with %q", b[:min(len(b), len(arrowMagic))], arrowMagic)
	}
	if len(b) < head+tail || !bytes.HasSuffix(b, []byte(arrowMagic)) {
		return fmt.Errorf("truncated: it does not end with %q", arrowMagic)
	}
	size := int(binary.LittleEndian.Uint32(b[len(b)-tail:]))
	end := len(b) - tail - size // of the record batches
	if end < head {
		return fmt.Errorf("a footer of %d bytes in a file of %d", size, len(b))
	}
	footer := flat{b: b[end : len(b)-tail], mem: mem}
	footer.at = footer.follow(0)
	schema, ok := footer.table(1)
	if !ok {
		return fmt.Errorf("it has no schema")
	}
	columns, err := checkSchema(schema)
	if err != nil {
		return err
	}
	footer.metadata(4)
	for _, list := range []int{2, 3} { // dictionaries, record batches
		start, n := footer.vector(list, 24)
		for i := range n {
			block := footer.b[start+24*i:]
			offset, meta := int64(binary.LittleEndian.Uint64(block)),
				int64(int32(binary.LittleEndian.Uint32(block[8:])))
			body := int64(binary.LittleEndian.Uint64(block[16:]))
			if offset < int64(head) || meta < 8 || body < 0 || offset > int64(end) || meta > int64(end)-offset ||
				body > int64(end)-offset-meta {
				return fmt.Errorf("a block of %d and %d bytes at %d, beyond the end of the file", meta, body, offset)
			}
			footer.take(int(meta+body), 1, "further bytes of record batches") // many may be the same bytes
			message := flat{b: b[offset : offset+meta], mem: mem}
			if err := checkBatch(message, b[offset+meta:offset+meta+body], columns, list == 2); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkSchema checks the columns, and returns how many there are, nested ones included.
func checkSchema(schema flat) (int, error) {
	n, err := checkFields(schema.tables(1), "", 1)
	schema.metadata(2)
	return n, err
}

// checkFields checks columns, or those that are nested in column parent.
func checkFields(fields []flat, parent string, depth int) (n int, err error) {
	if depth > maxNesting {
		return 0, fmt.Errorf("column %q is nested more than %d levels deep", parent, maxNesting)
	}
	for _, f := range fields {
		name, typ := f.text(0), f.byte(2)
		if parent != "" {
			name = parent + "." + name
		}
		if !arrowTypes[typ] {
			known := arrowTypeNames[typ]
			if known == "" {
				known = word(fmt.Sprintf("number %d", typ))
			}
			return 0, errType(name, known)
		}
		details, ok := f.table(3)
		if !ok {
			return 0, fmt.Errorf("column %q has no type", name)
		}
		if typ == arrowDecimal {
			if pos := details.field(2); pos != 0 && details.u32(pos) != 128 && details.u32(pos) != 256 {
				return 0, errType(name, word(fmt.Sprintf("decimal%d", details.u32(pos))))
			}
		}
		nested := f.tables(5)
		_, dictionary := f.table(4)
		switch typ {
		case arrowStruct:
		case arrowList, arrowFixedList, arrowMap, arrowLargeList:
			if len(nested) != 1 {
				return 0, fmt.Errorf("column %q has %d nested columns instead of one", name, len(nested))
			}
		default:
			if len(nested) > 0 {
				return 0, fmt.Errorf("column %q has %d nested columns", name, len(nested))
			}
		}
		if dictionary && (len(nested) > 0 || typ == arrowStruct) {
			return 0, errType(name, word("dictionary of lists or structures"))
		}
		inside, err := checkFields(nested, name, depth+1)
		if err != nil {
			return 0, err
		}
		n += 1 + inside
		f.metadata(6)
	}
	return n, nil
}

// checkBatch checks a message that holds a record batch or a dictionary, and its
// body.
func checkBatch(m flat, body []byte, columns int, dictionary bool) error {
	prefix := 4
	switch m.u32(0) {
	case 0:
		prefix = 0
	case 0xffffffff:
		prefix = 8
	}
	m.b = m.b[prefix:]
	m.at = m.follow(0)
	batch, ok := m.table(2)
	kind := byte(3)
	if dictionary {
		kind = 2
	}
	if !ok || m.byte(1) != kind {
		return fmt.Errorf("a message of kind %d instead of kind %d", m.byte(1), kind)
	}
	if dictionary {
		if batch, ok = batch.table(1); !ok {
			return fmt.Errorf("a dictionary without values")
		}
		columns = 1
	}
	if n := batch.int64(0); n < 0 {
		return fmt.Errorf("%d rows", n)
	}
	start, n := batch.vector(1, 16)
	if n != columns {
		return fmt.Errorf("a batch of %d columns in a file of %d", n, columns)
	}
	m.take(1+n, fieldSize, "further columns in record batches")
	for i := range n {
		node := batch.b[start+16*i:]
		length, nulls := int64(binary.LittleEndian.Uint64(node)), int64(binary.LittleEndian.Uint64(node[8:]))
		if length < 0 || nulls < 0 || nulls > length {
			return fmt.Errorf("a column of %d rows, %d of them missing", length, nulls)
		}
	}
	compression, compressed := batch.table(3)
	start, n = batch.vector(2, 16)
	for i := range n {
		buffer := batch.b[start+16*i:]
		offset, length := int64(binary.LittleEndian.Uint64(buffer)), int64(binary.LittleEndian.Uint64(buffer[8:]))
		if offset < 0 || length < 0 || offset > int64(len(body)) || length > int64(len(body))-offset {
			return fmt.Errorf("a buffer of %d bytes at %d in a body of %d", length, offset, len(body))
		}
		if data := body[offset : offset+length]; compressed && compression.byte(0) == 1 && length >= 8 {
			if err := checkZstd(data); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkZstd refuses a compressed buffer whose decoder would set aside a huge
// window. The first 8 bytes are the length when decompressed, -1 for bytes that
// are as they were.
func checkZstd(buffer []byte) error {
	if int64(binary.LittleEndian.Uint64(buffer)) == -1 {
		return nil
	}
	var h zstd.Header
	if err := h.Decode(buffer[8:]); err != nil || h.WindowSize > maxZstdWindow {
		return fmt.Errorf("compressed data with a window of %d bytes (%v)", h.WindowSize, err)
	}
	return nil
}

// ReadSchema reads a schema message by itself, such as Parquet files carry.
func ReadSchema(b []byte, mem *budget.Budget) (*arrow.Schema, error) {
	if err := checkArrowSchema(b, mem); err != nil {
		return nil, err
	}
	r, err := ipc.NewReader(bytes.NewReader(b), ipc.WithAllocator(allocator{memory.NewGoAllocator(), mem}))
	if err != nil {
		return nil, err
	}
	defer r.Release()
	return r.Schema(), nil
}

func checkArrowSchema(b []byte, mem *budget.Budget) error {
	if len(b) < 8 {
		return fmt.Errorf("its Arrow schema is truncated")
	}
	prefix := 4
	if binary.LittleEndian.Uint32(b) == 0xffffffff {
		prefix = 8
	}
	m := flat{b: b[prefix:], mem: mem}
	m.at = m.follow(0)
	schema, ok := m.table(2)
	if !ok || m.byte(1) != 1 {
		return fmt.Errorf("its Arrow schema is missing")
	}
	_, err := checkSchema(schema)
	return err
}
