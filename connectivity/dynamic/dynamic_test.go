package dynamic

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"prgnn/connectivity"
	"prgnn/numeric/random"
)

type clusters struct {
	X, Start, Centers [][]float64
	Label             []int
	Inertia           float64
}

// oracle is testdata/oracle.json, of numpy, scipy and scikit-learn.
func oracle(t *testing.T) (o struct {
	Tapers []struct {
		Width             int
		Sigma             float64
		Gaussian, Hamming []float64
	}
	Window struct {
		X                [][]float64
		First            int
		Pearson, Partial []float64
		Delta            float64
	}
	KMeans, KMedians clusters
}) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "oracle.json"))
	if err == nil {
		err = json.Unmarshal(raw, &o)
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func near(a, b []float64, by float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= by })
}

func TestTapersOfScipy(t *testing.T) {
	o := oracle(t)
	if len(o.Tapers) != 4 {
		t.Fatalf("%d tapers", len(o.Tapers))
	}
	for _, c := range o.Tapers {
		for taper, want := range map[Taper][]float64{Gaussian: c.Gaussian, Hamming: c.Hamming,
			Rectangular: slices.Repeat([]float64{1}, c.Width)} {
			got, flank, err := Weights(taper, c.Width, c.Sigma)
			if err != nil || !near(got, want, 1e-14) || len(got) != c.Width+2*flank {
				t.Errorf("%s of %d, sigma %v: %v (flank %d, %v), want %v", taper, c.Width, c.Sigma, got, flank, err, want)
			}
		}
	}
	if _, _, err := Weights(Gaussian, 5, 0); err == nil {
		t.Error("a Gaussian without a width")
	}
}

func matrixOf(rows [][]float64) connectivity.Matrix {
	m := connectivity.NewMatrix(len(rows), len(rows[0]))
	for i, r := range rows {
		copy(m.Row(i), r)
	}
	return m
}

// A tapered window is that of numpy; a rectangular one that of package connectivity for the volumes of the window.
func TestEstimate(t *testing.T) {
	o := oracle(t).Window
	if !(o.Delta > 0.05 && o.Delta < 0.95) {
		t.Fatalf("the shrinkage of the fixture is %v", o.Delta)
	}
	x := matrixOf(o.X)
	weights, flank, err := Weights(Gaussian, 7, 2)
	if err != nil {
		t.Fatal(err)
	}
	whole := []connectivity.Segment{{From: 0, To: x.Rows}}
	all := Windows(whole, weights, flank, 1)
	status := make([]connectivity.Status, x.Cols)
	for _, partial := range []bool{false, true} {
		e := NewEstimator(status, partial)
		got, err := e.Estimate(x, all[o.First])
		want := map[bool][]float64{false: o.Pearson, true: o.Partial}[partial]
		if err != nil || !near(got, want, 1e-12) {
			t.Errorf("partial %v: %v (%v), want %v", partial, got, err, want)
		}
		flat, _, _ := Weights(Rectangular, 20, 0)
		windows := Windows(whole, flat, 0, 3)
		for _, w := range windows[:2] {
			rows := connectivity.Matrix{Rows: 20, Cols: x.Cols, Data: x.Data[w.First*x.Cols:][:20*x.Cols]}
			c, err := connectivity.Estimate([]connectivity.Matrix{rows},
				connectivity.Options{FisherZ: connectivity.FisherBoth})
			if err != nil {
				t.Fatal(err)
			}
			full := map[bool][]float64{false: c.Pearson, true: c.Partial}[partial]
			var want []float64
			for i := range x.Cols {
				want = append(want, full[i*x.Cols+i+1:(i+1)*x.Cols]...)
			}
			if got, err := e.Estimate(x, w); err != nil || !near(got, want, 1e-10) {
				t.Errorf("partial %v, from %d: %v (%v), want %v", partial, w.First, got, err, want)
			}
		}
	}
	// A missing region has zeros, and moves nothing else.
	status[1] = connectivity.Missing
	wide, _ := NewEstimator(make([]connectivity.Status, x.Cols), false).Estimate(x, all[3])
	for v := range x.Rows {
		x.Row(v)[1] = math.NaN()
	}
	got, err := NewEstimator(status, false).Estimate(x, all[3])
	for k, pair := 0, 0; err == nil && k < x.Cols; k++ {
		for l := k + 1; l < x.Cols; l++ {
			want := wide[pair]
			if k == 1 || l == 1 {
				want = 0
			}
			if math.Abs(got[pair]-want) > 1e-14 {
				t.Errorf("regions %d and %d: %v, want %v", k, l, got[pair], want)
			}
			pair++
		}
	}
}

