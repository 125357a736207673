// Package humanize stands in for the module of that name, version v1.0.1: minio-go writes two sizes with it, in
// messages about parts of uploads, and it compiles patterns and raises powers at every start.
// docs/decisions/0008-size.md tells more.
package humanize

import (
	"fmt"
	"math"
)

// Binary multiples of a byte.
const (
	KiByte = 1 << 10
	MiByte = 1 << 20
)

// IBytes is a number of bytes, with a unit.
func IBytes(n uint64) string {
	x, unit := float64(n), 0
	for ; x >= KiByte; unit++ {
		x /= KiByte
	}
	x = math.Floor(x*10+0.5) / 10
	digits := 0
	if x < 10 && unit > 0 {
		digits = 1
	}
	return fmt.Sprintf("%.*f %s", digits, x, []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}[unit])
}
