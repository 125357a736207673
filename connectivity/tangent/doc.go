// Package tangent maps covariance matrices to the tangent space at a reference (Varoquaux et al.,
// MICCAI 2010, LNCS 6361:200), where differences between participants are ordinary vectors.
//
// # The map
//
// A covariance C of N regions becomes the symmetric matrix
//
//	T = log(G^−½ · C · G^−½).
//
// G is the reference of the training participants. Geometric is their geometric mean, at which
// their T average to 0 (Moakher 2005, SIAM J Matrix Anal Appl 26:735):
//
//	G ← G^½ · exp(s · mean_i log(G^−½ · C_i · G^−½)) · G^½,
//
// from the arithmetic mean. The first s is 1, each other one the secant length of Barzilai and Borwein
// (Iannazzo & Porcelli 2018, IMA J Numer Anal 38:495), between 1/2 and 1: half as many steps as with
// s = 1. Where the norm of the mean logarithm grows, the step is
// taken back and s is halved. The loop ends after the update at which the norm is below
// Options.Tolerance, or where rounding keeps the norm from falling. Options.Nilearn stops as
// nilearn 0.14.1 does instead: norm/N² < 1e-7, at most 30 steps, no step taken back.
//
// Fit and Log are apart: a participant who is tested moves nothing that was fitted.
//
// # Weights and patterns
//
// Entry (i, j) of T is not the edge i–j. To first order dT = G^−½ · dC · G^−½, so weights W on T
// act on C as G^−½·W·G^−½ (Space.Weights), and a pattern A of T (Haufe et al. 2014, NeuroImage
// 87:96) is the pattern G^½·A·G^½ of C (Space.Pattern).
//
// Matrices are N × N, row-major, symmetric to the bit. Results are the same bits on every
// machine and for any number of threads.
package tangent
