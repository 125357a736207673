package extract

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"prgnn/dag"
	"prgnn/nifti"
	"prgnn/nifti/cifti"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

// openCIFTI opens a CIFTI file that is an input.
func openCIFTI(in dag.Input) (*cifti.File, error) {
	r, err := region.OpenImage(in)
	if err != nil {
		return nil, err
	}
	f, err := cifti.Read(r, in.Name)
	if err != nil {
		r.Close()
	}
	return f, err
}

// openGrayordinates opens a scan of grayordinates (dtseries).
func openGrayordinates(in dag.Input) (*cifti.File, error) {
	f, err := openCIFTI(in)
	if err != nil {
		return nil, err
	}
	if f.Rows.Models == nil || !f.Columns.Series {
		f.Close()
		return nil, fmt.Errorf("%s: a CIFTI file that is not a dense time series (dtseries); for parcellated time series (ptseries) use the cohort timeseries", in.Name)
	}
	if f.Columns.N < 2 {
		f.Close()
		return nil, fmt.Errorf("%s: one volume, but a BOLD scan needs several", in.Name)
	}
	return f, nil
}

// readGrayLabels reads a map of whole numbers: labels, or node numbers. f is closed, and has its axes.
func readGrayLabels(in dag.Input) (labels []int32, f *cifti.File, err error) {
	if f, err = openCIFTI(in); err != nil {
		return nil, nil, err
	}
	defer f.Close()
	labels, err = f.Labels()
	return labels, f, err
}

// A grayAtlas is a label file of grayordinates before it is laid over a scan.
type grayAtlas struct {
	labels *nifti.Labels
	values []int32 // of the labels, ascending
	by     func(region.Node) int32
	models *cifti.Models
}

// grayAtlas reads a label file of grayordinates and compares it with the node list.
func (p *Parcellate) grayAtlas(in dag.Input, nodes []region.Node) (a grayAtlas, err error) {
	labels, file, err := readGrayLabels(in)
	if err != nil {
		return a, err
	}
	a.labels, a.models = &nifti.Labels{Voxels: labels}, file.Rows.Models
	if a.values = a.labels.Values(); len(a.values) == 0 {
		return a, fmt.Errorf("%s: every grayordinate is 0, so there are no labels", in.Name)
	}
	a.by = region.Meaning(p.Labels, nodes, a.values)
	if err := p.refuseMissing(nodes, a.by, a.values); err != nil {
		return a, fmt.Errorf("%s: %w", in.Name, err)
	}
	if err := region.Contradiction(nodes, a.by, file.Columns.Labels); err != nil {
		return a, fmt.Errorf("%s: %w", in.Name, err)
	}
	return a, nil
}

// grayordinates numbers the grayordinates of a scan by a label file of grayordinates.
func (p *Parcellate) grayordinates(t *dag.Task, nodes []region.Node) (dag.Outputs, error) {
	for _, port := range []string{"transform", "warp", "within"} {
		if t.Has(port) {
			return nil, fmt.Errorf("%s: there is no transform from %s to grayordinates: use a CIFTI label file, and do not connect %s", t.In("bold").Name, port, port)
		}
	}
	scan, err := openGrayordinates(t.In("bold"))
	if err != nil {
		return nil, err
	}
	defer scan.Close()
	in := t.In("labels")
	if r, err := region.OpenImage(in); err != nil {
		return nil, err
	} else if r.Close(); !r.Header.CIFTI() {
		return nil, fmt.Errorf("%s: a volumetric image, but the scan %s has grayordinates: use a CIFTI label file (.dlabel.nii)", in.Name, t.In("bold").Name)
	}
	atlas, err := p.grayAtlas(in, nodes)
	if err != nil {
		return nil, err
	}
	labels, by := atlas.labels.Voxels, atlas.by
	place, err := scan.Rows.Models.Match(atlas.models)
	if err != nil {
		return nil, fmt.Errorf("%s over %s: %w", in.Name, t.In("bold").Name, err)
	}
	onto := &nifti.Labels{Voxels: make([]int32, len(place))}
	for at, from := range place {
		if from >= 0 {
			onto.Voxels[at] = labels[from]
		}
	}
	counts, here := atlas.labels.Counts(), onto.Counts()
	c, number, reached := p.covered(nodes, by, counts, here, func(v int32) float64 { return share(here[v], counts[v]) })
	if err := p.refuseLost(c, "the grayordinates of the scan lack them"); err != nil {
		return nil, fmt.Errorf("%s over %s: %w", in.Name, t.In("bold").Name, err)
	}
	parcels := make([]float64, len(place))
	for at, v := range onto.Voxels {
		if v != 0 {
			parcels[at] = float64(number[v])
		}
	}
	var b bytes.Buffer
	if err := scan.Rows.Models.WriteDense(&b, []string{region.NodeNumbers}, [][]float64{parcels}); err != nil {
		return nil, err
	}
	row := column.ParcelRow{Determinant: math.NaN(), Rotation: math.NaN(), Displacement: math.NaN(),
		Resampling: column.LabelsMatched, Empty: int32(len(nodes) - reached)}
	about := map[string]string{"resampling": column.LabelsMatched, "transform": "none",
		"label_grid": fmt.Sprintf("%d grayordinates", len(labels)),
		"scan_grid":  fmt.Sprintf("%d grayordinates", len(place))}
	return p.outputs(b.Bytes(), c, about, nodes, by, atlas.values, row,
		sampleTable(p.sampleGray(scan.Rows.Models), "grayordinates")), nil
}

// grayordinateMeans averages the grayordinates of each node, and of each draw. step is the time
// between volumes by the scan's header, s.
func grayordinateMeans(t *dag.Task, rois nifti.ROIs, models *cifti.Models) (m *nifti.Means, step float64, err error) {
	if t.Has("weights") {
		return nil, 0, errors.New("weights: a probabilistic atlas has voxels, but the scan has grayordinates")
	}
	in := t.In("bold")
	m, err = cifti.Means(func() (*cifti.File, error) {
		f, err := openGrayordinates(in)
		if err != nil {
			return nil, err
		}
		if step = f.Columns.Step; !f.Rows.Models.Same(models) {
			f.Close()
			return nil, fmt.Errorf("%s: its grayordinates are not those of the parcels; make the parcels from this scan", in.Name)
		}
		return f, nil
	}, rois)
	return m, step, err
}

// readParcels reads node numbers: of voxels, or of grayordinates, whose models are not nil then.
func readParcels(in dag.Input) (labels *nifti.Labels, models *cifti.Models, description string, err error) {
	r, err := region.OpenImage(in)
	if err != nil {
		return nil, nil, "", err
	}
	defer r.Close()
	if r.Header.CIFTI() {
		values, f, err := readGrayLabels(in)
		if err != nil {
			return nil, nil, "", err
		}
		return &nifti.Labels{Voxels: values}, f.Rows.Models, "", nil
	}
	labels, err = nifti.ReadLabels(r)
	return labels, nil, region.Description(r.Header), err
}
