package figure

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/nifti"
	"prgnn/stages/atlas"
	"prgnn/stages/prepare/extract"
	"prgnn/stages/region"
	"prgnn/stages/report"
	"prgnn/stages/stagetest"
)

// An atlas may have the ids of the node list or its numbers; one whose labels mean
// something else is refused, though a few of its numbers are those of nodes.
func TestReportOfAtlas(t *testing.T) {
	image := func(labels ...int32) dag.Input { return described(t, "", labels...) }
	nodes := []region.Node{{Index: 1, Id: 1001, Name: "a"}, {Index: 2, Id: 10, Name: "b"},
		{Index: 3, Id: 2005, Name: "c"}}
	for _, labels := range [][]int32{{1001, 10, 2005, 77}, {1, 2, 3}} {
		p := need.Value(ReadParcels(image(labels...), nodes))(t)
		if got := p.Voxels[:4]; !slices.Equal(got, []int32{1, 2, 3, 0}) {
			t.Errorf("%v are read as the nodes %v", labels, got)
		}
	}
	if _, err := ReadParcels(image(10, 50, 51, 52), nodes); err == nil || !strings.Contains(err.Error(), "it has 1 of the 3 regions of the node list") {
		t.Errorf("a foreign atlas: %v", err)
	}
}

// described is a label image of 4 × 4 × 4 voxels with this description in its header.
func described(t *testing.T, description string, labels ...int32) dag.Input {
	t.Helper()
	voxels := make([]int32, 64)
	copy(voxels, labels)
	var b bytes.Buffer
	need.NoError(t, nifti.Encode(&b, &nifti.Image{Shape: []int{4, 4, 4}, Descrip: description,
		Affine: nifti.Affine{{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 1}}, Data: voxels}))
	return dag.InputOf(artifacts.Bytes{Kind: "nifti", Data: b.Bytes()})
}

// Parcellate's parcels hold node numbers, though the ids of the list may be the same numbers in another order, or with
// a gap.
func TestParcelsAreNumbered(t *testing.T) {
	freeSurfer := make([]int32, 0, 60)
	for _, n := range atlas.DK84()[:60] {
		freeSurfer = append(freeSurfer, int32(n.ID))
	}
	for name, ids := range map[string][]int32{"a gap": {1, 2, 4, 5}, "without the first": {2, 3, 4, 5},
		"shuffled": {3, 1, 4, 2}, "in order": {1, 2, 3, 4}, "FreeSurfer's first 60": freeSurfer} {
		nodes, numbers := make([]region.Node, len(ids)), make([]int32, len(ids))
		for i, id := range ids {
			nodes[i], numbers[i] = region.Node{Index: int32(i + 1), Id: id}, int32(i+1)
		}
		for _, description := range []string{region.NodeNumbers, region.LargestWeights} {
			p := need.Value(ReadParcels(described(t, description, numbers...), nodes))(t)
			if got := p.Voxels[:len(ids)]; !slices.Equal(got, numbers) {
				t.Errorf("%s: the nodes %v are read as %v", name, numbers, got)
			}
		}
		p := need.Value(ReadParcels(described(t, region.NodeNumbers, 2), nodes))(t)
		need.Equal(t, p.Voxels[0], int32(2), name, "of a scan that covers one region")
	}
	nodes := []region.Node{{Index: 1, Id: 3}, {Index: 2, Id: 1}, {Index: 3, Id: 2}}
	_, err := ReadParcels(described(t, "", 1, 2, 3), nodes)
	need.Error(t, err, "the labels 1 to 3 are ids of 3 regions of the node list and node numbers of 3, and the two differ for 3 regions", "an atlas")
	_, err = ReadParcels(described(t, region.NodeNumbers, 1, 4), nodes)
	need.Error(t, err, "the node numbers run from 1 to 4, but the node list has 3 regions", "parcels of another list")
}

// The mean is that of the volumes, without what is not a number; the air around a head is
// left out of the picture, a dark place inside is not.
func TestAnatomy(t *testing.T) {
	const n = 5
	data := make([]float32, 2*n*n*n)
	for i := range n * n * n {
		x, y, z := i%n, i/n%n, i/(n*n)
		inside := x > 0 && x < n-1 && y > 0 && y < n-1 && z > 0 && z < n-1
		if inside {
			data[i], data[n*n*n+i] = 90, 110
		}
	}
	middle := (2*n+2)*n + 2
	data[middle], data[n*n*n+middle] = 1, 1
	data[n*n*n+middle+1] = float32(math.NaN())
	var b bytes.Buffer
	need.NoError(t, nifti.Encode(&b, &nifti.Image{Shape: []int{n, n, n, 2}, TR: 2,
		Affine: nifti.Affine{{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 1}}, Data: data}))
	out := stagetest.MustRun(t, &extract.MeanVolume{},
		map[string][]dag.Input{"bold": {dag.InputOf(artifacts.Bytes{Kind: "nifti", Data: b.Bytes()})}})
	u, err := ReadAnatomy(dag.InputOf(out["image"]))
	need.NoError(t, err)
	for _, c := range []struct{ x, y, z, want float64 }{{2, 2, 2, 1}, {4, 4, 4, 0.01}, {6, 4, 4, 0.45}, {3, 2, 2, 1},
		{0, 0, 0, math.NaN()}, {0, 4, 4, math.NaN()}, {99, 0, 0, math.NaN()}} {
		if got := u.at(c.x, c.y, c.z); math.Abs(got-c.want) > 1e-6 || math.IsNaN(got) != math.IsNaN(c.want) {
			t.Errorf("at (%v, %v, %v) mm it is %v, want %v", c.x, c.y, c.z, got, c.want)
		}
	}
	// A caption calls the image what it is.
	var other bytes.Buffer
	need.NoError(t, nifti.Encode(&other, &nifti.Image{Shape: []int{n, n, n}, Affine: u.Affine, Data: data[:n*n*n],
		Descrip: "FreeSurfer"}))
	given, err := ReadAnatomy(dag.InputOf(artifacts.Bytes{Kind: "nifti", Data: other.Bytes()}))
	need.NoError(t, err)
	p := &Parcels{Labels: &nifti.Labels{Grid: u.Grid, Voxels: slices.Repeat([]int32{1}, n*n*n)}, back: u.back,
		Middle: map[int]report.Place{}}
	p.findMiddles()
	for under, want := range map[*Anatomy]string{u: "Background: the mean of a functional scan over its volumes;", given: "Background: the image supplied as anatomy;", nil: "Background: the parcellation;"} {
		if got := DrawSlices(p, under, Ranked{rank: map[int]int{1: 1}, score: map[int]float64{1: 2}},
			1).Caption; !strings.Contains(got, want) {
			t.Errorf("the caption is %q, want %q", got, want)
		}
	}
}
