package connectivity

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"prgnn/internal/need"
	"prgnn/numeric/random"
)

// oracleValues are what testdata/oracle.py wrote.
type oracleValues struct {
	Filtfilt []struct {
		Order     int
		High, Low float64
		Y         [][]float64
	}
	Bridge []struct {
		Censored []int
		Y, Cubic [][]float64
	}
	Trend []struct {
		Order int
		Y     [][]float64
	}
	ScrubbedButterworth scrubbed   `json:"scrubbed_butterworth"`
	NilearnButterworth  []scrubbed `json:"nilearn_butterworth"`
	ScrubbedTrend       scrubbed   `json:"scrubbed_trend"`
	ScrubbedCosine      scrubbed   `json:"scrubbed_cosine"`
	Glasso              []struct {
		Alpha                 float64
		Covariance, Precision [][]float64
	}
	GlassoCV struct{ Alpha float64 } `json:"glasso_cv"`
	Authors  struct{ Edges [][3]float64 }
}

type scrubbed struct {
	Censored []int
	N        int
	Y        [][]float64
}

func oracle(t *testing.T) oracleValues {
	t.Helper()
	b := need.Value(os.ReadFile(filepath.Join("testdata", "oracle.json")))(t)
	var o oracleValues
	need.NoError(t, json.Unmarshal(b, &o))
	return o
}

func matrixOf(rows [][]float64) Matrix {
	m := NewMatrix(len(rows), len(rows[0]))
	for i, r := range rows {
		copy(m.Row(i), r)
	}
	return m
}

// firstColumns copies k columns.
func firstColumns(x Matrix, k int) Matrix {
	y := NewMatrix(x.Rows, k)
	for t := range x.Rows {
		copy(y.Row(t), x.Row(t))
	}
	return y
}

func keepAllBut(n int, censored []int) ([]bool, []int) {
	keep, list := make([]bool, n), []int{}
	for t := range keep {
		keep[t] = true
	}
	for _, t := range censored {
		keep[t] = false
	}
	for t, k := range keep {
		if k {
			list = append(list, t)
		}
	}
	return keep, list
}

func TestFiltfiltOfScipy(t *testing.T) {
	x := firstColumns(golden(t, "ts_raw"), 2)
	for _, c := range oracle(t).Filtfilt {
		y := x.Clone()
		const nyquist = 0.25
		filtfilt(y, butterworth(c.Order, c.High/nyquist, c.Low/nyquist))
		// Near 1000, and poles near the unit circle: nine digits.
		closeTo(t, "filtfilt", y, matrixOf(c.Y), 1e-6)
	}
}

// Straight lines are numpy's (interp), cubic splines scipy's (CubicSpline).
func TestBridgesOfScipy(t *testing.T) {
	x := firstColumns(golden(t, "ts_raw"), 2)
	for _, c := range oracle(t).Bridge {
		_, keep := keepAllBut(x.Rows, c.Censored)
		for name, of := range map[string]struct {
			make func(Matrix, []int)
			want [][]float64
		}{"linear": {bridge, c.Y}, "cubic": {bridgeCubic, c.Cubic}} {
			y := x.Clone()
			for _, t := range c.Censored { // what was censored must not matter
				if name == "linear" || keep[0] < t && t < keep[len(keep)-1] {
					y.Row(t)[0], y.Row(t)[1] = 1e6, -1e6
				}
			}
			of.make(y, keep)
			scale := 1.0
			for _, v := range matrixOf(of.want).Data {
				scale = max(scale, math.Abs(v))
			}
			closeTo(t, name, y, matrixOf(of.want), 1e-12*scale)
		}
	}
}

