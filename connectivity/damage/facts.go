package damage

import (
	"cmp"
	"math"
	"slices"

	"prgnn/connectivity"
	"prgnn/internal/lists"
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
	SameValue    float64 // largest share, over the regions, of the volumes that repeat the most frequent value
	Step         float64 // share of the variance beyond a linear trend that two levels explain, median over the regions
	Unexplained  float64 // smallest share, over the regions, of the variance that other regions do not explain
}

// Power above highFrequency, Hz, is what the usual low-pass filters remove. Where the repetition time is unknown, it is
// that of unknownTime, s.
const highFrequency, unknownTime = 0.1, 2.0

// A value is the mean of its neighbors within this share of the SD of its region, which is more than the rounding of
// files with 4 digits.
const alikeNeighbors = 0.002

// FactsOf are those of a series, T×N, from a volume on; tr in s, or unknown.
func FactsOf(x connectivity.Matrix, status []connectivity.Status, first int, tr float64) Facts {
	nan := math.NaN()
	unknown := Facts{nan, nan, nan, nan, nan, nan, nan}
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
	facts.SameValue, facts.Step, facts.Unexplained = sameValue(z, n, width), step(z, n, width), unexplained(z, n, width)
	return facts
}

// sameValue is the largest share of the volumes of a region, n×width, that repeat its most frequent value.
func sameValue(z []float64, n, width int) float64 {
	most, times := 1, make(map[float64]int, n)
	for k := range width {
		clear(times)
		for t := range n {
			v := z[t*width+k]
			times[v]++
			most = max(most, times[v])
		}
	}
	return float64(most-1) / float64(n-1)
}

// step is the largest share of the variance of standardized series, n×width, beyond their linear trends, that a step
// between two volumes explains, as the median over the regions. Each side has a tenth of the volumes or more.
func step(z []float64, n, width int) float64 {
	times := make([]float64, n) // about 0
	square := 0.0
	for t := range times {
		times[t] = float64(2*t-n+1) / 2
		square += float64(times[t] * times[t])
	}
	slope, left := make([]float64, width), make([]float64, width)
	for t, at := range times {
		for k := range slope {
			slope[k] += float64(at * z[t*width+k])
		}
	}
	for k := range slope {
		left[k] = float64(n) - float64(slope[k]*slope[k])/square
		slope[k] /= square
	}
	largest, side := 0.0, max(5, n/10)
	later, sum := make([]float64, width), 0.0 // sums of the volumes from t on, of the times alike
	shares := make([]float64, width)
	for t := n - 1; t >= side; t-- {
		sum += times[t]
		for k := range later {
			later[k] += z[t*width+k] - float64(slope[k]*times[t])
		}
		if t > n-side {
			continue
		}
		norm := float64(t)*float64(n-t)/float64(n) - float64(sum*sum)/square
		for k, y := range later {
			if shares[k] = 0; left[k] > 1e-9*float64(n) {
				shares[k] = float64(y*y) / norm / left[k]
			}
		}
		largest = max(largest, exact.Median(shares))
	}
	return largest
}

// Others that may explain a region are so many at most, the ones with the strongest correlations, and at most one for
// three volumes. Less than independent is what rounding leaves of a region that others explain wholly.
const mostExplaining, independent = 50, 1e-9

// unexplained is the smallest share of the variance of a region of standardized series, n×width, that others do not
// explain, per degree of freedom: 0 where a region is a linear combination of others.
func unexplained(z []float64, n, width int) float64 {
	r := make([]float64, width*width)
	dense.Multiply(r, width, dense.Rows(z, width).T(), dense.Rows(z, width), width, n, width, false, 1)
	for i := range r {
		r[i] /= float64(n)
	}
	others := min(width-1, mostExplaining, n/3)
	least, order := 1.0, make([]int, 0, width)
	factor := make([]float64, (others+1)*(others+1)) // of Cholesky, with rows of 0 for what others explain
	for j := range width {
		own := r[j*width : (j+1)*width]
		order = order[:0]
		for k := range width {
			if k != j {
				order = append(order, k)
			}
		}
		slices.SortFunc(order, func(i, k int) int {
			return cmp.Or(cmp.Compare(math.Abs(own[k]), math.Abs(own[i])), i-k)
		})
		chosen := append(order[:others:others], j)
		clear(factor)
		kept := 0
		for i, ri := range chosen {
			row := factor[i*(others+1) : (i+1)*(others+1)]
			for k, rk := range chosen[:i] {
				if pivot := factor[k*(others+1)+k]; pivot > 0 {
					row[k] = (r[ri*width+rk] - dense.Dot(row[:k], factor[k*(others+1):][:k])) / pivot
				}
			}
			left := 1 - dense.Dot(row[:i], row[:i])
			switch {
			case ri == j:
				least = min(least, max(left, 0)*float64(n-1)/float64(n-1-kept))
			case left > independent:
				row[i] = math.Sqrt(left)
				kept++
			}
		}
	}
	return least
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
	return exact.Median(high)
}

// fewestNeighbors pairs of voxels have a median that chance moves little.
const fewestNeighbors = 20

// NeighborR is the median over pairs of neighboring voxels of the correlation of their changes from one volume to the
// next; x has n series, side by side, and pairs are places among them. Smoothing raises it, noise lowers it, and what
// the brain does moves it little, as its changes are slow. NaN is unknown.
func NeighborR(x []float64, n int, pairs [][2]int) float64 {
	var r []float64
	for _, p := range pairs {
		a, b, both := 0.0, 0.0, 0.0
		for t := n; t < len(x); t += n {
			u, v := x[t+p[0]]-x[t-n+p[0]], x[t+p[1]]-x[t-n+p[1]]
			a, b, both = a+float64(u*u), b+float64(v*v), both+float64(u*v)
		}
		if one := both / math.Sqrt(float64(a*b)); !math.IsNaN(one) { // constant, or with NaN
			r = append(r, one)
		}
	}
	if len(r) < fewestNeighbors || n*fewestJudged > len(x) {
		return math.NaN()
	}
	return exact.Median(r)
}

// fewestAgreeing regions have a mean that goes with the signal of the whole brain: that of few may not.
const fewestAgreeing = 20

// GlobalR is the correlation of the mean over the regions of a series, T×N, from a volume on, with a global signal,
// both without a linear trend: near 1 where both are of the same scan. NaN is unknown.
func GlobalR(x connectivity.Matrix, status []connectivity.Status, first int, global []float64) float64 {
	var own, signal []float64
	regions := lists.Count(status, func(st connectivity.Status) bool { return st == connectivity.Present })
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
	mean, middle, size := 0.0, float64(float64(len(y)-1)/2), 0.0
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
