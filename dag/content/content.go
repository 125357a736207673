// Package content digests what stages read that no task made: the files of users, and programs with what lies beside
// them.
package content

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"prgnn/artifacts"
	"prgnn/artifacts/memo"
	"prgnn/artifacts/whole"
	"prgnn/internal/regular"
)

// Hashing digests a file.
type Hashing = func(path string, rehash bool) (artifacts.Ref, error)

// HashFile digests a file without a store.
func HashFile(path string, _ bool) (artifacts.Ref, error) {
	d, n, err := memo.HashFile(context.Background(), path)
	return artifacts.Ref{Digest: d, Size: n}, err
}

// Digests holds the digest of each of the user's files for the length of a run, so that every task of the run sees
// the same bytes or fails.
type Digests struct {
	Rehash bool       // whatever is known of the file already
	mu     sync.Mutex // guards known
	known  map[string]func() (artifacts.Ref, error)
	code   sync.Map // of lists of paths: functions that digest them
}

// File digests one file.
func (f *Digests) File(hash Hashing, path string) (artifacts.Ref, error) {
	f.mu.Lock()
	once := f.known[path]
	if once == nil {
		once = sync.OnceValues(func() (artifacts.Ref, error) { return hash(path, f.Rehash) })
		if f.known == nil {
			f.known = map[string]func() (artifacts.Ref, error){}
		}
		f.known[path] = once
	}
	f.mu.Unlock()
	return once()
}

// Known reports whether a file was digested, or is being digested.
func (f *Digests) Known(path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.known[path] != nil
}

// Code is the digest of files and directories, without their paths, and without what lies within some others.
func (f *Digests) Code(hash Hashing, paths, except []string) (string, error) {
	id := strings.Join(paths, "\x00") + "\x00\x00" + strings.Join(except, "\x00")
	once, _ := f.code.LoadOrStore(id, sync.OnceValues(func() (string, error) {
		return f.content(hash, paths, except)
	}))
	return once.(func() (string, error))()
}

