package cohort

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/stages/bids"
	"prgnn/stages/wording"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/internal/testdir"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/nifti"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// A dataset is a made-up directory of derivatives.
type dataset struct {
	t   testing.TB
	dir string
}

func newDataset(t testing.TB, participants string) dataset {
	d := dataset{t, t.TempDir()}
	d.write("participants.tsv", participants)
	return d
}

// write writes a file; an image without a text is a small one that can be read.
func (d dataset) write(name, text string) {
	d.t.Helper()
	if text == "" && strings.HasSuffix(name, ".nii.gz") {
		img := &nifti.Image{Shape: []int{1, 1, 1}, Affine: nifti.Affine{{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0},
			{0, 0, 0, 1}}, Data: []int16{7}}
		if strings.HasSuffix(name, "_bold.nii.gz") {
			img.Shape, img.TR, img.Data = []int{1, 1, 1, 3}, 2, []int16{7, 8, 9}
		}
		var b bytes.Buffer
		if err := nifti.Encode(&b, img); err != nil {
			d.t.Fatal(err)
		}
		text = b.String()
	}
	testdir.Write(d.t, filepath.Join(d.dir, name), text)
}

// list makes the files of a list of package bids, tables of confounds with contents.
func (d dataset) list(list, from, to string) {
	d.t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "bids", "testdata", list))
	if err != nil {
		d.t.Fatal(err)
	}
	for _, name := range strings.Fields(strings.ReplaceAll(string(b), from, to)) {
		text := ""
		switch {
		case strings.HasSuffix(name, "confounds_timeseries.tsv"):
			text = "csf\tframewise_displacement\n1\tn/a\n2\t0.25\n3\t0.75\n"
		case strings.HasSuffix(name, "bold.json"):
			text = `{"RepetitionTime": 2}`
		}
		d.write(name, text)
	}
}

func (d dataset) load(change func(*BIDSCohort)) (*Roster, error) {
	c := Sources[slices.IndexFunc(Sources, func(c Source) bool { return c.Name == "bids" })].New().(*BIDSCohort)
	c.Dir, c.Space = ".", "T1w"
	change(c)
	return c.Load(d.dir)
}

// base names the files of a participant's ports.
func base(r *Roster, i int) map[string]string {
	m := map[string]string{}
	for port, path := range r.Subjects[i].Files {
		m[port] = filepath.Base(path)
	}
	return m
}

const onePerson = "participant_id\tgroup\tage\nsub-01\tASD\t9\n"

