package stages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/nifti"
)

func init() {
	Register(dag.Kind{
		Name: "parcellate",
		Doc: "which voxel of a scan belongs to which node\n" +
			"Lays the label image over the scan's grid, by nearest neighbour where the grids differ, and numbers its regions as the node list does. Every node keeps its row in the coverage table, also one without a voxel.",
		New:    func() dag.Stage { return &Parcellate{Labels: "auto", Missing: "fail", MinCoverage: 0.5} },
		Memory: 256 << 20, // a conformed label image of 256³ voxels
	})
}

// Parcellate lays a label image over a scan.
type Parcellate struct {
	Labels      string  `param:"labels" choices:"auto|id|index" doc:"what the image's labels are: ids of the node list (FreeSurfer's, say), its node numbers 1…N, or whichever of the two fits"`
	Missing     string  `param:"missing" choices:"fail|keep" doc:"what to do when the label image lacks nodes of the list: refuse it, or keep their rows empty"`
	MinCoverage float64 `param:"min_coverage" doc:"share of a node's label that must lie in the scan's field of view; a node with less is left empty" min:"0" max:"1"`
}

// Ports are the stage's inputs and outputs.
func (*Parcellate) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "bold", Type: dag.Format("nifti"), Doc: "the scan; only its header is read"},
			{Name: "labels", Type: dag.Format("nifti"), Doc: "the label image, on any grid in the same space"},
			{Name: "nodes", Type: dag.Arrow("index", "id", "name"), Doc: "the node list"},
			{Name: "transform", Type: dag.Format("itk"), Optional: true, Doc: "where the label image is in a space of its own: the transform that resamples it to the scan's, such as from-fsnative_to-T1w"},
		},
		Out: []dag.Port{
			{Name: "parcels", Type: dag.Format("nifti"), Doc: "node numbers 1…N on the scan's grid, 0 for none"},
			{Name: "coverage", Type: dag.Arrow("index", "id", "name", "label_voxels", "voxels", "coverage", "kept"), Doc: "what the scan sees of each node"},
		},
	}
}

// A parcelNode is one row of the node list.
type parcelNode struct {
	index, id int32
	name      string
}

// parcelNodes reads the node list: indices must be 1…N.
func parcelNodes(in dag.Input) ([]parcelNode, error) {
	t, err := in.Table()
	if err != nil {
		return nil, err
	}
	index, err1 := t.Ints("index")
	id, err2 := t.Ints("id")
	name, err3 := t.Strings("name")
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	nodes := make([]parcelNode, len(index))
	seen := map[int64]int64{}
	for i := range nodes {
		switch other, twice := seen[id[i]]; {
		case index[i] != int64(i+1):
			return nil, fmt.Errorf("%s: row %d has the index %d, and a node list counts 1, 2, 3 …", in.Name, i+1, index[i])
		case id[i] < 1 || id[i] > math.MaxInt32:
			return nil, fmt.Errorf("%s: node %d has the id %d, want 1 to %d", in.Name, i+1, id[i], math.MaxInt32)
		case twice:
			return nil, fmt.Errorf("%s: nodes %d and %d share the id %d", in.Name, other, i+1, id[i])
		}
		seen[id[i]] = index[i]
		nodes[i] = parcelNode{int32(index[i]), int32(id[i]), name[i]}
	}
	if len(nodes) == 0 || len(nodes) > math.MaxInt16 {
		return nil, fmt.Errorf("%s: %d nodes, want 1 to %d", in.Name, len(nodes), math.MaxInt16)
	}
	return nodes, nil
}

// openImage opens an image that is an input.
func openImage(in dag.Input) (*nifti.Reader, error) {
	rc, err := in.Reader()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	return nifti.NewReader(rc, in.Name)
}

