package nifti

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// Labels is a label image: each voxel holds the number of the region it belongs
// to, 0 for none.
type Labels struct {
	Grid
	Voxels []int32 // x fastest
}

// ReadLabels reads a label image of any real data type whose values are integers
// that fit in an int32. A float image is taken if every value is a whole number or
// NaN, which is the background, since atlases often come so; a fraction is refused, for
// it means that somebody interpolated the labels, and so made regions that are not there.
func ReadLabels(r *Reader) (*Labels, error) {
	l, err := readLabels(r)
	var named *unreadable
	if err != nil && !errors.As(err, &named) {
		err = r.fail(err)
	}
	return l, err
}

// OpenLabels reads the label image of a file.
func OpenLabels(path string) (*Labels, error) {
	r, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return ReadLabels(r)
}

func readLabels(r *Reader) (*Labels, error) {
	h := r.Header
	if h.CIFTI() {
		return nil, errors.New("it is a CIFTI file, which has grayordinates, not voxels; give a volumetric label image")
	}
	if n := r.Volumes(); n != 1 {
		return nil, fmt.Errorf("shape %v has %d volumes, but a label image has one; give one volume (for a probabilistic atlas, its maximum-probability labels)", h.Shape(), n)
	}
	slope, inter, err := h.Scaling()
	if err != nil {
		return nil, err
	}
	t := DataType(h.Datatype)
	g := h.Grid()
	n := int(r.volumeBytes()) / t.Size()
	// The volume is read in parts: as stored and as labels, one of 256³ voxels would take 134 MB.
	const some = 1 << 16
	l := &Labels{Grid: g, Voxels: make([]int32, 0, n)}
	raw, values := make([]byte, some*t.Size()), make([]float64, some)
	for at := 0; at < n; at += some {
		part := values[:min(some, n-at)]
		stored := raw[:len(part)*t.Size()]
		if _, err := r.read(stored); err != nil {
			return nil, r.fail(fmt.Errorf("volume 1 of 1: %w", err))
		}
		if h.BigEndian {
			swap(stored, t.Size())
		}
		decode(part, stored, t)
		scale(part, slope, inter)
		for i, v := range part {
			label, err := h.Label(v)
			if err != nil {
				return nil, fmt.Errorf("voxel %v holds %w", g.coords(at+i), err)
			}
			l.Voxels = append(l.Voxels, label)
		}
	}
	r.volume++
	if _, err := r.NextRaw(); err != io.EOF {
		return nil, err
	}
	return l, nil
}

// Label is the label that a scaled value of a label image means. NaN is the background. A value that was stored as a
// scaled integer may lie half a step from its label: nibabel stores labels that were floats so, and 2 may come as
// 1.99998. Steps of a half and more cannot tell labels from fractions.
func (h *Header) Label(v float64) (int32, error) {
	if l := int32(v); float64(l) == v {
		return l, nil
	} else if math.IsNaN(v) {
		return 0, nil
	}
	slope, inter, _ := h.Scaling() // checked when the header was read
	scaled, slack := slope != 1 || inter != 0, 0.0
	if t := DataType(h.Datatype); scaled && math.Abs(slope) < 0.5 && t != Float32 && t != Float64 {
		slack = float64(math.Abs(slope)/2) + float64(1e-6*(math.Abs(inter)+math.Abs(v))) // header and slope are float32
	}
	label := math.Round(v)
	switch apart := math.Abs(v - label); {
	case apart <= slack && label >= math.MinInt32 && label <= math.MaxInt32:
		return int32(label), nil
	case apart == 0:
		return 0, fmt.Errorf("%v, but the largest label allowed is %d", v, math.MaxInt32)
	case scaled:
		return 0, fmt.Errorf("%v, but labels are integers, and scl_slope and scl_inter (%v, %v) make no integer of it; write the labels as integers without scaling, and if the image was interpolated, resample it with nearest-neighbor interpolation", v, slope, inter)
	}
	return 0, fmt.Errorf("%v, but labels are integers; if the image was interpolated, resample it with nearest-neighbor interpolation", v)
}

// coords are the indices of a voxel given by its place in memory.
func (g Grid) coords(at int) [3]int {
	nx, ny := g.Shape[0], g.Shape[1]
	return [3]int{at % nx, at / nx % ny, at / nx / ny}
}

// Values are the labels that occur, ascending, without 0.
func (l *Labels) Values() []int32 {
	seen := map[int32]bool{}
	var last int32
	for _, v := range l.Voxels {
		if v != last && v != 0 {
			seen[v] = true
		}
		last = v
	}
	values := make([]int32, 0, len(seen))
	for v := range seen {
		values = append(values, v)
	}
	slices.Sort(values)
	return values
}

