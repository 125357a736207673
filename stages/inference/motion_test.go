package inference

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/random"
)

// TestMotionAgainstSciPy: r, p and q of every edge are SciPy's, with covariates too; a covariate that the others
// determine costs no degree of freedom.
func TestMotionAgainstSciPy(t *testing.T) {
	var o struct {
		FD, Values, Robust []float64
		Covariates, Edges  [][]float64
		Cases              []struct {
			R, P, Q      []float64
			Median, Null float64
		}
	}
	b, err := os.ReadFile("testdata/motion.json")
	if err == nil {
		err = json.Unmarshal(b, &o)
	}
	need.NoError(t, err)
	for k, covariates := range [][][]float64{nil, o.Covariates[:2], o.Covariates} {
		want := o.Cases[min(k, 1)]
		m := MotionOf(o.Edges, o.FD, covariates)
		equal(t, "r", m.R, want.R)
		equal(t, "p", m.P, want.P)
		equal(t, "q", m.Q, want.Q)
		equal(t, "median and null", []float64{MedianAbs(m.R), m.Null}, []float64{want.Median, want.Null})
	}
	equal(t, "robust z", RobustZ(o.Values), o.Robust)
	constant := MotionOf([][]float64{slices.Repeat([]float64{0.3}, len(o.FD)), o.FD}, o.FD, nil)
	if !math.IsNaN(constant.R[0]) || !math.IsNaN(constant.Q[0]) || !same(constant.R[1], 1) || constant.P[1] > 1e-12 {
		t.Errorf("an edge that does not vary, and motion itself: %v", constant)
	}
	if few := MotionOf([][]float64{{1, 2, 4}}, []float64{1, 3, 2}, nil); !math.IsNaN(few.R[0]) ||
		!math.IsNaN(few.Null) {
		t.Errorf("of three participants: %v", few)
	}
}

// TestMotionWithoutRelation: the null's median |r| is what independent numbers give.
func TestMotionWithoutRelation(t *testing.T) {
	const n, edges = 60, 4000
	r := random.New(3, "motion")
	normal := func() []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = r.Normal()
		}
		return v
	}
	all := make([][]float64, edges)
	for e := range all {
		all[e] = normal()
	}
	m := MotionOf(all, normal(), [][]float64{normal()})
	below := 0
	for _, p := range m.P {
		if p < 0.05 {
			below++
		}
	}
	if got := MedianAbs(m.R); math.Abs(got/m.Null-1) > 0.05 || math.Abs(float64(below)/edges-0.05) > 0.015 {
		t.Errorf("median |r| %v, want about %v; %d of %d edges with p < 0.05", got, m.Null, below, edges)
	}
}
