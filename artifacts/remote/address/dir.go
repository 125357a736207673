package address

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/remote"
	"prgnn/artifacts/whole"
	"prgnn/internal/regular"
)

// A dir is a remote in a directory, such as one of a lab's file server. Of the links in it
// only those are followed that stand for a whole part of it, as when a disk filled and blobs
// was moved to another. An object that is a link leads anywhere, and is missing.
type dir struct {
	root  *os.Root
	moved map[string]*os.Root // part of the remote that is a link → the directory it leads to
}

// parts are the directories of a remote.
var parts = []string{"blobs", "actions", "signed", "uses"}

func openDir(u *url.URL) (remote.Pruner, error) {
	path := filepath.FromSlash(u.Path)
	if u.Host != "" || !filepath.IsAbs(path) {
		return nil, fmt.Errorf("remote %s: the path of a directory begins with three slashes, as in file:///data/shared", bare(u))
	}
	// What lies above must be there: a file server that is not mounted is not replaced by a
	// directory of its name.
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		if above := filepath.Dir(path); !isDir(above) {
			return nil, fmt.Errorf("remote %s: there is no directory %s: is it mounted? To start a remote there, make the directory first", bare(u), above)
		}
		if err := os.Mkdir(path, 0o777); err != nil && !errors.Is(err, os.ErrExist) {
			return nil, fmt.Errorf("remote %s: %w", bare(u), err)
		}
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("remote %s: %w", bare(u), err)
	}
	d := dir{root, map[string]*os.Root{}}
	for _, part := range parts {
		link := filepath.Join(path, part)
		info, err := os.Lstat(link)
		if err == nil && !info.IsDir() && info.Mode()&fs.ModeSymlink == 0 {
			return nil, fmt.Errorf("remote %s: %s is %s, where a directory belongs: move it away, and put back what was there",
				bare(u), link, cmp.Or(regular.Otherwise(info), "a file"))
		}
		if err != nil || info.IsDir() {
			continue
		}
		if d.moved[part], err = os.OpenRoot(link); err != nil {
			target, _ := os.Readlink(link)
			return nil, fmt.Errorf("remote %s: %s is a link to %s, which cannot be opened (%w): is it mounted?", bare(u), part, target, err)
		}
	}
	if s, ok := storeIn(d); ok {
		return s, nil
	}
	return d, nil
}

// at is where an object lies: a directory, and a path in it.
func (d dir) at(name string) (*os.Root, string) {
	part, rest, _ := strings.Cut(name, "/")
	if root := d.moved[part]; root != nil {
		return root, rest
	}
	return d.root, name
}

// linkAt is the first link on the way to an object; "" when there is none.
func linkAt(root *os.Root, name string) string {
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		if info, err := root.Lstat(name[:i]); err != nil {
			return ""
		} else if info.Mode()&fs.ModeSymlink != 0 {
			return name[:i]
		}
	}
	return ""
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (d dir) String() string { return "file://" + filepath.ToSlash(d.root.Name()) }

func (d dir) Size(ctx context.Context, name string) (int64, error) {
	root, name := d.at(name)
	fi, err := root.Stat(name)
	switch {
	case err != nil && linkAt(root, name) != "":
		return 0, artifacts.ErrMiss
	case err != nil:
		return 0, missing(err)
	case !fi.Mode().IsRegular(): // a pipe would be waited for without end
		return 0, artifacts.ErrMiss
	}
	return fi.Size(), nil
}

func (d dir) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	if _, err := d.Size(ctx, name); err != nil {
		return nil, err
	}
	root, name := d.at(name)
	f, err := root.Open(name)
	if errors.Is(err, fs.ErrPermission) { // it was found: this object alone cannot be read, and the remote answers
		path := filepath.Join(root.Name(), filepath.FromSlash(name))
		return nil, fmt.Errorf("%s: %w: %w", path, artifacts.ErrCorrupt, err)
	}
	if err != nil {
		return nil, missing(err)
	}
	return f, nil
}

