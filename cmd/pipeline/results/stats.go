package results

import (
	"encoding/json"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"prgnn/pipelines/differ"
)

// This file is the one that knows gonum here. Its numbers are looked at and not kept,
// so that their last bits may differ between machines.

// stats sum up the numbers of an array: those that are not NaN. They are NaN where there are too few.
type stats struct {
	Min    number `json:"min"`
	Median number `json:"median"`
	Max    number `json:"max"`
	Mean   number `json:"mean"`
	SD     number `json:"sd"` // n − 1
	NaN    int    `json:"nan"`
}

type number float64

func (x number) MarshalJSON() ([]byte, error) { return json.Marshal(differ.JSON(float64(x))) }

func (x number) String() string { return differ.Rounded(float64(x)) }

// summarize leaves values as they are.
func summarize(values []float64) *stats {
	sorted := make([]float64, 0, len(values))
	for _, v := range values {
		if !math.IsNaN(v) {
			sorted = append(sorted, v)
		}
	}
	none := len(values) - len(sorted)
	if len(sorted) == 0 {
		nan := number(math.NaN())
		return &stats{nan, nan, nan, nan, nan, none}
	}
	slices.Sort(sorted)
	// of an even number: between the two
	median := 0.5*stat.Quantile(0.5, stat.Empirical, sorted, nil) + 0.5*sorted[len(sorted)/2]
	mean, sd := stat.MeanStdDev(sorted, nil)
	return &stats{number(sorted[0]), number(median), number(sorted[len(sorted)-1]), number(mean), number(sd), none}
}
