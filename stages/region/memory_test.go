package region

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/peak"
	"prgnn/stages/mat5"
)

// gzipped is an npy file of zeros.
func gzipped(t *testing.T, descr string, size int, fortran bool, shape ...int) []byte {
	t.Helper()
	order := map[bool]string{true: "True", false: "False"}[fortran]
	axes := strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", ", ")
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", descr, order, axes)
	dict += strings.Repeat(" ", 117-len(dict)) + "\n"
	n := size
	for _, d := range shape {
		n *= d
	}
	return squeezed(t, fmt.Sprintf("%s\x01\x00\x76\x00%s", npyMagic, dict), "\x00", n)
}

// squeezed is head and n times the same text, gzipped.
func squeezed(t *testing.T, head, text string, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	_, err := io.WriteString(w, head)
	const at = 1 << 14
	many := []byte(strings.Repeat(text, at))
	for ; n > 0 && err == nil; n -= at {
		_, err = w.Write(many[:len(text)*min(n, at)])
	}
	need.NoError(t, errors.Join(err, w.Close()))
	return b.Bytes()
}

// matlab is a MAT-file of a square matrix of zeros, stored as bytes and gzipped.
func matlab(n int) func(t *testing.T) []byte {
	return func(t *testing.T) []byte {
		head := append([]byte("MATLAB 5.0 MAT-file"), bytes.Repeat([]byte{' '}, mat5.HeaderSize-19)...)
		copy(head[124:], "\x00\x01IM")
		// Types of elements, their lengths in bytes, and values.
		for _, v := range []int{14, 56 + n*n, 6, 8, 6, 0, 5, 8, n, n, 1, 1, 'x', 0, 2, n * n} {
			head = binary.LittleEndian.AppendUint32(head, uint32(v))
		}
		return squeezed(t, string(head), "\x00", n*n+(-n*n)&7)
	}
}

// A small npy.gz that unpacks to much is refused by its header.
func TestMemoryOfArrays(t *testing.T) {
	for _, descr := range []string{"<f8", "|u1"} {
		t.Run(descr, func(t *testing.T) {
			peak.Below(t, 30, func(t *testing.T) {
				size := map[string]int{"<f8": 8, "|u1": 1}[descr]
				b := gzipped(t, descr, size, false, 115_500, 1000)
				want := fmt.Sprintf("npy: shape [115500 1000] of %s: 115500000 numbers, too many for a file of %d bytes",
					descr, len(b))
				_, err := ReadSeries(bytes.NewReader(b), Layout{})
				need.Error(t, err, want)
				read := &counted{Reader: bytes.NewReader(b)}
				_, err = ReadSquares(read, Layout{})
				if need.Error(t, err, want); read.n > 64<<10 {
					t.Errorf("%d bytes were read for %v", read.n, err)
				}
			})
		})
	}
}

type counted struct {
	*bytes.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

// Files of less than 5 MB that unpack to much, of every form, take bounded memory; a refusal states the remedy.
func TestMemoryOfSmallFiles(t *testing.T) {
	const side, rows = 5790, 16_700 // 33.5 and 16.7 million numbers
	const tooMany = "which may take 2"
	const notSquare = "a matrix of regions by regions is square"
	array := func(descr string, size int, fortran bool, shape ...int) func(t *testing.T) []byte {
		return func(t *testing.T) []byte { return gzipped(t, descr, size, fortran, shape...) }
	}
	text := func(head, text string, n int) func(t *testing.T) []byte {
		return func(t *testing.T) []byte { return squeezed(t, head, text, n) }
	}
	row := func(columns int) string { return strings.Repeat("0\t", columns-1) + "0\n" }
	for name, c := range map[string]struct {
		file           func(t *testing.T) []byte
		series, matrix string // the error, "" for none
	}{
		"just few enough":         {array("<f8", 8, false, rows, 1000), "", tooMany},
		"draws":                   {array("<f8", 8, false, 33, 1000, 1000), tooMany, tooMany},
		"Fortran order":           {array("<f8", 8, true, side, side), tooMany, tooMany},
		"few in Fortran order":    {array("<f8", 8, true, 2364, 2364), "", ""},
		"draws in Fortran order":  {array("<f4", 4, true, 33, 1000, 1000), tooMany, tooMany},
		"big-endian":              {array(">f8", 8, false, side, side), tooMany, tooMany},
		"single precision":        {array("<f4", 4, false, side, side), tooMany, tooMany},
		"half precision":          {array("<f2", 2, false, side, side), tooMany, tooMany},
		"bytes":                   {array("|u1", 1, false, side, side), tooMany, tooMany},
		"few bytes":               {array("|u1", 1, false, 3276, 3276), "", ""},
		"truth values":            {array("|b1", 1, true, side, side), tooMany, tooMany},
		"unsigned integers":       {array("<u4", 4, true, side, side), tooMany, tooMany},
		"text of a matrix":        {text("", row(4090), 4090), "", tooMany},
		"text of few":             {text("", row(3300), 3300), "", ""},
		"text of a series":        {text("", row(1000), 16_000), "", notSquare},
		"text of many rows":       {text("", "0\n", 16_000_000), "", "16000000 values: the triangle of a matrix"},
		"text with names of rows": {text("Node\ta\n", "b\t0\n", 16_000_000), "there is a text, not a number", notSquare},
		"text of many columns":    {text("", "0\t", 8_000_000), "8000000 columns, more than", "8000000 columns, more than"},
		"MATLAB":                  {matlab(side), "33524100 further numbers, too many", "33524100 further numbers, too many"},
		"few of MATLAB":           {matlab(3200), "", ""},
	} {
		for _, read := range []struct {
			what string
			file func(r io.Reader, l Layout) ([]string, error)
			want string
		}{{"series", SeriesNames, c.series}, {"matrix", MatrixNames, c.matrix}} {
			t.Run(name+" as "+read.what, func(t *testing.T) {
				peak.Below(t, 600, func(t *testing.T) {
					b := c.file(t)
					if len(b) > 5_000_000 {
						t.Fatalf("%d bytes", len(b))
					}
					_, err := read.file(bytes.NewReader(b), Layout{})
					if read.want == "" {
						need.NoError(t, err)
						return
					}
					need.Error(t, err, read.want)
					if read.want == tooMany {
						need.Error(t, err, "it is damaged; if not, write it without compression or in parts")
					}
				})
			})
		}
	}
}
