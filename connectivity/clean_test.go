package connectivity

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"prgnn/internal/need"
)

// The denoised time series of nilearn's golden set. Its means are single precision, and
// the files hold 12 digits.
func TestSeriesOfNilearn(t *testing.T) {
	raw := golden(t, "ts_raw")
	_, confounds := readTSV(t, filepath.Join("testdata", "nilearn", "confounds.tsv"))
	keep := make([]bool, raw.Rows)
	for i := range keep {
		keep[i] = true
	}
	for _, censored := range []int{0, 1, 20, 21, 33} {
		keep[censored] = false
	}
	for _, c := range []struct {
		file string
		o    Cleaning
	}{
		{"ts_zscore_sample", Cleaning{Detrend: -1}},
		{"ts_psc", Cleaning{Detrend: -1, Standardize: ScalePSC}},
		{"ts_confounds_only", Cleaning{Detrend: -1, Regressors: confounds}},
		{"ts_scrub_nofilter", Cleaning{Detrend: 1, TrendOver: OverKept, Regressors: confounds, Keep: keep}},
		{"ts_clean", Cleaning{TR: 2, Detrend: 1, Filter: Butterworth, HighPass: 0.01, LowPass: 0.1,
			Regressors: confounds}},
	} {
		t.Run(c.file, func(t *testing.T) {
			cleaner, err := NewCleaner(raw.Rows, c.o)
			need.NoError(t, err)
			got, status, err := cleaner.Clean(raw)
			need.NoError(t, err)
			for j, s := range status {
				need.Equal(t, s, Present, "region", j+1)
			}
			closeTo(t, c.file, got, golden(t, c.file), 3e-5)
		})
	}
}

func clean(t *testing.T, x Matrix, o Cleaning) (Matrix, []Status) {
	t.Helper()
	c, err := NewCleaner(x.Rows, o)
	need.NoError(t, err)
	before := x.Clone()
	y, status, err := c.Clean(x)
	need.NoError(t, err)
	unchanged(t, x, before)
	return y, status
}

// What has no signal, and what the regressors explain, must not be scaled up to
// unit variance, whatever is done to the series.
func TestNothingIsMadeOfNothing(t *testing.T) {
	const n = 80
	signal, regressor := randoms(1, n), randoms(2, n)
	x := NewMatrix(n, 7)
	for i := range n {
		copy(x.Row(i), []float64{
			signal[i], nan, 1234.5,
			1000 + 3*float64(i),                    // a trend
			5000 + 2*regressor[i] - 0.1*float64(i), // regressor and trend
			1e4 + signal[i] + regressor[i],
			1e7 + regressor[i], // of which rounding leaves 1e-9
		})
	}
	want := []Status{Present, Missing, Constant, Constant, Constant, Present, Constant}
	keep, _ := keepAllBut(n, []int{5, 40, 41})
	for _, o := range []Cleaning{
		{Detrend: 1},
		{Detrend: 3, Keep: keep},
		{Detrend: 1, TR: 2, Filter: Butterworth, LowPass: 0.1},
		{Detrend: 1, TR: 2, Filter: Butterworth, HighPass: 0.01, LowPass: 0.1, Keep: keep},
		{Detrend: 2, TR: 2, Filter: Cosine, HighPass: 0.01},
		{Detrend: 1, Standardize: ScalePSC},
		{Detrend: 1, Standardize: ScaleNone},
	} {
		o.Regressors = columns(regressor)
		if o.Standardize == ScalePSC {
			for i := range n {
				x.Row(i)[0] += 100 // a signal whose mean is 0 has no per cent
			}
		}
		y, status := clean(t, x, o)
		for j, s := range status {
			need.Equal(t, s, want[j], o.Filter, j+1)
			for i := range y.Rows {
				switch v := y.At(i, j); {
				case s == Missing && !math.IsNaN(v), s == Constant && v != 0, s == Present && !finite(v):
					t.Fatalf("%s: region %d (%s) is %v in volume %d", o.Filter, j+1, s, v, i+1)
				}
			}
		}
	}
}

