package extract

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/nifti"
	"prgnn/nifti/cifti"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

// tissues are the bands of a carpet plot where labels tell them, in the order of the plot. other is what has no such
// label.
var tissues = []string{"cortex", "subcortex", "cerebellum", "white matter", "CSF"}

const other = "other"

// tissue is the band of a label of FreeSurfer, by its FreeSurferColorLUT.txt: a place in tissues, or −1.
func tissue(id int32) int {
	switch {
	case id == 3, id == 42, 1001 <= id && id <= 1035, 2001 <= id && id <= 2035,
		11101 <= id && id <= 11175, 12101 <= id && id <= 12175:
		return 0
	case 9 <= id && id <= 13, 16 <= id && id <= 20, 26 <= id && id <= 28, 48 <= id && id <= 56, 58 <= id && id <= 60:
		return 1
	case id == 7, id == 8, id == 46, id == 47:
		return 2
	case id == 2, id == 41, 77 <= id && id <= 79, id == 85, 251 <= id && id <= 255, 3001 <= id && id <= 3035,
		4001 <= id && id <= 4035, id == 5001, id == 5002:
		return 3
	case id == 4, id == 5, id == 14, id == 15, id == 24, id == 31, id == 43, id == 44, id == 63, id == 72:
		return 4
	}
	return -1
}

// wholeBrain reports whether labels are FreeSurfer's, of the whole brain: they have the white matter of both
// hemispheres (2 and 41), and these are no regions of the list.
func wholeBrain(nodes []region.Node, by func(region.Node) int32, values []int32) bool {
	return slices.Contains(values, 2) && slices.Contains(values, 41) &&
		!slices.ContainsFunc(nodes, func(n region.Node) bool { return by(n) == 2 || by(n) == 41 })
}

// sampleVoxels chooses the voxels of carpet plots, in bands: the tissues of FreeSurfer's labels, or where labels is nil
// the nodes' blocks. Voxels of the mask (nil for none) without a band are other.
func (p *Parcellate) sampleVoxels(labels []int32, parcels []int16, blocks []string, mask []int32) []column.SampleRow {
	names, of := tissues, tissue
	if labels == nil {
		names = nil
		for _, b := range blocks {
			names = lists.Add(names, b)
		}
		of = func(node int32) int { return slices.Index(names, blocks[node-1]) }
	}
	band := make([]int16, len(parcels)) // from 1; 0 for none
	known := map[int32]int16{}
	for at, node := range parcels {
		label := int32(node)
		if labels != nil {
			label = labels[at]
		}
		if label > 0 {
			b, ok := known[label]
			if !ok {
				b = int16(of(label) + 1)
				known[label] = b
			}
			band[at] = b
		}
		if band[at] == 0 && mask != nil && mask[at] != 0 {
			band[at] = int16(len(names) + 1)
		}
	}
	return p.choose(band, append(slices.Clone(names), other))
}

// sampleGray chooses the grayordinates of carpet plots, by their structures.
func (p *Parcellate) sampleGray(m *cifti.Models) []column.SampleRow {
	band := make([]int16, m.N)
	for _, model := range m.List {
		n := int16(2)
		switch {
		case strings.Contains(model.Structure, "CEREBELLUM"):
			n = 3
		case strings.Contains(model.Structure, "CORTEX"):
			n = 1
		}
		for at := range model.Len() {
			band[model.From+at] = n
		}
	}
	return p.choose(band, tissues)
}

// choose takes p.Sample voxels, evenly spaced in the order of memory within each band. band counts from 1, 0 is none.
func (p *Parcellate) choose(band []int16, names []string) []column.SampleRow {
	voxels := make([][]int32, len(names))
	for at, b := range band {
		if b > 0 {
			voxels[b-1] = append(voxels[b-1], int32(at))
		}
	}
	sizes := make([]int, len(names))
	for b, list := range voxels {
		sizes[b] = len(list)
	}
	var rows []column.SampleRow
	for b, count := range shares(sizes, p.Sample) {
		for k := range count {
			rows = append(rows, column.SampleRow{Voxel: voxels[b][(2*k+1)*sizes[b]/(2*count)], Band: names[b]})
		}
	}
	return rows
}

