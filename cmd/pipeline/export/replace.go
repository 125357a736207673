package export

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/artifacts/memo"
	"prgnn/cmd/pipeline/console"
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
		output := x.output
		x.then(func() { x.made().add(artifacts.Digest(sum.Sum(nil)), output) })
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
// earlier export of this output, or what would be written.
func (x *job) mayReplace(path string, write func(io.Writer) error) error {
	return x.MayReplace(path, "an earlier export of this output, unedited", func(path string) bool {
		earlier, _ := x.isExport(path)
		return earlier || isWritten(path, write)
	})
}

// isExport reports whether a file is an export of this output, or one of another: its metadata name results, an export
// from this store has its bytes, or it is a stored result, of which is not known of which output.
func (x *job) isExport(path string) (ofThis, ofAnother bool) {
	if output, sources, err := metaOf(path); err == nil && output != "" && sources != "" {
		return output == x.output, output != x.output
	}
	ref, err := x.Store.HashFile(context.Background(), path, false)
	if err != nil {
		return false, false
	}
	outputs, known := x.made().outputs[ref.Digest]
	if known {
		return outputs[x.output], !outputs[x.output]
	}
	return x.Store.Has(ref), false
}

// A record remembers the digests of exported files and of which outputs they are, beside what a store remembers of
// other files. Where it is lost, or cannot be written, a file that another result would replace is kept.
type record struct {
	log     memo.Log
	outputs map[artifacts.Digest]map[string]bool
}

// made is the record of the exports from the store.
func (x *job) made() *record { return x.record.of(x.Store.Dir()) }

// Remember records that a file with this text was written from a store for an output, and Wrote reports whether it was.
func Remember(store *disk.Store, text []byte, output string) {
	new(record).of(store.Dir()).add(sha256.Sum256(text), output)
}

func Wrote(store *disk.Store, text []byte, output string) bool {
	return new(record).of(store.Dir()).outputs[sha256.Sum256(text)][output]
}

// WroteAny reports whether a file with this text was written from a store for an output whose name begins so.
func WroteAny(store *disk.Store, text []byte, begins string) bool {
	for output := range new(record).of(store.Dir()).outputs[sha256.Sum256(text)] {
		if strings.HasPrefix(output, begins) {
			return true
		}
	}
	return false
}

// of is the record, read from a store.
func (r *record) of(store string) *record {
	if r.outputs == nil {
		r.log.Open(filepath.Join(store, "memo", "exported"), 0)
		r.outputs = map[artifacts.Digest]map[string]bool{}
		for _, entry := range r.log.Load() {
			if n := len(artifacts.Digest{}); len(entry) > n {
				r.remember(artifacts.Digest(entry[:n]), string(entry[n:]))
			}
		}
	}
	return r
}

// remember reports whether it is new.
func (r *record) remember(d artifacts.Digest, output string) bool {
	if r.outputs[d] == nil {
		r.outputs[d] = map[string]bool{}
	}
	old := r.outputs[d][output]
	r.outputs[d][output] = true
	return !old
}

func (r *record) add(d artifacts.Digest, output string) {
	if r.remember(d, output) {
		r.log.Append(append(d[:], output...))
	}
}

// readSidecar reads the sidecar of an exported array.
func readSidecar(path string) (side struct {
	Array   string          `json:"array"`
	Stage   string          `json:"stage"`
	Output  string          `json:"output"`
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
