package whole

import (
	"crypto/sha256"
	"hash"
	"io"
)

// A checkedReader passes on the bytes of a file and, in place of the io.EOF that
// would end them, an error when they are not of that size and SHA-256.
type checkedReader struct {
	f     io.ReadCloser
	size  int64
	sum   [sha256.Size]byte
	hash  hash.Hash
	n     int64
	wrong func() error     // the error of bytes that are not the right ones
	ended func(right bool) // what it came to; may be nil
	err   error            // what the reader came to
}

// NewCheckedReader checks the size and the SHA-256 of f as it is read: wrong is called where they are others, and
// ended, which may be nil, at the end.
func NewCheckedReader(f io.ReadCloser, size int64, sum [sha256.Size]byte, wrong func() error,
	ended func(right bool)) io.ReadCloser {
	return &checkedReader{f: f, size: size, sum: sum, hash: sha256.New(), wrong: wrong, ended: ended}
}

func (c *checkedReader) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.f.Read(p)
	c.hash.Write(p[:n])
	c.n += int64(n)
	switch {
	case c.n > c.size: // too long: no need to go on to the end
		c.end(false)
	case err == io.EOF:
		c.end(c.n == c.size && [sha256.Size]byte(c.hash.Sum(nil)) == c.sum)
	case err != nil:
		c.err = err
	}
	return n, c.err
}

func (c *checkedReader) end(right bool) {
	if c.err = io.EOF; !right {
		c.err = c.wrong()
	}
	if c.ended != nil {
		c.ended(right)
	}
}

// Len is how many bytes are still to come, if they are the right ones.
func (c *checkedReader) Len() int { return int(max(0, c.size-c.n)) }

func (c *checkedReader) Close() error { return c.f.Close() }
