package regular

import (
	"bytes"
	"io"
	"os"
)

// Same reports whether two files hold the same bytes. It reads as far as they do; one that cannot be read is
// none.
func Same(a, b string) bool {
	if a == b {
		return true
	}
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	two, err := os.Stat(b)
	if err != nil || one.Size() != two.Size() || one.Size() == 0 {
		return false
	}
	if os.SameFile(one, two) {
		return true
	}
	x, err := Open(a)
	if err != nil {
		return false
	}
	defer x.Close()
	y, err := Open(b)
	if err != nil {
		return false
	}
	defer y.Close()
	for size := 4 << 10; ; size = 1 << 20 { // scans that differ do so soon
		p, q := make([]byte, size), make([]byte, size)
		n, err := io.ReadFull(x, p)
		m, also := io.ReadFull(y, q)
		if !bytes.Equal(p[:n], q[:m]) {
			return false
		}
		if err != nil || also != nil {
			return n == m && (err == io.EOF || err == io.ErrUnexpectedEOF) && err == also
		}
	}
}
