//go:build unix

package disk

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/whole"
	"prgnn/internal/need"
	"prgnn/internal/regular"
)

// What may lie where a file belongs.
var intruders = map[string]func(path string) error{
	"pipe":            func(path string) error { return syscall.Mkfifo(path, 0o666) },
	"empty directory": func(path string) error { return os.Mkdir(path, 0o777) },
	"directory": func(path string) error {
		return errors.Join(os.Mkdir(path, 0o777), os.WriteFile(filepath.Join(path, "notes"), []byte("mine"), 0o666))
	},
	"link to a device": func(path string) error { return os.Symlink("/dev/zero", path) },
}

// within fails a test that waits, for somebody who writes to a pipe.
func within(t *testing.T, do func()) {
	t.Helper()
	done := make(chan bool)
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("it waits")
	}
}

// Where something else has taken the place of a blob or an action, both are missing, verify
// says what it is, and the next work of that name heals it. What a directory holds is
// kept beside.
func TestIntruders(t *testing.T) {
	unpacked(t)
	for name, intrude := range intruders {
		for _, place := range []string{"blob", "action", "repaired blob", "repaired action"} {
			t.Run(name+" for "+place, func(t *testing.T) {
				s := need.Value(Open(filepath.Join(t.TempDir(), "store")))(t)
				defer s.Close()
				k, outputs := recordWork(t, s, "recipe")
				path, want := s.Health.BlobPath(outputs.Of("a").Digest), "blobs: damaged blob"
				if strings.HasSuffix(place, "action") {
					path, want = s.actionPath(k), "actions: damaged action"
				}
				need.NoError(t, errors.Join(os.Remove(path), intrude(path)))
				within(t, func() {
					if a, err := s.Lookup(k); err == nil && s.Has(a.Outputs.List()...) {
						t.Error("it is taken for a result")
					}
					need.Equal(t, s.Health.Damaged(outputs.Of("a")), strings.HasSuffix(place, "blob"), "damaged")
					if _, err := readText(s, outputs.Of("a")); strings.HasSuffix(place, "blob") &&
						!errors.Is(err, artifacts.ErrCorrupt) {
						t.Errorf("read: %v", err)
					}
					r := need.Value(s.Health.Verify(context.Background(), nil))(t)
					need.Equal(t, damage(r), want, "verify finds")
					if len(r.Findings) == 0 || !strings.Contains(r.Findings[0].Detail, "where a file belongs") {
						t.Errorf("verify says %v", r.Findings)
					}
					if strings.HasPrefix(place, "repaired") {
						need.NoError(t, s.Health.Repair(r))
					} else if err := s.Health.Discard(outputs.Of("a")); err != nil {
						t.Error(err)
					}
					if again, _ := recordWork(t, s, "recipe"); again != k {
						t.Fatal("another key")
					}
				})
				if a, err := s.Lookup(k); err != nil || !s.Has(a.Outputs.List()...) {
					t.Errorf("not healed: %v", err)
				}
				kept, _ := filepath.Glob(path + whole.Displaced + "*/notes")
				if got := len(kept) == 1; got != (name == "directory") {
					t.Errorf("kept %v", kept)
				}
				for _, f := range need.Value(s.Health.Verify(context.Background(), nil))(t).Findings {
					if f.Problem != Foreign || !strings.Contains(f.Path, whole.Displaced) {
						t.Error(f)
					}
				}
			})
		}
	}
}

// A pipe in any other place of the store is named, or does no harm.
func TestPipesInTheStore(t *testing.T) {
	for _, name := range []string{"version", "memo/actions", "memo/files", "memo/blobs", "collected", "locks/gate",
		"runs/00000000000000aa"} {
		t.Run(name, func(t *testing.T) {
			s := need.Value(Open(filepath.Join(t.TempDir(), "store")))(t)
			k, _ := recordWork(t, s, "recipe")
			need.NoError(t, s.Close())
			path := s.relativePath(name)
			os.Remove(path)
			need.NoError(t, syscall.Mkfifo(path, 0o666))
			within(t, func() {
				s, err := Open(s.Dir())
				if irregular := (*regular.Error)(nil); name == "version" {
					if !errors.As(err, &irregular) || irregular.Path != path {
						t.Errorf("%v", err)
					}
					return
				}
				need.NoError(t, err)
				if _, err := s.Lookup(k); err != nil {
					t.Error(err)
				}
				recordWork(t, s, "another")
				file := filepath.Join(t.TempDir(), "file")
				os.WriteFile(file, nil, 0o666)
				old := time.Now().Add(-time.Hour)
				os.Chtimes(file, old, old)
				if _, err := s.HashFile(context.Background(), file, false); err != nil {
					t.Error(err)
				}
				if _, err := s.Runs(); (err == nil) == strings.HasPrefix(name, "runs/") {
					t.Errorf("runs: %v", err)
				}
				err = s.appendCollected([]Victim{{Digest: artifacts.DigestOf(nil)}})
				if (err == nil) == (name == "collected") {
					t.Errorf("collected: %v", err)
				}
				need.Equal(t, s.Close(), nil)
			})
		})
	}
}

// A file of the user's that is none is named.
func TestHashFileOfPipe(t *testing.T) {
	s := newStore(t)
	pipe := filepath.Join(t.TempDir(), "pipe")
	need.NoError(t, syscall.Mkfifo(pipe, 0o666))
	within(t, func() {
		for path, want := range map[string]string{pipe: "a named pipe", "/dev/zero": "a device"} {
			if _, err := s.HashFile(context.Background(), path, true); err == nil ||
				!strings.Contains(err.Error(), path+" is "+want) {
				t.Errorf("%s: %v", path, err)
			}
		}
	})
}
