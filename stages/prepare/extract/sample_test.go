package extract

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/nifti"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// Half of the rows are shared equally, the other half by size; a band never has more rows than voxels.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		most  int
		want  []int
	}{
		{[]int{30, 20, 50}, 100, []int{30, 20, 50}},                // all of them
		{[]int{8000, 0, 2000}, 400, []int{100 + 161, 0, 100 + 38}}, // 200·7900/9800, 200·1900/9800
		{[]int{10000, 5}, 100, []int{25 + 70, 5}},                  // 70 rows for 9975 voxels
		{[]int{7, 7, 7}, 0, []int{0, 0, 0}},
		{slices.Repeat([]int{50}, 300), 100, make([]int, 300)}, // more bands than rows: none is preferred
	} {
		if got := shares(c.sizes, c.most); !slices.Equal(got, c.want) {
			t.Errorf("%v, %d rows: %v, want %v", c.sizes, c.most, got, c.want)
		}
	}
}

// sampleOf runs parcellate on a cube of labels and gives its sample.
func sampleOf(t *testing.T, label func(i, j, k int) int32, sample int, ids ...int32) []column.SampleRow {
	t.Helper()
	in := map[string]dag.Input{
		"bold": boldCube(t, 8, 0, 3), "labels": imageInput(t, "labels.nii.gz", cube(8, 0, label)),
		"nodes": stagetest.Nodes(ids...),
		"mask":  imageInput(t, "mask.nii.gz", cube(8, 0, func(i, j, k int) int32 { return min(1, int32(k)) })),
	}
	p := stagetest.NewStage[*Parcellate](t, "parcellate")
	p.Sample = sample
	out := need.Value(stagetest.RunWith(p, in))(t)
	rows := need.Value(column.Rows[column.SampleRow](out["sample"].(*encoding.Table)))(t)
	return rows
}

// The voxels of a carpet plot are evenly spaced in the memory of each tissue, by the definition: of n voxels and m
// rows, voxel ⌊(k + ½)·n/m⌋. Labels that are no tissue, and voxels of the mask without a label, are other.
func TestSampleOfTissues(t *testing.T) {
	slabs := []int32{1002, 2002, 10, 8, 2, 41, 4, 0} // by k: the mask begins at 1
	bands := []string{"cortex", "cortex", "subcortex", "cerebellum", "white matter", "white matter", "CSF", "other"}
	got := sampleOf(t, func(_, _, k int) int32 { return slabs[k] }, 200, 1002, 2002, 10, 8)
	voxels, sizes := map[string][]int32{}, []int(nil)
	for at := range int32(8 * 8 * 8) {
		voxels[bands[at/64]] = append(voxels[bands[at/64]], at)
	}
	for _, band := range []string{"cortex", "subcortex", "cerebellum", "white matter", "CSF", "other"} {
		sizes = append(sizes, len(voxels[band]))
	}
	var want []column.SampleRow
	for b, m := range shares(sizes, 200) {
		band := []string{"cortex", "subcortex", "cerebellum", "white matter", "CSF", "other"}[b]
		for k := range m {
			at := int(math.Floor((float64(k) + 0.5) * float64(sizes[b]) / float64(m)))
			want = append(want, column.SampleRow{Voxel: voxels[band][at], Band: band})
		}
	}
	if len(got) < 195 || !slices.Equal(got, want) {
		t.Errorf("%d rows, want %d: %v", len(got), len(want), got)
	}
}

// Labels 2 and 41 of an atlas are regions, no white matter; without blocks all regions are one band.
func TestSampleOfAtlas(t *testing.T) {
	got := sampleOf(t, func(_, _, k int) int32 { return []int32{0, 2, 2, 41, 41, 0, 0, 0}[k] }, 2000, 2, 41)
	count := map[string]int{}
	for _, row := range got {
		count[row.Band]++
	}
	if len(count) != 2 || count[""] != 4*64 || count["other"] != 3*64 {
		t.Errorf("%v", count)
	}
}

// bootstrap keeps the series of the sampled voxels, and refuses a sample of another scan.
func TestBootstrapSample(t *testing.T) {
	bold := boldCube(t, 4, 0, 9)
	in := map[string]dag.Input{"bold": bold, "nodes": stagetest.Nodes(1),
		"parcels": imageInput(t, "parcels.nii.gz", cube(4, 0, func(i, j, k int) int32 { return 1 })),
		"sample":  dag.InputOf(column.Table([]column.SampleRow{{Voxel: 63}, {Voxel: 2}}))}
	out := need.Value(stagetest.RunWith(stagetest.NewStage[*Bootstrap](t, "bootstrap"), in))(t)
	for i, got := range out["sampled"].(*encoding.Array).Float64s() {
		if want := float64((i/2*64 + []int{63, 2}[i%2]) * 7919 % 1009); got != want { // as boldCube writes
			t.Fatalf("volume %d: %v, want %v", i/2, got, want)
		}
	}
	in["sample"] = dag.InputOf(column.Table([]column.SampleRow{{Voxel: 64}}))
	if _, err := stagetest.RunWith(stagetest.NewStage[*Bootstrap](t, "bootstrap"), in); err == nil {
		t.Error("a voxel beyond the scan is taken")
	}
}

// Pairs of neighbors lie in one region and in one row, and are evenly spaced among all; their voxels join the sample
// once.
func TestNeighbors(t *testing.T) {
	parcels := []int32{1, 1, 1, 0, 2, 2, 2, 3, 3, 4, 4, 4}
	near := neighbors(parcels, 6)
	need.Equal(t, fmt.Sprint(near), "[0 1 4 7 9 10]")
	sample := []int32{5, 9}
	pairs := near.among(&sample)
	need.Equal(t, fmt.Sprint(sample), "[5 9 0 1 2 4 7 8 10 11]")
	need.Equal(t, fmt.Sprint(pairs), "[[2 3] [3 4] [5 0] [6 7] [1 8] [8 9]]")
	many := neighbors(slices.Repeat([]int32{1}, 100_001), 100_001)
	need.Equal(t, fmt.Sprint(len(many), many[0], many[1], many[499]), "500 0 200 99800")
	need.Equal(t, fmt.Sprint(firstOf([]float64{1, 2, 3, 4, 5, 6}, 2, 3)), "[1 2 4 5]")
}

// The labeled share is near 1 of an ellipsoid and half of one that lost every second voxel, whatever its size.
func TestLabeledShare(t *testing.T) {
	ball := func(radius float64, every int) float64 {
		l := &nifti.Labels{Grid: nifti.Grid{Shape: [3]int{40, 50, 60}}}
		n := 0
		for k := range 60 {
			for j := range 50 {
				for i := range 40 {
					x, y, z := float64(i-20)/radius, float64(j-25)/radius/1.2, float64(k-30)/radius/1.5
					if n++; float64(x*x)+float64(y*y)+float64(z*z) < 1 && n%every == 0 {
						l.Voxels = append(l.Voxels, 7)
					} else {
						l.Voxels = append(l.Voxels, 0)
					}
				}
			}
		}
		return labeled(l)
	}
	for _, c := range []struct{ got, want float64 }{{ball(18, 1), 1}, {ball(12, 1), 1}, {ball(18, 3), 1. / 3}} {
		if math.Abs(c.got-c.want) > 0.02 {
			t.Errorf("%g, want %g", c.got, c.want)
		}
	}
	flat := &nifti.Labels{Grid: nifti.Grid{Shape: [3]int{2, 2, 1}}, Voxels: []int32{1, 1, 1, 1}}
	need.Equal(t, math.IsNaN(labeled(flat)), true)
}
