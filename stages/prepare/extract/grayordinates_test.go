package extract

import (
	"path/filepath"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/stagetest"
)

// A scan of grayordinates through the stages: numpy's means; the holes of a scan are left out, and
// a parcel that lost more than half of its grayordinates has no series.
func TestGrayordinates(t *testing.T) {
	dir := need.Shared(t, "fixtures", "fmriprep", "cifti")
	file := func(name string) dag.Input { return stagetest.FileInput(filepath.Join(dir, name)) }
	for _, task := range []string{"rest", "holes"} {
		in := map[string]dag.Input{"bold": file("sub-01_task-" + task + "_space-fsLR_den-91k_bold.dtseries.nii"),
			"labels": file("tpl-fsLR_atlas-Mini_den-91k_dseg.dlabel.nii"), "nodes": stagetest.Nodes(countTo(24)...)}
		parcels, err := stagetest.RunWith(&Parcellate{Labels: "auto", Missing: "fail", MinCoverage: 0.5,
			Resampling: "auto"}, in)
		need.NoError(t, err)
		in["parcels"] = dag.InputOf(parcels["parcels"])
		delete(in, "labels")
		out, err := stagetest.RunWith(&Bootstrap{Draws: 2, Fraction: 1.0 / 3, MinValid: 0.5}, in)
		need.NoError(t, err)
		oracle := map[string]string{"rest": "parcellated.tsv", "holes": "parcellated-holes.tsv"}[task]
		compareRows(t, out, numbersOf(t, filepath.Join(dir, oracle), true), 1e-6)
		scan := out["scan"].(*encoding.Table)
		if tr := stagetest.Sure(scan.Floats("tr")); tr[0] != 3.5 {
			t.Errorf("repetition time %v", tr)
		}
	}
}

// What does not go together with grayordinates.
func TestGrayordinatesRefuses(t *testing.T) {
	dir := need.Shared(t, "fixtures", "fmriprep", "cifti")
	file := func(name string) dag.Input { return stagetest.FileInput(filepath.Join(dir, name)) }
	bold, labels := file("sub-01_task-rest_space-fsLR_den-91k_bold.dtseries.nii"), file("tpl-fsLR_atlas-Mini_den-91k_dseg.dlabel.nii")
	voxels := stagetest.FileInput(filepath.Join(dir, "..", "oracle", "space-MNI152NLin2009cAsym_atlas-Mini_dseg.nii.gz"))
	series := file("sub-01_task-rest_space-fsLR_den-91k_atlas-Mini_stat-mean_timeseries.ptseries.nii")
	for want, in := range map[string]map[string]dag.Input{
		"use a CIFTI label file (.dlabel.nii)": {"bold": bold, "labels": voxels, "nodes": stagetest.Nodes(countTo(24)...)},
		"not a dense time series (dtseries)":   {"bold": series, "labels": labels, "nodes": stagetest.Nodes(countTo(24)...)},
		"do not connect within": {"bold": bold, "labels": labels, "nodes": stagetest.Nodes(countTo(24)...),
			"within": voxels},
		"1 of the 25 nodes is missing":                 {"bold": bold, "labels": labels, "nodes": stagetest.Nodes(countTo(25)...)},
		"not a map of grayordinates (dlabel, dscalar)": {"bold": bold, "labels": bold, "nodes": stagetest.Nodes(countTo(24)...)},
	} {
		if _, err := stagetest.RunWith(&Parcellate{Labels: "auto", Missing: "fail"}, in); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
