package cifti

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/nifti"
)

// Match gives for each grayordinate of m the place of the same vertex or voxel in other, or −1:
// by structure, and there by the number of the vertex or the indices of the voxel, never by
// position. The meshes and the grids must be the same.
func (m *Models) Match(other *Models) ([]int32, error) {
	place := make([]int32, m.N)
	for i := range place {
		place[i] = -1
	}
	common := false
	for _, a := range m.List {
		i := slices.IndexFunc(other.List, func(b Model) bool { return b.Structure == a.Structure })
		if i < 0 {
			continue
		}
		b := other.List[i]
		switch {
		case (a.Surface > 0) != (b.Surface > 0):
			return nil, fmt.Errorf("%s is a surface in one file and voxels in the other", a.Structure)
		case a.Surface != b.Surface:
			return nil, fmt.Errorf("%s has %d vertices in one file and %d in the other: these are meshes of different density (91k, 170k)", a.Structure, a.Surface, b.Surface)
		case a.Surface == 0 && !m.Grid.Same(other.Grid):
			return nil, fmt.Errorf("%s: the voxels are on %v in one file, and on %v in the other", a.Structure, m.Grid, other.Grid)
		}
		common = true
		at := make(map[[3]int32]int32, b.Len()) // not by the claimed size of a surface
		for k := range b.Len() {
			at[b.key(k)] = int32(b.From + k)
		}
		for k := range a.Len() {
			if p, there := at[a.key(k)]; there {
				place[a.From+k] = p
			}
		}
	}
	if !common {
		return nil, errors.New("the two files have no structure in common")
	}
	return place, nil
}

// Same reports whether two files have the same grayordinates in the same order.
func (m *Models) Same(other *Models) bool {
	place, err := m.Match(other)
	if err != nil || m.N != other.N {
		return false
	}
	for i, p := range place {
		if p != int32(i) {
			return false
		}
	}
	return true
}

// Labels reads the map of a file of labels or scalars with one map: a label for each grayordinate, as nifti.ReadLabels
// does for each voxel.
func (f *File) Labels() ([]int32, error) {
	if f.Rows.Models == nil || f.Columns.Series {
		return nil, fmt.Errorf("%s: not a map of grayordinates (dlabel, dscalar)", f.name)
	}
	if n := f.Columns.N; n > 1 {
		return nil, fmt.Errorf("%s: it has %d maps (%s), and which one has the labels is unknown: write a file with one map (wb_command -cifti-merge OUT.dlabel.nii -cifti %s -column 1)",
			f.name, n, words.Some(f.Columns.Maps, 6), filepath.Base(f.name))
	}
	var labels []int32
	row := make([]float64, f.Columns.N)
	for range f.Rows.N {
		if err := f.Next(row); err != nil {
			return nil, err
		}
		label, err := f.Header.Label(row[0])
		if err != nil {
			return nil, fmt.Errorf("%s: grayordinate %d holds %w", f.name, len(labels), err)
		}
		labels = append(labels, label)
	}
	if err := f.Next(row); err != io.EOF {
		return nil, err
	}
	return labels, nil
}

// Centroids are the means of the voxels' centers, mm, of each label of a map; only of labels without vertices,
// which have no place without the mesh of their surface.
func (m *Models) Centroids(labels []int32) map[int32]nifti.Point {
	type sum struct{ n, i, j, k float64 }
	sums, onSurface := map[int32]sum{}, map[int32]bool{}
	for _, model := range m.List {
		for at := range model.Len() {
			label := labels[model.From+at]
			if model.Vertices != nil {
				onSurface[label] = true
				continue
			}
			v, s := model.Voxels[at], sums[label]
			sums[label] = sum{s.n + 1, s.i + float64(v[0]), s.j + float64(v[1]), s.k + float64(v[2])}
		}
	}
	centroids := map[int32]nifti.Point{}
	for label, s := range sums {
		if label != 0 && !onSurface[label] {
			x, y, z := m.Grid.Affine.Apply(s.i/s.n, s.j/s.n, s.k/s.n)
			centroids[label] = nifti.Point{x, y, z}
		}
	}
	return centroids
}