// The three regimes of fMRIPrep's versions, and the way each is found or missed.
func TestBIDSRegimes(t *testing.T) {
	for _, c := range []struct {
		name   string
		make   func(d dataset)
		change func(*BIDSCohort)
		files  map[string]string
		from   string
		wrong  string
	}{
		{
			name: "on the scan's grid", make: func(d dataset) { d.list("legacy.txt", "", "") },
			files: map[string]string{
				"bold": "sub-01_task-mixedgamblestask_run-02_space-T1w_desc-preproc_bold.nii.gz", "labels": "sub-01_task-mixedgamblestask_run-02_space-T1w_desc-aparcaseg_dseg.nii.gz",
				"mask":      "sub-01_task-mixedgamblestask_run-02_space-T1w_desc-brain_mask.nii.gz",
				"confounds": "sub-01_task-mixedgamblestask_run-02_desc-confounds_timeseries.tsv", "confounds_sidecar": "sub-01_task-mixedgamblestask_run-02_desc-confounds_timeseries.json", "sidecar": "sub-01_task-mixedgamblestask_run-02_space-T1w_desc-preproc_bold.json",
			}, from: labelsOnGrid,
		},
		{
			name: "on the T1w grid", make: func(d dataset) {
				d.list("ds054.txt", "sub-100185", "sub-01")
				d.write("sub-01/anat/sub-01_desc-aparcaseg_dseg.nii.gz", "")
			},
			change: func(c *BIDSCohort) { c.Run = []string{"1"} },
			files: map[string]string{
				"bold": "sub-01_task-machinegame_run-01_space-T1w_desc-preproc_bold.nii.gz", "labels": "sub-01_desc-aparcaseg_dseg.nii.gz",
				"mask":      "sub-01_task-machinegame_run-01_space-T1w_desc-brain_mask.nii.gz",
				"confounds": "sub-01_task-machinegame_run-01_desc-confounds_timeseries.tsv", "confounds_sidecar": "sub-01_task-machinegame_run-01_desc-confounds_timeseries.json", "sidecar": "sub-01_task-machinegame_run-01_space-T1w_desc-preproc_bold.json",
			}, from: labelsOnT1w,
		},
		{
			name: "FreeSurfer's", make: func(d dataset) {
				d.list("ds054.txt", "sub-100185", "sub-01")
				d.write("sub-01/anat/sub-01_from-fsnative_to-T1w_mode-image_xfm.txt", "")
				d.write("sourcedata/freesurfer/sub-01/mri/aparc+aseg.mgz", "")
			},
			change: func(c *BIDSCohort) { c.Run, c.Labels, c.Confounds = []string{"02"}, "freesurfer", false },
			files: map[string]string{
				"bold": "sub-01_task-machinegame_run-02_space-T1w_desc-preproc_bold.nii.gz", "labels": "aparc+aseg.mgz",
				"mask":      "sub-01_task-machinegame_run-02_space-T1w_desc-brain_mask.nii.gz",
				"transform": "sub-01_from-fsnative_to-T1w_mode-image_xfm.txt", "sidecar": "sub-01_task-machinegame_run-02_space-T1w_desc-preproc_bold.json",
			}, from: labelsFreeSurfer,
		},
		{
			name: "none, but FreeSurfer's", make: func(d dataset) {
				d.list("ds054.txt", "sub-100185", "sub-01")
				d.write("sourcedata/freesurfer/sub-01/mri/aparc+aseg.mgz", "")
			},
			change: func(c *BIDSCohort) { c.Run = []string{"1"} },
			wrong:  "it has no labels (desc-aparcaseg_dseg.nii.gz) for space-T1w, and FreeSurfer's cannot be used: it has no anat/…from-fsnative_to-T1w_mode-image_xfm.txt, the transform from FreeSurfer's labels to the scan; or set labels to an image in that space, or to { atlas: NAME }",
		},
		{
			name: "FreeSurfer's without the transform", make: func(d dataset) {
				d.list("ds054.txt", "sub-100185", "sub-01")
				d.write("sourcedata/freesurfer/sub-01/mri/aparc+aseg.mgz", "")
			},
			change: func(c *BIDSCohort) { c.Run, c.Labels = []string{"1"}, "freesurfer" },
			wrong:  "it has no anat/…from-fsnative_to-T1w_mode-image_xfm.txt, the transform from FreeSurfer's labels to the scan",
		},
		{
			name: "none", make: func(d dataset) { d.list("ds054.txt", "sub-100185", "sub-01") },
			change: func(c *BIDSCohort) { c.Run = []string{"1"} },
			wrong:  "it has no labels (desc-aparcaseg_dseg.nii.gz) for space-T1w, and FreeSurfer's cannot be used: its mri/aparc+aseg.mgz is neither in the dataset's sourcedata/freesurfer nor beside the dataset; set the parameter freesurfer; or set labels to an image in that space, or to { atlas: NAME }",
		},
		{
			name: "two runs", make: func(d dataset) { d.list("ds054.txt", "sub-100185", "sub-01") },
			wrong: "2 scans match; they differ in run (01, 02): set the parameter run; runs: all, in a file with extends: runs.yaml (of series: timeseries-runs.yaml), uses them all and joins them after denoising",
		},
		{
			name: "surfaces alone", make: func(d dataset) { d.list("ds005.txt", "", "") },
			wrong: "it has no preprocessed scan (desc-preproc_bold.nii.gz)",
		},
		{
			name: "an atlas in the template's space", make: func(d dataset) { d.list("ds210.txt", "sub-02", "sub-01"); d.write("atlas.nii.gz", "") },
			change: func(c *BIDSCohort) { c.Space, c.Labels = "MNI152NLin2009cAsym", "atlas.nii.gz" },
			files: map[string]string{
				"bold": "sub-01_task-cuedSGT_run-01_space-MNI152NLin2009cAsym_desc-preproc_bold.nii.gz", "labels": "atlas.nii.gz",
				"confounds": "sub-01_task-cuedSGT_run-01_desc-confounds_timeseries.tsv", "sidecar": "sub-01_task-cuedSGT_run-01_space-MNI152NLin2009cAsym_desc-preproc_bold.json",
			}, from: "from atlas.nii.gz, given to the pipeline",
		},
		{
			name: "labels in a template's space", make: func(d dataset) {
				d.list("ds210.txt", "sub-02", "sub-01")
				d.write("dataset_description.json", `{"GeneratedBy": [{"Name": "fMRIPrep", "Version": "20.2.7"}]}`)
				d.write("sub-01/func/sub-01_task-cuedSGT_run-01_space-MNI152NLin2009cAsym_desc-aparcaseg_dseg.nii.gz", "")
			},
			change: func(c *BIDSCohort) { c.Space = "MNI152NLin2009cAsym" },
			files: map[string]string{
				"bold": "sub-01_task-cuedSGT_run-01_space-MNI152NLin2009cAsym_desc-preproc_bold.nii.gz", "labels": "sub-01_task-cuedSGT_run-01_space-MNI152NLin2009cAsym_desc-aparcaseg_dseg.nii.gz",
				"confounds": "sub-01_task-cuedSGT_run-01_desc-confounds_timeseries.tsv", "sidecar": "sub-01_task-cuedSGT_run-01_space-MNI152NLin2009cAsym_desc-preproc_bold.json",
			}, from: labelsOnGrid,
		},
		{
			name: "none in a template's space", make: func(d dataset) {
				d.list("ds210.txt", "sub-02", "sub-01")
				d.write("sub-01/anat/sub-01_desc-aparcaseg_dseg.nii.gz", "")
			},
			change: func(c *BIDSCohort) { c.Space = "MNI152NLin2009cAsym" },
			wrong:  "it has no labels (desc-aparcaseg_dseg.nii.gz) for space-MNI152NLin2009cAsym, and FreeSurfer's cannot be used: its mri/aparc+aseg.mgz is neither in the dataset's sourcedata/freesurfer nor beside the dataset; set the parameter freesurfer; or set labels to an image in that space, or to { atlas: NAME }",
		},
		{
			name: "acquisitions", make: func(d dataset) {
				for _, acq := range []string{"acq-a_rec-x_dir-AP", "acq-b_rec-x_dir-AP", "acq-b_rec-y_dir-AP",
					"acq-b_rec-y_dir-PA"} {
					d.write("sub-01/ses-01/func/sub-01_ses-01_task-rest_"+acq+"_run-02_space-T1w_desc-preproc_bold.nii.gz", "")
				}
				d.write("sub-01/anat/sub-01_desc-aparcaseg_dseg.nii.gz", "")
			},
			change: func(c *BIDSCohort) {
				c.Confounds = false
				c.Session, c.Run, c.Direction = []string{"ses-1"}, []string{"2"}, []string{"dir-PA"}
				c.Acquisition, c.Reconstruction = []string{"b"}, []string{"y"}
			},
			files: map[string]string{
				"bold": "sub-01_ses-01_task-rest_acq-b_rec-y_dir-PA_run-02_space-T1w_desc-preproc_bold.nii.gz", "labels": "sub-01_desc-aparcaseg_dseg.nii.gz",
			}, from: labelsOnT1w,
		},
		{
			name: "which acquisition", make: func(d dataset) {
				for _, acq := range []string{"acq-a_dir-AP", "acq-b_dir-AP", "dir-PA"} {
					d.write("sub-01/func/sub-01_task-rest_"+acq+"_space-T1w_desc-preproc_bold.nii.gz", "")
				}
			},
			wrong: "3 scans match; they differ in acq (a, b, none): set the parameter acquisition, dir (AP, PA): set the parameter direction; runs: all, in a file with extends: runs.yaml (of series: timeseries-runs.yaml), uses them all and joins them after denoising",
		},
		{
			name: "sessions", make: func(d dataset) {
				for _, ses := range []string{"a", "b"} {
					d.write("sub-01/ses-"+ses+"/func/sub-01_ses-"+ses+"_task-rest_space-T1w_desc-preproc_bold.nii.gz", "")
					d.write("sub-01/ses-"+ses+"/func/sub-01_ses-"+ses+"_task-rest_desc-confounds_regressors.tsv", "csf\n1\n")
				}
				d.write("sub-01/anat/sub-01_desc-aparcaseg_dseg.nii.gz", "")
			},
			change: func(c *BIDSCohort) { c.Session, c.Task = []string{"b"}, []string{"rest"} },
			files: map[string]string{
				"bold": "sub-01_ses-b_task-rest_space-T1w_desc-preproc_bold.nii.gz", "labels": "sub-01_desc-aparcaseg_dseg.nii.gz",
				"confounds": "sub-01_ses-b_task-rest_desc-confounds_regressors.tsv",
			}, from: labelsOnT1w,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDataset(t, onePerson)
			c.make(d)
			if c.change == nil {
				c.change = func(*BIDSCohort) {}
			}
			r := need.Value(d.load(c.change))(t)
			if len(r.Subjects) != 1 || r.Subjects[0].ID != "sub-01" {
				t.Fatalf("subjects %+v", r.Subjects)
			}
			if c.wrong != "" {
				want := "participant sub-01: " + strings.ReplaceAll(c.wrong, "DIR", filepath.ToSlash(d.dir)) + ""
				if err := r.Subjects[0].Problem; err == nil || filepath.ToSlash(err.Error()) != want {
					t.Errorf("problem %v\nwant %s", err, want)
				}
				return
			}
			need.NoError(t, r.Subjects[0].Problem)
			got := base(r, 0)
			if fmt.Sprint(got) != fmt.Sprint(c.files) {
				t.Errorf("files %v\nwant %v", got, c.files)
			}
			for port := range got {
				if _, ok := r.Files[port]; !ok {
					t.Errorf("port %s has no type", port)
				}
			}
			inventory := r.Extra["inventory"].(*encoding.Table)
			need.Equal(t, stagetest.Sure(inventory.Strings("labels"))[0], c.from, "labels from")
		})
	}
}