// Run lays the labels over the scan.
func (p *Parcellate) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	nodes, err := parcelNodes(t.In("nodes"))
	if err != nil {
		return nil, err
	}
	bold, err := openImage(t.In("bold"))
	if err != nil {
		return nil, err
	}
	defer bold.Close()
	if err := bold.CheckSeries(); err != nil {
		return nil, err
	}
	if err := bold.CheckSize(t.In("bold").Ref.Size); err != nil {
		return nil, err
	}
	r, err := openImage(t.In("labels"))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	labels, err := nifti.ReadLabels(r)
	if err != nil {
		return nil, err
	}

	in := t.In("labels").Name
	values := labels.Values()
	if len(values) == 0 {
		return nil, fmt.Errorf("%s: every voxel is 0, so there are no labels", in)
	}
	by := p.meaning(nodes, values)
	if err := p.refuseMissing(nodes, by, values); err != nil {
		return nil, fmt.Errorf("%s: %w", in, err)
	}
	moved := "none"
	if t.Has("transform") {
		if labels, err = move(labels, t.In("transform")); err != nil {
			return nil, err
		}
		moved = "applied"
	}
	grid := bold.Header.Grid()
	onto, err := labels.Onto(grid)
	if err != nil {
		return nil, fmt.Errorf("%s over %s: %w", in, t.In("bold").Name, err)
	}

	// Coverage is the share of a label's voxels that the scan has seen, which the
	// grid's coarseness does not touch, as the number of voxels on it would.
	all, seen, voxels := labels.Counts(), labels.Within(grid), onto.Counts()
	c := newCoverage(len(nodes))
	number := map[int32]int16{}
	reached := 0
	for i, n := range nodes {
		v := by(n)
		share := 0.0
		if all[v] > 0 {
			share = float64(seen[v]) / float64(all[v])
		}
		kept := voxels[v] > 0 && share >= p.MinCoverage
		if kept {
			number[v] = int16(n.index)
			reached++
		}
		c.set(i, n, all[v], voxels[v], share, kept)
	}
	if p.Missing != "keep" && reached < min(2, len(nodes)) {
		return nil, fmt.Errorf("%s over %s: %d of the %d nodes lie in the scan, which is no graph: the labels are on %v, the scan on %v; are both in the same space (T1w, MNI…)?",
			in, t.In("bold").Name, reached, len(nodes), labels.Grid, grid)
	}
	parcels := make([]int16, len(onto.Voxels))
	for i, v := range onto.Voxels {
		if v != 0 {
			parcels[i] = number[v]
		}
	}
	code := int(max(bold.Header.SformCode, bold.Header.QformCode))
	var b bytes.Buffer
	if err := nifti.Encode(&b, &nifti.Image{
		Shape: grid.Shape[:], Affine: grid.Affine, Code: code, Data: parcels,
		Descrip: "node numbers", Intent: 1002,
	}); err != nil {
		return nil, err
	}
	how := "nearest neighbour"
	if labels.Grid.Same(grid) {
		how = "none: the label image is on the scan's grid"
	}
	return dag.Outputs{
		"parcels": artifacts.Bytes{Kind: "nifti", Data: b.Bytes()},
		"coverage": c.table(map[string]string{
			"labels":       p.meaningName(nodes, values),
			"other_labels": otherLabels(nodes, by, values),
			"resampling":   how,
			"transform":    moved,
			"label_grid":   labels.Grid.String(),
			"scan_grid":    grid.String(),
		}),
	}, nil
}

// move takes labels to the scan's space.
func move(labels *nifti.Labels, in dag.Input) (*nifti.Labels, error) {
	b, err := in.Bytes()
	if err != nil {
		return nil, err
	}
	a, err := nifti.ReadITK(bytes.NewReader(b), in.Name)
	if err != nil {
		return nil, err
	}
	return labels.Moved(a)
}

// meaningName decides whether the labels are ids or node numbers. Ids win unless
// all labels are node numbers, and more nodes are found so: FreeSurfer's ids of
// subcortical regions are small numbers too.
func (p *Parcellate) meaningName(nodes []parcelNode, values []int32) string {
	if p.Labels != "auto" {
		return p.Labels
	}
	ids := 0
	for _, n := range nodes {
		if slices.Contains(values, n.id) {
			ids++
		}
	}
	if values[0] >= 1 && int(values[len(values)-1]) <= len(nodes) && len(values) > ids {
		return "index"
	}
	return "id"
}

