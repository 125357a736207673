package assess

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/nifti"
	"prgnn/stages/stagetest"
)

func labelImage(t *testing.T, voxels ...int32) dag.Input {
	t.Helper()
	var b bytes.Buffer
	need.NoError(t, nifti.Encode(&b, &nifti.Image{Shape: []int{len(voxels), 1, 1}, Affine: nifti.Affine{{2, 0, 0, -4},
		{0, 2, 0, 1}, {0, 0, 2, 0}, {0, 0, 0, 1}}, Code: 4, Data: voxels}))
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
