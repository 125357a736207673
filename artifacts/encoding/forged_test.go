package encoding

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"testing"

	"prgnn/internal/forge"
	"prgnn/internal/need"
)

// Arrow files have no checksums, and their numbers lie at multiples of four: any of them is the lie.
func FuzzForged(f *testing.F) {
	files := [][]byte{Encoded(f, Sample())}
	for _, name := range []string{"zstd.arrow", "batches.arrow", "lz4.arrow", "types.arrow"} {
		files = append(files, need.Value(os.ReadFile(filepath.Join("testdata", "arrow", name)))(f))
	}
	forge.Fuzz(f, len(files), func(file *forge.File, kind int) {
		b := files[kind]
		for ; len(b) >= 4; b = b[4:] {
			file.Put(4, uint64(binary.LittleEndian.Uint32(b)))
		}
		file.Write(b)
	}, func(b []byte) error {
		t, err := ReadTable(bytes.NewReader(b))
		if err != nil {
			return err
		}
		_ = t.Encode(io.Discard) // text that is not UTF-8
		_ = t.WriteCSV(io.Discard, ',')
		return nil
	})
}
