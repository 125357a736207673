// Package storetest damages stores, for tests: it finds blobs and records wherever they lie, in packs or
// in files of their own, and changes them behind the back of the program.
package storetest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"prgnn/artifacts/pack"
)

// T is a test that can fail: a testing.TB, or a script.
type T interface {
	Fatalf(format string, args ...any)
}

// An Object is a blob or the record of an action.
type Object struct {
	Kind string // "blobs" or "actions"
	Name string // its digest or key, in hexadecimal digits
	Path string // of the file that it lies in
	At   int64  // where in that file its bytes begin
	Size int64  // in bytes

	dir string
}

// head is how much stands before the body of an entry in a pack, in bytes.
const head = 80

// Packed reports whether it lies in a pack.
func (o Object) Packed() bool { return filepath.Base(filepath.Dir(o.Path)) == "packs" }

// removal names the entry that removes it from its pack.
func (o Object) removal() pack.Name { return pack.Removal(filepath.Base(o.Path), o.At-head) }

func (o Object) String() string { return o.Kind + "/" + o.Name }

func open(dir string) *pack.Set {
	dir = filepath.Join(dir, "packs")
	return pack.Open(dir, func() (string, error) {
		return fmt.Sprintf("%016x", rand.Uint64()), os.MkdirAll(dir, 0o777)
	})
}

// Objects lists what a store holds, by kind and name.
func Objects(t T, dir string) []Object {
	var all []Object
	for _, kind := range []string{"blobs", "actions"} {
		files, _ := filepath.Glob(filepath.Join(dir, kind, "??", "*"))
		for _, path := range files {
			if info, err := os.Stat(path); err == nil {
				name := filepath.Base(path)
				all = append(all, Object{Kind: kind, Name: name, Path: path, Size: info.Size(), dir: dir})
			}
		}
	}
	packs, _ := filepath.Glob(filepath.Join(dir, "packs", "*"))
	removed := map[string]bool{}
	for _, path := range packs {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v", err)
		}
		// Damaged entries count here: so they are not read as the program reads them.
		for at := 0; ; at += len("pgn1") {
			next := bytes.Index(b[at:], []byte("pgn1"))
			if next < 0 || len(b)-at-next < head {
				break
			}
			at += next
			o := Object{Name: fmt.Sprintf("%x", b[at+12:at+44]), Path: path, At: int64(at + head),
				Size: int64(binary.LittleEndian.Uint32(b[at+8:])), dir: dir}
			switch b[at+4] {
			case 'b':
				o.Kind = "blobs"
			case 'a':
				o.Kind = "actions"
			case 'x':
				removed[o.Name] = true
			}
			if o.Kind != "" {
				all = append(all, o)
			}
		}
	}
	all = slices.DeleteFunc(all, func(o Object) bool {
		return o.Packed() && removed[fmt.Sprintf("%x", o.removal().ID)]
	})
	slices.SortFunc(all, func(a, b Object) int { return strings.Compare(a.String()+a.Path, b.String()+b.Path) })
	return all
}

// Blobs are the objects of a store that are blobs.
func Blobs(t T, dir string) []Object { return ofKind(t, dir, "blobs") }

// Actions are the objects of a store that are records.
func Actions(t T, dir string) []Object { return ofKind(t, dir, "actions") }

func ofKind(t T, dir, kind string) []Object {
	return slices.DeleteFunc(Objects(t, dir), func(o Object) bool { return o.Kind != kind })
}

// Find is the object of that digest or key.
func Find(t T, dir string, name fmt.Stringer) Object {
	return Named(t, dir, name.String())
}

// Named is the object of that name.
func Named(t T, dir, name string) Object {
	for _, o := range Objects(t, dir) {
		if o.Name == name {
			return o
		}
	}
	t.Fatalf("%s is not in %s", name, dir)
	return Object{}
}

// Copies are all objects of that name: one in a pack may have been written out as a file.
func Copies(t T, dir, name string) []Object {
	return slices.DeleteFunc(Objects(t, dir), func(o Object) bool { return o.Name != name })
}

// Read is what it holds.
func (o Object) Read(t T) []byte {
	b, err := os.ReadFile(o.Path)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return b[o.At:][:o.Size]
}

// Write gives it other bytes, as a bad disk does: the file has its old time. Where bytes of another length do not fit
// into the pack, they get a file of their own.
func (o Object) Write(t T, b []byte) {
	if int64(len(b)) != o.Size {
		o.Replace(t, b)
		return
	}
	info, err := os.Stat(o.Path)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if err := os.Chmod(o.Path, 0o644); err != nil {
		t.Fatalf("%v", err)
	}
	f, err := os.OpenFile(o.Path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatalf("%v", err)
	}
	_, err = f.WriteAt(b, o.At)
	if err := errors.Join(err, f.Close(), os.Chtimes(o.Path, time.Time{}, info.ModTime())); err != nil {
		t.Fatalf("%v", err)
	}
}

// Replace takes it away and puts a file in its place.
func (o Object) Replace(t T, b []byte) {
	o.Remove(t)
	if err := os.WriteFile(o.File(t), b, 0o644); err != nil {
		t.Fatalf("%v", err)
	}
}

// File is where it lies as a file of its own, or would lie.
func (o Object) File(t T) string {
	path := filepath.Join(o.dir, o.Kind, o.Name[:2], o.Name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatalf("%v", err)
	}
	return path
}

// Flip changes one bit of it.
func (o Object) Flip(t T) {
	b := o.Read(t)
	b[len(b)/2] ^= 1
	o.Write(t, b)
}

// Remove takes it away.
func (o Object) Remove(t T) {
	err := error(nil)
	if o.Packed() {
		s := open(o.dir)
		err = errors.Join(s.Append(o.removal(), nil), s.Close())
	} else {
		err = os.Remove(o.Path)
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
}
