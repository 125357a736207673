// Package engine runs graphs of tasks, and only the tasks that have no result yet.
//
// [Run] looks each task up in a disk.Store by its key, the digest of its recipe. A record is stored after its
// bytes: a run may be killed at any moment, and what it had finished is kept. A panic in a stage is the error of its
// task, and skips only the tasks that need it. Results are the same bytes wherever and in whatever order tasks run.
//
// [Plan] reports what Run would do; packages record and why read what earlier runs did.
package engine