// Within reports whether an absolute path is one of some files and directories, or lies in one, also through links.
func Within(path string, places []string) bool {
	for _, place := range places {
		place = filepath.Clean(place)
		there, err := os.Stat(place)
		for at := filepath.Clean(path); ; at = filepath.Dir(at) {
			if at == place {
				return true
			}
			if info, failed := os.Stat(at); err == nil && failed == nil && os.SameFile(info, there) {
				return true
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return false
}

// leads reports whether a directory is above one of some places, which need not be there.
func leads(dir string, places []string) bool {
	return slices.ContainsFunc(places, func(place string) bool {
		rest, err := filepath.Rel(dir, place)
		return err == nil && filepath.IsLocal(rest)
	})
}

// mostCode is how many files directories of code may hold: environments of Python have tens of thousands.
// A test has a smaller limit.
var mostCode = 100000

// mostBytes is how many bytes they may hold.
const mostBytes = 16 << 30

func (f *Digests) content(hash Hashing, paths, except []string) (string, error) {
	files, bytes := 0, int64(0)
	var all []counted // no file is read before it is known that there are not too many
	temporary, _ := os.Stat(os.TempDir())
	var add func(path, name string, above []fs.FileInfo) error
	add = func(path, name string, above []fs.FileInfo) error {
		info, err := os.Stat(path)
		switch {
		case Computed(path):
		case err != nil:
			all = append(all, counted{name: name, is: "is not there"})
		case info.Mode().IsRegular():
			if files++; files > mostCode {
				return fmt.Errorf("%s holds more than %d files: connect what the command needs as inputs, for an environment the list of its packages as the input packages, or run it in a container", paths, mostCode)
			}
			if bytes += info.Size(); above != nil && bytes > mostBytes {
				return fmt.Errorf("%s holds more than %d GiB: connect what the command needs as inputs, for an environment the list of its packages as the input packages, or run it in a container", paths, mostBytes>>30)
			}
			all = append(all, counted{name: name, path: path})
		case info.IsDir() && !slices.ContainsFunc(above, func(a fs.FileInfo) bool { return os.SameFile(a, info) }):
			entries, _ := os.ReadDir(path) // sorted; what cannot be listed, the command cannot list either
			within := slices.DeleteFunc(slices.Clone(entries), func(e fs.DirEntry) bool {
				return ofRuns(path, e, temporary) || Within(filepath.Join(path, e.Name()), except)
			})
			if len(within) == 0 && len(entries) > 0 || isStore(path) {
				return nil
			}
			if !leads(path, except) { // the stage may make it, for what it writes there
				all = append(all, counted{name: name, is: "is a directory"})
			}
			for _, e := range within {
				if err := add(filepath.Join(path, e.Name()), name+"/"+e.Name(), append(above, info)); err != nil {
					return err
				}
			}
		case !info.IsDir():
			all = append(all, counted{name: name, is: "is " + regular.Otherwise(info)})
		}
		return nil
	}
	for _, path := range paths {
		if Within(path, except) {
			continue
		}
		if err := add(path, "", nil); err != nil {
			return "", err
		}
	}
	sum := sha256.New()
	for _, c := range all {
		if c.path != "" {
			ref, err := f.File(hash, c.path)
			if errors.Is(err, artifacts.ErrChanged) || errors.Is(err, context.Canceled) {
				return "", err
			}
			c.is = ref.Digest.String()
			if err != nil { // which the command cannot read either
				c.is = "cannot be read"
			}
		}
		fmt.Fprintf(sum, "%q %s\n", c.name, c.is)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// A counted file, directory or other entry of code has the digest of the file at path, or what it is.
type counted struct{ name, path, is string }

// Computed reports whether a path leads to what the system computes.
func Computed(path string) bool {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
	}
	path = filepath.Clean(path)
	return slices.ContainsFunc([]string{"/dev", "/proc", "/sys"}, func(system string) bool {
		return path == system || strings.HasPrefix(path, system+"/")
	})
}

// Around is what a directory that counts has beside its own files: what lies in it and does not count, without the
// exceptions (or else the directory itself), and where links lead out of it, or into the former, whose content counts.
func Around(dir string, except []string) (uncounted, linked []string) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, nil
	}
	temporary, _ := os.Stat(os.TempDir())
	done := map[string]bool{}
	var walk func(dir string)
	walk = func(dir string) {
		entries, _ := os.ReadDir(dir)
		var links []string
		for _, e := range entries {
			switch path := filepath.Join(dir, e.Name()); {
			case Within(path, except):
			case ofRuns(dir, e, temporary):
				if e.Type()&fs.ModeSymlink == 0 {
					uncounted = append(uncounted, path)
				}
			case e.Type()&fs.ModeSymlink != 0:
				links = append(links, path)
			case e.IsDir():
				walk(path)
			}
		}
		for _, path := range links {
			to, err := os.Readlink(path)
			if !filepath.IsAbs(to) {
				to = filepath.Join(dir, to)
			}
			real, failed := filepath.EvalSymlinks(path)
			info, missing := os.Stat(path)
			if err != nil || failed != nil || missing != nil || Computed(path) || Within(real, except) ||
				temporary != nil && os.SameFile(info, temporary) || whole.Store(real) != "" {
				continue
			}
			linked = append(linked, to)
			if info.IsDir() && !done[real] {
				done[real] = true
				walk(real)
			}
		}
	}
	if isStore(dir) && !Within(dir, except) {
		return []string{dir}, nil
	}
	done[dir] = true
	walk(dir)
	inside := func(dir, path string) bool { return leads(dir, []string{path}) }
	return uncounted, slices.DeleteFunc(linked, func(to string) bool {
		return inside(dir, to) && !slices.ContainsFunc(uncounted, func(dir string) bool { return inside(dir, to) })
	})
}

// Stores are the stores of results in a directory, at any depth, and whether it was read to its end: after most files
// and directories it is not. No link is followed, and what cannot be listed has none.
func Stores(ctx context.Context, dir string, most int) (all []string, whole bool) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, true
	}
	read := 0
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if read++; read > most || ctx.Err() != nil {
			return fs.SkipAll
		}
		if err == nil && e.IsDir() && isStore(path) {
			all = append(all, path)
			return fs.SkipDir
		}
		return nil
	})
	return all, err == nil && read <= most && ctx.Err() == nil
}

// ofRuns reports whether a file or directory is none that a command reads: it follows from the rest, or is what runs
// write, such as a store of results, the page beside a pipeline file, or temporary files.
func ofRuns(dir string, e fs.DirEntry, temporary fs.FileInfo) bool {
	path := filepath.Join(dir, e.Name())
	switch {
	case e.Name() == "__pycache__" || e.Name() == ".git":
		return true
	case filepath.Ext(path) == ".html":
		return strings.Contains(head(path), `<meta name="generator" content="PR-GNN Pipeline report">`)
	case !e.IsDir():
		return false
	}
	info, err := e.Info()
	return err == nil && temporary != nil && os.SameFile(info, temporary) || isStore(path)
}

// isStore reports whether a directory is a store of results.
func isStore(dir string) bool {
	return strings.HasPrefix(head(filepath.Join(dir, "version")), "prgnn store ")
}

// head is how a file begins.
func head(path string) string {
	f, err := regular.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	b := make([]byte, 4096)
	n, _ := io.ReadFull(f, b)
	return string(b[:n])
}
