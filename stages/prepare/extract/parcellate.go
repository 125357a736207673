package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/nifti"
	"prgnn/nifti/itk"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/role"
)

var parcellateKind = dag.Kind{
	Name: "parcellate",
	Doc: "assigns the voxels of a scan to nodes\n" +
		"Resamples the label image to the scan's grid if the grids differ, and numbers its regions as in the node list. Every node has a row in the coverage table, even without voxels. With warp and transform, labels in FreeSurfer's space are resampled to a scan in a template's space. With reference and registration, labels are resampled to the grid of the reference to which bootstrap realigns a raw scan.",
	New: func() dag.Stage {
		return &Parcellate{Labels: "auto", Missing: "fail", MinCoverage: 0.5, Resampling: "auto", Sample: 400}
	},
	Memory: 256 << 20, // a conformed label image of 256³ voxels
}

var (
	_ role.ScanReader   = (*Parcellate)(nil)
	_ role.SharedReader = (*Parcellate)(nil)
	_ role.SharedNoter  = (*Parcellate)(nil)
)

// Parcellate lays a label image over a scan.
type Parcellate struct {
	Labels      string  `param:"labels" choices:"auto|id|index" doc:"what the image's labels are: ids of the node list (FreeSurfer's, say), its node numbers 1…N, or whichever of the two fits"`
	Missing     string  `param:"missing" choices:"fail|keep" doc:"what to do when the label image lacks nodes of the list, or the scan more than a tenth of them: refuse it, or keep their rows empty"`
	MinCoverage float64 `param:"min_coverage" doc:"share of a node's label that must be on the scan's grid and inside the connected mask; a node below it is left empty" min:"0" max:"1"`
	Resampling  string  `param:"resampling" choices:"auto|nearest|majority" doc:"resampling if the grids differ: the label nearest to the voxel's center, or the majority of its 27 samples with a label (at least 9); auto uses the majority for voxels of 6 mm and more, where nearest neighbor leaves small regions empty"`
	Sample      int     `param:"sample" doc:"voxels in a carpet plot (figure-qc); 0 for none" min:"0" max:"2000"`
}

func (*Parcellate) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "bold", Type: dag.Format("nifti"), Doc: "the scan, with voxels or grayordinates (CIFTI dtseries); only its header is read"},
			{Name: "labels", Type: dag.Format("nifti"), Doc: "the label image, on any grid in the same space; for grayordinates a CIFTI label file (dlabel)"},
			{Name: "nodes", Type: column.Type[region.Node](), Doc: "the node list"},
			{Name: "transform", Type: dag.Format("itk"), Optional: true, Doc: "if the label image is in another space: the transform that resamples it to the scan's space, such as from-fsnative_to-T1w"},
			{Name: "warp", Type: dag.Format("itk"), Optional: true, Doc: "if the scan is in a template's space and the labels are not: the transform that resamples to the scan's space, such as from-T1w_to-MNI152NLin2009cAsym; affine or nonlinear, as text or HDF5"},
			{Name: "reference", Type: dag.Format("nifti"), Optional: true, Doc: "for a raw scan: the image to which bootstrap realigns its volumes (fMRIPrep's desc-coreg_boldref); the labels are resampled to its grid"},
			{Name: "registration", Type: dag.Format("itk"), Optional: true, Doc: "with reference: the affine transform that resamples it to the T1w image (from-boldref_to-T1w); it is inverted and applied to points first"},
			{Name: "mask", Type: dag.Format("nifti"), Optional: true, Doc: "the brain mask on the scan's grid, to measure how much of the brain is labeled"},
			{Name: "within", Type: dag.Format("nifti"), Optional: true, Doc: "the brain mask on the scan's grid; voxels outside belong to no region: for an atlas, which does not follow the participant's anatomy"},
		},
		Out: []dag.Port{
			{Name: "parcels", Type: dag.Format("nifti"), Doc: "node numbers 1…N on the scan's grid, or for its grayordinates (CIFTI dscalar), 0 for none"},
			{Name: "coverage", Type: column.Type[region.CoverageRow](), Doc: "coverage of each node"},
			{Name: "quality", Type: column.Type[column.ParcelRow](), Doc: "how well the labels fit the scan: one row"},
			{Name: "sample", Type: column.Type[column.SampleRow](), Doc: "the voxels of carpet plots, evenly spaced in each band: cortex, subcortex, cerebellum, white matter, CSF where the labels are FreeSurfer's of the whole brain, or the structures of grayordinates; else hemisphere and structure or network; other for what else the brain mask holds"},
		},
	}
}

