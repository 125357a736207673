package atlas

import (
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
)

const mni = "MNI152NLin2009cAsym"

const table = "index\tname\tcolor\tnetwork_label\n1\tX_LH_1\t#102030\tVis\n2\tX_RH_1\t#405060\tn/a\n"

const hocpa = `<?xml version="1.0"?><atlas version="1.0"><header><name>Harvard-Oxford</name><type>Probabilistic</type>
<images><imagefile>/HO/HO-prob-2mm</imagefile><summaryimagefile>/HO/HO-maxprob-thr25-2mm</summaryimagefile></images>
<images><imagefile>/HO/HO-prob-1mm</imagefile><summaryimagefile>/HO/HO-maxprob-thr25-1mm</summaryimagefile></images></header>
<data><label index="0" x="48" y="94" z="35">Frontal Pole</label><label index="1" x="1" y="2" z="3">Left Insula &amp; more</label></data></atlas>`

// Each layout in which atlases come: the image, its table by inheritance, and the nodes.
func TestFind(t *testing.T) {
	tf := "tpl-" + mni + "/tpl-" + mni
	for _, c := range []struct {
		name         string
		files        map[string]string
		want         Wanted
		grayordinate bool
		image, table string
		nodes        string // id name hemisphere structure color
	}{
		{
			name:  "TemplateFlow: res- as a number, the table without it, a stub passed over",
			files: map[string]string{tf + "_res-01_atlas-X_desc-2_dseg.nii.gz": "", tf + "_res-02_atlas-X_desc-2_dseg.nii.gz": "image", tf + "_res-02_atlas-X_desc-3_dseg.nii.gz": "other", tf + "_atlas-X_desc-2_dseg.tsv": table, tf + "_atlas-X_desc-3_dseg.tsv": "other"},
			want:  Wanted{Atlas: "X", Desc: "2"},
			image: tf + "_res-02_atlas-X_desc-2_dseg.nii.gz", table: tf + "_atlas-X_desc-2_dseg.tsv",
			nodes: "1 X_LH_1 L Vis #102030, 2 X_RH_1 R  #405060",
		},
		{
			name: "BEP038: a table at the root, in anat of a cohort",
			files: map[string]string{"tpl-" + mni + "/cohort-2/anat/tpl-" + mni +
				"_cohort-2_atlas-X_res-1_dseg.nii.gz": "image", "tpl-" + mni + "/cohort-1/tpl-" + mni +
				"_cohort-1_atlas-X_dseg.nii.gz": "other", "atlas-X_dseg.tsv": table, "atlas-Y_dseg.tsv": "other"},
			want:  Wanted{Atlas: "X", Cohort: "2", Resolution: "01"},
			image: "tpl-" + mni + "/cohort-2/anat/tpl-" + mni + "_cohort-2_atlas-X_res-1_dseg.nii.gz", table: "atlas-X_dseg.tsv",
			nodes: "1 X_LH_1 L Vis #102030, 2 X_RH_1 R  #405060",
		},
		{
			name: "a template's atlas in another space: space- decides",
			files: map[string]string{"tpl-A/tpl-A_space-" + mni + "_atlas-X_dseg.nii": "image",
				tf + "_space-A_atlas-X_dseg.nii": "other", "dseg.tsv": "not a name", "atlas-X_dseg.tsv": table},
			want:  Wanted{Atlas: "x"},
			image: "tpl-A/tpl-A_space-" + mni + "_atlas-X_dseg.nii", table: "atlas-X_dseg.tsv",
			nodes: "1 X_LH_1 L Vis #102030, 2 X_RH_1 R  #405060",
		},
		{
			name:  "the drafts",
			files: map[string]string{"atlas-X/atlas-X_space-" + mni + "_res-01_dseg.nii.gz": "image", "atlas-X/atlas-X_dseg.tsv": table},
			want:  Wanted{Atlas: "X"},
			image: "atlas-X/atlas-X_space-" + mni + "_res-01_dseg.nii.gz", table: "atlas-X/atlas-X_dseg.tsv",
			nodes: "1 X_LH_1 L Vis #102030, 2 X_RH_1 R  #405060",
		},
		{
			name:  "weights, where there are no labels or where they are asked for",
			files: map[string]string{tf + "_atlas-X_probseg.nii.gz": "image", tf + "_atlas-X_dseg.nii.gz": "labels", tf + "_atlas-X_probseg.tsv": table},
			want:  Wanted{Atlas: "X", Suffix: "probseg"},
			image: tf + "_atlas-X_probseg.nii.gz", table: tf + "_atlas-X_probseg.tsv",
			nodes: "1 X_LH_1 L Vis #102030, 2 X_RH_1 R  #405060",
		},
		{
			name:  "grayordinates name their regions themselves",
			files: map[string]string{"tpl-fsLR/tpl-fsLR_atlas-X_den-91k_dseg.dlabel.nii": "image", "tpl-fsLR/tpl-fsLR_atlas-X_den-170k_dseg.dlabel.nii": "other"},
			want:  Wanted{Atlas: "X", Space: "fsLR", Density: "91k"}, grayordinate: true,
			image: "tpl-fsLR/tpl-fsLR_atlas-X_den-91k_dseg.dlabel.nii",
		},
		{
			name:  "FSL: label 0 is the value 1 of the largest weights",
			files: map[string]string{"data/atlases/HO.xml": hocpa, "data/atlases/HO/HO-maxprob-thr25-2mm.nii.gz": "image", "data/atlases/HO/HO-maxprob-thr25-1mm.nii.gz": "other", "data/atlases/HO/HO-prob-2mm.nii.gz": "weights"},
			want:  Wanted{Atlas: "HO", Desc: "maxprob-thr25", Resolution: "2", Space: "MNI152NLin6Asym"},
			image: "data/atlases/HO/HO-maxprob-thr25-2mm.nii.gz", table: "data/atlases/HO.xml",
			nodes: "1 Frontal Pole   , 2 Left Insula & more L  ",
		},
		{
			name:  "FSL's weights",
			files: map[string]string{"data/atlases/HO.xml": hocpa, "data/atlases/HO/HO-maxprob-thr25-2mm.nii.gz": "labels", "data/atlases/HO/HO-prob-2mm.nii.gz": "image"},
			want:  Wanted{Atlas: "HO", Desc: "prob", Space: "MNI152NLin6Asym"},
			image: "data/atlases/HO/HO-prob-2mm.nii.gz", table: "data/atlases/HO.xml",
			nodes: "1 Frontal Pole   , 2 Left Insula & more L  ",
		},
		{
			name: "FreeSurfer's networks",
			files: map[string]string{"average/Yeo_JNeurophysiol11_MNI152/Yeo2011_7Networks_MNI152_FreeSurferConformed1mm.nii.gz": "image", "average/Yeo_JNeurophysiol11_MNI152/Yeo2011_7Networks_MNI152_FreeSurferConformed1mm_LiberalMask.nii.gz": "other",
				"average/Yeo_JNeurophysiol11_MNI152/Yeo2011_7Networks_ColorLUT.txt": "# a table\n  0 NONE 0 0 0 0\n  1 7Networks_1 120  18 134   0\n"},
			want:  Wanted{Atlas: "Yeo2011", Desc: "7Networks", Space: "MNI152NLin6Asym"},
			image: "average/Yeo_JNeurophysiol11_MNI152/Yeo2011_7Networks_MNI152_FreeSurferConformed1mm.nii.gz", table: "average/Yeo_JNeurophysiol11_MNI152/Yeo2011_7Networks_ColorLUT.txt",
			nodes: "1 7Networks_1   #781286",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Dir = testdir.Files(t, c.files)
			if c.want.Space == "" {
				c.want.Space = mni
			}
			f := need.Value(c.want.Find(nil, c.grayordinate))(t)
			rel := func(path string) string {
				r, _ := filepath.Rel(c.want.Dir, path)
				return filepath.ToSlash(r)
			}
			if rel(f.Image) != c.image || f.Table != "" && rel(f.Table) != c.table ||
				(f.Table == "") != (c.table == "") {
				t.Errorf("image %s, table %s", rel(f.Image), f.Table)
			}
			var nodes []string
			for _, n := range f.Nodes {
				nodes = append(nodes, strings.Join([]string{string(rune('0' + n.ID)), n.Name, n.Hemisphere, n.Structure,
					n.Color}, " "))
			}
			need.Equal(t, strings.Join(nodes, ", "), c.nodes, "nodes")
		})
	}
}

