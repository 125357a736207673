package extract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity/damage"
	"prgnn/dag"
	"prgnn/internal/words"
	"prgnn/nifti"
	"prgnn/nifti/cifti"
	"prgnn/numeric/random"
	"prgnn/stages/bids"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/role"
)

var bootstrapKind = dag.Kind{
	Name: "bootstrap",
	Doc: "mean time series of every node, and of random thirds of its voxels\n" +
		"Reads the scan once. Draw 0 is the mean of all valid voxels; draws 1…R are each the mean of ⌈n/3⌉ of them (at least one), drawn without replacement (the paper, \"Data and Preprocessing\": \"random 1/3 of voxels\"). A node with few voxels has few distinct draws; the voxels table counts them. With weights (a probabilistic atlas), the maps are fitted to each volume by least squares, as in nilearn's NiftiMapsMasker, and a draw fits them to a random third of the voxels of all maps. With realignment, a raw scan is realigned and corrected for distortion while it is read. Each volume is resampled once, by a cubic spline, at the voxels of the parcels (fMRIPrep's resampling without its Jacobian). A voxel that leaves the field of view in any volume is not used.",
	New:    func() dag.Stage { return &Bootstrap{Draws: 10, Fraction: 1.0 / 3, MinValid: 0.5} },
	Memory: 64 << 20,
}

var (
	_ role.Drawer     = (*Bootstrap)(nil)
	_ role.ScanReader = (*Bootstrap)(nil)
	_ role.Timed      = (*Bootstrap)(nil)
	_ role.Measurer   = (*Bootstrap)(nil)
)

// Bootstrap averages the voxels of each node.
type Bootstrap struct {
	Draws       int     `param:"draws" doc:"number of random draws, in addition to draw 0, the mean of all voxels" min:"0" max:"10000"`
	Fraction    float64 `param:"fraction" doc:"share of a node's valid voxels in a draw, rounded up, at least one" min:"0" max:"1"`
	Replacement bool    `param:"replacement" doc:"draw voxels with replacement"`
	MinValid    float64 `param:"min_valid" doc:"share of a node's voxels that must be finite and vary over time; a node below it has no time series" min:"0" max:"1"`
	TR          float64 `param:"tr" doc:"repetition time; one that differs from theirs is refused" zero:"from the sidecar, or else from the scan" min:"0" max:"60" unit:"s"`
	Seed        uint64  `param:"seed" doc:"of the random draws"`
	Subject     string  `param:"subject" doc:"the participant, filled in by each: subject, run or session"`
	ScanRun     string  `param:"run" doc:"the run, filled in by each: run"`
	Session     string  `param:"session" doc:"the session, filled in by each: session"`
}

// DrawsOf is how many draws its series have, draw 0 among them.
func (b *Bootstrap) DrawsOf(int) int { return 1 + b.Draws }

// Measures are series, as they come from the scan.
func (*Bootstrap) Measures(output string, _ func(string) column.Data) column.Data {
	if output != "series" {
		return column.Data{}
	}
	return column.Data{Measure: column.TimeSeries, Series: column.Raw}
}