// Run lays the labels over the scan.
func (p *Parcellate) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	nodes, err := region.ReadNodes(t.In("nodes"))
	if err != nil {
		return nil, err
	}
	bold, err := region.OpenImage(t.In("bold"))
	if err != nil {
		return nil, err
	}
	defer bold.Close()
	if bold.Header.CIFTI() {
		return p.grayordinates(t, nodes)
	}
	if err := headersFit(bold, t); err != nil {
		return nil, err
	}
	scan, err := gridHeader(bold, t)
	if err != nil {
		return nil, err
	}
	atlas, err := p.atlas(t, nodes)
	if err != nil {
		return nil, err
	}
	in, labels, weights, by := t.In("labels").Name, atlas.labels, atlas.weights, atlas.by
	grid := scan.Grid()
	opposed, err := opposedAffines(t, scan)
	if err != nil {
		return nil, err
	}
	l := &layer{opposed: opposed, own: labels, whole: weights == nil && wholeBrain(nodes, by, atlas.values)}
	defer l.close()
	if err := l.read(p, t, grid); err != nil {
		return nil, err
	}
	onto, seen, err := l.over(grid)
	if err != nil {
		return nil, fmt.Errorf("%s over %s: %w", in, t.In("bold").Name, err)
	}

	if weights == nil && l.chain != nil {
		if err := region.Misplaced(nodes, atlas.frame, by, onto); err != nil {
			return nil, fmt.Errorf("%s over %s, after its transforms: %w", in, t.In("bold").Name, err)
		}
	}
	if err := l.besideBrain(onto); err != nil {
		return nil, fmt.Errorf("%s over %s: %w", in, t.In("bold").Name, err)
	}

	if l.mask != nil {
		if err := l.masked(t.In("mask"), l.mask, onto); err != nil {
			return nil, err
		}
	}

	// Coverage is the share of a label's voxels that the scan has seen, which the
	// grid's coarseness does not touch, as the number of voxels on it would.
	if t.Has("within") {
		mask, err := readMask(t.In("within"), onto.Grid)
		if err != nil {
			return nil, err
		}
		if l.mask == nil || !slices.Equal(l.mask.Voxels, mask.Voxels) {
			if err := l.masked(t.In("within"), mask, onto); err != nil {
				return nil, err
			}
		}
		seen = within(mask, onto, seen)
	}
	all, voxels := labels.Counts(), onto.Counts()
	if weights != nil {
		x, err := weigh(weights, nodes, grid, t)
		if err != nil {
			return nil, fmt.Errorf("%s over %s: %w", in, t.In("bold").Name, err)
		}
		seen = x.count(nodes, all, voxels)
	}
	c, number, reached := p.covered(nodes, by, all, voxels, seen)
	if err := p.refuseLost(c, fmt.Sprintf("the labels are on %v, the scan on %v; either they are in different spaces (T1w, MNI…) or the scan does not cover the brain", l.labels.Grid, grid)); err != nil {
		return nil, fmt.Errorf("%s over %s: %w", in, t.In("bold").Name, err)
	}
	parcels := make([]int16, len(onto.Voxels))
	for i, v := range onto.Voxels {
		if v != 0 {
			parcels[i] = number[v]
		}
	}
	blocks, err := region.BlocksOf(t.In("nodes"))
	if err != nil {
		return nil, err
	}
	image, err := parcelImage(scan, parcels, atlas.descrip)
	if err != nil {
		return nil, err
	}
	about := map[string]string{"resampling": l.how, "transform": l.moved, "label_grid": l.labels.Grid.String(),
		"scan_grid": grid.String()}
	return p.outputs(image, c, about, nodes, by, atlas.values, l.quality(len(nodes)-reached),
		sampleTable(l.sample(p, onto, parcels, blocks), "voxels")), nil
}

