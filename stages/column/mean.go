package column

import (
	"math"
	"slices"

	"prgnn/numeric/exact"
)

// MeanSD is the mean and the standard deviation of a sample (n − 1); NaN where
// there is too little of it. The mean is exact.Mean, as means are ranked and compared with those of permutations.
func MeanSD(x []float64) (mean, sd float64) {
	mean = exact.Mean(x)
	q := 0.0
	for _, v := range x {
		q += float64((v - mean) * (v - mean))
	}
	return mean, math.Sqrt(q / float64(len(x)-1))
}

// Known are the values that are numbers, in a slice of their own.
func Known(x []float64) []float64 { return slices.DeleteFunc(slices.Clone(x), math.IsNaN) }
