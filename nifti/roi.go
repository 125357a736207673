package nifti

import (
	"errors"
	"slices"

	"prgnn/internal/lists"
)

// ROIs says which voxels to average.
type ROIs struct {
	// Voxels has each ROI's voxels, as places in memory (x fastest) on the scan's
	// grid, ascending. A ROI may be empty.
	Voxels [][]int32
	// Draws is the number of further means of each ROI, beside that of all voxels.
	Draws int
	// Choose picks the voxels of each draw out of the n valid voxels of a ROI, as
	// Draws lists of numbers below n. It may be asked more than once about a ROI,
	// and gives the same lists for the same n.
	Choose func(roi, n int) [][]int32
	// Sample are voxels whose own series are kept.
	Sample []int32
}

// Means are the mean series of ROIs.
type Means struct {
	Header  *Header
	Volumes int
	Series  []float64 // [1+draws, time, roi]; draw 0 is the mean of all valid voxels. NaN for a ROI without any
	Counts  []Count   // by ROI
	// Mean is the mean of every voxel of the grid, x fastest, or of every grayordinate, over each fourth volume from
	// the
	// first (MeanStep); what is not finite counts as 0.
	Mean []float64
	// Sample are the series of the voxels of ROIs.Sample, [time, voxel]; NaN throughout for a voxel that is not finite
	// in some volume.
	Sample []float64
	// Wrapped is the number of voxels of ROIs whose unscaled 16-bit numbers overflow, in these fourth volumes.
	Wrapped int
}

// Count says what became of the voxels of a ROI. Only the voxels used are averaged
// and drawn from.
type Count struct {
	Used      int
	NonFinite int // some volume holds NaN or an infinity
	Constant  int // all volumes hold the same value: outside of the field of view or the mask
}

// ROIMeans averages the voxels of every ROI in every volume, and of every draw, in
// one pass over the scan with the memory of a few volumes.
//
// Which voxels are valid is known for certain only after the last volume, yet the
// draws are made among valid ones. So the first volumes give a guess (a voxel
// outside of the mask shows at once), the means are summed by it, and the ROIs for
// which it proves wrong, seldom any, are summed again in a second pass: open is
// called again. The result does not depend on the guess.
//
// Sums of integers are exact: of 8 and 16 bits as integers, of 32 bits in float64,
// which holds them. Floats are summed in float64, in the order of the lists. The
// scan's slope and intercept are applied to the means.
func ROIMeans(open func() (*Reader, error), rois ROIs) (*Means, error) {
	all := lists.UpTo(len(rois.Voxels))
	room := &meansRoom{draws: 1 + rois.Draws, cols: len(all), first: trusted / max(1, (1+rois.Draws)*len(all))}
	p := newPass(rois, all, nil, room)
	p.overTime, p.sample = &timeSum{}, &voxelSeries{voxels: rois.Sample}
	if err := p.run(open); err != nil {
		return nil, err
	}
	m := &Means{Header: p.header, Volumes: p.volumes, Counts: make([]Count, len(all)),
		Mean:   p.overTime.mean(room.slope, room.inter),
		Sample: p.sample.scaled(room.slope, room.inter), Wrapped: p.wrapped.count()}
	var redo []int
	valid := make([][]bool, len(all))
	for i := range all {
		m.Counts[i], valid[i] = p.judge(i)
		if !slices.Equal(valid[i], p.roi[i].valid) {
			redo = append(redo, i)
		}
	}
	room.fix(m.Volumes)
	if redo != nil {
		p = newPass(rois, redo, valid, room)
		if err := p.run(open); err != nil {
			return nil, err
		}
		if p.volumes != m.Volumes {
			return nil, errChanged
		}
	}
	m.Series = room.series
	return m, nil
}

var errChanged = errors.New("the scan changed while it was being read")
