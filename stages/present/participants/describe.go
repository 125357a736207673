package participants

import (
	"math"
	"slices"
	"strconv"

	"prgnn/stages/column"
)

// A description has the numbers of one group as texts. Mean is "" without values; SD is "" of a single one.
type description struct {
	Mean, SD, Low, High string
	Missing             int // values that are NaN
}

// describe describes groups of numbers; NaN is a missing value. All groups have the decimals that give the smallest SD
// two significant digits. An SD of 0 is written 0, and then the mean is the value that all share.
func describe(groups [][]float64) []description {
	known, least := make([][]float64, len(groups)), math.Inf(1)
	for g, v := range groups {
		known[g] = column.Known(v)
		if sd := groupSD(known[g]); sd > 0 {
			least = min(least, sd)
		}
	}
	exactly := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	write := exactly
	if digits := decimals(least); digits <= 9 {
		write = func(x float64) string { return strconv.FormatFloat(x, 'f', digits, 64) }
	} else if !math.IsInf(least, 1) {
		write = func(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }
	}
	all := make([]description, len(groups))
	for g, v := range known {
		d := &all[g]
		d.Missing = len(groups[g]) - len(v)
		switch sd := groupSD(v); {
		case len(v) == 0:
		case len(v) == 1:
			d.Mean = exactly(v[0])
		case sd == 0:
			d.Mean, d.SD = exactly(v[0]), "0"
		default:
			mean, _ := column.MeanSD(v)
			d.Mean, d.SD, d.Low, d.High = write(mean), write(sd), write(slices.Min(v)), write(slices.Max(v))
		}
	}
	return all
}

// groupSD is the SD, and 0 of one value.
func groupSD(v []float64) float64 {
	if len(v) < 2 {
		return 0
	}
	_, sd := column.MeanSD(v)
	return sd
}

// decimals are those that give a number two significant digits.
func decimals(x float64) int {
	if !(x > 0) || math.IsInf(x, 0) {
		return math.MaxInt
	}
	digits := 0
	for ; x < 9.95 && digits < 400; digits++ {
		x *= 10
	}
	return digits
}
