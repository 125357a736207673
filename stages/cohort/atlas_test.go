package cohort

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/stages/wording"

	"prgnn/internal/need"
	"prgnn/nifti"
	"prgnn/stages/atlas"
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
		c.Dir, c.Raw, c.Group, c.Labels = filepath.Join(root, "fmriprep-25.1.4"), filepath.Join(root, "raw"),
			"diagnosis", labels
		r := need.Value(c.Load(t.TempDir()))(t)
		for _, s := range r.Subjects {
			if filepath.Base(s.Files["labels"]) != image || s.Files["within"] == "" ||
				s.Files["within"] != s.Files["mask"] || s.Files["weights"] != "" || s.Problem != nil {
				t.Errorf("%s: %v, problem %v", s.ID, s.Files, s.Problem)
			}
		}
		names, _ := r.Nodes.Strings("name")
		hemispheres, _ := r.Nodes.Strings("hemisphere")
		if len(names) != 40 || names[0] != "Mini_LH_01" || hemispheres[0] != "L" || slices.Contains(hemispheres, "") {
			t.Errorf("nodes %v %v", names, hemispheres)
		}
		if notes := notesOf(r); !strings.Contains(notes, "labels of 3 participants: the atlas Mini") || strings.Contains(notes, root) {
			t.Errorf("notes %s", notes)
		}
		b := need.Value(os.ReadFile(r.Subjects[0].Files["labels"]))(t)
		said := map[string]string{}
		for _, a := range r.Atlas {
			said[a.Name] = a.Value
		}
		if !strings.HasPrefix(said["labels.atlas"], "Mini") || said["labels.file"] != image ||
			said["labels.sha256"] != fmt.Sprintf("%x", sha256.Sum256(b)) || said["labels.dir"] != "" {
			t.Errorf("the parameters of a report say %v", said)
		}
		if !slices.ContainsFunc(r.Here, func(s string) bool { return strings.HasPrefix(s, "atlas: "+root) }) {
			t.Errorf("here %q", r.Here)
		}
	}
}

// A wrong table and a wrong atlas are told together.
func TestBIDSMistakesAreToldTogether(t *testing.T) {
	root := need.Shared(t, "fixtures", "fmriprep")
	for space, atlas := range map[string]bool{"MNI152NLin2009cAsym": true, "auto": false} {
		c := bidsCohortKind.New().(*BIDSCohort)
		c.Dir, c.Raw = filepath.Join(root, "fmriprep-25.1.4"), filepath.Join(root, "raw")
		c.Group, c.Space = "diagnosis", space
		c.Levels, c.Labels = []string{"x=y"}, `{"atlas":"Absent"}`
		_, err := c.Load(t.TempDir())
		if err == nil || !strings.Contains(err.Error(), `diagnosis is "PAT" in 2 rows, but levels has no name for it`) ||
			strings.Contains(err.Error(), "labels: no atlas Absent in the space MNI152NLin2009cAsym") != atlas {
			t.Errorf("space %s: %v", space, err)
		}
	}
}

func TestBIDSAtlasRefuses(t *testing.T) {
	root := need.Shared(t, "fixtures", "fmriprep")
	for labels, want := range map[string]string{
		`{"atlas":"Mini","space":"MNI152NLin6Asym"}`: "labels: the key space is MNI152NLin6Asym, but the scans are in MNI152NLin2009cAsym",
		`{"atlas":"Mini","dir":"nowhere"}`:           "nowhere: no such directory",
		`{"atlas":"Absent"}`:                         "labels: no atlas Absent in the space MNI152NLin2009cAsym; looked in ",
	} {
		c := bidsCohortKind.New().(*BIDSCohort)
		c.Dir, c.Raw, c.Group, c.Labels = filepath.Join(root, "fmriprep-25.1.4"), filepath.Join(root, "raw"),
			"diagnosis", labels
		if _, err := c.Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", labels, err)
		}
	}
	c := bidsCohortKind.New().(*BIDSCohort)
	c.Dir, c.Raw, c.Group, c.Labels, c.Space = filepath.Join(root, "fmriprep-20.2.7", "fmriprep"),
		filepath.Join(root, "raw"), "diagnosis", `{"atlas":"Mini"}`, "T1w"
	if _, err := c.Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "an atlas is in a template's space") {
		t.Errorf("T1w: error %v", err)
	}
}

