package inflate

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/peak"
)

// A stream of 300 kB that stands for 300 MiB takes no more memory than any other.
func TestMemory(t *testing.T) {
	peak.Below(t, 20, func(t *testing.T) {
		var part bytes.Buffer
		w := need.Value(flate.NewWriter(&part, 6))(t)
		zeros := make([]byte, 1<<20)
		need.Value(w.Write(zeros))(t)
		need.NoError(t, w.Flush())
		z := withHeader(bytes.Repeat(part.Bytes(), 300))
		z = append(z[:len(z)-len("trailer.")], 1, 0, 0, 0xff, 0xff) // an empty block, the last
		sum := uint32(0)
		for range 300 {
			sum = crc32.Update(sum, crc32.IEEETable, zeros)
		}
		z = binary.LittleEndian.AppendUint32(z, sum)
		z = binary.LittleEndian.AppendUint32(z, 300<<20)
		r := NewReader(bytes.NewReader(z))
		if n, err := io.Copy(io.Discard, r); n != 300<<20 || err != nil {
			t.Errorf("%d bytes, error %v", n, err)
		}
	})
}