// sampleTable tells what its rows are: voxels or grayordinates.
func sampleTable(rows []column.SampleRow, are string) *encoding.Table {
	return column.WithMeta(column.Table(rows), map[string]string{"rows": are})
}

// shares divides most rows among bands: one half equally, so that a thin band is seen, the other half by what is left
// of their sizes.
func shares(sizes []int, most int) []int {
	total, bands := 0, 0
	for _, n := range sizes {
		total += n
		if n > 0 {
			bands++
		}
	}
	if total <= most {
		return sizes
	}
	share, taken := make([]int, len(sizes)), 0
	for i, n := range sizes {
		share[i] = min(n, most/2/bands)
		taken += share[i]
	}
	for i, n := range sizes {
		share[i] += (most - taken) * (n - share[i]) / (total - taken)
	}
	return share
}

// sampled are the voxels of bootstrap's port sample; nil where it is not connected.
func sampled(t *dag.Task, voxels int) ([]int32, error) {
	if !t.Has("sample") {
		return nil, nil
	}
	rows, err := column.Read[column.SampleRow](t.In("sample"))
	if err != nil {
		return nil, err
	}
	list := make([]int32, len(rows))
	for i, r := range rows {
		if list[i] = r.Voxel; r.Voxel < 0 || int(r.Voxel) >= voxels {
			return nil, fmt.Errorf("%s: voxel %d, and the scan has %d: connect the sample of this scan", t.In("sample").Name, r.Voxel, voxels)
		}
	}
	return list, nil
}

// mostNeighbors is how many pairs of neighbors are compared.
const mostNeighbors = 500

// firstNeighbors are places of voxels whose neighbor is the next one.
type firstNeighbors []int32

// neighbors are pairs of voxels of one region that lie side by side in a row of so many voxels, evenly spaced among all
// such pairs.
func neighbors(parcels []int32, row int) firstNeighbors {
	var all firstNeighbors
	for at := 1; at < len(parcels); at++ {
		if parcels[at] != 0 && parcels[at] == parcels[at-1] && at%row != 0 {
			all = append(all, int32(at-1))
		}
	}
	if len(all) <= mostNeighbors {
		return all
	}
	few := make(firstNeighbors, mostNeighbors)
	for i := range few {
		few[i] = all[i*len(all)/mostNeighbors]
	}
	return few
}

// among adds to a sample the voxels of the pairs that it lacks. It returns the places of the pairs in it.
func (n firstNeighbors) among(sample *[]int32) (pairs [][2]int) {
	place := lists.Places(*sample)
	for _, at := range n {
		var pair [2]int
		for k := range pair {
			there := false
			if pair[k], there = place[at+int32(k)]; !there {
				pair[k] = len(*sample)
				place[at+int32(k)] = pair[k]
				*sample = append(*sample, at+int32(k))
			}
		}
		pairs = append(pairs, pair)
	}
	return pairs
}

// firstOf are the first n of all series, side by side.
func firstOf(series []float64, n, all int) []float64 {
	var first []float64
	for t := 0; t < len(series); t += all {
		first = append(first, series[t:][:n]...)
	}
	return first
}

// labeled is the number of labeled voxels as a share of that of the ellipsoid with the same SD along each axis; NaN
// where they lie in a plane.
func labeled(l *nifti.Labels) float64 {
	n, sum, square := 0.0, [3]float64{}, [3]float64{}
	at := [3]int{}
	for _, v := range l.Voxels {
		if v != 0 {
			n++
			for a, x := range at {
				sum[a], square[a] = sum[a]+float64(x), square[a]+float64(x*x)
			}
		}
		for a := range at { // x fastest
			if at[a]++; at[a] < l.Grid.Shape[a] {
				break
			}
			at[a] = 0
		}
	}
	volume := 4 * math.Pi / 3 * 5 * math.Sqrt(5) // for SDs of 1
	for a := range at {
		mean := sum[a] / n
		volume *= math.Sqrt(square[a]/n - float64(mean*mean))
	}
	if !(volume > 0) {
		return math.NaN()
	}
	return n / volume
}
