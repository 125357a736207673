package mat5

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"testing"

	"prgnn/internal/peak"
)

// bomb is a file with one compressed variable of n numbers, a byte each.
func bomb(t *testing.T, n int) []byte {
	t.Helper()
	var in buffer
	in.u32(miUINT32, 8, classReal, 0)
	in.element(miINT32, binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(n)), 1))
	in.element(miINT8, []byte("x"))
	in.u32(miUINT8, uint32(n))
	var whole buffer
	whole.u32(miMATRIX, uint32(in.Len()+n))
	whole.Write(in.Bytes())
	var z bytes.Buffer
	w, _ := zlib.NewWriterLevel(&z, zlib.BestSpeed)
	w.Write(whole.Bytes())
	zeros := make([]byte, 1<<20)
	for range n >> 20 {
		w.Write(zeros)
	}
	w.Close()
	b := bytes.Clone(file(t, "plain.mat")[:HeaderSize])
	b = binary.LittleEndian.AppendUint32(b, miCOMPRESSED)
	b = binary.LittleEndian.AppendUint32(b, uint32(z.Len()))
	return append(b, z.Bytes()...)
}

// A megabyte that stands for a gigabyte is refused, and so are bytes that become numbers of eight.
func TestMemory(t *testing.T) {
	for name, c := range map[string]struct{ n, limit int }{"much when inflated": {256 << 20, 20},
		"much as numbers": {40 << 20, 250}} {
		t.Run(name, func(t *testing.T) {
			peak.Below(t, c.limit, func(t *testing.T) {
				if _, err := Read(bytes.NewReader(bomb(t, c.n))); err == nil || err.Error() != "variable 1, at byte 128: "+errLarge.Error() &&
					err.Error() != `variable 1, at byte 128: "x": `+errLarge.Error() {
					t.Errorf("%v", err)
				}
			})
		})
	}
}
