package bundle

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/internal/regular"
	"prgnn/pipelines/lock"
)

// An Opened bundle has been unpacked and checked.
type Opened struct {
	Lock    *lock.Lock
	recipes map[string]string // by task
	store   *disk.Store       // of what is given, and of results
	dir     string            // of the inputs
	inputs  map[string]bool   // digest/name
	given   map[artifacts.Digest]artifacts.Ref
	HasNo   []lock.File // inputs that are not inside
}

// maxList bounds the list, the lock and the recipes, which are read into memory.
const maxList = 1 << 30

// Open unpacks the bundle into store and inputs, which is made, checking all of it.
func Open(file string, store *disk.Store, inputs string) (*Opened, error) {
	f, err := regular.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := refuseCompressed(f); err != nil {
		return nil, err
	}
	o := &Opened{store: store, dir: inputs, inputs: map[string]bool{}, given: map[artifacts.Digest]artifacts.Ref{}}
	if err = o.unpack(tar.NewReader(f), info.Size()); err == nil {
		err = refuseMore(f)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("it is truncated: %w", err)
	}
	if err != nil {
		return nil, err
	}
	return o, o.check()
}

func refuseCompressed(f *os.File) error {
	var b [4]byte
	n, _ := f.ReadAt(b[:], 0)
	for magic, name := range map[string]string{"\x1f\x8b": "gzip", "\x28\xb5\x2f\xfd": "zstd", "BZh": "bzip2",
		"PK": "a zip file", "\xfd7zX": "xz"} {
		if bytes.HasPrefix(b[:n], []byte(magic)) {
			return fmt.Errorf("it is compressed (%s), but a bundle is a plain tar file; decompress it first", name)
		}
	}
	return nil
}

