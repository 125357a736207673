package cifti

import (
	"bytes"
	"encoding/binary"
	"io"
	"regexp"
	"strconv"
	"testing"

	"prgnn/internal/forge"
	"prgnn/internal/need"
	"prgnn/nifti"
)

var digits = regexp.MustCompile(`\d+`)

// forged writes a file again, with a lie in its header or in a number of its XML; places and sizes follow what the XML
// has become.
func forged(f *forge.File, b []byte) {
	const header, extension = 540, 544
	offset := binary.LittleEndian.Uint64(b[168:]) // of the voxels
	text := bytes.TrimRight(b[extension+8:offset], "\x00")
	text = f.Part(func() {
		f.Write(digits.ReplaceAllFunc(text, func(n []byte) []byte {
			v, err := strconv.ParseUint(string(n), 10, 64)
			if err != nil {
				return n
			}
			return strconv.AppendUint(nil, f.Num(v), 10)
		}))
	})
	text = append(text, make([]byte, -(len(text)+8)&15)...)
	for at := 0; at < header; at += 4 {
		switch v := uint64(binary.LittleEndian.Uint32(b[at:])); at {
		case 168:
			f.Put(4, uint64(extension+8+len(text)))
		default:
			f.Put(4, v)
		}
	}
	f.Write(b[header:extension])
	f.Put(4, uint64(8+len(text)), extensionCode)
	f.Write(text)
	f.Write(b[offset:])
}

func FuzzForged(f *testing.F) {
	grid := nifti.Grid{Shape: [3]int{2, 2, 2}, Affine: nifti.Identity, Oriented: true}
	m := &Models{N: 3, Grid: grid, List: []Model{{Structure: "CIFTI_STRUCTURE_CORTEX_LEFT", Surface: 5,
		Vertices: []int32{1, 4}}, {Structure: "CIFTI_STRUCTURE_BRAIN_STEM", From: 2, Voxels: [][3]int32{{0, 1, 1}}}}}
	var dense, series bytes.Buffer
	need.NoError(f, m.WriteDense(&dense, []string{"x"}, [][]float64{{1, 2, 3}}))
	need.NoError(f, small(f).WriteSeries(&series, []float64{1, 2, 3, 4, 5, 6}, 2))
	files := [][]byte{dense.Bytes(), series.Bytes()}
	forge.Fuzz(f, 2, func(file *forge.File, kind int) { forged(file, files[kind]) }, func(b []byte) error {
		_, _, _, _ = ReadParcels(bytes.NewReader(b))
		r, err := nifti.NewReader(bytes.NewReader(b), "f")
		if err != nil {
			return err
		}
		file, err := Read(r, "f")
		if err != nil {
			return err
		}
		row := make([]float64, file.Columns.N)
		for err == nil {
			err = file.Next(row)
		}
		if err != io.EOF {
			return err
		}
		return nil
	})
}
