package results

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"prgnn/pipelines/differ"
)

// This file is the one that knows gonum here. Its numbers are looked at and not kept,
// so that their last bits may differ between machines.

// A statsJSON sums up the numbers of an array: those that are not NaN.
type statsJSON struct {
	Min    any `json:"min"`
	Median any `json:"median"`
	Max    any `json:"max"`
	Mean   any `json:"mean"`
	SD     any `json:"sd"` // n − 1
	NaN    int `json:"nan"`
}

// numbers are what statsJSON holds: NaN where there are too few values.
type numbers struct {
	min, median, max, mean, sd float64
	nan                        int
}

// summarize leaves values as they are.
func summarize(values []float64) numbers {
	sorted := make([]float64, 0, len(values))
	for _, v := range values {
		if !math.IsNaN(v) {
			sorted = append(sorted, v)
		}
	}
	s := numbers{nan: len(values) - len(sorted)}
	if len(sorted) == 0 {
		s.min, s.median, s.max, s.mean, s.sd = math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()
		return s
	}
	slices.Sort(sorted)
	s.min, s.max = sorted[0], sorted[len(sorted)-1]
	// of an even number: between the two
	s.median = 0.5*stat.Quantile(0.5, stat.Empirical, sorted, nil) + 0.5*sorted[len(sorted)/2]
	s.mean, s.sd = stat.MeanStdDev(sorted, nil)
	return s
}

func (s numbers) json() *statsJSON {
	return &statsJSON{differ.JSON(s.min), differ.JSON(s.median), differ.JSON(s.max), differ.JSON(s.mean),
		differ.JSON(s.sd), s.nan}
}
