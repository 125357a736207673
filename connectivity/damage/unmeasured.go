package damage

import (
	"fmt"
	"math"

	"prgnn/connectivity"
	"prgnn/internal/words"
)

// A value is no measured one if it is so many times as large as all others but one in twenty: no scanner and no
// cleaning makes such a volume, but an overflow or a damaged file does. Codes for missing values, such as -9999, are
// smaller.
const (
	unmeasured      = 1e6
	unmeasuredShare = 20
	fewestVolumes   = 10 // of fewer, no value is far from the others
)

// Unmeasured refuses a series, T×N, with such values, by the number and name of each region.
func Unmeasured(x connectivity.Matrix, names ...string) error {
	var errs []error
	for j := range x.Cols {
		t := unmeasuredVolume(x, j)
		if t < 0 {
			continue
		}
		region := fmt.Sprintf("region %d", j+1)
		if j < len(names) && names[j] != "" {
			region += " (" + names[j] + ")"
		}
		errs = append(errs, fmt.Errorf("%s is %.3g in volume %d, more than a million times as large as in other volumes: it is not measured; correct the file, or exclude the participant",
			region, x.At(t, j), t+1))
	}
	return words.Errors(errs, 5)
}

// unmeasuredVolume is the first volume with such a value of a region; -1 for none.
func unmeasuredVolume(x connectivity.Matrix, j int) int {
	most := 0.0
	for t := range x.Rows {
		most = max(most, math.Abs(x.At(t, j)))
	}
	first, n, others := -1, 0, 0.0
	for t := range x.Rows {
		v := math.Abs(x.At(t, j))
		if v <= most/unmeasured {
			others = max(others, v)
			continue
		}
		if n++; first < 0 {
			first = t
		}
	}
	if others == 0 || x.Rows < fewestVolumes || unmeasuredShare*n > max(x.Rows, unmeasuredShare) {
		return -1
	}
	return first
}
