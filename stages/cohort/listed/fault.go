package listed

import "errors"

// A Fault is why a member cannot be used.
type Fault struct {
	Err    error
	Remedy string // to continue without the member
}

func (f Fault) Error() string { return f.Err.Error() + " (to continue without it: " + f.Remedy + ")" }
func (f Fault) Unwrap() error { return f.Err }

// Without is the fault of a member that can be excluded, as of one whose files are examined after incomplete: skip.
func Without(id string, err error) error { return Fault{err, "exclude: [" + Item(id) + "]"} }

// Cause is what is wrong with a member, without the member and the remedy.
func Cause(problem error) error {
	if of := (Fault{}); errors.As(problem, &of) {
		problem = of.Err
	}
	return errors.Unwrap(problem)
}
