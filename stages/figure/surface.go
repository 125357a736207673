package figure

import (
	"image/color"
	"math"
	"slices"

	"prgnn/stages/chart"
)

// fine is the number of steps between two voxels in which places are counted: weights are whole numbers, so that the
// pictures have the same bytes on every processor.
const fine = 64

// whole is the weight of a place inside the regions.
const whole = fine * fine * fine

// edge is the smoothed weight at a surface: a little less than half, so that a cortex of one voxel has no holes.
const edge = whole * 7 / 16

// weigh is the region at a place, the one with the largest weight among the eight voxels around it (linear
// interpolation
// of each region), and the weight of all regions there, 0 … whole: as they are, and smoothed.
func (p *Parcels) weigh(x, y, z float64) (region, weight, soft int) {
	a, b, c := p.back.Apply(x, y, z)
	at := [3]int{int(math.Floor(a*fine + 0.5)), int(math.Floor(b*fine + 0.5)), int(math.Floor(c*fine + 0.5))}
	var low, part [3]int
	for d := range at {
		low[d] = at[d] >> 6
		part[d] = at[d] & (fine - 1)
		if low[d] < -1 || low[d] >= p.Shape[d] {
			return 0, 0, 0
		}
	}
	if p.empty(low) {
		return 0, 0, 0
	}
	var regions [8]int32
	var weights [8]int
	n := 0
	for corner := range 8 {
		w, voxel, stride := 1, 0, 1
		for d := range 3 {
			i := low[d] + corner>>d&1
			if i < 0 || i >= p.Shape[d] {
				w = 0
				break
			}
			if corner>>d&1 == 1 {
				w *= part[d]
			} else {
				w *= fine - part[d]
			}
			voxel += i * stride
			stride *= p.Shape[d]
		}
		if w == 0 {
			continue
		}
		if p.soft != nil {
			soft += w * int(p.soft[voxel]) / 64
		}
		label := p.Voxels[voxel]
		if label == 0 {
			continue
		}
		weight += w
		k := 0
		for k < n && regions[k] != label {
			k++
		}
		if k == n {
			regions[k], n = label, n+1
		}
		weights[k] += w
	}
	best := -1
	for k := range n {
		if best < 0 || weights[k] > weights[best] || weights[k] == weights[best] && regions[k] < regions[best] {
			best = k
		}
	}
	if best < 0 {
		return 0, 0, 0
	}
	return int(regions[best]), weight, soft
}

// soften smooths the weights of the voxels by 1-2-1 along each axis, to 0 … 64: a surface has no stairs then.
func (p *Parcels) soften() {
	p.soft = make([]uint8, len(p.Voxels))
	for i, n := range p.Voxels {
		if n != 0 {
			p.soft[i] = 1
		}
	}
	for d, stride := 0, 1; d < 3; stride, d = stride*p.Shape[d], d+1 {
		from := slices.Clone(p.soft)
		for i := range from {
			sum := 2 * from[i]
			at := i / stride % p.Shape[d]
			if at > 0 {
				sum += from[i-stride]
			}
			if at+1 < p.Shape[d] {
				sum += from[i+stride]
			}
			p.soft[i] = sum
		}
	}
}

// empty reports whether none of the eight voxels from low on is in a region; not of those at a border of the image.
// Most places are empty: they lie outside the head.
func (p *Parcels) empty(low [3]int) bool {
	x, y, z := low[0], low[1], low[2]
	nx, ny := p.Shape[0], p.Shape[0]*p.Shape[1]
	if x < 0 || y < 0 || z < 0 || x+1 >= p.Shape[0] || y+1 >= p.Shape[1] || z+1 >= p.Shape[2] {
		return false
	}
	at := x + y*nx + z*ny
	v, w := p.Voxels[at:at+nx+2], p.Voxels[at+ny:at+ny+nx+2]
	return v[0]|v[1]|v[nx]|v[nx+1]|w[0]|w[1]|w[nx]|w[nx+1] == 0
}

// smooth is the region at a place with interpolated borders; 0 for none.
func (p *Parcels) smooth(x, y, z float64) int {
	if region, weight, _ := p.weigh(x, y, z); 2*weight >= whole {
		return region
	}
	return 0
}