// A column mean_fd of the table is used, and noted where the confounds contradict it by more than rounding. Where they
// do not, they fill its empty cells. Their means are 0.2, 0.2 and 0.6 mm; those of sub-04 have none.
func TestBIDSMotionOfTable(t *testing.T) {
	for _, c := range []struct{ values, want, second string }{
		{"0.1 0.195 0.611 0.9", "mean_fd of the participants table differs from the mean framewise displacement of the confounds by more than 0.01 mm for 2 of 3 participants: sub-01 (0.1 and 0.2 mm), sub-03 (0.611 and 0.6 mm); select and covariates use the column: to use the mean of the confounds, rename the column in the table", "0.195"},
		{"0.209 0.2 0.6 n/a", "", "0.2"},
		{"0.209 n/a 0.6 0.9", "column mean_fd of the participants table is empty for 1 participant, so the mean of their confounds is used: sub-02 (0.2 mm)", "0.2"},
		{"0.2 -999 n/a n/a", "column mean_fd of the participants table is empty for 2 participants, so the mean of their confounds is used: sub-02 (0.2 mm), sub-03 (0.6 mm)", "0.2"},
		{"0.1 n/a 0.6 n/a", "mean_fd of the participants table differs from the mean framewise displacement of the confounds by more than 0.01 mm for 1 of 2 participants: sub-01 (0.1 and 0.2 mm); select and covariates use the column; it stays empty for sub-02 (0.2 mm): to use the mean of the confounds, rename the column in the table", "NaN"},
	} {
		v := strings.Fields(c.values)
		d := newDataset(t, fmt.Sprintf("participant_id\tdx\tmean_fd\nsub-01\tASD\t%s\nsub-02\tHC\t%s\nsub-03\tASD\t%s\nsub-04\tHC\t%s\n", v[0], v[1], v[2], v[3]))
		for i, fd := range []string{"0.1\n0.3", "0.2\n0.2", "0.6\n0.6", "n/a\nn/a"} {
			id := fmt.Sprintf("sub-0%d", i+1)
			d.list("legacy.txt", "sub-01", id)
			d.write(id+"/func/"+id+"_task-mixedgamblestask_run-02_desc-confounds_timeseries.tsv",
				"framewise_displacement\n"+fd+"\n")
		}
		r, err := d.load(func(c *BIDSCohort) { c.Group = "dx" })
		need.NoError(t, err)
		got := strings.Join(slices.DeleteFunc(wording.NoteTexts(r.Notes), func(n string) bool {
			return !strings.HasPrefix(n, "mean_fd") && !strings.HasPrefix(n, "column mean_fd")
		}), "\n")
		need.Equal(t, got, c.want, "note")
		fd := stagetest.Sure(r.Participants.Floats("mean_fd"))
		if want := strings.SplitN(c.values, " ", 2)[0]; fmt.Sprint(fd[0]) != want {
			t.Errorf("mean_fd %v, want that of the table, %s", fd, want)
		}
		need.Equal(t, fmt.Sprint(fd[1]), c.second, "of sub-02")
	}
}

