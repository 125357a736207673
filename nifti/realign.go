package nifti

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// A Realignment is where the voxels of a grid lie in each volume of a raw scan. The value of a voxel at x (mm) in
// volume t is that of the volume's cubic spline at A⁻¹·Volumes[t]·x, A the scan's affine, plus the shift along one axis
// of the scan: fMRIPrep's one resampling (interfaces/resampling.py), without its Jacobian.
type Realignment struct {
	Grid    Grid
	Volumes []Affine  // from points of the grid to points of each volume, mm, RAS+
	Axis    int       // of the scan's voxels, that of the phase encoding
	Shift   []float64 // by which distortion moves each voxel of the grid along Axis, voxels; nil for no distortion
}

// Realigned is a scan whose volumes are those of r on the grid, one in memory at a time. A voxel that lies beyond the
// centers of the outer voxels of a volume, or has a shift of NaN, is NaN there. Close closes r.
func (r *Reader) Realigned(to Realignment) (*Reader, error) {
	if err := r.Moves(len(to.Volumes)); err != nil {
		return nil, err
	}
	if to.Shift != nil && len(to.Shift) != to.Grid.Voxels() {
		panic("nifti: a shift for each voxel")
	}
	scan := r.Header.Grid()
	inverse, _ := scan.Affine.Inverse()
	h := &Header{Version: 2, SizeofHdr: 540, VoxOffset: 544, SclSlope: 1, SformCode: 1,
		XYZTUnits: unitMillimetre | unitSecond, Datatype: int64(Float64), Bitpix: 64}
	copy(h.Magic[:], "n+2\x00\r\n\x1a\n")
	h.Dim = [8]int64{4, 1, 1, 1, r.Volumes(), 1, 1, 1}
	h.Pixdim = [8]float64{1, 1, 1, 1, r.Header.TR(), 1, 1, 1}
	size := to.Grid.Affine.VoxelSize()
	for axis := range 3 {
		h.Dim[axis+1], h.Pixdim[axis+1] = int64(to.Grid.Shape[axis]), size[axis]
		h.Srow[axis] = to.Grid.Affine[axis]
	}
	s := &realigned{from: r, to: to, inverse: inverse, shape: scan.Shape, volume: make([]float64, scan.Voxels())}
	return &Reader{Header: h, name: r.name, mem: r.mem, src: s, closers: []io.Closer{r}}, nil
}

// Moves refuses, by the header of a raw scan, so many transforms of head motion.
func (r *Reader) Moves(transforms int) error {
	scan := r.Header.Grid()
	if _, ok := scan.Affine.Inverse(); !scan.Oriented || !ok {
		return r.fail(errors.New("the header does not state the position of the scan (sform and qform codes 0), so head motion cannot be corrected"))
	}
	if int64(transforms) != r.Volumes() {
		return r.fail(fmt.Errorf("%d volumes, but %d transforms of head motion; the transforms belong to another run, or volumes were removed: use the raw scan that fMRIPrep processed", r.Volumes(), transforms))
	}
	return nil
}

// realigned are the bytes of the voxels of a realigned scan.
type realigned struct {
	from    *Reader
	to      Realignment
	inverse Affine // from mm to voxels of the scan
	shape   [3]int // of the scan
	volume  []float64
	done    int // volumes
	bytes   []byte
	left    []byte // of bytes
}

func (s *realigned) Read(b []byte) (int, error) {
	if len(s.left) == 0 {
		if err := s.next(); err != nil {
			return 0, err
		}
	}
	n := copy(b, s.left)
	s.left = s.left[n:]
	return n, nil
}

// next resamples the next volume.
func (s *realigned) next() error {
	if err := s.from.Next(s.volume); err != nil {
		return err // io.EOF behind the last one, when the whole file has been found sound
	}
	if err := finite(s.volume); err != nil {
		return s.from.fail(fmt.Errorf("volume %d of %d: %w", s.done+1, len(s.to.Volumes), err))
	}
	spline := newSpline(s.shape, s.volume)
	move := s.inverse.Mul(&s.to.Volumes[s.done])
	move = move.Mul(&s.to.Grid.Affine)
	s.bytes = s.bytes[:0]
	at, shape := 0, s.to.Grid.Shape
	for k := range shape[2] {
		for j := range shape[1] {
			for i := range shape[0] {
				var c [3]float64
				c[0], c[1], c[2] = move.Apply(float64(i), float64(j), float64(k))
				if s.to.Shift != nil {
					c[s.to.Axis] += s.to.Shift[at]
				}
				s.bytes = binary.LittleEndian.AppendUint64(s.bytes, math.Float64bits(spline.at(c)))
				at++
			}
		}
	}
	s.left = s.bytes
	s.done++
	return nil
}

// Sampled are the values of an image of one volume at points, by a cubic spline; NaN where a point lies beyond the
// centers of its outer voxels.
func Sampled(r *Reader, points []Point) ([]float64, error) {
	if n := r.Volumes(); n != 1 {
		return nil, r.fail(fmt.Errorf("%d volumes, expected one", n))
	}
	grid := r.Header.Grid()
	inverse, ok := grid.Affine.Inverse()
	if !ok || !grid.Oriented {
		return nil, r.fail(errNoInverse)
	}
	voxels := make([]float64, grid.Voxels())
	err := r.Next(voxels)
	if err == nil {
		if err = finite(voxels); err != nil {
			err = r.fail(err)
		}
	}
	if err != nil {
		return nil, err
	}
	s := newSpline(grid.Shape, voxels)
	values := make([]float64, len(points))
	for i, p := range points {
		var c [3]float64
		c[0], c[1], c[2] = inverse.Apply(p[0], p[1], p[2])
		values[i] = s.at(c)
	}
	return values, nil
}
