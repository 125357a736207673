package cohort

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// An atlas by its name, from a BIDS atlas dataset and from TemplateFlow: its image for everybody,
// its regions as nodes, the brain mask beside it, and no place of this machine in what is noted.
func TestBIDSAtlas(t *testing.T) {
	root := need.Shared(t, "fixtures", "fmriprep")
	t.Setenv("TEMPLATEFLOW_HOME", filepath.Join(root, "templateflow"))
	for labels, image := range map[string]string{
		`{"atlas":"Mini","dir":"` + filepath.ToSlash(filepath.Join(root, "atlas-bep038")) + `"}`: "tpl-MNI152NLin2009cAsym_atlas-Mini_res-02_dseg.nii.gz",
		`{"atlas":"Mini2025"}`: "tpl-MNI152NLin2009cAsym_res-02_atlas-Mini2025_desc-40Parcels4Networks_dseg.nii.gz",
	} {
		c := bidsCohortKind.New().(*BIDSCohort)
		c.Dir, c.Raw, c.Group, c.Labels = filepath.Join(root, "fmriprep-25.1.4"), filepath.Join(root, "raw"), "diagnosis", labels
		r, err := c.Load(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.Subjects {
			if filepath.Base(s.Files["labels"]) != image || s.Files["within"] == "" || s.Files["within"] != s.Files["mask"] || s.Files["weights"] != "" || s.Problem != nil {
				t.Errorf("%s: %v, problem %v", s.ID, s.Files, s.Problem)
			}
		}
		names, _ := r.Nodes.Strings("name")
		hemispheres, _ := r.Nodes.Strings("hemisphere")
		if len(names) != 40 || names[0] != "Mini_LH_01" || hemispheres[0] != "L" || slices.Contains(hemispheres, "") {
			t.Errorf("nodes %v %v", names, hemispheres)
		}
		if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "labels of 3 participants: the atlas Mini") || strings.Contains(notes, root) {
			t.Errorf("notes %s", notes)
		}
		if !slices.ContainsFunc(r.Here, func(s string) bool { return strings.HasPrefix(s, "atlas: "+root) }) {
			t.Errorf("here %q", r.Here)
		}
	}
}

func TestBIDSAtlasRefuses(t *testing.T) {
	root := need.Shared(t, "fixtures", "fmriprep")
	for labels, want := range map[string]string{
		`{"atlas":"Mini","space":"MNI152NLin6Asym"}`: "labels: the key space is MNI152NLin6Asym, and the scans are in MNI152NLin2009cAsym",
		`{"atlas":"Mini","dir":"nowhere"}`:           "nowhere: no such directory",
		`{"atlas":"Absent"}`:                         "labels: no atlas Absent in the space MNI152NLin2009cAsym; looked in ",
	} {
		c := bidsCohortKind.New().(*BIDSCohort)
		c.Dir, c.Raw, c.Group, c.Labels = filepath.Join(root, "fmriprep-25.1.4"), filepath.Join(root, "raw"), "diagnosis", labels
		if _, err := c.Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", labels, err)
		}
	}
	c := bidsCohortKind.New().(*BIDSCohort)
	c.Dir, c.Raw, c.Group, c.Labels, c.Space = filepath.Join(root, "fmriprep-20.2.7", "fmriprep"), filepath.Join(root, "raw"), "diagnosis", `{"atlas":"Mini"}`, "T1w"
	if _, err := c.Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "an atlas is in that of a template") {
		t.Errorf("T1w: error %v", err)
	}
}
