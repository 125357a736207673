// Package dag runs graphs of tasks, and only the tasks that have no result yet.
//
// A [Builder] makes a [Graph] of stages and their tasks; what a task does is a [Stage]. [Run] looks each task up in an
// artifacts.Store by its key, the digest of its recipe: the kind of the stage, the identity of its code, its
// parameters, and the digests of its inputs. Names, paths, times, the number of workers and the machine are in no key.
// A stage is a function of its recipe, so that results are the same bytes wherever and in whatever order tasks run.
//
// A record is stored after its bytes: a run may be killed at any moment, and what it had finished is kept. A panic in
// a stage is the error of its task, and skips only the tasks that need it.
//
// docs/engine.md explains keys, early cutoff, lost bytes, and executors.
package dag
