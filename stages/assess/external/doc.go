// Package external has the kind that validates stored models on another cohort.
package external
