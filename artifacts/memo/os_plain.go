//go:build !linux && !darwin && !windows

package memo

import "os"

// StateOf looks at a file of the user's. Without a ctime the memo of digests is
// fooled by an edit that keeps size and mtime, so that here no state is ever the
// same as another: every file is read.
func StateOf(path string) (State, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return State{}, err
	}
	return State{Regular: fi.Mode().IsRegular(), Size: fi.Size(), Mtime: fi.ModTime().UnixNano(), Unsure: true}, nil
}

// WriteBack is not needed: no state is ever remembered.
func WriteBack(string) {}
