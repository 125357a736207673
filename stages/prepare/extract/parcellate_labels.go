package extract

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/nifti"
	"prgnn/nifti/itk"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/region"
)

// What is beyond belief in a registration; each gives a caution.
const (
	leastLabeled     = 0.95 // share of the brain mask
	leastDeterminant = 0.3
	mostDeterminant  = 3
	mostDisplacement = 60 // mm
	mostRotation     = 30 // degrees, of transform
)

// coarse is the size of voxels, mm, from which the majority of samples decides by default.
const coarse = 6

// A layer lays labels over a scan.
type layer struct {
	labels  *nifti.Labels    // in the scan's space, as far as affine transforms take them there
	own     *nifti.Labels    // in their own space
	chain   []*itk.Transform // from points of the scan to points of the labels' own space
	files   []io.Closer
	samples int // of a voxel along each axis
	field   bool
	opposed finding.List  // about what is opposite in the affines of scan and label image
	whole   bool          // the labels are of the whole brain
	mask    *nifti.Labels // nil without one
	doubts  finding.List  // about masks

	how, moved string // for the table of coverage
	row        column.ParcelRow
}

// close closes the files of the transforms.
func (l *layer) close() {
	for _, f := range l.files {
		f.Close()
	}
}

// read reads what takes the labels to the scan.
func (l *layer) read(p *Parcellate, t *dag.Task, grid nifti.Grid) (err error) {
	l.samples, l.moved, l.labels = 1, "none", l.own
	l.row = column.ParcelRow{Determinant: math.NaN(), Rotation: math.NaN(), Displacement: math.NaN()}
	linear := nifti.Identity
	for _, port := range transforms {
		if !t.Has(port) {
			continue
		}
		file, err := region.Open(t.In(port))
		if err != nil {
			return err
		}
		l.files = append(l.files, file)
		x, err := itk.Read(file, file.Size)
		if err != nil {
			return fmt.Errorf("%s: %w", t.In(port).Name, err)
		}
		if port == "registration" {
			if x, err = inverted(x, t.In(port)); err != nil {
				return err
			}
		}
		a, whole := x.Linear()
		if linear = a.Mul(&linear); !whole {
			l.field = true
		}
		if port == "transform" {
			l.row.Rotation = rotation(&a)
		}
		l.chain, l.moved = append(l.chain, x), "applied"
	}
	if l.chain != nil {
		if l.labels, err = l.own.Moved(linear); err != nil {
			return err
		}
		l.row.Determinant = linear.Determinant()
	}
	if t.Has("mask") {
		if l.mask, err = readMask(t.In("mask"), grid); err != nil {
			return err
		}
	}
	size := grid.Affine.VoxelSize()
	volume := size[0] * size[1] * size[2]
	switch {
	case !l.field && l.labels.Grid.Same(grid):
		l.how = column.LabelsOnGrid
	case p.Resampling == "majority" || p.Resampling == "auto" && volume > coarse*coarse*coarse*0.999:
		l.samples, l.how = 3, column.LabelsMajority
	default:
		l.how = column.LabelsNearest
	}
	l.row.Resampling = l.how
	return nil
}

// opposedAffines are the findings about sform and qform of the scan or of the label image that are opposite.
func opposedAffines(t *dag.Task, scan *nifti.Header) (all finding.List, err error) {
	r, err := region.OpenImage(t.In("labels"))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for _, image := range []struct {
		what   string
		header *nifti.Header
	}{{"scan", scan}, {"label image", r.Header}} {
		if opposed := image.header.Opposed(); opposed != "" {
			all.Add(finding.Warning("registration.affines-opposite", map[string]any{"Image": image.what, "Axes": opposed}))
		}
	}
	return all, nil
}

// rotation is the angle by which an affine turns, degrees.
func rotation(a *nifti.Affine) float64 {
	trace := (a[0][0] + a[1][1] + a[2][2]) / math.Cbrt(a.Determinant())
	return math.Acos(min(max((trace-1)/2, -1), 1)) * 180 / math.Pi
}

