package artifacts

import "io"

// A Reader reads a store. A disk.Store is one.
type Reader interface {
	// Has reports whether the store has all of these blobs. Only reading shows whether their bytes are right.
	Has(refs ...Ref) bool
	// OpenBlob reads a blob. In place of io.EOF it gives ErrCorrupt if the bytes do not have the digest. The error is
	// ErrMiss if there is no such blob.
	OpenBlob(r Ref) (io.ReadCloser, error)
	// File is the path of a file with the bytes of a blob.
	File(r Ref) (string, error)
	// Lookup finds an action, whether its blobs are in the store or not. The error is ErrMiss if there is none.
	Lookup(k Key) (Action, error)
	// Runs lists the runs, the newest first, without their tasks. The error lists damaged records; the runs are
	// complete but for these.
	Runs() ([]*RunRecord, error)
	// LoadRun reads the record of a run with its tasks. The first digits of an id are enough if no other id has them.
	LoadRun(id string) (*RunRecord, error)
}

// A Writer writes a store: blobs, then the action that they come from, then the run. A disk.Store is one.
type Writer interface {
	// Put stores a value as a blob.
	Put(v Value) (Ref, error)
	// Record stores an action, whose blobs must be in the store.
	Record(a Action) (Key, error)
	// SaveRun stores the record of a run, in place of an earlier one with its id. Then all that was recorded before is
	// durable.
	SaveRun(r *RunRecord) error
}
