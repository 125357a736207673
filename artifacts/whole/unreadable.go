package whole

import (
	"errors"
	"fmt"
	"io/fs"

	"prgnn/artifacts"
)

// Unreadable makes an error of a missing permission artifacts.ErrUnreadable, and returns others as they are.
func Unreadable(err error) error {
	var call *fs.PathError
	if errors.As(err, &call) && errors.Is(call, fs.ErrPermission) {
		return unreadable{call}
	}
	return err
}

// An unreadable is artifacts.ErrUnreadable of one path.
type unreadable struct{ call *fs.PathError }

func (e unreadable) Error() string {
	return fmt.Sprintf("%s %v: %v", e.call.Path, artifacts.ErrUnreadable, e.call.Err)
}

func (e unreadable) Is(target error) bool { return target == artifacts.ErrUnreadable }

func (e unreadable) Unwrap() error { return e.call }
