package extract

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/nifti"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/stagetest"
)

// dk84Voxels are the ids of the regions, and how many voxels SimpleITK gives each.
func dk84Voxels(t *testing.T, path string) (ids, voxels []int32) {
	t.Helper()
	b := need.Value(os.ReadFile(path))(t)
	for line := range strings.Lines(string(b)) {
		c := strings.Split(strings.TrimSpace(line), "\t")
		id, err1 := strconv.Atoi(c[1])
		n, err2 := strconv.Atoi(c[3])
		if err1 == nil && err2 == nil {
			ids, voxels = append(ids, int32(id)), append(voxels, int32(n))
		}
	}
	return ids, voxels
}

// fmriprepInputs are the inputs of a participant of the fixture of fMRIPrep 25.1.4, whose labels
// must go through both transforms.
func fmriprepInputs(t *testing.T, sub string, ids []int32) map[string]dag.Input {
	t.Helper()
	root := need.Shared(t, "fixtures", "fmriprep", "fmriprep-25.1.4")
	func_ := filepath.Join(root, sub, "func", sub+"_task-rest_space-MNI152NLin2009cAsym_desc-")
	anat := filepath.Join(root, sub, "anat", sub+"_from-")
	return map[string]dag.Input{
		"bold":      stagetest.FileInput(func_ + "preproc_bold.nii.gz"),
		"mask":      stagetest.FileInput(func_ + "brain_mask.nii.gz"),
		"labels":    stagetest.FileInput(filepath.Join(root, "sourcedata", "freesurfer", sub, "mri", "aparc+aseg.mgz")),
		"transform": stagetest.FileInput(anat + "fsnative_to-T1w_mode-image_xfm.txt"),
		"warp":      stagetest.FileInput(anat + "T1w_to-MNI152NLin2009cAsym_mode-image_xfm.h5"),
		"nodes":     stagetest.Nodes(ids...),
	}
}

// FreeSurfer's labels over a scan in MNI space: node by node the voxels that SimpleITK finds,
// and by default, on these voxels of 9 mm, the majority of samples, which says so.
func TestParcellateWarp(t *testing.T) {
	for _, sub := range []string{"sub-01", "sub-02", "sub-03"} {
		ids, voxels := dk84Voxels(t, need.Shared(t, "fixtures", "fmriprep", "oracle", sub+"_dk84_voxels.tsv"))
		if len(ids) != 84 {
			t.Fatalf("%d regions in the oracle", len(ids))
		}
		in := fmriprepInputs(t, sub, ids)
		out, err := stagetest.RunWith(&Parcellate{Labels: "auto", Missing: "fail", MinCoverage: 0.5,
			Resampling: "nearest"}, in)
		need.NoError(t, err)
		if got := stagetest.Sure(out["coverage"].(*encoding.Table).Ints("voxels")); !slices.EqualFunc(got, voxels,
			func(a int64, b int32) bool { return a == int64(b) }) {
			t.Errorf("%s: voxels %v, want %v", sub, got, voxels)
		}
		r, err := nifti.Open(need.Shared(t, "fixtures", "fmriprep", "oracle", sub+"_space-MNI152NLin2009cAsym_desc-aparcaseg_dseg.nii.gz"))
		need.NoError(t, err)
		want, err := nifti.ReadLabels(r)
		need.NoError(t, err)
		for i, node := range labelsOf(t, out["parcels"]).Voxels {
			if v := want.Voxels[i]; int(node) != slices.Index(ids, v)+1 {
				t.Fatalf("%s: voxel %d is of node %d, want label %d", sub, i, node, v)
			}
		}
		q := parcelRow(t, out)
		// The fixture's mask is where SimpleITK finds a label.
		if q.Resampling != "nearest neighbor" || q.Mask == nil || int(*q.Mask) != len(want.Voxels)-zeros(want.Voxels) ||
			*q.Unlabeled != 0 || *q.Outside != 0 || q.Empty != 0 || q.Caution != "" {
			t.Errorf("%s: %+v", sub, q)
		}
		if !(q.Displacement > 1 && q.Displacement < 13) || !(q.Determinant > 0.7 && q.Determinant < 1.4) ||
			!(q.Rotation > 0.1 && q.Rotation < 10) {
			t.Errorf("%s: %+v", sub, q)
		}

		if out, err = stagetest.RunWith(&Parcellate{Labels: "auto", Missing: "fail", MinCoverage: 0.5,
			Resampling: "auto"}, in); err != nil {
			t.Fatal(err)
		}
		q = parcelRow(t, out)
		if q.Resampling != "majority of 27 samples a voxel" || q.Empty != 0 || *q.Unlabeled != 0 ||
			out["coverage"].(*encoding.Table).Meta["resampling"] != q.Resampling {
			t.Errorf("%s: %+v", sub, q)
		}
		if got := stagetest.Sure(out["coverage"].(*encoding.Table).Ints("voxels")); slices.Min(got) < 5 {
			t.Errorf("%s: a region has %d voxels", sub, slices.Min(got))
		}
	}
}

