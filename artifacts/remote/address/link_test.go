package address

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/artifacts/remote"
	"prgnn/internal/need"
)

func open(t *testing.T, address string) remote.Remote {
	t.Helper()
	r := need.Value(Open(address))(t)
	return r
}

func store(t *testing.T) *disk.Store {
	t.Helper()
	s := need.Value(disk.Open(filepath.Join(t.TempDir(), "store")))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

func record(t *testing.T, s *disk.Store, recipe string) artifacts.Key {
	t.Helper()
	ref, err := s.Put(artifacts.Text(recipe))
	need.NoError(t, err)
	k, err := s.Record(artifacts.Action{Recipe: recipe, Outputs: artifacts.Refs{{Name: "out", Ref: ref}}})
	need.NoError(t, err)
	return k
}

// link makes a link, or skips the test where the system has none.
func link(t *testing.T, target, at string) {
	t.Helper()
	if err := os.Symlink(target, at); err != nil {
		t.Skip("no links here:", err)
	}
}

// A part of a remote that was moved elsewhere and linked is read and written there.
func TestMovedPart(t *testing.T) {
	for _, part := range parts {
		at, disk := t.TempDir(), filepath.Join(t.TempDir(), "disk")
		need.NoError(t, os.Mkdir(disk, 0o777))
		link(t, disk, filepath.Join(at, part))
		r := open(t, "file://"+filepath.ToSlash(at))
		every(t, r)
		if _, err := os.Stat(filepath.Join(disk, "ab", "abcdef")); part == "blobs" && err != nil {
			t.Error(err)
		}
		if _, err := r.Get(context.Background(), part+"/../../outside"); err == nil ||
			errors.Is(err, artifacts.ErrMiss) {
			t.Errorf("%s: it reads outside of the directory: %v", part, err)
		}
		if err := os.RemoveAll(disk); err == nil {
			if _, err := Open("file://" + filepath.ToSlash(at)); err == nil ||
				!strings.Contains(err.Error(), part+" is a link to "+disk) {
				t.Errorf("%s: the disk is away: %v", part, err)
			}
		}
	}
}

// An object that is a link is missing, is replaced by what belongs there, and all else is used.
func TestObjectIsALink(t *testing.T) {
	at, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "file")
	need.NoError(t, os.WriteFile(elsewhere, []byte("other"), 0o666))
	address := "file://" + filepath.ToSlash(at)
	ctx := context.Background()
	one := store(t)
	need.NoError(t, one.Remote.Attach(ctx, open(t, address)))
	record(t, one, "linked")
	record(t, one, "whole")
	one.Remote.Share(ctx, func(int) {})
	key := artifacts.KeyOf("linked").String()
	object := filepath.Join(at, "actions", key[:2], key)
	want, err := os.ReadFile(object)
	if err = errors.Join(err, os.Remove(object)); err != nil {
		t.Fatal(err)
	}
	link(t, elsewhere, object)
	two := store(t)
	need.NoError(t, two.Remote.Attach(ctx, open(t, address)))
	if _, err := two.Lookup(artifacts.KeyOf("linked")); !errors.Is(err, artifacts.ErrMiss) {
		t.Errorf("the link: %v", err)
	}
	if _, err := two.Lookup(artifacts.KeyOf("whole")); err != nil {
		t.Errorf("the other: %v", err)
	}
	if down := two.Remote.Report().Down; down != nil {
		t.Errorf("the remote does not answer: %v", down)
	}
	record(t, two, "linked")
	two.Remote.Share(ctx, func(int) {})
	if got, err := os.ReadFile(object); !bytes.Equal(got, want) {
		t.Errorf("not replaced: %q, %v", got, err)
	}
	if b, _ := os.ReadFile(elsewhere); string(b) != "other" {
		t.Errorf("it wrote through the link: %q", b)
	}
}

// A link where a directory of objects belongs is named.
func TestLinkForDirectory(t *testing.T) {
	at := t.TempDir()
	r := open(t, "file://"+filepath.ToSlash(at))
	need.NoError(t, os.Mkdir(filepath.Join(at, "blobs"), 0o777))
	link(t, t.TempDir(), filepath.Join(at, "blobs", "ab"))
	file := filepath.Join(t.TempDir(), "file")
	need.NoError(t, os.WriteFile(file, nil, 0o666))
	if _, err := r.Size(context.Background(), "blobs/ab/abcdef"); !errors.Is(err, artifacts.ErrMiss) {
		t.Error(err)
	}
	err := r.Put(context.Background(), "blobs/ab/abcdef", file)
	if !errors.Is(err, remote.ErrBlocked) ||
		!strings.Contains(err.Error(), filepath.Join(at, "blobs", "ab")+" is a symbolic link") {
		t.Error(err)
	}
}
