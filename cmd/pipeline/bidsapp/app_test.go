package bidsapp

import (
	"math"
	"testing"

	"prgnn/internal/need"
)

func TestCheck(t *testing.T) {
	for _, gb := range []float64{0, 0.5, 64} {
		need.Equal(t, (&App{Level: "group", Memory: gb}).Check(), nil, "--mem-gb", gb)
	}
	for _, gb := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1), 1e30} {
		if (&App{Level: "group", Memory: gb}).Check() == nil {
			t.Errorf("--mem-gb %v is accepted", gb)
		}
	}
	if (&App{Level: "group", Workers: -1}).Check() == nil {
		t.Error("--n-cpus -1 is accepted")
	}
}