// Selection sees the motion that the tables of confounds tell, and those who are
// left out are named.
func TestBIDSPeople(t *testing.T) {
	d := newDataset(t, "participant_id\tdx\tage\nsub-01\t1\t9\nsub-02\t2\t8\nsub-03\t1\t7\nsub-04\tn/a\t8\n")
	for _, s := range []string{"sub-01", "sub-02", "sub-04", "sub-99"} {
		d.list("legacy.txt", "sub-01", s)
	}
	d.write("sub-02/func/sub-02_task-mixedgamblestask_run-02_desc-confounds_timeseries.tsv", "framewise_displacement\nn/a\n0.1\n0.3\n")
	d.write("dataset_description.json", `{"GeneratedBy": [{"Name": "fMRIPrep", "Version": "23.1.4"}]}`)
	group := func(c *BIDSCohort) { c.Group, c.Levels = "dx", []string{"1=ASD", "2=HC"} }

	r, err := d.load(group)
	need.NoError(t, err)
	var problems []string
	for _, s := range r.Subjects {
		if s.Problem != nil {
			problems = append(problems, s.Problem.Error())
		}
	}
	if len(r.Subjects) != 4 || len(problems) != 2 || !strings.Contains(problems[0], "sub-03 does not exist") ||
		!strings.Contains(problems[1], "participant sub-04: it has no group (column \"dx\" of") {
		t.Errorf("%d participants, problems %q", len(r.Subjects), problems)
	}
	fd := stagetest.Sure(r.Participants.Floats("mean_fd"))
	if !slices.Equal(fd[:2], []float64{0.5, 0.2}) || !math.IsNaN(fd[2]) {
		t.Errorf("mean_fd %v", fd)
	}
	if len(r.Here) != 1 || !strings.HasPrefix(r.Here[0], "data: "+r.Root+"; participants: ") {
		t.Errorf("told where the data lie: %q", r.Here)
	}
	notes := notesOf(r)
	for _, want := range []string{"fMRIPrep 23.1.4, participants of participants.tsv", "labels of 3 participants: " + labelsOnGrid, "1 in the dataset, but not in the table: sub-99"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q is missing from the notes\n%s", want, notes)
		}
	}

	if strings.Contains(notes, "no brain mask") {
		t.Errorf("everybody has a mask\n%s", notes)
	}
	need.NoError(t, os.Remove(filepath.Join(d.dir, "sub-02/func/sub-02_task-mixedgamblestask_run-02_space-T1w_desc-brain_mask.nii.gz")))

	r, err = d.load(func(c *BIDSCohort) { group(c); c.Incomplete = "skip"; c.Select = "mean_fd < 0.3" })
	need.NoError(t, err)
	if len(r.Subjects) != 1 || r.Subjects[0].ID != "sub-02" || r.Subjects[0].Problem != nil {
		t.Errorf("subjects %+v", r.Subjects)
	}
	if notes := notesOf(r); !strings.Contains(notes, "; those in anat/ are not used) for every participant: ") {
		t.Errorf("the mask that is missing is not told\n%s", notes)
	}
	if ids := stagetest.Sure(r.Participants.Strings("participant_id")); !slices.Equal(ids, []string{"sub-02"}) {
		t.Errorf("participants %v", ids)
	}
	r, err = d.load(func(c *BIDSCohort) { group(c); c.Incomplete = "skip" })
	if err != nil || len(r.Subjects) != 2 || !strings.Contains(strings.Join(wording.NoteTexts(r.Notes), "\n"),
		"excluded sub-03: ") {
		t.Errorf("error %v, %+v", err, r)
	}
	// Who is excluded is in no group.
	d.write("few.tsv", "participant_id\tdx\nsub-01\t1\nsub-03\t2\n")
	for incomplete, want := range map[string]bool{"fail": false, "skip": true} {
		r, err = d.load(func(c *BIDSCohort) {
			group(c)
			c.File, c.Incomplete = filepath.Join(d.dir, "few.tsv"), incomplete
		})
		need.NoError(t, err)
		need.Equal(t, strings.Contains(notesOf(r), "every participant is in the group ASD, so groups cannot be compared"), want, incomplete)
	}

	for _, c := range []struct {
		change func(*BIDSCohort)
		want   string
	}{
		{func(c *BIDSCohort) { c.Dir = "" }, "dir is not set: the directory of the derivatives"},
		{func(c *BIDSCohort) { c.Dir = "nowhere" }, "no such directory"},
		{func(c *BIDSCohort) { c.Group = "diagnosis" }, "has no column \"diagnosis\""},
		{func(c *BIDSCohort) { c.File = "people.tsv" }, "people.tsv"},
		{func(c *BIDSCohort) { group(c); c.Space, c.Labels = "native", "freesurfer" }, "no scan matches space: native; the scans are in MNI152NLin2009cAsym (3 of 3 participants), MNI152NLin6Asym (3 of 3 participants), T1w (3 of 3 participants); write space: MNI152NLin2009cAsym, or space: MNI152NLin6Asym, or space: T1w, or remove space and resolution"},
		{func(c *BIDSCohort) { c.Raw = "elsewhere" }, "elsewhere"},
		{func(c *BIDSCohort) { group(c); c.Labels = "atlas.nii.gz" }, "\"atlas.nii.gz\" is neither a column"},
		{func(c *BIDSCohort) { group(c); c.Exclude = []string{"sub-77"} }, "there is no participant \"sub-77\""},
		{func(c *BIDSCohort) { group(c); c.Incomplete = "skip"; c.Task = []string{"rest"} }, "no participant has all files"},
	} {
		_, err := d.load(c.change)
		need.Error(t, err, c.want)
	}
}

