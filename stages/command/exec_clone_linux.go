package command

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"prgnn/internal/regular"
)

// cloneFile makes a file that shares its blocks with another until one of them is
// written to; it fails where the file system cannot.
func cloneFile(from, to string) error {
	src, err := regular.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if err != nil {
		return err
	}
	err = errors.Join(unix.IoctlFileClone(int(dst.Fd()), int(src.Fd())), dst.Close())
	if err != nil {
		os.Remove(to)
	}
	return err
}
