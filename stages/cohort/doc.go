// Package cohort finds the participants and their files: the cohort kinds.
package cohort