// A scan without a JSON file leaves the JSON files of the others as they are. Its header counts, unless the user or
// most other scans state that headers are wrong.
func TestBIDSMissingSidecar(t *testing.T) {
	const file = "no JSON file gives the RepetitionTime of sub-03_task-rest_space-T1w_desc-preproc_bold.nii.gz, and "
	doubted := func(n, of int) string {
		return fmt.Sprintf("%sits header is not known to be right, since %d of %d other headers contradict their sidecars: add the file, or set repetition_time: header", file, n, of)
	}
	for _, c := range []struct {
		time    string
		sidecar [2]float64 // of sub-01 and sub-02, 0 for none; all headers give 2 s
		why     string
	}{
		{"auto", [2]float64{1.5, 1.5}, doubted(2, 2)},
		{"auto", [2]float64{1.5, 2}, ""},
		{"auto", [2]float64{2, 2}, ""},
		{"sidecar", [2]float64{1.5, 2}, file + "with repetition_time: sidecar its header does not count"},
		{"sidecar", [2]float64{2, 2}, ""},
		{"header", [2]float64{1.5, 1.5}, ""},
	} {
		d := newDataset(t, "participant_id\tgroup\nsub-01\tASD\nsub-02\tHC\nsub-03\tHC\n")
		for i, s := range []string{"sub-01", "sub-02", "sub-03"} {
			scan := s + "/func/" + s + "_task-rest_space-T1w_desc-preproc_bold"
			d.write(scan+".nii.gz", string(stagetest.Encoded(t, artifacts.Bytes{Kind: "nifti", Data: smallScan(t, 2)})))
			d.write(s+"/anat/"+s+"_desc-aparcaseg_dseg.nii.gz", "")
			if i < 2 {
				d.write(scan+".json", fmt.Sprintf(`{"RepetitionTime": %g}`, c.sidecar[i]))
			}
		}
		r := need.Value(d.load(func(b *BIDSCohort) { b.Confounds, b.Time = false, c.time }))(t)
		port := c.time != "header"
		if got := r.Subjects[0].Files["sidecar"] != ""; got != port || r.Subjects[2].Files["sidecar"] != "" {
			t.Errorf("%s: files %v, %v", c.time, r.Subjects[0].Files, r.Subjects[2].Files)
		}
		need.NoError(t, r.Subjects[0].Problem)
		wrong := r.Subjects[2].Problem
		if wrong == nil != (c.why == "") || wrong != nil && !strings.Contains(wrong.Error(), c.why) {
			t.Errorf("%v: problem %v, want %q", c, wrong, c.why)
		}
		const note = "no JSON file gives the RepetitionTime for sub-03"
		if slices.Contains(wording.NoteTexts(r.Notes), note+": there the header of the scan counts") != (port && c.why == "") ||
			slices.Contains(wording.NoteTexts(r.Notes), note) != (c.why != "") {
			t.Errorf("%v: notes %q", c, wording.NoteTexts(r.Notes))
		}
	}
}

func TestBIDSLeftOutAndTimes(t *testing.T) {
	d := newDataset(t, "")
	need.NoError(t, os.Remove(filepath.Join(d.dir, "participants.tsv")))
	d.write("dataset_description.json", `{"GeneratedBy": [{"Name": "fMRIPrep", "Version": "1.3.2"}], "DatasetLinks": {"raw": "the raw one"}}`)
	d.write("the raw one/participants.tsv", "participant_id\tgroup\tage\nsub-01\tASD\t9\nsub-02\tASD\t6\nsub-03\tHC\tn/a\nsub-04\tHC\t8\nsub-05\tHC\t9\n")
	for i, s := range []string{"sub-01", "sub-02", "sub-03", "sub-04", "sub-05"} {
		scan := s + "/func/" + s + "_task-rest_space-T1w_desc-preproc_bold"
		d.write(scan+".nii.gz", string(stagetest.Encoded(t, artifacts.Bytes{Kind: "nifti", Data: smallScan(t, 2)})))
		d.write(scan+".json", fmt.Sprintf(`{"RepetitionTime": %v}`, 2+float64(i)/1000))
		d.write(s+"/anat/"+s+"_desc-aparcaseg_dseg.nii.gz", "")
	}
	need.NoError(t, os.Remove(filepath.Join(d.dir, "sub-05", "anat", "sub-05_desc-aparcaseg_dseg.nii.gz")))
	if _, err := d.load(func(c *BIDSCohort) {
		c.Confounds, c.Incomplete, c.Select, c.Exclude = false, "skip", "age >= 7", []string{"1"}
	}); err == nil {
		t.Fatal("sub-01 is excluded as 1, of which the table has none")
	}
	r, err := d.load(func(c *BIDSCohort) {
		c.Confounds, c.Incomplete, c.Select, c.Exclude = false, "skip", "age >= 7", []string{"01", "02"} // 02 is 6
	})
	need.NoError(t, err)
	if len(r.Subjects) != 1 || r.Subjects[0].ID != "sub-04" {
		t.Errorf("subjects %+v", r.Subjects)
	}
	left := lists.Map(r.Left, func(l listed.LeftOut) string { return l.ID + " " + strings.SplitN(l.Why, " (", 2)[0] })
	want := []string{"sub-01 excluded by name", "sub-02 inclusion criterion not met: age >= 7", "sub-03 inclusion criterion not met: age >= 7", "sub-05 it has no labels"}
	if !slices.Equal(left, want) {
		t.Errorf("left out %q, want %q", left, want)
	}
	notes := notesOf(r)
	if want := "the repetition times of sidecar and header differ: sub-04 (sidecar 2.003 s, header 2 s)"; !strings.Contains(notes, want) {
		t.Errorf("%q is missing from the notes\n%s", want, notes)
	}
	if r, err = d.load(func(c *BIDSCohort) { c.Confounds = false }); err != nil {
		t.Fatal(err)
	}
	notes = notesOf(r)
	_, doubted := r.About(r.IDs())
	apart := strings.Join(wording.NoteTexts(doubted), "; ")
	if want := "header differ: sub-03 (sidecar 2.002 s, header 2 s), sub-04 (sidecar 2.003 s, header 2 s), sub-05 (sidecar 2.004 s, header 2 s)"; !strings.Contains(apart, want) || !strings.Contains(notes, apart) || !strings.Contains(notes, "not all scans have the same repetition time: 2 s (1), 2.001 s (1)") {
		t.Errorf("%q is missing from the notes\n%s", want, notes)
	}
	for _, s := range []string{"sub-01", "sub-02", "sub-03", "sub-04", "sub-05"} {
		d.write(s+"/func/"+s+"_task-rest_space-MNI152NLin2009cAsym_desc-preproc_bold.nii.gz", "")
	}
	if _, err := d.load(func(c *BIDSCohort) { c.Space = "MNI152NLin2009cAsym" }); err == nil || !strings.Contains(err.Error(), "labels: fMRIPrep 1.3.2 resampled aparcaseg to space-MNI152NLin2009cAsym incorrectly (fixed in 1.4.0)") {
		t.Errorf("error %v", err)
	}
}