// meaning gives the label of a node.
func (p *Parcellate) meaning(nodes []parcelNode, values []int32) func(parcelNode) int32 {
	if p.meaningName(nodes, values) == "index" {
		return func(n parcelNode) int32 { return n.index }
	}
	return func(n parcelNode) int32 { return n.id }
}

// dkt are the ids of the regions of the Desikan-Killiany atlas that its DKT
// protocol has not: bankssts, frontalpole and temporalpole of both sides.
var dkt = []int32{1001, 1032, 1033, 2001, 2032, 2033}

// refuseMissing names the nodes that the label image lacks.
func (p *Parcellate) refuseMissing(nodes []parcelNode, by func(parcelNode) int32, values []int32) error {
	var ids []int32
	var names []string
	for _, n := range nodes {
		if !slices.Contains(values, by(n)) {
			ids = append(ids, n.id)
			names = append(names, fmt.Sprintf("%d %s", by(n), n.name))
		}
	}
	switch {
	case len(names) == len(nodes):
		return fmt.Errorf("none of the %d nodes is there: its %d labels run from %d to %d, the node list's from %d; give the labels of this atlas, or the node list of these labels",
			len(nodes), len(values), values[0], values[len(values)-1], by(nodes[0]))
	case len(names) == 0 || p.Missing == "keep":
		return nil
	}
	hint := ""
	slices.Sort(ids)
	if slices.Equal(ids, dkt) {
		hint = "; these are the ones that the DKT atlas leaves out: give aparc+aseg, not aparc.DKTatlas+aseg"
	}
	return fmt.Errorf("%d of the %d nodes are missing: %s%s (missing: keep would go on with their rows empty)", len(names), len(nodes), strings.Join(names, ", "), hint)
}

// otherLabels lists the labels that belong to no node.
func otherLabels(nodes []parcelNode, by func(parcelNode) int32, values []int32) string {
	known := map[int32]bool{}
	for _, n := range nodes {
		known[by(n)] = true
	}
	var other []string
	for _, v := range values {
		if !known[v] {
			other = append(other, fmt.Sprint(v))
		}
	}
	if len(other) == 0 {
		return "none"
	}
	return strings.Join(other, " ")
}

// coverage is the coverage table while it is filled.
type coverage struct {
	index, id, labelVoxels, voxels []int32
	name                           []string
	share                          []float64
	kept                           []bool
}

func newCoverage(n int) *coverage {
	return &coverage{make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n), make([]string, n), make([]float64, n), make([]bool, n)}
}

func (c *coverage) set(i int, n parcelNode, labelVoxels, voxels int, share float64, kept bool) {
	c.index[i], c.id[i], c.name[i] = n.index, n.id, n.name
	c.labelVoxels[i], c.voxels[i] = int32(labelVoxels), int32(voxels)
	c.share[i], c.kept[i] = share, kept
}

func (c *coverage) table(meta map[string]string) *artifacts.Table {
	t := artifacts.NewTable(
		artifacts.Column{Name: "index", Values: c.index, Doc: "node number"},
		artifacts.Column{Name: "id", Values: c.id, Doc: "the node's id in the node list"},
		artifacts.Column{Name: "name", Values: c.name, Doc: "the node's name"},
		artifacts.Column{Name: "label_voxels", Values: c.labelVoxels, Doc: "voxels of its label in the label image"},
		artifacts.Column{Name: "voxels", Values: c.voxels, Doc: "voxels of the scan's grid that lie in it"},
		artifacts.Column{Name: "coverage", Values: c.share, Doc: "share of the label's voxels inside the scan's field of view"},
		artifacts.Column{Name: "kept", Values: c.kept, Doc: "whether the node has voxels and enough coverage"},
	)
	t.Meta = meta
	return t
}
