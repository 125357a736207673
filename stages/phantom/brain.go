package phantom

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"prgnn/numeric/random"
	"prgnn/stages/atlas"
)

// The outline (shape.go) is a radius about this center, mm, MNI. The grid is centered on middle and holds the outline,
// whose half lengths are extent.
var (
	outlineCenter = [3]float64{0, -22, 4}
	middle        = [3]float64{0, -17, 7}
	extent        = [3]float64{71, 91, 75}
)

const (
	// reach is how far a region grows from its centroid, in standard deviations of its places: in a uniform ellipsoid
	// the surface lies at √5.
	reach = 2.0
	// The cortex lies in the outermost mantle, mm: there regions grow further.
	mantle      = 8
	mantleReach = 3.5
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
	origin [3]float64 // center of voxel (0, 0, 0), mm
	tissue []int16    // x fastest: a node's index, or air, white or csf
}

// position is the center of a voxel, mm.
func (b *brain) position(v int) (p [3]float64) {
	nx, ny := b.shape[0], b.shape[1]
	at := [3]int{v % nx, v / nx % ny, v / (nx * ny)}
	for d := range p {
		p[d] = b.origin[d] + float64(b.grid*float64(at[d]))
	}
	return p
}

// below is how deep a place lies below the outline, mm along the line from the center; negative outside.
func below(p [3]float64) float64 {
	d := [3]float64{p[0] - outlineCenter[0], p[1] - outlineCenter[1], p[2] - outlineCenter[2]}
	r := length(d[:])
	if r == 0 {
		return outline[0]
	}
	y, z := d[1]/r, d[2]/r
	radius, k, ya := 0.0, 0, 1.0
	for a := range degree + 1 {
		term := ya
		for range degree + 1 - a {
			radius += float64(outline[k] * term)
			term *= z
			k++
		}
		ya *= y
	}
	return radius - r
}

// A seed is a region before it grows.
type seed struct {
	index  int16
	left   bool
	at     [3]float64 // mm, in the average brain
	volume float64
	metric [6]float64 // inverse covariance, 1/mm²: xx, yy, zz, and twice xy, xz, yz
}

// metricOf is the inverse covariance of the places in a region; of one whose shape is not known, that of a ball.
func metricOf(n atlas.Node) [6]float64 {
	c, known := spreads[region(n)]
	if !known {
		r := math.Cbrt(3 * n.Volume / (4 * math.Pi))
		v := float64(r*r) / 5
		return [6]float64{1 / v, 1 / v, 1 / v}
	}
	if n.Hemisphere == "L" {
		c[3], c[4] = -c[3], -c[4]
	}
	xx, yy, zz, xy, xz, yz := c[0], c[1], c[2], c[3], c[4], c[5]
	minor := func(a, b, c, d float64) float64 { return float64(a*b) - float64(c*d) } // whole numbers: exact
	det := float64(xx*minor(yy, zz, yz, yz)) - float64(xy*minor(xy, zz, yz, xz)) + float64(xz*minor(xy, yz, yy, xz))
	return [6]float64{minor(yy, zz, yz, yz) / det, minor(xx, zz, xz, xz) / det, minor(xx, yy, xy, xy) / det,
		2 * minor(xz, yz, xy, zz) / det, 2 * minor(xy, yz, xz, yy) / det, 2 * minor(xy, xz, xx, yz) / det}
}

// squared is the squared distance of a place in its hemisphere from the region, in standard deviations of its places.
func (s *seed) squared(p *place) float64 {
	x, y, z, m := p.at[0]-s.at[0], p.at[1]-s.at[1], p.at[2]-s.at[2], &s.metric
	return float64(m[0]*float64(x*x)) + float64(m[1]*float64(y*y)) + float64(m[2]*float64(z*z)) +
		float64(m[3]*float64(x*y)) + float64(m[4]*float64(x*z)) + float64(m[5]*float64(y*z))
}

// side is the hemisphere of the region: 1 for the left one.
func (s *seed) side() int {
	if s.left {
		return 1
	}
	return 0
}

// A place is a voxel of the brain.
type place struct {
	voxel   int
	at      [3]float64 // mm, in the average brain
	cortex  bool       // in the mantle
	owner   int16      // the region that is nearest so far
	nearest float64    // its squared distance
}

// near are free voxels about a region as it saw them last, the nearest first; of one distance, in their order.
type near []sighting

type sighting struct {
	voxel    int
	distance float64
}

// sight is how many voxels a region sees at once.
const sight = 2 * least