// smallScan is an image of 2×2×2 voxels and 3 volumes.
func smallScan(t *testing.T, tr float64) []byte {
	t.Helper()
	var b bytes.Buffer
	unit := nifti.Affine{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}
	need.NoError(t, nifti.Encode(&b, &nifti.Image{Shape: []int{2, 2, 2, 3}, Affine: unit, Code: 2, TR: tr,
		Data: make([]int16, 24)}))
	return b.Bytes()
}

// The legacy layout (fMRIPrep 20.2) has its participants one directory further down: the raw dataset is found from the
// directory that is named, and where it is not, every place that was looked in is told.
func TestBIDSLegacyLayout(t *testing.T) {
	for _, c := range []struct{ named, table string }{
		{"raw/derivatives/fmriprep-20.2.7", "raw/participants.tsv"},
		{"raw/derivatives/fmriprep-20.2.7/fmriprep", "raw/derivatives/participants.tsv"},
		{"raw/derivatives/fmriprep-20.2.7", "raw/derivatives/rawdata/participants.tsv"},
		{"raw/derivatives/fmriprep-20.2.7", ""},
	} {
		d := dataset{t, t.TempDir()}
		for _, s := range []string{"sub-01", "sub-02"} {
			scan := "raw/derivatives/fmriprep-20.2.7/fmriprep/" + s + "/func/" + s + "_task-rest_space-T1w_desc-"
			d.write(scan+"preproc_bold.nii.gz", "")
			d.write(scan+"aparcaseg_dseg.nii.gz", "")
		}
		if c.table != "" {
			d.write(c.table, "participant_id\tgroup\nsub-01\tA\nsub-02\tB\n")
		}
		r, err := d.load(func(b *BIDSCohort) { b.Dir, b.Confounds = c.named, false })
		if c.table != "" {
			if err != nil || len(r.Subjects) != 2 {
				t.Errorf("%s, %s: %v", c.named, c.table, err)
			}
			continue
		}
		if err == nil {
			t.Fatal("there is no table")
		}
		for _, place := range []string{"raw/derivatives/fmriprep-20.2.7/fmriprep", "raw/derivatives/fmriprep-20.2.7", "raw/derivatives", "raw", "raw/rawdata", "raw/derivatives/fmriprep-20.2.7/fmriprep/sourcedata/raw"} {
			if n := strings.Count(err.Error()+"\n", "\n  "+filepath.Join(d.dir, place, "participants.tsv")+
				"\n"); n != 1 {
				t.Errorf("%s stands %d times in\n%v", place, n, err)
			}
		}
	}
}

// Derivatives are given by a link as well: the raw dataset lies around what it points to.
func TestBIDSThroughALink(t *testing.T) {
	d := dataset{t, t.TempDir()}
	scan := "ds000/derivatives/fmriprep/sub-01/func/sub-01_task-rest_space-T1w_desc-"
	d.write(scan+"preproc_bold.nii.gz", "")
	d.write("ds000/derivatives/freesurfer/sub-01/mri/aparc+aseg.mgz", "not read")
	d.write("ds000/participants.tsv", "participant_id\tgroup\nsub-01\tA\n")
	d.write("study/x", "x")
	need.NoError(t, os.Symlink("../ds000/derivatives/fmriprep", filepath.Join(d.dir, "study", "fmriprep")))
	r, err := d.load(func(b *BIDSCohort) { b.Dir, b.Confounds = "study/fmriprep", false })
	need.NoError(t, err)
	if text := fmt.Sprint(r.Subjects[0].Problem); strings.Contains(text, "cannot be used: its mri/aparc+aseg.mgz is neither") {
		t.Error(text)
	}
}

// notesOf are the notes of a roster, with those about the scans of all that take part.
func notesOf(r *Roster) string {
	about, _ := r.About(r.IDs())
	return strings.Join(wording.NoteTexts(slices.Concat(r.Notes, about)), "\n")
}

// What is said of scans is of those participants alone that are asked for.
func TestBIDSNotesOfSome(t *testing.T) {
	d := newDataset(t, "participant_id\tgroup\nsub-01\tA\nsub-02\tB\nsub-03\tB\n")
	for _, s := range []string{"sub-01", "sub-02", "sub-03"} {
		d.write(s+"/func/"+s+"_task-rest_space-T1w_desc-preproc_bold.nii.gz", "")
		d.write(s+"/func/"+s+"_task-rest_space-T1w_desc-aparcaseg_dseg.nii.gz", "")
	}
	d.write("sub-01/func/sub-01_task-rest_space-T1w_desc-brain_mask.nii.gz", "")
	r := need.Value(d.load(func(c *BIDSCohort) { c.Confounds = false }))(t)
	for want, ids := range map[string][]string{
		"labels of 1 participant: " + labelsOnGrid: {"sub-01"},
		"labels of 2 participants: " + labelsOnGrid + "\nno brain mask of the scan (func/…_space-…_desc-brain_mask.nii.gz; those in anat/ are not used) for sub-02: " + uncropped: {"sub-01", "sub-02"},
	} {
		some := lists.Set(ids)
		if about, _ := r.About(some); strings.Join(wording.NoteTexts(about), "\n") != want {
			t.Errorf("%v: %q, want %q", ids, about, want)
		}
	}
}

const uncropped = "regions are neither checked against a mask nor cropped to it"

