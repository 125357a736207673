package fold

import (
	"prgnn/stages/column"
)

// MeanOver is the mean of a measure over the folds of all repeats. Folds without a value
// are left out.
func MeanOver(folds []Tested, measure func(Tested) float64) float64 {
	v := make([]float64, len(folds))
	for i, f := range folds {
		v[i] = measure(f)
	}
	mean, _ := column.MeanSD(column.Known(v))
	return mean
}