// Atlas is how the regions are shown: on the surface of each hemisphere from both sides, and in axial slices over an
// image
// (nil for none).
func (p *Parcels) Atlas(under *Anatomy) chart.Atlas {
	b := p.brain(under)
	return chart.Atlas{Surfaces: p.surfaces(), Inner: p.inner(), Cuts: b.AxialCuts(6)}
}

// inner are the subcortical regions without the others, from above and from below.
func (p *Parcels) inner() []chart.Raster {
	q := p.only(func(n int, _ float64) bool { return p.Subcortical[n] })
	low, high := q.extent()
	if !(low[0] < 0 && high[0] > 0) { // none, or of one hemisphere
		return nil
	}
	above, below := q.axial("subcortex, dorsal", low, high, false), q.axial("subcortex, ventral", low, high, true)
	return []chart.Raster{above, below}
}

// only are the regions of the voxels that keep selects by their region and their x, smoothed.
func (p *Parcels) only(keep func(region int, x float64) bool) *Parcels {
	labels := *p.Labels
	labels.Voxels = make([]int32, len(p.Voxels))
	p.each(func(i, region int, at [3]float64) {
		if keep(region, at[0]) {
			labels.Voxels[i] = int32(region)
		}
	})
	q := &Parcels{Labels: &labels, back: p.back}
	q.soften()
	return q
}

// hemispheres are the regions of the left and of the right hemisphere. A region with at least 80% of its voxels on one
// side of x = 0 belongs to that hemisphere: in a coarse grid, voxels at the midline may have their centers beyond it.
// Each hemisphere has the voxels on its side of any other region.
func (p *Parcels) hemispheres() (left, right *Parcels) {
	on := map[int][2]int{} // voxels on the left and on the right
	p.each(func(_, region int, at [3]float64) {
		n := on[region]
		if at[0] < 0 {
			n[0]++
		} else if at[0] > 0 {
			n[1]++
		}
		on[region] = n
	})
	of := func(own int, sign float64) *Parcels {
		return p.only(func(region int, x float64) bool {
			n := on[region]
			most := 4 * (n[0] + n[1])
			return 5*n[own] >= most || 5*n[1-own] < most && x*sign >= 0
		})
	}
	return of(0, -1), of(1, 1)
}

// axial are the regions from above, or from below; the front is at the top.
func (p *Parcels) axial(name string, low, high [3]float64, below bool) chart.Raster {
	from, to := high[2], low[2]
	if below {
		from, to = to, from
	}
	r := p.project([2]float64{low[0], low[1]}, [2]float64{high[0], high[1]}, from, to,
		func(i, j, depth float64, w int) (x, y, z float64) {
			if below {
				i = float64(w) - i
			}
			return math.Floor(low[0]) + i, math.Floor(low[1]) + j, depth
		})
	if r.Name, r.Left, r.Right = name, "L", "R"; below {
		r.Left, r.Right = r.Right, r.Left
	}
	return r
}

func (p *Parcels) brain(under *Anatomy) chart.Brain {
	b := chart.Brain{Region: p.smooth}
	b.Low, b.High = p.extent()
	if under != nil {
		b.Under = under.at
	}
	return b
}

// surfaces are the left hemisphere from the left and from the midline, both from above, and the right one from the
// midline and from the right.
func (p *Parcels) surfaces() []chart.Raster {
	low, high := p.extent()
	if !(low[0] < 0 && high[0] > 0) {
		return nil
	}
	p.soften()
	leftHalf, rightHalf := p.hemispheres()
	size := p.Affine.VoxelSize()
	middle := slices.Max(size[:]) // a view ends so far beyond the midline
	// From the left the front is at the left, from the right at the right.
	side := func(half *Parcels, name string, from, to float64) chart.Raster {
		right := to < from
		r := half.project([2]float64{low[1], low[2]}, [2]float64{high[1], high[2]}, from, to,
			func(i, j, depth float64, w int) (x, y, z float64) {
				if !right {
					i = float64(w) - i
				}
				return depth, math.Floor(low[1]) + i, math.Floor(low[2]) + j
			})
		if r.Name, r.Left = name, "front"; right {
			r.Left, r.Right = "", "front"
		}
		return r
	}
	return []chart.Raster{side(leftHalf, "left, lateral", low[0], middle),
		side(leftHalf, "left, medial", middle, low[0]),
		p.axial("dorsal", low, high, false), side(rightHalf, "right, medial", -middle, high[0]),
		side(rightHalf, "right, lateral", high[0], -middle)}
}

