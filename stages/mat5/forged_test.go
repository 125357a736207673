package mat5

import (
	"bytes"
	"compress/zlib"
	"testing"

	"prgnn/internal/forge"
)

// forgeFile writes a file of one variable: a matrix, a cell of texts, or rows of characters, also compressed.
func forgeFile(head []byte) func(f *forge.File, kind int) {
	return func(f *forge.File, kind int) {
		f.Write(head)
		element := func(kind uint64, write func()) {
			b := f.Part(write)
			f.Put(4, kind, uint64(len(b)))
			f.Write(b)
			f.Write(make([]byte, -len(b)&7))
		}
		array := func(class uint64, name string, rows, columns uint64, write func()) {
			element(miMATRIX, func() {
				element(miUINT32, func() { f.Put(4, class, 0) })
				element(miINT32, func() { f.Put(4, rows, columns) })
				element(miINT8, func() { f.WriteString(name) })
				write()
			})
		}
		text := func() { element(miUTF16, func() { f.Put(2, 'a', 'b', 'c', 'd') }) }
		variable := func() {
			switch kind / 2 {
			case 0:
				array(classReal, "x", 2, 2, func() { element(miUINT8, func() { f.Put(1, 1, 2, 3, 4) }) })
			case 1:
				array(classCell, "x", 2, 1, func() {
					array(classChar, "", 1, 4, text)
					array(classChar, "", 1, 4, text)
				})
			case 2:
				array(classChar, "x", 2, 2, text)
			case 4:
				array(classStruct, "x", 1, 2, func() {
					element(miINT32, func() { f.Put(4, 2) })
					element(miINT8, func() { f.WriteString("a\x00b\x00") })
					for range 4 {
						array(classReal, "", 1, 1, func() { element(miUINT8, func() { f.Put(1, 1) }) })
					}
				})
			case 5:
				array(classSparse, "x", 2, 2, func() {
					element(miINT32, func() { f.Put(4, 1, 0, 1) })
					element(miINT32, func() { f.Put(4, 0, 1, 3) })
					element(miUINT8, func() { f.Put(1, 1, 2, 3) })
				})
			case 3:
				array(14, "x", 2, 1, func() { element(miINT64, func() { f.Put(8, 1, 2) }) })
			}
		}
		if kind%2 == 0 {
			variable()
			return
		}
		var z bytes.Buffer
		w := zlib.NewWriter(&z)
		w.Write(f.Part(variable))
		w.Close()
		f.Put(4, miCOMPRESSED, uint64(z.Len()))
		f.Write(z.Bytes())
	}
}

func FuzzForged(f *testing.F) {
	forge.Fuzz(f, 12, forgeFile(file(f, "plain.mat")[:HeaderSize]), func(b []byte) error {
		all, err := Read(bytes.NewReader(b))
		for _, v := range all {
			if v.Numbers != nil {
				v.Rows()
			}
		}
		return err
	})
}
