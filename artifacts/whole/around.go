package whole

import (
	"os"
	"path/filepath"
	"strings"

	"prgnn/internal/regular"
)

// Store is the directory of the store that a path lies in, or would lie in once it is written; "" for none. A store is
// told by its file "version".
func Store(path string) string {
	for at := Resolved(path); ; at = filepath.Dir(at) {
		name := filepath.Join(at, "version")
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && info.Size() < 64 {
			if text, err := regular.ReadFile(name); err == nil && strings.HasPrefix(string(text), "prgnn store ") {
				return at
			}
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// Resolved is an absolute path without links, as far as it exists.
func Resolved(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	rest := ""
	for at := path; at != filepath.Dir(at); at = filepath.Dir(at) {
		if found, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(found, rest)
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
	return path
}
