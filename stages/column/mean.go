package column

import (
	"math"
	"slices"

	"prgnn/numeric/exact"
)

// MeanSD is exact.MeanSD: means are ranked and compared with those of permutations.
func MeanSD(x []float64) (mean, sd float64) { return exact.MeanSD(x) }

// Known are the values that are numbers, in a slice of their own.
func Known(x []float64) []float64 { return slices.DeleteFunc(slices.Clone(x), math.IsNaN) }
