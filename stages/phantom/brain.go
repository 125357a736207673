package phantom

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"prgnn/internal/random"
	"prgnn/stages/atlas"
)

// The brain is an ellipsoid about this centre, mm, MNI; it holds all 84
// centroids of the Desikan-Killiany set.
var (
	centre = [3]float64{0, -17, 10}
	axes   = [3]float64{72, 94, 68}
)

const (
	// reach is how far a region grows, as a multiple of the radius of a ball of
	// its volume: regions are not balls, and neighbours cut into each other.
	reach = 1.2
	// least is the number of voxels that every region gets, whatever the grid:
	// a random third of four is two.
	least = 4
)

// The tissues of a voxel that no region claimed; regions are numbered from 1.
const (
	air   = 0
	white = -1
	csf   = -2
)

// A brain is a voxel grid with what each voxel is.
type brain struct {
	shape  [3]int
	grid   float64    // mm
	origin [3]float64 // centre of voxel (0, 0, 0), mm
	tissue []int16    // x fastest: a node's index, or air, white or csf
}

// position is the centre of a voxel, mm.
func (b *brain) position(v int) (p [3]float64) {
	nx, ny := b.shape[0], b.shape[1]
	at := [3]int{v % nx, v / nx % ny, v / (nx * ny)}
	for d := range p {
		p[d] = b.origin[d] + float64(b.grid*float64(at[d]))
	}
	return p
}

// grow lays out the brain of a participant. Nodes in missing stay without voxels.
func grow(s Settings, nodes []atlas.Node) (*brain, error) {
	r := random.New(s.Seed, "simulate", s.Subject, "anatomy")
	var stretch [3]float64 // of the participant's brain against the average
	for d := range stretch {
		stretch[d] = 1 + float64(0.02*r.Normal())
	}
	b := &brain{grid: s.Grid}
	for d := range b.shape {
		// An even number of voxels across: none lies on the midline.
		b.shape[d] = 2 * int(math.Ceil(1.05*axes[d]/s.Grid))
		b.origin[d] = centre[d] - float64(s.Grid*float64(b.shape[d]-1)/2)
	}
	b.tissue = make([]int16, b.shape[0]*b.shape[1]*b.shape[2])

	type seed struct {
		index  int16
		left   bool
		at     [3]float64
		radius float64
	}
	var seeds []seed
	for _, n := range nodes {
		c := [3]float64{n.X, n.Y, n.Z}
		for d := range c {
			c[d] = centre[d] + float64(stretch[d]*(c[d]-centre[d])) + float64(0.8*r.Normal())
		}
		if slices.Contains(s.Missing, n.Index) {
			continue // after the draws, so that the others stay where they are
		}
		seeds = append(seeds, seed{int16(n.Index), n.Hemisphere == "L", c, math.Cbrt(3 * n.Volume / (4 * math.Pi))})
	}

	type place struct {
		voxel int
		at    [3]float64
	}
	var inside []place // the voxels of the brain
	for v := range b.tissue {
		p := b.position(v)
		var u [3]float64
		for d := range p {
			u[d] = (p[d] - centre[d]) / (axes[d] * stretch[d])
		}
		if length(u[:]) < 1 {
			b.tissue[v] = white
			inside = append(inside, place{v, p})
		}
	}
	distance := func(s seed, p place) float64 {
		if (p.at[0] < 0) != s.left {
			return math.Inf(1)
		}
		u := [3]float64{p.at[0] - s.at[0], p.at[1] - s.at[1], p.at[2] - s.at[2]}
		return length(u[:])
	}

	// First every region, the smallest first, takes the nearest voxel that is
	// still free, least times over …
	slices.SortStableFunc(seeds, func(a, b seed) int { return cmp.Compare(a.radius, b.radius) })
	for range least {
		for _, s := range seeds {
			best, nearest := -1, math.Inf(1)
			for _, p := range inside {
				if b.tissue[p.voxel] == white {
					if d := distance(s, p); d < nearest {
						best, nearest = p.voxel, d
					}
				}
			}
			if best < 0 {
				return nil, fmt.Errorf("a grid of %g mm leaves less than %d voxels for each of %d regions", b.grid, least, len(seeds))
			}
			b.tissue[best] = s.index
		}
	}
	// … then each voxel goes to the region that is nearest in units of its radius.
	for _, p := range inside {
		if b.tissue[p.voxel] != white {
			continue
		}
		nearest := reach
		for _, s := range seeds {
			if d := distance(s, p) / s.radius; d < nearest {
				b.tissue[p.voxel], nearest = s.index, d
			}
		}
		if b.tissue[p.voxel] == white && ventricle(p.at) {
			b.tissue[p.voxel] = csf
		}
	}
	return b, nil
}

// ventricle tells whether a place is about the lateral ventricles.
func ventricle(p [3]float64) bool {
	return math.Abs(p[0]) < 14 && p[1] > -45 && p[1] < 30 && p[2] > 0 && p[2] < 30
}
