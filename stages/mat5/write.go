package mat5

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf16"
)

// Write writes variables, little-endian and not compressed, as `save -v6` does. Equal
// variables give equal bytes: the header names the program and no time.
func Write(w io.Writer, variables []Variable) error {
	head := bytes.Repeat([]byte{' '}, HeaderSize)
	copy(head, "MATLAB 5.0 MAT-file, written by PR-GNN Pipeline")
	copy(head[116:], make([]byte, 8)) // no subsystem data
	copy(head[124:], []byte{0, 1, 'I', 'M'})
	if _, err := w.Write(head); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, v := range variables {
		if v.Name == "" || v.Name != Name(v.Name) {
			return fmt.Errorf("%q is not a valid name of a MATLAB variable", v.Name)
		}
		if seen[v.Name] {
			return fmt.Errorf("two variables are named %q", v.Name)
		}
		seen[v.Name] = true
		var b buffer
		if v.Texts != nil || v.Cells != nil {
			b.cell(v)
		} else {
			b.double(v)
		}
		if b.Len() > math.MaxUint32 {
			return fmt.Errorf("variable %s has more than 4 GB, which a MAT-file of version 5 cannot hold: %w", v.Name, errors.ErrUnsupported)
		}
		if _, err := w.Write(b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

type buffer struct{ bytes.Buffer }

func (b *buffer) u32(values ...uint32) {
	for _, v := range values {
		b.Write(binary.LittleEndian.AppendUint32(nil, v))
	}
}

// element writes a tag and data, padded to 8 bytes.
func (b *buffer) element(kind uint32, data []byte) {
	b.u32(kind, uint32(len(data)))
	b.Write(data)
	b.Write(make([]byte, -len(data)&7))
}

// matrix writes a miMATRIX element: flags, dimensions, name, and what follows.
func (b *buffer) matrix(class uint32, shape []int, name string, rest func(*buffer)) {
	var in buffer
	in.u32(miUINT32, 8, class, 0)
	var dims []byte
	for _, d := range shape {
		dims = binary.LittleEndian.AppendUint32(dims, uint32(d))
	}
	in.element(miINT32, dims)
	in.element(miINT8, []byte(name))
	rest(&in)
	b.element(miMATRIX, in.Bytes())
}

func (b *buffer) double(v Variable) {
	b.matrix(classReal, v.Shape, v.Name, func(in *buffer) {
		raw := make([]byte, 0, 8*len(v.Numbers))
		for _, x := range v.Numbers {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(x))
		}
		in.element(miDOUBLE, raw)
	})
}

func (b *buffer) cell(v Variable) {
	b.matrix(classCell, v.Shape, v.Name, func(in *buffer) {
		for _, s := range v.Texts {
			units := utf16.Encode([]rune(s))
			rows := min(len(units), 1) // '' is 0×0
			in.matrix(classChar, []int{rows, len(units)}, "", func(c *buffer) {
				var raw []byte
				for _, u := range units {
					raw = binary.LittleEndian.AppendUint16(raw, u)
				}
				c.element(miUTF16, raw) // scipy takes miUINT16 for bytes of UTF-8
			})
		}
		for _, one := range v.Cells { // of numbers
			one.Name = ""
			in.double(one)
		}
	})
}
