package assess

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/nifti"
	"prgnn/nifti/cifti"
	"prgnn/stages/region"
	"prgnn/stages/stagetest"
)

func labelImage(t *testing.T, voxels ...int32) dag.Input {
	t.Helper()
	return describedImage(t, "", voxels...)
}

func describedImage(t *testing.T, description string, voxels ...int32) dag.Input {
	t.Helper()
	var b bytes.Buffer
	need.NoError(t, nifti.Encode(&b, &nifti.Image{Shape: []int{len(voxels), 1, 1}, Affine: nifti.Affine{{2, 0, 0, -4},
		{0, 2, 0, 1}, {0, 0, 2, 0}, {0, 0, 0, 1}}, Code: 4, Data: voxels, Descrip: description}))
	return dag.InputOf(artifacts.Bytes{Kind: "nifti", Data: b.Bytes()})
}

// Three regions a, b, c with the ids 10, 20, 30, of which b is not in the image; by the
// ids of an atlas and by the numbers of parcels.
func TestSaliency(t *testing.T) {
	out := stagetest.MustRun(t, &Biomarkers{Layer: 1, Top: 1, Resamples: 200}, stagetest.BiomarkerInputs())
	nodes := stagetest.NodesOf("a", "b", "c")
	for _, c := range []struct {
		voxels []int32
		top    int
		want   []float64
	}{
		{[]int32{0, 10, 30, 30, 99}, 0, []float64{0, 0.5, 0.75, 0.75, 0}},
		{[]int32{0, 1, 3, 3, 0}, 0, []float64{0, 0.5, 0.75, 0.75, 0}},
		{[]int32{0, 1, 3, 3, 0}, 1, []float64{0, 0, 0.75, 0.75, 0}},
	} {
		made := stagetest.MustRun(t, &Saliency{Column: "score", Labels: "auto", Top: c.top}, map[string][]dag.Input{
			"ranking": {dag.InputOf(out["ranking"])}, "nodes": {dag.InputOf(nodes)},
			"labels": {labelImage(t, c.voxels...)}})
		r, err := nifti.NewReader(bytes.NewReader(made["image"].(artifacts.Bytes).Data), "image")
		need.NoError(t, err)
		got := make([]float64, 5)
		need.NoError(t, r.Next(got))
		if !slices.Equal(got, c.want) || r.Header.Grid().Affine[0][3] != -4 ||
			max(r.Header.SformCode, r.Header.QformCode) != 4 {
			t.Errorf("%v, top %d: %v, want %v, on %v", c.voxels, c.top, got, c.want, r.Header.Grid())
		}
		if v := stagetest.FloatsOf(t, made["regions"], "voxels"); !stagetest.Near(v, []float64{2, 1, 0}) { // c, a, b
			t.Errorf("voxels %v", v)
		}
		var doc struct {
			Nodes struct {
				Names []string
				Color []float64
			}
			Edges []float64
		}
		need.NoError(t, json.Unmarshal(made["connectome"].(artifacts.Bytes).Data, &doc))
		n := 3
		if c.top > 0 {
			n = c.top
		}
		if len(doc.Nodes.Names) != n || doc.Nodes.Names[0] != "c" || len(doc.Edges) != n*n {
			t.Errorf("connectome of %v", doc.Nodes)
		}
	}
	for _, c := range []struct {
		stage  *Saliency
		voxels []int32
		want   string
	}{
		{&Saliency{Column: "score", Labels: "auto"}, []int32{0, 0}, "every voxel is 0, so there are no labels"},
		{&Saliency{Column: "score", Labels: "id"}, []int32{7, 8}, "has none of the 3 regions: its labels run from 7 to 8"},
		{&Saliency{Column: "height", Labels: "id"}, []int32{10}, `no column "height"`},
	} {
		_, err := stagetest.RunStage(t, c.stage, map[string][]dag.Input{"ranking": {dag.InputOf(out["ranking"])},
			"nodes": {dag.InputOf(nodes)}, "labels": {labelImage(t, c.voxels...)}})
		need.Error(t, err, c.want, "got")
	}
}

