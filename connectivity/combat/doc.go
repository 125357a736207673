// Package combat takes the differences between scanners out of measurements, and leaves
// those between people in: ComBat (Johnson, Li and Rabinovic, Biostatistics 8 (2007), 118;
// for images Fortin et al., NeuroImage 161 (2017), 149 and 167 (2018), 104; for
// connectivity Yu et al., Human Brain Mapping 39 (2018), 4213).
//
// # The model
//
// Feature f of participant j at site i, with covariates x that are to be kept:
//
//	y_ijf = α_f + x_ij·β_f + γ_if + δ_if·ε_ijf
//
// Learn finds α, β and the sd σ of the residuals by least squares, and from
// z = (y − α − xβ)/σ the site's shift γ and scale δ². With few participants a site these are
// noisy, so the features of a site inform each other: a normal prior for γ, an inverse gamma
// one for δ², both fitted to the features by their moments (empirical Bayes; the posterior means are Johnson et
// al., eq. 3.1). Apply gives
//
//	y* = σ·(z − γ*)/δ* + α + xβ.
//
// Learn and Apply are apart, so that who is tested moves nothing that was learnt.
//
// # As others do it
//
// The numbers are those of neuroCombat 0.2.12 and neuroHarmonize 2.5.2, and through them of
// the R package sva: variances about the model have n in the denominator, those within a site
// n−1; MeanOnly shrinks γ as if a site had one participant; posterior means are iterated for
// all features of a site together until the largest relative change is below Tolerance, where
// the change of a negative γ counts as negative, and so as small.
//
// Beyond them, values may be missing (NaN), as in sva. A feature of which some site has too
// few values, or that does not vary, is not fitted, and Apply leaves it as it is.
//
// Results are the same bits on every machine and for any number of workers.
package combat