// An atlasImage is a label image before it is laid over a scan.
type atlasImage struct {
	labels  *nifti.Labels
	weights *nifti.Weights // of a probabilistic atlas; else nil
	values  []int32        // of the labels, ascending
	by      func(region.Node) int32
	descrip string       // of the parcels
	frame   region.Frame // where the regions lie; of a probabilistic atlas empty
}

// atlas reads a label image of voxels and compares it with the node list.
func (p *Parcellate) atlas(t *dag.Task, nodes []region.Node) (a atlasImage, err error) {
	if a.labels, a.weights, err = readAtlas(t.In("labels"), len(nodes)); err != nil {
		return a, err
	}
	in := t.In("labels").Name
	a.values = a.labels.Values()
	if a.by, a.descrip, err = p.meaning(t, nodes, a.values, a.weights != nil); err != nil {
		return a, fmt.Errorf("%s: %w", in, err)
	}
	if a.weights != nil {
		return a, nil
	}
	if a.frame, err = region.FrameOf(t.In("nodes"), nodes); err != nil {
		return a, err
	}
	own := a.frame
	if moved(t) {
		own.Space = "fsnative"
	}
	if err := region.Misplaced(nodes, own, a.by, a.labels); err != nil {
		return a, fmt.Errorf("%s: %w", in, err)
	}
	return a, nil
}

// RefusesShared reports why every task with this label image and node list, brain mask or transform would fail,
// whatever its scan.
func (p *Parcellate) RefusesShared(port string, files map[string]dag.Input) error {
	t := taskOf(files)
	gray := false // masks and transforms are not read then
	if t.Has("labels") {
		image, err := region.OpenImage(t.In("labels"))
		if err != nil && port == "labels" {
			return err
		} else if err == nil {
			image.Close()
			gray = image.Header.CIFTI()
		}
	}
	var err error
	switch {
	case port == "labels" && t.Has("nodes"):
		nodes, wrong := region.ReadNodes(t.In("nodes"))
		if err = wrong; err == nil && gray {
			_, err = p.grayAtlas(t.In("labels"), nodes)
		} else if err == nil {
			_, err = p.atlas(t, nodes)
		}
	case gray:
	case port == "mask" || port == "within":
		_, err = readLabels(t.In(port))
	case slices.Contains(transforms, port):
		file, wrong := region.Open(t.In(port))
		if wrong != nil {
			return wrong
		}
		defer file.Close()
		if _, err = itk.Read(file, file.Size); err != nil {
			err = fmt.Errorf("%s: %w", t.In(port).Name, err)
		}
	}
	return err
}

// NotesShared notes the labels of an image that belong to no region, as a cohort does of its own.
func (p *Parcellate) NotesShared(port string, files map[string]dag.Input) []column.Note {
	t := taskOf(files)
	if port != "labels" || !t.Has("nodes") {
		return nil
	}
	nodes, err := region.ReadNodes(t.In("nodes"))
	if err != nil {
		return nil
	}
	in := t.In("labels")
	image, err := region.OpenImage(in)
	if err != nil {
		return nil
	}
	image.Close()
	by, values := (func(region.Node) int32)(nil), []int32(nil)
	if image.Header.CIFTI() {
		gray, wrong := p.grayAtlas(in, nodes)
		by, values, err = gray.by, gray.values, wrong
	} else {
		atlas, wrong := p.atlas(t, nodes)
		if by, values, err = atlas.by, atlas.values, wrong; atlas.weights != nil {
			return nil
		}
	}
	if err != nil {
		return nil
	}
	notes, _ := region.Misfits(nodes, by, values, in.Name, false, false)
	return notes
}

