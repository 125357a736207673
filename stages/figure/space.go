package figure

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/nifti"
	"prgnn/stages/region"
	"prgnn/stages/report"
)

// A Parcels brain is the regions in space, and where the middle of each is.
type Parcels struct {
	*nifti.Labels
	back   nifti.Affine // mm to voxels
	soft   []uint8      // smoothed weights of the voxels; nil before soften
	Middle map[int]report.Place

	Known bool // whether it is known which region each label is: by a node list, or as the image is parcellate's

	Subcortical map[int]bool // the regions that are; nil where it is unknown
}

// ErrGrayordinates is why parcels are not drawn: surfaces have no place without their meshes.
var ErrGrayordinates = errors.New("the parcels are of grayordinates, whose positions are unknown without the surfaces")

// ReadParcels reads a label image: of node numbers, as parcellate's description of it states, or of the
// ids of the nodes, as an atlas has them.
func ReadParcels(in dag.Input, nodes []region.Node) (*Parcels, error) {
	r, err := open(in)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if r.Header.CIFTI() {
		return nil, ErrGrayordinates
	}
	labels, err := nifti.ReadLabels(r)
	if err != nil {
		return nil, err
	}
	if values := labels.Values(); len(values) > 0 && nodes != nil {
		by, err := region.MeaningOf(region.Description(r.Header), "auto", nodes, values)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		number := map[int32]int32{}
		there := 0
		for _, n := range nodes {
			number[by(n)] = n.Index
			if slices.Contains(values, by(n)) {
				there++
			}
		}
		// A few numbers are the same by chance: regions would stand in wrong places. A scan may cover few regions.
		if description := region.Description(r.Header); 2*there < len(nodes) && !region.Numbered(description) {
			return nil, fmt.Errorf("%s: it has %d of the %d regions of the node list: its %d labels run from %d to %d, the node list's ids from %d; give the label image of these regions",
				in.Name, there, len(nodes), len(values), values[0], values[len(values)-1], nodes[0].Id)
		}
		for i, v := range labels.Voxels {
			if v != 0 {
				labels.Voxels[i] = number[v] // 0 for what is in no list
			}
		}
	}
	p := &Parcels{Labels: labels, Middle: map[int]report.Place{},
		Known: nodes != nil || region.Numbered(region.Description(r.Header))}
	var ok bool
	if p.back, ok = labels.Affine.Inverse(); !ok {
		return nil, fmt.Errorf("%s: its voxels have no volume", in.Name)
	}
	p.findMiddles()
	return p, nil
}

func open(in dag.Input) (*nifti.Reader, error) {
	b, err := in.Bytes()
	if err != nil {
		return nil, err
	}
	return nifti.NewReader(bytes.NewReader(b), in.Name)
}

// each uses the number, the region and the place of every voxel that is in a region.
func (p *Parcels) each(use func(voxel, region int, at [3]float64)) {
	for i, n := range p.Voxels {
		if n != 0 {
			x, y, z := p.Affine.Apply(float64(i%p.Shape[0]), float64(i/p.Shape[0]%p.Shape[1]),
				float64(i/(p.Shape[0]*p.Shape[1])))
			use(i, int(n), [3]float64{x, y, z})
		}
	}
}

// findMiddles finds of each region the voxel that is nearest to its centroid: of one
// that is bent, the centroid may lie outside.
func (p *Parcels) findMiddles() {
	sums, count, least := map[int][3]float64{}, map[int]float64{}, map[int]float64{}
	p.each(func(_, n int, at [3]float64) {
		sum := sums[n]
		for a, v := range at {
			sum[a] += v
		}
		sums[n], count[n] = sum, count[n]+1
	})
	p.each(func(_, n int, at [3]float64) {
		d := 0.0
		for a, v := range at {
			off := v - sums[n][a]/count[n]
			d += float64(off * off)
		}
		if old, ok := least[n]; !ok || d < old {
			least[n], p.Middle[n] = d, report.Place{X: at[0], Y: at[1], Z: at[2]}
		}
	})
}

// at is the region at a place, that of the nearest voxel; 0 for none.
func (p *Parcels) at(x, y, z float64) int {
	a, b, c := p.back.Apply(x, y, z)
	i, j, k := int(math.Round(a)), int(math.Round(b)), int(math.Round(c))
	if i < 0 || j < 0 || k < 0 || i >= p.Shape[0] || j >= p.Shape[1] || k >= p.Shape[2] {
		return 0
	}
	return int(p.Voxels[(k*p.Shape[1]+j)*p.Shape[0]+i])
}

// extent is the space that the regions fill, mm, with a margin.
func (p *Parcels) extent() (low, high [3]float64) {
	for a := range 3 {
		low[a], high[a] = math.Inf(1), math.Inf(-1)
	}
	p.each(func(_, _ int, at [3]float64) {
		for a, v := range at {
			low[a], high[a] = min(low[a], v), max(high[a], v)
		}
	})
	size := p.Affine.VoxelSize()
	for a := range 3 {
		low[a] -= slices.Max(size[:])
		high[a] += slices.Max(size[:])
	}
	return low, high
}

