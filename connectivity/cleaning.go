package connectivity

import (
	"errors"
	"fmt"
	"math"
)

// A Cleaning says what is taken out of the series of a run. Its order is that of
// nilearn's signal.clean, with censored volumes interpolated as they should be:
//
//  1. with a Butterworth filter, censored volumes are bridged (series and
//     regressors), as a recursive filter cannot leave them out; otherwise they are
//     left out now;
//  2. the polynomial trend is taken out of series and regressors;
//  3. the Butterworth filter runs over series and regressors (Lindquist et al.
//     2019: a regression after filtering brings back what was filtered, unless the
//     regressors are filtered alike), and the censored volumes are left out;
//  4. the regressors, the cosines of a cosine filter among them, are taken out by
//     least squares, together with the mean;
//     Signal is fitted in the same regression, and its part stays in the series;
//  5. the series are scaled.
type Cleaning struct {
	TR          float64 // s; needed by a filter only
	Detrend     int     // degree of the polynomial; -1 takes out nothing
	TrendOver   TrendOver
	Filter      Filter
	Bridge      Bridge  // of a Butterworth filter
	HighPass    float64 // Hz, lower edge of the pass band; 0 has none
	LowPass     float64 // Hz, upper edge; 0 has none
	Order       int     // of the Butterworth filter; 0 means 5
	Regressors  Matrix  // T×K; the zero Matrix has none
	Signal      Matrix  // T×K, fitted and left in; the zero Matrix has none
	Keep        []bool  // volumes that are kept; nil keeps all
	Standardize Standardize
}

// TrendOver is what the trend is a polynomial of: time (""), or the number of the
// kept volume, as in nilearn, which closes the gaps that censoring left.
type TrendOver string

// The two differ when volumes are censored and there is no Butterworth filter.
const (
	OverTime TrendOver = "time"
	OverKept TrendOver = "kept"
)

// A Filter is a way to keep a band of frequencies.
type Filter string

// Filters. Butterworth runs forwards and backwards (filtfilt). Cosine regresses
// the discrete cosines outside the band out of the series, with the other
// regressors in one step.
const (
	NoFilter    Filter = "none"
	Butterworth Filter = "butterworth"
	Cosine      Filter = "cosine"
)

// A Bridge takes the place of censored volumes while a Butterworth filter runs.
type Bridge string

// Linear ("") is a straight line between the kept volumes beside a gap, and the first and last kept value outside.
// Cubic is a cubic spline through all kept volumes, and the filter runs from the first to the last of them only, as in
// nilearn: in gaps of more than 5 volumes it overshoots by several SD.
const (
	Linear Bridge = "linear"
	Cubic  Bridge = "nilearn"
)

// Standardize is how cleaned series are scaled.
type Standardize string

// Scales: standard deviation 1 (ddof 1); per cent of the mean of the kept volumes
// before denoising; as they are.
const (
	ScaleZ    Standardize = "zscore"
	ScalePSC  Standardize = "psc"
	ScaleNone Standardize = "none"
)

// CleanQuality is what cleaning left.
type CleanQuality struct {
	Volumes    int     // of the run
	Kept       int     // after censoring
	Regressors int     // linearly independent ones, without the trend and the cosines
	Trend      int     // degree of the polynomial taken out
	FilterLoss float64 // degrees of freedom that the filter took
	Bridged    int     // censored volumes between kept ones that a Butterworth filter runs over
	LongestGap int     // volumes, of those
	// TEff is the degrees of freedom that the cleaned series have about their mean:
	// kept − regressors − filter loss − trend − 1 for the mean, so Fisher's z has a
	// standard error of 1/√(TEff−2). A Butterworth filter takes the share of the
	// spectrum up to the Nyquist frequency that lies outside its band; a mean and a
	// trend that its lower edge has taken already are not counted twice.
	TEff float64
}

// check refuses what cannot be meant, all mistakes at once.
func (o Cleaning) check(volumes int) error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if o.Keep != nil && len(o.Keep) != volumes {
		bad("the time series have %d volumes, the censoring mask %d", volumes, len(o.Keep))
	}
	for _, r := range []Matrix{o.Regressors, o.Signal} {
		if r.Cols > 0 && r.Rows != volumes {
			bad("the time series have %d volumes, the regressors %d", volumes, r.Rows)
		}
		for i, v := range r.Data {
			if !finite(v) {
				bad("regressor %d has no value in volume %d", i%r.Cols+1, i/r.Cols+1)
				break
			}
		}
	}
	switch o.Filter {
	case "", NoFilter:
		if o.HighPass != 0 || o.LowPass != 0 {
			bad("a pass band is set, but the filter is %q: choose butterworth or cosine", NoFilter)
		}
	case Butterworth, Cosine:
		if o.HighPass == 0 && o.LowPass == 0 {
			bad("the %s filter has no pass band: set high_pass, low_pass or both, in Hz", o.Filter)
		}
		if !(o.TR > 0) {
			bad("a filter needs the repetition time: set tr, in s")
			break
		}
		nyquist := 0.5 / o.TR
		for _, edge := range []struct {
			name string
			hz   float64
		}{{"high_pass", o.HighPass}, {"low_pass", o.LowPass}} {
			if edge.hz < 0 || edge.hz >= nyquist || math.IsNaN(edge.hz) {
				bad("%s is %g Hz: it must lie between 0 and the Nyquist frequency, %.4g Hz at a repetition time of %g s", edge.name, edge.hz, nyquist, o.TR)
			}
		}
		if o.HighPass > 0 && o.LowPass > 0 && o.HighPass >= o.LowPass {
			bad("high_pass (%g Hz) is not below low_pass (%g Hz)", o.HighPass, o.LowPass)
		}
	default:
		bad("unknown filter %q", o.Filter)
	}
	return errors.Join(errs...)
}
