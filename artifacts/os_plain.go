//go:build !linux && !darwin && !windows

package artifacts

import "os"

// statPath looks at a file of the user's. Without a ctime the memo of digests is
// fooled by an edit that keeps size and mtime, so that here no state is ever the
// same as another: every file is read.
func statPath(path string) (fileStat, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return fileStat{}, err
	}
	return fileStat{regular: fi.Mode().IsRegular(), size: fi.Size(), mtime: fi.ModTime().UnixNano(), unsure: true}, nil
}

// writeBack is not needed: no state is ever remembered.
func writeBack(string) {}