// Moved is the label image in the space of another, to which it was resampled by
// the transform: t takes points of that space to points of the labels' own.
func (l *Labels) Moved(t Affine) (*Labels, error) {
	inv, ok := t.Inverse()
	if !ok {
		return nil, errors.New("the transform cannot be inverted")
	}
	m := *l
	m.Affine = inv.Mul(&l.Affine)
	return &m, nil
}

var errNoInverse = errors.New("the affine of the label image cannot be inverted")

// Onto resamples the labels to another grid, by nearest neighbor: voxel o of the
// grid takes the label of voxel ⌊A·o + b + ½⌋, where [A|b] = inverse(label affine) ·
// grid affine, and 0 where A·o + b lies outside of [0, n−1] on any axis. That is
// nilearn's resample_img(interpolation="nearest"), which is scipy's
// affine_transform(order=0, cval=0), voxel for voxel.
//
// It is an error when one of the two files does not say where it lies (unless both
// do not and their shapes agree), or when no label reaches the grid.
func (l *Labels) Onto(g Grid) (*Labels, error) {
	if l.Grid.Same(g) {
		return &Labels{g, slices.Clone(l.Voxels)}, nil
	}
	if err := l.Resamples(g); err != nil {
		return nil, err
	}
	inv, ok := l.Affine.Inverse()
	if !ok {
		return nil, errNoInverse
	}
	m := inv.Mul(&g.Affine)
	out := &Labels{g, make([]int32, g.Voxels())}
	out.fill(l, &m)
	if !slices.ContainsFunc(out.Voxels, func(v int32) bool { return v != 0 }) {
		return nil, fmt.Errorf("the labels do not overlap the scan: the labels are on %v, the scan on %v; are both in the same space (T1w, MNI…)?", l.Grid, g)
	}
	return out, nil
}

// Resamples refuses a label image on this grid, or a scan, that does not say where it lies.
func (labels Grid) Resamples(scan Grid) error {
	for _, x := range []struct {
		g    Grid
		what string
	}{{labels, "the label image"}, {scan, "the scan"}} {
		if !x.g.Oriented {
			return fmt.Errorf("the position of %s is unknown (sform and qform codes are 0), so the labels (%v) cannot be resampled to the scan (%v); set its sform or qform", x.what, labels, scan)
		}
	}
	return nil
}

// fill takes each voxel's label from the voxel of l nearest to where m takes it.
func (out *Labels) fill(l *Labels, m *Affine) {
	n := out.Shape
	at := 0
	if !m.diagonal() {
		for k := range n[2] {
			for j := range n[1] {
				for i := range n[0] {
					out.Voxels[at] = l.at(m, float64(i), float64(j), float64(k))
					at++
				}
			}
		}
		return
	}
	// scipy takes another way when the axes are parallel, (o + b/a)·a for a·o + b,
	// which rounds otherwise; from 2 mm to 3 mm every second voxel is a tie.
	var step [3][]int
	for a := range step {
		step[a] = make([]int, n[a])
		for o := range step[a] {
			c := (float64(o) + m[a][3]/m[a][a]) * m[a][a]
			step[a][o] = nearest(c, l.Shape[a])
		}
	}
	for k := range n[2] {
		for j := range n[1] {
			for i := range n[0] {
				if x, y, z := step[0][i], step[1][j], step[2][k]; x >= 0 && y >= 0 && z >= 0 {
					out.Voxels[at] = l.Voxels[x+l.Shape[0]*(y+l.Shape[1]*z)]
				}
				at++
			}
		}
	}
}

// at is the label nearest to where m takes a voxel. The three products are added
// in the order of scipy's loop, then the offset.
func (l *Labels) at(m *Affine, i, j, k float64) int32 {
	place, stride := 0, 1
	for a := range 3 {
		c := float64(i*m[a][0]) + float64(j*m[a][1]) + float64(k*m[a][2]) + m[a][3]
		v := nearest(c, l.Shape[a])
		if v < 0 {
			return 0
		}
		place += v * stride
		stride *= l.Shape[a]
	}
	return l.Voxels[place]
}

// nearest is the index nearest to a coordinate on an axis of n voxels, or -1
// outside of the first and the last voxel's middle.
func nearest(c float64, n int) int {
	if !(c >= 0 && c <= float64(n-1)) {
		return -1
	}
	return int(math.Floor(float64(c) + 0.5)) // c may come from a product
}

// diagonal reports whether the affine's axes are parallel to the world's.
func (a *Affine) diagonal() bool {
	for r := range 3 {
		for c := range 3 {
			if r != c && a[r][c] != 0 {
				return false
			}
		}
	}
	return true
}
