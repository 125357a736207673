package damage

import (
	"fmt"
	"math"
	"testing"

	"prgnn/connectivity"
	"prgnn/internal/need"
	"prgnn/numeric/random"
)

// Without the mean over the regions, a mean of all regions is constant, also in text with four decimals and beside a
// region without a signal; few volumes alone are singular, and Fisher's z with 1 on the diagonal is indefinite.
func TestSpectrumOf(t *testing.T) {
	const n = 20
	made := func(volumes int, removed bool) connectivity.Matrix {
		r, x := random.New(3, "spectrum"), connectivity.NewMatrix(volumes, n)
		for v := range volumes {
			shared, mean := r.Normal(), 0.0
			for j := range n - 1 { // the last has no signal
				x.Row(v)[j] = (1 + 0.05*float64(j)) * (r.Normal() + shared)
				mean += x.At(v, j) / (n - 1)
			}
			for j := range n - 1 {
				if removed {
					x.Row(v)[j] -= mean
				}
			}
		}
		c, err := connectivity.Estimate([]connectivity.Matrix{x},
			connectivity.Options{Partial: connectivity.Ridge, Rho: 0.1})
		need.NoError(t, err)
		return connectivity.Matrix{Rows: n, Cols: n, Data: c.Pearson}
	}
	changed := func(x connectivity.Matrix, change func(v float64) float64) connectivity.Matrix {
		for i, v := range x.Data {
			if i%(n+1) != 0 {
				x.Data[i] = change(v)
			}
		}
		return x
	}
	for name, c := range map[string]struct {
		of   connectivity.Matrix
		want string
		low  bool
	}{
		"as measured":    {made(100, false), "{false false false}", false},
		"global removed": {made(100, true), "{true true false}", true},
		"four decimals": {changed(made(100, true), func(v float64) float64 { return math.Round(v*1e4) / 1e4 }),
			"{true true false}", true},
		"few volumes": {made(15, false), "{true false false}", false},
		"Fisher's z": {changed(made(100, false), func(v float64) float64 { return 1.5 * math.Atanh(v) }),
			"{false false true}", false},
		"two regions": {connectivity.Matrix{Rows: 2, Cols: 2, Data: []float64{1, .5, .5, 1}}, "{false false false}", true},
	} {
		s := SpectrumOf(c.of)
		need.Equal(t, fmt.Sprint(struct{ a, b, c bool }{s.Singular, s.Constant, s.Indefinite}), c.want, name)
		need.Equal(t, s.Mean < 0.03, c.low, name)
	}
}

// The spread is numpy.std of numpy.arctanh over the pairs of regions with a signal.
func TestSpreadOf(t *testing.T) {
	r := connectivity.Matrix{Rows: 5, Cols: 5, Data: []float64{
		1, .5, -.2, 0, .1,
		.5, 1, .3, 0, -.4,
		-.2, .3, 1, 0, .25,
		0, 0, 0, 0, 0,
		.1, -.4, .25, 0, 1}}
	if got, want := SpectrumOf(r).Spread, 0.325514898619277; math.Abs(got-want) > 1e-15 {
		t.Errorf("%v, want %v", got, want)
	}
}