func zeros(v []int32) (n int) {
	return lists.Count(v, func(x int32) bool { return x == 0 })
}

func parcelRow(t *testing.T, out dag.Outputs) column.ParcelRow {
	t.Helper()
	rows, err := column.Rows[column.ParcelRow](out["quality"].(*encoding.Table))
	if err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	return rows[0]
}

// A scan cut off in the middle of the brain: a label has the share of its voxels that lie in
// the scan, and nodes with too little are left empty. The other file, from the template to the
// T1w image, and a turned transform are told.
func TestParcellateWarpDoubts(t *testing.T) {
	ids, _ := dk84Voxels(t, need.Shared(t, "fixtures", "fmriprep", "oracle", "sub-01_dk84_voxels.tsv"))
	in := fmriprepInputs(t, "sub-01", ids)
	missing := "fail"
	run := func() (*encoding.Table, column.ParcelRow) {
		t.Helper()
		out, err := stagetest.RunWith(&Parcellate{Labels: "auto", Missing: missing, MinCoverage: 0.5,
			Resampling: "nearest"}, in)
		need.NoError(t, err)
		return out["coverage"].(*encoding.Table), parcelRow(t, out)
	}
	whole, _ := run()

	// The lower half of the scan: 10 slices of 20.
	r, err := nifti.Open(need.Shared(t, "fixtures", "fmriprep", "fmriprep-25.1.4", "sub-01", "func", "sub-01_task-rest_space-MNI152NLin2009cAsym_desc-preproc_bold.nii.gz"))
	need.NoError(t, err)
	grid := r.Header.Grid()
	scan := &nifti.Image{Shape: []int{20, 24, 10, 2}, Affine: grid.Affine, Code: 4, TR: 2,
		Data: make([]int16, 20*24*10*2)}
	in["bold"] = imageInput(t, "bold.nii.gz", scan)
	delete(in, "mask")
	_, err = stagetest.RunWith(&Parcellate{Labels: "auto", Missing: "fail", MinCoverage: 0.5, Resampling: "nearest"},
		in)
	need.Error(t, err, "34 of the 84 nodes lie outside the scan, or with less than 0.5 of their label inside (min_coverage): n1003, n1005, n1006, n1007, n1009, n1013, n1020 and 27 more: the labels are on ")
	missing = "keep"
	half, q := run()
	missing = "fail"
	n, all := stagetest.Sure(half.Ints("voxels")), stagetest.Sure(whole.Ints("voxels"))
	covered, kept := stagetest.Sure(half.Floats("coverage")), stagetest.Sure(half.Bools("kept"))
	cut := 0
	for i := range n {
		want := float64(n[i]) / float64(all[i]) // the whole scan has all of each label
		if math.Abs(covered[i]-want) > 1e-12 || kept[i] != (want >= 0.5) {
			t.Errorf("node %d: coverage %v, want %v, kept %v", i+1, covered[i], want, kept[i])
		}
		if want > 0 && want < 1 {
			cut++
		}
	}
	if cut < 10 || q.Empty == 0 || q.Mask != nil {
		t.Errorf("%d labels are cut; %+v", cut, q)
	}

	in = fmriprepInputs(t, "sub-01", ids)
	anat := need.Shared(t, "fixtures", "fmriprep", "fmriprep-25.1.4", "sub-01", "anat")
	in["warp"] = stagetest.FileInput(filepath.Join(anat, "sub-01_from-MNI152NLin2009cAsym_to-T1w_mode-image_xfm.h5"))
	_, err = stagetest.RunWith(&Parcellate{Labels: "auto", Missing: "fail", Resampling: "nearest"}, in)
	need.Error(t, err, "the labels lie 24 mm beside the brain mask")
	in = fmriprepInputs(t, "sub-01", ids)
	in["transform"] = dag.InputOf(artifacts.Bytes{Kind: "itk", Data: []byte("#Insight Transform File V1.0\n#Transform 0\nTransform: AffineTransform_double_3_3\nParameters: 0.8 -0.6 0 0.6 0.8 0 0 0 1 0 0 0\nFixedParameters: 0 0 0\n")})
	if _, q := run(); math.Abs(q.Rotation-math.Acos(0.8)*180/math.Pi) > 1e-9 || !strings.Contains(q.Caution, `"code":"registration.rotation"`) {
		t.Errorf("%+v", q)
	}
	// A mask that is not of this scan.
	in = fmriprepInputs(t, "sub-01", ids)
	in["mask"] = stagetest.FileInput(filepath.Join(anat, "sub-01_desc-brain_mask.nii.gz"))
	_, err = stagetest.RunWith(&Parcellate{Labels: "auto", Missing: "fail", Resampling: "nearest"}, in)
	need.Error(t, err, "the brain mask is on 20×24×20 voxels")
}

