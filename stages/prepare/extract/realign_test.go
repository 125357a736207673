package extract

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/nifti"
	"prgnn/stages/region"
	"prgnn/stages/stagetest"
)

// minimalFixture is a raw scan with fMRIPrep's derivatives of --level minimal; its make.py simulates the scan and
// computes the oracle with scipy, nitransforms and SimpleITK.
func minimalFixture(t *testing.T, parts ...string) string {
	t.Helper()
	return need.Shared(t, append([]string{"fixtures", "doors", "minimal"}, parts...)...)
}

var minimalCodes = []int32{1002, 1015, 1022, 1028, 2002, 2015, 2022, 2028}

// minimalInputs are those of parcellate and of bootstrap.
func minimalInputs(t *testing.T, codes []int32) map[string]dag.Input {
	t.Helper()
	of := func(parts ...string) dag.Input { return stagetest.FileInput(minimalFixture(t, parts...)) }
	run := func(name string) dag.Input {
		return of("derivatives", "sub-01", "func", "sub-01_task-rest_run-01_"+name)
	}
	return map[string]dag.Input{
		"bold":               of("raw", "sub-01", "func", "sub-01_task-rest_run-01_bold.nii.gz"),
		"sidecar":            of("raw", "sub-01", "func", "sub-01_task-rest_run-01_bold.json"),
		"labels":             of("derivatives", "sub-01", "anat", "sub-01_desc-aparcaseg_dseg.nii.gz"),
		"nodes":              stagetest.Nodes(codes...),
		"reference":          run("desc-coreg_boldref.nii.gz"),
		"registration":       run("from-boldref_to-T1w_mode-image_desc-coreg_xfm.txt"),
		"realignment":        run("from-orig_to-boldref_mode-image_desc-hmc_xfm.txt"),
		"fieldmap":           of("derivatives", "sub-01", "fmap", "sub-01_fmapid-auto00000_desc-preproc_fieldmap.nii.gz"),
		"fieldmap_transform": run("from-boldref_to-auto00000_mode-image_desc-fmap_xfm.txt"),
	}
}

// only are the inputs of a stage among others.
func only(s dag.Stage, all map[string]dag.Input) map[string]dag.Input {
	in := map[string]dag.Input{}
	for _, p := range s.Ports().In {
		if x, has := all[p.Name]; has {
			in[p.Name] = x
		}
	}
	return in
}

func layMinimal(t *testing.T, in map[string]dag.Input) dag.Outputs {
	t.Helper()
	p := &Parcellate{Labels: "auto", Missing: "fail", MinCoverage: 0.5, Resampling: "auto"}
	out, err := stagetest.RunWith(p, only(p, in))
	need.NoError(t, err)
	return out
}

// sameLabels compares parcels with labels, of which the nodes have these.
func sameLabels(t *testing.T, out dag.Outputs, oracle string, codes []int32) {
	t.Helper()
	want, err := nifti.OpenLabels(oracle)
	need.NoError(t, err)
	for i, node := range labelsOf(t, out["parcels"]).Voxels {
		if v := want.Voxels[i]; int(node) != slices.Index(codes, v)+1 {
			t.Fatalf("voxel %d is of node %d, want label %d", i, node, v)
		}
	}
}

// A raw scan becomes the series that scipy's cubic spline gives, and these follow the signals that were planted.
func TestRealigned(t *testing.T) {
	in := minimalInputs(t, minimalCodes)
	out := layMinimal(t, in)
	sameLabels(t, out, minimalFixture(t, "oracle", "labels_boldref.nii.gz"), minimalCodes)
	in["parcels"] = dag.InputOf(out["parcels"])
	b := &Bootstrap{Draws: 2, Fraction: 1.0 / 3, MinValid: 0.5}
	out, err := stagetest.RunWith(b, only(b, in))
	need.NoError(t, err)
	series := out["series"].(*encoding.Array)
	data := series.Float64s()
	planted := numbersOf(t, minimalFixture(t, "oracle", "planted.tsv"), true)
	if shape := series.Shape; !slices.Equal(shape, []int{3, 40, 8}) {
		t.Fatalf("shape %v", shape)
	}
	for _, oracle := range []struct {
		file string
		most float64
	}{
		{filepath.Join("testdata", "realign", "means.tsv"), 1e-9},
		// Its affines were not rounded to float32 by a header.
		{minimalFixture(t, "oracle", "means_cubic.tsv"), 1e-4},
	} {
		for v, row := range numbersOf(t, oracle.file, true) {
			for k, want := range row {
				if got := data[v*8+k]; !(math.Abs(got-want) < oracle.most) {
					t.Fatalf("%s: volume %d, node %d: %.12f, want %.12f", oracle.file, v, k, got, want)
				}
			}
		}
	}
	for k := range minimalCodes {
		for d, least := range []float64{0.99, 0.98, 0.98} {
			r := correlation(40, func(v int) (float64, float64) { return data[(d*40+v)*8+k], planted[v][k] })
			if !(r >= least) {
				t.Errorf("draw %d, node %d correlates with the planted signal at %.4f", d, k, r)
			}
		}
	}
}

