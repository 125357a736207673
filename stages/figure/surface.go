package figure

import (
	"image/color"
	"math"

	"prgnn/stages/chart"
)

// fine is the number of steps between two voxels in which places are counted: weights are whole numbers, so that the
// pictures have the same bytes on every processor.
const fine = 64

// whole is the weight of a place inside the regions.
const whole = fine * fine * fine

// weigh is the region at a place, the one with the largest weight among the eight voxels around it (linear
// interpolation
// of each region), and the weight of all regions there, 0 … whole.
func (p *Parcels) weigh(x, y, z float64) (region int, weight int) {
	a, b, c := p.back.Apply(x, y, z)
	at := [3]int{int(math.Floor(a*fine + 0.5)), int(math.Floor(b*fine + 0.5)), int(math.Floor(c*fine + 0.5))}
	var low, part [3]int
	for d := range at {
		low[d] = at[d] >> 6
		part[d] = at[d] & (fine - 1)
		if low[d] < -1 || low[d] >= p.Shape[d] {
			return 0, 0
		}
	}
	if p.empty(low) {
		return 0, 0
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
		return 0, 0
	}
	return int(regions[best]), weight
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
	if region, weight := p.weigh(x, y, z); 2*weight >= whole {
		return region
	}
	return 0
}

// Atlas is how the regions are shown: on the surface of each hemisphere from both sides, and in axial slices over an
// image
// (nil for none).
func (p *Parcels) Atlas(under *Anatomy) chart.Atlas {
	b := p.brain(under)
	return chart.Atlas{Surfaces: p.surfaces(), Cuts: b.AxialCuts(6)}
}

func (p *Parcels) brain(under *Anatomy) chart.Brain {
	b := chart.Brain{Region: p.smooth}
	b.Low, b.High = p.extent()
	if under != nil {
		b.Under = under.at
	}
	return b
}

// surfaces are the left hemisphere from the left and from the midline, the right one from the midline and from the
// right.
// A hemisphere is what lies on one side of x = 0.
func (p *Parcels) surfaces() []chart.Raster {
	low, high := p.extent()
	if !(low[0] < 0 && high[0] > 0) {
		return nil
	}
	all := []chart.Raster{p.project(low, high, low[0], 0), p.project(low, high, 0, low[0]),
		p.project(low, high, 0, high[0]), p.project(low, high, high[0], 0)}
	for i, name := range []string{"left, lateral", "left, medial", "right, medial", "right, lateral"} {
		all[i].Name = name
	}
	return all
}

// project looks along x from one plane to another, and takes of each line the first place inside the regions; a pixel
// is a
// millimeter. Light falls from the viewer and from above; what lies deeper is darker.
func (p *Parcels) project(low, high [3]float64, from, to float64) chart.Raster {
	step := 1.0
	if to < from {
		step = -1
	}
	low = [3]float64{0, math.Floor(low[1]), math.Floor(low[2])}
	w, h := int(math.Ceil(high[1]-low[1])), int(math.Ceil(high[2]-low[2]))
	r := chart.Raster{Width: w, Height: h, Step: 1, Region: make([]int, w*h), Ground: make([]color.NRGBA, w*h),
		Light: make([]uint8, w*h)}
	r.Left, r.Right = "front", ""
	if step < 0 { // from the right the front is at the right
		r.Left, r.Right = "", "front"
	}
	steps := int(math.Ceil(math.Abs(to - from)))
	depth := make([]int, w*h) // 1/16 mm
	for j := range h {
		for i := range w {
			y := low[1] + float64(i) + 0.5
			if step > 0 {
				y = low[1] + float64(w-1-i) + 0.5
			}
			z := low[2] + float64(h-1-j) + 0.5
			before := 0
			for k := range steps {
				region, weight := p.weigh(from+float64(step*(float64(k)+0.5)), y, z)
				if 2*weight >= whole {
					depth[j*w+i] = 16*k + 8
					if weight > before && k > 0 {
						depth[j*w+i] = 16*(k-1) + 8 + 16*(whole/2-before)/(weight-before)
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
