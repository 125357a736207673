package nifti

import "slices"

// A Point is a place in space, mm, RAS+.
type Point = [3]float64

// mostPoints bounds the points that Resampled holds at a time.
const mostPoints = 1 << 22

// Resampled is the label image on another grid, whose points move takes, in place, to points
// of the label image's space. samples is the number of samples of a voxel along each axis.
//
// 1 takes the label at the voxel's centre: that of the label voxel ⌊q + ½⌋, where q are the
// indices of the moved point, and 0 outside of the label image.
//
// 3 takes 27 samples, at the centres of the thirds of the voxel, and the label that most of
// them have. Where two labels have as many, the one at the centre wins if it is among them,
// else the smaller one.
func (l *Labels) Resampled(g Grid, samples int, move func([]Point) error) (*Labels, error) {
	inverse, ok := l.Affine.Inverse()
	if !ok {
		return nil, errNoInverse
	}
	out := &Labels{g, make([]int32, 0, g.Voxels())}
	each := samples * samples * samples
	slab := max(1, mostPoints/(each*g.Shape[0]*g.Shape[1]))
	for k := 0; k < g.Shape[2]; k += slab {
		points := g.samples(k, min(k+slab, g.Shape[2]), samples)
		if err := move(points); err != nil {
			return nil, err
		}
		votes := make([]int32, each)
		for ; len(points) > 0; points = points[each:] {
			for i, p := range points[:each] {
				votes[i] = l.under(&inverse, p)
			}
			out.Voxels = append(out.Voxels, majority(votes))
		}
	}
	return out, nil
}

// samples are the points of the voxels of slices from to to−1, voxel by voxel, x fastest.
func (g Grid) samples(from, to, n int) []Point {
	points := make([]Point, 0, (to-from)*g.Shape[1]*g.Shape[0]*n*n*n)
	at := make([]float64, n) // of the samples, from the voxel's centre
	for s := range at {
		at[s] = (float64(s)+0.5)/float64(n) - 0.5
	}
	for k := from; k < to; k++ {
		for j := range g.Shape[1] {
			for i := range g.Shape[0] {
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

// under is the label of the voxel in which a point lies, 0 outside.
func (l *Labels) under(inverse *Affine, p Point) int32 {
	x, y, z := inverse.Apply(p[0], p[1], p[2])
	place, stride := 0, 1
	for a, q := range [3]float64{x, y, z} {
		v := q + 0.5
		if !(v >= 0 && v < float64(l.Shape[a])) {
			return 0
		}
		place += int(v) * stride
		stride *= l.Shape[a]
	}
	return l.Voxels[place]
}

// majority is the most frequent of the labels, of which the middle one is the centre's. It
// changes their order.
func majority(labels []int32) int32 {
	centre := labels[len(labels)/2]
	slices.Sort(labels)
	best, most := centre, 0
	for len(labels) > 0 {
		n := 1
		for n < len(labels) && labels[n] == labels[0] {
			n++
		}
		if n > most || n == most && labels[0] == centre {
			best, most = labels[0], n
		}
		labels = labels[n:]
	}
	return best
}
