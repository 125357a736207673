package phantom

import (
	"fmt"
	"math"

	"prgnn/internal/lists"
	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
)

const (
	highPass   = 128.0 // s, the longest period that fMRIPrep's cosines leave
	mostCosine = 100
	components = 5
	sampled    = 96 // voxels at most that the components are made of
)

// A nuisance gathers, while the voxels are made, what the confounds need of them all.
type nuisance struct {
	diff   []int64 // by volume: Σ over the brain of the squared difference from the volume before
	voxels int
	spread float64     // Σ over the brain of the standard deviation that such a difference has
	noise  [][]float64 // series of some voxels of white matter and CSF
	every  int         // of which voxels of these there is one
	met    int
}

func newNuisance(b *brain, volumes int) *nuisance {
	n := lists.Count(b.tissue, func(tissue int16) bool { return tissue == white || tissue == csf })
	return &nuisance{diff: make([]int64, volumes), every: 1 + (n-1)/sampled}
}

// add takes the series of a voxel of the brain.
func (n *nuisance) add(x []int16, tissue int16) {
	sum := int64(x[0])
	for t := 1; t < len(x); t++ {
		d := int64(x[t]) - int64(x[t-1])
		n.diff[t] += d * d
		sum += int64(x[t])
	}
	n.voxels++
	// The difference of neighbors in a process of autocovariance γ has the
	// variance 2(γ₀ − γ₁).
	mean := float64(sum) / float64(len(x))
	g0, g1, last := 0.0, 0.0, 0.0
	for t, v := range x {
		c := float64(v) - mean
		g0 += float64(c * c)
		if t > 0 {
			g1 += float64(c * last)
		}
		last = c
	}
	n.spread += math.Sqrt(max(0, 2*(g0-g1)/float64(len(x))))
	if tissue != white && tissue != csf {
		return
	}
	if n.met%n.every == 0 {
		y := lists.Map(x, func(v int16) float64 { return float64(v) })
		n.noise = append(n.noise, y)
	}
	n.met++
}

// columns are DVARS, the cosines, and the components of white matter and CSF.
//
// dvars is the root mean square over the brain of the difference from the volume
// before (Power et al., NeuroImage 59 (2012), 2142); std_dvars divides it by the
// standard deviation that it would have if nothing but the voxels' own processes
// moved (Nichols, "Notes on creating a standardized version of DVARS", 2013; with
// plain standard deviations, where nipype takes quartiles).
func (n *nuisance) columns(tr float64) []Column {
	T := len(n.diff)
	dvars, std := make([]float64, T), make([]float64, T)
	dvars[0], std[0] = math.NaN(), math.NaN()
	for t := 1; t < T; t++ {
		dvars[t] = math.Sqrt(float64(n.diff[t]) / float64(max(1, n.voxels)))
		if n.spread > 0 {
			std[t] = dvars[t] / (n.spread / float64(n.voxels))
		}
	}
	columns := []Column{{"dvars", dvars}, {"std_dvars", std}}
	basis := cosines(T, tr)
	for k, c := range n.components(basis) {
		columns = append(columns, Column{fmt.Sprintf("a_comp_cor_%02d", k), c})
	}
	for k, c := range basis {
		columns = append(columns, Column{fmt.Sprintf("cosine%02d", k), c})
	}
	return columns
}

// cosines are the discrete cosines of unit length whose period is above highPass.
func cosines(volumes int, tr float64) [][]float64 {
	n := min(mostCosine, volumes-1, int(math.Floor(2*float64(volumes)*tr/highPass)))
	basis := make([][]float64, max(0, n))
	unit := math.Sqrt(2 / float64(volumes))
	for k := range basis {
		basis[k] = make([]float64, volumes)
		for t := range basis[k] {
			// The angle repeats after 4T half steps, by which it stays small.
			step := (2*t + 1) * (k + 1) % (4 * volumes)
			_, c := exact.Sincos(math.Pi * float64(step) / float64(2*volumes))
			basis[k][t] = unit * c
		}
	}
	return basis
}

// components are the first principal components of the voxels' series, of unit
// length: without mean and cosines, each voxel of unit variance (Behzadi et al.,
// NeuroImage 37 (2007), 90). They are found by orthogonal iteration on the product of
// voxels with voxels, which does not grow with the scan.
func (n *nuisance) components(basis [][]float64) [][]float64 {
	var x [][]float64
	for _, y := range n.noise {
		center(y)
		for _, b := range basis {
			axpy(y, -dense.Inner(y, b), b)
		}
		if norm := math.Sqrt(dense.Inner(y, y)); norm > 1e-9 {
			scale(y, 1/norm)
			x = append(x, y)
		}
	}
	gram := make([][]float64, len(x))
	for i := range x {
		gram[i] = make([]float64, len(x))
		for j := range x[:i+1] {
			gram[i][j] = dense.Inner(x[i], x[j])
			gram[j][i] = gram[i][j]
		}
	}
	vectors := principal(gram, min(components, len(x)))
	var found [][]float64
	for _, v := range vectors {
		c := make([]float64, len(n.diff))
		for i, w := range v {
			axpy(c, w, x[i])
		}
		if norm := math.Sqrt(dense.Inner(c, c)); norm > 1e-9 {
			scale(c, 1/norm)
			found = append(found, c)
		}
	}
	return found
}

// principal are the k first eigenvectors of a symmetric matrix, by a number of steps
// that is always the same.
func principal(a [][]float64, k int) [][]float64 {
	v := make([][]float64, k)
	for i := range v {
		v[i] = make([]float64, len(a))
		for j := range v[i] { // any beginning that no eigenvector is likely to be orthogonal to
			v[i][j] = float64((7*i+3)*(j+1)%11) - 5.5
		}
	}
	for range 60 {
		for i := range v {
			next := make([]float64, len(a))
			for j := range a {
				next[j] = dense.Inner(a[j], v[i])
			}
			for _, before := range v[:i] {
				axpy(next, -dense.Inner(next, before), before)
			}
			norm := math.Sqrt(dense.Inner(next, next))
			if norm == 0 {
				return v[:i]
			}
			scale(next, 1/norm)
			v[i] = next
		}
	}
	return v
}

// axpy adds a·x to y.
func axpy(y []float64, a float64, x []float64) {
	for i, v := range x {
		y[i] += float64(a * v)
	}
}

func center(x []float64) {
	s := dense.Sum(x)
	s /= float64(len(x))
	for i := range x {
		x[i] -= s
	}
}
