package mat5

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"prgnn/internal/budget"
)

// MaxSize bounds a file, bytes: a matrix of 2,896 by 2,896 numbers.
const MaxSize = 1 << 26

// Read reads the variables of a file, in its order.
func Read(in io.Reader) ([]Variable, error) {
	mem := budget.Of(in)
	start := bufio.NewReader(in)
	if first, _ := start.Peek(HeaderSize); Is73(first) {
		b, err := io.ReadAll(start)
		if err == nil {
			err = mem.Take(int64(len(b)), 1, "bytes")
		}
		if err != nil {
			return nil, err
		}
		return ReadHDF(bytes.NewReader(b), int64(len(b)))
	}
	in = start
	b, err := io.ReadAll(io.LimitReader(in, MaxSize+1))
	if err == nil {
		err = mem.Take(int64(len(b)), 1, "bytes")
	}
	if err != nil {
		return nil, err
	}
	order, err := header(b)
	if err != nil {
		return nil, err
	}
	if len(b) > MaxSize {
		return nil, errLarge
	}
	r := &reader{order, mem}
	at, rest := HeaderSize, b[HeaderSize:]
	var all []Variable
	seen := map[string]bool{}
	for len(rest) > 0 {
		if len(rest) < 8 && len(all) > 0 {
			return nil, fmt.Errorf("%d bytes follow the last variable, at byte %d: the file is damaged; copy it again", len(rest), at)
		}
		e, after, err := r.element(rest)
		if err == nil && e.kind == miCOMPRESSED {
			e, err = r.inflate(e.data)
		}
		if err == nil && e.kind != miMATRIX {
			err = fmt.Errorf("a data element of type %d, expected a variable: the file is damaged", e.kind)
		}
		if err == nil {
			err = r.take(1, 256, "further variables")
		}
		if err == nil {
			var v Variable
			if v, err = r.array(e.data, 0); err == nil && v.Name != "" && seen[v.Name] {
				err = fmt.Errorf("the name %.80q is used twice: save the file again with each name once", v.Name)
			}
			all, seen[v.Name] = append(all, v), true
		}
		if err != nil {
			return nil, fmt.Errorf("the variable at byte %d: %w", at, err)
		}
		at, rest = at+len(rest)-len(after), after
	}
	return all, nil
}

// header checks the first 128 bytes and gives the byte order.
func header(b []byte) (binary.ByteOrder, error) {
	if bytes.HasPrefix(b, []byte("\x89HDF")) {
		return nil, errors.New("an HDF5 file without MATLAB's header: rows and columns may be exchanged; in MATLAB, save it with -v7")
	}
	if len(b) < HeaderSize {
		return nil, fmt.Errorf("%d bytes are too few for a MAT-file, whose header has %d bytes", len(b), HeaderSize)
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch string(b[126:128]) {
	case "IM":
	case "MI":
		order = binary.BigEndian
	default:
		return nil, errors.New("this is not a MAT-file of version 5 (its byte order is not marked); a file of version 4 can be saved again with -v7")
	}
	if v := order.Uint16(b[124:]); v>>8 != 1 {
		return nil, fmt.Errorf("this is a MAT-file of version %#04x, but only version 5 (0x0100) is supported: in MATLAB, save it again with -v7", v)
	}
	return order, nil
}

type reader struct {
	order binary.ByteOrder
	mem   *budget.Budget
}

var errLarge = fmt.Errorf("it has more than the limit of %d MiB for MAT-files: save only the matrix, or save it as npy", MaxSize>>20)

// take takes memory for n things of a size in bytes.
func (r *reader) take(n, size int, what string) error { return r.mem.Take(int64(n), int64(size), what) }

// An element is one data element: its type and its bytes.
type element struct {
	kind uint32
	data []byte
}

var errShort = errors.New("the file is truncated; copy it again")

// element cuts the first data element off.
func (r *reader) element(b []byte) (e element, rest []byte, err error) {
	if len(b) < 8 {
		return e, nil, errShort
	}
	tag := r.order.Uint32(b)
	if size := tag >> 16; size != 0 { // the small form: type, size and data in eight bytes
		if size > 4 {
			return e, nil, fmt.Errorf("a small data element of %d bytes, which holds at most 4", size)
		}
		return element{tag & 0xffff, b[4 : 4+size]}, b[8:], nil
	}
	size := uint64(r.order.Uint32(b[4:]))
	if size > uint64(len(b)-8) {
		return e, nil, errShort
	}
	n := int(size)
	e = element{tag, b[8 : 8+n]}
	if tag != miCOMPRESSED {
		n = min((n+7)&^7, len(b)-8) // padded to 8, but for the end of some writers' files
	}
	return e, b[8+n:], nil
}

// inflate gives the one element in a compressed one. Its tag, which comes first, tells its size.
func (r *reader) inflate(b []byte) (element, error) {
	in, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return element{}, err
	}
	z := bufio.NewReader(in)
	tag, err := z.Peek(8)
	if err != nil {
		return element{}, errShort
	}
	size := 8
	if r.order.Uint32(tag)>>16 == 0 {
		size += int(r.order.Uint32(tag[4:]))
	}
	// It is inflated as far as there are bytes, so that a tag alone takes no memory.
	if err := r.take(size, 1, "bytes in a compressed variable"); err != nil {
		return element{}, err
	}
	raw := make([]byte, 0, min(size, 4*len(b)))
	for len(raw) < size {
		raw = slices.Grow(raw, min(size-len(raw), max(len(raw), 1<<16)))
		n, err := io.ReadFull(z, raw[len(raw):min(cap(raw), size)])
		if raw = raw[:len(raw)+n]; errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return element{}, errShort
		} else if err != nil {
			return element{}, err
		}
	}
	// The checksum is compared at the end; up to seven bytes may pad it.
	if n, err := io.CopyN(io.Discard, z, 8); err != io.EOF {
		return element{}, cmp.Or(err, fmt.Errorf("%d bytes or more follow a compressed variable: the file is damaged", n))
	}
	e, _, err := r.element(raw)
	return e, err
}

