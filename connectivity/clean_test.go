package connectivity

import (
	"path/filepath"
	"testing"
)

// The cleaned series of nilearn's golden set. Its means are single precision, and
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
		{"ts_clean", Cleaning{TR: 2, Detrend: 1, Filter: Butterworth, HighPass: 0.01, LowPass: 0.1, Regressors: confounds}},
	} {
		t.Run(c.file, func(t *testing.T) {
			cleaner, err := NewCleaner(raw.Rows, c.o)
			if err != nil {
				t.Fatal(err)
			}
			got, status, err := cleaner.Clean(raw)
			if err != nil {
				t.Fatal(err)
			}
			for j, s := range status {
				if s != Present {
					t.Errorf("region %d is %s", j+1, s)
				}
			}
			closeTo(t, c.file, got, golden(t, c.file), 3e-5)
		})
	}
}
