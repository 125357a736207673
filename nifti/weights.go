package nifti

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Weights are the maps of a probabilistic atlas: each voxel has a weight in several regions.
type Weights struct {
	Grid
	Maps []WeightMap
}

// A WeightMap is one region: the voxels whose weight is not 0.
type WeightMap struct {
	Voxels []int32 // places in memory, x fastest, ascending
	Values []float64
}

// mostWeights bounds the weights of an atlas that are not 0: 12 bytes each.
const mostWeights = 1 << 27

// ReadWeights reads a four-dimensional image, one volume a region.
func ReadWeights(r *Reader) (*Weights, error) {
	if err := r.Header.series(); err != nil {
		return nil, r.fail(fmt.Errorf("a probabilistic atlas has a volume for each region: %w", err))
	}
	w := &Weights{Grid: r.Header.Grid()}
	values, total := make([]float64, w.Grid.Voxels()), 0
	for v := range r.Volumes() {
		if err := r.Next(values); err != nil {
			return nil, err
		}
		var m WeightMap
		for at, x := range values {
			if x-x != 0 { // NaN or infinite
				return nil, r.fail(fmt.Errorf("volume %d, voxel %v holds %v, but weights must be finite", v+1, w.coords(at), x))
			}
			if x != 0 {
				m.Voxels, m.Values = append(m.Voxels, int32(at)), append(m.Values, x)
			}
		}
		if total += len(m.Voxels); total > mostWeights {
			return nil, r.fail(fmt.Errorf("more than %d nonzero weights: set small ones to 0", mostWeights))
		}
		w.Maps = append(w.Maps, m)
	}
	return w, nil
}

// Largest is the label image of the maps, numbered from 1: each voxel has the number of the map
// with the largest weight above 0, the first of several.
func (w *Weights) Largest() *Labels {
	l := &Labels{Grid: w.Grid, Voxels: make([]int32, w.Grid.Voxels())}
	best := make([]float64, len(l.Voxels))
	for i, m := range w.Maps {
		for k, at := range m.Voxels {
			if m.Values[k] > best[at] {
				best[at], l.Voxels[at] = m.Values[k], int32(i+1)
			}
		}
	}
	return l
}

// Within is the share of each map's weight, by magnitude, whose voxels lie inside of a voxel of
// the grid.
func (w *Weights) Within(g Grid) []float64 {
	shares := make([]float64, len(w.Maps))
	inverse, ok := g.Affine.Inverse()
	if !ok {
		return shares
	}
	m := inverse.Mul(&w.Affine)
	for i, one := range w.Maps {
		var all, inside float64
		for k, at := range one.Voxels {
			v, c := math.Abs(one.Values[k]), w.coords(int(at))
			x, y, z := m.Apply(float64(c[0]), float64(c[1]), float64(c[2]))
			seen := true
			for a, q := range [3]float64{x, y, z} {
				seen = seen && q >= -0.5 && q < float64(g.Shape[a])-0.5
			}
			if all += v; seen {
				inside += v
			}
		}
		if all > 0 {
			shares[i] = inside / all
		}
	}
	return shares
}

// Onto interpolates the maps, trilinearly in mm, at the voxels of another grid: 0 beyond the
// middle of their outermost voxels (nilearn's resample_img(interpolation="linear")).
func (w *Weights) Onto(g Grid) (*Weights, error) {
	if w.Grid.Same(g) {
		return &Weights{g, w.Maps}, nil
	}
	if err := w.Grid.Resamples(g); err != nil {
		return nil, err
	}
	inverse, ok := w.Affine.Inverse()
	if !ok {
		return nil, errNoInverse
	}
	// The eight voxels around each voxel of the grid are the same for all maps.
	type corner struct {
		at    int32 // of the atlas
		share float64
	}
	m := inverse.Mul(&g.Affine)
	corners := make([][8]corner, g.Voxels())
	for at := range corners {
		c := g.coords(at)
		x, y, z := m.Apply(float64(c[0]), float64(c[1]), float64(c[2]))
		corners[at] = [8]corner{}
		var low [3]int
		var part [3]float64
		inside := true
		for a, q := range [3]float64{x, y, z} {
			last := float64(w.Shape[a] - 1)
			if near := math.Round(q); math.Abs(q-near) < 1e-9 { // rounding of the affines
				q = near
			}
			inside = inside && q >= 0 && q <= last
			low[a] = int(math.Floor(min(max(q, 0), last)))
			part[a] = q - float64(low[a])
		}
		for n := range corners[at] {
			place, stride, share := 0, 1, 1.0
			for a := range 3 {
				v, s := low[a], 1-part[a]
				if n>>a&1 == 1 {
					v, s = min(low[a]+1, w.Shape[a]-1), part[a]
				}
				place, share = place+v*stride, float64(share*s)
				stride *= w.Shape[a]
			}
			if inside {
				corners[at][n] = corner{int32(place), share}
			}
		}
	}
	out := &Weights{Grid: g, Maps: make([]WeightMap, len(w.Maps))}
	whole := make([]float64, w.Grid.Voxels())
	reached := false
	for i, one := range w.Maps {
		for k, at := range one.Voxels {
			whole[at] = one.Values[k]
		}
		for at := range corners {
			var sum float64
			for _, c := range corners[at] {
				sum += float64(c.share * whole[c.at])
			}
			if sum != 0 {
				out.Maps[i].Voxels = append(out.Maps[i].Voxels, int32(at))
				out.Maps[i].Values = append(out.Maps[i].Values, sum)
				reached = true
			}
		}
		for _, at := range one.Voxels {
			whole[at] = 0
		}
	}
	if !reached {
		return nil, fmt.Errorf("the probabilistic atlas does not overlap the scan: the atlas is on %v, the scan on %v; are both in the same space (MNI…)?", w.Grid, g)
	}
	return out, nil
}

// support are the voxels with a weight in any map, ascending.
func (w *Weights) support() []int32 {
	there := make([]bool, w.Grid.Voxels())
	for _, m := range w.Maps {
		for _, at := range m.Voxels {
			there[at] = true
		}
	}
	var all []int32
	for at, yes := range there {
		if yes {
			all = append(all, int32(at))
		}
	}
	return slices.Clip(all)
}

// ErrDependent says that maps are linearly dependent.
var ErrDependent = errors.New("the maps of the probabilistic atlas are linearly dependent")

// mostCentroids bounds the maps whose centroids are found, bytes.
const mostCentroids = 256 << 20

// MapCentroids are the centroids of the maps of a probabilistic atlas, mm, by their weights above 0; by the number of
// the map, from 0. A map without such a weight has none, and maps of more than 256 MB have none.
func MapCentroids(r *Reader) (map[int]Point, error) {
	grid, centroids := r.Header.Grid(), map[int]Point{}
	if r.Volumes()*r.volumeBytes() > mostCentroids {
		return nil, nil
	}
	weights := make([]float64, grid.Voxels())
	for m := range int(r.Volumes()) {
		if err := r.Next(weights); err != nil {
			return nil, err
		}
		var sum, i, j, k float64
		for at, w := range weights {
			if w > 0 && !math.IsInf(w, 0) {
				v := grid.coords(at)
				sum, i, j, k = sum+w, i+float64(w*float64(v[0])), j+float64(w*float64(v[1])), k+float64(w*float64(v[2]))
			}
		}
		if sum > 0 {
			x, y, z := grid.Affine.Apply(i/sum, j/sum, k/sum)
			centroids[m] = Point{x, y, z}
		}
	}
	return centroids, nil
}
