package cohort

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/nifti/itk"
)

// incomplete: skip leaves out participants whose files would fail when they are read, and says which and why, without
// places of this machine.
func TestBIDSLeavesOutWhatCannotBeRead(t *testing.T) {
	d := newDataset(t, "participant_id\tgroup\nsub-1\ta\nsub-2\tb\nsub-3\ta\nsub-4\tb\nsub-5\ta\nsub-6\tb\nsub-7\ta\n")
	const confounds = "csf\tframewise_displacement\n1\tn/a\n2\t0.25\n3\t0.75\n"
	for i := 1; i <= 7; i++ {
		scan := fmt.Sprintf("sub-%d/func/sub-%d_task-rest", i, i)
		d.write(scan+"_space-T1w_desc-preproc_bold.nii.gz", "")
		d.write(scan+"_space-T1w_desc-aparcaseg_dseg.nii.gz", "")
		d.write(scan+"_space-T1w_desc-preproc_bold.json", cmp.Or(map[int]string{4: `{"RepetitionTime": 2000}`, 6: `{"RepetitionTime": "2"}`}[i], `{"RepetitionTime": 2}`))
		d.write(scan+"_space-T1w_desc-brain_mask.nii.gz", "")
		d.write(scan+"_desc-confounds_timeseries.tsv", map[bool]string{false: confounds, true: confounds[:len(confounds)-7]}[i == 3])
	}
	broken := filepath.Join(d.dir, "sub-2", "func", "sub-2_task-rest_space-T1w_desc-preproc_bold.nii.gz")
	b, err := os.ReadFile(broken)
	if err == nil {
		err = os.WriteFile(broken, b[:len(b)-12], 0o600)
	}
	if err == nil {
		err = os.Truncate(filepath.Join(d.dir, "sub-5", "func", "sub-5_task-rest_space-T1w_desc-aparcaseg_dseg.nii.gz"), 0)
	}
	if err == nil {
		err = os.Truncate(filepath.Join(d.dir, "sub-7", "func", "sub-7_task-rest_space-T1w_desc-brain_mask.nii.gz"), 30)
	}
	need.NoError(t, err)
	r, err := d.load(func(c *BIDSCohort) { c.Incomplete = "skip" })
	need.NoError(t, err)
	if len(r.Subjects) != 1 || r.Subjects[0].ID != "sub-1" {
		t.Errorf("taken: %+v", r.Subjects)
	}
	want := []string{
		"sub-2 sub-2/func/sub-2_task-rest_space-T1w_desc-preproc_bold.nii.gz: ",
		"sub-3 sub-3/func/sub-3_task-rest_desc-confounds_timeseries.tsv: 2 rows of confounds for 3 volumes",
		"sub-4 sub-4/func/sub-4_task-rest_space-T1w_desc-preproc_bold.json: a RepetitionTime of 2000; the unit must be s",
		"sub-5 sub-5/func/sub-5_task-rest_space-T1w_desc-aparcaseg_dseg.nii.gz: the file is empty",
		"sub-6 sub-6/func/sub-6_task-rest_space-T1w_desc-preproc_bold.json: RepetitionTime is a string, but must be a number",
		"sub-7 sub-7/func/sub-7_task-rest_space-T1w_desc-brain_mask.nii.gz: ",
	}
	for i, l := range r.Left {
		if got := l.ID + " " + l.Why; i >= len(want) || !strings.HasPrefix(got, want[i]) {
			t.Errorf("left out: %s", got)
		}
	}
	need.Equal(t, len(r.Left), len(want), "left out", r.Left)
	// By default they take part, and their tasks fail; Unreadable foretells it.
	if r, err = d.load(func(*BIDSCohort) {}); err != nil || len(r.Subjects) != 7 {
		t.Fatalf("%v, %v", r, err)
	}
	for _, s := range r.Subjects {
		if err := r.Unreadable(s, func(string) bool { return true }); (err == nil) != (s.ID == "sub-1") {
			t.Errorf("%s: %v", s.ID, err)
		}
	}
	r.unreadable = nil // as in the other cohorts: scans alone
	for _, s := range r.Subjects {
		err := r.Unreadable(s, func(string) bool { return true })
		if (err == nil) != (s.ID != "sub-2" && s.ID != "sub-5" && s.ID != "sub-7") {
			t.Errorf("%s, by its scans: %v", s.ID, err)
		}
	}
}