// refuseMore refuses bytes behind the end of a tar file, but for the zeros that fill its last record.
func refuseMore(rest io.Reader) error {
	b := make([]byte, 1<<16)
	for {
		n, err := rest.Read(b)
		if len(bytes.Trim(b[:n], "\x00")) > 0 {
			return errors.New("bytes that are not part of it follow its end: it is damaged, or two files were joined")
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// IsBundle reports whether a file begins as a bundle does, of whatever version.
func IsBundle(path string) bool {
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	in := tar.NewReader(f)
	h, err := in.Next()
	if err != nil || h.Name != listName {
		return false
	}
	head := make([]byte, len("prgnn bundle "))
	_, err = io.ReadFull(in, head)
	return err == nil && strings.HasPrefix(magic, string(head))
}

func (o *Opened) unpack(in *tar.Reader, size int64) error {
	h, err := in.Next()
	if err != nil {
		return fmt.Errorf("it is not a tar file: %v", err) // not cut short, as others may be
	}
	if h.Name != listName {
		return fmt.Errorf("it begins with %.60q, but a bundle begins with its list", h.Name)
	}
	if err := checkHeader(h, min(size, maxList)); err != nil {
		return err
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("its list: %w", err)
	}
	list, err := parseList(text)
	if err != nil {
		return err
	}
	wanted, total := map[string][]entry{}, int64(0)
	for _, e := range list {
		if other := wanted[e.path()]; other != nil && other[0].ref.Size != e.ref.Size {
			return fmt.Errorf("its list has two sizes for %s", e.path())
		} else if other == nil {
			total += e.ref.Size
		}
		wanted[e.path()] = append(wanted[e.path()], e)
		if total > size || total < 0 {
			return fmt.Errorf("its list announces more than the file's %d bytes: it is truncated, or made to fill a disk", size)
		}
	}
	texts := map[string][]byte{}
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("the tar file is damaged: %w", err)
		}
		es := wanted[h.Name]
		if es == nil {
			return fmt.Errorf("the entry %.100q is not in its list, or appears twice", h.Name)
		}
		delete(wanted, h.Name)
		if err := checkHeader(h, es[0].ref.Size); err != nil {
			return err
		}
		if h.Size != es[0].ref.Size {
			return fmt.Errorf("%s has %d bytes, but its list states %d", h.Name, h.Size, es[0].ref.Size)
		}
		if err := o.take(in, es, texts); err != nil {
			return err
		}
	}
	for name := range wanted {
		return fmt.Errorf("%s is missing (%d of %d entries are): it is truncated", name, len(wanted), len(list))
	}
	return o.parse(texts)
}

// checkHeader lets through plain files only.
func checkHeader(h *tar.Header, most int64) error {
	switch {
	case h.Typeflag == tar.TypeSymlink || h.Typeflag == tar.TypeLink:
		return fmt.Errorf("%.100q is a link, which a bundle cannot hold", h.Name)
	case h.Typeflag != tar.TypeReg:
		return fmt.Errorf("%.100q is not a regular file (type %q)", h.Name, h.Typeflag)
	case h.Size > most:
		return fmt.Errorf("%.100q has %d bytes; the limit is %d", h.Name, h.Size, most)
	}
	for k := range h.PAXRecords {
		if k != "size" {
			return fmt.Errorf("%.100q has the tar extension %q (a sparse file, a long name …), which a bundle does not use", h.Name, k)
		}
	}
	return nil
}

// take reads one entry and puts it where it belongs.
func (o *Opened) take(in io.Reader, es []entry, texts map[string][]byte) error {
	if es[0].kind == isFile {
		if es[0].ref.Size > maxList {
			return fmt.Errorf("%s has %d bytes, more than the limit", es[0].name, es[0].ref.Size)
		}
		b, err := io.ReadAll(in)
		if err != nil {
			return fmt.Errorf("%s: %w", es[0].name, err)
		}
		if artifacts.DigestOf(b) != es[0].ref.Digest {
			return errDigest(es[0])
		}
		texts[es[0].name] = b
		return nil
	}
	v := &streamed{in: in, format: "blob"}
	ref, err := o.store.Put(v)
	if err != nil {
		return err
	}
	if ref.Digest != es[0].ref.Digest {
		return errors.Join(errDigest(es[0]), o.store.Health.Remove(ref.Digest))
	}
	for _, e := range es {
		switch e.kind {
		case isInput:
			if err := o.place(e); err != nil {
				return err
			}
		case isGiven:
			o.given[e.ref.Digest] = e.ref
		}
	}
	return nil
}

func errDigest(e entry) error {
	return fmt.Errorf("%s does not have the digest in the list: it is damaged or forged", e.path())
}

// place gives an input its own name, in a directory of its own.
func (o *Opened) place(e entry) error {
	at := o.inputPath(e.ref.Digest, e.name)
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		return err
	}
	o.inputs[inputKey(e.ref.Digest, e.name)] = true
	if err := os.Link(o.store.Path(e.ref), at); err == nil {
		return nil
	}
	in, err := o.store.OpenBlob(artifacts.Ref{Digest: e.ref.Digest, Size: e.ref.Size})
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

func inputKey(d artifacts.Digest, name string) string { return d.String() + "/" + name }

func (o *Opened) inputPath(d artifacts.Digest, name string) string {
	return filepath.Join(o.dir, d.String(), name)
}

// streamed is a value that is read from somewhere.
type streamed struct {
	in     io.Reader
	format string
}

func (s *streamed) Format() string { return s.format }
func (s *streamed) Encode(w io.Writer) error {
	_, err := io.Copy(w, s.in)
	return err
}

// parse reads the lock and the recipes.
func (o *Opened) parse(texts map[string][]byte) error {
	for _, name := range []string{lock.FileName, recipesName} {
		if texts[name] == nil {
			return fmt.Errorf("it has no %s", name)
		}
	}
	var err error
	if o.Lock, err = lock.Parse(texts[lock.FileName]); err != nil {
		return fmt.Errorf("%s: %w", lock.FileName, err)
	}
	if o.recipes, err = parseRecipes(string(texts[recipesName])); err != nil {
		return fmt.Errorf("%s: %w", recipesName, err)
	}
	return nil
}

func parseRecipes(text string) (map[string]string, error) {
	recipes := map[string]string{}
	for text != "" {
		line, rest, ok := strings.Cut(text, "\n")
		f := strings.SplitN(line, " ", 3)
		if !ok || len(f) < 3 || f[0] != "task" {
			return nil, fmt.Errorf("%.60q instead of a task", line)
		}
		n, err := strconv.Atoi(f[1])
		if err != nil || n < 0 || n > len(rest) {
			return nil, fmt.Errorf("the recipe of %.60q does not have the stated %.20s bytes", f[2], f[1])
		}
		if _, twice := recipes[f[2]]; twice {
			return nil, fmt.Errorf("two recipes of %.60q", f[2])
		}
		recipes[f[2]], text = rest[:n], rest[n:]
	}
	return recipes, nil
}

// check holds recipes and lock against each other.
func (o *Opened) check() error {
	tasks := o.Lock.Tasks()
	for id := range o.recipes {
		if tasks[id] == nil {
			return fmt.Errorf("there is a recipe of %s, but no such task in the lock", id)
		}
	}
	for _, s := range o.Lock.Stages {
		for _, t := range s.Tasks {
			recipe, ok := o.recipes[t.ID]
			switch {
			case !ok:
				return fmt.Errorf("there is no recipe of %s", t.ID)
			case artifacts.KeyOf(recipe) != t.Key:
				return fmt.Errorf("the recipe of %s does not have the key in the lock: one of them is forged", t.ID)
			}
		}
	}
	for _, f := range o.Lock.Inputs() {
		name := path.Base(f.Name)
		if err := checkName(name); err != nil {
			return err
		}
		if !o.inputs[inputKey(f.Ref.Digest, name)] {
			o.HasNo = append(o.HasNo, f)
		}
	}
	return nil
}

// Bring takes an input that the bundle left out from a file that has its bytes.
func (o *Opened) Bring(file string, ref artifacts.Ref) error {
	for _, f := range o.HasNo {
		if f.Ref.Digest != ref.Digest {
			continue
		}
		in, err := regular.Open(file)
		if err != nil {
			return err
		}
		got, err := o.store.Put(&streamed{in: in, format: "blob"})
		if err := errors.Join(err, in.Close()); err != nil {
			return err
		}
		if got.Digest != ref.Digest {
			return fmt.Errorf("%s: %w", file, artifacts.ErrChanged)
		}
		if err := o.place(entry{kind: isInput, ref: f.Ref, name: path.Base(f.Name)}); err != nil {
			return err
		}
	}
	o.HasNo = slices.DeleteFunc(o.HasNo, func(f lock.File) bool { return f.Ref.Digest == ref.Digest })
	return nil
}
