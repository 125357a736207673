package encoding

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// An npyDescr is a header that has been read and checked.
type npyDescr struct {
	descr   string // as in the file, such as ">f4"
	order   byte   // '<', '>' or '|'
	kind    byte   // 'f' float, 'i' signed, 'u' unsigned, 'b' bool, 'c' complex
	size    int    // bytes of an element
	fortran bool
	shape   []int
}

// npySizes are the element types that can be read.
var npySizes = map[byte][]int{'f': {2, 4, 8}, 'i': {1, 2, 4, 8}, 'u': {1, 2, 4, 8}, 'b': {1},
	'c': {8, 16}}

// canonical reports whether the elements are as Array holds them: no conversion
// but that from little-endian bytes is needed.
func (h npyDescr) canonical() bool {
	switch {
	case h.kind == 'u':
		return h.size == 1
	case h.order == '>' || h.kind == 'b':
		return false
	case h.kind == 'f':
		return h.size >= 4
	case h.kind == 'c':
		return true
	}
	return h.size >= 2
}

// narrow is the element type in little-endian order, where an Array holds a wider one.
func (h npyDescr) narrow() string {
	h.order = '<'
	if h.canonical() {
		return ""
	}
	if h.size == 1 {
		h.order = '|'
	}
	return fmt.Sprintf("%c%c%d", h.order, h.kind, h.size)
}

// foreign reports whether the elements are converted, or put in another order, before Array holds them.
func (h npyDescr) foreign() bool { return !h.canonical() || h.fortran && len(h.shape) > 1 }

// readNPYHeader reads everything before the data. It trusts nothing that the
// header says: the length is bounded, the dictionary must be one, and each of
// its entries is checked.
func readNPYHeader(r io.Reader) (npyDescr, error) {
	var h npyDescr
	var start [8]byte
	if _, err := io.ReadFull(r, start[:]); err != nil {
		return h, fmt.Errorf("shorter than a header: %w", err)
	}
	if string(start[:6]) != npyMagic {
		return h, fmt.Errorf("not an npy file: begins with %q, not with %q", start[:6], npyMagic)
	}
	var length int
	switch major := start[6]; major {
	case 1:
		var b [2]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return h, fmt.Errorf("shorter than a header: %w", err)
		}
		length = int(binary.LittleEndian.Uint16(b[:]))
	case 2, 3:
		var b [4]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return h, fmt.Errorf("shorter than a header: %w", err)
		}
		n := binary.LittleEndian.Uint32(b[:])
		if n > npyMaxHeader {
			return h, fmt.Errorf("a header of %d bytes; the limit is %d", n, npyMaxHeader)
		}
		length = int(n)
	default:
		return h, fmt.Errorf("version %d.%d; only versions 1.0 to 3.0 can be read", start[6], start[7])
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return h, fmt.Errorf("the header ends before its %d bytes: %w", length, err)
	}
	p := dictParser{rest: string(text)}
	if err := p.header(&h); err != nil {
		return h, fmt.Errorf("header %.80q: %w", strings.TrimRight(string(text), " \n"), err)
	}
	return h, h.checkDescr()
}

// checkDescr splits a dtype such as "<f8" and refuses those that Array cannot hold.
func (h *npyDescr) checkDescr() error {
	refuse := func() error {
		return fmt.Errorf("element type %q: only plain numbers can be read (float16 to float64, integers, bool, complex)", h.descr)
	}
	if len(h.descr) < 3 || !strings.ContainsRune("<>|=", rune(h.descr[0])) {
		return refuse()
	}
	h.order, h.kind = h.descr[0], h.descr[1]
	var err error
	if h.size, err = strconv.Atoi(h.descr[2:]); err != nil || strconv.Itoa(h.size) != h.descr[2:] {
		return refuse()
	}
	if !slices.Contains(npySizes[h.kind], h.size) {
		return refuse()
	}
	switch {
	case h.size == 1:
		h.order = '|'
	case h.order == '=' || h.order == '|': // the order of the writer, which is not known
		return fmt.Errorf("element type %q does not state its byte order", h.descr)
	}
	return nil
}