// Means averages the grayordinates of every ROI in a file of series (dtseries), and of every draw,
// as nifti.ROIMeans does with voxels: the places in rois are grayordinates. The series of one
// grayordinate lies in one piece, so that the file is read twice, a series at a time: to find
// those that are not finite or never change, and to add up the others, in the order of the file.
func Means(open func() (*File, error), rois nifti.ROIs) (*nifti.Means, error) {
	of := map[int32]int{} // ROI of a grayordinate
	for i, list := range rois.Voxels {
		for _, at := range list {
			of[at] = i
		}
	}
	m, valid, err := survey(open, rois, of)
	if err != nil {
		return nil, err
	}
	n, draws := len(rois.Voxels), 1+rois.Draws
	times, sizes := draw(rois, valid)
	sums := make([]float64, draws*n*m.Volumes) // [draw, ROI, volume]
	err = eachSeries(open, func(f *File, at int, series []float64) error {
		if len(series) != m.Volumes {
			return errors.New("the file changed while it was being read")
		}
		i := of[int32(at)]
		for d, count := range times[int32(at)] {
			if count == 0 {
				continue
			}
			sum := sums[(d*n+i)*m.Volumes:][:m.Volumes]
			for v, x := range series {
				sum[v] += float64(float64(count) * x)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	m.Series = make([]float64, len(sums))
	for d := range draws {
		for i := range n {
			for v, sum := range sums[(d*n+i)*m.Volumes:][:m.Volumes] {
				m.Series[(d*m.Volumes+v)*n+i] = sum / float64(sizes[d*n+i]) // 0/0 is NaN: no series
			}
		}
	}
	return m, nil
}

// survey reads a file once: the header, the mean of every fourth volume, the sampled series, and which grayordinates of
// each ROI are finite and vary over time. of is the ROI of a grayordinate.
func survey(open func() (*File, error), rois nifti.ROIs, of map[int32]int) (m *nifti.Means, valid [][]bool, err error) {
	m = &nifti.Means{Counts: make([]nifti.Count, len(rois.Voxels))}
	valid = make([][]bool, len(rois.Voxels))
	for i, list := range rois.Voxels {
		valid[i] = make([]bool, len(list))
	}
	next := make([]int, len(rois.Voxels)) // in its list
	sampled := lists.Places(rois.Sample)  // place in rois.Sample
	err = eachSeries(open, func(f *File, at int, series []float64) error {
		m.Header, m.Volumes = f.Header, len(series)
		sum, n := 0.0, 0
		for v := 0; v < len(series); v += nifti.MeanStep {
			if x := series[v]; x-x == 0 {
				sum += x
			}
			n++
		}
		m.Mean = append(m.Mean, sum/float64(n))
		if k, in := sampled[int32(at)]; in {
			keep(m, k, len(rois.Sample), series)
		}
		i, in := of[int32(at)]
		if !in {
			return nil
		}
		k := next[i]
		next[i]++
		same, finite := true, true
		for _, x := range series {
			same = same && x == series[0]
			finite = finite && x-x == 0
		}
		switch c := &m.Counts[i]; {
		case !finite:
			c.NonFinite++
		case same:
			c.Constant++
		default:
			c.Used++
			valid[i][k] = true
		}
		return nil
	})
	return m, valid, err
}

// draw counts how often each valid grayordinate is in each draw, and how many grayordinates each draw of a ROI has:
// sizes are [draw, ROI], draw 0 is all valid ones.
func draw(rois nifti.ROIs, valid [][]bool) (times map[int32][]int32, sizes []int) {
	n, draws := len(rois.Voxels), 1+rois.Draws
	times, sizes = map[int32][]int32{}, make([]int, draws*n)
	for i, list := range rois.Voxels {
		var used []int32
		for k, at := range list {
			if valid[i][k] {
				used = append(used, at)
				times[at] = make([]int32, draws)
				times[at][0] = 1
			}
		}
		if sizes[i] = len(used); len(used) == 0 || rois.Draws == 0 {
			continue
		}
		for d, chosen := range rois.Choose(i, len(used)) {
			for _, k := range chosen {
				times[used[k]][1+d]++
			}
			sizes[(1+d)*n+i] = len(chosen)
		}
	}
	return times, sizes
}

// keep puts a series into column k of the n sampled ones: NaN throughout where it is not finite.
func keep(m *nifti.Means, k, n int, series []float64) {
	if m.Sample == nil {
		m.Sample = make([]float64, len(series)*n)
	}
	whole := !slices.ContainsFunc(series, func(x float64) bool { return x-x != 0 })
	for v, x := range series {
		if m.Sample[v*n+k] = x; !whole {
			m.Sample[v*n+k] = math.NaN()
		}
	}
}

// eachSeries reads the series of all grayordinates.
func eachSeries(open func() (*File, error), use func(f *File, at int, series []float64) error) error {
	f, err := open()
	if err != nil {
		return err
	}
	defer f.Close()
	series := make([]float64, f.Columns.N)
	for at := 0; ; at++ {
		if err := f.Next(series); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := use(f, at, series); err != nil {
			return err
		}
	}
}
