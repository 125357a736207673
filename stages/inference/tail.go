package inference

import (
	"math"
	"slices"
)

// A tail keeps the largest of many values, enough for one of their quantiles, and not the others.
type tail struct {
	largest []float64
	most    int  // values that it keeps
	nan     bool // a value was NaN
}

// tailFor keeps what Quantile(q) of n values needs.
func tailFor(q float64, n int) tail { return tail{most: n - int(float64(q*float64(n-1)))} }

func (t *tail) add(v float64) {
	t.nan = t.nan || math.IsNaN(v)
	t.largest = append(t.largest, v)
	if len(t.largest) >= 2*t.most {
		t.cut()
	}
}

// cut sorts the largest values and drops the others.
func (t *tail) cut() {
	slices.Sort(t.largest)
	t.largest = t.largest[max(0, len(t.largest)-t.most):]
}

// quantile is Quantile(q) of all n values; NaN where one of them is.
func (t *tail) quantile(q float64, n int) float64 {
	if t.nan {
		return math.NaN()
	}
	t.cut()
	at := float64(q * float64(n-1))
	i := int(at) - (n - len(t.largest)) // the values below the tail are not needed
	if i == len(t.largest)-1 {
		return t.largest[i]
	}
	return t.largest[i] + float64((at-math.Floor(at))*(t.largest[i+1]-t.largest[i]))
}