// No window has a volume of another segment, flanks are cut there, and all steps are made.
func TestWindowsStayInTheirSegments(t *testing.T) {
	segments := []connectivity.Segment{{From: 0, To: 9}, {From: 9, To: 12}, {From: 12, To: 25}}
	weights, flank, err := Weights(Gaussian, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	var first []int
	for _, w := range Windows(segments, weights, flank, 2) {
		first = append(first, w.First)
		at := slices.IndexFunc(segments,
			func(s connectivity.Segment) bool { return s.From <= w.First && w.First < s.To })
		if s := segments[at]; w.from < s.From || w.from+len(w.weights) > s.To || w.Last != w.First+4 ||
			w.Begins != (w.First == s.From) ||
			w.weights[w.First-w.from] != weights[flank] {
			t.Errorf("window %+v of segment %v", w, s)
		}
	}
	if want := []int{0, 2, 4, 12, 14, 16, 18, 20}; !slices.Equal(first, want) {
		t.Errorf("windows from %v, want %v", first, want)
	}
}

func rowsOf(x [][]float64) Rows {
	r := Rows{D: len(x[0])}
	for _, row := range x {
		for _, v := range row {
			r.X = append(r.X, float32(v))
		}
	}
	return r
}

// From given centers k-means ends at those of scikit-learn, and with L1 at the medians of the definition.
func TestLloydOfSklearn(t *testing.T) {
	o := oracle(t)
	x := rowsOf(o.KMeans.X)
	for metric, want := range map[Metric]clusters{L2: o.KMeans, L1: o.KMedians} {
		for _, threads := range []int{1, 3} {
			c, err := Lloyd(t.Context(), x, o.KMeans.Start, metric, threads)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(c.Label, want.Label) || math.Abs(c.Inertia/want.Inertia-1) > 1e-12 ||
				!slices.EqualFunc(c.Centers, want.Centers, func(a, b []float64) bool { return near(a, b, 1e-6) }) {
				t.Errorf("%s: inertia %v, want %v; centers %v, want %v", metric, c.Inertia, want.Inertia, c.Centers, want.Centers)
			}
		}
	}
}

// Three planted states are found again, from any stream, the largest first; the same bits at any number of threads; and
// a center that loses its rows takes the farthest one.
func TestKMeans(t *testing.T) {
	s := random.New(5, "planted")
	var x [][]float64
	var truth []int
	for i := range 90 {
		l := []int{0, 0, 0, 1, 1, 2}[i%6]
		truth = append(truth, l)
		row := make([]float64, 10)
		for j := range row {
			row[j] = s.Normal()/4 + []float64{0, 3, -3}[l]*float64(1+j%2)
		}
		x = append(x, row)
	}
	stream := func(start int) *random.Stream { return random.New(9, "states", start) }
	for _, metric := range []Metric{L1, L2} {
		var first *Clustering
		for _, threads := range []int{1, 4} {
			c, err := KMeans(t.Context(), rowsOf(x), 3, metric, 10, threads, stream, func(int) {})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(c.Label, truth) {
				t.Errorf("%s: labels %v", metric, c.Label)
			}
			if first == nil {
				first = c
			} else if first.Inertia != c.Inertia || !slices.Equal(first.Centers[2], c.Centers[2]) {
				t.Errorf("%s: other bits with %d threads", metric, threads)
			}
		}
	}
	far := rowsOf([][]float64{{0}, {1}, {2}, {50}})
	c, err := Lloyd(t.Context(), far, [][]float64{{1}, {1000}}, L2, 1)
	if err != nil || !slices.Equal(c.Label, []int{0, 0, 0, 1}) || c.Centers[1][0] != 50 {
		t.Errorf("labels %v, centers %v (%v)", c.Label, c.Centers, err)
	}
	if _, err := KMeans(t.Context(), far, 5, L2, 1, 1, stream, func(int) {}); err == nil {
		t.Error("five states of four windows")
	}
}

// From a bad start, many states of evenly spread numbers do not settle in mostSteps.
func TestLloydStops(t *testing.T) {
	s, x := random.New(1, "spread"), Rows{D: 1}
	for i := range 2500 {
		x.X = append(x.X, float32(float64(i)+s.Float64())/2500)
	}
	for k, want := range map[int]bool{5: false, 40: true} {
		var centers [][]float64
		for c := range k {
			centers = append(centers, []float64{float64(c) * 1e-4})
		}
		c, err := Lloyd(t.Context(), x, centers, L2, 2)
		if err != nil || c.Stopped != want || c.Stopped != (c.Steps == mostSteps) {
			t.Errorf("%d states: %d steps, stopped %v (%v)", k, c.Steps, c.Stopped, err)
		}
	}
}

// By hand: visits end where a segment ends.
func TestStays(t *testing.T) {
	label, starts := []int{0, 0, 1, 1, 1, 0, 0, 0}, make([]bool, 8)
	starts[0], starts[7] = true, true
	stays, transitions := Stays(label, starts, 3)
	if want := []Stay{{5.0 / 8, 5.0 / 3, 3}, {3.0 / 8, 3, 1}, {}}; !slices.Equal(stays, want) {
		t.Errorf("stays %v, want %v", stays, want)
	}
	if !slices.Equal(transitions[0], []int{2, 1, 0}) || !slices.Equal(transitions[1], []int{1, 2, 0}) ||
		!slices.Equal(transitions[2], []int{0, 0, 0}) {
		t.Errorf("transitions %v", transitions)
	}
	v := []float64{1, 3, 2, 2, 5, 4, 6, 1}
	want := []bool{false, true, false, false, true, false, false, false}
	if got := Exemplars(v, starts); !slices.Equal(got, want) {
		t.Errorf("exemplars %v, want %v", got, want)
	}
	if got := Exemplars([]float64{1, 2}, make([]bool, 2)); !slices.Equal(got, []bool{false, true}) {
		t.Errorf("exemplars of two windows %v", got)
	}
}
