package connectivity

import (
	"fmt"
	"math"
	"slices"

	"prgnn/internal/words"
)

// A Status says whether a region has a signal.
type Status int8

// The states of a region: see the package comment.
const (
	Present Status = iota
	Missing
	Constant
)

// flat is how much of its size a series may vary and still be constant: rounding
// of single precision means, not signal, which is 1e-3 of the mean in a scan.
const flat = 1e-12

// mostSize bounds the magnitude of a series: sums of its squares, and their products, are within float64.
const mostSize = 1e70

// Inspect finds the status of each region of a series, T×N. A region with some
// finite volumes and some not is an error: it can be neither used nor left out
// without changing what the others mean. Errors list the regions by number, and by name where names are given.
func Inspect(x Matrix, names ...string) ([]Status, error) {
	status := make([]Status, x.Cols)
	low, high := make([]float64, x.Cols), make([]float64, x.Cols)
	absent := make([]int, x.Cols)
	for j := range low {
		low[j], high[j] = math.Inf(1), math.Inf(-1)
	}
	for t := range x.Rows {
		for j, v := range x.Row(t) {
			if v < low[j] {
				low[j] = v
			}
			if v > high[j] {
				high[j] = v
			}
			if v != v {
				absent[j]++
			}
		}
	}
	region := func(j int) string {
		if j < len(names) && names[j] != "" {
			return fmt.Sprintf("region %d (%s)", j+1, names[j])
		}
		return fmt.Sprintf("region %d", j+1)
	}
	var errs []error
	for j := range status {
		switch {
		case absent[j] < x.Rows && (math.IsInf(low[j], 0) || math.IsInf(high[j], 0)):
			t := slices.IndexFunc(x.column(j), func(v float64) bool { return math.IsInf(v, 0) })
			errs = append(errs, fmt.Errorf("%s is infinite in volume %d", region(j), t+1))
		case absent[j] == x.Rows:
			status[j] = Missing
		case absent[j] > 0:
			t := slices.IndexFunc(x.column(j), func(v float64) bool { return v != v })
			errs = append(errs, fmt.Errorf("%s has no value in %d of %d volumes, first in volume %d; a region needs all volumes, or none when it is missing", region(j), absent[j], x.Rows, t+1))
		case max(high[j], -low[j]) > mostSize:
			errs = append(errs, fmt.Errorf("%s holds values as large as %.3g: sums of their squares overflow; scale the series", region(j), max(high[j], -low[j])))
		case high[j]-low[j] <= flat*max(math.Abs(high[j]), math.Abs(low[j])):
			status[j] = Constant
		}
	}
	return status, words.Errors(errs, 5)
}

// present lists the regions that have a signal.
func present(status []Status) []int {
	var p []int
	for j, s := range status {
		if s == Present {
			p = append(p, j)
		}
	}
	return p
}

// count tells how many regions are missing and how many constant.
func count(status []Status) (missing, constant int) {
	for _, s := range status {
		switch s {
		case Missing:
			missing++
		case Constant:
			constant++
		}
	}
	return missing, constant
}

// means of the columns, the rows added in order.
func means(x Matrix) []float64 {
	m := make([]float64, x.Cols)
	for t := range x.Rows {
		for j, v := range x.Row(t) {
			m[j] += v
		}
	}
	for j := range m {
		m[j] /= float64(x.Rows)
	}
	return m
}

// squares are the sums of squares of the columns, the rows added in order.
func squares(x Matrix) []float64 {
	s := make([]float64, x.Cols)
	for t := range x.Rows {
		for j, v := range x.Row(t) {
			s[j] += float64(v * v)
		}
	}
	return s
}

// center subtracts from each column its mean.
func center(x Matrix) []float64 {
	m := means(x)
	for t := range x.Rows {
		row := x.Row(t)
		for j := range row {
			row[j] -= m[j]
		}
	}
	return m
}

// zscore gives every region that has a signal mean 0 and standard deviation 1 (ddof 1, the
// "zscore_sample" of nilearn); a constant region becomes 0, a missing one stays NaN.
func zscore(z Matrix, status []Status) {
	center(z)
	scale := squares(z)
	for j, s := range scale {
		scale[j] = 0
		if status[j] == Present && s > 0 {
			scale[j] = 1 / math.Sqrt(s/float64(z.Rows-1))
		}
	}
	for t := range z.Rows {
		row := z.Row(t)
		for j := range row {
			row[j] *= scale[j] // NaN stays
		}
	}
}
