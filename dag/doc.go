// Package dag runs graphs of tasks, and runs only what it has no result for. It
// knows neither pipeline files nor brains: a Graph comes from package pipelines,
// what a task does is a Stage, and results live in an artifacts.Store.
//
// # Keys
//
// Whether a task has a result is asked of the store by a key: the digest of the
// task's recipe. A recipe is a text, one fact a line, of all that a result depends
// on and nothing else:
//
//	recipe 1
//	stage graph
//	code 8f14e45fceea167a5a36dedd4bea2543…
//	parameter density = 0.1
//	parameter repair = true
//	input pearson npy 1d2c83a0…
//	input partial npy 77fe0a1b…
//
// In it are the kind of the stage; the identity of its code, computed from the
// declarations that it reaches (package codeid); all its parameters, defaults filled in, so that spelling a
// default out or turning lines of the file round changes nothing; and for each
// input the digest of its bytes, in the order of the ports. Inputs that are
// gathered carry their coordinates, for the stage sees them. A seed is a
// parameter, and so is a participant or a fold where the stage wants to know it.
// A stage that runs a command of the user's names the environment variables that
// the command may see (see EnvReader). Their values may be secrets, so that hashes
// of them stand there.
//
// Not in it are names of tasks and stages, paths, times, the number of workers,
// the machine. A Stage is held to be a function of what is in it: it gives the
// same bytes wherever and however often it runs.
//
// # Early cutoff
//
// The inputs stand in a recipe by what they are, and not by how they were made.
// Had they stood there by the keys of the tasks that make them, every change
// would run everything after it. So a task that runs again, and gives the same
// bytes as before, stops the wave there: what follows has the recipe it had. The
// price is that the keys of a graph are not known beforehand. A task's key is
// known when what it needs is settled, so a plan has three answers, cached, stale
// and unknown; and a run looks every task up at the moment it could begin. Only of
// a task that has its values already (a Foreteller: the tables of a cohort) is it
// known before what it will give: so the plan for one participant more is that
// one's tasks, and what gathers.
//
// # History
//
// Results are never replaced. A changed parameter makes other keys, whose results
// stand beside the old ones; when it is changed back, the old ones are found.
// Results go only when the store is told to free space.
//
// # Bytes that are not there
//
// The record of a task (its key, and the digests that it gave) and the bytes are
// two things. Records are enough to find that everything is up to date. Bytes
// are asked for where they are needed: by a task that really runs, and for what
// nothing in the graph takes further, the results that a person wants. If they
// are gone by then, the task that made them runs again, in the same run, and what it
// gives is compared with the record. The same happens when bytes that are there are
// damaged, whether anybody needs them or not: a run reads every blob whose file was
// touched since it was written or read last (artifacts.Health.Damaged). A plan reads
// none, and knows of damage that somebody has met.
//
// What a stage reads is checked against its digest: on the way, or once more
// afterwards for what was read by its path. A file of the user's that is no longer
// what it was when it was hashed fails the task. So no result is ever recorded
// for bytes that the stage did not see. What many tasks of a run make of the same bytes
// (Shared), the first one makes of bytes that were found right, and the others take from
// memory: values are held, of at most 128 MB, until the last task that may ask for them.
//
// # Runs
//
// Run has one goroutine that owns the state of all tasks. Others compare tasks
// with the store or carry them out, and tell it how that ended; it answers with
// events in one order. A task is started when what it needs is there, in the
// order of the graph, as far as threads and memory allow; one that can use more
// threads gets its share of those for which there is nothing else to do. One that fails takes
// with it those that need it, and no others. Two runs on one store claim what they
// do, and wait for, or take over, what the other has begun.
//
// # Executors
//
// Where a task is carried out is an Executor's matter (Options.Executor). The
// runner decides that a task is due, writes its recipe, claims its key, looks once
// more whether the result is there, and hands a Job over; whoever carries it out
// reads inputs from the store and the user's files, stores the outputs, records
// the action, and gives a Report. Local does so in this process. Another executor
// has to get the job to a process that sees the same store and the same paths (its
// Recipe names the kind and all parameters, its Inputs the bytes), have Local
// execute it there, and bring the Report back: the bytes do not pass through it,
// and an answer that got lost on the way can be had from the store by the job's
// key. What is wrong with blobs it reports in Lost, and the runner has them made
// again; an error that would strike every other task too is a StoreError. Threads
// and memory are counted by the runner before a job is handed over, against
// Options.Workers and Options.Memory: for an executor that has other machines, they
// are what those have together.
//
// Invariants:
//
//   - A record is stored after its bytes. A run can be killed at any moment, and
//     what it had finished is kept.
//   - Plan and Run ask the same questions of the store: what is planned as cached
//     is not run, what is planned as stale is (unless another run is faster).
//   - The results do not depend on the number of workers nor on the order in
//     which tasks end.
//   - Neither a panic in a stage nor a damaged store ends a run: the first is an
//     error of its task, the second costs time. Only a store that cannot be
//     written, or the context, stops it.
package dag
