package cohort

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/stages/wording"

	"prgnn/internal/need"
	"prgnn/stages/column"
)

// minimalDataset has what fMRIPrep 23.2 and later write with --level minimal for two participants, and the raw scans.
func minimalDataset(t *testing.T) dataset {
	t.Helper()
	d := newDataset(t, "participant_id\tgroup\nsub-01\tASD\nsub-02\tHC\n")
	affine := func(x string) string {
		return "#Insight Transform File V1.0\n#Transform 0\nTransform: AffineTransform_double_3_3\nParameters: 1 0 0 0 1 0 0 0 1 " +
			x + " 0 0\nFixedParameters: 0 0 0\n"
	}
	for i, sub := range []string{"sub-01", "sub-02"} {
		run := sub + "/func/" + sub + "_task-rest_run-1_"
		d.write("sourcedata/raw/"+sub+"/func/"+sub+"_task-rest_run-01_bold.nii.gz", "")
		d.write("sourcedata/raw/"+sub+"/func/"+sub+"_task-rest_run-01_bold.json", `{"RepetitionTime": 2}`)
		for _, name := range []string{"coreg", "hmc"} {
			d.write(run+"desc-"+name+"_boldref.nii.gz", "")
		}
		x := string(rune('1' + i))
		d.write(run+"from-orig_to-boldref_mode-image_desc-hmc_xfm.txt", affine(x))
		d.write(run+"from-boldref_to-T1w_mode-image_desc-coreg_xfm.txt", affine("2"+x))
		d.write(sub+"/anat/"+sub+"_desc-aparcaseg_dseg.nii.gz", "")
		d.write(sub+"/anat/"+sub+"_from-MNI152NLin2009cAsym_to-T1w_mode-image_xfm.h5", "h5"+sub)
		d.write(sub+"/anat/"+sub+"_from-T1w_to-MNI152NLin2009cAsym_mode-image_xfm.h5", "other"+sub)
	}
	run := "sub-01/func/sub-01_task-rest_run-1_"
	d.write(run+"from-boldref_to-auto00000_mode-image_desc-fmap_xfm.txt", affine("0"))
	d.write("sub-01/fmap/sub-01_run-1_fmapid-auto00000_desc-preproc_fieldmap.nii.gz", "")
	d.write("sub-01/fmap/sub-01_run-2_fmapid-auto00001_desc-preproc_fieldmap.nii.gz", "")
	return d
}

func (d dataset) remove(name string) {
	d.t.Helper()
	need.NoError(d.t, os.Remove(filepath.Join(d.dir, name)))
}

func minimalSpace(c *BIDSCohort) { c.Space, c.Confounds, c.Nodes = "minimal", false, "nodes.tsv" }

// The raw scan and all that takes it to the labels are found, each by its own name.
func TestBIDSMinimal(t *testing.T) {
	d := minimalDataset(t)
	d.write("nodes.tsv", "index\tid\tname\n1\t7\tx\n")
	r := need.Value(d.load(minimalSpace))(t)
	want := []map[string]string{{
		"bold":               "sub-01_task-rest_run-01_bold.nii.gz",
		"sidecar":            "sub-01_task-rest_run-01_bold.json",
		"labels":             "sub-01_desc-aparcaseg_dseg.nii.gz",
		"realignment":        "sub-01_task-rest_run-1_from-orig_to-boldref_mode-image_desc-hmc_xfm.txt",
		"reference":          "sub-01_task-rest_run-1_desc-coreg_boldref.nii.gz",
		"registration":       "sub-01_task-rest_run-1_from-boldref_to-T1w_mode-image_desc-coreg_xfm.txt",
		"fieldmap":           "sub-01_run-1_fmapid-auto00000_desc-preproc_fieldmap.nii.gz",
		"fieldmap_transform": "sub-01_task-rest_run-1_from-boldref_to-auto00000_mode-image_desc-fmap_xfm.txt",
	}, {
		"bold":         "sub-02_task-rest_run-01_bold.nii.gz",
		"sidecar":      "sub-02_task-rest_run-01_bold.json",
		"labels":       "sub-02_desc-aparcaseg_dseg.nii.gz",
		"realignment":  "sub-02_task-rest_run-1_from-orig_to-boldref_mode-image_desc-hmc_xfm.txt",
		"reference":    "sub-02_task-rest_run-1_desc-coreg_boldref.nii.gz",
		"registration": "sub-02_task-rest_run-1_from-boldref_to-T1w_mode-image_desc-coreg_xfm.txt",
	}}
	for i, s := range r.Subjects {
		need.NoError(t, s.Problem)
		if got := base(r, i); !maps.Equal(got, want[i]) {
			t.Errorf("%s: files %v\nwant %v", s.ID, got, want[i])
		}
	}
	notes, _ := r.About(r.IDs())
	i := slices.IndexFunc(notes, func(n column.Note) bool { return n.Doubt == column.DoubtSliceTiming })
	if i < 0 || !strings.Contains(wording.NoteTexts(notes)[i], "up to 2 s") {
		t.Errorf("notes %v", notes)
	}
	if !slices.ContainsFunc(notes, func(n column.Note) bool {
		return strings.Contains(n.Text, "distortion by field maps for 1 of 2 runs; no slice timing correction")
	}) {
		t.Errorf("notes %v", notes)
	}
	if s := r.Scans(); s.Space != "minimal" {
		t.Errorf("space %q", s.Space)
	}
}

