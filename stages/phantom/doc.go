// Package phantom makes scans of people who do not exist: four-dimensional BOLD
// images with a parcellation and confounds, whose connectivity is known because it
// was put there. Programs can be tried on them, and methods scored.
//
// # The brain
//
// The outline is close to that of a brain in MNI space: a radius about a center, spherical
// harmonics of degree 8, the same in both hemispheres. Regions grow from their centroids
// (package atlas), each within its hemisphere, in an ellipsoidal metric of its own (the
// covariance of the places in that region of real brains); what no region claims is white
// matter, with a core of cerebrospinal fluid. The fitted numbers stand in shape.go, the script
// that fitted them in testdata. Centroids and size differ a little between participants.
//
// # The signals
//
// The signal of region r is a mixture of sources that are independent of each
// other, each a Gaussian AR(1) process of unit variance:
//
//	x_r = one global source
//	    + one for each of the three streams (sensory, executive, default) that divide the cortex
//	    + one for each functional system
//	    + one for each pair of homologous regions
//	    + local sources, one at each region, that fade with distance
//	    + one of the scanner, with a sign and weight of its own in each region, where SiteEffect asks for it
//	    + √k · one for the planted circuit + √(1−k) · a source of its own, in its regions
//	    + a source of its own, the larger the smaller the region and the nearer to air
//
// each with a weight, so that the correlation of two regions is the product of
// their rows of the mixing matrix. The weights differ a little between participants.
//
// # What is planted
//
// The circuit joins dorsal striatum, thalamus and frontal gyri of both hemispheres,
// the regions that Pooling Regularized Graph Neural Network for fMRI Biomarker
// Analysis reports as most salient. Its coupling k is Coupling in the reference
// group and Coupling + Strength·Change in the affected one, on average: it differs
// between participants, and the groups overlap. The shared and the own part add up
// to the same variance whatever k, so the groups differ in the correlations within
// the circuit alone, and with Strength 0 in nothing. The circuit's regions lie in
// different systems and streams and are connected neither strongly nor weakly,
// because a pooling layer, which ranks regions by a random direction at first,
// could otherwise drop all of them before it has learnt anything (with some seeds
// it still does: that is a property of hard pooling, not of the data).
//
// Autism is heterogeneous: patients differ in which regions are altered (Lombardo, Lai
// and Baron-Cohen, Mol Psychiatry 24 (2019), 1435). With Heterogeneity h, an affected
// participant has each region of the circuit altered with the chance 1 − h, independently
// of the other regions; the rest keep the coupling of the reference group. A region is then
// altered in a share 1 − h of the participants and an edge in (1 − h)², so the group means
// of edges and of node strength approach each other while single participants stay altered.
// This is the difficulty of the cohort: at 0 a t-test of node strength finds every planted
// region, and a method cannot show that it does better. At 0 no byte depends on it.
//
// # The scan
//
// A voxel shows the signal of its region in percent of its baseline, with AR(1)
// noise of its own, slow drift, pulse and breath aliased to low frequencies, and
// the marks of head motion: shifts in proportion to the motion parameters, and
// drops of the signal when the head jerks. None of it depends on the group.
//
// # Invariants
//
// Everything is a function of Settings alone, with the same bits on every machine.
// The numbers of one participant depend on nobody else, and those of one purpose
// (noise, motion, …) on no other's parameters.
package phantom
