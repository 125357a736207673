// Package dynamic estimates connectivity in sliding windows, and the states that it returns to (Allen et al. 2014,
// Cereb Cortex 24:663).
//
// # Windows
//
// A window has a weight for each volume (Taper). With weights w that add up to 1, the weighted mean m = Σ w_t x_t and
// the weighted covariance S = Σ w_t (x_t − m)(x_t − m)ᵀ give the correlation R (Pozzi et al. 2012, Eur Phys J B
// 85:175). The partial correlation is that of (1 − δ)R + δI, with the shrinkage δ of Ledoit & Wolf 2004 and these
// weights; with equal weights it is that of package connectivity. Entries are given as Fisher's z.
//
// # States
//
// States are the centers of k-means, started by k-means++ (Arthur & Vassilvitskii 2007, SODA, 1027). With the L2
// distance a center is the mean of its windows, with L1 their median in each entry.
//
// Results are the same bits on every machine and for any number of threads.
package dynamic
