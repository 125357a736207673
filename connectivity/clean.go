package connectivity

import (
	"fmt"
	"math"
	"slices"

	"prgnn/internal/lists"
)

// A Cleaner cleans the draws of one run, which share its regressors and censoring.
type Cleaner struct {
	o        Cleaning
	volumes  int
	keep     []int
	from, to int   // the volumes that a Butterworth filter runs over
	trend    basis // of them, before that filter
	sections []section
	nuisance basis // over the kept volumes
	signal   oblique
	Quality  CleanQuality
}

// TooLittle is the error that cleaning would leave too little of a run.
type TooLittle string

func (e TooLittle) Error() string { return string(e) }

// NewCleaner prepares the cleaning of runs of this many volumes. The error is TooLittle when no degrees of
// freedom would be left.
func NewCleaner(volumes int, o Cleaning) (*Cleaner, error) {
	if err := o.check(volumes); err != nil {
		return nil, err
	}
	c := &Cleaner{o: o, volumes: volumes}
	for t := range volumes {
		if o.Keep == nil || o.Keep[t] {
			c.keep = append(c.keep, t)
		}
	}
	if len(c.keep) < 3 {
		return nil, TooLittle(fmt.Sprintf("%d of %d volumes are kept, which is too few; raise the censoring thresholds", len(c.keep), volumes))
	}
	if c.to = volumes; o.Bridge == Cubic {
		c.from, c.to = c.keep[0], c.keep[len(c.keep)-1]+1
	}
	if o.Filter == Butterworth {
		order := o.Order
		if order == 0 {
			order = 5
		}
		nyquist := 0.5 / o.TR
		c.sections = butterworth(order, o.HighPass/nyquist, o.LowPass/nyquist)
		if p := padding(c.sections); c.to-c.from <= p {
			return nil, fmt.Errorf("%d volumes are too few for a Butterworth filter of order %d, which needs more than %d; use the cosine filter", c.to-c.from, order, p)
		}
	}
	c.trend.trend(floats(lists.UpTo(c.to-c.from)), o.Detrend)
	c.prepareNuisance()
	if err := c.prepareSignal(); err != nil {
		return nil, err
	}
	c.account()
	if q := c.Quality; q.TEff <= 0 {
		return nil, TooLittle(fmt.Sprintf("no degrees of freedom are left: of %d kept volumes, regressors take %d, the filter %.4g, and mean and trend %.4g; use fewer regressors or a wider band",
			q.Kept, q.Regressors, q.FilterLoss, q.MeanTrend()))
	}
	return c, nil
}

// prepareNuisance makes the basis of everything that step 4 takes out.
func (c *Cleaner) prepareNuisance() {
	c.nuisance.trend(floats(c.keep), 0)
	if c.o.Filter != Butterworth {
		c.nuisance.trend(c.times(), c.o.Detrend)
	}
	if c.o.Filter == Cosine {
		for _, k := range c.cosines() {
			if c.nuisance.add(lists.At(cosine(c.volumes, k), c.keep)) {
				c.Quality.FilterLoss++
			}
		}
	}
	if c.o.Regressors.Cols == 0 {
		return
	}
	r := c.filtered(c.o.Regressors)
	for j := range r.Cols {
		if c.nuisance.add(r.column(j)) {
			c.Quality.Regressors++
		}
	}
}

// prepareSignal makes what step 4 leaves in, less its mean.
func (c *Cleaner) prepareSignal() error {
	if c.o.Signal.Cols == 0 {
		return nil
	}
	a := c.filtered(c.o.Signal)
	center(a)
	var err error
	c.signal, err = obliqueOf(a, c.nuisance)
	c.Quality.Regressors += a.Cols
	return err
}

// times are the places of the kept volumes on the axis of the trend.
func (c *Cleaner) times() []float64 {
	if c.o.TrendOver == OverKept {
		return floats(lists.UpTo(len(c.keep)))
	}
	return floats(c.keep)
}

// filtered does steps 1 to 3 (the trend of the kept volumes alone is left to the
// regression, which takes it out in the same step: Frisch & Waugh 1933).
func (c *Cleaner) filtered(x Matrix) Matrix {
	if c.o.Filter != Butterworth {
		return x.rows(c.keep)
	}
	if len(c.keep) == c.volumes {
		y := x.Clone()
		c.trend.remove(y)
		filtfilt(y, c.sections)
		return y
	}
	y, keep := Matrix{c.to - c.from, x.Cols, slices.Clone(x.Data[c.from*x.Cols : c.to*x.Cols])}, slices.Clone(c.keep)
	for i := range keep {
		keep[i] -= c.from
	}
	if c.o.Bridge == Cubic {
		bridgeCubic(y, keep)
	} else {
		bridge(y, keep)
	}
	c.trend.remove(y)
	filtfilt(y, c.sections)
	return y.rows(keep)
}

