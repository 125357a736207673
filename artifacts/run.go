package artifacts

import (
	"crypto/rand"
	"encoding/hex"
	"iter"
	"time"
)

// A RunRecord describes one run. It is provenance, not content: its id is random, and it holds times. While the record
// is kept, so are the outputs of its tasks.
type RunRecord struct {
	ID       string // 16 hexadecimal digits, see NewRunID
	Pipeline string // its name, one line
	Started  time.Time
	Finished time.Time // zero while the run is going on, or when it was killed

	Ran, Cached, Failed, Skipped int // tasks

	Tasks  []RunTask         // those that have a result, in the order of the graph
	Each   iter.Seq[RunTask] // for SaveRun, in place of Tasks
	Keeps  []Ref             // other blobs in the store, kept as long as the record
	Detail []byte            // anything else; no store reads it
}

// A RunTask is one task of a run that has a result.
type RunTask struct {
	ID      string // "train[pool=topk,fold=2]"
	Key     Key
	Outputs Refs
}

// NewRunID is a random id for a run.
func NewRunID() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
