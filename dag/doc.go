// Package dag has stages and the graphs that connect them.
//
// A [Stage] is one piece of work, a [Kind] makes stages, and a [Builder] makes a [Graph] of their tasks. Package engine
// runs the tasks without a result: it finds each result in a disk.Store by the task's key, the digest of its recipe
// (the kind, the identity of its code, its parameters, and the digests of its inputs). Names, paths, times, workers and
// the machine are in no key. See docs/engine.md.
package dag