// cosines are the numbers of the cosines outside the pass band; the k-th has the
// frequency k/(2·T·TR).
func (c *Cleaner) cosines() []int {
	var list []int
	for k := 1; k < c.volumes; k++ {
		f := float64(k) / (2 * float64(c.volumes) * c.o.TR)
		if (c.o.HighPass > 0 && f <= c.o.HighPass) || (c.o.LowPass > 0 && f > c.o.LowPass) {
			list = append(list, k)
		}
	}
	return list
}

// account fills in the quality.
func (c *Cleaner) account() {
	q := &c.Quality
	for i, t := range c.keep[1:] {
		if gap := t - c.keep[i] - 1; c.o.Filter == Butterworth {
			q.Bridged, q.LongestGap = q.Bridged+gap, max(q.LongestGap, gap)
		}
	}
	q.Volumes, q.Kept, q.Trend = c.volumes, len(c.keep), max(c.o.Detrend, 0)
	trend := float64(1 + q.Trend) // and mean
	if c.o.Filter == Butterworth {
		nyquist := 0.5 / c.o.TR
		top := nyquist
		if c.o.LowPass > 0 {
			top = c.o.LowPass
		}
		kept := float64(q.Kept)
		q.FilterLoss = kept * (1 - (top-c.o.HighPass)/nyquist)
		trend = max(0, trend-float64(kept*c.o.HighPass)/nyquist)
	}
	q.TEff = float64(q.Kept-q.Regressors) - q.FilterLoss - trend
}

// MeanTrend is what mean and trend take beside the filter.
func (q CleanQuality) MeanTrend() float64 {
	return float64(q.Kept-q.Regressors) - q.FilterLoss - q.TEff
}

// Unscaled cleans in the same way, and leaves the scale of the series as it is.
func (c *Cleaner) Unscaled() *Cleaner {
	unscaled := *c
	unscaled.o.Standardize = ScaleNone
	return &unscaled
}

// Clean returns the cleaned series (kept volumes × regions) and the status of each
// region.
func (c *Cleaner) Clean(x Matrix) (Matrix, []Status, error) {
	if x.Rows != c.volumes {
		return Matrix{}, nil, fmt.Errorf("the time series have %d volumes, but denoising was prepared for %d", x.Rows, c.volumes)
	}
	kept := x.rows(c.keep)
	status, err := Inspect(kept)
	if err != nil {
		return Matrix{}, nil, err
	}
	mean := center(kept)
	before := squares(kept)
	y := c.filtered(x)
	var level []float64
	if c.o.Detrend < 0 {
		level = means(y)
	}
	if c.signal.own.q == nil {
		c.nuisance.remove(y)
	} else {
		stays := c.signal.part(y)
		c.nuisance.remove(y)
		c.signal.own.remove(y)
		for i, v := range stays.Data {
			y.Data[i] += v
		}
	}
	after := squares(y)
	for j, s := range after {
		// What is left of a series that the regressors explain is rounding: about
		// 1e-15 of the numbers themselves, a little more after a filter.
		length := math.Sqrt(before[j])
		size := math.Sqrt(before[j] + float64(float64(mean[j]*mean[j])*float64(len(c.keep))))
		if status[j] == Present && !(math.Sqrt(s) > float64(1e-11*length)+float64(1e-13*size)) {
			status[j] = Constant
		}
	}
	switch c.o.Standardize {
	case ScaleZ, "":
		zscore(y, status)
	case ScalePSC:
		for j, m := range mean {
			if status[j] == Present && math.Abs(m) <= flat*math.Sqrt(before[j]) {
				return Matrix{}, nil, fmt.Errorf("region %d has the mean %g, so percent signal change is undefined; the time series were already standardized", j+1, m)
			}
		}
		scaleColumns(y, status, func(j int) float64 { return 100 / math.Abs(mean[j]) })
	case ScaleNone:
		scaleColumns(y, status, func(int) float64 { return 1 })
		for j, m := range level {
			for t := 0; status[j] == Present && t < y.Rows; t++ {
				y.Data[t*y.Cols+j] += m
			}
		}
	default:
		return Matrix{}, nil, fmt.Errorf("unknown scale %q", c.o.Standardize)
	}
	return y, status, nil
}

// scaleColumns multiplies the columns with a signal and clears the constant ones.
func scaleColumns(y Matrix, status []Status, scale func(j int) float64) {
	for j, s := range status {
		f := 0.0
		if s == Present {
			f = scale(j)
		}
		if s == Missing {
			continue
		}
		for t := range y.Rows {
			y.Data[t*y.Cols+j] *= f
		}
	}
}

func floats(v []int) []float64 {
	f := lists.Map(v, func(x int) float64 { return float64(x) })
	return f
}
