//go:build unix

package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// KeepPrivate makes what this process writes readable for its user alone, if the store in dir
// is: its directory has the mode 0700. asked makes it so.
func KeepPrivate(dir string, asked bool) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !asked:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		if err = os.MkdirAll(filepath.Dir(dir), 0o777); err == nil {
			err = os.Mkdir(dir, 0o700)
		}
	case err == nil && info.Mode().Perm()&0o077 != 0:
		if !asked {
			return nil
		}
		err = os.Chmod(dir, 0o700)
	}
	if err != nil {
		return fmt.Errorf("the store cannot be made private: %w", err)
	}
	syscall.Umask(0o077)
	return nil
}