// Short scans are named, by the headers alone: of bids and of table.
func TestShortScansAreNoted(t *testing.T) {
	dir, rows := t.TempDir(), "participant_id\tgroup\tbold\n"
	for i, volumes := range []int{80, 81, 19, 79} {
		id := fmt.Sprintf("sub-%d", i+1)
		var b bytes.Buffer
		need.NoError(t, nifti.Encode(&b, &nifti.Image{Shape: []int{1, 1, 1, volumes}, TR: 2, Code: 1,
			Affine: nifti.Identity, Data: make([]int16, volumes)}))
		name := filepath.Join(id, "func", id+"_task-rest_space-T1w_desc-preproc_bold.nii.gz")
		testdir.Write(t, filepath.Join(dir, name), b.String())
		testdir.Write(t, filepath.Join(dir, strings.Replace(name, "desc-preproc_bold", "desc-aparcaseg_dseg", 1)), b.String())
		rows += id + "\t" + []string{"A", "B"}[i%2] + "\t" + filepath.ToSlash(name) + "\n"
	}
	testdir.Write(t, filepath.Join(dir, "participants.tsv"), rows)
	testdir.Write(t, filepath.Join(dir, "labels.nii"), "")
	all := map[string]bool{"sub-1": true, "sub-2": true, "sub-3": true, "sub-4": true}
	bids := bidsCohortKind.New().(*BIDSCohort)
	bids.Dir, bids.Confounds = dir, false
	tables := &TableCohort{Parameters: listed.Defaults(), BOLD: "bold", Labels: "bold", Nodes: "dk84", Space: "auto"}
	tables.File = filepath.Join(dir, "participants.tsv")
	for name, c := range map[string]Loader{"bids": bids, "table": tables} {
		r, err := c.Load(dir)
		need.NoError(t, err, name)
		notes, _ := r.About(all)
		want := "scans have far fewer volumes than the others (median 80): sub-3 (19); if a file was truncated, copy it again; otherwise exclude these participants (exclude)"
		if !slices.Contains(wording.NoteTexts(notes), want) {
			t.Errorf("%s: notes %q lack %q", name, notes, want)
		}
		delete(all, "sub-1") // of two others and the short one
		if notes, _ = r.About(all); !strings.Contains(strings.Join(wording.NoteTexts(notes), "\n"), "sub-3 (19)") {
			t.Errorf("%s: notes of three %q", name, notes)
		}
		all["sub-1"] = true
	}
}

