package artifacts

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
)

// newStore opens a store that is verified when the test ends.
func newStore(t testing.TB) *Store {
	t.Helper()
	return openStore(t, filepath.Join(t.TempDir(), "store"))
}

func openStore(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
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
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.Verify(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// clean says what is wrong with a store.
func clean(s *Store) error {
	r, err := s.Verify(context.Background(), nil)
	if err != nil {
		return err
	}
	var errs []error
	for _, f := range r.Findings {
		errs = append(errs, errors.New(f.String()))
	}
	return errors.Join(errs...)
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func encoded(t testing.TB, v Value) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := v.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// work puts one blob of text and records the action that made it.
func work(t testing.TB, s *Store, recipe, result string) (Key, Ref) {
	t.Helper()
	r := must(s.Put(Text(result)))(t)
	return must(s.Record(Action{Recipe: recipe, Outputs: map[string]Ref{"text": r}}))(t), r
}

// content reads a blob to its end.
func content(s *Store, r Ref) (string, error) {
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
	b := must(os.ReadFile(path))(t)
	if err := errors.Join(os.Chmod(path, 0o644), os.WriteFile(path, change(b), 0o644),
		os.Chmod(path, 0o444)); err != nil {
		t.Fatal(err)
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
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
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
