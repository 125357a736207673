package leakage

import (
	"math"

	"prgnn/artifacts/encoding"
	"prgnn/numeric/exact"
	"prgnn/numeric/random"
)

// Two series with the same regions are of one scan when their filtered traces correlate by 0.65 (Leakage.Filtered)
// or −0.65 at some lag, and that is no chance (trace.chance). Of the 535,095 pairs of ABIDE's 1,035 scans the largest
// correlation by chance is 0.49; of 345 scans with only 51 volumes and 20 regions it is 0.54.
const (
	filterSD     = 2.5 // volumes
	filterReach  = 7   // volumes: 2.8 SD
	filterStep   = 2   // volumes: one in two says what the filter leaves
	projections  = 16
	leastRegions = 20 // of fewer, unrelated series agree too well

	// Few projections rule nearly all pairs out: of one scan they correlate by hardly less than all of them.
	coarseProjections = 4
	coarseShare       = 0.75
)

// filteredTrace is what a temporal filter and global signal regression leave of series (draw, time, node), draw 0: the
// slope of each region, smoothed by a Gaussian (a band around 1/(2π·2.5) cycles a volume, 0.03 Hz at a repetition time
// of 2 s), in its own SD, without the mean over regions, which is regressed out. Sums of regions with random signs
// (Johnson & Lindenstrauss 1984) keep the correlation of two such series. It is nil where at most leastOverlap volumes
// are there, or fewer than leastRegions regions vary.
func filteredTrace(a *encoding.Array) *trace {
	n, nodes, v := a.Shape[1], a.Shape[2], a.Float64s()
	if n <= leastOverlap || nodes < leastRegions {
		return nil
	}
	var weight [filterReach + 1]float64
	for s := range weight {
		t := float64(s) / filterSD
		weight[s] = float64(s) * exact.Exp(-float64(t*t)/2)
	}
	steps := (n - 2*filterReach + filterStep - 1) / filterStep
	region := make([][]float64, nodes) // nil without a signal
	mean := make([]float64, steps)
	used := 0
	for j := range region {
		y := make([]float64, steps)
		for i := range y {
			at := filterReach + i*filterStep
			for s := 1; s <= filterReach; s++ {
				y[i] += float64(weight[s] * (v[(at+s)*nodes+j] - v[(at-s)*nodes+j]))
			}
		}
		if standardize(y) {
			region[j] = y
			used++
			for i, x := range y {
				mean[i] += x
			}
		}
	}
	if used < leastRegions {
		return nil
	}
	channels := make([][]float64, projections)
	for c := range channels {
		channels[c] = make([]float64, steps)
	}
	varies := standardize(mean)
	signs := random.New(0, "leakage", "regions")
	for _, y := range region {
		bits := signs.Uint64()
		if y == nil {
			continue
		}
		if varies {
			slope := 0.0
			for i, x := range y {
				slope += float64(x * mean[i])
			}
			for i := range y {
				y[i] -= float64(slope * mean[i])
			}
			if !standardize(y) {
				continue
			}
		}
		for c, channel := range channels {
			sign := float64(int(bits>>c&1)*2 - 1)
			for i, x := range y {
				channel[i] += float64(sign * x)
			}
		}
	}
	traceOf := func(channels [][]float64) *trace {
		t := newTrace(channels...)
		t.regions, t.step, t.margin = nodes, filterStep, 2*filterReach
		return t
	}
	t := traceOf(channels)
	t.coarse = traceOf(channels[:coarseProjections])
	return t
}

// standardize makes the mean 0 and the sum of squares 1; false says that the values do not vary.
func standardize(y []float64) bool {
	mean, size, squares := 0.0, 0.0, 0.0
	for _, x := range y {
		mean += x / float64(len(y))
		size += float64(x * x)
	}
	for i, x := range y {
		y[i] = x - mean
		squares += float64(y[i] * y[i])
	}
	if !(squares > 1e-20*size) || math.IsInf(squares, 0) {
		return false
	}
	scale := 1 / math.Sqrt(squares)
	for i := range y {
		y[i] *= scale
	}
	return true
}