func correlation(n int, of func(i int) (x, y float64)) float64 {
	var mx, my, xx, yy, xy float64
	for i := range n {
		x, y := of(i)
		mx, my = mx+x/float64(n), my+y/float64(n)
	}
	for i := range n {
		x, y := of(i)
		xx, yy, xy = xx+(x-mx)*(x-mx), yy+(y-my)*(y-my), xy+(x-mx)*(y-my)
	}
	return xy / math.Sqrt(xx*yy)
}

// A template's atlas goes through from-MNI_to-T1w to the reference: SimpleITK's labels.
func TestRealignedAtlas(t *testing.T) {
	codes := []int32{1, 2, 3, 4, 5, 6}
	in := minimalInputs(t, codes)
	in["labels"] = stagetest.FileInput(minimalFixture(t, "atlas", "tpl-MNI152NLin2009cAsym_res-02_atlas-Made_dseg.nii.gz"))
	in["warp"] = stagetest.FileInput(minimalFixture(t, "derivatives", "sub-01", "anat",
		"sub-01_from-MNI152NLin2009cAsym_to-T1w_mode-image_xfm.h5"))
	sameLabels(t, layMinimal(t, in), minimalFixture(t, "oracle", "labels_mni_atlas_boldref.nii.gz"), codes)
}

// A voxel that leaves the field of view in one volume is not used in any.
func TestRealignedOutside(t *testing.T) {
	in := minimalInputs(t, minimalCodes)
	in["parcels"] = dag.InputOf(layMinimal(t, in)["parcels"])
	path := filepath.Join(t.TempDir(), "hmc.txt")
	text := string(need.Value(os.ReadFile(in["realignment"].Path))(t))
	blocks := strings.SplitAfter(text, "FixedParameters: 0 0 0\n")
	blocks[7] = "#Transform 7\nTransform: AffineTransform_double_3_3\nParameters: 1 0 0 0 1 0 0 0 1 0 0 30\n" +
		"FixedParameters: 0 0 0\n" // 30 mm up
	need.NoError(t, os.WriteFile(path, []byte(strings.Join(blocks, "")), 0o666))
	in["realignment"] = stagetest.FileInput(path)
	b := &Bootstrap{Fraction: 1.0 / 3, MinValid: 0}
	out, err := stagetest.RunWith(b, only(b, in))
	need.NoError(t, err)
	voxels := out["voxels"].(*encoding.Table)
	all, used := stagetest.Sure(voxels.Ints("voxels")), stagetest.Sure(voxels.Ints("used"))
	lost := stagetest.Sure(voxels.Ints("nonfinite"))
	some := false
	for i := range all {
		if all[i] != used[i]+lost[i] {
			t.Errorf("node %d: %d voxels, %d used, %d outside", i, all[i], used[i], lost[i])
		}
		some = some || lost[i] > 0
	}
	if data := out["series"].(*encoding.Array).Float64s(); !some || slices.ContainsFunc(data, math.IsNaN) {
		t.Errorf("voxels outside: %v", lost)
	}
	b.MinValid = 1
	if out, err = stagetest.RunWith(b, only(b, in)); err == nil {
		data := out["series"].(*encoding.Array).Float64s()
		for i := range all {
			if math.IsNaN(data[i]) != (lost[i] > 0) {
				t.Errorf("node %d with %d voxels outside has the series %v …", i, lost[i], data[i])
			}
		}
	} else if slices.Contains(lost, 0) {
		t.Error(err)
	}
}

