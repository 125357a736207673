package connectivity

import (
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/numeric/random"
)

// The digests of everything that is computed from a run of simulated series. They are
// the same on amd64, with and without vectors, and on arm64; a change of the science
// that moves a bit is seen here, and its reason belongs in the change.
var digests = map[string]string{
	"clean":       "7a5541ea1e65ffea",
	"empirical":   "b5d2a73afd5fea55",
	"ledoit-wolf": "476210658fd5ac89",
	"oas":         "aaf73c7f7e50d201",
	"ridge":       "12a0a35d9be9fe43",
	"glasso":      "e1518ffeab23e5da",
	"glasso-cv":   "f7f39dd7b98a1451",
}

func TestBits(t *testing.T) {
	const volumes, regions = 120, 21
	r := random.New(2020, "bits")
	x, regressors := NewMatrix(volumes, regions), NewMatrix(volumes, 4)
	for i := range volumes {
		common := r.Normal()
		for j := range regions {
			x.Row(i)[j] = 1000 + r.Normal() + float64(common*float64(j%4))
		}
		for j := range regressors.Row(i) {
			regressors.Row(i)[j] = r.Normal()
		}
	}
	got := map[string]string{}
	keep, _ := keepAllBut(volumes, []int{0, 30, 31, 77})
	var cleaned [][]float64
	var draws []Matrix
	for _, o := range []Cleaning{
		{Detrend: 3},
		{Detrend: 1, TR: 2, Filter: Butterworth, HighPass: 0.01, LowPass: 0.1},
		{Detrend: 2, TR: 2, Filter: Butterworth, HighPass: 0.008},
		{Detrend: 2, TR: 2, Filter: Butterworth, Order: 4, LowPass: 0.1},
		{Detrend: 1, TR: 2, Filter: Cosine, HighPass: 0.01, LowPass: 0.15},
	} {
		o.Regressors, o.Keep = regressors, keep
		y, _ := clean(t, x, o)
		cleaned = append(cleaned, y.Data)
		draws = append(draws, y)
	}
	got["clean"] = testdir.Bits(cleaned...)
	for _, e := range append(estimators, GlassoCV) {
		c := need.Value(Estimate(draws[:1], Options{Partial: e, Pearson: LedoitWolf, Rho: 0.1, Alpha: 0.3,
			FisherZ: FisherBoth, Both: true}))(t)
		got[string(e)] = testdir.Bits(c.Pearson, c.Partial, c.Covariance, c.Precision,
			[]float64{c.Quality[0].Condition, c.Quality[0].PartialSE})
	}
	for name, want := range digests {
		need.Equal(t, got[name], want, name)
	}
}
