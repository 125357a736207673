package bids

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/internal/regular"
	"prgnn/internal/words"
)

// Join begins files for a dataset in dir, which may be there, and which other processes may
// change. Finish replaces each participant's directory as a whole, unless it holds files of others, and other files one
// by one.
func Join(dir string) (*Derivative, error) {
	d, err := begin(dir, dir)
	if err != nil {
		return nil, err
	}
	d.join = true
	return d, nil
}

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

// filesDir holds what says which files of a dataset this program wrote: for each participant, and for the dataset as a
// whole, a directory with a list for each different set of files, as sha256sum writes it. No list is ever changed, so
// jobs that run at once lose nothing of each other. A list is there before its files are.
const filesDir = "logs/files"

// listOf is the directory of the lists that may name a file.
func listOf(name string) string {
	if top, _, below := strings.Cut(name, "/"); below && isParticipant(top) {
		return filesDir + "/" + top
	}
	return filesDir + "/dataset"
}

// A shared is a dataset to which others may add files.
type shared struct {
	dir   string
	lines map[string]bool // of the lists that were read
}

func (s *shared) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// wrote reports whether this program wrote a file, and nobody changed it; gone, that there is none: another job may
// replace its directory at any moment, so whoever looked before has not seen the same. The lists are read after the
// file: those of jobs that write now are there by then.
func (s *shared) wrote(name string) (own, gone bool) {
	f, err := regular.Open(s.path(name))
	if err != nil {
		info, none := os.Lstat(s.path(name))
		return false, none != nil || errors.Is(err, fs.ErrNotExist) && info.Mode().IsRegular()
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return false, false
	}
	line := hex.EncodeToString(sum.Sum(nil)) + "  " + name
	if s.lines[line] {
		return true, false
	}
	lists, _ := os.ReadDir(s.path(listOf(name))) // none: this program wrote nothing there
	for _, list := range lists {
		text, err := regular.ReadFile(filepath.Join(s.path(listOf(name)), list.Name()))
		if err != nil {
			continue
		}
		for l := range strings.Lines(string(text)) {
			s.lines[strings.TrimSuffix(l, "\n")] = true
		}
	}
	return s.lines[line], false
}

// InTheWay says which files in dir, written by others or changed since this program wrote them, have the names of files
// that it is about to write; nil for none.
func InTheWay(dir string, names []string) error {
	s := &shared{dir, map[string]bool{}}
	found := map[string]bool{}
	for _, name := range names {
		for at := path.Dir(name); at != "."; at = path.Dir(at) {
			if info, err := os.Lstat(s.path(at)); err == nil && !info.IsDir() {
				found[at] = true
			}
		}
		if own, gone := s.wrote(name); !own && !gone {
			found[name] = true
		}
	}
	if len(found) == 0 {
		return nil
	}
	return fmt.Errorf("%s holds files that this program did not write, or that were changed since, where its own belong: "+
		"%s\n  no file was replaced; move them away, or name another directory", dir, words.Some(slices.Sorted(maps.Keys(found)), 10))
}

// joinOthers moves the files to a dataset in which others may write.
func (d *Derivative) joinOthers() error {
	if err := InTheWay(d.dir, d.names); err != nil {
		return err
	}
	if err := d.list(); err != nil {
		return err
	}
	return d.replaceAll(d.root.Name(), d.dir)
}

// list writes which files are written, before they are.
func (d *Derivative) list() error {
	lists := map[string][]byte{}
	for i, name := range d.names {
		lists[listOf(name)] = fmt.Appendf(lists[listOf(name)], "%s  %s\n", d.sums[i], name)
	}
	for at, text := range lists {
		sum := sha256.Sum256(text)
		dir := filepath.Join(d.dir, filepath.FromSlash(at))
		file := filepath.Join(dir, hex.EncodeToString(sum[:8])+".sha256")
		if old, err := regular.ReadFile(file); err == nil && bytes.Equal(old, text) {
			continue
		}
		made := filepath.Join(d.temp.Path, "list")
		if err := errors.Join(os.MkdirAll(dir, 0o777), os.WriteFile(made, text, 0o666)); err != nil {
			return err
		}
		if err := os.Rename(made, file); err != nil {
			return err
		}
	}
	return nil
}

// replaceAll renames what from holds into the directory to. A participant's directory takes the place of the one that
// is there, which is removed; any other directory is merged, and so is that of a participant with files of others.
func (d *Derivative) replaceAll(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		there, here := filepath.Join(to, e.Name()), filepath.Join(from, e.Name())
		participant := to == d.dir && isParticipant(e.Name())
		var old []string
		others := false
		if participant {
			if old, others, err = d.held(e.Name()); err != nil {
				return err
			}
		}
		switch {
		case !e.IsDir():
			err = os.Rename(here, there)
		case participant && !others:
			err = replaceDir(here, there, filepath.Join(d.temp.Path, "old-"+e.Name()))
		default:
			if err = os.MkdirAll(there, 0o777); err == nil {
				err = d.replaceAll(here, there)
			}
			for _, name := range old {
				if err == nil && !slices.Contains(d.names, name) {
					err = os.Remove(filepath.Join(d.dir, filepath.FromSlash(name)))
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// held are the files of a participant's directory that this program wrote, and whether others have files or
// directories there. It looks again where another job replaced the directory meanwhile.
func (d *Derivative) held(participant string) (own []string, others bool, err error) {
	at := (&shared{dir: d.dir}).path(participant)
	for range 100 {
		before, none := os.Lstat(at)
		if own, others, err = d.heldOnce(participant); err != nil {
			return nil, false, err
		}
		if after, gone := os.Lstat(at); none != nil && gone != nil || none == nil && gone == nil &&
			os.SameFile(before, after) {
			break
		}
	}
	return own, others, nil
}

func (d *Derivative) heldOnce(participant string) (own []string, others bool, err error) {
	s := &shared{d.dir, map[string]bool{}}
	var dirs []string
	err = filepath.WalkDir(s.path(participant), func(at string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(d.dir, at)
		if name = filepath.ToSlash(name); e.IsDir() {
			dirs = append(dirs, name)
		} else if wrote, gone := s.wrote(name); wrote {
			own = append(own, name)
		} else if !gone {
			others = true
		}
		return err
	})
	for _, dir := range dirs {
		others = others || !slices.ContainsFunc(own, func(name string) bool { return strings.HasPrefix(name, dir+"/") })
	}
	return own, others, err
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
