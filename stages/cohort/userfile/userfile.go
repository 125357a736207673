// Package userfile opens the files that a user names, and names them in errors and in results.
package userfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"prgnn/internal/foreign"
	"prgnn/internal/lists"
	"prgnn/internal/regular"
	"prgnn/internal/words"
)

// Open opens a file that the user names. Where it is not there, it proposes one
// that is; looking for it takes time, so do not try many in this way.
func Open(path string) (*os.File, error) {
	f, err := regular.Open(path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%w%s", Plain(path, err), Near(path))
		}
		return nil, Plain(path, err)
	}
	return f, nil
}

// Plain says what is wrong with a file without the name of the system call.
func Plain(path string, err error) error {
	said := foreign.Missing(path, err)
	if target, linkErr := os.Readlink(path); linkErr == nil && filepath.IsAbs(target) {
		said = Place(said, target)
	}
	return Place(said, path)
}

// Near proposes the file that may have been meant, or names the directory from which on a path is wrong.
func Near(path string) string {
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); err != nil {
		for ; err != nil && filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
			if _, err = os.Stat(filepath.Dir(dir)); err == nil {
				return fmt.Sprintf(" (nor a directory %s%s)", dir, Near(dir))
			}
		}
		return ""
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 10_000 { // a slow directory is not worth a guess
		return ""
	}
	names := lists.Map(entries, func(e os.DirEntry) string { return e.Name() })
	return words.DidYouMean(filepath.Base(path), names)
}

// Within reads a path of the user's: absolute, or relative to dir.
func Within(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}

// FormatOf tells the format of a file by its name.
func FormatOf(name string) string {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	switch ext := strings.TrimPrefix(filepath.Ext(name), "."); ext {
	case "nii":
		return "nifti"
	case "feather", "ipc":
		return "arrow"
	case "txt", "md", "":
		return "text"
	default:
		return ext
	}
}