// A mask without a voxel of the labels is refused, as where it marks the background, and one that holds less than half
// of them has a caution.
func TestMaskOfLabels(t *testing.T) {
	onto := &nifti.Labels{Voxels: []int32{0, 0, 1, 1, 2, 3}}
	for _, c := range []struct {
		mask []int32
		want string
	}{
		{[]int32{1, 1, 0, 0, 0, 0}, "none of the 4 voxels with a label lies inside the brain mask of 2 voxels"},
		{[]int32{0, 0, 0, 0, 0, 0}, "none of the 4 voxels with a label lies inside the brain mask of 0 voxels"},
		{[]int32{1, 1, 0, 0, 0, 1}, `"code":"registration.labels-outside-mask","weight":"limits","numbers":{"N":3,"Of":4,"Share":0.75}`},
		{[]int32{1, 0, 0, 1, 0, 1}, ""},
		{[]int32{0, 1, 1, 1, 1, 1}, ""},
	} {
		l := &layer{row: column.ParcelRow{Determinant: 1}}
		err := l.masked(dag.Input{Name: "within"}, &nifti.Labels{Voxels: c.mask}, onto)
		if got := l.quality(0).Caution; err == nil && (c.want == "") != (got == "") ||
			!strings.Contains(got+fmt.Sprint(err), c.want) {
			t.Errorf("%v: %v %s", c.mask, err, got)
		}
	}
	affine := nifti.Affine{{3, 0, 0, 0}, {0, 3, 0, 0}, {0, 0, 3, 0}, {0, 0, 0, 1}}
	image := func(name string, data any, shape ...int) dag.Input {
		return imageInput(t, name, &nifti.Image{Shape: shape, Affine: affine, Code: 1, TR: 2, Data: data})
	}
	for port, missing := range map[string]string{"mask": "fail", "within": "keep"} {
		_, err := stagetest.RunWith(&Parcellate{Labels: "index", Missing: missing, Resampling: "nearest"},
			map[string]dag.Input{
				"bold": image("bold.nii", make([]int16, 12), 6, 1, 1, 2), "labels": image("labels.nii", []int16{0,
					0, 1, 1, 2, 3}, 6, 1, 1),
				port: image("mask.nii", []int16{1, 1, 0, 0, 0, 0}, 6, 1, 1), "nodes": stagetest.Nodes(1, 2, 3)})
		need.Error(t, err, "mask.nii: none of the 4 voxels with a label lies inside the brain mask of 2 voxels")
	}
}