// readLabels reads a label image.
func readLabels(in dag.Input) (*nifti.Labels, error) {
	r, err := region.OpenImage(in)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return nifti.ReadLabels(r)
}

// readMask reads a brain mask, which lies on the scan's grid.
func readMask(in dag.Input, grid nifti.Grid) (*nifti.Labels, error) {
	mask, err := readLabels(in)
	if err != nil {
		return nil, err
	}
	return mask, maskFits(in, mask.Grid, grid)
}

func maskFits(in dag.Input, mask, scan nifti.Grid) error {
	if !mask.Same(scan) {
		return fmt.Errorf("%s: the brain mask is on %v, the scan on %v; give the mask of this scan", in.Name, mask, scan)
	}
	return nil
}

// over lays the labels over the grid. seen is the share of a label that the grid holds.
func (l *layer) over(grid nifti.Grid) (onto *nifti.Labels, seen func(label int32) float64, err error) {
	if l.field {
		return l.warped(grid)
	}
	if l.samples == 1 || l.labels.Grid.Same(grid) {
		onto, err = l.labels.Onto(grid)
	} else {
		onto = &nifti.Labels{Grid: grid}
		onto.Voxels, err = l.labels.Resampled(grid, grid.Box(), l.samples, func([]nifti.Point) error { return nil })
	}
	if err == nil && l.mask != nil {
		err = l.look(grid)
	}
	if err != nil {
		return nil, nil, err
	}
	all, within := l.labels.Counts(), l.labels.Within(grid)
	return onto, func(v int32) float64 { return share(within[v], all[v]) }, nil
}

// beyond is how far the grid is continued, mm, beyond the labels as the affine parts place
// them: as much as a field may push them.
const beyond = 20

// warped lays the labels over the grid through displacement fields, which go one way only: from
// the scan to the labels. So the share of a label that the scan holds is that of its voxels on
// the scan's grid, continued beyond its borders.
func (l *layer) warped(grid nifti.Grid) (*nifti.Labels, func(int32) float64, error) {
	box, err := l.labels.Around(grid, beyond)
	if err != nil {
		return nil, nil, err
	}
	tally, err := l.tally(grid, box)
	if err != nil {
		return nil, nil, err
	}
	label, err := l.own.Lookup()
	if err != nil {
		return nil, nil, err
	}
	reached := false
	voxels, err := l.own.Resampled(grid, box, l.samples, func(points []nifti.Point) error {
		outside, err := l.through(points)
		if err == nil {
			reached = reached || moves(points, outside, label)
			tally(points, outside)
		}
		return err
	})
	if err == nil {
		err = l.reach(reached)
	}
	if err != nil {
		return nil, nil, err
	}
	onto := &nifti.Labels{Grid: grid, Voxels: make([]int32, 0, grid.Voxels())}
	all := map[int32]int{}
	at := 0
	for k := box.Lo[2]; k < box.Hi[2]; k++ {
		for j := box.Lo[1]; j < box.Hi[1]; j++ {
			for i := box.Lo[0]; i < box.Hi[0]; i++ {
				if all[voxels[at]]++; in(i, grid.Shape[0]) && in(j, grid.Shape[1]) && in(k, grid.Shape[2]) {
					onto.Voxels = append(onto.Voxels, voxels[at])
				}
				at++
			}
		}
	}
	within := onto.Counts()
	if len(within) == 0 {
		return nil, nil, errors.New("the transformed labels do not overlap the scan; do the transforms belong to this participant and the scan's space?")
	}
	return onto, func(v int32) float64 { return share(within[v], all[v]) }, nil
}

func in(i, n int) bool { return i >= 0 && i < n }

func share(part, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}

