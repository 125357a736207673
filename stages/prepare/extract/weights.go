package extract

import (
	"errors"
	"fmt"
	"slices"

	"prgnn/dag"
	"prgnn/nifti"
	"prgnn/numeric/random"
	"prgnn/stages/region"
)

// readAtlas reads a label image, or the maps of a probabilistic atlas: a volume for each region.
// The labels of maps are the numbers of the largest weights.
func readAtlas(in dag.Input, regions int) (*nifti.Labels, *nifti.Weights, error) {
	r, err := region.OpenImage(in)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	if r.Volumes() == 1 || r.CheckSeries() != nil { // ReadLabels says what else it is
		labels, err := nifti.ReadLabels(r)
		return labels, nil, err
	}
	weights, err := readWeights(r, in, regions)
	if err != nil {
		return nil, nil, err
	}
	return weights.Largest(), weights, nil
}

func readWeights(r *nifti.Reader, in dag.Input, regions int) (*nifti.Weights, error) {
	if err := r.CheckSize(in.Ref.Size); err != nil {
		return nil, err
	}
	if n := r.Volumes(); n != int64(regions) {
		return nil, fmt.Errorf("%s: a probabilistic atlas of %d volumes, but the node list has %d regions: one volume is one region, in the order of the ids 1, 2, 3 …", in.Name, n, regions)
	}
	return nifti.ReadWeights(r)
}

// mapsOf are the weights in the order of the nodes, whose ids number the volumes.
func mapsOf(w *nifti.Weights, nodes []region.Node) (*nifti.Weights, error) {
	ordered := &nifti.Weights{Grid: w.Grid, Maps: make([]nifti.WeightMap, len(nodes))}
	for i, n := range nodes {
		if int(n.Id) > len(w.Maps) {
			return nil, fmt.Errorf("the id of %s is %d, but the probabilistic atlas has %d volumes: ids number them from 1", n.Name, n.Id, len(w.Maps))
		}
		ordered.Maps[i] = w.Maps[n.Id-1]
	}
	return ordered, nil
}

// masked are the weights inside of a brain mask on the same grid.
func masked(w *nifti.Weights, mask *nifti.Labels) *nifti.Weights {
	out := &nifti.Weights{Grid: w.Grid, Maps: make([]nifti.WeightMap, len(w.Maps))}
	for i, m := range w.Maps {
		for k, at := range m.Voxels {
			if mask.Voxels[at] != 0 {
				out.Maps[i].Voxels = append(out.Maps[i].Voxels, at)
				out.Maps[i].Values = append(out.Maps[i].Values, m.Values[k])
			}
		}
	}
	return out
}

// A weighted scan has the maps of a probabilistic atlas on its grid, in the order of the nodes.
type weighted struct {
	atlas, onto *nifti.Weights
	share       []float64 // of each map's weight that the scan sees
}

// weigh lays maps over a scan. The brain mask is within, where that is connected.
func weigh(w *nifti.Weights, nodes []region.Node, grid nifti.Grid, t *dag.Task) (*weighted, error) {
	ordered, err := mapsOf(w, nodes)
	if err != nil {
		return nil, err
	}
	onto, err := ordered.Onto(grid)
	if err != nil {
		return nil, err
	}
	x := &weighted{ordered, onto, ordered.Within(grid)}
	if !t.Has("within") {
		return x, nil
	}
	mask, err := readMask(t.In("within"), grid)
	if err != nil {
		return nil, err
	}
	x.onto = masked(onto, mask)
	for i := range x.share {
		x.share[i] *= share(len(x.onto.Maps[i].Voxels), len(onto.Maps[i].Voxels))
	}
	return x, nil
}

// count sets the voxels of each node's map, in the atlas and on the grid of the scan, and returns the share of a node's
// weight that the scan covers.
func (x *weighted) count(nodes []region.Node, atlas, onto map[int32]int) func(id int32) float64 {
	for i, n := range nodes {
		atlas[n.Id], onto[n.Id] = len(x.atlas.Maps[i].Voxels), len(x.onto.Maps[i].Voxels)
	}
	return func(id int32) float64 {
		return x.share[slices.IndexFunc(nodes, func(n region.Node) bool { return n.Id == id })]
	}
}

// within takes the labels beyond the brain mask off the grid. The share of a label that the scan
// holds is that inside of the mask.
func within(mask, onto *nifti.Labels, seen func(int32) float64) func(int32) float64 {
	all := onto.Counts()
	for at, v := range mask.Voxels {
		if v == 0 {
			onto.Voxels[at] = 0
		}
	}
	kept := onto.Counts()
	return func(label int32) float64 { return seen(label) * share(kept[label], all[label]) }
}

// weightedMeans fits the maps of the port weights to the scan, and the same of random voxels.
func (b *Bootstrap) weightedMeans(t *dag.Task, nodes []region.Node, grid nifti.Grid, open func() (*nifti.Reader, error),
	who []any, sample []int32) (m *nifti.Means, rois nifti.ROIs, drawn, distinct []int32, err error) {
	fail := func(err error) (*nifti.Means, nifti.ROIs, []int32, []int32, error) {
		return nil, nifti.ROIs{}, nil, nil, err
	}
	in := t.In("weights")
	r, err := region.OpenImage(in)
	if err != nil {
		return fail(err)
	}
	defer r.Close()
	w, err := readWeights(r, in, len(nodes))
	if err != nil {
		return fail(err)
	}
	x, err := weigh(w, nodes, grid, t)
	if err != nil {
		return fail(fmt.Errorf("%s: %w", in.Name, err))
	}
	size, other := 0, int32(0)
	m, err = nifti.WeightedMeans(open, x.onto, b.Draws, func(n int) [][]int32 {
		size = b.size(n)
		lists := make([][]int32, b.Draws)
		for d := range lists {
			lists[d] = b.draw(random.New(b.Seed, append(who, "weights", d+1)...), n)
		}
		other = countDistinct(lists)
		return lists
	}, sample)
	if err != nil {
		hint := ""
		if b.Draws > 0 && errors.Is(err, nifti.ErrDependent) {
			hint = "; use a larger fraction, or draws: 0"
		}
		return fail(fmt.Errorf("%s over %s: %w%s", in.Name, t.In("bold").Name, err, hint))
	}
	rois = nifti.ROIs{Voxels: make([][]int32, len(nodes)), Sample: sample}
	drawn, distinct = make([]int32, len(nodes)), make([]int32, len(nodes))
	for i := range nodes {
		rois.Voxels[i] = x.onto.Maps[i].Voxels
		drawn[i], distinct[i] = int32(size), other
		if x.share[i] < b.MinValid { // too little of it lies in the scan
			m.Counts[i].Used = 0
		}
	}
	return m, rois, drawn, distinct, nil
}