// A draw is cleaned alike whatever else is cleaned with it.
func TestRegionsDoNotTouchEachOther(t *testing.T) {
	x := columns(randoms(1, 90), randoms(2, 90), randoms(3, 90))
	o := Cleaning{TR: 2, Detrend: 2, Filter: Butterworth, HighPass: 0.01, LowPass: 0.1,
		Regressors: columns(randoms(9, 90))}
	all, _ := clean(t, x, o)
	one, _ := clean(t, columns(x.column(1)), o)
	for i := range all.Rows {
		if math.Float64bits(all.At(i, 1)) != math.Float64bits(one.At(i, 0)) {
			t.Fatalf("volume %d: %v with the others, %v alone", i+1, all.At(i, 1), one.At(i, 0))
		}
	}
}

func TestBandPassKeepsItsBand(t *testing.T) {
	const n, tr = 300, 2.0
	x := NewMatrix(n, 3)
	for i := range n {
		s := float64(i) * tr
		copy(x.Row(i), []float64{
			math.Sin(2 * math.Pi * 0.05 * s), // inside
			math.Sin(2 * math.Pi * 0.2 * s),  // above
			math.Sin(2 * math.Pi * 0.002 * s),
		})
	}
	for _, f := range []Filter{Butterworth, Cosine} {
		y, _ := clean(t, x, Cleaning{TR: tr, Detrend: -1, Filter: f, HighPass: 0.01, LowPass: 0.1,
			Standardize: ScaleNone})
		before, after := squares(x), squares(y)
		for j, bounds := range [][2]float64{{0.9, 1.01}, {0, 0.02}, {0, 0.05}} {
			if share := after[j] / before[j]; share < bounds[0] || share > bounds[1] {
				t.Errorf("%s: wave %d keeps %.3f of its power, want %v", f, j, share, bounds)
			}
		}
	}
}

func TestNothingAskedIsNothingDone(t *testing.T) {
	x := golden(t, "ts_raw")
	y, _ := clean(t, x, Cleaning{Detrend: -1, Standardize: ScaleNone})
	closeTo(t, "the series", y, x, 1e-9)
}

// The band of the field at T = 146 and TR 2 s leaves about 53 of 146.
func TestBandPassTrap(t *testing.T) {
	c, err := NewCleaner(146, Cleaning{TR: 2, Detrend: 1, Filter: Butterworth, HighPass: 0.01, LowPass: 0.1})
	need.NoError(t, err)
	if got, want := c.Quality.TEff, 146*0.36; math.Abs(got-want) > 1e-9 {
		t.Errorf("T_eff %v, want %v", got, want)
	}
	x := Matrix{Rows: 146, Cols: 84, Data: randoms(1, 146*84)}
	_, err = Estimate([]Matrix{x}, Options{Partial: Empirical, TEff: c.Quality.TEff, Band: true})
	const want = "draw 0: the empirical partial correlation of 84 regions needs at least 94 degrees of freedom, but these time series have 52.56 (of 146 volumes): the estimate would be mostly noise; use partial: ledoit-wolf or ridge; a wider band leaves more degrees of freedom"
	if err == nil || err.Error() != want {
		t.Errorf("error %v\nwant %s", err, want)
	}
}

