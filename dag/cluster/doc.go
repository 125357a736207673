// Package cluster carries tasks out on a cluster whose machines see the store under the same path: as
// arrays of jobs of Slurm (Executor), or by pilots that any scheduler starts (Pool, Pilot).
//
// The executor writes a job down, under the key of its work, and hands many of them
// to Slurm as an array; each element of the array runs "pipeline exec-task KEY…",
// which reads the job, carries it out as a local run would, and stores and records
// the result. The coordinator (the process that runs the pipeline) looks at the store.
//
// Results are accepted by their content and by nothing else. What Slurm says of a job
// is never taken for its result: a job that Slurm calls failed and whose result is
// there has been done, and one that it calls completed and whose result is not there
// has been lost. So jobs may be lost, requeued or run twice (a node that is cut off from
// the controller goes on working while its job is started elsewhere), the controller
// may forget them, and the coordinator may die. Whoever comes next finds the
// arrays that are under way by their names, and waits for them.
//
// In the store:
//
//	cluster/jobs/<key>       a job, see encodeJob
//	cluster/reports/<key>    how one ended that has no result: text for people
//	cluster/batches/<name>   one array: its elements, a line each, of keys
//	cluster/logs/<name>-<n>  what its n-th element wrote
//	cluster/bin/<sha256>     the program as it was when the run began
//	cluster/pools/<name>     a pool of pilots, see Pool
//
// None of it is synced: it can be lost, and then work is done again.
package cluster