// array reads what is in a miMATRIX element.
func (r *reader) array(b []byte, depth int) (v Variable, err error) {
	if len(b) == 0 { // an empty cell
		return Variable{Shape: []int{0, 0}, Class: "double"}, nil
	}
	flags, b, err := r.part(b, miUINT32)
	if err != nil {
		return v, err
	}
	if len(flags) < 8 {
		return v, errors.New("an array without flags")
	}
	word := r.order.Uint32(flags)
	class := int(word & 0xff)
	v.Class = fmt.Sprintf("class %d", class)
	if class < len(classes) && classes[class] != "" {
		v.Class = classes[class]
	}
	if class > classLast { // function handles and opaque objects have no dimensions
		v.Problem = fmt.Errorf("it has the class %s, which is not supported", v.Class)
		return v, nil
	}
	dims, b, err := r.part(b, miINT32)
	if err != nil {
		return v, err
	}
	n, err := v.shape(r.order, dims)
	if err != nil {
		return v, err
	}
	name, b, err := r.part(b, miINT8)
	if err != nil {
		return v, err
	}
	v.Name = string(bytes.TrimRight(name, "\x00"))
	switch {
	case word&flagComplex != 0:
		v.Problem = errors.New("it is complex, which is not supported: save real(x)")
	case class == classCell:
		err = r.cells(&v, b, n, depth)
	case class == classStruct:
		err = r.structs(&v, b, n, depth)
	case class == classSparse:
		err = r.sparse(&v, b, n)
	case class == classChar:
		err = r.chars(&v, b, n)
	case class >= classReal:
		if word&flagLogical != 0 {
			v.Class = "logical"
		}
		err = r.numbers(&v, b, n)
	default:
		v.Problem = fmt.Errorf("it is a %s, which is not supported: save the matrix in it as a separate variable", v.Class)
	}
	if err != nil {
		return v, fmt.Errorf("%.80q: %w", v.Name, err)
	}
	return v, nil
}

// part cuts off a subelement that has to be of a type.
func (r *reader) part(b []byte, kind uint32) (data, rest []byte, err error) {
	e, rest, err := r.element(b)
	if err == nil && e.kind != kind {
		err = fmt.Errorf("a data element of type %d instead of type %d", e.kind, kind)
	}
	return e.data, rest, err
}

// shape reads the dimensions and gives the number of elements.
func (v *Variable) shape(order binary.ByteOrder, dims []byte) (int, error) {
	if len(dims) < 8 || len(dims) > 4*32 || len(dims)%4 != 0 {
		return 0, fmt.Errorf("%d bytes of dimensions", len(dims))
	}
	n := 1
	for ; len(dims) > 0; dims = dims[4:] {
		d := int(int32(order.Uint32(dims)))
		if d < 0 || n > 0 && d > math.MaxInt32/n {
			return 0, fmt.Errorf("dimensions %v × %d", v.Shape, d)
		}
		v.Shape, n = append(v.Shape, d), n*d
	}
	return n, nil
}

// widths are bytes of a number by data type.
var widths = map[uint32]int{miINT8: 1, miUINT8: 1, miINT16: 2, miUINT16: 2, miINT32: 4, miUINT32: 4, miSINGLE: 4,
	miDOUBLE: 8, miINT64: 8, miUINT64: 8}

