package cluster

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/artifacts/whole"
	"prgnn/internal/regular"
)

// A space is the part of the store that the cluster's jobs and the coordinator
// write to each other in.
type space struct{ dir string }

const (
	clusterDir = "cluster"
	jobsDir    = "jobs"
	reportsDir = "reports"
	batchesDir = "batches"
	logsDir    = "logs"
	binDir     = "bin"

	namePrefix = "prgnn-"
)

func spaceOf(s *disk.Store) space { return space{filepath.Join(s.Dir(), clusterDir)} }

func (c space) path(kind, name string) string { return filepath.Join(c.dir, kind, name) }

// write puts a file in its place, whole or not at all. Its mode is what the umask leaves of mode.
func (c space) write(kind, name string, b []byte, mode os.FileMode) error {
	dir := filepath.Join(c.dir, kind)
	if err := whole.MkdirAll(dir); err != nil {
		return err
	}
	return publish(dir, c.path(kind, name), b, mode)
}

// publish is write by way of a directory that must be there.
func publish(dir, path string, b []byte, mode os.FileMode) error {
	t, err := os.OpenFile(filepath.Join(dir, ".unfinished-"+rand.Text()), os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	defer os.Remove(t.Name())
	_, err = t.Write(b)
	if err = errors.Join(err, t.Close()); err != nil {
		return err
	}
	return os.Rename(t.Name(), path)
}

func (c space) remove(kind, name string) { os.Remove(c.path(kind, name)) }

// newName is a name for an array or a pool that no other run thinks of.
func newName() string { return namePrefix + newID() }

// newID is 12 random hexadecimal digits.
func newID() string {
	var b [6]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// A batch is an array: its elements, each of one or more keys. It is written
// before Slurm hears of it, so that no array is under way that nobody knows.
type batch struct {
	name     string
	elements [][]artifacts.Key
}

func (c space) saveBatch(b *batch) error {
	var text strings.Builder
	for _, keys := range b.elements {
		for i, k := range keys {
			if i > 0 {
				text.WriteByte(' ')
			}
			text.WriteString(k.String())
		}
		text.WriteByte('\n')
	}
	return c.write(batchesDir, b.name, []byte(text.String()), 0o666)
}

// batches are the arrays that were begun and not taken away yet. What cannot be
// read is none.
func (c space) batches() []*batch {
	entries, _ := os.ReadDir(filepath.Join(c.dir, batchesDir))
	var all []*batch
	for _, e := range entries {
		text, err := regular.ReadFile(c.path(batchesDir, e.Name()))
		if err != nil || !strings.HasPrefix(e.Name(), namePrefix) {
			continue
		}
		b := &batch{name: e.Name()}
		for line := range strings.Lines(string(text)) {
			var keys []artifacts.Key
			for word := range strings.FieldsSeq(line) {
				if k, err := artifacts.ParseKey(word); err == nil {
					keys = append(keys, k)
				}
			}
			b.elements = append(b.elements, keys)
		}
		all = append(all, b)
	}
	return all
}

// age is how long ago a file was written or touched.
func age(path string) time.Duration {
	fi, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return time.Since(fi.ModTime())
}

// touch makes a file young again.
func touch(path string) {
	now := time.Now()
	_ = os.Chtimes(path, now, now) // another user's may not be touched
}

// dropPrograms removes programs of former runs.
func (c space) dropPrograms() {
	entries, _ := os.ReadDir(filepath.Join(c.dir, binDir))
	for _, e := range entries {
		if age(c.path(binDir, e.Name())) > outdated {
			c.remove(binDir, e.Name())
		}
	}
}

// tail is the end of what an element wrote.
func (c space) tail(name string, index int) string {
	return tail(c.path(logsDir, fmt.Sprintf("%s-%d", name, index)))
}

func tail(path string) string {
	f, err := regular.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	const most = 4 << 10
	if fi, err := f.Stat(); err == nil && fi.Size() > most {
		f.Seek(-most, io.SeekEnd)
	}
	b, _ := io.ReadAll(io.LimitReader(f, most))
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}

// keepProgram copies the running program into the store, named by its digest, so
// that a new build of it, or a directory that only this machine sees, changes
// nothing for the jobs.
func (c space) keepProgram() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(self)
	if err != nil {
		return "", err
	}
	name := artifacts.DigestOf(b).String()
	path := c.path(binDir, name)
	if fi, err := os.Stat(path); err == nil && fi.Size() == int64(len(b)) {
		touch(path)
		return path, nil
	}
	return path, c.write(binDir, name, b, 0o555)
}
