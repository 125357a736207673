package inference

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/random"
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
		m := MotionOf(slices.Values(o.Edges), o.FD, covariates)
		equal(t, "r", m.R, want.R)
		equal(t, "p", m.P, want.P)
		equal(t, "q", m.Q, want.Q)
		equal(t, "median and null", []float64{MedianAbs(m.R), m.Null}, []float64{want.Median, want.Null})
	}
	equal(t, "robust z", RobustZ(o.Values), o.Robust)
	constant := MotionOf(slices.Values([][]float64{slices.Repeat([]float64{0.3}, len(o.FD)), o.FD}), o.FD, nil)
	if !math.IsNaN(constant.R[0]) || !math.IsNaN(constant.Q[0]) || !same(constant.R[1], 1) || constant.P[1] > 1e-12 {
		t.Errorf("an edge that does not vary, and motion itself: %v", constant)
	}
	if few := MotionOf(slices.Values([][]float64{{1, 2, 4}}), []float64{1, 3, 2}, nil); !math.IsNaN(few.R[0]) ||
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
	m := MotionOf(slices.Values(all), normal(), [][]float64{normal()})
	below := lists.Count(m.P, func(p float64) bool { return p < 0.05 })
	if got := MedianAbs(m.R); math.Abs(got/m.Null-1) > 0.05 || math.Abs(float64(below)/edges-0.05) > 0.015 {
		t.Errorf("median |r| %v, want about %v; %d of %d edges with p < 0.05", got, m.Null, below, edges)
	}
}

// TestMotionOfMissing: an edge that some participants lack is that edge in a study without them; one that more than
// half lack is left out.
func TestMotionOfMissing(t *testing.T) {
	const n = 40
	r := random.New(5, "missing")
	draw := func() []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = r.Normal()
		}
		return v
	}
	motion, age, whole, gaps, mostly := draw(), draw(), draw(), draw(), draw()
	keep := []int{}
	for i := range n {
		if i%3 == 1 {
			gaps[i] = math.NaN()
		} else {
			keep = append(keep, i)
		}
		if i%2 == 1 || i == 4 {
			mostly[i] = math.NaN()
		}
	}
	of := func(v []float64) (out []float64) {
		for _, i := range keep {
			out = append(out, v[i])
		}
		return out
	}
	m := MotionOf(slices.Values([][]float64{whole, gaps, mostly}), motion, [][]float64{age})
	alone := MotionOf(slices.Values([][]float64{of(gaps)}), of(motion), [][]float64{of(age)})
	all := MotionOf(slices.Values([][]float64{whole}), motion, [][]float64{age})
	if m.R[1] != alone.R[0] || m.P[1] != alone.P[0] || m.R[0] != all.R[0] || m.P[0] != all.P[0] {
		t.Errorf("r %v, p %v; alone %v %v, %v %v", m.R, m.P, all.R, all.P, alone.R, alone.P)
	}
	if m.Null != (all.Null+alone.Null)/2 || !math.IsNaN(m.R[2]) {
		t.Errorf("null %v of %v and %v; an edge that more than half lack: %v", m.Null, all.Null, alone.Null, m.R[2])
	}
}
