package remote

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"syscall"

	"prgnn/artifacts"
	"prgnn/internal/regular"
)

// A dir is a remote in a directory, such as one of a lab's file server.
type dir struct{ root *os.Root }

func openDir(u *url.URL) (artifacts.Remote, error) {
	path := filepath.FromSlash(u.Path)
	if u.Host != "" || !filepath.IsAbs(path) {
		return nil, fmt.Errorf("remote %s: the path of a directory begins with three strokes, as in file:///data/shared", bare(u))
	}
	// What lies above must be there: a file server that is not mounted is not replaced by a
	// directory of its name.
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		if above := filepath.Dir(path); !isDir(above) {
			return nil, fmt.Errorf("remote %s: there is no directory %s: is it mounted? If the remote is to begin there, make it first", bare(u), above)
		}
		if err := os.Mkdir(path, 0o777); err != nil && !errors.Is(err, os.ErrExist) {
			return nil, fmt.Errorf("remote %s: %w", bare(u), err)
		}
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("remote %s: %w", bare(u), err)
	}
	return dir{root}, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (d dir) String() string { return "file://" + filepath.ToSlash(d.root.Name()) }

func (d dir) Size(ctx context.Context, name string) (int64, error) {
	fi, err := d.root.Stat(name)
	switch {
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
	f, err := d.root.Open(name)
	if err != nil {
		return nil, missing(err)
	}
	return f, nil
}

// Put copies the file beside its place, and gives it its name when it is whole and on
// the disk.
func (d dir) Put(ctx context.Context, name, file string) error {
	in, err := regular.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := d.root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return readOnly(err)
	}
	unfinished := name + ".part-" + rand.Text()
	out, err := d.root.OpenFile(unfinished, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return readOnly(err)
	}
	defer d.root.Remove(unfinished)
	_, err = io.Copy(out, cancelled{ctx, in})
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return err
	}
	if err := d.root.Chmod(unfinished, 0o444); err != nil {
		return err
	}
	err = d.root.Rename(unfinished, name)
	if info, statErr := d.root.Lstat(name); err != nil && statErr == nil && info.IsDir() {
		return fmt.Errorf("%w: %s is a directory; remove it", artifacts.ErrBlocked, filepath.Join(d.root.Name(), filepath.FromSlash(name)))
	}
	return err
}

// A cancelled reader ends with its context: a large file may take long, and Ctrl-C
// must not.
type cancelled struct {
	ctx context.Context
	io.Reader
}

func (c cancelled) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.Reader.Read(p)
}

func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return artifacts.ErrMiss
	}
	return err
}

func readOnly(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%w: %w", artifacts.ErrReadOnly, err)
	}
	return err
}
