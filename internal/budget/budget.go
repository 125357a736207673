// Package budget bounds the memory and the work that one file from outside takes. A few bytes can
// claim gigabytes: compressed zeros, a text that a million rows repeat, a block that is listed twice.
// One Budget goes through everything that is read from a file, and every claim is taken from it
// before it is believed.
package budget

import (
	"fmt"
	"io"
	"math"
	"os"
)

// A file may take Base bytes and PerByte for each byte it has: a matrix of zeros of a few kB is read, and
// so is a large file of dictionary-encoded texts, which take 16 bytes where the file has one.
const (
	Base    = 256 << 20
	PerByte = 16
)

// A Budget is what a file may still take, bytes.
type Budget struct{ file, left int64 }

// For is the budget of a file of this many bytes; 0 where its size is unknown.
func For(file int64) *Budget {
	file = max(file, 0)
	return &Budget{file, limit(file)}
}

func limit(file int64) int64 {
	if file > (math.MaxInt64-Base)/PerByte {
		return math.MaxInt64
	}
	return Base + PerByte*file
}

// Of is the budget of what a reader reads: its own where it has one, as the content of a compressed file has, else by
// its size.
func Of(r io.Reader) *Budget {
	switch r := r.(type) {
	case interface{ Budget() *Budget }:
		return r.Budget()
	case interface{ Len() int }: // bytes.Reader, strings.Reader, the checking reader of a blob
		return For(int64(r.Len()))
	case *os.File:
		if fi, err := r.Stat(); err == nil && fi.Mode().IsRegular() {
			return For(fi.Size())
		}
	}
	return For(0)
}

// Take takes n things of size bytes; what they are, in the plural, stands in the error.
func (b *Budget) Take(n, size int64, what string) error {
	if n < 0 || size > 0 && n > b.left/size {
		return &Exceeded{what, n, size, b.file}
	}
	b.left -= n * size
	return nil
}

// Give returns bytes that were taken and are free again.
func (b *Budget) Give(n int64) { b.left += n }

// Exceeded is a claim beyond the budget.
type Exceeded struct {
	what          string
	n, size, file int64
}

func (e *Exceeded) Error() string {
	many := fmt.Sprintf("%d %s", e.n, e.what)
	if e.n < 0 {
		return many + ": the file is damaged"
	}
	in := "a file of unknown size"
	if e.file > 0 {
		in = fmt.Sprintf("a file of %d bytes", e.file)
	}
	return fmt.Sprintf("%s, too many for %s, which may take %d MiB of memory: it is damaged; if not, write it without compression or in parts",
		many, in, limit(e.file)>>20)
}