// reach refuses a field that reaches no voxel of the brain: of the mask, or where there is none of the labels.
func (l *layer) reach(labels bool) error {
	what := ""
	switch {
	case l.mask != nil && *l.row.Mask > 0 && *l.row.Outside == *l.row.Mask:
		what = "of the brain mask lies inside the displacement field and the label image"
	case !labels:
		what = "with a label lies inside the displacement field"
	default:
		return nil
	}
	return fmt.Errorf("no voxel %s, so that nothing is transformed: its origin or direction is wrong, or it belongs to another space; write the transform again", what)
}

// moves reports whether a field reaches some point with a label; outside are the points that it does not reach.
func moves(points []nifti.Point, outside []int32, label func(nifti.Point) (int32, bool)) bool {
	for i, p := range points {
		if len(outside) > 0 && int(outside[0]) == i {
			outside = outside[1:]
		} else if v, _ := label(p); v != 0 {
			return true
		}
	}
	return false
}

// through takes points of the scan to the labels' own space. outside are those that a field
// does not reach.
func (l *layer) through(points []nifti.Point) (outside []int32, err error) {
	for _, x := range l.chain {
		told, err := x.Map(points)
		if err != nil {
			return nil, err
		}
		if told.Displacement > 0 {
			l.row.Displacement = max(told.Displacement, zero(l.row.Displacement))
		}
		outside = append(outside, told.Outside...)
	}
	slices.Sort(outside)
	return slices.Compact(outside), nil
}

func zero(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}

// tally counts the voxels of the brain mask as their samples come by, in the order of the box.
func (l *layer) tally(grid nifti.Grid, box nifti.Box) (func(points []nifti.Point, outside []int32), error) {
	label, err := l.own.Lookup()
	if err != nil || l.mask == nil {
		return func([]nifti.Point, []int32) {}, err
	}
	l.row.Mask, l.row.Unlabeled, l.row.Outside = new(int32), new(int32), new(int32)
	each := l.samples * l.samples * l.samples
	at := box.Lo
	return func(points []nifti.Point, outside []int32) {
		for center := each / 2; center < len(points); center += each {
			i, j, k := at[0], at[1], at[2]
			if at[0]++; at[0] == box.Hi[0] {
				if at[0], at[1] = box.Lo[0], at[1]+1; at[1] == box.Hi[1] {
					at[1], at[2] = box.Lo[1], at[2]+1
				}
			}
			if !in(i, grid.Shape[0]) || !in(j, grid.Shape[1]) || !in(k, grid.Shape[2]) ||
				l.mask.Voxels[i+grid.Shape[0]*(j+grid.Shape[1]*k)] == 0 {
				continue
			}
			*l.row.Mask++
			v, inside := label(points[center])
			if v == 0 {
				*l.row.Unlabeled++
			}
			if _, unreached := slices.BinarySearch(outside, int32(center)); unreached || !inside {
				*l.row.Outside++
			}
		}
	}, nil
}

// look counts the voxels of the brain mask where no field is in the way.
func (l *layer) look(grid nifti.Grid) error {
	samples := l.samples
	l.samples = 1
	defer func() { l.samples = samples }()
	tally, err := l.tally(grid, grid.Box())
	if err != nil {
		return err
	}
	points := grid.Points()
	if _, err := l.through(points); err != nil {
		return err
	}
	tally(points, nil)
	return nil
}

// mostBeside is the distance between the middle of the brain mask and that of the labels of the brain, mm, where both
// are of one brain: they differ by some millimeters.
const mostBeside = 15

// leastOfBrain is the share of the brain that labels of the gray matter have at least: about a half.
const leastOfBrain = 0.4

