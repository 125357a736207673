package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/results"
	"prgnn/internal/regular"
)

// toPath writes the one file that -o names.
func (x *job) toPath(write func(io.Writer) error) error {
	if err := x.mayReplace(x.Path, write); err != nil {
		return err
	}
	return x.WriteTo(x.Path, write)
}

// toFile writes a file of the directory that -o names.
func (x *job) toFile(path string, write func(io.Writer) error) error {
	if err := x.mayReplace(path, write); err != nil {
		return err
	}
	return x.WriteFile(path, write)
}

// mayReplace says why a file must not be written over; nil when it may. A file that is there is replaced where it is an
// earlier export: its metadata name results, it is a stored result, a csv or tsv with the same columns, or the same
// bytes.
func (x *job) mayReplace(path string, write func(io.Writer) error) error {
	return x.MayReplace(path, "an earlier export of this output", func(path string) bool {
		return namesResults(path) || x.isStored(path) || beginsAs(path, write)
	})
}

// isStored reports whether a file has the bytes of a result.
func (x *job) isStored(path string) bool {
	ref, err := x.Store.HashFile(path, false)
	return err == nil && x.Store.Has(ref)
}

// namesResults reports whether the metadata of an Arrow or Parquet file, or the sidecar of an npy file, name the
// results that it holds.
func namesResults(path string) bool {
	head, err := results.ReadHead(path)
	if err != nil {
		return false
	}
	switch results.FormatOf(head) {
	case "arrow", "parquet":
		f, err := regular.Open(path)
		if err != nil {
			return false
		}
		defer f.Close()
		meta, err := encoding.ReadMeta(f)
		return err == nil && meta[metaSources] != ""
	case "npy":
		_, ok := readSidecar(path)
		return ok
	}
	return false
}

// readSidecar reads the sidecar of an exported array.
func readSidecar(path string) (side struct {
	Array   string          `json:"array"`
	Sources json.RawMessage `json:"sources"`
}, ok bool) {
	text, err := regular.ReadFile(strings.TrimSuffix(path, filepath.Ext(path)) + ".json")
	ok = err == nil && json.Unmarshal(text, &side) == nil && side.Array == filepath.Base(path) && side.Sources != nil
	return side, ok
}

// beginsAs reports whether a file is what would be written there; of a csv or tsv, whether its first line is. What
// cannot be written does not write over anything either.
func beginsAs(path string, write func(io.Writer) error) bool {
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	ending := strings.ToLower(filepath.Ext(path))
	c := &comparison{was: bufio.NewReader(f), line: ending == ".csv" || ending == ".tsv"}
	if err := write(c); err != nil {
		return !c.differs
	}
	_, err = c.was.ReadByte()
	return err == io.EOF
}

var (
	errSameLine = errors.New("the first line is the same")
	errDiffers  = errors.New("the files differ")
)

// A comparison is a writer that compares what it is given with a file.
type comparison struct {
	was     *bufio.Reader
	line    bool // only the first line
	differs bool
}

func (c *comparison) Write(b []byte) (int, error) {
	all, same := len(b), error(nil)
	if at := bytes.IndexByte(b, '\n'); c.line && at >= 0 {
		b, same = b[:at+1], errSameLine
	}
	was := make([]byte, len(b))
	if _, err := io.ReadFull(c.was, was); err != nil || !bytes.Equal(was, b) {
		c.differs = true
		return 0, errDiffers
	}
	return all, same
}
