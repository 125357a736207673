//go:build linux || darwin

package whole

import (
	"errors"
	"syscall"
)

// IsFull reports whether an error means that there is no room.
func IsFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// LocksUnknown reports whether the file system has no locks at all.
func LocksUnknown(err error) bool {
	return errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.EOPNOTSUPP) ||
		errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.ENOLCK)
}