// The degrees of freedom are the rank of the cleaned series, the mean subtracted; those of the standard error of a
// correlation and of what the data alone determine are the same.
func TestFreedomIsTheRank(t *testing.T) {
	const volumes = 60
	for _, o := range []Cleaning{
		{Detrend: -1}, {Detrend: 0}, {Detrend: 1},
		{Detrend: 2, Regressors: Matrix{Rows: volumes, Cols: 7, Data: randoms(2, 7*volumes)}},
		{Detrend: 1, TR: 2, Filter: Cosine, HighPass: 0.02, LowPass: 0.1},
	} {
		o.Standardize = ScaleNone
		cleaner := need.Value(NewCleaner(volumes, o))(t)
		y, _, err := cleaner.Clean(Matrix{Rows: volumes, Cols: volumes + 5, Data: randoms(3, volumes*(volumes+5))})
		need.NoError(t, err)
		for j := range y.Cols {
			mean := 0.0
			for i := range y.Rows {
				mean += y.At(i, j) / volumes
			}
			for i := range y.Rows {
				y.Row(i)[j] -= mean
			}
		}
		var svd mat.SVD
		need.Equal(t, svd.Factorize(mat.NewDense(y.Rows, y.Cols, y.Data), mat.SVDNone), true)
		need.Equal(t, float64(svd.Rank(1e-9)), cleaner.Quality.TEff, o.Detrend, string(o.Filter))
	}
	q := need.Value(Estimate([]Matrix{{Rows: 30, Cols: 30, Data: randoms(4, 900)}}, Options{}))(t).Quality[0]
	need.Equal(t, q.Weakness != nil && q.Weakness.Kind == Undetermined, true, "as many volumes as regions")
}

func TestCleaningRefusesWhatCannotBeMeant(t *testing.T) {
	for _, c := range []struct {
		volumes int
		o       Cleaning
		want    string
	}{
		{50, Cleaning{HighPass: 0.01}, `a pass band is set, but the filter is "none": choose butterworth or cosine`},
		{50, Cleaning{Filter: Cosine, TR: 2}, "the cosine filter has no pass band: set high_pass, low_pass or both, in Hz"},
		{50, Cleaning{Filter: Butterworth, HighPass: 0.01}, "a filter needs the repetition time: set tr, in s"},
		{50, Cleaning{Filter: Butterworth, TR: nan, HighPass: 0.01}, "a filter needs the repetition time: set tr, in s"},
		{50, Cleaning{Filter: Butterworth, TR: 2, LowPass: 0.3}, "low_pass is 0.3 Hz: it must lie between 0 and the Nyquist frequency, 0.25 Hz at a repetition time of 2 s"},
		{50, Cleaning{Filter: Butterworth, TR: 2, HighPass: 0.1, LowPass: 0.05}, "high_pass (0.1 Hz) is not below low_pass (0.05 Hz)"},
		{33, Cleaning{Filter: Butterworth, TR: 2, HighPass: 0.01, LowPass: 0.1}, "33 volumes are too few for a Butterworth filter of order 5, which needs more than 33; use the cosine filter"},
		{50, Cleaning{Filter: "boxcar"}, `unknown filter "boxcar"`},
		{4, Cleaning{Keep: make([]bool, 4)}, "0 of 4 volumes are kept, which is too few; raise the censoring thresholds"},
		{50, Cleaning{Keep: make([]bool, 4), Regressors: NewMatrix(49, 1)}, "the time series have 50 volumes, the censoring mask 4\nthe time series have 50 volumes, the regressors 49"},
		{3, Cleaning{Regressors: columns([]float64{1, 2, nan})}, "regressor 1 has no value in volume 3"},
		{12, Cleaning{Detrend: 1, Regressors: Matrix{Rows: 12, Cols: 11, Data: randoms(1, 132)}}, "no degrees of freedom are left: of 12 kept volumes, regressors take 10, the filter 0, and mean and trend 2; use fewer regressors or a wider band"},
	} {
		_, err := NewCleaner(c.volumes, c.o)
		if err == nil || err.Error() != c.want {
			t.Errorf("error %v\nwant  %s", err, c.want)
		}
	}
	c := need.Value(NewCleaner(10, Cleaning{Standardize: ScalePSC}))(t)
	if _, _, err := c.Clean(NewMatrix(9, 2)); err == nil || err.Error() != "the time series have 9 volumes, but denoising was prepared for 10" {
		t.Errorf("error %v", err)
	}
	z := columns(randoms(1, 10))
	zscore(z, []Status{Present})
	if _, _, err := c.Clean(z); err == nil || !strings.Contains(err.Error(), "percent signal change is undefined") {
		t.Errorf("error %v", err)
	}
}
