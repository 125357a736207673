// Package npz reads the arrays of numpy's npz files as variables, like those of MATLAB.
package npz

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"prgnn/artifacts/encoding"
	"prgnn/internal/budget"
	"prgnn/internal/pattern"
	"prgnn/stages/mat5"
)

const zipMagic = "PK\x03\x04"

// maxMembers bounds the arrays of an npz file.
const maxMembers = 4096

// Is reports whether a file is numpy's archive of arrays, by its first bytes: other archives, such as those of
// Excel, begin with another name.
func Is(first []byte) bool {
	if len(first) < 30 || !bytes.HasPrefix(first, []byte(zipMagic)) {
		return false
	}
	name := first[30:min(len(first), 30+int(binary.LittleEndian.Uint16(first[26:])))]
	return bytes.HasSuffix(name, []byte(".npy"))
}

// A Content is a file, with what may be made of it.
type Content interface {
	io.Reader
	Budget() *budget.Budget
}

// Read reads the arrays of an npz file (numpy.savez) as variables. Those of three dimensions, members in front, have
// them last, as in MATLAB.
func Read(r Content) ([]mat5.Variable, error) {
	mem := r.Budget()
	b, err := io.ReadAll(r)
	if err == nil {
		err = mem.Take(int64(len(b)), 1, "bytes")
	}
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, fmt.Errorf("npz: %w: the file is damaged; copy it again", err)
	}
	if len(z.File) > maxMembers {
		return nil, fmt.Errorf("npz: %d arrays, more than the limit of %d", len(z.File), maxMembers)
	}
	var all []mat5.Variable
	seen := map[string]bool{}
	for _, f := range z.File {
		if strings.HasPrefix(f.Name, "/") || strings.Contains(f.Name, "\\") || path.Clean("/"+f.Name) != "/"+f.Name {
			return nil, fmt.Errorf("npz: %.80q leads out of the archive: numpy does not write such names", f.Name)
		}
		name, is := strings.CutSuffix(f.Name, ".npy")
		if !is || seen[name] {
			return nil, fmt.Errorf("npz: %.80q is no array, or its name appears twice", f.Name)
		}
		seen[name] = true
		v, err := npzArray(f, mem)
		if err != nil {
			return nil, fmt.Errorf("npz: array %.80s: %w", name, err)
		}
		v.Name = name
		all = append(all, v)
	}
	return all, nil
}

// descr is the type of elements and the shape in the header of an npy array (numpy.lib.format).
var descr = pattern.New(`'descr': *'([<>|=]?[A-Za-z]\d*)'.*'shape': *\(([\d, ]*)\)`)

// npzArray reads one array. Python objects are not: unpickling may run any program.
func npzArray(f *zip.File, mem *budget.Budget) (v mat5.Variable, err error) {
	in, err := f.Open()
	if err != nil {
		return v, err
	}
	defer in.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(in, head)
	whole := &claimed{io.MultiReader(bytes.NewReader(head[:n]), in), mem}
	m := descr.FindSubmatch(head[:n])
	if m == nil {
		v.Class, v.Problem, v.Shape = "object", fmt.Errorf("an array of objects or of structures"), []int{1, 1}
		return v, nil
	}
	kind := strings.TrimLeft(string(m[1]), "<>|=")
	logical := kind == "b1" && !strings.Contains(strings.TrimRight(string(m[2]), ", "), ",")
	if logical { // a list of truth values, such as who is a patient, as the bytes that they are
		m[1][len(m[1])-2], kind = 'u', "logical"
	}
	switch kind[0] {
	case 'O':
		v.Class, v.Shape = "object", []int{1, 1}
		v.Problem = fmt.Errorf("it holds Python objects (pickle), which are never unpickled: save a plain array")
		return v, nil
	case 'U', 'S':
		return npzTexts(whole, string(m[1]), string(m[2]))
	case 'b', 'V', 'M', 'm', 'c':
		v.Class, v.Shape = "dtype "+kind, []int{1, 1}
		v.Problem = fmt.Errorf("its elements (%s) are no real numbers", kind)
		return v, nil
	}
	shape, numbers, err := encoding.ReadFloats(whole, 3)
	if err != nil {
		return v, err
	}
	v = mat5.Variable{Class: kind, Shape: []int{1, 1}, Numbers: numbers}
	switch len(shape) {
	case 0:
	case 3: // [member, row, column] in C order is (column, row, member) in MATLAB's; matrices are symmetric
		v.Shape, v.Stated = []int{shape[2], shape[1], shape[0]}, shape
	default:
		v = mat5.Matrix("", numbers, shape...)
		v.Class = kind
	}
	return v, nil
}

// A claimed reader has the budget of the file that it is part of.
type claimed struct {
	io.Reader
	mem *budget.Budget
}

// Budget is what may be made of the file.
func (c *claimed) Budget() *budget.Budget { return c.mem }

// npzTexts reads an array of texts, padded with zeros: of UTF-32 (U), or of bytes (S), which are UTF-8.
func npzTexts(r *claimed, kind, shape string) (v mat5.Variable, err error) {
	order := binary.ByteOrder(binary.LittleEndian)
	if kind[0] == '>' {
		order = binary.BigEndian
	}
	unit := 4 // bytes a letter
	if strings.Contains(kind, "S") {
		unit = 1
	}
	letters, err := strconv.Atoi(strings.TrimLeft(kind, "<>|=US"))
	if err != nil || letters < 0 || letters > 1<<16 {
		return v, fmt.Errorf("texts of type %s", kind)
	}
	count := 1
	for part := range strings.SplitSeq(shape, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		n, err := strconv.Atoi(part)
		if err != nil || n > 1<<20 || count > 1<<20 {
			return v, fmt.Errorf("texts of shape %s", shape)
		}
		count *= n
	}
	if err := r.mem.Take(int64(count), int64(8*letters+16), "texts"); err != nil {
		return v, err
	}
	size := unit * letters
	b, err := io.ReadAll(io.LimitReader(r, 1<<20+int64(count)*int64(size)))
	if err != nil {
		return v, err
	}
	if len(b) < size*count {
		return v, fmt.Errorf("%d bytes for %d texts: the file is damaged", len(b), count)
	}
	b = b[len(b)-size*count:]
	v = mat5.Variable{Class: "texts", Shape: []int{count, 1}, Texts: []string{}}
	for ; len(v.Texts) < count; b = b[size:] {
		if unit == 1 {
			text := bytes.TrimRight(b[:size], "\x00")
			if !utf8.Valid(text) {
				v.Problem = fmt.Errorf("its texts are bytes, but not UTF-8; save them as text (dtype U)")
				return v, nil
			}
			v.Texts = append(v.Texts, string(text))
			continue
		}
		var text []rune
		for at := 0; at < size; at += unit {
			if c := rune(order.Uint32(b[at:])); c != 0 {
				text = append(text, c)
			}
		}
		v.Texts = append(v.Texts, string(text))
	}
	return v, nil
}
