package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/pack"
	"prgnn/internal/lists"
	"prgnn/internal/need"
)

// newStore opens a store that is verified when the test ends.
func newStore(t testing.TB) *Store {
	t.Helper()
	return openStore(t, filepath.Join(t.TempDir(), "store"))
}

func openStore(t testing.TB, dir string) *Store {
	t.Helper()
	s := need.Value(Open(dir))(t)
	t.Cleanup(func() {
		need.Equal(t, s.Close(), nil)
		mustVerify(t, dir)
	})
	return s
}

// mustVerify fails the test when the store is damaged, or when a process that is
// dead has left something.
func mustVerify(t testing.TB, dir string) *Report {
	t.Helper()
	r := verify(t, dir)
	for _, f := range r.Findings {
		t.Error(f)
	}
	return r
}

func verify(t testing.TB, dir string) *Report {
	t.Helper()
	s := need.Value(Open(dir))(t)
	defer s.Close()
	r := need.Value(s.Health.Verify(context.Background(), nil))(t)
	return r
}

// clean says what is wrong with a store.
func clean(s *Store) error {
	r, err := s.Health.Verify(context.Background(), nil)
	if err != nil {
		return err
	}
	errs := lists.Map(r.Findings, func(f Finding) error { return errors.New(f.String()) })
	return errors.Join(errs...)
}

// unpacked has everything be a file of its own in this test, as what is large is, and what older programs stored.
func unpacked(t testing.TB) {
	t.Helper()
	packing = 0
	t.Cleanup(func() { packing = smallUpTo })
}

// both runs a test with files, and with packs.
func both(t *testing.T, f func(t *testing.T)) {
	t.Run("files", func(t *testing.T) { unpacked(t); f(t) })
	t.Run("packs", f)
}

// lies is the file that has a blob.
func lies(s *Store, d artifacts.Digest) string {
	if items := s.packs.Find(packedBlob(d)); len(items) > 0 {
		return s.packs.Path(items[0].Pack())
	}
	return s.Health.BlobPath(d)
}

// sealed ends the pack that is being written, so that the next object comes to another.
func sealed(t testing.TB, s *Store) {
	t.Helper()
	need.NoError(t, s.packs.Seal(time.Time{}))
}

// work puts one blob of text and records the action that made it, in a pack of their own.
func work(t testing.TB, s *Store, recipe, result string) (artifacts.Key, artifacts.Ref) {
	t.Helper()
	r := need.Value(s.Put(artifacts.Text(result)))(t)
	k := need.Value(s.Record(artifacts.Action{Recipe: recipe, Outputs: artifacts.Refs{{Name: "text", Ref: r}}}))(t)
	sealed(t, s)
	return k, r
}

// content reads a blob to its end.
func content(s *Store, r artifacts.Ref) (string, error) {
	f, err := s.OpenBlob(r)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return string(b), err
}

// overwrite changes bytes under the store's feet, as a bad disk does.
func overwrite(t testing.TB, path string, change func([]byte) []byte) {
	t.Helper()
	b := need.Value(os.ReadFile(path))(t)
	need.NoError(t, errors.Join(os.Chmod(path, 0o644), os.WriteFile(path, change(b), 0o644),
		os.Chmod(path, 0o444)))
}

// spoil flips a bit of a blob or a record, wherever it lies.
func spoil(t testing.TB, s *Store, n pack.Name) {
	t.Helper()
	items := s.packs.Find(n)
	if len(items) == 0 {
		path := s.Health.BlobPath(artifacts.Digest(n.ID))
		if n.Kind == actionKind {
			path = s.actionPath(artifacts.Key(n.ID))
		}
		overwrite(t, path, flip)
		return
	}
	for _, i := range items {
		overwrite(t, s.packs.Path(i.Pack()), func(b []byte) []byte {
			b[i.Body()+i.Size/2] ^= 1
			return b
		})
	}
}

func flip(b []byte) []byte {
	b[len(b)/2] ^= 1
	return b
}

// age makes a file look as if it had been used last so long ago.
func age(t testing.TB, path string, d time.Duration) {
	t.Helper()
	at := time.Now().Add(-d)
	need.NoError(t, os.Chtimes(path, at, at))
}

// damage is what a report finds, one "path prefix: problem" each.
func damage(r *Report) string {
	var all []string
	for _, f := range r.Findings {
		kind, _, _ := strings.Cut(f.Path, "/")
		all = append(all, fmt.Sprintf("%s: %s", kind, f.Problem))
	}
	return strings.Join(all, ", ")
}

func encoded(t testing.TB, v artifacts.Value) []byte {
	t.Helper()
	var b bytes.Buffer
	need.NoError(t, v.Encode(&b))
	return b.Bytes()
}
