package cohort

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/stages/wording"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
	"prgnn/stages/stagetest"
)

const threePeople = "participant_id\tgroup\nsub-01\tASD\nsub-02\tHC\nsub-03\tASD\n"

// One space that is there is taken and said; between several nothing is guessed, and the message
// lists them with what to write; no participant is said to be skipped.
func TestBIDSSpaces(t *testing.T) {
	const mni, nlin6 = "space-MNI152NLin2009cAsym", "space-MNI152NLin6Asym"
	for _, c := range []struct {
		name   string
		scans  [3]string // of each participant
		change func(*BIDSCohort)
		takes  string
		note   string
		wrong  string
	}{
		{"one", [3]string{mni, mni, mni}, nil, mni, "space: MNI152NLin2009cAsym, the only one", ""},
		{"one with res", [3]string{mni + "_res-2", mni + "_res-2", mni + "_res-2"}, nil, mni + "_res-2", "space: MNI152NLin2009cAsym res-2, the only one", ""},
		{"one beside the scan's own", [3]string{mni + " ", mni + " ", mni}, nil, mni, "space: MNI152NLin2009cAsym, the only one", ""},
		{"two", [3]string{mni + " space-T1w", mni + " space-T1w", mni}, nil, "", "",
			"the scans are in 2 spaces, but only one can be analyzed: MNI152NLin2009cAsym (3 of 3 participants), T1w (2 of 3 participants); write space: MNI152NLin2009cAsym, or space: T1w"},
		{"one of two", [3]string{mni + " space-T1w", mni + " space-T1w", mni + " space-T1w"},
			func(c *BIDSCohort) { c.Space = "T1w" }, "space-T1w", "", ""},
		{"two resolutions", [3]string{mni + " " + mni + "_res-2", mni + "_res-2", mni + "_res-2 " + nlin6}, nil, "", "",
			"the scans are in 3 spaces, but only one can be analyzed: MNI152NLin2009cAsym res-2 (3 of 3 participants), MNI152NLin2009cAsym (1 of 3 participants), MNI152NLin6Asym (1 of 3 participants); write space: MNI152NLin2009cAsym with resolution: 2, or space: MNI152NLin2009cAsym with resolution: native, or space: MNI152NLin6Asym"},
		{"a resolution", [3]string{mni + " " + mni + "_res-02", mni + "_res-02", mni + "_res-02"},
			func(c *BIDSCohort) { c.Resolution = []string{"2"} },
			mni + "_res-02", "space: MNI152NLin2009cAsym res-02, the only one", ""},
		{"no res-", [3]string{mni + " " + mni + "_res-2", mni, mni},
			func(c *BIDSCohort) { c.Resolution = []string{"native"} },
			mni, "space: MNI152NLin2009cAsym, the only one", ""},
		{"a space that is not there", [3]string{mni, mni, mni}, func(c *BIDSCohort) { c.Space = "T1w" }, "", "",
			"no scan matches space: T1w; the scans are in MNI152NLin2009cAsym (3 of 3 participants); write space: MNI152NLin2009cAsym, or remove space and resolution"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDataset(t, threePeople)
			for i, spaces := range c.scans {
				sub := fmt.Sprintf("sub-0%d", i+1)
				for _, space := range strings.Split(spaces, " ") {
					if space != "" {
						space += "_"
					}
					d.write(sub+"/func/"+sub+"_task-rest_"+space+"desc-preproc_bold.nii.gz", "")
				}
			}
			d.write("atlas.nii.gz", "")
			r, err := d.load(func(b *BIDSCohort) {
				b.Space, b.Labels, b.Confounds = "auto", "atlas.nii.gz", false
				if c.change != nil {
					c.change(b)
				}
			})
			if c.wrong != "" {
				if err == nil || err.Error() != d.dir+": "+c.wrong {
					t.Errorf("error %v\nwant %s", err, c.wrong)
				}
				return
			}
			need.NoError(t, err)
			for i, s := range r.Subjects {
				if want := fmt.Sprintf("sub-0%d_task-rest_%s_desc-preproc_bold.nii.gz", i+1, c.takes); filepath.Base(s.Files["bold"]) != want || s.Problem != nil {
					t.Errorf("%s: %s, want %s; problem %v", s.ID, s.Files["bold"], want, s.Problem)
				}
			}
			if said := strings.Join(wording.NoteTexts(r.Notes), "\n"); c.note != "" &&
				!slices.Contains(wording.NoteTexts(r.Notes), c.note) || c.note == "" &&
				strings.Contains(said, "only one") {
				t.Errorf("notes\n%s\nwant %q", said, c.note)
			}
		})
	}
}

