package connectivity

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

// Members of a gzip file are read one after the other, with zeros behind them; what is cut short and what is no gzip
// are told apart.
func TestDecompress(t *testing.T) {
	pack := func(text string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(text))
		z.Close()
		return b.Bytes()
	}
	one, two := pack("1 2 3\n"), pack("4 5 6\n")
	empty := bytes.Repeat(pack(""), 200_000)
	for name, c := range map[string]struct {
		file []byte
		want string // the text, or the error
	}{
		"text":               {[]byte("1 2 3\n"), "1 2 3\n"},
		"one":                {one, "1 2 3\n"},
		"two":                {bytes.Join([][]byte{one, two}, nil), "1 2 3\n4 5 6\n"},
		"padding":            {append(bytes.Clone(one), make([]byte, 512)...), "1 2 3\n"},
		"cut":                {one[:len(one)-5], "truncated"},
		"second cut":         {bytes.Join([][]byte{one, two[:7]}, nil), "truncated"},
		"one byte more":      {append(bytes.Clone(one), 'x'), "data that are not gzip"},
		"junk":               {append(bytes.Clone(one), "junk"...), "data that are not gzip"},
		"empty members":      {bytes.Join([][]byte{one, empty, two}, nil), "1 2 3\n4 5 6\n"},
		"empty members only": {empty, ""},
		"long junk":          {append(bytes.Clone(one), strings.Repeat("junk", 50)...), "data that are not gzip"},
	} {
		r, err := Decompress(bytes.NewReader(c.file))
		var got strings.Builder
		if err == nil {
			_, err = io.Copy(&got, r)
		}
		if text := got.String(); err != nil && !strings.Contains(err.Error(), c.want) || err == nil && text != c.want {
			t.Errorf("%s: %q, %v, want %q", name, text, err, c.want)
		}
	}
}