// numbers reads n numbers, which may be stored in a smaller type than their class.
func (r *reader) numbers(v *Variable, b []byte, n int) error {
	if n == 0 {
		v.Numbers = []float64{}
		return nil
	}
	e, rest, err := r.element(b)
	if err != nil {
		return err
	}
	if len(rest) >= 8 {
		return fmt.Errorf("%d bytes follow its numbers: the file is damaged", len(rest))
	}
	width := widths[e.kind]
	if width == 0 || len(e.data) != n*width {
		return fmt.Errorf("%d bytes of type %d for %d numbers", len(e.data), e.kind, n)
	}
	if err := r.take(n, 24, "further numbers"); err != nil { // and copies of them in C order
		return err
	}
	return r.decode(v, e, n)
}

// decode makes numbers of the bytes of an element, which has as many.
func (r *reader) decode(v *Variable, e element, n int) error {
	width := widths[e.kind]
	v.Numbers = make([]float64, n)
	o := r.order
	for i := range v.Numbers {
		d := e.data[i*width:]
		switch e.kind {
		case miINT8:
			v.Numbers[i] = float64(int8(d[0]))
		case miUINT8:
			v.Numbers[i] = float64(d[0])
		case miINT16:
			v.Numbers[i] = float64(int16(o.Uint16(d)))
		case miUINT16:
			v.Numbers[i] = float64(o.Uint16(d))
		case miINT32:
			v.Numbers[i] = float64(int32(o.Uint32(d)))
		case miUINT32:
			v.Numbers[i] = float64(o.Uint32(d))
		case miSINGLE:
			v.Numbers[i] = float64(math.Float32frombits(o.Uint32(d)))
		case miDOUBLE:
			v.Numbers[i] = math.Float64frombits(o.Uint64(d))
		case miINT64:
			x := int64(o.Uint64(d))
			if v.Numbers[i] = float64(x); v.Numbers[i] == 1<<63 || int64(v.Numbers[i]) != x {
				v.inexact(strconv.FormatInt(x, 10))
				return nil
			}
		case miUINT64:
			x := o.Uint64(d)
			if v.Numbers[i] = float64(x); v.Numbers[i] == 1<<64 || uint64(v.Numbers[i]) != x {
				v.inexact(strconv.FormatUint(x, 10))
				return nil
			}
		}
	}
	return nil
}

// inexact refuses whole numbers beyond 2^53.
func (v *Variable) inexact(x string) {
	v.Numbers = nil
	v.Problem = fmt.Errorf("it holds %s, which double precision cannot hold exactly: save double(x) where that will do", x)
}

// chars reads a character array; every row is a text, spaces at its end left out.
func (r *reader) chars(v *Variable, b []byte, n int) error {
	v.Texts = []string{}
	if n == 0 {
		return nil
	}
	e, _, err := r.element(b)
	if err != nil {
		return err
	}
	letters, err := r.letters(e)
	if err != nil {
		return err
	}
	if len(v.Shape) == 2 && v.Shape[0] == 1 { // whatever the units are that the shape counts
		v.Texts = []string{strings.TrimRight(string(letters), " \x00")}
		return nil
	}
	if len(letters) != n || len(v.Shape) != 2 {
		return fmt.Errorf("%d characters for the shape %v", len(letters), v.Shape)
	}
	rows, cols := v.Shape[0], v.Shape[1]
	for i := range rows {
		line := make([]rune, cols)
		for j := range cols {
			line[j] = letters[i+j*rows]
		}
		v.Texts = append(v.Texts, strings.TrimRight(string(line), " \x00"))
	}
	return nil
}

func (r *reader) letters(e element) ([]rune, error) {
	var out []rune
	if err := r.take(len(e.data), 16, "further bytes of text"); err != nil { // four bytes a letter, and as many texts
		return nil, err
	}
	switch e.kind {
	case miUTF8:
		if !utf8.Valid(e.data) {
			return nil, errors.New("text that is not UTF-8")
		}
		return []rune(string(e.data)), nil
	case miINT8, miUINT8:
		for _, c := range e.data {
			out = append(out, rune(c))
		}
	case miUINT16, miUTF16:
		units := make([]uint16, len(e.data)/2)
		for i := range units {
			units[i] = r.order.Uint16(e.data[2*i:])
		}
		out = utf16.Decode(units)
	case miUTF32:
		for i := 0; i+4 <= len(e.data); i += 4 {
			out = append(out, rune(r.order.Uint32(e.data[i:])))
		}
	default:
		return nil, fmt.Errorf("text of type %d", e.kind)
	}
	return out, nil
}

// deepest bounds cells within cells and structs.
const deepest = 16

// cells reads the elements of a cell. Where all are texts, they are kept as these.
func (r *reader) cells(v *Variable, b []byte, n, depth int) error {
	all, err := r.values(b, n, depth)
	v.hold(all)
	return err
}

