// Package nifti reads and writes brain images: NIfTI-1 and NIfTI-2 (single files and
// pairs, gzipped or not, either byte order) and FreeSurfer's MGH/MGZ; and it averages
// regions of a scan as it streams by.
//
// A Reader gives one volume at a time, so that a series of any length needs the
// memory of a few volumes. Labels is a label image, which can be laid over the grid
// of a scan. ROIMeans is the one pass over a scan from which the mean series of all
// regions, and of random parts of them, come. Inspect tells what a file holds.
// Encode writes an image.
//
// # Invariants
//
//   - Voxels are in the file's order: x fastest, then y, z, time. No axis is ever
//     flipped: the affine says where a voxel is, in mm, RAS+.
//   - A file is known by its first bytes, never by its name.
//   - Header fields lie where the table fields says, for reading and for writing.
//   - Check names all that is wrong with a header. What keeps an image from being
//     read rightly is fatal, and NewReader and Open return it, all at once; for the
//     rest there is a rule, which the problem states.
//   - Scaling is done in float64: stored·slope + intercept, rounded twice.
//   - No more memory is asked for than the file is seen to be worth; whatever the
//     bytes, there is no panic.
//   - io.EOF after the last volume says that the whole file is sound, checksums
//     included. A file that is too short is an error that names the byte. Bytes after
//     the last voxel, which some programs write, are ignored as every reader does.
//   - Equal images are encoded to equal bytes.
//
// # Not read
//
// Voxels that are not one real number (complex, RGB, 128 bits), Analyze 7.5, AFNI,
// and the grayordinates of CIFTI, which package cifti reads.
package nifti
