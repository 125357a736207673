// Package exit has the exit codes of the program, and errors that know theirs.
package exit

import (
	"fmt"
)

// The exit codes.
const (
	Fine        = 0
	Failed      = 1
	Usage       = 2
	Damaged     = 3
	NotAudited  = 4 // nothing differs, but not everything could be audited
	Interrupted = 130
)

// An Error is an error that knows its exit code. A nil err means that everything
// has been said already.
type Error struct {
	Code int
	Err  error
}

func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Wrong marks a mistake in the command line or in the pipeline file.
func Wrong(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Usage, err}
}

// Wrongf is Wrong with a message of its own.
func Wrongf(format string, args ...any) error { return Wrong(fmt.Errorf(format, args...)) }