// project looks along an axis from one plane to another, and takes of each line the first place inside the smoothed
// regions; at has the place of a pixel, from the lower left, at a depth. A pixel is a millimeter. Light falls from the
// viewer and from above; what lies deeper is darker.
func (p *Parcels) project(low, high [2]float64, from, to float64,
	at func(i, j, depth float64, w int) (x, y, z float64)) chart.Raster {
	step := 1.0
	if to < from {
		step = -1
	}
	w, h := int(math.Ceil(high[0]-math.Floor(low[0]))), int(math.Ceil(high[1]-math.Floor(low[1])))
	r := chart.Raster{Width: w, Height: h, Step: 1, Region: make([]int, w*h), Ground: make([]color.NRGBA, w*h),
		Light: make([]uint8, w*h)}
	steps := int(math.Ceil(math.Abs(to - from)))
	depth := make([]int, w*h) // 1/16 mm
	for j := range h {
		for i := range w {
			before := 0
			for k := range steps {
				region, _, weight := p.weigh(at(float64(i)+0.5, float64(h-1-j)+0.5,
					from+float64(step*(float64(k)+0.5)), w))
				if weight >= edge {
					depth[j*w+i] = 16*k + 8
					if weight > before && k > 0 {
						depth[j*w+i] = 16*(k-1) + 8 + 16*(edge-before)/(weight-before)
					}
					r.Region[j*w+i] = region
					break
				}
				before = weight
			}
		}
	}
	light(&r, depth)
	return r
}

// light shades a projection by the slope of its depth (1/16 mm), smoothed over 5 × 5 pixels of one surface.
func light(r *chart.Raster, depth []int) {
	at := func(i, j int) (int, bool) {
		if i < 0 || j < 0 || i >= r.Width || j >= r.Height || r.Region[j*r.Width+i] == 0 {
			return 0, false
		}
		return depth[j*r.Width+i], true
	}
	const jump = 16 * 8 // a step of 8 mm is another surface
	even := make([]int, len(depth))
	for j := range r.Height {
		for i := range r.Width {
			here, ok := at(i, j)
			if !ok {
				continue
			}
			sum, n := 0, 0
			for dj := -2; dj <= 2; dj++ {
				for di := -2; di <= 2; di++ {
					if d, ok := at(i+di, j+dj); ok && abs(d-here) < jump {
						sum, n = sum+d, n+1
					}
				}
			}
			even[j*r.Width+i] = sum / n
		}
	}
	slope := func(i, j, di, dj int) int { // 1/16 mm over 2 mm
		here := even[j*r.Width+i]
		side := func(s int) int {
			if _, ok := at(i+s*di, j+s*dj); ok {
				if d := even[(j+s*dj)*r.Width+i+s*di]; abs(d-here) < jump {
					return d
				}
			}
			return here + 16 // beyond a border the surface turns away
		}
		return side(1) - side(-1)
	}
	for j := range r.Height {
		for i := range r.Width {
			p := j*r.Width + i
			if r.Region[p] == 0 {
				continue
			}
			// Upwards and toward the viewer, the normal is (gx, −gy, 32); the light comes from (0, 4, 8).
			gx, gy := slope(i, j, 1, 0), slope(i, j, 0, 1)
			norm := root(gx*gx + gy*gy + 32*32)
			bright := 255 * (8*32 - 4*gy) / (9 * norm)
			bright = 110 + max(bright, 0)*150/255 - even[p]/16*7/10
			r.Light[p] = uint8(min(max(bright, 60), 255)) | 7 // 32 steps: a third of the bytes of a file
			r.Ground[p] = chart.Shade(color.NRGBA{0xe6, 0xe7, 0xe9, 0xff}, r.Light[p])
		}
	}
}

func abs(x int) int { return max(x, -x) }

// root is the whole part of the square root, at least 1: exact below 2^52, since math.Sqrt rounds correctly.
func root(x int) int { return max(1, int(math.Sqrt(float64(x)))) }