// hold keeps the elements of a cell: as texts, where all are.
func (v *Variable) hold(all []Variable) {
	texts := make([]string, 0, len(all))
	for _, one := range all {
		switch {
		case len(one.Texts) == 1 && one.Class == "char":
			texts = append(texts, one.Texts[0])
		case one.Problem == nil && (one.Class == "char" || one.Class == "double") && one.Count() == 0:
			texts = append(texts, "")
		default:
			v.Cells = all
			return
		}
	}
	v.Texts = texts
}

// structs reads the fields of structs.
func (r *reader) structs(v *Variable, b []byte, n, depth int) error {
	size, b, err := r.part(b, miINT32)
	if err != nil {
		return err
	}
	names, b, err := r.part(b, miINT8)
	if err != nil {
		return err
	}
	width := 0
	if len(size) >= 4 {
		width = int(int32(r.order.Uint32(size)))
	}
	if width <= 0 && len(names) > 0 || width > 0 && len(names)%width != 0 {
		return fmt.Errorf("%d bytes of names of fields, %d each", len(names), width)
	}
	if err := r.take(len(names), 24, "further bytes of names"); err != nil {
		return err
	}
	for ; len(names) > 0; names = names[width:] {
		name, _, _ := bytes.Cut(names[:width], []byte{0})
		v.Fields = append(v.Fields, string(name))
	}
	if v.Fields == nil {
		return nil
	}
	if n > len(b)/8/len(v.Fields) {
		return errShort
	}
	v.Cells, err = r.values(b, n*len(v.Fields), depth)
	return err
}

// values reads n arrays within a cell or struct.
func (r *reader) values(b []byte, n, depth int) ([]Variable, error) {
	if n > len(b)/8 {
		return nil, errShort
	}
	if depth == deepest {
		return nil, fmt.Errorf("cells and structs in each other, more than %d deep", deepest)
	}
	if err := r.take(n, 320, "further cells"); err != nil {
		return nil, err
	}
	all := make([]Variable, n)
	for i := range all {
		in, rest, err := r.part(b, miMATRIX)
		if err == nil {
			all[i], err = r.array(in, depth+1)
		}
		if err != nil {
			return nil, fmt.Errorf("cell %d: %w", i+1, err)
		}
		b = rest
	}
	return all, nil
}

// sparse reads a sparse matrix into a full one. ir has the rows (from 0) of the values, jc where each column begins
// among them.
func (r *reader) sparse(v *Variable, b []byte, n int) error {
	if len(v.Shape) != 2 {
		return fmt.Errorf("a sparse array of %d dimensions", len(v.Shape))
	}
	ir, b, err := r.part(b, miINT32)
	if err != nil {
		return err
	}
	jc, b, err := r.part(b, miINT32)
	if err != nil {
		return err
	}
	rows, columns := v.Shape[0], v.Shape[1]
	if len(jc) != 4*(columns+1) {
		return fmt.Errorf("%d bytes of columns for %d", len(jc), columns)
	}
	count := int(r.order.Uint32(jc[4*columns:]))
	if count > len(ir)/4 {
		return fmt.Errorf("%d values, but %d rows of values", count, len(ir)/4)
	}
	e, _, err := r.element(b)
	if err != nil {
		return err
	}
	width := widths[e.kind]
	if width == 0 || count > len(e.data)/width {
		return fmt.Errorf("%d bytes of type %d for %d numbers", len(e.data), e.kind, count)
	}
	var values Variable // MATLAB may keep room for more
	if err := r.take(count, 24, "further numbers"); err != nil {
		return err
	}
	if err := r.decode(&values, element{e.kind, e.data[:count*width]}, count); err != nil || values.Problem != nil {
		v.Problem = values.Problem
		return err
	}
	if err := r.take(n, 24, "further numbers"); err != nil {
		return err
	}
	at := func(k int) int { return int(r.order.Uint32(ir[4*k:])) }
	column := func(j int) int { return int(r.order.Uint32(jc[4*j:])) }
	v.Numbers, err = full(rows, columns, count, at, column, values.Numbers)
	return err
}

// full is a sparse matrix with its zeros, in MATLAB's order.
func full(rows, columns, count int, at, column func(int) int, values []float64) ([]float64, error) {
	numbers := make([]float64, rows*columns)
	for j := range columns {
		begin, end := column(j), column(j+1)
		if begin < 0 || end < begin || end > count {
			return nil, fmt.Errorf("column %d has the values %d to %d of %d: the file is damaged", j+1, begin, end, count)
		}
		last := -1
		for k := begin; k < end; k++ {
			if i := at(k); i <= last || i >= rows {
				return nil, fmt.Errorf("column %d has row %d after row %d, of %d: the file is damaged", j+1, i+1, last+1, rows)
			} else {
				numbers[i+j*rows], last = values[k], i
			}
		}
	}
	return numbers, nil
}