// Labels in a template's space are looked for on the scan's grid first, then through FreeSurfer's
// transforms to the same space, of the same session, then of the participant.
func TestBIDSWarp(t *testing.T) {
	const surfer, bold = "sourcedata/freesurfer/sub-01/mri/aparc+aseg.mgz", "_task-rest_space-MNI152NLin2009cAsym_desc-preproc_bold.nii.gz"
	rigid, warp := "_from-fsnative_to-T1w_mode-image_xfm.txt", "_from-T1w_to-MNI152NLin2009cAsym_mode-image_xfm.h5"
	beside := "_from-T1w_to-MNI152NLin6Asym_mode-image_xfm.h5"
	for _, c := range []struct {
		name   string
		write  []string
		change func(*BIDSCohort)
		want   string // port=path of labels, transform, warp
		from   string
		wrong  string
	}{
		{name: "through both", write: []string{surfer, "sub-01/anat/sub-01" + rigid, "sub-01/anat/sub-01" + warp,
			"sub-01/anat/sub-01" + beside},
			want: "labels=aparc+aseg.mgz transform=sub-01" + rigid + " warp=sub-01" + warp, from: "FreeSurfer's aparc+aseg.mgz, through the transforms fsnative → T1w → MNI152NLin2009cAsym"},
		{name: "asked for", write: []string{surfer, "sub-01/anat/sub-01" + rigid, "sub-01/anat/sub-01" + warp, "sub-01/func/sub-01_task-rest_space-MNI152NLin2009cAsym_desc-aparcaseg_dseg.nii.gz"},
			change: func(c *BIDSCohort) { c.Labels = "freesurfer" },
			want:   "labels=aparc+aseg.mgz transform=sub-01" + rigid + " warp=sub-01" + warp, from: "FreeSurfer's aparc+aseg.mgz, through the transforms fsnative → T1w → MNI152NLin2009cAsym"},
		{name: "on the scan's grid", write: []string{surfer, "sub-01/anat/sub-01" + rigid, "sub-01/anat/sub-01" + warp,
			"sub-01/func/sub-01_task-rest_space-MNI152NLin2009cAsym_desc-aparcaseg_dseg.nii.gz"},
			want: "labels=sub-01_task-rest_space-MNI152NLin2009cAsym_desc-aparcaseg_dseg.nii.gz", from: labelsOnGrid},
		{name: "to another template", write: []string{surfer, "sub-01/anat/sub-01" + rigid, "sub-01/anat/sub-01" + beside},
			wrong: "FreeSurfer's cannot be used: it has no anat/…from-T1w_to-MNI152NLin2009cAsym_mode-image_xfm.h5"},
		{name: "of the other session", write: []string{surfer, "sub-01/ses-b/anat/sub-01_ses-b" + rigid, "sub-01/ses-b/anat/sub-01_ses-b" + warp},
			wrong: "it has no anat/…from-fsnative_to-T1w"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDataset(t, onePerson)
			d.write("dataset_description.json", `{"GeneratedBy": [{"Name": "fMRIPrep", "Version": "25.2.0"}]}`)
			scan := "sub-01/func/sub-01" + bold
			if strings.Contains(c.name, "session") {
				scan = "sub-01/ses-a/func/sub-01_ses-a" + bold
			}
			d.write(scan, "")
			for _, name := range c.write {
				d.write(name, "")
			}
			r, err := d.load(func(b *BIDSCohort) {
				b.Space, b.Confounds = "auto", false
				if c.change != nil {
					c.change(b)
				}
			})
			need.NoError(t, err)
			if c.wrong != "" {
				if p := r.Subjects[0].Problem; p == nil || !strings.Contains(p.Error(), c.wrong) ||
					strings.Contains(p.Error(), "skip") {
					t.Errorf("problem %v, want %s", p, c.wrong)
				}
				return
			}
			var got []string
			for _, port := range []string{"labels", "transform", "warp"} {
				if path, ok := r.Subjects[0].Files[port]; ok {
					got = append(got, port+"="+filepath.Base(path))
				}
				if _, typed := r.Files[port]; typed != strings.Contains(c.want, port+"=") {
					t.Errorf("port %s: %v", port, typed)
				}
			}
			if text := strings.Join(got, " "); text != c.want || r.Subjects[0].Problem != nil {
				t.Errorf("%s\nwant %s; problem %v", text, c.want, r.Subjects[0].Problem)
			}
			inventory := r.Extra["inventory"].(*encoding.Table)
			need.Equal(t, stagetest.Sure(inventory.Strings("labels"))[0], c.from, "labels from")
			if s := r.Scans(); s.Labels[c.from] != 1 || len(s.Labels) != 1 || s.Space != "MNI152NLin2009cAsym" ||
				s.MadeBy != "fMRIPrep 25.2.0" {
				t.Errorf("of its scans it says %+v", s)
			}
			need.Equal(t, stagetest.Sure(inventory.Strings("space"))[0], "MNI152NLin2009cAsym", "space")
		})
	}
}