// With its bridge, a censored run and a Butterworth filter are nilearn's, also where volumes at the ends are censored.
func TestBridgeOfNilearn(t *testing.T) {
	x := golden(t, "ts_raw")
	_, confounds := readTSV(t, filepath.Join("testdata", "nilearn", "confounds.tsv"))
	for _, c := range oracle(t).NilearnButterworth {
		o := Cleaning{TR: 2, Detrend: 1, Filter: Butterworth, HighPass: 0.01, LowPass: 0.1, Regressors: confounds}
		o.Keep, _ = keepAllBut(x.Rows, c.Censored)
		for _, o.Bridge = range []Bridge{Cubic, Linear} {
			got, _, err := need.Value(NewCleaner(x.Rows, o))(t).Clean(x)
			need.NoError(t, err)
			if o.Bridge == Cubic {
				closeTo(t, "nilearn", got, matrixOf(c.Y), 1e-8)
			} else if want := matrixOf(c.Y); math.Abs(got.At(0, 0)-want.At(0, 0)) < 1e-3 {
				t.Error("a straight line gives the same")
			}
		}
	}
}

// A straight line leaves the correlations of independent series as they are, over a gap of any length; a cubic spline
// does not.
func TestBridgeOfLongGaps(t *testing.T) {
	const volumes, regions = 200, 8
	r := random.New(9, "gaps")
	x := NewMatrix(volumes, regions)
	for i := range x.Data {
		x.Data[i] = 100 + 2*r.Normal()
	}
	for _, gap := range []int{10, 20, 40, 60} {
		o := Cleaning{TR: 2, Detrend: 1, Filter: Butterworth, HighPass: 0.01, LowPass: 0.1}
		whole, _, err := need.Value(NewCleaner(volumes, o))(t).Clean(x)
		need.NoError(t, err)
		o.Keep = make([]bool, volumes)
		var keep []int
		for v := range o.Keep {
			if o.Keep[v] = v < 60 || v >= 60+gap; o.Keep[v] {
				keep = append(keep, v)
			}
		}
		whole = whole.rows(keep)
		far := map[Bridge]float64{} // the largest difference of a correlation
		for _, o.Bridge = range []Bridge{Linear, Cubic} {
			c := need.Value(NewCleaner(volumes, o))(t)
			y, _, err := c.Clean(x)
			need.NoError(t, err)
			need.Equal(t, c.Quality.Bridged, gap, "bridged")
			need.Equal(t, c.Quality.LongestGap, gap, "the longest gap")
			for i := range regions {
				for j := range i {
					far[o.Bridge] = max(far[o.Bridge], math.Abs(pearson(y, i, j)-pearson(whole, i, j)))
				}
			}
		}
		t.Logf("a gap of %d volumes: linear %.3f, cubic %.3f", gap, far[Linear], far[Cubic])
		if far[Linear] > 0.15 || far[Cubic] < far[Linear] || gap >= 20 && far[Cubic] < 0.4 {
			t.Errorf("a gap of %d volumes changes correlations by up to %.3f, with a cubic spline by %.3f",
				gap, far[Linear], far[Cubic])
		}
	}
}

func pearson(x Matrix, i, j int) float64 {
	xy, xx, yy := 0.0, 0.0, 0.0
	mean := means(x)
	for t := range x.Rows {
		a, b := x.At(t, i)-mean[i], x.At(t, j)-mean[j]
		xy, xx, yy = xy+a*b, xx+a*a, yy+b*b
	}
	return xy / math.Sqrt(xx*yy)
}

func TestTrendOfNumpy(t *testing.T) {
	x := firstColumns(golden(t, "ts_raw"), 3)
	for _, c := range oracle(t).Trend {
		cleaner, err := NewCleaner(x.Rows, Cleaning{Detrend: c.Order, Standardize: ScaleNone})
		need.NoError(t, err)
		y, _, err := cleaner.Clean(x)
		need.NoError(t, err)
		closeTo(t, "trend", y, matrixOf(c.Y), 1e-9)
		need.Equal(t, cleaner.Quality.TEff, float64(x.Rows-c.Order-1), "order", c.Order)
	}
}

