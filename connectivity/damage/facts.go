package damage

import (
	"math"
	"slices"

	"prgnn/connectivity"
	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
)

// Facts are what the processing of a series leaves in it, whatever the brain did: series of two groups that differ in
// one of them were processed in different ways. NaN is unknown.
type Facts struct {
	Global       float64 // variance of the mean over the regions, as a share of the mean variance of a region
	High         float64 // share of the power above 0.1 Hz, median over the regions
	Interpolated float64 // share of the volumes that are the mean of the volumes before and after in most regions
	Standardized float64 // 1 where all regions have mean 0 and SD 1, otherwise 0
}

// Power above highFrequency, Hz, is what the usual low-pass filters remove. Where the repetition time is unknown, it is
// that of unknownTime, s.
const highFrequency, unknownTime = 0.1, 2.0

// A value is the mean of its neighbors within this share of the SD of its region, which is more than the rounding of
// files with 4 digits.
const alikeNeighbors = 0.002

// FactsOf are those of a series, T×N, from a volume on; tr in s, or unknown.
func FactsOf(x connectivity.Matrix, status []connectivity.Status, first int, tr float64) Facts {
	unknown := Facts{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	n := x.Rows - first
	var regions []int
	var means, sds []float64
	for j, st := range status {
		mean, square := 0.0, 0.0
		for t := first; t < x.Rows; t++ {
			mean += x.At(t, j)
		}
		mean /= float64(n)
		for t := first; t < x.Rows; t++ {
			d := x.At(t, j) - mean
			square += float64(d * d)
		}
		if st == connectivity.Present && square > 0 {
			regions, means, sds = append(regions, j), append(means, mean), append(sds, math.Sqrt(square/float64(n)))
		}
	}
	if n < fewestJudged || len(regions) < fewestRegions {
		return unknown
	}
	width := len(regions)
	z := make([]float64, n*width) // in SDs
	facts := Facts{Standardized: 1}
	global, variance := 0.0, 0.0
	for t := range n {
		sum := 0.0
		for k, j := range regions {
			d := x.At(first+t, j) - means[k]
			z[t*width+k] = d / sds[k]
			sum += d
		}
		sum /= float64(width)
		global += float64(sum * sum)
	}
	rounding := 1/float64(n) + 1e-3 // SD over n or n−1, and few digits
	for k, sd := range sds {
		variance += float64(sd * sd)
		if math.Abs(means[k]) > 1e-3 || math.Abs(sd-1) > rounding {
			facts.Standardized = 0
		}
	}
	facts.Global = global / float64(n) / (variance / float64(width))
	facts.High = highPower(z, n, width, tr)
	interpolated := 0
	for t := 1; t < n-1; t++ {
		before, own, after := z[(t-1)*width:t*width], z[t*width:(t+1)*width], z[(t+1)*width:(t+2)*width]
		alike := 0
		for k := range own {
			mean := (before[k] + after[k]) / 2
			if own[k] != before[k] && math.Abs(own[k]-float64(mean)) <= alikeNeighbors { // not repeated
				alike++
			}
		}
		if 2*alike > width {
			interpolated++
		}
	}
	facts.Interpolated = float64(interpolated) / float64(n-2)
	return facts
}

// highPower is the share of the power of standardized series, n×width, above 0.1 Hz, as the median over them; NaN where
// the scan has no such frequencies.
func highPower(z []float64, n, width int, tr float64) float64 {
	if !(tr > 0) || math.IsInf(tr, 0) {
		tr = unknownTime
	}
	waves := int(math.Floor(highFrequency * tr * float64(n))) // over the scan
	if 2*waves >= n-1 {
		return math.NaN()
	}
	cosine, sine := make([]float64, n), make([]float64, n)
	for t := range n {
		sine[t], cosine[t] = exact.Sincos(2 * math.Pi * float64(t) / float64(n))
	}
	basis := make([]float64, 2*waves*n)
	for k := range waves {
		for t := range n {
			at := (k + 1) * t % n
			basis[2*k*n+t], basis[(2*k+1)*n+t] = cosine[at], sine[at]
		}
	}
	low := make([]float64, 2*waves*width)
	dense.Multiply(low, width, dense.Rows(basis, n), dense.Rows(z, width), 2*waves, n, width, false, 1)
	high := make([]float64, width)
	for k := range high {
		power := 0.0
		for w := range 2 * waves {
			power += float64(low[w*width+k] * low[w*width+k])
		}
		high[k] = max(1-2*power/float64(n*n), 0) // by Parseval: the power of all is n²/2 on each side
	}
	return median(high)
}

// fewestAgreeing regions have a mean that goes with the signal of the whole brain: that of few may not.
const fewestAgreeing = 20

// GlobalR is the correlation of the mean over the regions of a series, T×N, from a volume on, with a global signal,
// both without a linear trend: near 1 where both are of the same scan. NaN is unknown.
func GlobalR(x connectivity.Matrix, status []connectivity.Status, first int, global []float64) float64 {
	var own, signal []float64
	regions := 0
	for _, st := range status {
		if st == connectivity.Present {
			regions++
		}
	}
	for t := first; t < x.Rows; t++ {
		sum := 0.0
		for j, st := range status {
			if st == connectivity.Present {
				sum += x.At(t, j)
			}
		}
		own, signal = append(own, sum/float64(regions)), append(signal, global[t])
	}
	if regions < fewestAgreeing || len(own) < fewestJudged || slices.ContainsFunc(signal, math.IsNaN) ||
		!detrend(signal) {
		return math.NaN()
	}
	if !detrend(own) { // the global signal was removed
		return 0
	}
	a, b, both := 0.0, 0.0, 0.0
	for t, v := range own {
		a, b, both = a+float64(v*v), b+float64(signal[t]*signal[t]), both+float64(v*signal[t])
	}
	return both / math.Sqrt(float64(a*b))
}

// detrend subtracts a straight line from a series in place. It reports whether more than rounding remains.
func detrend(y []float64) bool {
	mean, middle, size := 0.0, float64(len(y)-1)/2, 0.0
	for _, v := range y {
		mean, size = mean+v/float64(len(y)), max(size, math.Abs(v))
	}
	slope, square := 0.0, 0.0
	for t, v := range y {
		d := float64(t) - middle
		slope, square = slope+float64(d*(v-mean)), square+float64(d*d)
	}
	slope /= square
	left := 0.0
	for t := range y {
		y[t] -= mean + float64(slope*(float64(t)-middle))
		left = max(left, math.Abs(y[t]))
	}
	return left > 1e-9*size
}
