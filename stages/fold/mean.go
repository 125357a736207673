package fold

import (
	"prgnn/internal/lists"
	"prgnn/stages/column"
)

// MeanOver is the mean of a measure over the folds of all repeats. Folds without a value
// are left out.
func MeanOver(folds []Tested, measure func(Tested) float64) float64 {
	v := lists.Map(folds, measure)
	mean, _ := column.MeanSD(column.Known(v))
	return mean
}
