// Package artifacts names what a pipeline makes: values, the bytes that they become, and the work that they come
// from. It
// has digests and records, and no files: package disk stores them in a directory, package remote shares them between
// machines, and package encoding has arrays and tables.
//
//	value     something a stage makes: an array, a table, bytes of some format
//	blob      the bytes of a value in a store
//	digest    the SHA-256 of bytes; it names a blob
//	recipe    the text that describes a piece of work: kind, code, parameters, inputs
//	key       the SHA-256 of a recipe; it names the work (never its bytes)
//	action    a claim: this recipe was carried out, and gave these blobs
//	record    an action or a run as text in a store, sealed with its own digest
//	run       one call of the program: provenance, and what its results are kept for
//
// Key and Digest are different types, so that work is never taken for its result.
//
//	store, err := disk.Open("store")
//	…
//	ref, err := store.Put(artifacts.Text("42"))
//	key, err := store.Record(artifacts.Action{Recipe: recipe, Outputs: artifacts.Refs{{Name: "answer", Ref: ref}}})
//	…
//	action, err := store.Lookup(artifacts.KeyOf(recipe))
//	blob, err := store.OpenBlob(action.Outputs.Of("answer"))
package artifacts
