package remote

import (
	"context"
	"time"
)

// A Pruner is a remote that can be kept small: it lists what it holds, and removes it.
type Pruner interface {
	Remote
	// List calls each for all objects of blobs, actions, signed or uses, one at a time.
	List(ctx context.Context, part string, each func(Object)) error
	// Remove removes an object, unless it changed after a time. Nil also when it is not there.
	Remove(ctx context.Context, name string, after time.Time) error
	// Touch makes an object as new as one that is put now; ErrMiss when it is not there, or has to be put for that. It
	// may leave one that changed within Grace/4.
	Touch(ctx context.Context, name string) error
}

// Grace protects what is on its way: nothing is removed from a remote that changed within this time before somebody
// looked what it holds. Who finds a blob there touches it before recording what promises it.
const Grace = time.Hour

// An Object is one that lies in a remote.
type Object struct {
	Name    string
	Size    int64 // bytes
	Changed time.Time
}

// Unfinished is in the name of a file that a remote is still writing.
const Unfinished = ".part-"

// UsesDir is the directory of the uses in a remote. A use is a list of the actions that one process has fetched:
// UsesMagic, then a key a line. Its age says when. So a remote knows what is used, whatever its file system or server
// records of reading. It lies in the remote, for all machines; memo/unshared (see sharing) lies in the store and lists
// what has not arrived in the remote yet.
const (
	UsesDir   = "uses"
	UsesMagic = "prgnn uses 1\n"
)
