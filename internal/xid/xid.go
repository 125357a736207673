// Package xid stands in for the module of that name, version v1.6.0: it names rules of a bucket's replication in
// minio-go, which we never ask for, and reads and hashes the name of the machine at every start.
// docs/decisions/0008-size.md tells more.
package xid

import "crypto/rand"

// An ID is a random name.
type ID string

// New makes up an ID.
func New() ID { return ID(rand.Text()) }

func (id ID) String() string { return string(id) }
