package differ

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
)

// A Content is what the bytes of an artifact hold, as far as this program reads
// it: one of a table, an array, a text, or nothing more than bytes.
type Content struct {
	Format string
	Table  *encoding.Table
	Array  *encoding.Array
	Axes   []string // of the array, when they are known
	Text   string
}

// Read reads an artifact.
func Read(s artifacts.Reader, ref artifacts.Ref, typ dag.Type) (Content, error) {
	c := Content{Format: ref.Format, Axes: typ.Axes}
	b, err := ReadBlob(s, ref)
	if err != nil {
		return c, err
	}
	switch ref.Format {
	case "arrow":
		c.Table, err = encoding.ReadTable(bytes.NewReader(b))
	case "npy":
		c.Array, err = encoding.ReadArray(bytes.NewReader(b))
	case "text", "json", "tsv", "csv", "markdown", "log":
		if c.Text = string(b); !utf8.Valid(b) {
			err = errors.New("the text is not UTF-8")
		}
	}
	return c, err
}

// ReadBlob reads and checks a blob.
func ReadBlob(store artifacts.Reader, r artifacts.Ref) ([]byte, error) {
	blob, err := store.OpenBlob(r)
	if err != nil {
		return nil, err
	}
	defer blob.Close()
	return io.ReadAll(blob)
}

// Blobs reads two artifacts of one port and compares them. Bytes may differ where contents do not (another version of
// a library); that is a difference too.
func Blobs(s1 artifacts.Reader, r1 artifacts.Ref, s2 artifacts.Reader, r2 artifacts.Ref, typ dag.Type) (*Difference,
	error) {
	a, err1 := Read(s1, r1, typ)
	b, err2 := Read(s2, r2, typ)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	if d := Values(a, b); d != nil {
		return d, nil
	}
	return &Difference{Kind: "bytes", Text: "the values are the same; the bytes around them differ"}, nil
}

// Values compares two contents of one port; nil for equal ones.
func Values(a, b Content) *Difference {
	switch {
	case a.Format != b.Format:
		return &Difference{Kind: "bytes", Text: fmt.Sprintf("%s became %s", a.Format, b.Format)}
	case a.Array != nil && b.Array != nil:
		return arrays(a, b)
	case a.Table != nil && b.Table != nil:
		return tables(a.Table, b.Table)
	case a.Text != "" || b.Text != "":
		return texts(a.Text, b.Text)
	}
	return &Difference{Kind: "bytes", Text: "the bytes differ"}
}
