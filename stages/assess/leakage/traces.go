package leakage

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sort"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
	"prgnn/stages/fold"
)

// A trace is what identifies the series of a scan: channels over time. Traces with as many regions are compared at all
// lags.
type trace struct {
	channels     [][]float64
	regions      int // whose order matters; 0: any
	step, margin int // volumes from one value to the next, and of a series that have no value
	input        int
	coarse       *trace      // of fewer channels, which says sooner that two scans differ; nil: none
	sum          [][]float64 // of the values of each channel before each place
	squares      []float64   // of all channels before each place
}

func newTrace(channels ...[]float64) *trace {
	x := &trace{channels: channels, step: 1, margin: 1, squares: make([]float64, len(channels[0])+1)}
	for _, v := range channels {
		sum := make([]float64, len(v)+1)
		for i, a := range v {
			sum[i+1] = sum[i] + a
			x.squares[i+1] += float64(a * a)
		}
		x.sum = append(x.sum, sum)
	}
	for i, s := range x.squares[:len(x.squares)-1] {
		x.squares[i+1] += s
	}
	return x
}

func (x *trace) len() int { return len(x.channels[0]) }

// meanTrace is free of regions, scale and trend: the change from each volume to the next, each region's in its own SD,
// averaged over regions, as ranks from −1 to 1. Ranks bound what a jerk of the head weighs; changes have little
// autocorrelation, so two scans agree by chance as two white series do. It is that of draw 0 of series
// (draw, time, node), and nil where at most leastOverlap volumes are there, or nothing varies.
func meanTrace(a *encoding.Array) *trace {
	n, nodes, v := a.Shape[1], a.Shape[2], a.Float64s()
	if n <= leastOverlap {
		return nil
	}
	sum := make([]float64, n-1)
	used := false
	for j := range nodes {
		squares := 0.0
		for i := 1; i < n; i++ {
			d := v[i*nodes+j] - v[(i-1)*nodes+j]
			squares += float64(d * d)
		}
		if !(squares > 0) || math.IsInf(squares, 0) {
			continue // a region without a signal
		}
		used = true
		scale := 1 / math.Sqrt(squares)
		for i := 1; i < n; i++ {
			sum[i-1] += float64((v[i*nodes+j] - v[(i-1)*nodes+j]) * scale)
		}
	}
	if !used {
		return nil
	}
	return newTrace(ranks(sum))
}

// ranks are the ranks of numbers, from −1 to 1; equal ones share their mean rank.
func ranks(v []float64) []float64 {
	order := lists.UpTo(len(v))
	sort.SliceStable(order, func(i, j int) bool { return v[order[i]] < v[order[j]] })
	out := make([]float64, len(v))
	for i := 0; i < len(order); {
		k := i
		for k < len(order) && v[order[k]] == v[order[i]] {
			k++
		}
		for _, at := range order[i:k] {
			out[at] = float64(i+k-1)/float64(len(v)-1) - 1
		}
		i = k
	}
	return out
}

// Two series are of one scan when their mean traces correlate by 0.8 (Leakage.Correlation) or −0.8, for a negative
// factor reverses a scan, at the lag where they agree best of those at which they share leastOverlap changes and half
// of the shorter one, and when that is no chance (trace.chance). Of the 535,095 pairs of ABIDE's 1,035 scans the
// largest correlation by chance is 0.67.
const leastOverlap = 50

// A meeting is where two traces agree best: y lags behind x by so many steps.
type meeting struct {
	r, z   float64 // z is atanh|r|·√(overlap − 3)
	lag    int
	shared int // steps
}

// leastOverlap is how many values two traces have to share, the shorter of which has so many.
func (x *trace) leastOverlap(length int) int {
	return max((leastOverlap+x.step-x.margin)/x.step, length/2)
}

// lags are the lowest and the highest lag at which two traces overlap by enough: x[i] meets y[i+lag].
func (x *trace) lags(y *trace) (low, high int) {
	least := x.leastOverlap(min(x.len(), y.len()))
	return least - x.len(), y.len() - least
}

// overlap is the part of x that meets y at a lag.
func (x *trace) overlap(y *trace, lag int) (from, to int) {
	return max(0, -lag), min(x.len(), y.len()-lag)
}

// variation is the sum of squares of a part, each channel about its mean there.
func (x *trace) variation(from, to int) float64 {
	var means float64
	for _, sum := range x.sum {
		m := sum[to] - sum[from]
		means += float64(m * m)
	}
	return x.squares[to] - x.squares[from] - means/float64(to-from)
}

// correlation is Pearson's at a lag over the values of all channels, each about its mean over the overlap, for the sum
// of their products; 0 where nothing varies.
func (x *trace) correlation(y *trace, lag int, dot float64) float64 {
	from, to := x.overlap(y, lag)
	vx, vy := x.variation(from, to), y.variation(from+lag, to+lag)
	if !(vx > 0 && vy > 0) {
		return 0
	}
	return (dot - x.means(y, lag, from, to)) / math.Sqrt(float64(vx*vy))
}

// means is what the means over an overlap make of the sum of products there.
func (x *trace) means(y *trace, lag, from, to int) float64 {
	var means float64
	for c := range x.sum {
		means += float64((x.sum[c][to] - x.sum[c][from]) * (y.sum[c][to+lag] - y.sum[c][from+lag]))
	}
	return means / float64(to-from)
}