// One atlas serves all participants: each has the inverse transform from its space.
func TestBIDSMinimalAtlas(t *testing.T) {
	d := minimalDataset(t)
	d.write("nodes.tsv", "index\tid\tname\n1\t7\tx\n")
	d.write("tpl-MNI152NLin2009cAsym_atlas-Made_dseg.nii.gz", "")
	r := need.Value(d.load(func(c *BIDSCohort) {
		minimalSpace(c)
		c.Labels = filepath.Join(d.dir, "tpl-MNI152NLin2009cAsym_atlas-Made_dseg.nii.gz")
	}))(t)
	r.RefuseOneScan()
	for i, s := range r.Subjects {
		if s.Problem != nil && strings.Contains(s.Problem.Error(), "label image") {
			t.Error(s.Problem)
		}
		if got := base(r, i)["warp"]; got != s.ID+"_from-MNI152NLin2009cAsym_to-T1w_mode-image_xfm.h5" {
			t.Errorf("%s: warp %q", s.ID, got)
		}
	}
}

func TestBIDSMinimalRefuses(t *testing.T) {
	const run = "sub-01/func/sub-01_task-rest_run-1_"
	for _, c := range []struct {
		make   func(d dataset)
		change func(c *BIDSCohort)
		want   string
	}{
		{nil, func(c *BIDSCohort) { c.Space = "auto" }, "has derivatives of fMRIPrep's --level minimal: 2 runs with transforms of head motion, but no preprocessed scan; run fMRIPrep on them (fmriprep RAW OUT participant --derivatives fmriprep=DIR --level full), or set space: minimal and confounds: false to resample the raw scans (2 of 2 found; raw: sets their dataset)"},
		{nil, func(c *BIDSCohort) { c.Confounds = true }, "space: minimal has no tables of confounds"},
		{nil, func(c *BIDSCohort) { c.Description = "denoised" }, "description: denoised is for preprocessed scans"},
		{nil, func(c *BIDSCohort) { c.Components = "x" }, "components: components of preprocessed scans"},
		{nil, func(c *BIDSCohort) { c.Time = "header" }, "repetition_time: header ignores the sidecars"},
		{nil, func(c *BIDSCohort) { c.Task = []string{"faces"} }, "it has no transforms of head motion (from-orig_to-boldref_mode-image_desc-hmc_xfm.txt), task-faces"},
		{func(d dataset) { d.remove("sourcedata/raw/sub-01/func/sub-01_task-rest_run-01_bold.nii.gz") }, nil, "its raw scan (func/sub-01_task-rest_run-1_bold.nii.gz) is in none of"},
		{func(d dataset) {
			d.remove("sourcedata/raw/sub-01/func/sub-01_task-rest_run-01_bold.nii.gz")
			d.write("sourcedata/raw/sub-01/func/sub-01_task-rest_run-01_echo-1_bold.nii.gz", "")
			d.write("sourcedata/raw/sub-01/func/sub-01_task-rest_run-01_echo-2_bold.nii.gz", "")
		}, nil, "sub-01_task-rest_run-01_echo-1_bold.nii.gz is one of several echoes"},
		{func(d dataset) { d.write("sourcedata/raw/sub-01/func/sub-01_task-rest_run-01_bold.nii", "x") }, nil, "2 raw scans match"},
		{func(d dataset) { d.remove(run + "desc-coreg_boldref.nii.gz") }, nil, "it has no …_desc-coreg_boldref.nii.gz, the reference of the run"},
		{func(d dataset) { d.remove(run + "from-boldref_to-T1w_mode-image_desc-coreg_xfm.txt") }, nil, "it has no …_from-boldref_to-T1w_mode-image_desc-coreg_xfm.txt, its registration"},
		{func(d dataset) { d.remove("sub-01/fmap/sub-01_run-1_fmapid-auto00000_desc-preproc_fieldmap.nii.gz") }, nil, "it has no fmap/…_fmapid-auto00000_desc-preproc_fieldmap.nii.gz, to which sub-01_task-rest_run-1_from-boldref_to-auto00000_mode-image_desc-fmap_xfm.txt registers"},
		{func(d dataset) { d.write(run+"from-boldref_to-auto00001_mode-image_desc-fmap_xfm.txt", "") }, nil, "2 files match from-boldref_to-…_desc-fmap_xfm.txt"},
		{func(d dataset) { d.write("atlas.nii.gz", "") }, func(c *BIDSCohort) { c.Labels = "atlas.nii.gz" }, "labels: the name of atlas.nii.gz does not state its space"},
	} {
		d := minimalDataset(t)
		d.write("nodes.tsv", "index\tid\tname\n1\t7\tx\n")
		if c.make != nil {
			c.make(d)
		}
		r, err := d.load(func(b *BIDSCohort) {
			minimalSpace(b)
			if c.change != nil {
				c.change(b)
			}
		})
		if err == nil {
			err = r.Subjects[0].Problem
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}