// Entities of the scans' names that separate the groups are noted: the session, a task, or one that one group lacks.
func TestEntitiesThatSeparateTheGroups(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"task-rest", "task-rest", ""},
		{"ses-01_task-rest", "ses-02_task-rest", "the session is completely confounded with the group: A 01 (4), B 02 (4)"},
		{"task-rest", "task-eyesopen", "the task is completely confounded with the group: A rest (4), B eyesopen (4)"},
		{"task-rest_acq-mb", "task-rest",
			"the acquisition (acq) is completely confounded with the group: A mb (4), B none (4)"},
		{"task-rest_dir-AP", "task-rest_dir-PA",
			"the phase-encoding direction (dir) is completely confounded with the group: A AP (4), B PA (4)"},
		{"task-rest_run-1", "task-rest_run-2", "the run is completely confounded with the group: A 1 (4), B 2 (4)"},
	} {
		dir, rows, ids := t.TempDir(), "participant_id\tgroup\tbold\n", map[string]bool{}
		for i := range 8 {
			id := fmt.Sprintf("sub-%d", i+1)
			ids[id] = true
			var b bytes.Buffer
			need.NoError(t, nifti.Encode(&b, &nifti.Image{Shape: []int{1, 1, 1, 10}, TR: 2, Code: 1,
				Affine: nifti.Identity, Data: make([]int16, 10)}))
			name := id + "_" + []string{c.a, c.b}[i%2] + "_bold.nii.gz"
			testdir.Write(t, filepath.Join(dir, name), b.String())
			rows += id + "\t" + []string{"A", "B"}[i%2] + "\t" + name + "\n"
		}
		testdir.Write(t, filepath.Join(dir, "participants.tsv"), rows)
		testdir.Write(t, filepath.Join(dir, "labels.nii"), "")
		table := &TableCohort{Parameters: listed.Defaults(), BOLD: "bold", Labels: "bold", Nodes: "dk84", Space: "auto"}
		table.File = filepath.Join(dir, "participants.tsv")
		notes, _ := need.Value(table.Load(dir))(t).About(ids)
		got := ""
		for _, note := range wording.Notes(notes) {
			if note.Doubt == column.DoubtEntity {
				got += note.Text
			}
		}
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s and %s: %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

// What no two groups share of the acquisition of their scans is noted, of bids and of table, and by no group of which
// each scan has a value of its own.
func TestAcquisitionThatSeparatesTheGroups(t *testing.T) {
	const tr = "the repetition time is completely confounded with the group: A 2 s (4), B 3 s (4); "
	const length = "the number of volumes is completely confounded with the group: A 10 volumes (4), B 12 volumes (4); "
	for want, scan := range map[string]func(i int) (tr float64, volumes int){
		tr:          func(i int) (float64, int) { return 2 + float64(i%2), 10 + i/4 },
		tr + length: func(i int) (float64, int) { return 2 + float64(i%2), 10 + i%2*2 },
		"":          func(i int) (float64, int) { return 2, 10 + i },
	} {
		dir, rows := t.TempDir(), "participant_id\tgroup\tbold\n"
		ids := map[string]bool{}
		for i := range 8 {
			id := fmt.Sprintf("sub-%d", i+1)
			ids[id] = true
			tr, volumes := scan(i)
			var b bytes.Buffer
			need.NoError(t, nifti.Encode(&b, &nifti.Image{Shape: []int{1, 1, 1, volumes}, TR: tr, Code: 1,
				Affine: nifti.Identity, Data: make([]int16, volumes)}))
			name := filepath.Join(id, "func", id+"_task-rest_space-T1w_desc-preproc_bold.nii.gz")
			testdir.Write(t, filepath.Join(dir, name), b.String())
			testdir.Write(t, filepath.Join(dir, strings.Replace(name, "desc-preproc_bold", "desc-aparcaseg_dseg", 1)),
				b.String())
			rows += id + "\t" + []string{"A", "B"}[i%2] + "\t" + filepath.ToSlash(name) + "\n"
		}
		testdir.Write(t, filepath.Join(dir, "participants.tsv"), rows)
		testdir.Write(t, filepath.Join(dir, "labels.nii"), "")
		bids := bidsCohortKind.New().(*BIDSCohort)
		bids.Dir, bids.Confounds = dir, false
		tables := &TableCohort{Parameters: listed.Defaults(), BOLD: "bold", Labels: "bold", Nodes: "dk84",
			Space: "auto"}
		tables.File = filepath.Join(dir, "participants.tsv")
		for name, c := range map[string]Loader{"bids": bids, "table": tables} {
			notes, _ := need.Value(c.Load(dir))(t).About(ids)
			got := ""
			for _, note := range wording.NoteTexts(notes) {
				if at := strings.Index(note, "a classifier may learn the acquisition"); at >= 0 {
					got += note[:at]
				}
			}
			if got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	}
}

// A negative displacement is refused for the participant, at its line; 999 among displacements of less than 1 mm is
// noted, since mean_fd counts it.
func TestImpossibleMotion(t *testing.T) {
	d := newDataset(t, "participant_id\tgroup\nsub-01\tA\nsub-02\tB\nsub-03\tA\n")
	for _, s := range []string{"sub-01", "sub-02", "sub-03"} {
		d.list("legacy.txt", "sub-01", s)
	}
	for id, fd := range map[string]string{"sub-02": "n/a\n0.1\n-1\n", "sub-03": "n/a\n0.1\n999\n",
		"sub-01": "n/a\n0.0002\n0.0001\n"} {
		d.write(id+"/func/"+id+"_task-mixedgamblestask_run-02_desc-confounds_timeseries.tsv", "framewise_displacement\n"+fd)
	}
	r := need.Value(d.load(func(*BIDSCohort) {}))(t)
	for i, s := range r.Subjects {
		if (s.Problem != nil) != (i == 1) {
			t.Errorf("%s: %v", s.ID, s.Problem)
		}
	}
	need.Error(t, r.Subjects[1].Problem, "timeseries.tsv:4: framewise_displacement is -1, but cannot be negative: write n/a for a missing value")
	for _, note := range []string{
		"framewise_displacement of the confounds has numbers that may stand for missing values, but that enter mean_fd: sub-03 (999); write n/a in their place",
		"framewise_displacement of the confounds was not measured, or is not in mm (mean below 0.01 mm or above 5 mm): sub-01 (0.00015 mm); give it in mm, or write n/a",
	} {
		if notes := notesOf(r); !strings.Contains(notes, note) {
			t.Error(notes)
		}
	}
}

// A sidecar of a scan whose SamplingFrequency contradicts its RepetitionTime is noted.
func TestSamplingFrequencyOfScans(t *testing.T) {
	d := newDataset(t, "participant_id\tgroup\nsub-01\tA\nsub-02\tB\n")
	for _, s := range []string{"sub-01", "sub-02"} {
		d.list("legacy.txt", "sub-01", s)
		d.write(s+"/func/"+s+"_task-mixedgamblestask_run-02_space-T1w_desc-preproc_bold.json",
			`{"RepetitionTime": 2, "SamplingFrequency": `+map[string]string{"sub-01": "0.5", "sub-02": "3"}[s]+`}`)
	}
	r := need.Value(d.load(func(*BIDSCohort) {}))(t)
	const note = "contradicts its RepetitionTime, which is used: sub-02 (RepetitionTime 2 s, SamplingFrequency 3 Hz)"
	if notes := notesOf(r); !strings.Contains(notes, note) {
		t.Error(notes)
	}
	apart := &bids.Sampling{Time: 2, Frequency: 1}
	for _, c := range []struct {
		f    bidsFiles
		want bool
	}{{bidsFiles{sampling: apart, tr: 2}, true}, {bidsFiles{sampling: apart, tr: 2, headerTR: 3}, true},
		{bidsFiles{sampling: apart, tr: 2, headerTR: 2}, false}} { // which the header confirms
		_, contradict := timeNotes([]listed.Row{{ID: "a"}}, map[string]*bidsFiles{"a": &c.f}, "run")
		need.Equal(t, slices.ContainsFunc(contradict, func(n column.Note) bool { return n.Code == "noted.sampling" }),
			c.want)
	}
}

// The VolumeTiming of a sidecar counts, and not the header, which knows of no pauses between volumes.
func TestVolumeTimingOfScans(t *testing.T) {
	d := newDataset(t, threePeople+"sub-04\tHC\n")
	for sub, text := range map[string]string{"sub-01": "[0, 2, 4]", "sub-02": "[0, 2, 12]",
		"sub-03": "[0, 10, 20]", "sub-04": "[0, 2]"} {
		scan := sub + "/func/" + sub + "_task-rest_space-T1w_desc-preproc_bold"
		d.write(scan+".nii.gz", "")
		d.write(scan+".json", `{"VolumeTiming": `+text+`}`)
		d.write(sub+"/anat/"+sub+"_desc-aparcaseg_dseg.nii.gz", "")
	}
	r := need.Value(d.load(func(b *BIDSCohort) { b.Confounds, b.Time = false, "header" }))(t)
	need.NoError(t, r.Subjects[1].Problem)
	r = need.Value(d.load(func(b *BIDSCohort) { b.Confounds = false }))(t)
	need.NoError(t, r.Subjects[0].Problem)
	need.Error(t, r.Subjects[1].Problem, "sub-02_task-rest_space-T1w_desc-preproc_bold.json: a VolumeTiming with 2 to 10 s",
		"or set repetition_time: header")
	need.NoError(t, r.Subjects[2].Problem)
	need.Error(t, r.Subjects[3].Problem, "preproc_bold.json: a VolumeTiming of 2 onsets for 3 volumes",
		"or set repetition_time: header")
	for i, want := range []float64{2, 10} {
		_, tr := r.Scan([]string{"sub-01", "sub-03"}[i], "1")
		need.Equal(t, tr, want)
	}
	notes, _ := r.About(r.IDs())
	need.Equal(t, strings.Contains(strings.Join(wording.NoteTexts(notes), "\n"), "sub-03 (sidecar 10 s, header 2 s)"), true)
}