func (*Bootstrap) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "bold", Type: dag.Format("nifti"), Doc: "the scan"},
			{Name: "parcels", Type: dag.Format("nifti"), Doc: "node numbers on the scan's grid"},
			{Name: "nodes", Type: column.Type[region.Node](), Doc: "the node list"},
			{Name: "sidecar", Type: dag.Format("json"), Optional: true, Doc: "the scan's BIDS sidecar, for its RepetitionTime"},
			{Name: "weights", Type: dag.Format("nifti"), Optional: true, Doc: "a probabilistic atlas in the space of the scan: a volume for each node, in the order of their ids; on another grid it is interpolated trilinearly"},
			{Name: "within", Type: dag.Format("nifti"), Optional: true, Doc: "with weights: the brain mask on the scan's grid; voxels outside are not used; parcels were made with it"},
			{Name: "realignment", Type: dag.Format("itk"), Optional: true, Doc: "for a raw scan: an affine transform for each volume, as text, from the grid of the parcels to the volume (fMRIPrep's from-orig_to-boldref_mode-image_desc-hmc_xfm.txt)"},
			{Name: "reference", Type: dag.Format("nifti"), Optional: true, Doc: "with realignment: the image to which the volumes are realigned (fMRIPrep's desc-coreg_boldref), to compare it with their mean; on the grid of the parcels"},
			{Name: "fieldmap", Type: dag.Format("nifti"), Optional: true, Doc: "with realignment: the field map in Hz, fMRIPrep's desc-preproc_fieldmap; the sidecar must then contain PhaseEncodingDirection and TotalReadoutTime"},
			{Name: "fieldmap_transform", Type: dag.Format("itk"), Optional: true, Doc: "with fieldmap: the affine transform that resamples the grid of the parcels to it, from-boldref_to-FIELDMAP; it is inverted"},
			{Name: "sample", Type: column.Type[column.SampleRow](), Optional: true, Doc: "parcellate's sample: voxels whose own series are kept, for carpet plots"},
		},
		Out: []dag.Port{
			{Name: "series", Type: dag.NPY("<f8", "draw", "time", "roi"), Doc: "mean time series; NaN for a node without one"},
			{Name: "voxels", Type: column.Type[voxelRow](), Doc: "the voxels behind the means"},
			{Name: "scan", Type: column.Type[scanRow](), Doc: "the scan in one row"},
			{Name: "mean", Type: dag.Format("nifti"), Doc: "mean of every fourth volume, for display: 8 bits on its grid, from the 1st to the 99.5th percentile of the voxels; for grayordinates a CIFTI dscalar"},
			{Name: "sampled", Type: dag.NPY("<f4", "time", "voxel"), Doc: "series of the voxels of sample; NaN throughout for a voxel that is not finite in some volume; without voxels when sample is not connected"},
		},
	}
}

