// Package lock writes and reads run.lock: a text to commit beside a pipeline file,
// from which a reviewer repeats a paper and sees whether the same came out.
//
//	prgnn lock 1
//	pipeline biopoint
//	program v0.3.0 1f2e3d… go1.26.0
//	platform linux/amd64
//	file biopoint.yaml
//	| pipeline: biopoint
//	| …
//	set graphs.density=0.2
//	code graph 8f14e45f…
//	sum 3f9a01c2d4e5f607
//
//	stage graphs graph
//	parameter density = 0.2
//	task graphs[sub-001] 5d41402a…
//	output 7d793037… 4096 npy edges
//	sum 9b1de35a77c0ff01
//	…
//	end
//
// In it are the pipeline file as it was run, with what was set over it; what the
// code of each kind was; and of every task its key, the files of the user's that
// it read, and the digests of what it gave. Not in it are times, hosts and the
// places of data (see pipelines.Shared): the same results give the same lock, but for the program and the
// platform, which are there to be read.
//
// It is lines, one fact each, in the order of the pipeline, so that a change of
// one stage is a change of a few lines in a review. Each part ends with a sum,
// 16 digits of the SHA-256 of its lines, by which damage is found. Two locks that were
// changed in different stages merge; where they clash, the pipeline is run and
// the lock written anew. A sum is no signature: who wants to know whom a lock is
// from has it signed.
package lock