// A displacement field that lies nowhere, or nowhere near the brain, would move nothing: refused, with a mask and
// without one.
func TestParcellateFieldElsewhere(t *testing.T) {
	ids, _ := dk84Voxels(t, need.Shared(t, "fixtures", "fmriprep", "oracle", "sub-01_dk84_voxels.tsv"))
	whole := need.Value(os.ReadFile(need.Shared(t, "fixtures", "fmriprep", "fmriprep-25.1.4", "sub-01", "anat",
		"sub-01_from-T1w_to-MNI152NLin2009cAsym_mode-image_xfm.h5")))(t)
	fixed := []float64{11, 14, 11, 90, 126, -78, 18, 18, 18, -1} // size, origin, spacing, direction
	var pattern []byte
	for _, v := range fixed {
		pattern = binary.LittleEndian.AppendUint64(pattern, math.Float64bits(v))
	}
	at := bytes.Index(whole, pattern)
	if at < 0 {
		t.Fatal("the parameters of the field are elsewhere in the file")
	}
	for _, c := range []struct {
		place int
		value float64
		want  string
	}{
		{3, math.NaN(), "the origin of the field has the value NaN"},
		{5, math.Inf(-1), "the origin of the field has the value -Inf"},
		{6, math.Inf(1), "the spacing of the field has the value +Inf"},
		{9, math.NaN(), "the direction of the field has the value NaN"},
		{3, 1e6, "no voxel of the brain mask lies inside the displacement field"},
		{5, -1e300, "no voxel of the brain mask lies inside the displacement field"},
		{7, 1e-9, "no voxel of the brain mask lies inside the displacement field"},
	} {
		file := slices.Clone(whole)
		binary.LittleEndian.PutUint64(file[at+8*c.place:], math.Float64bits(c.value))
		in := fmriprepInputs(t, "sub-01", ids)
		in["warp"] = dag.InputOf(artifacts.Bytes{Kind: "itk", Data: file})
		_, err := stagetest.RunWith(&Parcellate{Labels: "auto", Missing: "keep", Resampling: "nearest"}, in)
		need.Error(t, err, c.want)
		if delete(in, "mask"); strings.HasPrefix(c.want, "no voxel") {
			_, err = stagetest.RunWith(&Parcellate{Labels: "auto", Missing: "keep", Resampling: "nearest"}, in)
			need.Error(t, err, "no voxel with a label lies inside the displacement field")
		}
	}
}

// More than 5% of the mask without a label is suspicious where the labels have white matter on both sides. Labels of
// gray matter alone leave half of every mask empty: docs/quality.md says that no caution is given there.
func TestCautionNeedsWhiteMatter(t *testing.T) {
	for _, c := range []struct {
		name      string
		nodes     []int32
		labels    []int32
		unlabeled int32
		want      bool
	}{
		{"white matter, 56%", []int32{1001}, []int32{2, 41, 1001}, 56, true},
		{"white matter, 4%", []int32{1001}, []int32{2, 41, 1001}, 4, false},
		{"white matter on one side", []int32{1001}, []int32{2, 1001}, 56, false},
		{"gray matter alone", []int32{1001}, []int32{1001, 2001}, 56, false},
		{"an atlas with regions 2 and 41", []int32{1, 2, 41}, []int32{1, 2, 41}, 56, false},
	} {
		mask, outside := int32(100), int32(0)
		nodes := lists.Map(c.nodes, func(id int32) region.Node { return region.Node{Id: id} })
		whole := wholeBrain(nodes, func(n region.Node) int32 { return n.Id }, c.labels)
		l := &layer{whole: whole, row: column.ParcelRow{Mask: &mask, Unlabeled: &c.unlabeled,
			Outside: &outside, Determinant: 1}}
		if got := l.quality(0).Caution; strings.Contains(got, `"code":"registration.mask-unlabeled"`) != c.want || got != "" && !c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