// A transform that breaks off is found without its displacement field.
func TestCheckTransform(t *testing.T) {
	for name, good := range map[string]bool{
		"h5/ants-float-gz.h5": true, "h5/only-affine.h5": true, "h5/itk4-misspelt-superblock0.h5": true, "h5/refuse/cut-in-half.h5": false, "README.md": false,
		"fmriprep-25.1.4/sub-01/anat/sub-01_from-fsnative_to-T1w_mode-image_xfm.txt": true,
	} {
		path := need.Shared(t, "fixtures", "fmriprep", filepath.FromSlash(name))
		if err := itk.Check(path); (err == nil) != good {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Of several descriptions and echoes the one that is meant is taken: the combined scan of a multi-echo run is the one
// without echo-, and a scan that XCP-D has denoised comes without confounds.
func TestBIDSDescriptions(t *testing.T) {
	make := func(descriptions ...string) dataset {
		d := newDataset(t, "participant_id\tgroup\nsub-1\ta\n")
		for _, desc := range descriptions {
			d.write("sub-1/func/sub-1_task-rest"+desc+"_bold.nii.gz", "")
		}
		d.write("sub-1/func/sub-1_task-rest_space-T1w_desc-aparcaseg_dseg.nii.gz", "")
		d.write("sub-1/func/sub-1_task-rest_desc-confounds_timeseries.tsv", "csf\tframewise_displacement\n1\tn/a\n2\t0.25\n3\t0.75\n")
		return d
	}
	for _, c := range []struct {
		have  []string
		want  string // description
		bold  string
		wrong string
	}{
		{[]string{"_echo-1_desc-preproc", "_echo-2_desc-preproc", "_space-T1w_desc-preproc"}, "preproc", "sub-1_task-rest_space-T1w_desc-preproc_bold.nii.gz", ""},
		{[]string{"_space-T1w_desc-preproc", "_space-T1w_desc-denoised"}, "denoised", "sub-1_task-rest_space-T1w_desc-denoised_bold.nii.gz", ""},
		{[]string{"_space-T1w_desc-denoised"}, "preproc", "", "it has no preprocessed scan (desc-preproc_bold.nii.gz); it has desc-denoised: set description"},
	} {
		r, err := make(c.have...).load(func(b *BIDSCohort) { b.Description = c.want })
		if err != nil {
			t.Errorf("%v: %v", c.have, err)
			continue
		}
		problem := r.Subjects[0].Problem
		if c.wrong != "" {
			need.Error(t, problem, c.wrong, "problem")
			continue
		}
		files := base(r, 0)
		if problem != nil || files["bold"] != c.bold || (files["confounds"] == "") != (c.want == "denoised") {
			t.Errorf("%v: %v, %v", c.have, files, problem)
		}
	}
}

// With incomplete: skip, one faulty label image of all participants leaves nobody out.
func TestSkipKeepsWhoSharesFaultyLabels(t *testing.T) {
	d := newDataset(t, "participant_id\tgroup\nsub-1\ta\nsub-2\tb\n")
	for _, id := range []string{"sub-1", "sub-2"} {
		d.write(id+"/func/"+id+"_task-rest_space-MNI152NLin6Asym_desc-preproc_bold.nii.gz", "")
	}
	d.write("atlas.nii.gz", "")
	need.NoError(t, os.Truncate(filepath.Join(d.dir, "atlas.nii.gz"), 30))
	r, err := d.load(func(c *BIDSCohort) {
		c.Incomplete, c.Labels, c.Space, c.Confounds = "skip",
			"atlas.nii.gz", "auto", false
	})
	need.NoError(t, err)
	need.Equal(t, len(r.Subjects), 2)
}