// take is the nearest voxel that is still free.
func (n *near) take(b *brain, s *seed, places []place) (voxel int, ok bool) {
	for looked := false; ; looked = true {
		for ; len(*n) > 0; *n = (*n)[1:] {
			if voxel := (*n)[0].voxel; b.tissue[voxel] == white {
				return voxel, true
			}
		}
		if looked {
			return 0, false
		}
		n.look(b, s, places)
	}
}

func (n *near) look(b *brain, s *seed, places []place) {
	seen, farthest := make(near, 0, sight+1), math.Inf(1)
	for k := range places {
		p := &places[k]
		d := s.squared(p)
		if !(d < farthest) || b.tissue[p.voxel] != white {
			continue
		}
		i := len(seen)
		for i > 0 && d < seen[i-1].distance {
			i--
		}
		seen = slices.Insert(seen, i, sighting{p.voxel, d})
		if len(seen) > sight {
			seen = seen[:sight]
		}
		if len(seen) == sight {
			farthest = seen[sight-1].distance
		}
	}
	*n = seen
}

// grow lays out the brain of a participant. Nodes in missing stay without voxels.
func grow(s Settings, nodes []atlas.Node) (*brain, error) {
	r := random.New(s.Seed, "simulate", s.Subject, "anatomy")
	var stretch [3]float64 // of the participant's brain against the average
	for d := range stretch {
		stretch[d] = 1 + float64(0.02*r.Normal())
	}
	var seeds []seed
	for _, n := range nodes {
		c := [3]float64{n.X, n.Y, n.Z}
		for d := range c {
			c[d] += float64(0.8 * r.Normal())
		}
		if slices.Contains(s.Missing, n.Index) {
			continue // after the draws, so that the others stay where they are
		}
		seeds = append(seeds, seed{int16(n.Index), n.Hemisphere == "L", c, n.Volume, metricOf(n)})
	}
	return fill(s.Grid, stretch, seeds)
}

// fill makes a brain of voxels of a size, mm.
func fill(grid float64, stretch [3]float64, seeds []seed) (*brain, error) {
	b := &brain{grid: grid}
	for d := range b.shape {
		// An even number of voxels across: none lies on the midline.
		b.shape[d] = 2 * int(math.Ceil(1.05*extent[d]/grid))
		b.origin[d] = middle[d] - float64(grid*float64(b.shape[d]-1)/2)
	}
	b.tissue = make([]int16, b.shape[0]*b.shape[1]*b.shape[2])

	var inside [2][]place // the voxels of the brain, right and left
	for v := range b.tissue {
		p := b.position(v)
		for d := range p {
			p[d] = outlineCenter[d] + (p[d]-outlineCenter[d])/stretch[d]
		}
		if deep := below(p); deep > 0 {
			b.tissue[v] = white
			side := 0
			if p[0] < 0 {
				side = 1
			}
			inside[side] = append(inside[side], place{voxel: v, at: p, cortex: deep < mantle})
		}
	}

	// First every region, the smallest first, takes the nearest voxel that is
	// still free, least times over …
	slices.SortStableFunc(seeds, func(a, b seed) int { return cmp.Compare(a.volume, b.volume) })
	around := make([]near, len(seeds))
	for range least {
		for i := range seeds {
			v, ok := around[i].take(b, &seeds[i], inside[seeds[i].side()])
			if !ok {
				return nil, fmt.Errorf("a grid of %g mm leaves fewer than %d voxels for each of %d regions", b.grid, least, len(seeds))
			}
			b.tissue[v] = seeds[i].index
		}
	}
	// … then each voxel goes to the region that is nearest in standard deviations.
	for _, places := range inside {
		for k := range places {
			if places[k].nearest = reach * reach; places[k].cortex {
				places[k].nearest = mantleReach * mantleReach
			}
		}
	}
	for i := range seeds {
		places := inside[seeds[i].side()]
		for k := range places {
			p := &places[k]
			if d := seeds[i].squared(p); d < p.nearest {
				p.owner, p.nearest = seeds[i].index, d
			}
		}
	}
	for _, p := range slices.Concat(inside[:]...) {
		switch {
		case b.tissue[p.voxel] != white:
		case p.owner > 0:
			b.tissue[p.voxel] = p.owner
		case ventricle(p.at):
			b.tissue[p.voxel] = csf
		}
	}
	return b, nil
}

// ventricle reports whether a place is about the lateral ventricles.
func ventricle(p [3]float64) bool {
	return math.Abs(p[0]) < 14 && p[1] > -45 && p[1] < 30 && p[2] > 0 && p[2] < 30
}