// CIFTI scans: space fsLR finds them, and the regions are those of the label file's own table.
func TestBIDSGrayordinates(t *testing.T) {
	from := need.Shared(t, "fixtures", "fmriprep", "cifti")
	dir := t.TempDir()
	const bold = "sub-01_task-rest_space-fsLR_den-91k_bold"
	for name, path := range map[string]string{
		bold + ".dtseries.nii": "sub-01/func/" + bold + ".dtseries.nii",
		bold + ".json":         "sub-01/func/" + bold + ".json",
		"tpl-fsLR_atlas-Mini_den-91k_dseg.dlabel.nii": "atlases/tpl-fsLR/tpl-fsLR_atlas-Mini_den-91k_dseg.dlabel.nii",
	} {
		b := need.Value(os.ReadFile(filepath.Join(from, name)))(t)
		dataset{t, dir}.write(path, string(b))
	}
	dataset{t, dir}.write("participants.tsv", "participant_id\tgroup\nsub-01\ta\n")
	for _, labels := range []string{`{"atlas":"Mini"}`, "atlases/tpl-fsLR/tpl-fsLR_atlas-Mini_den-91k_dseg.dlabel.nii"} {
		c := bidsCohortKind.New().(*BIDSCohort)
		c.Dir, c.Space, c.Labels, c.Confounds = dir, "fsLR", labels, false
		r := need.Value(c.Load(dir))(t)
		if s := r.Subjects[0]; s.Problem != nil || filepath.Base(s.Files["bold"]) != bold+".dtseries.nii" ||
			filepath.Base(s.Files["labels"]) != "tpl-fsLR_atlas-Mini_den-91k_dseg.dlabel.nii" {
			t.Errorf("%v, problem %v", s.Files, s.Problem)
		}
		names, _ := r.Nodes.Strings("name")
		colors, _ := r.Nodes.Strings("color")
		if len(names) != 24 || names[0] != "P01" || colors[0] != "#55c07a" {
			t.Errorf("nodes %v %v", names, colors)
		}
		rows, _ := r.Inventory()
		if row := rows["sub-01"][0]; *row.Volumes != 24 || *row.Voxel != "grayordinates" || row.TR != 3.5 {
			t.Errorf("inventory %+v", row)
		}
	}
	c := bidsCohortKind.New().(*BIDSCohort)
	c.Dir, c.Space, c.Confounds = dir, "fsLR", false
	if _, err := c.Load(dir); err == nil || !strings.Contains(err.Error(), "need a CIFTI label file") {
		t.Errorf("labels auto: error %v", err)
	}
}

// A label table that does not fit its map, and node lists that contradict it or lack some of its labels.
func TestCIFTITableFits(t *testing.T) {
	from := need.Shared(t, "fixtures", "fmriprep", "cifti")
	const name = "tpl-fsLR_atlas-Mini_den-91k_dseg.dlabel.nii"
	whole := string(need.Value(os.ReadFile(filepath.Join(from, name)))(t))
	list := func(first int, names ...string) string {
		text := "index\tname\n"
		for i, n := range names {
			text += fmt.Sprintf("%d\t%s\n", first+i, n)
		}
		return text
	}
	var names []string
	for i := range 24 {
		names = append(names, fmt.Sprintf("P%02d", i+1))
	}
	for _, c := range []struct{ old, changed, nodes, wrong, note string }{
		{"", "", "", "", ""},
		{"", "", list(1, names...), "", ""},
		{"???", "V1x", "", `the value 0 is the background of a label image, but its name is "V1x"`, ""},
		{`Key="24"`, `Key="77"`, "", "1 of the 24 labels of " + name + " has no row in its table of regions: 24; set nodes", ""},
		{"", "", list(1, names[:22]...), "", "2 of the 24 labels of " + name + " have no row in the node list and belong to no region: 23, 24"},
		{"", "", list(1, append([]string{"P00"}, names...)...), "gives 24 of 25 regions another value than the label table of the file: P01 (2, in the file 1)", ""},
		{"", "", list(1, append(slices.Clone(names), "P25")...), "", "1 of the 25 regions of the node list has no label in " + name + ": 25 P25"},
	} {
		dir := t.TempDir()
		if !strings.Contains(whole, c.old) || len(c.old) != len(c.changed) {
			t.Fatalf("%q is not in the file", c.old)
		}
		dataset{t, dir}.write(name, strings.Replace(whole, c.old, c.changed, 1))
		dataset{t, dir}.write("b.dtseries.nii", "")
		dataset{t, dir}.write("p.tsv", "participant_id\tgroup\nsub-01\ta\n")
		k := tableCohortKind.New().(*TableCohort)
		k.File, k.BOLD, k.Labels = "p.tsv", "b.dtseries.nii", name
		if c.nodes != "" {
			k.Nodes = "nodes.tsv"
			dataset{t, dir}.write("nodes.tsv", c.nodes)
		}
		r, err := k.Load(dir)
		if c.wrong != "" {
			need.Error(t, err, c.wrong)
			continue
		}
		need.NoError(t, err)
		notes := strings.Join(wording.NoteTexts(r.Notes), "\n")
		if c.note == "" && strings.Contains(notes, name) || !strings.Contains(notes, c.note) {
			t.Errorf("%s\nwant %s", notes, c.note)
		}
	}
}

