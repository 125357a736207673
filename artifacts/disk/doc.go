// Package disk is the store of artifacts in a directory, which many processes may use at once.
//
// # Words
//
//	pack      a file of small blobs and of records, which one process appends to
//	claim     the right to do a piece of work, among processes that share a store
//	log       what a task wrote for people while it ran; no result
//	session   the presence of one process in a store, as long as it lives
//	memo      something found out that can be found out again; never the truth
//
// # Layout
//
//	blobs/ab/<sha256>   results; the name is the plain SHA-256 of the bytes, so that
//	                    sha256sum is a second checker; npy, Arrow and NIfTI files
//	                    open as they are
//	actions/ab/<key>    what was done, and which blobs it gave: text (see Action)
//	packs/<session>-<n> small blobs and actions (see package pack): those of up to 16
//	                    KiB, and of up to 128 KiB where a run has the store on a local disk
//	runs/<id>           what each run came to: text (see RunRecord)
//	scratch/<key>       checkpoints of long tasks (see Scratch)
//	logs/ab/<key>       what tasks said the last time that they ran (see Log)
//	tmp/<id>/           unfinished files of one process, and the lease that it
//	                    holds while it lives
//	locks/              claims, and the gate that gc closes for moments
//	memo/               digests of the user's files, of blobs and of exports, what is
//	                    damaged in a remote, and what is still to be shared
//	collected           the digests of blobs that are named and not here: gc or Repair
//	                    has removed them, or they are in a remote; the keys of actions
//	                    that runs list and whose records are gone
//	README, version     for people, and for programs of another layout
//
// # Crashes
//
// A process may be killed, a machine may lose its power, at any moment. The store must then hold nothing but whole
// things under their right names; work may be lost, a promise never. Five rules bring that about.
//
//  1. A file gets its name last. It is written to tmp/, on the same file system, and hashed on the way; made
//     read-only; synced to the disk; and only then renamed. A rename is atomic: who looks sees the whole file, or
//     none. It is done even when the name is taken, for the file that has it may be damaged and this one is not:
//     whatever is made again is healed.
//  2. A promise comes after what it promises. The names of the blobs are made durable (their directories synced)
//     before an action that names them gets its own name. gc goes the other way round: it writes down that a blob is
//     to go, then removes it. So a crash leaves garbage, which gc finds, and never a claim that was not true. In a
//     pack, an action stands behind its blobs, and is believed only when all before it is whole. Its sync is left to
//     the background, where many share one wait; SaveRun and Close wait for it. A task of small blobs waits for no
//     disk.
//  3. Reading verifies. OpenBlob hashes what it hands out and ends with ErrCorrupt in place of io.EOF when the bytes
//     are not those of the name; Lookup checks the seal of a record and that the record is the one of its key. In a
//     cache, damage is a miss: it costs time and never an answer. It is a miss for everybody from the moment that one
//     has met it: Damaged remembers what a blob's bytes were found to be, together with the state of its file, and
//     reads the blob again when that has changed. What is damaged in a remote is remembered as well.
//  4. No lock guards the data. Locks only spare work (claims: each task is done by one process) or keep gc off
//     (leases: what a process that is alive has found or made, stays). All are held by the kernel on open files and
//     vanish with the process; there is nothing to unlock by hand after a crash.
//  5. What can be found out again is never synced, and holds only for files and packs that have not been touched
//     since: same size, times, inode and device. Deleting memo/ changes no answer. What the memo cannot see is a disk
//     that changes bytes behind the file system's back. Reading sees it (rule 3), and so does Verify.
//
// A kill cannot show whether the syncs are in the right places (the page cache survives it); the crash test shows
// that the names are.
//
// # gc
//
// Only blobs are removed, and logs of old work. What the record of a run is made of (its list of tasks, and blobs
// that it keeps) stays. The other roots are the outputs of the runs that are kept; to them come the blobs used since
// the oldest living session began, and since the newest run began when that one has not ended. "Used" is the mtime of
// a blob: writing sets it, and Has renews it within a session (see Hold). A victim is set aside by a rename and
// looked at again before it is deleted, with the gate closed, so that a run which finds it at that very moment either
// keeps it or misses it. The same is done to a pack, once what stays of it was copied to another; its mtime is that
// of all its blobs. Actions and runs stay: they say what a blob was made from and what it was, so that old results
// can still be explained, and compared with what is made again.
//
// Where there is no room for a session, the gate stays closed until gc ends, and takes its place. A pack goes only once
// what stays of it was copied: without room for that copy, gc removes what it can, and reports the rest.
//
// # What is not here
//
// A database (docs/decisions/0009-packs.md); packing of large blobs, and compressing (numpy could not open them);
// reference counts (roots are found when gc runs). A store is used by the machines that see its directory; on a
// network file system without locks two runs may do the same work twice, and gc must not run beside a run.
package disk