func (b *Bootstrap) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	nodes, err := region.ReadNodes(t.In("nodes"))
	if err != nil {
		return nil, err
	}
	parcels, models, about, err := readParcels(t.In("parcels"))
	if err != nil {
		return nil, err
	}
	if about == region.LargestWeights && !t.Has("weights") {
		return nil, fmt.Errorf("%s: the labels belong to a probabilistic atlas, but its weights are missing: connect them (in: { weights: cohort.weights }), or connect a label image to parcellate", t.In("parcels").Name)
	}
	rois := nifti.ROIs{Draws: b.Draws}
	if rois.Voxels, err = voxelsOf(parcels, len(nodes)); err != nil {
		return nil, fmt.Errorf("%s: %w", t.In("parcels").Name, err)
	}
	if rois.Sample, err = sampled(t, len(parcels.Voxels)); err != nil {
		return nil, err
	}
	shown := len(rois.Sample)
	row := parcels.Grid.Shape[0]
	if models != nil {
		row = len(parcels.Voxels)
	}
	pairs := neighbors(parcels.Voxels, row).among(&rois.Sample)
	who := region.StreamOf("bootstrap", b.Subject, b.ScanRun, b.Session)
	distinct, drawn := make([]int32, len(nodes)), make([]int32, len(nodes))
	rois.Choose = func(roi, n int) [][]int32 {
		lists := make([][]int32, b.Draws)
		for d := range lists {
			s := random.New(b.Seed, append(who, nodes[roi].Id, d+1)...)
			lists[d] = b.draw(s, n)
		}
		distinct[roi], drawn[roi] = countDistinct(lists), int32(b.size(n))
		return lists
	}

	tr, _, err := timeOf(t, "bold", b.TR, 0, 0)
	if err != nil {
		return nil, err
	}
	bold := t.In("bold")
	to, err := readRealignment(t, parcels.Grid)
	if err != nil {
		return nil, err
	}
	open := func() (*nifti.Reader, error) { return openSeries(bold, parcels.Grid, tr, to) }
	var m *nifti.Means
	step := 0.0 // the repetition time by the header of a CIFTI file
	if models != nil {
		m, step, err = grayordinateMeans(t, rois, models)
	} else if t.Has("weights") {
		m, rois, drawn, distinct, err = b.weightedMeans(t, nodes, parcels.Grid, open, who, rois.Sample)
	} else {
		m, err = nifti.ROIMeans(open, rois)
	}
	if err != nil {
		return nil, err
	}
	header := step
	if models == nil {
		header = m.Header.TR()
	}
	tr, from, err := timeOf(t, "bold", b.TR, header, m.Volumes)
	if err != nil {
		return nil, err
	}
	if tr == 0 { // of voxels, open has seen to it
		return nil, fmt.Errorf("%s: the CIFTI file gives no repetition time (SeriesStep in s); set the parameter tr, in s", bold.Name)
	}
	meta, err := b.meta(t)
	if err != nil {
		return nil, err
	}
	if m.Wrapped > 0 {
		meta[column.Wrapped] = column.JSON(m.Wrapped)
	}
	if !b.drop(m, rois) {
		return nil, fmt.Errorf("%s: no node has enough voxels that are finite and vary over time: %s", bold.Name, whyNone(open, rois, m))
	}
	facts := scanFacts{damage.NeighborR(m.Sample, len(rois.Sample), pairs), math.NaN(), math.NaN()}
	if t.Has("reference") {
		if facts.ReferenceR, err = referenceR(t.In("reference"), m, rois); err != nil {
			return nil, err
		}
		if !math.IsNaN(facts.ReferenceR) {
			meta[column.ReferenceR] = column.JSON(facts.ReferenceR)
		}
	}
	if models == nil {
		facts.Labeled = labeled(parcels)
	}
	scan := scanTable(nodes, m, rois, tr, from, models != nil, step, facts)
	mean, err := meanImage(m, models)
	if err != nil {
		return nil, err
	}
	return dag.Outputs{
		"series":  encoding.NewArray(m.Series, 1+b.Draws, m.Volumes, len(nodes)),
		"voxels":  voxelTable(nodes, rois, m, drawn, distinct),
		"scan":    column.WithMeta(scan, meta),
		"mean":    mean,
		"sampled": region.Float32(firstOf(m.Sample, shown, len(rois.Sample)), m.Volumes, shown),
	}, nil
}

// RefusesHeaders reports why the task of a participant would fail, by its sidecar, the header of its scan, and its
// transforms of head motion.
func (b *Bootstrap) RefusesHeaders(files map[string]dag.Input) error {
	t := taskOf(files)
	header, volumes := 0.0, 0
	if (b.TR > 0 || t.Has("sidecar")) && t.Has("bold") { // which may contradict them
		header, volumes = headerTime(t.In("bold"))
	}
	if b.TR == 0 {
		header = 0 // whose doubt its task reports
	}
	if _, _, err := timeOf(t, "bold", b.TR, header, volumes); err != nil {
		return err
	}
	if _, err := b.meta(t); err != nil {
		return err
	}
	return motionFits(t)
}

// headerTime is the repetition time in the header of a scan, s, 0 for none, and the number of its volumes; 0 and 0
// where the scan cannot be read, which its task reports.
func headerTime(bold dag.Input) (tr float64, volumes int) {
	r, err := region.OpenImage(bold)
	if err != nil {
		return 0, 0
	}
	defer r.Close()
	if r.Header.CIFTI() {
		return cifti.Step(r), int(r.Header.Dim[5])
	}
	return r.Header.TR(), int(r.Volumes())
}

