package whole

import (
	"os"
	"path/filepath"
	"strings"

	"prgnn/internal/regular"
)

// Store is the directory of the store that a path lies in, or would lie in once it is written; "" for none. Links are
// followed. A store is told by its file "version".
func Store(path string) string {
	at, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	for {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			at = real
			break
		}
		if !os.IsNotExist(err) || at == filepath.Dir(at) {
			return ""
		}
		at = filepath.Dir(at)
	}
	for ; ; at = filepath.Dir(at) {
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