// What is wrong, where it was looked for, and what to do.
func TestFindRefuses(t *testing.T) {
	for _, name := range []string{"TEMPLATEFLOW_HOME", "XDG_CACHE_HOME", "FSLDIR", "FREESURFER_HOME"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", t.TempDir())
	tf := "tpl-" + mni + "/tpl-" + mni
	home := testdir.Files(t, map[string]string{
		tf + "_res-01_atlas-Stub_desc-2_dseg.nii.gz": "", tf + "_atlas-Two_desc-a_dseg.nii.gz": "1", tf + "_atlas-Two_desc-b_dseg.nii.gz": "2",
		tf + "_atlas-Bare_dseg.nii.gz": "1", "tpl-MNI152NLin6Asym/tpl-MNI152NLin6Asym_atlas-Six_dseg.nii.gz": "1",
	})
	t.Setenv("TEMPLATEFLOW_HOME", home)
	t.Setenv("FSLDIR", filepath.Join(home, "absent"))
	for _, c := range []struct {
		want Wanted
		err  []string // its parts
	}{
		{Wanted{Atlas: "Stub", Desc: "2", Space: mni}, []string{"is an empty file", "templateflow get " + mni + " --res 01 --atlas Stub --desc 2 --suffix dseg"}},
		{Wanted{Atlas: "Two", Space: mni}, []string{"2 files of the atlas Two in " + home + " match; they differ in desc (a, b): set the key desc"}},
		{Wanted{Atlas: "Bare", Space: mni}, []string{"_atlas-Bare_dseg.nii.gz has no table of its regions"}},
		{Wanted{Atlas: "Six", Space: mni}, []string{"no atlas Six in the space " + mni, "available in tpl-MNI152NLin6Asym_atlas-Six_dseg.nii.gz (labels of another space are refused"}},
		{Wanted{Atlas: "Bar", Space: mni}, []string{home + " (TemplateFlow, $TEMPLATEFLOW_HOME); " + filepath.Join(home,
			"absent", "data", "atlases") + " (FSL, $FSLDIR): not there; $FREESURFER_HOME: not set", `did you mean "Bare"?`}},
		{Wanted{Space: mni}, []string{"the key atlas is missing"}},
		{Wanted{Atlas: "X"}, []string{"the key space is missing"}},
		{Wanted{Atlas: "X", Space: mni, Dir: filepath.Join(home, "no")}, []string{"no: no such directory"}},
		{Wanted{Atlas: "X", Space: mni, Suffix: "mask"}, []string{`suffix: "mask"`}},
	} {
		_, err := c.want.Find(Places(""), false)
		if err == nil {
			t.Errorf("%v is found", c.want)
			continue
		}
		for _, part := range c.err {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%v:\n %v\n lacks %s", &c.want, err, part)
			}
		}
	}
}

func TestReadLUT(t *testing.T) {
	nodes, err := ReadLUT(strings.NewReader("#No. Label\n\n0 Unknown 0 0 0 0\n10  Left-Thalamus  0 118 14 0\n49 Right-Thalamus 0 118 14 0\n"), "LUT")
	if err != nil || len(nodes) != 2 || nodes[1].ID != 49 || nodes[1].Hemisphere != "R" || nodes[0].Color != "#00760e" {
		t.Errorf("%+v, error %v", nodes, err)
	}
	marked, err := ReadLUT(strings.NewReader("\ufeff10  Left-Thalamus  0 118 14 0\n"), "LUT")
	if err != nil || len(marked) != 1 || marked[0].ID != 10 {
		t.Errorf("behind a byte-order mark: %+v, error %v", marked, err)
	}
	if only := Only(nodes, []int32{49}); len(only) != 1 || only[0].Index != 1 || only[0].ID != 49 {
		t.Errorf("%+v", only)
	}
	if _, err := ReadLUT(strings.NewReader("1 a 0 256 0 0\n"), "LUT"); err == nil ||
		!strings.HasPrefix(err.Error(), "LUT:1: ") {
		t.Errorf("error %v", err)
	}
}