// besideBrain refuses labels of the whole brain, or of its gray matter, that lie beside the brain mask. onto are those
// on the scan's grid.
func (l *layer) besideBrain(onto *nifti.Labels) error {
	if l.mask == nil || !onto.Oriented {
		return nil
	}
	inside := func(of *nifti.Labels) (n int) {
		return lists.Count(of.Voxels, func(v int32) bool { return v > 0 })
	}
	if !l.whole && float64(inside(onto)) < leastOfBrain*float64(inside(l.mask)) {
		return nil
	}
	middle := func(of *nifti.Labels) (nifti.Point, bool) {
		all := &nifti.Labels{Grid: of.Grid, Voxels: make([]int32, len(of.Voxels))}
		for i, v := range of.Voxels {
			all.Voxels[i] = min(max(v, 0), 1)
		}
		at, there := all.Centroids()[1]
		return at, there
	}
	brain, masked := middle(l.mask)
	labels, labeled := middle(onto)
	if !masked || !labeled {
		return nil
	}
	if off := labels.Distance(brain); off > mostBeside {
		return fmt.Errorf("the labels lie %.0f mm beside the brain mask: their middle is (%.0f, %.0f, %.0f) mm, that of the mask (%.0f, %.0f, %.0f); the affine of one is wrong, or they are in different spaces or of different participants",
			off, labels[0], labels[1], labels[2], brain[0], brain[1], brain[2])
	}
	return nil
}

// leastMasked is the share of the labeled voxels that a brain mask holds at least: labels are of the brain, so a mask
// that lacks more of them than it holds marks something else, such as the background.
const leastMasked = 0.5

// masked refuses a mask that holds no voxel with a label, and warns of one that holds few. onto are the labels on the
// scan's grid.
func (l *layer) masked(in dag.Input, mask, onto *nifti.Labels) error {
	labeled, inside, size := 0, 0, 0
	for at, v := range onto.Voxels {
		if mask.Voxels[at] != 0 {
			size++
		}
		if v != 0 {
			if labeled++; mask.Voxels[at] != 0 {
				inside++
			}
		}
	}
	switch {
	case labeled == 0: // which is refused where no node has a voxel
	case inside == 0:
		return fmt.Errorf("%s: none of the %d voxels with a label lies inside the brain mask of %d voxels: does it mark the background, or belong to another participant or space?",
			in.Name, labeled, size)
	case share(inside, labeled) < leastMasked:
		l.doubts.Add(finding.Warning("registration.labels-outside-mask", map[string]any{"N": labeled - inside, "Of": labeled,
			"Share": 1 - share(inside, labeled)}))
	}
	return nil
}

// quality is the row of the table quality, with cautions.
func (l *layer) quality(empty int) column.ParcelRow {
	r := l.row
	r.Empty = int32(empty)
	var doubts finding.List
	if r.Mask != nil && l.whole && float64(*r.Mask-*r.Unlabeled) <= leastLabeled*float64(*r.Mask) {
		doubts.Add(finding.Warning("registration.mask-unlabeled", map[string]any{"Share": share(int(*r.Unlabeled), int(*r.Mask)),
			"N": *r.Unlabeled, "Of": *r.Mask, "Usual": 1 - leastLabeled}))
	}
	if r.Outside != nil && *r.Outside > 0 {
		doubts.Add(finding.Warning("registration.mask-outside", map[string]any{"N": *r.Outside}))
	}
	if d := r.Determinant; d < leastDeterminant || d > mostDeterminant {
		doubts.Add(finding.Warning("registration.volume-change", map[string]any{"Factor": d}))
	}
	if r.Displacement >= mostDisplacement {
		doubts.Add(finding.Warning("registration.displacement", map[string]any{"MM": r.Displacement}))
	}
	if r.Rotation > mostRotation {
		doubts.Add(finding.Warning("registration.rotation", map[string]any{"Degrees": r.Rotation}))
	}
	doubts.Add(l.opposed...)
	doubts.Add(l.doubts...)
	r.Caution = finding.Written(doubts)
	return r
}

// sample is that of the voxels for carpet plots: by tissue where the labels are of the whole brain.
func (l *layer) sample(p *Parcellate, onto *nifti.Labels, parcels []int16, blocks []string) []column.SampleRow {
	var tissueOf, brain []int32
	if l.whole {
		tissueOf = onto.Voxels
	}
	if l.mask != nil {
		brain = l.mask.Voxels
	}
	return p.sampleVoxels(tissueOf, parcels, blocks, brain)
}
