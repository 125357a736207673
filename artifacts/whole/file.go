// Package whole writes files that appear whole or not at all, and makes their names durable.
package whole

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"os"
	"path/filepath"
	"runtime"

	"prgnn/artifacts/pack"
)

// A File is a file on its way into the store: written beside its place, hashed
// on the way, and given its name only when its bytes are on the disk.
type File struct {
	f    *os.File // nil once it is published or discarded
	Path string
	hash hash.Hash
	Size int64

	Appended bool // the published file is appended to later: it stays writable
}

// Create makes a file of a random name in a directory.
func Create(dir string) (*File, error) {
	path := filepath.Join(dir, RandomName())
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	if err := ShareFile(path); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return &File{f: f, Path: path, hash: sha256.New()}, nil
}

// RandomName is one that no other process will think of.
func RandomName() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// Write writes to the file, and hashes.
func (t *File) Write(p []byte) (int, error) {
	n, err := t.f.Write(p)
	t.hash.Write(p[:n])
	t.Size += int64(n)
	return n, err
}

// Close closes a file that is not published: its name and bytes are for the moment.
func (t *File) Close() error { return t.f.Close() }

// Digest is the SHA-256 of what was written.
func (t *File) Digest() [sha256.Size]byte { return [sha256.Size]byte(t.hash.Sum(nil)) }

// Settle makes the bytes durable and, but for an appended file, read-only. The File cannot be written after it.
func (t *File) Settle() error {
	err := t.f.Sync()
	if err == nil && !t.Appended {
		var info os.FileInfo
		if info, err = t.f.Stat(); err == nil {
			err = t.f.Chmod(info.Mode().Perm() &^ 0o222) // who may read it was said before
		}
	}
	return errors.Join(err, t.f.Close())
}

// Publish gives a settled file its name, and tells in which directories a name has
// become new: its own, and the one above when that was made for it. It renames
// even if the name exists: the file that is there may be damaged, and this one
// is not. A directory that is there is displaced.
func (t *File) Publish(path string) (changed []string, err error) {
	dir := filepath.Dir(path)
	changed = []string{dir}
	err = Rename(t.Path, path)
	if errors.Is(err, os.ErrNotExist) {
		changed = append(changed, filepath.Dir(dir))
		if err = MkdirAll(dir); err == nil {
			err = Rename(t.Path, path)
		}
	}
	if info, statErr := os.Lstat(path); err != nil && statErr == nil && info.IsDir() {
		if err = Displace(path); err == nil {
			err = Rename(t.Path, path)
		}
	}
	if err != nil {
		return nil, err
	}
	t.f = nil
	return changed, nil
}

// PublishBytes writes and publishes a small file, and makes its name durable.
func (t *File) PublishBytes(b []byte, path string) error {
	changed, err := t.publishBytes(b, path)
	for _, dir := range changed {
		err = errors.Join(err, pack.SyncDir(dir))
	}
	return err
}

// PublishWhole is PublishBytes of a file whose name may be lost with the power, for a moment: it is whole or not there.
func (t *File) PublishWhole(b []byte, path string) error {
	_, err := t.publishBytes(b, path)
	return err
}

func (t *File) publishBytes(b []byte, path string) (changed []string, err error) {
	defer t.Discard()
	if _, err := t.Write(b); err != nil {
		return nil, err
	}
	if err := t.Settle(); err != nil {
		return nil, err
	}
	return t.Publish(path)
}

// Discard removes a file that was not published.
func (t *File) Discard() {
	if t.f != nil {
		t.f.Close()
		os.Remove(t.Path)
		t.f = nil
	}
}

// Rename replaces what has the name. Windows refuses to replace a read-only file.
func Rename(from, to string) error {
	err := os.Rename(from, to)
	if err != nil && runtime.GOOS == "windows" && os.Chmod(to, 0o666) == nil {
		err = os.Rename(from, to)
	}
	return err
}

const Displaced = ".Displaced-" // after the name of what has lain in its place

// Displace clears a place in the store that something wrong has taken: a file and an empty
// directory are removed, a directory that holds something is renamed and left to a person.
func Displace(path string) error {
	err := Remove(path)
	if info, statErr := os.Lstat(path); err != nil && statErr == nil && info.IsDir() {
		return os.Rename(path, path+Displaced+RandomName())
	}
	return err
}

// Remove deletes a file that may be gone.
func Remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
