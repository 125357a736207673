package assess

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sort"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/dense"
	"prgnn/internal/exact"
	"prgnn/stages/fold"
)

// A trace is what is left of series when regions, scale and trend are gone: the change from each volume to the next,
// each region's in its own SD, averaged over regions, as ranks from −1 to 1. Ranks bound what a jerk of the head
// weighs; changes have little autocorrelation, so two scans agree by chance as two white series do.
type trace []float64

// traceOf is the trace of draw 0 of series (draw, time, node). It is nil where fewer than leastOverlap+1 volumes are
// there, or nothing varies.
func traceOf(a *encoding.Array) trace {
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
	return ranks(sum)
}

// ranks are the ranks of numbers, from −1 to 1; equal ones share their mean rank.
func ranks(v []float64) trace {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return v[order[i]] < v[order[j]] })
	out := make(trace, len(v))
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

// Two series are of one scan when their traces correlate by 0.8 (Leakage.Correlation) or −0.8, for a negative factor
// reverses a scan, and by leastZ standard errors of Fisher's z, at some lag where they share leastOverlap changes and
// half of the shorter one. z = ±8 has a p of 1.2·10⁻¹⁵ for two white series at one lag. Of the 535,095
// pairs of ABIDE's 1,035 scans the largest ones by chance are r = 0.65 and z = 6.7.
const (
	leastOverlap = 50
	leastZ       = 8
)

// A meeting is where two traces agree best: y lags behind x by so many volumes.
type meeting struct {
	r, z   float64 // z is atanh|r|·√(overlap − 3)
	lag    int
	shared int // changes
}

// meet finds the lag at which two traces are farthest above chance.
func (x *summed) meet(y *summed) (best meeting) {
	least := max(leastOverlap, min(len(x.trace), len(y.trace))/2)
	low, high := least-len(x.trace), len(y.trace)-least // x[i] meets y[i+lag]
	dot := make([]float64, high-low+1)
	for i, v := range x.trace {
		from, to := max(0, i+low), min(len(y.trace), i+high+1)
		dense.Axpy(dot[from-i-low:to-i-low], v, y.trace[from:to])
	}
	for k, d := range dot {
		lag := low + k
		from, to := max(0, -lag), min(len(x.trace), len(y.trace)-lag)
		n := float64(to - from)
		mx, vx := x.over(from, to)
		my, vy := y.over(from+lag, to+lag)
		if !(vx > 0 && vy > 0) {
			continue
		}
		r := (d - float64(mx*my/n)) / math.Sqrt(float64(vx*vy))
		size := min(math.Abs(r), 1-1e-12)
		if z := exact.Log((1+size)/(1-size)) / 2 * math.Sqrt(n-3); z > best.z {
			best = meeting{r, z, lag, to - from}
		}
	}
	return best
}

// A summed trace has the sums of its values and of their squares up to each place.
type summed struct {
	trace
	input        int
	sum, squares []float64
}

func newSummed(x trace, input int) *summed {
	s := &summed{x, input, make([]float64, len(x)+1), make([]float64, len(x)+1)}
	for i, v := range x {
		s.sum[i+1], s.squares[i+1] = s.sum[i]+v, s.squares[i]+float64(v*v)
	}
	return s
}

// over are the sum and the sum of squares about the mean of a part.
func (s *summed) over(from, to int) (sum, squares float64) {
	sum = s.sum[to] - s.sum[from]
	return sum, s.squares[to] - s.squares[from] - float64(sum*sum)/float64(to-from)
}

// readTraces makes the traces of those inputs that are series of sufficient length.
func readTraces(ins []dag.Input) ([]*summed, error) {
	var all []*summed
	for i, in := range ins {
		if in.Ref.Format != "npy" {
			continue
		}
		a, err := in.Array()
		if err != nil {
			return nil, err
		}
		if x := traceOf(a); x != nil {
			all = append(all, newSummed(x, i))
		}
	}
	return all, nil
}

// sameTraces finds series of two participants that are of one scan by their traces. The time is that of all pairs.
func sameTraces(all []*summed, ins []dag.Input, least float64, threads int) []fold.Duplicate {
	found := make([][]fold.Duplicate, len(all))
	dense.Each(threads, len(all), func(i int) {
		y := all[i]
		for _, x := range all[:i] {
			a, b := ins[x.input], ins[y.input]
			if a.Coord("subject") == b.Coord("subject") {
				continue
			}
			if m := x.meet(y); math.Abs(m.r) >= least && m.z >= leastZ {
				how := fmt.Sprintf("have mean signals that correlate %.2f over %d volumes at a lag of %d (%s and %s)",
					m.r, m.shared+1, max(m.lag, -m.lag), filepath.Base(a.Name), filepath.Base(b.Name))
				found[i] = append(found[i], fold.Duplicate{First: a.Coord("subject"), Later: b.Coord("subject"),
					How: how})
			}
		}
	})
	return slices.Concat(found...)
}