// The whole cleaning of a censored run, filters and all.
func TestScrubbedRunOfNumpy(t *testing.T) {
	x := golden(t, "ts_raw")
	_, confounds := readTSV(t, filepath.Join("testdata", "nilearn", "confounds.tsv"))
	o := oracle(t)
	for _, c := range []struct {
		name string
		o    Cleaning
		want scrubbed
		teff float64
	}{
		{"butterworth", Cleaning{TR: 2, Detrend: 2, Filter: Butterworth, HighPass: 0.01, LowPass: 0.1},
			o.ScrubbedButterworth, 54*0.36 - 4 - (3 - 54*0.04)},
		{"trend", Cleaning{Detrend: 2}, o.ScrubbedTrend, 54 - 4 - 3},
		{"cosine", Cleaning{TR: 2, Detrend: 1, Filter: Cosine, HighPass: 0.01, LowPass: 0.1}, o.ScrubbedCosine,
			float64(54 - 4 - 2 - o.ScrubbedCosine.N)},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Regressors = confounds
			c.o.Keep, _ = keepAllBut(x.Rows, c.want.Censored)
			cleaner := need.Value(NewCleaner(x.Rows, c.o))(t)
			spiked := x.Clone()
			for _, at := range c.want.Censored { // a spike in a censored volume goes nowhere
				for j := range spiked.Row(at) {
					spiked.Row(at)[j] += 1e4
				}
			}
			for _, in := range []Matrix{x, spiked} {
				got, _, err := cleaner.Clean(in)
				need.NoError(t, err)
				closeTo(t, c.name, got, matrixOf(c.want.Y), 1e-8)
			}
			if got := cleaner.Quality.TEff; math.Abs(got-c.teff) > 1e-9 {
				t.Errorf("T_eff %v, want %v", got, c.teff)
			}
		})
	}
}

func TestGlassoOfScikitLearn(t *testing.T) {
	x := golden(t, "ts_raw")
	for _, c := range oracle(t).Glasso {
		got, err := Estimate([]Matrix{x}, Options{Partial: Glasso, Alpha: c.Alpha, Tolerance: 1e-11, Both: true})
		need.NoError(t, err)
		closeTo(t, "covariance", got.view(got.Covariance, 0), matrixOf(c.Covariance), 1e-6)
		closeTo(t, "precision", got.view(got.Precision, 0), matrixOf(c.Precision), 1e-6)
		need.Equal(t, got.Quality[0].Shrinkage, c.Alpha, "the quality tells α")
	}
}

func TestGlassoCVOfScikitLearn(t *testing.T) {
	got, err := Estimate([]Matrix{golden(t, "ts_raw")}, Options{Partial: GlassoCV, Tolerance: 1e-9})
	need.NoError(t, err)
	if a, want := got.Quality[0].Shrinkage, oracle(t).GlassoCV.Alpha; math.Abs(a-want) > 1e-9 {
		t.Errorf("α %v, scikit-learn %v", a, want)
	}
}

func TestEdgesOfTheAuthorsCode(t *testing.T) {
	p := readNPY(t, filepath.Join("testdata", "p20short", "pcorr_lw.npy"))
	g, err := Build(p, Rule{Kind: AuthorsCode, Percentile: 80})
	need.NoError(t, err)
	want := oracle(t).Authors.Edges
	if len(g.Edges) != len(want) {
		t.Fatalf("%d edges, want %d", len(g.Edges), len(want))
	}
	for k, e := range g.Edges {
		if w := want[k]; e.Source != int(w[0]) || e.Target != int(w[1]) || e.Weight != w[2] {
			t.Errorf("edge %d is %v, want %v", k, e, w)
		}
	}
	need.Equal(t, g.Quality.Repaired, 0, "nodes were repaired; the authors' code repairs none")
	// At 84 nodes and the 95th percentile: the largest 353 of 7056 entries and the
	// twin of the smallest, less the diagonal, are 135 pairs.
	p = NewMatrix(84, 84)
	for i := range 84 {
		p.Data[i*84+i] = 1
		for j, v := range randoms(uint64(i), i) {
			p.Data[i*84+j], p.Data[j*84+i] = v/10, v/10
		}
	}
	if g, err = Build(p, Rule{Kind: AuthorsCode, Percentile: 95}); err != nil || len(g.Edges) != 135 {
		t.Errorf("%d edges (%v), want 135", len(g.Edges), err)
	}
}
