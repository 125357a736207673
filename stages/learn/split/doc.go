// Package split has the kind that assigns the participants to folds.
package split
