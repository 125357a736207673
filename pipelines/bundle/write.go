package bundle

import (
	"archive/tar"
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/internal/regular"
	"prgnn/pipelines/lock"
)

// Contents are what a bundle is made of.
type Contents struct {
	Lock    *lock.Lock
	Recipes map[string]string                          // by task
	Given   []artifacts.Ref                            // outputs that no recipe can make again
	Results []artifacts.Ref                            // to be looked at
	Inputs  map[artifacts.Digest]string                // where the user's files are; nil: leave them out
	Open    func(artifacts.Ref) (io.ReadCloser, error) // a blob
}

// Write writes a bundle.
func Write(w io.Writer, c Contents) error {
	lockText, err := c.Lock.Encode()
	if err != nil {
		return err
	}
	files := map[string][]byte{
		lock.FileName: lockText,
		recipesName:   encodeRecipes(c.Lock, c.Recipes),
		readmeName:    []byte(readme(c.Lock, c.Inputs != nil)),
	}
	var list []entry
	for _, name := range []string{readmeName, lock.FileName, recipesName} {
		b := files[name]
		list = append(list, entry{kind: isFile, name: name, ref: artifacts.Ref{Digest: artifacts.DigestOf(b),
			Size: int64(len(b))}})
	}
	var blobs []entry
	if c.Inputs != nil {
		for _, f := range c.Lock.Inputs() {
			name := path.Base(f.Name)
			if err := checkName(name); err != nil {
				return err
			}
			blobs = append(blobs, entry{kind: isInput, ref: f.Ref, name: name})
		}
	}
	for _, r := range c.Given {
		blobs = append(blobs, entry{kind: isGiven, ref: r})
	}
	for _, r := range c.Results {
		blobs = append(blobs, entry{kind: isResult, ref: r})
	}
	slices.SortFunc(blobs, func(a, b entry) int {
		return cmp.Or(strings.Compare(a.kind, b.kind), strings.Compare(a.line(), b.line()))
	})
	blobs = slices.Compact(blobs)
	list = append(list, blobs...)

	out := tar.NewWriter(w)
	text := encodeList(list)
	if err := writeEntry(out, listName, int64(len(text)), bytes.NewReader(text)); err != nil {
		return err
	}
	written := map[string]bool{}
	for _, e := range list {
		if written[e.path()] {
			continue // one blob in two roles
		}
		written[e.path()] = true
		if err := c.writeOne(out, e, files); err != nil {
			return err
		}
	}
	return out.Close()
}

func (c Contents) writeOne(out *tar.Writer, e entry, files map[string][]byte) error {
	var r io.ReadCloser
	var err error
	switch e.kind {
	case isFile:
		r = io.NopCloser(bytes.NewReader(files[e.name]))
	case isInput:
		r, err = regular.Open(c.Inputs[e.ref.Digest])
	default:
		r, err = c.Open(e.ref)
	}
	if err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	defer r.Close()
	h := sha256.New()
	if err := writeEntry(out, e.path(), e.ref.Size, io.TeeReader(r, h)); err != nil {
		return err
	}
	if artifacts.Digest(h.Sum(nil)) != e.ref.Digest {
		return fmt.Errorf("bundle: %s: %w", cmp.Or(c.Inputs[e.ref.Digest], e.path()), artifacts.ErrChanged)
	}
	return nil
}

// writeEntry writes one file: no time, no owner, so that the same run gives the
// same bytes.
func writeEntry(out *tar.Writer, name string, size int64, r io.Reader) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o644, Format: tar.FormatUSTAR}
	if size >= 1<<33 {
		h.Format = tar.FormatPAX
	}
	if err := out.WriteHeader(h); err != nil {
		return err
	}
	if n, err := io.Copy(out, r); err != nil || n != size {
		return cmp.Or(err, fmt.Errorf("bundle: %s has %d bytes, not %d: it has changed", name, n, size))
	}
	return nil
}

func readme(l *lock.Lock, withInputs bool) string {
	inputs := "The input files are included."
	if !withInputs {
		inputs = "The input files are not included: --inputs DIR names their directory (they are found by their digests)."
	}
	return fmt.Sprintf(`A run of the pipeline %q, packed by "pipeline bundle".

run.lock    the pipeline file as it was run, and every input and result by SHA-256
recipes     the recipe of each task
blobs/      files named by their SHA-256 (npy, Arrow and NIfTI files open as they are)
bundle      the list of all entries

  pipeline replay run.tar

runs everything again, without network, and compares every result. %s
It was made by version %s on %s.
`, l.Pipeline, inputs, l.Program.Version, l.Program.Platform)
}

// encodeRecipes writes the recipe of each task, in the order of the lock.
func encodeRecipes(l *lock.Lock, recipes map[string]string) []byte {
	var b bytes.Buffer
	for _, s := range l.Stages {
		for _, t := range s.Tasks {
			text := recipes[t.ID]
			fmt.Fprintf(&b, "task %d %s\n%s", len(text), t.ID, text)
		}
	}
	return b.Bytes()
}
