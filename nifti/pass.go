package nifti

import (
	"fmt"
	"io"
	"math"

	"prgnn/internal/lists"
)

const (
	// lanes is the number of volumes that are summed at once.
	lanes = 4
	// guessed is how many times that many volumes are looked at before the guess.
	// Of integers of a small range, four in a row are the same now and then in some
	// voxel of a brain; twelve are not.
	guessed = 3
)

// A pass is one reading of the scan.
type pass struct {
	rois     ROIs
	roi      []roiPass
	voxels   []int32 // of all its ROIs, one ROI after the other
	header   *Header
	volumes  int
	promised int   // volumes, by the header
	beyond   bool  // there are more than the pass before has seen
	waiting  []int // volumes in each slot that waits for the guess
	chosen   bool
	means    *meansRoom
	lanes    laneSums
	overTime *timeSum     // of all voxels; nil in a second pass
	sample   *voxelSeries // nil in a second pass
	wrapped  *wrapping    // nil in a second pass
}

// A roiPass is one ROI in a pass.
type roiPass struct {
	index int       // in ROIs.Voxels
	start int       // of its voxels in pass.voxels
	n     int       // their number
	valid []bool    // the voxels that it is summed by; nil for a guess
	lists [][]int32 // by draw, places in pass.voxels; nil for no voxel
}

// A laneSums gathers the ROI voxels of a few volumes, and sums lists of them. It has
// some slots to keep them in.
type laneSums interface {
	// gather takes the voxels out of the volumes, of which there are 1 to lanes.
	gather(slot int, volumes [][]byte, voxels []int32)
	// sum adds up the voxels of a list, for each volume.
	sum(slot int, list []int32) [lanes]float64
	// constant reports whether a voxel has had one value in all volumes.
	constant(voxel int) bool
	// nonFinite reports whether a voxel has been NaN or infinite.
	nonFinite(voxel int) bool
}

// A meansRoom is where the means of all ROIs go, [draw, volume, roi]. A scan says how
// many volumes it has; that much is given to it at once while it is little, and more
// as they come, since a damaged header may say anything.
type meansRoom struct {
	series       []float64
	draws, cols  int // draws counts the plain mean
	first        int // volumes that a header's word is enough for
	room         int // volumes that there is room for
	fixed        bool
	slope, inter float64
}

// trusted is the size of the means, in numbers, that a header's word is enough for.
const trusted = 1 << 23

// reserve makes room for volumes, of total promised ones. It is false where the room
// is fixed and too small.
func (m *meansRoom) reserve(volumes, total int) bool {
	if volumes <= m.room {
		return true
	}
	if m.fixed {
		return false
	}
	room := max(volumes, min(total, max(2*m.room, m.first)))
	series := make([]float64, m.draws*room*m.cols)
	for d := range m.draws {
		copy(series[d*room*m.cols:], m.series[d*m.room*m.cols:][:m.room*m.cols])
	}
	m.series, m.room = series, room
	return true
}

// fix takes away the room that has not been used.
func (m *meansRoom) fix(volumes int) {
	for d := range m.draws {
		copy(m.series[d*volumes*m.cols:][:volumes*m.cols], m.series[d*m.room*m.cols:])
	}
	m.series, m.room, m.fixed = m.series[:m.draws*volumes*m.cols], volumes, true
}

func newPass(rois ROIs, which []int, valid [][]bool, means *meansRoom) *pass {
	p := &pass{rois: rois, means: means}
	for _, i := range which {
		r := roiPass{index: i, start: len(p.voxels), n: len(rois.Voxels[i])}
		p.voxels = append(p.voxels, rois.Voxels[i]...)
		if valid != nil {
			r.valid = valid[i]
		}
		p.roi = append(p.roi, r)
	}
	return p
}

