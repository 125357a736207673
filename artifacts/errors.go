package artifacts

import (
	"errors"
	"fmt"
)

var (
	// ErrMiss: the store has no whole record or blob of that name.
	ErrMiss = errors.New("not in the store")

	// ErrCorrupt: bytes do not have the digest that names them.
	ErrCorrupt = errors.New("damaged")

	// ErrDamagedRun: the record of a run cannot be read. No run replaces it; repair (Health.Repair of a
	// disk.Store) removes it.
	ErrDamagedRun = fmt.Errorf("%w record", ErrCorrupt)

	// ErrChanged: a file outside the store has changed since it was hashed.
	ErrChanged = errors.New("changed during the run")

	// ErrUnreadable: a file is there, and this user may not read it.
	ErrUnreadable = errors.New("cannot be read")

	// ErrFull: the disk or the quota has no room left.
	ErrFull = errors.New("no space left for the store")

	// ErrReadOnly: the store or the remote belongs to another user, or lies on a file system that is mounted read-only.
	ErrReadOnly = errors.New("writing is not permitted there")
)
