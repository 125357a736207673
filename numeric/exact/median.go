package exact

import (
	"math"
	"slices"
)

// Median is the median of numbers without NaN, which it reorders; NaN of none.
func Median[F float32 | float64](v []F) float64 {
	n := len(v)
	if n == 0 {
		return math.NaN()
	}
	upper := nth(v, n/2)
	if n%2 == 1 {
		return float64(upper)
	}
	return (float64(slices.Max(v[:n/2])) + float64(upper)) / 2
}

// nth is the k-th smallest number, from 0 (quickselect: Hoare 1961). Smaller ones lie before it then.
func nth[F float32 | float64](v []F, k int) F {
	for low, high := 0, len(v)-1; low < high; {
		pivot, i, j := v[(low+high)/2], low, high
		for i <= j {
			for v[i] < pivot {
				i++
			}
			for v[j] > pivot {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return v[k]
		}
	}
	return v[k]
}
