package mat5

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"slices"
	"testing"

	"prgnn/internal/need"
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
	for name, c := range map[string]struct {
		n    int
		want string
	}{
		"much when inflated": {512 << 20, "bytes in a compressed variable, too many for a file of "},
		"much as numbers":    {40 << 20, `"x": 41943040 further numbers, too many for a file of `},
	} {
		t.Run(name, func(t *testing.T) {
			peak.Below(t, 300, func(t *testing.T) {
				_, err := Read(bytes.NewReader(bomb(t, c.n)))
				need.Error(t, err, c.want)
			})
		})
	}
}

// What has two meanings is refused: a name that is used twice, bytes that belong to no variable, and whole
// numbers that float64 cannot hold.
func TestNothingIsLost(t *testing.T) {
	head := file(t, "plain.mat")[:HeaderSize]
	variable := func(class uint32, numbers ...uint64) []byte {
		var in, out buffer
		in.u32(miUINT32, 8, class, 0)
		shape := binary.LittleEndian.AppendUint32(nil, uint32(len(numbers)))
		in.element(miINT32, binary.LittleEndian.AppendUint32(shape, 1))
		in.element(miINT8, []byte("x"))
		var data []byte
		for _, v := range numbers {
			data = binary.LittleEndian.AppendUint64(data, v)
		}
		in.element(map[uint32]uint32{6: miDOUBLE, 14: miINT64, 15: miUINT64}[class], data)
		out.element(miMATRIX, in.Bytes())
		return out.Bytes()
	}
	read := func(parts ...[]byte) ([]Variable, error) {
		return Read(bytes.NewReader(slices.Concat(append([][]byte{head}, parts...)...)))
	}
	_, err := read(variable(6, 0), variable(6, 0))
	need.Error(t, err, `the variable at byte 200: the name "x" is used twice`)
	_, err = read(variable(6, 0), []byte{1, 2, 3})
	need.Error(t, err, "3 bytes follow the last variable, at byte 200")
	_, err = read(variable(6, 0), []byte{1, 0, 0, 0, 0, 0, 0, 0})
	need.Error(t, err, "a data element of type 1, expected a variable")
	for _, c := range []struct {
		class uint32
		x     uint64
		want  string
	}{{14, 1<<53 + 1, "it holds 9007199254740993,"}, {14, 1<<63 - 1, "it holds 9223372036854775807,"},
		{15, 1<<64 - 1, "it holds 18446744073709551615,"}} {
		all := need.Value(read(variable(c.class, 1, c.x)))(t)
		need.Error(t, all[0].Problem, c.want)
	}
	all := need.Value(read(variable(14, 1<<62, 1<<63)))(t)
	if !slices.Equal(all[0].Numbers, []float64{1 << 62, -1 << 63}) {
		t.Errorf("%v", all[0])
	}
}