// Parcellate's parcels hold node numbers, though all of them are ids of the list too; other images that may be either
// are refused, or read as labels states.
func TestSaliencyOfParcels(t *testing.T) {
	out := stagetest.MustRun(t, &Biomarkers{Layer: 1, Top: 1, Resamples: 200}, stagetest.BiomarkerInputs())
	for _, c := range []struct {
		ids         []int32
		description string
		labels      string
		want        []float64 // of the voxels 1, 2, 3; a, b and c have 0.5, 0.3 and 0.75
		err         string
	}{
		{[]int32{2, 3, 1}, region.NodeNumbers, "auto", []float64{0.5, 0.3, 0.75}, ""},
		{[]int32{2, 3, 4}, region.NodeNumbers, "auto", []float64{0.5, 0.3, 0.75}, ""},
		{[]int32{1, 2, 4}, region.NodeNumbers, "index", []float64{0.5, 0.3, 0.75}, ""},
		{[]int32{2, 3, 1}, region.NodeNumbers, "id", nil, "parcellate's parcels hold node numbers, not ids: set labels to index or auto"},
		{[]int32{2, 3, 1}, "", "auto", nil, "the two differ for 3 regions; connect parcellate's parcels, or sort the node list by its ids 1…N"},
		{[]int32{2, 3, 1}, "", "id", []float64{0.75, 0.5, 0.3}, ""},
		{[]int32{1, 2, 3}, "", "auto", []float64{0.5, 0.3, 0.75}, ""},
	} {
		nodes := encoding.NewTable(encoding.Column{Name: "index", Values: []int32{1, 2, 3}},
			encoding.Column{Name: "id", Values: c.ids},
			encoding.Column{Name: "name", Values: []string{"a", "b", "c"}},
			encoding.Column{Name: "x", Values: []float64{0, 0, 0}},
			encoding.Column{Name: "y", Values: []float64{0, 0, 0}},
			encoding.Column{Name: "z", Values: []float64{0, 0, 0}})
		made, err := stagetest.RunStage(t, &Saliency{Column: "score", Labels: c.labels}, map[string][]dag.Input{
			"ranking": {dag.InputOf(out["ranking"])}, "nodes": {dag.InputOf(nodes)},
			"labels": {describedImage(t, c.description, 1, 2, 3)}})
		if c.err != "" {
			need.Error(t, err, c.err, c.ids)
			continue
		}
		need.NoError(t, err)
		r := need.Value(nifti.NewReader(bytes.NewReader(made["image"].(artifacts.Bytes).Data), "image"))(t)
		got := make([]float64, 3)
		need.NoError(t, r.Next(got))
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return float32(a) == float32(b) }) {
			t.Errorf("ids %v, description %q, labels %s: %v, want %v", c.ids, c.description, c.labels, got, c.want)
		}
		var b bytes.Buffer
		m := &cifti.Models{N: 3, List: []cifti.Model{{Structure: "CIFTI_STRUCTURE_CORTEX_LEFT", Surface: 9,
			Vertices: []int32{0, 4, 8}}}}
		need.NoError(t, m.WriteDense(&b, []string{cmp.Or(c.description, "labels")}, [][]float64{{1, 2, 3}}))
		made = stagetest.MustRun(t, &Saliency{Column: "score", Labels: c.labels}, map[string][]dag.Input{
			"ranking": {dag.InputOf(out["ranking"])}, "nodes": {dag.InputOf(nodes)},
			"labels": {dag.InputOf(artifacts.Bytes{Kind: "nifti", Data: b.Bytes()})}})
		f := need.Value(cifti.Read(need.Value(nifti.NewReader(bytes.NewReader(
			made["image"].(artifacts.Bytes).Data), "image"))(t), "image"))(t)
		for i, want := range c.want {
			row := make([]float64, 1)
			need.NoError(t, f.Next(row))
			need.Equal(t, float32(row[0]), float32(want), "grayordinate", i, c.ids)
		}
	}
}
