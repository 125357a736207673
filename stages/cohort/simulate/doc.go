// Package simulate is the cohort of simulated participants, the kind that makes their scans, and these as a dataset.
package simulate
