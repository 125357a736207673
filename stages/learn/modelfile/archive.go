// Package modelfile has the file of a trained model: what it holds, who may have been in its training, and how it is
// applied to a row of inputs. docs/models.md describes it.
package modelfile

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/stages/bids"
)

// A trained model travels as one npz file: its arrays by name, as numpy.load reads them, and what it is in model.json.
// The members are stored without compression, in a fixed order and without times, so that equal models are equal files.

// aboutName is the member that describes the model.
const aboutName = "model.json"

// ErrNoModel is the error for an npz file that is not a model.
var ErrNoModel = errors.New("it has no model.json: is it a trained model?")

// noTime is the first time that a zip archive can state.
var noTime = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// An Array is one of a file.
type Array struct {
	Name   string
	Values *encoding.Array
}

// Pack writes arrays, and about as model.json.
func Pack(about any, arrays []Array) (artifacts.Bytes, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, a := range arrays {
		if err := addMember(z, a.Name+".npy", a.Values.Encode); err != nil {
			return artifacts.Bytes{}, err
		}
	}
	text, err := json.MarshalIndent(about, "", " ")
	if err != nil {
		return artifacts.Bytes{}, err
	}
	asJSON := func(w io.Writer) error { _, err := w.Write(append(text, '\n')); return err }
	if err := addMember(z, aboutName, asJSON); err != nil {
		return artifacts.Bytes{}, err
	}
	err = z.Close()
	return artifacts.Bytes{Kind: "npz", Data: b.Bytes()}, err
}

// addMember adds a file to an archive.
func addMember(z *zip.Writer, name string, write func(io.Writer) error) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: noTime})
	if err != nil {
		return err
	}
	return write(w)
}

// largest is far more bytes than a model has: a support vector machine of 2,000 participants and 400 regions has 1.3e9.
const largest = 1 << 31

// Unpack reads an npz file, which may come from anywhere: its arrays by name, and the text of model.json.
func Unpack(b []byte) (arrays map[string]*encoding.Array, about []byte, err error) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, nil, fmt.Errorf("not an npz file: %w", err)
	}
	arrays = map[string]*encoding.Array{}
	left := int64(min(largest, max(1<<26, len(b)))) // members are stored as they are
	for i, f := range z.File {
		if slices.ContainsFunc(z.File[:i], func(g *zip.File) bool { return g.Name == f.Name }) {
			return nil, nil, fmt.Errorf("it has several files %.100q", f.Name)
		}
		member, err := readMember(f, left)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		left -= int64(len(member))
		if name, array := strings.CutSuffix(f.Name, ".npy"); array {
			if arrays[name], err = encoding.ReadArray(bytes.NewReader(member)); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", f.Name, err)
			}
		} else if f.Name == aboutName {
			about = member
		} else {
			return nil, nil, fmt.Errorf("%.100q is neither model.json nor an array (.npy)", f.Name)
		}
	}
	if about == nil {
		return nil, nil, ErrNoModel
	}
	return arrays, about, nil
}

// readMember reads no more than limit bytes, whatever the archive says. What it says is believed where it is too much.
func readMember(f *zip.File, limit int64) ([]byte, error) {
	tooMany := fmt.Errorf("larger than the limit of %d bytes for a model", limit)
	if f.UncompressedSize64 > uint64(limit) {
		return nil, tooMany
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if int64(len(b)) > limit {
		return nil, tooMany
	}
	return b, err
}

// Decode reads model.json, which is to have no key twice.
func Decode(about []byte, into any) error {
	if err := bids.Decode(about, into); err != nil {
		return fmt.Errorf("model.json: %w", err)
	}
	return nil
}