// meta says how the series were made, and whether the scan was cleaned before.
func (b *Bootstrap) meta(t *dag.Task) (map[string]string, error) {
	meta := b.made()
	if !t.Has("sidecar") {
		return meta, nil
	}
	how, err := denoised(t.In("sidecar"))
	if how != "" {
		meta[column.CleanedBefore] = column.CleanedScan
	}
	return meta, err
}

// voxelsOf lists the voxels of each node of a parcellation: their places, ascending.
func voxelsOf(parcels *nifti.Labels, nodes int) ([][]int32, error) {
	voxels := make([][]int32, nodes)
	for at, v := range parcels.Voxels {
		if v == 0 {
			continue
		}
		if v < 0 || int(v) > nodes {
			return nil, fmt.Errorf("holds node number %d, but the node list has nodes 1 to %d", v, nodes)
		}
		voxels[v-1] = append(voxels[v-1], int32(at))
	}
	return voxels, nil
}

// openSeries opens a scan on the grid of the parcels; one with a realignment is put there. tr is its repetition time in
// s; 0 takes that of the header.
func openSeries(bold dag.Input, grid nifti.Grid, tr float64, to *nifti.Realignment) (*nifti.Reader, error) {
	r, err := region.OpenImage(bold)
	if err != nil {
		return nil, err
	}
	if to != nil {
		scan, err := r, r.CheckSeries()
		if err == nil {
			r, err = scan.Realigned(*to)
		}
		if err != nil {
			scan.Close()
			return nil, err
		}
	}
	switch g := r.Header.Grid(); {
	case !sameGrid(g, grid):
		err = fmt.Errorf("%s: its grid (%v) is not that of the parcels (%v); make the parcels from this scan", bold.Name, g, grid)
	case tr == 0 && r.Header.TR() == 0:
		err = fmt.Errorf("%s: the header gives no repetition time (%s); set the parameter tr, in s", bold.Name,
			r.Header.NoTime())
	case tr == 0:
		_, err = bids.HeaderTime(bold.Name, r.Header.TR())
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// TimeFrom is where it takes the repetition time from, when the ports are connected that has names: parameter,
// sidecar or header. A sidecar that gives none leaves it to the header.
func (b *Bootstrap) TimeFrom(has func(port string) bool) string {
	switch {
	case b.TR > 0:
		return "parameter"
	case has("sidecar"):
		return "sidecar"
	}
	return "header"
}

// GivenTime is the parameter tr, s; 0 for none.
func (b *Bootstrap) GivenTime() float64 { return b.TR }

// Validate refuses a repetition time in another unit.
func (b *Bootstrap) Validate() []error { return bids.CheckTime(b.TR) }

// made is what distinguishes its draws from others: not their number, nor whose they are.
func (b *Bootstrap) made() map[string]string {
	return column.MadeBy("bootstrap", b, "", "draws", "tr", "seed", "subject", "run", "session")
}

// timeOf is the repetition time, s, and its source: the parameter, the sidecar, or else the header, of which own is the
// time, 0 for none. The parameter stands in where sidecar and header give none, or one in milliseconds; where it
// contradicts them, it is refused, and so it is where the sidecar has volumes at unequal intervals. A sidecar goes
// before the header of the file of the port, which has so many volumes, 0 for an unknown number.
func timeOf(t *dag.Task, port string, parameter, own float64, volumes int) (tr float64, from string, err error) {
	var beside float64
	if t.Has("sidecar") {
		beside, err = sidecarTR(t.In("sidecar"), volumes)
	}
	switch {
	case parameter > 0 && err == nil && beside > 0 && bids.TimesDiffer(beside, parameter):
		return 0, "", fmt.Errorf("%s: its repetition time is %g s, but the parameter tr is %g s: remove tr (tr: 0) if the file is right; if tr is, correct RepetitionTime in a copy and connect that (in: { sidecar: { file: FILE.json } })", t.In("sidecar").Name, beside, parameter)
	case parameter > 0 && err == nil && beside == 0 && bids.IsTime(own) && bids.TimesDiffer(own, parameter):
		return 0, "", fmt.Errorf("%s: the repetition time in its header is %g s, but the parameter tr is %g s: remove tr (tr: 0) if the header is right; if tr is, give it as RepetitionTime in a sidecar (in: { sidecar: { file: FILE.json } })", t.In(port).Name, own, parameter)
	case parameter > 0 && !errors.As(err, new(*bids.UnequalError)):
		return parameter, "parameter", nil
	case err != nil || beside > 0:
		return beside, "sidecar", err
	case own == 0: // or the file is not made yet
		return 0, "header", nil
	}
	own, err = bids.HeaderTime(t.In(port).Name, own)
	return own, "header", err
}

// sidecarTR is the repetition time of a BIDS sidecar, s; 0 when it has none.
func sidecarTR(in dag.Input, volumes int) (float64, error) {
	b, err := region.JSON(in)
	if err != nil {
		return 0, err
	}
	tr, err := bids.Time(b, volumes)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", in.Name, err)
	}
	return tr, nil
}

// denoised is how the sidecar of a scan or of series says that confounds were regressed out: XCP-D names its strategy
// there, giga_connectome its regressors; "" where it says nothing.
func denoised(in dag.Input) (string, error) {
	var fields map[string]json.RawMessage
	if err := region.ReadJSON(in, &fields); err != nil {
		return "", err
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value, names := fields[name], []string(nil)
		switch strings.ToLower(strings.ReplaceAll(name, " ", "")) {
		case "nuisanceparameters":
			if !slices.Contains([]string{`null`, `""`, `"none"`}, string(value)) {
				return strings.Trim(string(value), `"`), nil
			}
		case "confoundregressors":
			if json.Unmarshal(value, &names) == nil && len(names) > 0 {
				return words.Count(len(names), "confound regressor"), nil
			}
		}
	}
	return "", nil
}

// sameGrid compares shape and place. Parcels always say where they lie, also those
// of a scan that does not, so that is not asked of the two.
func sameGrid(scan, parcels nifti.Grid) bool {
	scan.Oriented = parcels.Oriented
	return scan.Same(parcels)
}

// size is the number of voxels in a draw from n: ⌈fraction·n⌉, at least 1. The
// small number keeps a product such as 0.1·30 from being rounded up to 4.
func (b *Bootstrap) size(n int) int {
	if n == 0 {
		return 0
	}
	return min(n, max(1, int(math.Ceil(float64(b.Fraction*float64(n))-1e-9))))
}

// draw chooses voxels among n: numbers below n, ascending.
func (b *Bootstrap) draw(s *random.Stream, n int) []int32 {
	k := b.size(n)
	list := make([]int32, k, max(k, 1))
	if b.Replacement {
		for i := range list {
			list[i] = int32(s.IntN(n))
		}
		slices.Sort(list)
		return list
	}
	// The first k steps of a shuffle choose; marks put the choice in order.
	place := make([]int32, n)
	for i := range place {
		place[i] = int32(i)
	}
	mark := make([]bool, n)
	for i := range k {
		j := i + s.IntN(n-i)
		place[i], place[j] = place[j], place[i]
		mark[place[i]] = true
	}
	list = list[:0]
	for i, m := range mark {
		if m {
			list = append(list, int32(i))
		}
	}
	return list
}

// countDistinct counts the different draws of a node.
func countDistinct(lists [][]int32) int32 {
	sorted := slices.Clone(lists)
	slices.SortFunc(sorted, func(a, b []int32) int { return slices.Compare(a, b) })
	return int32(len(slices.CompactFunc(sorted, func(a, b []int32) bool { return slices.Equal(a, b) })))
}

// drop takes the series from the nodes with too few valid voxels, and tells whether
// any is left.
func (b *Bootstrap) drop(m *nifti.Means, rois nifti.ROIs) (left bool) {
	for i, c := range m.Counts {
		if c.Used > 0 && float64(c.Used) >= b.MinValid*float64(len(rois.Voxels[i])) {
			left = true
			continue
		}
		for at := i; at < len(m.Series); at += len(m.Counts) {
			m.Series[at] = math.NaN()
		}
	}
	return left
}

// whyNone says what is wrong with a scan of which nothing can be used. It is read once
// more where volumes that are not finite are the reason, to name them.
func whyNone(open func() (*nifti.Reader, error), rois nifti.ROIs, m *nifti.Means) string {
	var all, nonFinite, constant int
	for i, c := range m.Counts {
		all, nonFinite, constant = all+len(rois.Voxels[i]), nonFinite+c.NonFinite, constant+c.Constant
	}
	said := fmt.Sprintf("of the nodes' %d voxels, %d hold NaN or infinity and %d are constant", all, nonFinite, constant)
	if nonFinite > all/2 {
		if bad := badVolumes(open, rois); len(bad) > 0 && len(bad) < m.Volumes {
			return fmt.Sprintf("%s; volume %s of %d (counted from 1) holds them: correct or cut the scan", said, words.Some(bad, 6), m.Volumes)
		}
	}
	return said + "; is the scan masked or empty, or do the labels not overlap it?"
}

// badVolumes names the volumes, from 1, in which most of the nodes' voxels are not finite.
func badVolumes(open func() (*nifti.Reader, error), rois nifti.ROIs) (bad []string) {
	r, err := open()
	if err != nil {
		return nil
	}
	defer r.Close()
	values := make([]float64, r.Header.Grid().Voxels())
	for v := 1; r.Next(values) == nil; v++ {
		all, off := 0, 0
		for _, roi := range rois.Voxels {
			for _, at := range roi {
				all++
				if math.IsNaN(values[at]) || math.IsInf(values[at], 0) {
					off++
				}
			}
		}
		if off > all/2 {
			bad = append(bad, fmt.Sprint(v))
		}
	}
	return bad
}

// A voxelRow is one node of bootstrap's table.
type voxelRow struct {
	region.Node
	Voxels    int32 `column:"voxels" doc:"voxels of the node"`
	Used      int32 `column:"used" doc:"valid voxels, averaged and drawn from: finite, and varying over time"`
	NonFinite int32 `column:"nonfinite" doc:"voxels excluded because a volume holds NaN or infinity"`
	Constant  int32 `column:"constant" doc:"voxels excluded because they are constant"`
	Drawn     int32 `column:"drawn" doc:"voxels in a draw"`
	Distinct  int32 `column:"distinct" doc:"distinct draws"`
}

func voxelTable(nodes []region.Node, rois nifti.ROIs, m *nifti.Means, drawn, distinct []int32) *encoding.Table {
	rows := make([]voxelRow, len(nodes))
	for i, node := range nodes {
		c := m.Counts[i]
		rows[i] = voxelRow{Node: node, Voxels: int32(len(rois.Voxels[i])), Used: int32(c.Used),
			NonFinite: int32(c.NonFinite), Constant: int32(c.Constant)}
		if c.Used > 0 {
			rows[i].Drawn, rows[i].Distinct = drawn[i], distinct[i]
		}
	}
	return column.Table(rows)
}

// mostLost is the share of its voxels that a region may lose before its participant is named.
const mostLost = 0.1

// scanTable describes the scan in one row. step is the repetition time in the header of grayordinates, s.
func scanTable(nodes []region.Node, m *nifti.Means, rois nifti.ROIs, tr float64, from string, grayordinates bool,
	step float64, facts scanFacts) *encoding.Table {
	nonFinite := 0
	var reduced []string
	var shares []float64
	for i, c := range m.Counts {
		nonFinite += c.NonFinite
		all := float64(len(rois.Voxels[i]))
		if float64(c.Used) < (1-mostLost)*all {
			reduced = append(reduced, nodes[i].Name)
			shares = append(shares, (all-float64(c.Used))/all)
		}
	}
	h := m.Header
	row := scanRow{
		TR: tr, Volumes: int32(m.Volumes), From: from, HeaderTR: h.TR(), Affine: h.AffineSource(),
		DataType:  nifti.DataType(h.Datatype).String(),
		NonFinite: int32(nonFinite), Reduced: int32(len(reduced)), ReducedNodes: reduced,
		ReducedShares: shares, scanFacts: facts,
	}
	row.Slope, row.Intercept, _ = h.Scaling() // checked when the header was read
	if grayordinates {
		row.DX, row.DY, row.DZ, row.HeaderTR, row.Affine = math.NaN(), math.NaN(), math.NaN(), step, "none"
		return column.Table([]scanRow{row})
	}
	g := h.Grid()
	size, shape := g.Affine.VoxelSize(), [3]int32{int32(g.Shape[0]), int32(g.Shape[1]), int32(g.Shape[2])}
	row.DX, row.DY, row.DZ, row.Axes = size[0], size[1], size[2], g.Affine.Axes()
	row.NX, row.NY, row.NZ = &shape[0], &shape[1], &shape[2]
	return column.Table([]scanRow{row})
}

// A scanRow describes a scan. Grayordinates have no grid, so that the columns about it are missing.
type scanRow struct {
	TR        float64 `column:"tr" unit:"s" doc:"repetition time used"`
	Volumes   int32   `column:"volumes" doc:"number of volumes"`
	DX        float64 `column:"dx,missing" unit:"mm" doc:"voxel size along the first axis"`
	DY        float64 `column:"dy,missing" unit:"mm" doc:"voxel size along the second axis"`
	DZ        float64 `column:"dz,missing" unit:"mm" doc:"voxel size along the third axis"`
	NX        *int32  `column:"nx" doc:"voxels along the first axis"`
	NY        *int32  `column:"ny" doc:"voxels along the second axis"`
	NZ        *int32  `column:"nz" doc:"voxels along the third axis"`
	From      string  `column:"tr_from" doc:"source of the repetition time: parameter, sidecar or header"`
	HeaderTR  float64 `column:"header_tr" unit:"s" doc:"repetition time in the header, 0 for none"`
	DataType  string  `column:"datatype" doc:"as stored"`
	Slope     float64 `column:"slope" doc:"from stored to scaled values"`
	Intercept float64 `column:"intercept" doc:"from stored to scaled values"`
	Affine    string  `column:"affine" doc:"source of the affine: sform, qform, mgh or none"`
	Axes      string  `column:"axes,missing" doc:"orientation of the three axes"`
	NonFinite int32   `column:"nonfinite" doc:"voxels of nodes excluded because a volume holds NaN or infinity"`
	Reduced   int32   `column:"reduced" doc:"nodes that lost more than a tenth of their voxels, as not finite or constant"`

	ReducedNodes  []string  `column:"reduced_nodes" doc:"names of those nodes"`
	ReducedShares []float64 `column:"reduced_shares" doc:"share of its voxels that each of those nodes lost"`

	scanFacts
}

// scanFacts are what the processing of a scan and of its labels leaves in them, whatever the brain did
// (column.SeriesFacts).
type scanFacts struct {
	NeighborR  float64 `column:"neighbor_r,missing" doc:"correlation of the changes from volume to volume of two neighbors of a region, along the first axis or in the list of grayordinates, as the median over at most 500 pairs"`
	Labeled    float64 `column:"labeled_share,missing" doc:"voxels of nodes as a share of the ellipsoid with their spread along each axis"`
	ReferenceR float64 `column:"reference_r,missing" doc:"of a raw scan: correlation of the logarithms of its mean and of the reference over the voxels of nodes, both without a quadratic function of the place"`
}
