package whole

import (
	"errors"
	"fmt"
	"io/fs"
)

// ErrUnreadable says that a file is there, and this user may not read it.
var ErrUnreadable = errors.New("cannot be read")

// Unreadable says of an error of reading a file that the permission is missing.
func Unreadable(err error) error {
	var call *fs.PathError
	if errors.As(err, &call) && errors.Is(call, fs.ErrPermission) {
		return unreadable{call}
	}
	return err
}

// An unreadable is ErrUnreadable of one path.
type unreadable struct{ call *fs.PathError }

func (e unreadable) Error() string {
	return fmt.Sprintf("%s %v: %v", e.call.Path, ErrUnreadable, e.call.Err)
}

func (e unreadable) Is(target error) bool { return target == ErrUnreadable }

func (e unreadable) Unwrap() error { return e.call }