// meet finds the lag at which two traces are farthest above chance.
func (x *trace) meet(y *trace) (best meeting) {
	low, high := x.lags(y)
	if high < low {
		return best
	}
	dot := make([]float64, high-low+1)
	for c, channel := range x.channels {
		for i, v := range channel {
			from, to := max(0, i+low), min(y.len(), i+high+1)
			dense.Axpy(dot[from-i-low:to-i-low], v, y.channels[c][from:to])
		}
	}
	for k, d := range dot {
		lag := low + k
		from, to := x.overlap(y, lag)
		n := float64(to - from)
		r := x.correlation(y, lag, d)
		size := min(math.Abs(r), 1-1e-12)
		// atanh x ≤ x/(1−x²) spares most logarithms; 1.001 leaves room for rounding.
		if 1.001*size/(1-float64(size*size))*math.Sqrt(n-3) < best.z {
			continue
		}
		if z := exact.Log((1+size)/(1-size)) / 2 * math.Sqrt(n-3); z > best.z {
			best = meeting{r, z, lag, to - from}
		}
	}
	return best
}

// readTraces makes the traces of those inputs that are series, and counts those that have each kind; regions are those
// of each input, 0 of one that is no series.
func readTraces(ins []dag.Input, threads int, kinds ...func(*encoding.Array) *trace) (all []*trace,
	regions, having []int, err error) {
	regions, having = make([]int, len(ins)), make([]int, len(kinds))
	made, errs := make([]*trace, len(ins)*len(kinds)), make([]error, len(ins))
	dense.Each(threads, len(ins), func(i int) {
		if ins[i].Ref.Format != "npy" {
			return
		}
		a, err := ins[i].Array()
		if errs[i] = err; err != nil {
			return
		}
		regions[i] = a.Shape[2]
		for k, kind := range kinds {
			made[i*len(kinds)+k] = kind(a)
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, nil, nil, err
	}
	for i, x := range made {
		if x != nil {
			x.input = i / len(kinds)
			all = append(all, x)
			having[i%len(kinds)]++
		}
	}
	return all, regions, having, nil
}

// sameTraces finds series of two participants that are of one scan by their traces: of those that a screen of all pairs
// leaves. Others that correlate by as much may do so by chance.
func (s *Leakage) sameTraces(all []*trace, ins []dag.Input, threads int) (same []fold.Duplicate, chance byChance,
	err error) {
	for kind, n := range comparisons(all) {
		chance.least[kind] = exact.Log(chanceOfAny / max(1, n))
	}
	tiles, err := s.tiles(all, threads)
	if err != nil {
		return nil, chance, fmt.Errorf("signals of scans cannot be compared: %w", err)
	}
	errs := make([]error, len(tiles))
	found, likely, count := make([][]likeness, len(tiles)), make([][]likeness, len(tiles)), make([]int, len(tiles))
	dense.Each(threads, len(tiles), func(k int) {
		tiles[k].pairs(all, func(i, j int) {
			x, y := all[i], all[j]
			a, b := ins[x.input], ins[y.input]
			if a.Coord("subject") == b.Coord("subject") {
				return
			}
			m, what, enough := s.alike(x, y)
			if !enough {
				return
			}
			of := matched{a.Coord("subject"), b.Coord("subject"), x.regions > 0, m.r, m.shared*x.step + x.margin,
				max(m.lag, -m.lag) * x.step, filepath.Base(a.Name), filepath.Base(b.Name)}
			how := fmt.Sprintf("have %s that correlate %.2f over %d volumes at a lag of %d (%s and %s)", what, of.R,
				of.Volumes, of.Lag, of.FirstInput, of.LaterInput)
			least := chance.least[x.kind()]
			p, err := x.chance(y, m.lag, least)
			if err != nil {
				errs[k] = cmp.Or(errs[k], fmt.Errorf("signals of %s and %s cannot be compared: %w", a.Name, b.Name, err))
				return
			}
			l := likeness{j, i, p, of, fold.Twins(a, b, how)}
			if l.chance <= least {
				found[k] = append(found[k], l)
				return
			}
			count[k]++
			likely[k] = rarest(append(likely[k], l))
		})
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, chance, err
	}
	pairs := slices.Concat(found...)
	slices.SortFunc(pairs, func(a, b likeness) int {
		return cmp.Or(cmp.Compare(a.later, b.later), cmp.Compare(a.first, b.first))
	})
	for _, l := range pairs {
		same = append(same, l.Duplicate)
	}
	for _, n := range count {
		chance.count += n
	}
	chance.rarest = rarest(slices.Concat(likely...))
	return same, chance, nil
}

// alike reports whether two traces correlate as those of one scan do, where they meet, and what they are.
func (s *Leakage) alike(x, y *trace) (m meeting, what string, enough bool) {
	if x.regions == 0 {
		m = x.meet(y)
		return m, "mean signals", math.Abs(m.r) >= s.Correlation
	}
	if math.Abs(x.coarse.meet(y.coarse).r) < coarseShare*s.Filtered {
		return m, "", false
	}
	m = x.meet(y)
	return m, "filtered signals of regions", math.Abs(m.r) >= s.Filtered
}
