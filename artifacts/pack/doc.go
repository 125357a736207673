// Package pack keeps many small objects in a few files that only grow.
//
// A Set is a directory of packs. Every process appends to packs of its own, whose names nobody else
// takes, so that writers need no lock, and finds those of others by listing the directory. A pack
// is "prgnn pack 1\n", then entries:
//
//	"pgn1", kind (1 byte), 3 zeros, size of the body (uint32), name (32 bytes),
//	SHA-256 of the body (32 bytes), CRC-32C of all these (uint32); then the body
//
// Integers are little-endian. The last entry of a pack that was sealed, with the kind 'i', is the index of
// the others: kind, name, size (uint32), offset (uint64) each. Behind it stand its own offset (uint64)
// and "pgnindex".
//
// # Crashes
//
// Loss of power may leave any part of what was not synced, in any order. A pack is sealed after its
// entries were synced, so the entries of an index are durable, and one that is not whole is damage to
// one object. A pack without an index is read from its beginning and believed up to the first
// entry that is not whole: what an entry relies on stands before it in the same pack.
//
// # Removal
//
// An entry of the kind 'x' removes another: its name is the pack and the offset of that. A pack
// whose objects were appended to another may be deleted. Who looks for them meanwhile finds them in
// one or the other.
package pack