// Put copies the file beside its place, and gives it its name when it is whole and on
// the disk.
func (d dir) Put(ctx context.Context, name, file string) error {
	content, err := regular.Open(file)
	if err != nil {
		return err
	}
	defer content.Close()
	root, name := d.at(name)
	place := func(name string) string { return filepath.Join(root.Name(), filepath.FromSlash(name)) }
	above := filepath.Dir(name)
	in := whole.Place{Mkdir: root.Mkdir, Stat: root.Stat, Chmod: root.Chmod, Chown: root.Chown}
	if err := in.MkdirAll(above); err != nil {
		if link := linkAt(root, filepath.ToSlash(above)); link != "" {
			return fmt.Errorf("%w: %s is a symbolic link, which is not followed; put the directory itself there", remote.ErrBlocked, place(link))
		}
		if info, statErr := root.Stat(above); errors.Is(err, syscall.ENOTDIR) || statErr == nil && !info.IsDir() {
			return fmt.Errorf("%w: %s is no directory: move it away", remote.ErrBlocked, place(above))
		}
		return halfShared(root, above, err)
	}
	unfinished := name + remote.Unfinished + rand.Text()
	out, err := root.OpenFile(unfinished, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return halfShared(root, above, err)
	}
	defer root.Remove(unfinished)
	_, err = io.Copy(out, regular.Until(ctx, content))
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return err
	}
	if err := root.Chmod(unfinished, 0o444); err != nil {
		return err
	}
	err = root.Rename(unfinished, name)
	if info, statErr := root.Lstat(name); err != nil && statErr == nil && info.IsDir() {
		return fmt.Errorf("%w: %s is a directory; remove it", remote.ErrBlocked, place(name))
	}
	return err
}

// List walks over a part of the remote. What is no file is passed over.
func (d dir) List(ctx context.Context, part string, each func(remote.Object)) error {
	root, at := d.at(part)
	if at == "" {
		at = "."
	}
	return fs.WalkDir(root.FS(), at, func(name string, e fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || !e.Type().IsRegular() {
			return ignoreMissing(err)
		}
		info, err := e.Info()
		if err == nil {
			name = path.Join(part, strings.TrimPrefix(name, part))
			each(remote.Object{Name: name, Size: info.Size(), Changed: info.ModTime()})
		}
		return ignoreMissing(err)
	})
}

// ignoreMissing passes over what somebody else has removed in between.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Remove puts the object aside and then looks how old it is: whoever touches it has done so before, or finds that it is
// gone.
func (d dir) Remove(ctx context.Context, name string, after time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	root, name := d.at(name)
	aside := name + remote.Unfinished + rand.Text()
	if err := root.Rename(name, aside); err != nil {
		return readOnly(ignoreMissing(err))
	}
	info, err := root.Stat(aside)
	if err == nil && !info.ModTime().After(after) {
		return readOnly(root.Remove(aside))
	}
	return errors.Join(err, root.Rename(aside, name))
}

// Touch sets the time of an object, if it is not another user's.
func (d dir) Touch(ctx context.Context, name string) error {
	root, name := d.at(name)
	info, err := root.Stat(name)
	if err != nil {
		return missing(err)
	}
	now := time.Now()
	if now.Sub(info.ModTime()) >= remote.Grace/4 && root.Chtimes(name, now, now) != nil {
		return artifacts.ErrMiss
	}
	return nil
}

func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // a file lies above it, which Put names
		return artifacts.ErrMiss
	}
	return err
}

// halfShared says which directory forbids the group what the remote lets it.
func halfShared(root *os.Root, dir string, err error) error {
	all, statErr := root.Stat(".")
	if !errors.Is(err, fs.ErrPermission) || statErr != nil || all.Mode().Perm()&0o020 == 0 {
		return readOnly(err)
	}
	for ; dir != "."; dir = filepath.Dir(dir) {
		if info, err := root.Stat(dir); err == nil && info.Mode().Perm()&0o020 == 0 {
			return fmt.Errorf("%w: %s forbids it, although %[3]s does not: its owner mends that with chmod -R g+w %[3]s",
				remote.ErrHalfShared, filepath.Join(root.Name(), dir), root.Name())
		}
	}
	return readOnly(err)
}

func readOnly(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%w: %w", artifacts.ErrReadOnly, err)
	}
	return err
}
