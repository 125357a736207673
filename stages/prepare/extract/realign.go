package extract

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/nifti"
	"prgnn/nifti/itk"
	"prgnn/stages/region"
)

// transforms are the ports of parcellate that take points of the scan to the labels, in the order in which points go
// through them.
var transforms = []string{"registration", "warp", "transform"}

// moved reports whether the labels lie in another space than the scan.
func moved(t *dag.Task) bool {
	return slices.ContainsFunc(transforms, t.Has)
}

// gridHeader is the header whose grid the labels are laid over: that of the reference, or of the scan.
func gridHeader(bold *nifti.Reader, t *dag.Task) (*nifti.Header, error) {
	if !t.Has("reference") {
		if t.Has("registration") {
			return nil, errors.New("registration is connected without reference, the image that it registers: connect both (in: { reference: cohort.reference, registration: cohort.registration })")
		}
		return bold.Header, nil
	}
	r, err := region.OpenImage(t.In("reference"))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if n := r.Volumes(); n != 1 {
		return nil, fmt.Errorf("%s has %d volumes, but a reference has one", t.In("reference").Name, n)
	}
	return r.Header, r.CheckSize(t.In("reference").Ref.Size)
}

// inverted takes points the other way than a transform of a file.
func inverted(x *itk.Transform, in dag.Input) (*itk.Transform, error) {
	back, ok := x.Inverse()
	if !ok {
		return nil, fmt.Errorf("%s: the transform is not affine, so it cannot be inverted: use fMRIPrep's affine registration (…_xfm.txt)", in.Name)
	}
	return back, nil
}

// readMotion reads the transforms of head motion of a raw scan, and the axis and the size of its distortion; nil of a
// scan that lies on the grid of the parcels.
func readMotion(t *dag.Task) (to *nifti.Realignment, step float64, err error) {
	if !t.Has("realignment") {
		if t.Has("fieldmap") {
			return nil, 0, errors.New("fieldmap is connected without realignment, but distortion is already corrected in a preprocessed scan: disconnect it (in: { fieldmap: null })")
		}
		return nil, 0, nil
	}
	if t.Has("weights") {
		return nil, 0, errors.New("a raw scan is realigned to the participant's own space, where a probabilistic atlas cannot be used: use a label image")
	}
	in := t.In("realignment")
	file, err := in.Reader()
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", in.Name, err)
	}
	defer file.Close()
	to = &nifti.Realignment{}
	if to.Volumes, err = itk.ReadSeries(file); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", in.Name, err)
	}
	if t.Has("fieldmap") {
		to.Axis, step, err = phaseEncoding(t)
	}
	return to, step, err
}

// motionFits refuses a raw scan by its header, its sidecar and its transforms of head motion.
func motionFits(t *dag.Task) error {
	to, _, err := readMotion(t)
	if to == nil || err != nil || !t.Has("bold") {
		return err
	}
	scan, err := region.OpenImage(t.In("bold"))
	if err != nil {
		return err
	}
	defer scan.Close()
	if err := scan.CheckSeries(); err != nil {
		return err
	}
	return scan.Moves(len(to.Volumes))
}

// readRealignment reads what takes a raw scan to the grid of the parcels; nil of a scan that lies there.
func readRealignment(t *dag.Task, grid nifti.Grid) (*nifti.Realignment, error) {
	to, step, err := readMotion(t)
	if to == nil || err != nil {
		return nil, err
	}
	to.Grid = grid
	if !t.Has("fieldmap") {
		return to, nil
	}
	if to.Shift, err = fieldAt(t, grid.Points()); err != nil {
		return nil, err
	}
	for i := range to.Shift {
		to.Shift[i] *= step
	}
	return to, nil
}

// phaseEncoding is the axis of the raw scan's voxels along which it is distorted, and by how many voxels per Hz
// (fMRIPrep, interfaces/resampling.py; the axis of the sidecar is one of the file's, BIDS 1.10).
func phaseEncoding(t *dag.Task) (axis int, perHz float64, err error) {
	const remedy = "correct the raw dataset, or disconnect fieldmap (in: { fieldmap: null }) to skip the distortion correction"
	if !t.Has("sidecar") {
		return 0, 0, errors.New("fieldmap is connected without sidecar, the JSON file of the raw scan, which gives PhaseEncodingDirection and TotalReadoutTime: connect it (in: { sidecar: cohort.sidecar })")
	}
	var scan struct {
		PhaseEncodingDirection string
		TotalReadoutTime       *float64
	}
	in := t.In("sidecar")
	if err := region.ReadJSON(in, &scan); err != nil {
		return 0, 0, err
	}
	letter, reversed := strings.CutSuffix(scan.PhaseEncodingDirection, "-")
	switch axis = strings.Index("ijk", letter); {
	case len(letter) != 1 || axis < 0:
		return 0, 0, fmt.Errorf("%s: PhaseEncodingDirection is %q, but the field map needs i, j, k, i-, j- or k-: %s", in.Name,
			scan.PhaseEncodingDirection, remedy)
	case scan.TotalReadoutTime == nil:
		return 0, 0, fmt.Errorf("%s: no TotalReadoutTime, which the field map needs: %s", in.Name, remedy)
	case !(*scan.TotalReadoutTime > 0 && *scan.TotalReadoutTime < mostReadout):
		return 0, 0, fmt.Errorf("%s: a TotalReadoutTime of %g s is not plausible (expected above 0 and below %g s): %s", in.Name,
			*scan.TotalReadoutTime, mostReadout, remedy)
	case reversed:
		return axis, -*scan.TotalReadoutTime, nil
	}
	return axis, *scan.TotalReadoutTime, nil
}

// mostReadout is the readout time from which one is not believed, s: that of echo-planar images is some 0.02 to 0.2 s.
const mostReadout = 1.0

// mostField is the strength of a field map from which it is not believed, Hz, at most some hundred near the sinuses.
const mostField = 10000.0

// fieldAt is the field map at points of the reference, Hz; NaN beyond it.
func fieldAt(t *dag.Task, points []nifti.Point) ([]float64, error) {
	if !t.Has("fieldmap_transform") {
		return nil, errors.New("fieldmap is connected without fieldmap_transform, which registers it to the scan: connect it (in: { fieldmap_transform: cohort.fieldmap_transform })")
	}
	in := t.In("fieldmap_transform")
	file, err := region.Open(in)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	x, err := itk.Read(file, file.Size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	if x, err = inverted(x, in); err != nil {
		return nil, err
	}
	if _, err := x.Map(points); err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	r, err := region.OpenImage(t.In("fieldmap"))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := r.CheckSize(t.In("fieldmap").Ref.Size); err != nil {
		return nil, err
	}
	field, err := nifti.Sampled(r, points)
	if err != nil {
		return nil, err
	}
	reached := false
	for _, hz := range field {
		if math.Abs(hz) > mostField {
			return nil, fmt.Errorf("%s: a field of %.3g Hz is not plausible; is the field map in Hz?", t.In("fieldmap").Name, hz)
		}
		reached = reached || !math.IsNaN(hz)
	}
	if !reached {
		return nil, fmt.Errorf("%s: no voxel of the scan lies inside the field map; does %s belong to it?", t.In("fieldmap").Name, in.Name)
	}
	return field, nil
}
