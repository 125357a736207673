// Package confounds has the kind that asks whether a prediction rests on covariates.
package confounds
