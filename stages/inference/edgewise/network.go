package edgewise

import (
	"math"

	"prgnn/numeric/exact"
)

// A Network has the edges of a test as pairs of regions from 0, and finds its connected components.
type Network struct {
	Regions        int
	Source, Target []int32

	parent []int32
	count  []float64 // of a root: edges of its component
	sum    []float64 // of a root: intensity of its component
	height []int32   // of an edge, in steps
	order  []int32   // of the edges by their heights
	ends   []int
}

// NewNetwork is that of some edges.
func NewNetwork(regions int, source, target []int32) *Network {
	return &Network{Regions: regions, Source: source, Target: target, parent: make([]int32, regions),
		count: make([]float64, regions), sum: make([]float64, regions), height: make([]int32, len(source)),
		order: make([]int32, len(source))}
}

// Copy is the same network for another goroutine.
func (n *Network) Copy() *Network { return NewNetwork(n.Regions, n.Source, n.Target) }

func (n *Network) reset() {
	for i := range n.parent {
		n.parent[i], n.count[i], n.sum[i] = int32(i), 0, 0
	}
}

func (n *Network) root(i int32) int32 {
	for n.parent[i] != i {
		n.parent[i] = n.parent[n.parent[i]]
		i = n.parent[i]
	}
	return i
}

// Tail is which edges make components.
type Tail string

// The tails: |t|, t or −t above the threshold. Components of Both may join edges of both signs.
const (
	Both  Tail = "both"
	Right Tail = "right"
	Left  Tail = "left"
)

// above is by how much a statistic exceeds a threshold in the tail.
func (t Tail) above(x, threshold float64) float64 {
	switch t {
	case Both:
		x = math.Abs(x)
	case Left:
		x = -x
	}
	return x - threshold
}

// join makes the components of the edges above a threshold: the count of a root is their number, its sum Σ(|t| −
// threshold) (Zalesky, Fornito & Bullmore 2010, NeuroImage 53:1197). It returns the largest of both.
func (n *Network) join(t []float64, threshold float64, tail Tail) (extent, intensity float64) {
	n.reset()
	for e, x := range t {
		over := tail.above(x, threshold)
		if !(over > 0) {
			continue
		}
		a, b := n.root(n.Source[e]), n.root(n.Target[e])
		if a != b {
			a, b = min(a, b), max(a, b)
			n.parent[b] = a
			n.count[a] += n.count[b]
			n.sum[a] += n.sum[b]
		}
		n.count[a]++
		n.sum[a] += over
		extent, intensity = max(extent, n.count[a]), max(intensity, n.sum[a])
	}
	return extent, intensity
}

// A Component is a connected component of edges above the threshold.
type Component struct {
	Regions           []int32 // from 0, ascending
	Extent, Intensity float64 // number of edges; Σ(|t| − threshold)
}

// Components are those above a threshold in the order of their first regions, and the component of each edge, from 1; 0
// for none.
func (n *Network) Components(t []float64, threshold float64, tail Tail) (all []Component, of []int32) {
	n.join(t, threshold, tail)
	of = make([]int32, len(t))
	number := make([]int32, n.Regions) // of a root
	for i := range int32(n.Regions) {
		r := n.root(i)
		if n.count[r] == 0 {
			continue
		}
		if number[r] == 0 {
			all = append(all, Component{Extent: n.count[r], Intensity: n.sum[r]})
			number[r] = int32(len(all))
		}
		c := &all[number[r]-1]
		c.Regions = append(c.Regions, i)
	}
	for e, x := range t {
		if tail.above(x, threshold) > 0 {
			of[e] = number[n.root(n.Source[e])]
		}
	}
	return all, of
}

// ThresholdFree holds the exponents of TFNBS (Vinokur et al. 2015; Baggio et al. 2018, Hum Brain Mapp 39:2289): the
// value
// of an edge is Σ size^E · h^H · dh over the heights h = dh, 2dh … ≤ |t|, with the sign of t, where size is the
// number of
// edges in its component of edges with |t| ≥ h.
type ThresholdFree struct{ E, H, Step float64 }

// Usual are the defaults of MRtrix3's connectomestats.
var Usual = ThresholdFree{0.4, 3, 0.1}

// powers are size^E of 1 … n edges, and h^H · dh of the heights up to the k-th.
type powers struct{ size, height []float64 }

func (o ThresholdFree) powers(edges int) powers {
	p := powers{size: make([]float64, edges+1)}
	for n := 1; n <= edges; n++ {
		p.size[n] = power(float64(n), o.E)
	}
	for k := 0; k <= mostHeights; k++ {
		p.height = append(p.height, power(float64(float64(k)*o.Step), o.H)*o.Step)
	}
	return p
}

// mostHeights bounds the heights: a statistic that is larger counts as the last one. It is |t| = 102.4 by default.
const mostHeights = 1024

func power(x, e float64) float64 {
	switch {
	case e == 0:
		return 1
	case x == 0:
		return 0
	}
	return exact.Exp(float64(e * exact.Log(x)))
}

// enhance writes the value of each edge to out and returns the largest magnitude. Heights are visited from above, so
// that components only grow.
func (n *Network) enhance(out, t []float64, o ThresholdFree, p powers) (most float64) {
	n.reset()
	clear(out)
	joined := 0
	for k, upTo := range n.sort(t, o) {
		for _, e := range n.order[joined:upTo] {
			a, b := n.root(n.Source[e]), n.root(n.Target[e])
			if a != b {
				a, b = min(a, b), max(a, b)
				n.parent[b] = a
				n.count[a] += n.count[b]
			}
			n.count[a]++
		}
		joined = upTo
		height := p.height[len(n.ends)-k]
		for _, e := range n.order[:upTo] {
			out[e] += float64(p.size[int(n.count[n.root(n.Source[e])])] * height)
		}
	}
	for _, e := range n.order[:joined] {
		most = max(most, out[e])
		out[e] = math.Copysign(out[e], t[e])
	}
	return most
}

// sort puts the edges with |t| ≥ dh in the order of their heights, the largest first, and returns for each height,
// from the largest to dh, how many edges have it or a larger one.
func (n *Network) sort(t []float64, o ThresholdFree) []int {
	top := 0
	for e, x := range t {
		k := 0
		if x == x {
			k = int(min(mostHeights, math.Abs(x)/o.Step+2))
			for k > 0 && math.Abs(x) < float64(float64(k)*o.Step)-1e-12 {
				k--
			}
		}
		n.height[e] = int32(k)
		top = max(top, k)
	}
	n.ends = append(n.ends[:0], make([]int, top)...)
	if top == 0 {
		return nil
	}
	for _, k := range n.height {
		if k > 0 {
			n.ends[top-int(k)]++
		}
	}
	total := 0
	for i, c := range n.ends { // where the edges of a height begin
		n.ends[i] = total
		total += c
	}
	for e, k := range n.height {
		if k > 0 {
			i := top - int(k)
			n.order[n.ends[i]] = int32(e)
			n.ends[i]++ // and, in the end, where they end
		}
	}
	return n.ends
}