// The direction of the phase encoding is one of the file's axes, and its sign that of the shift in voxels.
func TestPhaseEncoding(t *testing.T) {
	for _, c := range []struct {
		json, want string
		axis       int
		perHz      float64
	}{
		{json: `{"PhaseEncodingDirection": "i", "TotalReadoutTime": 0.04}`, perHz: 0.04},
		{json: `{"PhaseEncodingDirection": "j-", "TotalReadoutTime": 0.05}`, axis: 1, perHz: -0.05},
		{json: `{"PhaseEncodingDirection": "k", "TotalReadoutTime": 0.05}`, axis: 2, perHz: 0.05},
		{json: `{"PhaseEncodingDirection": "AP", "TotalReadoutTime": 0.05}`, want: `PhaseEncodingDirection is "AP", but the field map needs i, j, k, i-, j- or k-`},
		{json: `{"TotalReadoutTime": 0.05}`, want: `PhaseEncodingDirection is ""`},
		{json: `{"PhaseEncodingDirection": "j"}`, want: "no TotalReadoutTime, which the field map needs"},
		{json: `{"PhaseEncodingDirection": "j", "TotalReadoutTime": 50}`, want: "a TotalReadoutTime of 50 s is not plausible"},
	} {
		axis, perHz, err := phaseEncoding(dag.NewTask(map[string][]dag.Input{"sidecar": {fileOf("scan.json", c.json)}}))
		switch {
		case c.want == "" && (err != nil || axis != c.axis || perHz != c.perHz):
			t.Errorf("%s: axis %d, %g voxels per Hz, error %v", c.json, axis, perHz, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), "scan.json: "+c.want)):
			t.Errorf("%s: error %v, want %s", c.json, err, c.want)
		}
	}
}

func TestRealignedRefuses(t *testing.T) {
	parcels := layMinimal(t, minimalInputs(t, minimalCodes))["parcels"]
	for _, c := range []struct {
		change func(in map[string]dag.Input)
		want   string
	}{
		{func(in map[string]dag.Input) { delete(in, "realignment") }, "fieldmap is connected without realignment"},
		{func(in map[string]dag.Input) { delete(in, "sidecar") }, "fieldmap is connected without sidecar"},
		{func(in map[string]dag.Input) { delete(in, "fieldmap_transform") }, "fieldmap is connected without fieldmap_transform"},
		{func(in map[string]dag.Input) {
			b := need.Value(os.ReadFile(in["realignment"].Path))(t)
			in["realignment"] = fileOf("hmc.txt", string(b[:bytes.Index(b, []byte("#Transform 39"))]))
		}, "40 volumes, but 39 transforms of head motion"},
		{func(in map[string]dag.Input) { in["fieldmap"] = in["bold"] }, "40 volumes, expected one"},
		{func(in map[string]dag.Input) {
			in["fieldmap_transform"] = fileOf("far.txt", "#Insight Transform File V1.0\n#Transform 0\nTransform: AffineTransform_double_3_3\n"+
				"Parameters: 1 0 0 0 1 0 0 0 1 0 0 900\nFixedParameters: 0 0 0\n")
		}, "no voxel of the scan lies inside the field map; does far.txt belong to it?"},
		{func(in map[string]dag.Input) {
			in["fieldmap_transform"] = stagetest.FileInput(minimalFixture(t, "derivatives", "sub-01", "anat",
				"sub-01_from-MNI152NLin2009cAsym_to-T1w_mode-image_xfm.h5"))
		}, "the transform is not affine, so it cannot be inverted"},
		{func(in map[string]dag.Input) { in["weights"] = in["bold"] }, "a probabilistic atlas cannot be used"},
	} {
		in := minimalInputs(t, minimalCodes)
		in["parcels"] = dag.InputOf(parcels)
		c.change(in)
		b := &Bootstrap{Fraction: 1.0 / 3, MinValid: 0.5}
		if _, err := stagetest.RunWith(b, only(b, in)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
	p := &Parcellate{Labels: "auto", Missing: "fail", MinCoverage: 0.5, Resampling: "auto"}
	for _, c := range []struct {
		change func(in map[string]dag.Input)
		want   string
	}{
		{func(in map[string]dag.Input) { delete(in, "reference") }, "registration is connected without reference"},
		{func(in map[string]dag.Input) { in["reference"] = in["bold"] }, "40 volumes, but a reference has one"},
		{func(in map[string]dag.Input) {
			in["registration"] = stagetest.FileInput(minimalFixture(t, "derivatives", "sub-01", "anat",
				"sub-01_from-MNI152NLin2009cAsym_to-T1w_mode-image_xfm.h5"))
		}, "the transform is not affine, so it cannot be inverted"},
	} {
		in := minimalInputs(t, minimalCodes)
		c.change(in)
		if _, err := stagetest.RunWith(p, only(p, in)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
	if !region.Individual("minimal") {
		t.Error("scans of the space minimal lie in the space of each participant")
	}
}