// Files that were not fetched are named with the command that fetches them.
func TestBIDSNotFetched(t *testing.T) {
	const scan = "sub-01/func/sub-01_task-rest_space-MNI152NLin2009cAsym_desc-preproc_bold.nii.gz"
	d := newDataset(t, onePerson)
	d.write(scan, "")
	need.NoError(t, os.WriteFile(filepath.Join(d.dir, "tpl-MNI152NLin2009cAsym_res-01_atlas-A_dseg.nii.gz"), nil, 0o644))
	problem := func() string {
		t.Helper()
		r, err := d.load(func(b *BIDSCohort) {
			b.Space, b.Confounds, b.Labels = "auto", false, "tpl-MNI152NLin2009cAsym_res-01_atlas-A_dseg.nii.gz"
		})
		if err != nil || r.Subjects[0].Problem == nil {
			t.Fatalf("no problem; error %v", err)
		}
		return strings.ReplaceAll(r.Subjects[0].Problem.Error(), d.dir+string(filepath.Separator), "")
	}
	if got, want := problem(), "tpl-MNI152NLin2009cAsym_res-01_atlas-A_dseg.nii.gz is an empty TemplateFlow placeholder; fetch it with: python -m templateflow get MNI152NLin2009cAsym"; !strings.Contains(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	path := filepath.Join(d.dir, filepath.FromSlash(scan))
	need.NoError(t, os.Remove(path))
	if err := os.Symlink("../../.git/annex/objects/xx/yy/MD5E-s1--0.nii.gz", path); err != nil {
		t.Skip(err)
	}
	if got, want := problem(), " is a git-annex link without its content; fetch it with: datalad get "; !strings.Contains(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// FreeSurfer's labels, brain masks in the space of each and transforms are of one participant; a transform that moves
// nothing, and a mask in the space of a template, may be those of many.
func TestBIDSCopiesOfAnother(t *testing.T) {
	affine := func(x string) string {
		return "#Insight Transform File V1.0\n#Transform 0\nTransform: AffineTransform_double_3_3\n" +
			"Parameters: 1 0 0 0 1 0 0 0 1 " + x + " 0 0\nFixedParameters: 0 0 0\n"
	}
	for _, c := range []struct {
		space, port string
		moves       string // mm
		refused     bool
	}{{"T1w", "labels", "", true}, {"T1w", "mask", "", true}, {"T1w", "transform", "2", true}, {"T1w",
		"transform", "0", false},
		{"T1w", "none", "", false}, {"MNI152NLin2009cAsym", "labels", "", true}, {"MNI152NLin2009cAsym", "warp", "", false},
		{"MNI152NLin2009cAsym", "mask", "", false}} {
		t.Run(c.space+" "+c.port+c.moves, func(t *testing.T) {
			d := newDataset(t, threePeople)
			for i, sub := range []string{"sub-01", "sub-02", "sub-03"} {
				text := func(port, copied string) string {
					if port == c.port && i < 2 {
						return copied
					}
					return sub
				}
				scan, anat := sub+"/func/"+sub+"_task-rest_space-"+c.space+"_desc-", sub+"/anat/"+sub
				d.write(scan+"preproc_bold.nii.gz", sub)
				d.write(scan+"brain_mask.nii.gz", text("mask", "mask"))
				d.write("sourcedata/freesurfer/"+sub+"/mri/aparc+aseg.mgz", text("labels", "labels"))
				d.write(anat+"_from-fsnative_to-T1w_mode-image_xfm.txt", text("transform", affine(c.moves)))
				d.write(anat+"_from-T1w_to-MNI152NLin2009cAsym_mode-image_xfm.h5", text("warp", "no transform"))
			}
			r := need.Value(d.load(func(b *BIDSCohort) {
				b.Space, b.Labels, b.Confounds = c.space, "freesurfer",
					false
			}))(t)
			r.RefuseOneScan()
			for i, s := range r.Subjects {
				if c.refused && i < 2 {
					need.Error(t, s.Problem, "its "+c.port+" file ", " has the content of that of ")
				} else {
					need.NoError(t, s.Problem)
				}
			}
		})
	}
}
