package edgewise

import (
	"math"
	"slices"
	"sync"

	"prgnn/internal/lists"
	"prgnn/numeric/dense"
	"prgnn/stages/inference"
)

// A Permutation is which participant's residuals each one receives, and their signs; nil for all +1.
type Permutation struct {
	From []int
	Sign []float64
}

// Options are what a permutation test computes.
type Options struct {
	Permutations int
	// Draw makes the b-th permutation, b from 1. It depends on b alone and is called by several goroutines.
	Draw       func(b int) Permutation
	Thresholds []float64 // of t (or F), of components
	Tail       Tail      // of one tested column
	Free       ThresholdFree
	Threads    int
	Done       func(permutations int) // called as they finish; may be nil
	Stop       func() error           // asked between permutations; may be nil
}

// Null holds what the permutations gave, in their order; the data as they are are not among them.
type Null struct {
	Largest           []float64   // largest |t| or F of all edges
	Extent, Intensity [][]float64 // threshold × permutation: of the largest component; 0 where no edge is above
	Free              []float64   // largest TFNBS
	Region            []float64   // largest mean of |t| or √F over the edges of a region
	As                []int       // of each edge: permutations with at least as large a |t| or F
}

// Heights are what components and TFNBS are made of: t, or √F, which is |t| of one tested column.
func (m *Model) Heights(statistic []float64) []float64 {
	if m.Tested == 1 {
		return statistic
	}
	out := lists.Map(statistic, math.Sqrt)
	return out
}

// Permute computes the statistics of all permutations. By Freedman and Lane (1983; Winkler et al. 2014, NeuroImage
// 92:381), Y* = fitted nuisance + permuted residuals R; the full model is fitted again. With the orthonormal columns U
// (tested) and Q (nuisance), all that changes are the sums UᵀPR and QᵀPR: t = uᵀPR·√df / √(diag RᵀR − Σ(QᵀPR)² −
// Σ(UᵀPR)²) if all have one variance. Several permutations are one product of matrices.
func (f *Fit) Permute(net *Network, o Options) (*Null, error) {
	null := &Null{Largest: make([]float64, o.Permutations), Free: make([]float64, o.Permutations),
		Region: make([]float64, o.Permutations),
		As:     make([]int, f.Edges)}
	for range o.Thresholds {
		null.Extent = append(null.Extent, make([]float64, o.Permutations))
		null.Intensity = append(null.Intensity, make([]float64, o.Permutations))
	}
	powers := o.Free.powers(f.Edges)
	least := make([]float64, f.Edges) // what counts as at least as large, but for rounding
	for e, s := range f.Statistic {
		least[e] = math.Abs(s) - float64(1e-10*max(1, math.Abs(s)))
	}
	each := max(1, 192/f.multiplied()) // permutations of one product
	threads := max(1, o.Threads)
	var free sync.Mutex
	var workers []*worker
	var stopped error
	done := 0
	dense.Each(threads, (o.Permutations+each-1)/each, func(i int) {
		free.Lock()
		var w *worker
		if o.Stop != nil && stopped == nil {
			stopped = o.Stop()
		}
		if stopped != nil {
			free.Unlock()
			return
		}
		if len(workers) > 0 {
			w, workers = workers[len(workers)-1], workers[:len(workers)-1]
		}
		free.Unlock()
		if w == nil {
			w = f.worker(net.Copy(), each)
		}
		first := i * each
		n := min(each, o.Permutations-first)
		w.run(o, first, n, least, powers, null)
		free.Lock()
		workers = append(workers, w)
		if done += n; o.Done != nil {
			o.Done(done)
		}
		free.Unlock()
	})
	if stopped != nil {
		return nil, stopped
	}
	for _, w := range workers {
		for e, n := range w.as {
			null.As[e] += n
		}
	}
	return null, nil
}

// A worker has the memory of one goroutine.
type worker struct {
	*sums
	net             *Network
	enhanced        []float64
	regions, tested []float64 // the mean of each region, and its edges
	as              []int
}

func (f *Fit) worker(net *Network, each int) *worker {
	return &worker{sums: f.sums(each), net: net, enhanced: make([]float64, f.Edges),
		regions: make([]float64, net.Regions), tested: f.degrees(net), as: make([]int, f.Edges)}
}

func (w *worker) run(o Options, first, n int, least []float64, powers powers, null *Null) {
	w.of(n, func(b int) Permutation { return o.Draw(first + b + 1) })
	for b := range n {
		w.variances(b)
		w.test()
		largest := 0.0
		for e, s := range w.statistic {
			s = math.Abs(s)
			largest = max(largest, s) // no NaN: their edges have 0
			if s >= least[e] {
				w.as[e]++
			}
		}
		null.Largest[first+b] = largest
		for i, threshold := range o.Thresholds {
			null.Extent[i][first+b], null.Intensity[i][first+b] = w.net.join(w.statistic, threshold, o.Tail)
		}
		heights := w.f.Heights(w.statistic)
		null.Free[first+b] = w.net.enhance(w.enhanced, heights, o.Free, powers)
		w.net.means(w.regions, heights, w.tested)
		null.Region[first+b] = slices.Max(w.regions)
	}
}

// Regions are the means of |t| or √F over the tested edges of each region; 0 of a region without any.
func (f *Fit) Regions(net *Network) []float64 {
	out := make([]float64, net.Regions)
	net.means(out, f.Heights(f.Statistic), f.degrees(net))
	return out
}

// degrees are the numbers of tested edges of each region.
func (f *Fit) degrees(net *Network) []float64 {
	of := make([]float64, net.Regions)
	for e, v := range f.Statistic {
		if v == v {
			of[net.Source[e]]++
			of[net.Target[e]]++
		}
	}
	return of
}

// means are those of the magnitudes over the edges of each region.
func (n *Network) means(out, values, degrees []float64) {
	clear(out)
	for e, v := range values {
		if v = math.Abs(v); v == v {
			out[n.Source[e]] += v
			out[n.Target[e]] += v
		}
	}
	for i, of := range degrees {
		if of > 0 {
			out[i] /= of
		}
	}
}

// Enhanced are the values of TFNBS of a test.
func (n *Network) Enhanced(statistic []float64, o ThresholdFree) []float64 {
	out := make([]float64, len(statistic))
	n.enhance(out, statistic, o, o.powers(len(statistic)))
	return out
}

// Corrected are the p of values among the largest of each permutation (Westfall & Young 1993).
func Corrected(values, largest []float64) []float64 {
	sorted := slices.Sorted(slices.Values(largest))
	out := make([]float64, len(values))
	for i, v := range values {
		v = math.Abs(v)
		if math.IsNaN(v) {
			out[i] = v
			continue
		}
		least := v - float64(1e-10*max(1, v))
		at, _ := slices.BinarySearch(sorted, least)
		out[i] = inference.PermutationP(len(sorted)-at, len(sorted))
	}
	return out
}

// Uncorrected are the p of each edge by itself.
func (n *Null) Uncorrected(statistic []float64) []float64 {
	out := make([]float64, len(statistic))
	for e, s := range statistic {
		if out[e] = inference.PermutationP(n.As[e], len(n.Largest)); math.IsNaN(s) {
			out[e] = math.NaN()
		}
	}
	return out
}