// An Anatomy is an image that lies under the regions, brought to 0 … 1.
type Anatomy struct {
	nifti.Grid
	back   nifti.Affine
	voxels []float64
	ground string // what it is: anatomy, or the mean of a scan
}

// ReadAnatomy reads an image of at most so many voxels.
func ReadAnatomy(in dag.Input) (*Anatomy, error) {
	r, err := open(in)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	g := r.Header.Grid()
	const most = 64 << 20
	if g.Voxels() > most {
		return nil, fmt.Errorf("%s: %d voxels are more than a report can show (%d): give one of 1 mm", in.Name, g.Voxels(), most)
	}
	u := &Anatomy{Grid: g, voxels: make([]float64, g.Voxels()), ground: "anatomy"}
	if region.Description(r.Header) == region.MeanOfVolumes {
		u.ground = "mean"
	}
	var ok bool
	if u.back, ok = g.Affine.Inverse(); !ok {
		return nil, fmt.Errorf("%s: its voxels have no volume", in.Name)
	}
	if err := r.Next(u.voxels); err != nil {
		return nil, err
	}
	// From 0 to the 99th percentile of what is above 0.
	above := slices.DeleteFunc(slices.Clone(u.voxels), func(v float64) bool { return !(v > 0) || math.IsInf(v, 0) })
	slices.Sort(above)
	if len(above) == 0 {
		return nil, fmt.Errorf("%s: nothing in it is above 0", in.Name)
	}
	top := above[len(above)*99/100]
	for i, v := range u.voxels {
		u.voxels[i] = min(max(v/top, 0), 1)
		if math.IsNaN(v) {
			u.voxels[i] = 0
		}
	}
	u.clearOutside()
	return u, nil
}

// Covers reports whether most regions have their middle inside the image, or near it.
func (u *Anatomy) Covers(p *Parcels) bool {
	inside := 0
	for _, at := range p.Middle {
		a, b, c := u.back.Apply(at.X, at.Y, at.Z)
		if a > -1 && b > -1 && c > -1 && a < float64(u.Shape[0]) && b < float64(u.Shape[1]) && c < float64(u.Shape[2]) {
			inside++
		}
	}
	return 2*inside > len(p.Middle)
}

// clearOutside makes NaN of the air around a head: what is dark and can be reached from
// the border of the image through what is dark.
func (u *Anatomy) clearOutside() {
	const dark = 0.12 // of the brightest tissue: noise in air is less
	nx, ny, nz := u.Shape[0], u.Shape[1], u.Shape[2]
	var edge []int
	visit := func(i, j, k int) {
		if i < 0 || j < 0 || k < 0 || i >= nx || j >= ny || k >= nz {
			return
		}
		if at := (k*ny+j)*nx + i; u.voxels[at] < dark { // NaN is not: it has been here
			u.voxels[at] = math.NaN()
			edge = append(edge, at)
		}
	}
	for k := range nz {
		for j := range ny {
			for i := range nx {
				if i == 0 || j == 0 || k == 0 || i == nx-1 || j == ny-1 || k == nz-1 {
					visit(i, j, k)
				}
			}
		}
	}
	for len(edge) > 0 {
		at := edge[len(edge)-1]
		edge = edge[:len(edge)-1]
		i, j, k := at%nx, at/nx%ny, at/(nx*ny)
		visit(i-1, j, k)
		visit(i+1, j, k)
		visit(i, j-1, k)
		visit(i, j+1, k)
		visit(i, j, k-1)
		visit(i, j, k+1)
	}
}

// at is the brightness at a place, linear between the voxels that are in the head; NaN
// outside of it.
func (u *Anatomy) at(x, y, z float64) float64 {
	a, b, c := u.back.Apply(x, y, z)
	voxel := func(i, j, k int) float64 {
		if i < 0 || j < 0 || k < 0 || i >= u.Shape[0] || j >= u.Shape[1] || k >= u.Shape[2] {
			return math.NaN()
		}
		return u.voxels[(k*u.Shape[1]+j)*u.Shape[0]+i]
	}
	if math.IsNaN(voxel(int(math.Round(a)), int(math.Round(b)), int(math.Round(c)))) {
		return math.NaN()
	}
	i, j, k := int(math.Floor(a)), int(math.Floor(b)), int(math.Floor(c))
	fa, fb, fc := a-math.Floor(a), b-math.Floor(b), c-math.Floor(c)
	wa, wb, wc := [2]float64{1 - fa, fa}, [2]float64{1 - fb, fb}, [2]float64{1 - fc, fc}
	sum, weights := 0.0, 0.0
	for corner := range 8 {
		p, q, r := corner&1, corner>>1&1, corner>>2
		w := float64(float64(wa[p]*wb[q]) * wc[r])
		if v := voxel(i+p, j+q, k+r); w > 0 && v == v {
			sum += float64(w * v)
			weights += w
		}
	}
	return sum / weights
}
