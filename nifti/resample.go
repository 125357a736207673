package nifti

import (
	"math"
	"slices"
)

// A Point is a place in space, mm, RAS+.
type Point [3]float64

// Distance is how far apart two points are, mm.
func (p Point) Distance(q Point) float64 {
	square := 0.0
	for a := range p {
		square += float64((p[a] - q[a]) * (p[a] - q[a]))
	}
	return math.Sqrt(square)
}

// A Box is a part of a grid that is continued beyond its borders: voxels Lo to Hi−1.
type Box struct{ Lo, Hi [3]int }

// Box is the whole grid.
func (g Grid) Box() Box { return Box{Hi: g.Shape} }

// mostPoints bounds the points that Resampled holds at a time.
const mostPoints = 1 << 22

// Resampled are the labels of the voxels in a box of another grid, x fastest, whose points move
// takes, in place, to points of the label image's space. samples is the number of samples of a
// voxel along each axis.
//
// 1 takes the label at the voxel's center: that of the label voxel ⌊q + ½⌋, where q are the
// indices of the moved point, and 0 outside of the label image.
//
// 3 takes 27 samples, at the centers of the thirds of the voxel, and the label that most of
// those with a label have; 0 where fewer than a third of the samples have one. Where two labels
// have as many, the one at the center wins if it is among them, else the smaller one.
func (l *Labels) Resampled(g Grid, box Box, samples int, move func([]Point) error) ([]int32, error) {
	if err := l.Resamples(g); err != nil {
		return nil, err
	}
	at, err := l.Lookup()
	if err != nil {
		return nil, err
	}
	slice := (box.Hi[0] - box.Lo[0]) * (box.Hi[1] - box.Lo[1])
	out := make([]int32, 0, slice*(box.Hi[2]-box.Lo[2]))
	votes := make([]int32, samples*samples*samples)
	slab := max(1, mostPoints/(len(votes)*slice))
	for k := box.Lo[2]; k < box.Hi[2]; k += slab {
		part := box
		part.Lo[2], part.Hi[2] = k, min(k+slab, box.Hi[2])
		points := g.samples(part, samples)
		if err := move(points); err != nil {
			return nil, err
		}
		for ; len(points) > 0; points = points[len(votes):] {
			for i := range votes {
				votes[i], _ = at(points[i])
			}
			out = append(out, majority(votes))
		}
	}
	return out, nil
}

// samples are the points of the voxels in a box, voxel by voxel, x fastest.
func (g Grid) samples(box Box, n int) []Point {
	var points []Point
	at := make([]float64, n) // of the samples, from the voxel's center
	for s := range at {
		at[s] = (float64(s)+0.5)/float64(n) - 0.5
	}
	for k := box.Lo[2]; k < box.Hi[2]; k++ {
		if points == nil {
			points = make([]Point, 0, (box.Hi[0]-box.Lo[0])*(box.Hi[1]-box.Lo[1])*(box.Hi[2]-box.Lo[2])*n*n*n)
		}
		for j := box.Lo[1]; j < box.Hi[1]; j++ {
			for i := box.Lo[0]; i < box.Hi[0]; i++ {
				for _, z := range at {
					for _, y := range at {
						for _, x := range at {
							var p Point
							p[0], p[1], p[2] = g.Affine.Apply(float64(i)+x, float64(j)+y, float64(k)+z)
							points = append(points, p)
						}
					}
				}
			}
		}
	}
	return points
}

// Points are the centers of the grid's voxels, x fastest.
func (g Grid) Points() []Point { return g.samples(g.Box(), 1) }

// Lookup gives the label of the voxel in which a point lies; inside is false, and the label 0,
// outside of the image.
func (l *Labels) Lookup() (at func(Point) (label int32, inside bool), err error) {
	inverse, ok := l.Affine.Inverse()
	if !ok {
		return nil, errNoInverse
	}
	return func(p Point) (int32, bool) {
		x, y, z := inverse.Apply(p[0], p[1], p[2])
		place, stride := 0, 1
		for a, q := range [3]float64{x, y, z} {
			v := q + 0.5
			if !(v >= 0 && v < float64(l.Shape[a])) {
				return 0, false
			}
			place += int(v) * stride
			stride *= l.Shape[a]
		}
		return l.Voxels[place], true
	}, nil
}

// majority is the most frequent of the labels of a voxel's samples, of which the middle one is
// the center's. 0 is no label and has no vote. It changes the order of the labels.
func majority(labels []int32) int32 {
	center, samples := labels[len(labels)/2], len(labels)
	slices.Sort(labels)
	var best int32
	most, given := 0, 0
	for len(labels) > 0 {
		n := 1
		for n < len(labels) && labels[n] == labels[0] {
			n++
		}
		if v := labels[0]; v != 0 {
			given += n
			if n > most || n == most && v == center {
				best, most = v, n
			}
		}
		labels = labels[n:]
	}
	if 3*given < samples {
		return 0
	}
	return best
}

// Around is the box of a grid, extended where labels lie beyond its borders: it holds all labels and margin
// mm more, but at most twice the grid along each axis.
func (l *Labels) Around(g Grid, margin float64) (Box, error) {
	inverse, ok := g.Affine.Inverse()
	if !ok {
		return Box{}, errNoInverse
	}
	lo, hi := l.Shape, [3]int{-1, -1, -1} // of the voxels with a label
	at := 0
	for k := range l.Shape[2] {
		for j := range l.Shape[1] {
			for i := range l.Shape[0] {
				if l.Voxels[at] != 0 {
					for a, v := range [3]int{i, j, k} {
						lo[a], hi[a] = min(lo[a], v), max(hi[a], v)
					}
				}
				at++
			}
		}
	}
	box := g.Box()
	if hi[0] < 0 {
		return box, nil
	}
	m, size := inverse.Mul(&l.Affine), g.Affine.VoxelSize()
	for corner := range 8 {
		var v [3]float64
		for a := range v {
			if v[a] = float64(lo[a]) - 0.5; corner>>a&1 == 1 {
				v[a] = float64(hi[a]) + 0.5
			}
		}
		x, y, z := m.Apply(v[0], v[1], v[2])
		for a, q := range [3]float64{x, y, z} {
			far, half := margin/size[a], g.Shape[a]/2+1
			box.Lo[a] = min(box.Lo[a], max(int(math.Floor(max(q-far, -1e6))), -half))
			box.Hi[a] = max(box.Hi[a], min(int(math.Ceil(min(q+far, 1e6)))+1, g.Shape[a]+half))
		}
	}
	return box, nil
}
