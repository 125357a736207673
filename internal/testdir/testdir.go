// Package testdir writes and removes the directories of tests, and reads and digests their numbers.
package testdir

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sbinet/npyio"

	"prgnn/internal/need"
)

// Write writes a file, and makes its directory. The path may have slashes on any system.
func Write(t testing.TB, path, text string) {
	t.Helper()
	path = filepath.FromSlash(path)
	need.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	need.NoError(t, os.WriteFile(path, []byte(text), 0o666))
}

// Files writes files into a new directory, each path with its text.
func Files(t testing.TB, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		Write(t, filepath.Join(dir, name), text)
	}
	return dir
}

// Memory makes a directory of the test's own in memory, where the system has one: for many small files of a test that
// asks nothing of a disk. On ext4 most of the time of such a test is the search for free inodes, which passes over
// those of files that were removed a moment ago.
func Memory(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "prgnn-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { need.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// Floats reads an npy file of float64, whatever its shape. The path may have slashes on any system.
func Floats(t testing.TB, path string) []float64 {
	t.Helper()
	f := need.Value(os.Open(filepath.FromSlash(path)))(t)
	defer f.Close()
	var v []float64
	need.NoError(t, npyio.Read(f, &v), path)
	return v
}

// NPY reads testdata/NAME.npy.
func NPY(t testing.TB, name string) []float64 {
	t.Helper()
	return Floats(t, "testdata/"+name+".npy")
}

// Bits is the beginning of the SHA-256 of numbers, to the last bit.
func Bits(lists ...[]float64) string {
	h := sha256.New()
	for _, v := range lists {
		for _, x := range v {
			h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Remove removes a directory into which a process that ends may still write, for up to a minute.
func Remove(t testing.TB, dir string) {
	t.Helper()
	var err error
	for range 600 {
		if err = os.RemoveAll(dir); err == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("%s cannot be removed: %v", dir, err)
}
