// Package bundle packs a run into one file, from which it can be repeated on a
// machine without network: the lock, the recipe of every task, the inputs, and
// chosen results.
//
// A bundle is a plain tar file. Its first entry, "bundle", lists all others with
// sizes and digests:
//
//	prgnn bundle 1
//	file 5d41402a… 93500 "run.lock"
//	file 7d793037… 180233 "recipes"
//	input 9b1de35a… 622564 "sub-001_bold.nii.gz"
//	given 4f53cda1… 5120 arrow
//	result 60303ae2… 40960 npy
//	end
//
// and the entries are run.lock, recipes, README, and blobs/<sha256> for each
// digest. An input is a file of the user's under its own name (readers go by
// extensions); given is what only the pipeline file's cohort could make; a result is there to be
// looked at, and to tell how far apart two results are. The same run gives the
// same bundle, byte for byte.
//
// # Safety
//
// A bundle comes from somebody else. Nothing of it is believed before it is
// checked: an entry must be a regular file that the list announces, of the
// announced size and digest, and come once; so no path can leave the directory
// that it is unpacked into, there are no links, devices or sparse files, and
// what is unpacked is never larger than the bundle. A recipe is data:
// replaying one runs the stage kinds of this program with the parameters that it names.
// Stages that run commands (exec) are run only when that is asked for.
package bundle