// run reads the scan once.
func (p *pass) run(open func() (*Reader, error)) error {
	r, err := open()
	if err != nil {
		return err
	}
	defer r.Close()
	p.header = r.Header
	if err := r.Header.series(); err != nil {
		return r.fail(err)
	}
	n := r.Header.Grid().Voxels()
	for _, v := range p.voxels {
		if v < 0 || int(v) >= n {
			panic(fmt.Sprintf("nifti: voxel %d of a grid of %d", v, n))
		}
	}
	p.promised = int(min(r.Volumes(), math.MaxInt32))
	p.means.slope, p.means.inter, _ = r.Header.Scaling() // checked with the header
	t := DataType(r.Header.Datatype)
	if p.overTime != nil {
		p.overTime.dtype, p.sample.dtype = t, t
		p.wrapped = newWrapping(t, p.means.slope, p.means.inter, len(p.voxels))
	}
	if t.Size() <= 2 {
		p.lanes = newShortSums(t, len(p.voxels))
	} else {
		p.lanes = newWideSums(t, len(p.voxels))
	}
	if err := r.batches(p.add); err != nil {
		return err
	}
	p.flush()
	if p.beyond {
		return errChanged
	}
	return nil
}

// batches reads the volumes some at a time and hands them on.
func (r *Reader) batches(use func([][]byte)) error {
	var bufs [lanes][]byte
	for {
		for i := range bufs {
			r.raw = bufs[i]
			raw, err := r.NextRaw()
			if err == io.EOF && i > 0 {
				use(bufs[:i])
			}
			if err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
			bufs[i] = raw
		}
		use(bufs[:])
	}
}

// add takes some volumes. The first ones wait for the guess, if there is one.
func (p *pass) add(volumes [][]byte) {
	if p.overTime != nil {
		p.overTime.add(volumes[0]) // of lanes volumes, or what is left
		p.sample.add(volumes)
		p.wrapped.add(volumes[0], p.voxels)
	}
	p.lanes.gather(len(p.waiting), volumes, p.voxels)
	p.waiting = append(p.waiting, len(volumes))
	if p.chosen || len(p.waiting) == guessed {
		p.flush()
	}
}

// flush sums the volumes that wait.
func (p *pass) flush() {
	if !p.chosen {
		p.choose()
		p.chosen = true
	}
	for slot, n := range p.waiting {
		p.sum(slot, n)
	}
	p.waiting = p.waiting[:0]
}

// sum sums n volumes.
func (p *pass) sum(slot, n int) {
	m, from := p.means, p.volumes
	p.volumes += n
	if !m.reserve(p.volumes, p.promised) {
		p.beyond = true
		return
	}
	for _, r := range p.roi {
		for d := range m.draws {
			mean := [lanes]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
			if list := r.lists[d]; len(list) > 0 {
				mean = p.lanes.sum(slot, list)
				for v := range mean {
					mean[v] /= float64(len(list))
				}
			}
			for v := range n {
				m.series[(d*m.room+from+v)*m.cols+r.index] = float64(mean[v]*m.slope) + m.inter
			}
		}
	}
}

// choose makes the lists of voxels to sum: by the valid voxels, where they are
// known, or by those that look valid in the first volumes.
func (p *pass) choose() {
	for i := range p.roi {
		r := &p.roi[i]
		if r.valid == nil {
			_, r.valid = p.judge(i)
		}
		var valid []int32
		for v, ok := range r.valid {
			if ok {
				valid = append(valid, int32(r.start+v))
			}
		}
		r.lists = make([][]int32, 1+p.rois.Draws)
		r.lists[0] = valid
		if len(valid) == 0 || p.rois.Draws == 0 {
			continue
		}
		for d, list := range p.rois.Choose(r.index, len(valid)) {
			places := lists.Map(list, func(v int32) int32 { return valid[v] })
			r.lists[1+d] = places
		}
	}
}

// judge counts the voxels of a ROI by what has been seen of them so far.
func (p *pass) judge(i int) (c Count, valid []bool) {
	r := p.roi[i]
	valid = make([]bool, r.n)
	for v := range r.n {
		switch {
		case p.lanes.nonFinite(r.start + v):
			c.NonFinite++
		case p.lanes.constant(r.start + v):
			c.Constant++
		default:
			c.Used++
			valid[v] = true
		}
	}
	return c, valid
}
