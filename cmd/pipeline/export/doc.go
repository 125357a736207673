// Package export writes results as files for other programs: tables, arrays, tensors, MATLAB,
// CIFTI, BrainNet Viewer, PyTorch Geometric, BIDS derivatives. A file says in its metadata
// which results it holds.
package export
