package artifacts

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

// A temp is a file on its way into the store: written beside its place, hashed
// on the way, and given its name only when its bytes are on the disk.
type temp struct {
	f    *os.File // nil once it is published or discarded
	path string
	hash hash.Hash
	size int64
}

func createTemp(dir string) (*temp, error) {
	path := filepath.Join(dir, randomName())
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	return &temp{f: f, path: path, hash: sha256.New()}, nil
}

// randomName is one that no other process will think of.
func randomName() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func (t *temp) Write(p []byte) (int, error) {
	n, err := t.f.Write(p)
	t.hash.Write(p[:n])
	t.size += int64(n)
	return n, err
}

func (t *temp) digest() Digest { return Digest(t.hash.Sum(nil)) }

// settle makes the bytes durable and read-only. The file cannot be written after
// it.
func (t *temp) settle() error {
	err := t.f.Sync()
	if err == nil {
		var info os.FileInfo
		if info, err = t.f.Stat(); err == nil {
			err = t.f.Chmod(info.Mode().Perm() &^ 0o222) // who may read it, the umask has said
		}
	}
	return errors.Join(err, t.f.Close())
}

// publish gives a settled file its name, and tells in which directories a name has
// become new: its own, and the one above when that was made for it. It renames
// even if the name exists: the file that is there may be damaged, and this one
// is not. A directory that is there is displaced.
func (t *temp) publish(path string) (changed []string, err error) {
	dir := filepath.Dir(path)
	changed = []string{dir}
	err = rename(t.path, path)
	if errors.Is(err, os.ErrNotExist) {
		changed = append(changed, filepath.Dir(dir))
		if err = os.MkdirAll(dir, 0o777); err == nil {
			err = rename(t.path, path)
		}
	}
	if info, statErr := os.Lstat(path); err != nil && statErr == nil && info.IsDir() {
		if err = displace(path); err == nil {
			err = rename(t.path, path)
		}
	}
	if err != nil {
		return nil, err
	}
	t.f = nil
	return changed, nil
}

// publishBytes writes and publishes a small file, and makes its name durable.
func (t *temp) publishBytes(b []byte, path string) error {
	defer t.discard()
	if _, err := t.Write(b); err != nil {
		return err
	}
	if err := t.settle(); err != nil {
		return err
	}
	changed, err := t.publish(path)
	for _, dir := range changed {
		err = errors.Join(err, pack.SyncDir(dir))
	}
	return err
}

// discard removes a file that was not published.
func (t *temp) discard() {
	if t.f != nil {
		t.f.Close()
		os.Remove(t.path)
		t.f = nil
	}
}

// rename replaces what has the name. Windows refuses to replace a read-only file.
func rename(from, to string) error {
	err := os.Rename(from, to)
	if err != nil && runtime.GOOS == "windows" && os.Chmod(to, 0o666) == nil {
		err = os.Rename(from, to)
	}
	return err
}

const displaced = ".displaced-" // after the name of what has lain in its place

// displace clears a place in the store that something wrong has taken: a file and an empty
// directory are removed, a directory that holds something is renamed and left to a person.
func displace(path string) error {
	err := remove(path)
	if info, statErr := os.Lstat(path); err != nil && statErr == nil && info.IsDir() {
		return os.Rename(path, path+displaced+randomName())
	}
	return err
}

// remove deletes a file that may be gone.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
