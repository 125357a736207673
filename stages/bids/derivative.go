package bids

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/internal/workdir"
)

// order is that of the entities in a name (BIDS 1.10, rules/entities.yaml; stat is
// XCP-D's). An entity that is not here comes before desc.
var order = []string{"sub", "tpl", "ses", "task", "acq", "ce", "rec", "dir", "run", "echo", "space", "atlas", "seg",
	"scale", "res", "den", "label", "stat"}

// String is the file name, its entities in the order of BIDS.
func (n Name) String() string {
	entities := slices.Clone(n.Entities)
	place := func(e Entity) int {
		if i := slices.Index(order, e.Key); i >= 0 {
			return i
		}
		if e.Key == "desc" {
			return len(order) + 1
		}
		return len(order)
	}
	slices.SortStableFunc(entities, func(a, b Entity) int { return place(a) - place(b) })
	parts := lists.Map(entities, func(e Entity) string { return e.Key + "-" + e.Value })
	return strings.Join(append(parts, n.Suffix), "_") + n.Extension
}

// With is the name with further entities; one of an empty value is left out.
func (n Name) With(entities ...Entity) Name {
	n.Entities = slices.Clone(n.Entities)
	for _, e := range entities {
		if e.Value != "" {
			n.Entities = append(n.Entities, e)
		}
	}
	return n
}

// Only is the name with the entities of these keys.
func (n Name) Only(keys ...string) Name {
	n.Entities = slices.DeleteFunc(slices.Clone(n.Entities),
		func(e Entity) bool { return !slices.Contains(keys, e.Key) })
	return n
}

// Label makes the value of an entity of any text: its letters and digits.
func Label(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, s)
}

// A Derivative is a dataset that is being written. Its files go into a temporary directory beside the
// target, which appears complete or not at all.
type Derivative struct {
	dir   string
	join  bool // dir may hold a dataset, which Finish changes
	temp  *workdir.Dir
	root  *os.Root        // nothing is written outside of it
	names []string        // slash-separated
	sums  []string        // the SHA-256 of each, in hexadecimal
	paths map[string]bool // names in lower case
}

// Create begins a dataset in dir, which must not be there, or be empty.
func Create(dir string) (*Derivative, error) {
	entries, err := os.ReadDir(dir)
	switch {
	case err == nil && len(entries) > 0:
		return nil, fmt.Errorf("%s exists and is not empty: a dataset is written as a whole; name another directory, or remove it first", dir)
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	return begin(dir, filepath.Dir(filepath.Clean(dir)))
}

// begin makes the directory in which the files are written first, in the directory near.
func begin(dir, near string) (*Derivative, error) {
	if err := os.MkdirAll(near, 0o777); err != nil {
		return nil, err
	}
	temp, err := workdir.Make(near, workdir.Unfinished)
	if err != nil {
		return nil, err
	}
	made := filepath.Join(temp.Path, "dataset") // with the modes of any other directory: it outlasts temp
	err = os.Mkdir(made, 0o777)
	var root *os.Root
	if err == nil {
		root, err = os.OpenRoot(made)
	}
	if err != nil {
		temp.Remove()
		return nil, err
	}
	return &Derivative{dir: dir, temp: temp, root: root, paths: map[string]bool{}}, nil
}

// Put writes one file. name is slash-separated; two files of one name are an error.
func (d *Derivative) Put(name string, write func(io.Writer) error) error {
	if path.Clean(name) != name || !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("%q is not a valid file name in a dataset", name)
	}
	if folded := strings.ToLower(name); d.paths[folded] { // file systems that do not tell case
		return fmt.Errorf("two results would have the name %s", name)
	} else {
		d.paths[folded] = true
		d.names = append(d.names, name)
	}
	local := filepath.FromSlash(name)
	if err := d.root.MkdirAll(filepath.Dir(local), 0o777); err != nil {
		return err
	}
	f, err := d.root.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	sum := sha256.New()
	w := bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<18)
	err = errors.Join(write(w), w.Flush(), f.Close())
	d.sums = append(d.sums, hex.EncodeToString(sum.Sum(nil)))
	return err
}

// PutJSON writes a JSON file, as people read it.
func (d *Derivative) PutJSON(name string, v any) error {
	b, err := words.JSON(v)
	if err != nil {
		return err
	}
	return d.Put(name, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// Names are the files so far, by their slash-separated paths.
func (d *Derivative) Names() []string { return d.names }

// Finish moves the dataset to its target. One that joins others is refused where the file of another is in the way.
func (d *Derivative) Finish() error {
	d.root.Close()
	if d.join {
		if err := d.joinOthers(); err != nil {
			return err
		}
		return d.temp.Remove()
	}
	if err := os.Remove(d.dir); err != nil && !errors.Is(err, os.ErrNotExist) { // when it was there it was empty
		return err
	}
	if err := os.Rename(d.root.Name(), d.dir); err != nil {
		return err
	}
	return d.temp.Remove()
}

// Abort removes the files written so far. After Finish it does nothing.
func (d *Derivative) Abort() {
	d.root.Close()
	d.temp.Remove()
}
