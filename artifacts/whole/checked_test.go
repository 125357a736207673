package whole

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"testing"

	"prgnn/internal/need"
)

// A checking reader may be read in any pieces, and goes on saying what it found.
func TestCheckedReader(t *testing.T) {
	data := bytes.Repeat([]byte("abc"), 1000)
	wrong := errors.New("wrong")
	for _, c := range []struct {
		data []byte
		want error
	}{{data, nil}, {data[:2999], wrong}, {append(bytes.Clone(data), 0), wrong},
		{append([]byte("x"), data[1:]...), wrong}, {nil, wrong}} {
		for _, piece := range []int{1, 7, 4096} {
			r := NewCheckedReader(io.NopCloser(bytes.NewReader(c.data)), 3000, sha256.Sum256(data),
				func() error { return wrong }, nil)
			_, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, r, make([]byte, piece))
			need.Equal(t, err, c.want, len(c.data), piece)
			if _, again := r.Read(make([]byte, 1)); again != c.want && again != io.EOF {
				t.Errorf("read again: %v", again)
			}
		}
	}
}
