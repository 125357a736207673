package address

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/pack"
)

// A storeDir is the store of runs that lies in a directory, given as a remote: what is in its packs is served with the
// rest, and nothing in it is changed. It belongs to its runs, which keep a list of what gc removed.
type storeDir struct {
	dir
	packs *pack.Set
}

// storeIn is the store in a directory; not ok where none lies there. A remote has no packs; it has locks after verify.
func storeIn(d dir) (s storeDir, ok bool) {
	at := func(part string) string { return filepath.Join(d.root.Name(), part) }
	if !isDir(at("packs")) {
		return s, false
	}
	return storeDir{d, pack.Open(at("packs"), func() (string, error) { return "", ErrStore })}, true
}

// ErrStore says that a remote is a store.
var ErrStore = fmt.Errorf("%w: a store is there, which another one reads and does not change", artifacts.ErrReadOnly)

// packed is what the name of an object is in a pack; not ok for what lies in none.
func packed(name string) (n pack.Name, ok bool) {
	d, err := artifacts.ParseDigest(path.Base(name))
	n.ID = d
	switch part, _, _ := strings.Cut(name, "/"); {
	case err != nil:
		return n, false
	case part == "blobs":
		n.Kind = 'b'
	case part == "actions":
		n.Kind = 'a'
	}
	return n, n.Kind != 0
}

// Packs marks that what is in packs is served.
func (storeDir) Packs() {}

func (s storeDir) Size(ctx context.Context, name string) (int64, error) {
	size, err := s.dir.Size(ctx, name)
	if n, ok := packed(name); ok && errors.Is(err, artifacts.ErrMiss) {
		if items := s.packs.Find(n); len(items) > 0 {
			return items[0].Size, nil
		}
	}
	return size, err
}

func (s storeDir) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	f, err := s.dir.Get(ctx, name)
	n, ok := packed(name)
	if !ok || !errors.Is(err, artifacts.ErrMiss) {
		return f, err
	}
	b, _, err := s.packs.Get(n)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, artifacts.ErrMiss
	case errors.Is(err, pack.ErrDamaged):
		return nil, fmt.Errorf("%s: %w: %w", name, artifacts.ErrCorrupt, err)
	case err != nil:
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(b)), nil
}

func (storeDir) Put(context.Context, string, string) error { return ErrStore }

func (storeDir) Remove(context.Context, string, time.Time) error { return ErrStore }

// Touch does nothing: what the store has belongs to its own runs.
func (storeDir) Touch(context.Context, string) error { return nil }
