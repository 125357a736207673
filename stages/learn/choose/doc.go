// Package choose has the kind that chooses settings by nested cross-validation.
package choose