// A dictParser reads the one form of Python dictionary that numpy writes as a
// header: three entries, of a string, a bool and a tuple of integers.
type dictParser struct{ rest string }

func (p *dictParser) header(h *npyDescr) error {
	if !p.take("{") {
		return fmt.Errorf("is not a dictionary")
	}
	seen := map[string]bool{}
	for !p.take("}") {
		key, err := p.text()
		if err != nil {
			return err
		}
		if seen[key] {
			return fmt.Errorf("two entries %q", key)
		}
		seen[key] = true
		if !p.take(":") {
			return fmt.Errorf("no colon after %q", key)
		}
		switch key {
		case "descr":
			if h.descr, err = p.text(); err != nil {
				return fmt.Errorf("descr: %w (structured arrays cannot be read)", err)
			}
		case "fortran_order":
			if h.fortran = p.take("True"); !h.fortran && !p.take("False") {
				return fmt.Errorf("fortran_order is neither True nor False")
			}
		case "shape":
			if h.shape, err = p.tuple(); err != nil {
				return fmt.Errorf("shape: %w", err)
			}
		default:
			return fmt.Errorf("unknown entry %q", key)
		}
		if !p.take(",") {
			if !p.take("}") {
				return fmt.Errorf("no comma after the entry %q", key)
			}
			break
		}
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			return fmt.Errorf("the entry %q is missing", key)
		}
	}
	if p.blank(); p.rest != "" {
		return fmt.Errorf("%q follows the dictionary", p.rest)
	}
	return nil
}

func (p *dictParser) blank() { p.rest = strings.TrimLeft(p.rest, " \n") }

func (p *dictParser) take(word string) bool {
	p.blank()
	rest, ok := strings.CutPrefix(p.rest, word)
	p.rest = rest
	return ok
}

// text reads 'abc' or "abc".
func (p *dictParser) text() (string, error) {
	for _, quote := range []string{"'", `"`} {
		if p.take(quote) {
			s, rest, ok := strings.Cut(p.rest, quote)
			if !ok || strings.ContainsAny(s, "\\\n") {
				return "", fmt.Errorf("an unterminated string")
			}
			p.rest = rest
			return s, nil
		}
	}
	return "", fmt.Errorf("%.20q is not a string", p.rest)
}

// upTo is what comes next, up to one of these characters, in at most 20 bytes.
func (p *dictParser) upTo(ends string) string {
	text := strings.TrimSpace(p.rest)
	if end := strings.IndexAny(text, ends); end > 0 {
		text = text[:end]
	}
	return text[:min(len(text), 20)]
}

// tuple reads (), (3,), (3, 4) and the (3L, 4L) of Python 2.
func (p *dictParser) tuple() ([]int, error) {
	if !p.take("(") {
		return nil, fmt.Errorf("%.20q is not a tuple", p.rest)
	}
	dims := []int{}
	for !p.take(")") {
		if len(dims) == npyMaxAxes {
			return nil, fmt.Errorf("more than %d axes", npyMaxAxes)
		}
		p.blank()
		end := strings.IndexFunc(p.rest, func(r rune) bool { return r < '0' || r > '9' })
		if end <= 0 {
			return nil, fmt.Errorf("%q is not a length: a shape is such as (90, 84)", p.upTo(",)"))
		}
		n, err := strconv.Atoi(p.rest[:end])
		if err != nil {
			return nil, fmt.Errorf("%q is too large", p.rest[:end])
		}
		p.rest = strings.TrimPrefix(p.rest[end:], "L")
		dims = append(dims, n)
		if !p.take(",") {
			if !p.take(")") {
				return nil, fmt.Errorf("%q instead of a comma or bracket: a shape is such as (90, 84)", p.upTo(",)"))
			}
			break
		}
	}
	return dims, nil
}
