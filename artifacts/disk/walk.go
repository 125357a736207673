package disk

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/pack"
	"prgnn/artifacts/remote"
	"prgnn/artifacts/whole"
	"prgnn/internal/regular"
)

// An object is a blob or an action as it lies in the store.
type object struct {
	name      string // 64 hexadecimal digits
	path      string
	size      int64
	mtime     int64      // ns
	foreign   string     // why it is none, although it lies among them; "" for a real one
	problem   Problem    // of a foreign one
	irregular bool       // foreign, in the place of one
	item      *pack.Item // where it lies in a pack; nil for a file
	copy      bool       // another one of that name stands before it in the list
}

// objects lists what lies in blobs or actions, sorted by name. The error has the directories that cannot be read.
func (s *Store) objects(kind string) ([]object, error) {
	root := filepath.Join(s.dir, kind)
	var all []object
	var closed []error
	err := filepath.WalkDir(root+string(filepath.Separator), func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && errors.Is(err, fs.ErrNotExist): // removed while we looked, or no store yet
			return nil
		case errors.Is(err, fs.ErrPermission):
			closed = append(closed, whole.Unreadable(err))
			return fs.SkipDir
		case err != nil:
			return err
		case filepath.Clean(path) == root, e.IsDir() && filepath.Dir(path) == root && len(e.Name()) == 2:
			return nil
		}
		o := object{name: e.Name(), path: path, problem: Foreign}
		otherwise := ""
		if fi, err := e.Info(); err == nil {
			o.size, o.mtime = fi.Size(), fi.ModTime().UnixNano()
			otherwise = regular.Otherwise(fi)
		} else if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		switch _, err := artifacts.ParseDigest(o.name); {
		case strings.Contains(o.name, whole.Displaced):
			o.foreign = "it was in the place of a result or a record; inspect it and remove it"
		case strings.Contains(o.name, remote.Unfinished) && !e.IsDir():
			o.foreign, o.problem = "what a killed upload to a remote leaves", Stray
		case err != nil:
			o.foreign = "not named by a digest"
		case o.name[:2] != filepath.Base(filepath.Dir(path)):
			o.foreign = "in the wrong directory"
		case otherwise != "":
			o.foreign, o.irregular = otherwise+", where a file belongs", true
		}
		all = append(all, o)
		if e.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	if kind != logsDir {
		all = append(all, s.packedObjects(kind)...)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].path < all[j].path })
	seen := map[string]bool{}
	for i := range all {
		if o := &all[i]; o.item != nil || o.foreign == "" {
			o.copy = seen[o.name]
			seen[o.name] = true
		}
	}
	return all, errors.Join(append(closed, err)...)
}
