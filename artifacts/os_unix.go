//go:build linux || darwin

package artifacts

import (
	"errors"
	"syscall"
)

// isFull reports whether an error means that there is no room.
func isFull(no syscall.Errno) bool { return no == syscall.ENOSPC || no == syscall.EDQUOT }

// locksUnknown reports whether the file system has no locks at all.
func locksUnknown(err error) bool {
	return errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.EOPNOTSUPP) ||
		errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.ENOLCK)
}
