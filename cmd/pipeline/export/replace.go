package export

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/artifacts/memo"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/results"
	"prgnn/internal/regular"
)

// toPath writes the one file that -o names.
func (x *job) toPath(write func(io.Writer) error) error {
	if x.Path == "-" {
		return x.WriteTo(x.Path, write)
	}
	return x.toFile(x.Path, write)
}

// toFile writes a file, also in the directory that -o names.
func (x *job) toFile(path string, write func(io.Writer) error) error {
	if err := x.mayReplace(path, write); err != nil {
		return err
	}
	return x.put(path, write)
}

// put writes a file which may be replaced, and remembers it.
func (x *job) put(path string, write func(io.Writer) error) error {
	sum := sha256.New()
	writeFile := x.WriteFile
	if x.batch != nil {
		writeFile = x.batch.Write
	}
	err := writeFile(path, func(w io.Writer) error { return write(io.MultiWriter(w, sum)) })
	if err == nil {
		x.then(func() { x.made().add(artifacts.Digest(sum.Sum(nil))) })
	}
	return err
}

// A batch is the files of a directory, which appear together, and what is done when they are there.
type batch struct {
	*console.Files
	then []func()
}

// then does something when the files are there.
func (x *job) then(do func()) {
	if x.batch == nil {
		do()
		return
	}
	x.batch.then = append(x.batch.then, do)
}

// together writes files of a directory: all of them or none, with those of the batch that x is part of.
func (x *job) together(dir string, write func() error) error {
	if x.batch != nil {
		return write()
	}
	files, err := x.Files(dir)
	if err != nil {
		return err
	}
	defer files.Discard()
	x.batch = &batch{Files: files}
	if err := write(); err != nil {
		return err
	}
	if err := files.Publish(); err != nil {
		return err
	}
	for _, do := range x.batch.then {
		do()
	}
	x.batch = nil
	return nil
}

// mayReplace says why a file must not be written over; nil when it may. A file that is there is replaced where it is an
// earlier export: its metadata name results, an export from this store has its bytes, it is a stored result, or it is
// what would be written.
func (x *job) mayReplace(path string, write func(io.Writer) error) error {
	return x.MayReplace(path, "an earlier export of this output, unedited", func(path string) bool {
		return namesResults(path) || x.isOurs(path) || isWritten(path, write)
	})
}

// isOurs reports whether a file has the bytes of a result, or of an earlier export.
func (x *job) isOurs(path string) bool {
	ref, err := x.Store.HashFile(path, false)
	return err == nil && (x.Store.Has(ref) || x.made().digests[ref.Digest])
}

// A record remembers the digests of exported files, beside what a store remembers of other files. Where it is lost, or
// cannot be written, a file that another result would replace is kept.
type record struct {
	log     memo.Log
	digests map[artifacts.Digest]bool
}

// made is the record of the exports from the store.
func (x *job) made() *record {
	if x.record.digests == nil {
		x.record.log.Open(filepath.Join(x.Store.Dir(), "memo", "exported"), 0)
		x.record.digests = map[artifacts.Digest]bool{}
		for _, entry := range x.record.log.Load() {
			if len(entry) == len(artifacts.Digest{}) {
				x.record.digests[artifacts.Digest(entry)] = true
			}
		}
	}
	return x.record
}

func (r *record) add(d artifacts.Digest) {
	if !r.digests[d] {
		r.digests[d] = true
		r.log.Append(d[:])
	}
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

// isWritten reports whether a file is what would be written there. What cannot be written does not write over anything
// either.
func isWritten(path string, write func(io.Writer) error) bool {
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	c := &comparison{was: bufio.NewReader(f)}
	if err := write(c); err != nil {
		return !c.differs
	}
	_, err = c.was.ReadByte()
	return err == io.EOF
}

var errDiffers = errors.New("the files differ")

// A comparison is a writer that compares what it is given with a file.
type comparison struct {
	was     *bufio.Reader
	differs bool
}

func (c *comparison) Write(b []byte) (int, error) {
	was := make([]byte, len(b))
	if _, err := io.ReadFull(c.was, was); err != nil || !bytes.Equal(was, b) {
		c.differs = true
		return 0, errDiffers
	}
	return len(b), nil
}
