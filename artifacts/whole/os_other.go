//go:build !linux && !darwin

package whole

import (
	"errors"
	"syscall"
)

// IsFull reports whether an error means that there is no room: 39 and 112 are
// ERROR_HANDLE_DISK_FULL and ERROR_DISK_FULL of Windows.
func IsFull(err error) bool {
	for _, no := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, 39, 112} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}

// LocksUnknown reports whether the file system has no locks at all.
func LocksUnknown(err error) bool { return errors.Is(err, errors.ErrUnsupported) }
