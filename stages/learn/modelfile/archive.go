// Package modelfile has the file of a trained model: what it holds, who may have been in its training, and how it is
// applied to a row of inputs. docs/models.md describes it.
package modelfile

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
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
	"prgnn/stages/column"
)

// A trained model travels as one npz file: its arrays by name, as numpy.load reads them, and what it is in model.json.
// The members are stored without compression, in a fixed order and without times, so that equal models are equal files.

// aboutName is the member that describes the model.
const aboutName = "model.json"

// savedName is the member, an array of one text, as which numpy.savez writes what numpy.load has of model.json.
const savedName = aboutName + ".npy"

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
	if err := addAbout(z, string(text), arrays); err != nil {
		return artifacts.Bytes{}, err
	}
	err = z.Close()
	return artifacts.Bytes{Kind: "npz", Data: b.Bytes()}, err
}

// addAbout adds model.json, a JSON object, with the digest of the content at its end.
func addAbout(z *zip.Writer, text string, arrays []Array) error {
	content, err := contentOf([]byte(text), arrays)
	if err != nil {
		return err
	}
	text = strings.TrimRight(strings.TrimSuffix(strings.TrimSpace(text), "}"), " \n")
	return addMember(z, aboutName, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s,\n \"content\": %q\n}\n", text, content)
		return err
	})
}

// contentOf is the digest of all arrays, in the order of their names, and of model.json without the digest itself and
// some other keys. Both are in a canonical form, so a file that another program packed again has the same one.
func contentOf(about []byte, arrays []Array, without ...string) (string, error) {
	var all map[string]any
	if err := json.Unmarshal(about, &all); err != nil {
		return "", fmt.Errorf("model.json: %w", err)
	}
	for _, key := range append(without, "content") {
		delete(all, key)
	}
	h := sha256.New()
	byName := func(a, b Array) int { return cmp.Compare(a.Name, b.Name) }
	for _, a := range slices.SortedFunc(slices.Values(arrays), byName) {
		fmt.Fprintf(h, "%q\n", a.Name)
		if err := a.Values.Encode(h); err != nil {
			return "", err
		}
	}
	io.WriteString(h, column.JSON(all))
	return hex.EncodeToString(h.Sum(nil)), nil
}

// checkContent refuses a file whose content is not that of its digest. Files of other programs have none.
func checkContent(about []byte, arrays map[string]*encoding.Array) error {
	var of struct {
		Content string `json:"content"`
	}
	if err := Decode(about, &of); err != nil || of.Content == "" {
		return err
	}
	if is, err := contentOf(about, listed(arrays)); err != nil || is != of.Content {
		return cmp.Or(err, fmt.Errorf("its arrays and model.json have the digest %s, but model.json states %.64q: the file "+
			"was altered after it was written; export the model again", is, of.Content))
	}
	return nil
}

func listed(arrays map[string]*encoding.Array) (all []Array) {
	for name, a := range arrays {
		all = append(all, Array{name, a})
	}
	return all
}

// Identity is the same for all files of one model: as it was stored, exported, or packed again by another program.
func Identity(b []byte) (string, error) {
	arrays, about, err := Unpack(b)
	if err != nil {
		return "", err
	}
	return contentOf(about, listed(arrays), "origin", "study")
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
		return nil, nil, fmt.Errorf("not an npz file, or an incomplete one: %w; copy it again, or export the model again", err)
	}
	if !slices.ContainsFunc(z.File, func(f *zip.File) bool { return f.Name == aboutName || f.Name == savedName }) {
		return nil, nil, ErrNoModel
	}
	arrays = map[string]*encoding.Array{}
	left := int64(min(largest, max(1<<26, len(b)))) // members are stored as they are
	for i, f := range z.File {
		if slices.ContainsFunc(z.File[:i], func(g *zip.File) bool { return g.Name == f.Name }) {
			return nil, nil, fmt.Errorf("it has several files %.100q", f.Name)
		}
		member, err := readMember(f, left)
		if errors.Is(err, zip.ErrChecksum) || errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("%w: the file is damaged; copy it again, or export the model again", err)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		left -= int64(len(member))
		if f.Name == savedName {
			if len(member) > 10 && member[6] == 1 {
				about = member[min(len(member), 10+int(binary.LittleEndian.Uint16(member[8:]))):]
			}
		} else if name, array := strings.CutSuffix(f.Name, ".npy"); array {
			if arrays[name], err = encoding.ReadArray(bytes.NewReader(member)); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", f.Name, err)
			}
		} else if f.Name == aboutName {
			about = member
		} else {
			return nil, nil, fmt.Errorf("%.100q is neither model.json nor an array (.npy)", f.Name)
		}
	}
	var none unavailable
	if err := Decode(about, &none); err == nil && none.Why != "" {
		return nil, nil, &UnavailableError{none.Why}
	}
	return arrays, about, checkContent(about, arrays)
}

// unavailable is model.json of a file in place of a model that cannot travel.
type unavailable struct {
	Why string `json:"unavailable"`
}

// An UnavailableError is why a model that was trained has no model file.
type UnavailableError struct{ Why string }

func (e *UnavailableError) Error() string { return "the model has no model file: " + e.Why }

// Unavailable is a file in place of a model that cannot travel; reading it fails with the reason.
func Unavailable(why string) (artifacts.Bytes, error) { return Pack(unavailable{why}, nil) }

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
