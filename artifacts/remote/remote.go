// Package remote has what stores and the places that they share agree on: the interface of a remote, the names of its
// objects, and who may be trusted. Package address has remotes.
package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"

	"prgnn/artifacts"
)

// A Remote is a place that the stores of many machines share: objects with the names that they have in a store,
// "blobs/ab/<sha256>", "actions/ab/<key>" and "version", and the signed records of actions, "signed/ab/<key>.<id of
// the signing key>". Many goroutines and processes may use one remote at once. An object appears whole or not at all,
// and putting it twice is harmless, for equal names mean equal bytes.
//
// A store checks what a remote gives: a blob must have the digest that names it, a record its seal and its key.
type Remote interface {
	// Size is in bytes. The error is artifacts.ErrMiss if there is no such object, ErrRefused for a wrong address or
	// wrong credentials.
	Size(ctx context.Context, name string) (int64, error)
	// Get reads an object. Errors are those of Size.
	Get(ctx context.Context, name string) (io.ReadCloser, error)
	// Put stores a file as an object. The error is artifacts.ErrReadOnly if nothing can be stored, ErrBlocked if this
	// object cannot.
	Put(ctx context.Context, name, file string) error
	// String is the remote in messages; it holds no secret.
	String() string
}

// ErrHalfShared: the group may write to the remote, and not to a directory in it.
var ErrHalfShared = fmt.Errorf("%w to all of the group", artifacts.ErrReadOnly)

// ErrRefused: the address or the credentials are wrong, and trying again does not help.
var ErrRefused = errors.New("access refused")

// ErrBlocked: one object cannot be stored until a person acts. Something else is in its place, or it is larger than the
// server's limit.
var ErrBlocked = errors.New("cannot be stored there")

// Name is the name of an object: kind is "blobs", "actions" or "signed", and name begins with a digest or a key.
func Name(kind, name string) string { return path.Join(kind, name[:2], name) }

// ReadAll reads an object. The error is artifacts.ErrCorrupt if it has more than most bytes.
func ReadAll(ctx context.Context, r Remote, name string, most int64) ([]byte, error) {
	body, err := r.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	b, err := io.ReadAll(io.LimitReader(body, most+1))
	if err == nil && int64(len(b)) > most {
		return nil, fmt.Errorf("%s: longer than the limit of %d bytes: %w", name, most, artifacts.ErrCorrupt)
	}
	return b, err
}

// Version is the text of the object "version", which names the layout of remotes. It has no packs.
const Version = "prgnn store 1\n"

// Lookups is how many tasks are looked up in a remote at once: the answer takes a round trip, and no processor.
const Lookups = 32
