package extract

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/stagetest"
)

// numbersOf reads a table of numbers with a header or without; n/a is NaN.
func numbersOf(t *testing.T, path string, header bool) (rows [][]float64) {
	t.Helper()
	b := need.Value(os.ReadFile(path))(t)
	for i, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		if header && i == 0 {
			continue
		}
		var row []float64
		for _, f := range strings.Fields(line) {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				v = math.NaN()
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return rows
}

func countTo(n int) []int32 {
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = int32(i + 1)
	}
	return ids
}

// compareRows compares draw 0 of series with a table, relatively.
func compareRows(t *testing.T, out dag.Outputs, want [][]float64, tolerance float64) {
	t.Helper()
	a := out["series"].(*encoding.Array)
	n := a.Shape[2]
	if a.Shape[1] != len(want) || n != len(want[0]) {
		t.Fatalf("series of shape %v, want %d × %d", a.Shape, len(want), len(want[0]))
	}
	for v, row := range want {
		for i, w := range row {
			got := a.Float64s()[v*n+i]
			if math.IsNaN(w) != math.IsNaN(got) || !math.IsNaN(w) && !(math.Abs(got-w) <= tolerance*math.Abs(w)) {
				t.Fatalf("volume %d, region %d: %v, want %v", v, i, got, w)
			}
		}
	}
}

// The fixture's atlas on each participant's scan, inside of the brain mask: numpy's means.
func TestAtlasWithinMask(t *testing.T) {
	root := need.Shared(t, "fixtures", "fmriprep")
	for _, sub := range []string{"sub-01", "sub-02", "sub-03"} {
		func_ := filepath.Join(root, "fmriprep-25.1.4", sub, "func", sub+"_task-rest_space-MNI152NLin2009cAsym_desc-")
		in := map[string]dag.Input{
			"bold": stagetest.FileInput(func_ + "preproc_bold.nii.gz"), "within": stagetest.FileInput(func_ + "brain_mask.nii.gz"),
			"labels": stagetest.FileInput(filepath.Join(root, "atlas-bep038", "tpl-MNI152NLin2009cAsym", "tpl-MNI152NLin2009cAsym_atlas-Mini_res-02_dseg.nii.gz")),
			"nodes":  stagetest.Nodes(countTo(40)...),
		}
		parcels, err := stagetest.RunWith(&Parcellate{Labels: "auto", Missing: "fail", Resampling: "nearest"}, in)
		need.NoError(t, err)
		in["parcels"] = dag.InputOf(parcels["parcels"])
		delete(in, "labels")
		delete(in, "within")
		out, err := stagetest.RunWith(&Bootstrap{Fraction: 1}, in)
		need.NoError(t, err)
		compareRows(t, out, numbersOf(t, filepath.Join(root, "oracle", sub+"_atlas-Mini_masked_timeseries.tsv"), true), 1e-6)
	}
}

// A probabilistic atlas through the stages: nilearn's signals, with the brain mask too; without the
// weights no series is made of the largest ones.
func TestProbabilisticAtlas(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "nifti", "testdata", "nilearn", "maps")
	file := func(name string) dag.Input { return stagetest.FileInput(filepath.Join(dir, name)) }
	for _, c := range []struct{ maps, signals string }{{"maps", "maps"}, {"coarse", "coarse"}, {"maps", "masked"}} {
		in := map[string]dag.Input{"bold": file("scan.nii.gz"), "labels": file(c.maps + ".nii.gz"),
			"nodes": stagetest.Nodes(countTo(5)...)}
		if c.signals == "masked" {
			in["within"] = file("mask.nii.gz")
		}
		parcels, err := stagetest.RunWith(&Parcellate{Labels: "auto", Missing: "fail", MinCoverage: 0.5,
			Resampling: "auto"}, in)
		need.NoError(t, err)
		in["parcels"], in["weights"] = dag.InputOf(parcels["parcels"]), in["labels"]
		delete(in, "labels")
		b := &Bootstrap{Draws: 3, Fraction: 0.5, MinValid: 0.5}
		out, err := stagetest.RunWith(b, in)
		need.NoError(t, err)
		compareRows(t, out, numbersOf(t, filepath.Join(dir, c.signals+".tsv"), false), 1e-10)
		if a := out["series"].(*encoding.Array); a.Shape[0] != 4 || a.Float64s()[0] == a.Float64s()[60] {
			t.Errorf("draws of shape %v", a.Shape)
		}
		delete(in, "weights")
		if _, err := stagetest.RunWith(b, in); err == nil || !strings.Contains(err.Error(), "in: { weights: cohort.weights }") {
			t.Errorf("without weights: error %v", err)
		}
	}
	in := map[string]dag.Input{"bold": file("scan.nii.gz"), "labels": file("maps.nii.gz"),
		"nodes": stagetest.Nodes(countTo(4)...)}
	if _, err := stagetest.RunWith(&Parcellate{Labels: "auto"}, in); err == nil || !strings.Contains(err.Error(), "5 volumes, but the node list has 4 regions") {
		t.Errorf("4 nodes: error %v", err)
	}
}
