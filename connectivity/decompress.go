package connectivity

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"prgnn/internal/budget"
)

// MaxFile bounds what is read of a file, decompressed, in bytes: a thousand regions over
// 10,000 volumes as text of full precision.
const MaxFile = 1 << 28

// maxNumbers bounds the numbers of a text: a thousand regions over 16,000 volumes.
const maxNumbers = 1 << 24

// maxColumns bounds the columns of a text: more than a template of 2 mm has voxels.
const maxColumns = 1 << 20

// maxLines bounds the lines of a text, also those without numbers: half a megabyte of gzip may hold 268 million.
const maxLines = 1 << 24

// A Content is a file's content, decompressed.
type Content struct {
	*bufio.Reader
	mem *budget.Budget
}

// Budget is what may be made of the file, by its size as it is stored.
func (c *Content) Budget() *budget.Budget { return c.mem }

// Decompress returns a reader of a file's content, through gzip when the first bytes say so. It fails
// beyond MaxFile bytes.
func Decompress(r io.Reader) (*Content, error) {
	mem := budget.Of(r)
	br := bufio.NewReader(r)
	var in io.Reader = br
	if magic, _ := br.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(br)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		in = &members{br, z}
	}
	return &Content{bufio.NewReaderSize(&bounded{r: in, left: MaxFile}, 64<<10), mem}, nil
}

// members reads the members of a gzip file one after the other. Zeros after the last are padding; anything else there
// is an error.
type members struct {
	r *bufio.Reader
	z *gzip.Reader // of one member
}

// Read passes over members without content: readers give up where many calls return nothing.
func (m *members) Read(p []byte) (int, error) {
	for {
		m.z.Multistream(false)
		n, err := m.z.Read(p)
		if err != io.EOF {
			return n, err
		}
		magic, err := m.r.Peek(2)
		switch {
		case len(magic) == 0:
			return n, err
		case !bytes.Equal(magic, []byte{0x1f, 0x8b}):
			return n, m.padding()
		}
		if err := m.z.Reset(m.r); n > 0 || err != nil {
			return n, err
		}
	}
}

// padding reads the zeros that may follow the last member.
func (m *members) padding() error {
	for {
		b, err := m.r.ReadByte()
		if err != nil {
			return err
		}
		if b != 0 {
			return errors.New("data that are not gzip follow the end of the compressed file; copy it again")
		}
	}
}

// A bounded reader fails where io.LimitReader ends. What failed once fails again.
type bounded struct {
	r    io.Reader
	left int64
	err  error
}

func (b *bounded) Read(p []byte) (n int, _ error) {
	if b.err != nil {
		return 0, b.err
	}
	n, b.err = b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		n, b.err = 0, fmt.Errorf("it holds more than the limit of %d MiB", MaxFile>>20)
	}
	if errors.Is(b.err, io.ErrUnexpectedEOF) {
		b.err = errors.New("the compressed file is truncated; copy it again")
	}
	return n, b.err
}

// blocks are numbers whose count is not known beforehand. A slice that grows would need
// several times their memory.
type blocks struct {
	full [][]float64
	last []float64
	n    int
}

const blockSize = 1 << 16

// add reports whether there was room for more numbers.
func (b *blocks) add(v []float64) bool {
	if len(v) > maxNumbers-b.n {
		return false
	}
	if cap(b.last)-len(b.last) < len(v) { // as many as there are, up to a block
		b.full, b.last = append(b.full, b.last), make([]float64, 0, max(min(b.n, blockSize), 1<<10, len(v)))
	}
	b.last = append(b.last, v...)
	b.n += len(v)
	return true
}

// after returns all numbers, behind those of first.
func (b *blocks) after(first []float64) []float64 {
	all := make([]float64, 0, len(first)+b.n)
	all = append(all, first...)
	for i, block := range b.full {
		all = append(all, block...)
		b.full[i] = nil
	}
	return append(all, b.last...)
}
