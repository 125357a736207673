// Package connectivity turns the series of brain regions into connectivity and
// graphs: it cleans series (Clean), estimates correlation and partial correlation
// (Estimate), and makes sparse graphs of them (Build), each with the numbers that
// say how far they can be trusted.
//
// A Matrix is row-major. Series are T×N: one row a volume, one column a region
// (ROI). Nothing that is passed in is changed, and no result shares memory with it.
//
// # Regions without a signal
//
// A region whose column is NaN throughout is missing (no voxel of it was in the
// field of view); one whose series does not vary is constant. A column that is NaN
// in part, or infinite anywhere, is an error. What has no signal has no correlation,
// and a NaN would go through every later sum without a word, so:
//
//   - Clean keeps a missing column NaN, and makes a constant one zero. A column of
//     which the regressors explain all but rounding counts as constant: what is
//     left of it would be scaled up to unit variance and taken for a signal;
//   - Estimate leaves such regions out of every sum. In correlation and partial
//     correlation their rows and columns are 0 with 1 on the diagonal; in
//     covariance and precision they are 0. They do not enter N in T_eff against N,
//     nor the shrinkage;
//   - Build gives them no edge and does not repair them: a row that is 0 (or NaN)
//     off the diagonal has no partner to be joined to;
//   - they are counted in the quality of every step.
//
// # Bits
//
// Results are the same bits on every machine and for any number of workers: sums
// have a defined order (numeric/dense), products are rounded before they are added,
// and no function of package math is used whose last bits differ between machines.
package connectivity