// headersFit refuses a scan, its labels and its masks by their headers alone.
func headersFit(bold *nifti.Reader, t *dag.Task) error {
	if err := seriesFits(bold, t.In("bold")); err != nil {
		return err
	}
	scan, err := gridHeader(bold, t)
	if err != nil {
		return err
	}
	grid := scan.Grid()
	if raw := bold.Header.Grid(); t.Has("reference") && !raw.Fills(grid) {
		return fmt.Errorf("%s: its grid (%v) is not that of its reference %s (%v), so that the transforms belong to another participant, run or version of the scan: use the raw scan that fMRIPrep processed",
			t.In("bold").Name, raw, t.In("reference").Name, grid)
	}
	for _, port := range []string{"labels", "mask", "within"} {
		if !t.Has(port) {
			continue
		}
		image, err := region.OpenImage(t.In(port))
		if err != nil {
			return err
		}
		image.Close()
		own := image.Header.Grid()
		switch {
		case image.Header.CIFTI():
		case port != "labels":
			err = maskFits(t.In(port), own, grid)
		case !moved(t):
			if err = own.Over(grid); err != nil {
				err = fmt.Errorf("%s over %s: %w", t.In(port).Name, t.In("bold").Name, err)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// seriesFits refuses a scan that is no series of volumes, or whose file cannot hold the voxels of its header.
func seriesFits(r *nifti.Reader, in dag.Input) error {
	if err := r.CheckSeries(); err != nil {
		return err
	}
	return r.CheckSize(in.Ref.Size)
}

// RefusesHeaders reports why the task of a participant would fail, by the headers of its files alone.
func (p *Parcellate) RefusesHeaders(files map[string]dag.Input) error {
	return scanRefused(files, headersFit)
}

// scanRefused applies a check of a scan with voxels to a task that has these files.
func scanRefused(files map[string]dag.Input, check func(*nifti.Reader, *dag.Task) error) error {
	t := taskOf(files)
	if !t.Has("bold") {
		return nil
	}
	bold, err := region.OpenImage(t.In("bold"))
	if err != nil {
		return err
	}
	defer bold.Close()
	if bold.Header.CIFTI() {
		return nil
	}
	return check(bold, t)
}

// taskOf is a task with one file for each of these inputs.
func taskOf(files map[string]dag.Input) *dag.Task {
	in := map[string][]dag.Input{}
	for port, file := range files {
		in[port] = []dag.Input{file}
	}
	return dag.NewTask(in)
}

// meaning is the label of each node in an image with these values, or in a probabilistic atlas, and the description of
// the parcels.
func (p *Parcellate) meaning(t *dag.Task, nodes []region.Node, values []int32, probabilistic bool) (
	by func(region.Node) int32, descrip string, err error) {
	switch {
	case len(values) == 0:
		return nil, "", errors.New("every voxel is 0, so there are no labels")
	case !probabilistic:
		by = region.Meaning(p.Labels, nodes, values)
		return by, region.NodeNumbers, p.refuseMissing(nodes, by, values)
	case moved(t):
		return nil, "", errors.New("a probabilistic atlas has to be in the space of the scan: transforms are not applied to it")
	}
	return func(n region.Node) int32 { return n.Id }, region.LargestWeights, nil
}

// outputs are those of scans of voxels and of grayordinates. about says how the labels got onto the grid of the scan;
// values are those of the label image.
func (p *Parcellate) outputs(image []byte, c []region.CoverageRow, about map[string]string, nodes []region.Node,
	by func(region.Node) int32, values []int32, quality column.ParcelRow, sample *encoding.Table) dag.Outputs {
	about["labels"], about["other_labels"] = region.MeaningName(p.Labels, nodes, values), otherLabels(nodes, by, values)
	return dag.Outputs{
		"parcels":  artifacts.Bytes{Kind: "nifti", Data: image},
		"coverage": column.WithMeta(column.Table(c), about),
		"quality":  column.Table([]column.ParcelRow{quality}),
		"sample":   sample,
	}
}

// covered tells of each node how much of it the scan has seen. by gives the label of a node; all, voxels and seen
// are by label: voxels of the label image, voxels on the grid of the scan, and the share inside the field of view.
// number are the node numbers of the labels that are kept, reached is how many nodes are.
func (p *Parcellate) covered(nodes []region.Node, by func(region.Node) int32, all, voxels map[int32]int,
	seen func(label int32) float64) (rows []region.CoverageRow, number map[int32]int16, reached int) {
	rows, number = make([]region.CoverageRow, len(nodes)), map[int32]int16{}
	for i, n := range nodes {
		v := by(n)
		share := seen(v)
		kept := voxels[v] > 0 && share >= p.MinCoverage
		if kept {
			number[v] = int16(n.Index)
			reached++
		}
		rows[i] = region.CoverageRow{Node: n, LabelVoxels: int32(all[v]), Voxels: int32(voxels[v]), Coverage: share,
			Kept: kept}
	}
	return rows, number, reached
}

// mostUnseen is the share of the nodes that a scan may lack: the cerebellum, say, below the field of view.
const mostUnseen = 0.1

// refuseLost refuses a scan that lacks too many nodes; why says what may be the cause.
func (p *Parcellate) refuseLost(c []region.CoverageRow, why string) error {
	var names []string
	for _, r := range c {
		if r.LabelVoxels > 0 && !r.Kept {
			names = append(names, r.Name)
		}
	}
	if p.Missing == "keep" || float64(len(names)) <= mostUnseen*float64(len(c)) {
		return nil
	}
	return fmt.Errorf("%d of the %s %s outside the scan, or with less than %g of their label inside (min_coverage): %s: %s (missing: keep continues with their rows empty)",
		len(names), words.Count(len(c), "node"), words.Verb(len(names), "lies", "lie"), p.MinCoverage,
		words.Some(names, 8), why)
}

// parcelImage is a label image of parcels on the grid of a scan.
func parcelImage(of *nifti.Header, parcels []int16, descrip string) ([]byte, error) {
	grid := of.Grid()
	var b bytes.Buffer
	err := nifti.Encode(&b, &nifti.Image{Shape: grid.Shape[:], Affine: grid.Affine,
		Code: int(max(of.SformCode, of.QformCode)), Data: parcels, Descrip: descrip, Intent: 1002})
	return b.Bytes(), err
}

// dkt are the ids of the regions of the Desikan-Killiany atlas that its DKT
// protocol has not: bankssts, frontalpole and temporalpole of both sides.
var dkt = []int32{1001, 1032, 1033, 2001, 2032, 2033}

// refuseMissing names the nodes that the label image lacks.
func (p *Parcellate) refuseMissing(nodes []region.Node, by func(region.Node) int32, values []int32) error {
	missing, _, hint := region.Fit(nodes, by, values)
	switch {
	case len(missing) == len(nodes):
		return fmt.Errorf("none of the %d nodes is in the image: its %d labels run from %d to %d, the node list's from %d; use the labels of this atlas, or the node list of these labels",
			len(nodes), len(values), values[0], values[len(values)-1], by(nodes[0]))
	case len(missing) == 0 || p.Missing == "keep":
		return nil
	}
	ids := lists.Map(missing, func(n region.Node) int32 { return n.Id })
	slices.Sort(ids)
	if slices.Equal(ids, dkt) {
		hint = "; the DKT atlas lacks these: use aparc+aseg, not aparc.DKTatlas+aseg"
	}
	names := lists.Map(missing, func(n region.Node) string { return fmt.Sprintf("%d %s", by(n), n.Name) })
	return fmt.Errorf("%d of the %s %s missing: %s%s (missing: keep continues with their rows empty)", len(names),
		words.Count(len(nodes), "node"), words.Verb(len(names), "is", "are"), strings.Join(names, ", "), hint)
}

// otherLabels lists the labels that belong to no node.
func otherLabels(nodes []region.Node, by func(region.Node) int32, values []int32) string {
	_, other, _ := region.Fit(nodes, by, values)
	if other == nil {
		return "none"
	}
	return strings.Trim(fmt.Sprint(other), "[]")
}
