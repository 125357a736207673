package bids

import (
	"bufio"
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

// Join begins files for a dataset in dir, which may be there, and which other processes may
// change. Finish replaces each participant's directory as a whole, and other files one by one.
func Join(dir string) (*Derivative, error) {
	d, err := begin(dir, dir)
	if err != nil {
		return nil, err
	}
	d.join = true
	return d, nil
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
	w := bufio.NewWriterSize(f, 1<<18)
	return errors.Join(write(w), w.Flush(), f.Close())
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

// Replaced are the directories of participants, there or not, whose place Finish gives to others.
func (d *Derivative) Replaced() (dirs []string) {
	for _, name := range d.names {
		if top, _, below := strings.Cut(name, "/"); below && isParticipant(top) && d.join {
			dirs = append(dirs, filepath.Join(d.dir, top))
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// isParticipant reports whether a directory of a dataset is that of a participant.
func isParticipant(name string) bool { return strings.HasPrefix(name, "sub-") }

// Finish moves the dataset to its target.
func (d *Derivative) Finish() error {
	d.root.Close()
	if d.join {
		if err := replaceAll(d.root.Name(), d.dir, d.temp.Path); err != nil {
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

// replaceAll renames what from holds into the directory to. A participant's directory takes
// the place of the one that is there, which goes to aside; any other directory is merged.
func replaceAll(from, to, aside string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		there, here := filepath.Join(to, e.Name()), filepath.Join(from, e.Name())
		switch {
		case !e.IsDir():
			err = os.Rename(here, there)
		case isParticipant(e.Name()):
			err = replaceDir(here, there, filepath.Join(aside, "old-"+e.Name()))
		default:
			if err = os.MkdirAll(there, 0o777); err == nil {
				err = replaceAll(here, there, aside)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// replaceDir renames a directory over another. Two processes may do so at once: each moves
// away what it finds, and the later one stays.
func replaceDir(from, to, aside string) error {
	for i := 0; ; i++ {
		if err := os.Rename(to, aside+fmt.Sprint(i)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		err := os.Rename(from, to)
		if err == nil || i == 100 || !errors.Is(err, os.ErrExist) { // ENOTEMPTY is ErrExist: another one was faster
			return err
		}
	}
}