// Label files of a column give the regions, if their tables agree.
func TestCIFTITablesOfColumn(t *testing.T) {
	from := need.Shared(t, "fixtures", "fmriprep", "cifti")
	whole := string(need.Value(os.ReadFile(filepath.Join(from, "tpl-fsLR_atlas-Mini_den-91k_dseg.dlabel.nii")))(t))
	for _, c := range []struct{ second, nodes, wrong string }{
		{whole, "auto", ""},
		{strings.Replace(whole, "P07", "Q07", 1), "auto", "labels: the label tables of 1 file differ from that of " +
			"sub-01.dlabel.nii in the names of regions or their values: sub-02.dlabel.nii; use files of one atlas"},
		{strings.Replace(whole, "P07", "Q07", 1), "dk84-index", ""},
	} {
		d := newDataset(t, "participant_id\tgroup\tlab\nsub-01\ta\tsub-01.dlabel.nii\nsub-02\tb\tsub-02.dlabel.nii\n")
		d.write("sub-01.dlabel.nii", whole)
		d.write("sub-02.dlabel.nii", c.second)
		d.write("b.dtseries.nii", "")
		for _, labels := range []string{"lab", "{participant_id}.dlabel.nii"} {
			k := tableCohortKind.New().(*TableCohort)
			k.File, k.BOLD, k.Labels, k.Nodes = "participants.tsv", "b.dtseries.nii", labels, c.nodes
			r, err := k.Load(d.dir)
			if c.wrong != "" {
				need.Error(t, err, c.wrong)
				continue
			}
			need.NoError(t, err)
			names := need.Value(r.Nodes.Strings("name"))(t)
			if own := len(names) == 24 && names[6] == "P07"; own != (c.nodes == "auto") {
				t.Errorf("%s, nodes %s: regions %v", labels, c.nodes, names)
			}
		}
	}
}

// The place of a map of a probabilistic atlas is the center of its weights; what the atlas's table says counts more.
func TestWeightedPlaces(t *testing.T) {
	img := &nifti.Image{Shape: []int{3, 2, 2, 3}, Affine: nifti.Affine{{-2, 0, 0, 4}, {0, 2, 0, -6}, {0, 0, 2, 8},
		{0, 0, 0, 1}}, Data: make([]float32, 36)}
	w := img.Data.([]float32)
	w[0], w[2], w[5] = 0.25, 0.5, 0.25                     // (0, 0, 0), (2, 0, 0), (2, 1, 0)
	w[12+7], w[12+8], w[12+0] = 1, -3, float32(math.NaN()) // (1, 0, 1); a weight below 0 counts for nothing
	w[24] = 1
	path := filepath.Join(t.TempDir(), "maps.nii.gz")
	f, err := os.Create(path)
	if err == nil {
		err = errors.Join(nifti.Encode(f, img), f.Close())
	}
	need.NoError(t, err)
	nan := math.NaN()
	s := &labelSource{own: []atlas.Node{{Index: 1, ID: 10, X: nan, Y: nan, Z: nan},
		{Index: 2, ID: 20, X: nan, Y: nan, Z: nan}, {Index: 3, ID: 30, X: 1, Y: 2, Z: 3}}}
	if err := s.look(path); err != nil || !s.weights {
		t.Fatalf("weights %v, error %v", s.weights, err)
	}
	for i, want := range [][3]float64{{-2*1.5 + 4, 2*0.25 - 6, 8}, {-2 + 4, -6, 2 + 8}, {1, 2, 3}} {
		if n := s.own[i]; [3]float64{n.X, n.Y, n.Z} != want {
			t.Errorf("map %d is at %v, %v, %v, want %v", i+1, n.X, n.Y, n.Z, want)
		}
	}
}
