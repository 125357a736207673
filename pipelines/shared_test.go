package pipelines

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/nifti"
	"prgnn/pipelines/precheck"
	"prgnn/stages/atlas"
)

// dk84 is a label image of voxels of 4 mm with the numbers 1 to 84, each around the centroid of its region.
func dk84(t *testing.T) string {
	t.Helper()
	voxels := make([]int16, 50*60*50)
	for i, n := range atlas.DK84() {
		x, y, z := int((n.X+100)/4+0.5), int((n.Y+140)/4+0.5), int((n.Z+90)/4+0.5)
		voxels[x+50*(y+60*z)] = int16(i + 1)
	}
	var b bytes.Buffer
	need.NoError(t, nifti.Encode(&b, &nifti.Image{Shape: []int{50, 60, 50}, Code: 4, Data: voxels,
		Affine: nifti.Affine{{4, 0, 0, -100}, {0, 4, 0, -140}, {0, 0, 4, -90}, {0, 0, 0, 1}}}))
	return b.String()
}

// labeled writes three participants with scans of 4³ voxels and label images of two regions, and returns how a pipeline
// over them is built. labels and space are parameters of the cohort; with are further lines of the pipeline file.
func labeled(t *testing.T) (dir string, load func(labels, space, with string, sets ...string) (*Pipeline, error)) {
	t.Helper()
	dir = t.TempDir()
	write := func(name string, img *nifti.Image) {
		t.Helper()
		var b bytes.Buffer
		need.NoError(t, nifti.Encode(&b, img))
		testdir.Write(t, filepath.Join(dir, name), b.String())
	}
	affine := nifti.Affine{{4, 0, 0, -8}, {0, 4, 0, -8}, {0, 0, 4, -8}, {0, 0, 0, 1}}
	image := func(values ...int16) *nifti.Image {
		return &nifti.Image{Shape: []int{4, 4, 4}, Code: 1, Affine: affine, Data: slices.Repeat(values, 64/len(values))}
	}
	halves := make([]float32, 64)
	for i := range halves {
		halves[i] = 1 + float32(i%2)/2
	}
	write("both.nii.gz", image(1, 2))
	write("lacks.nii.gz", image(1, 0))
	write("more.nii.gz", image(1, 2, 9, 8))
	write("empty.nii.gz", image(0, 0))
	write("halves.nii.gz", &nifti.Image{Shape: []int{4, 4, 4}, Code: 1, Affine: affine, Data: halves})
	write("a/sub-1_dseg.nii.gz", image(1, 2))
	write("a/sub-2_dseg.nii.gz", image(2, 1))
	write("a/sub-3_dseg.nii.gz", image(1, 1, 2, 2))
	write("a/copy.nii.gz", image(1, 2))
	saved := image(1, 2) // in another type, at another place
	saved.Affine[0][3], saved.Data = -7.9, slices.Repeat([]int32{1, 2}, 32)
	write("a/saved.nii.gz", saved)
	write("a/sub-2_lacks.nii.gz", image(2, 0))
	write("a/sub-1_space-MNI152NLin6Asym_dseg.nii.gz", image(1, 2))
	need.NoError(t, os.Symlink("../both.nii.gz", filepath.Join(dir, "a", "link.nii.gz")))
	table := "participant_id\tgroup\tscan\town\tsite\tfaulty\tlinked\tmine\tcopied\tsaved\n"
	for i := range 3 {
		id := fmt.Sprintf("sub-%d", i+1)
		scan := &nifti.Image{Shape: []int{4, 4, 4, 8}, TR: 2, Code: 1, Data: slices.Repeat([]int16{int16(i)}, 512),
			Affine: affine}
		write(id+".nii.gz", scan)
		write(id+"_space-T1w_bold.nii.gz", scan)
		row := []string{id, []string{"A", "B"}[i%2], id + ".nii.gz", "a/" + id + "_dseg.nii.gz",
			[]string{"both.nii.gz", "lacks.nii.gz", "lacks.nii.gz"}[i],
			[]string{"a/sub-1_dseg.nii.gz", "a/sub-2_lacks.nii.gz", "a/sub-3_dseg.nii.gz"}[i],
			[]string{"both.nii.gz", "a/link.nii.gz", "a/sub-3_dseg.nii.gz"}[i], "a/sub-1_dseg.nii.gz",
			[]string{"a/sub-1_dseg.nii.gz", "a/copy.nii.gz", "a/sub-3_dseg.nii.gz"}[i],
			[]string{"a/sub-1_dseg.nii.gz", "a/saved.nii.gz", "a/sub-3_dseg.nii.gz"}[i]}
		table += strings.Join(row, "\t") + "\n"
	}
	testdir.Write(t, filepath.Join(dir, "p.tsv"), table)
	testdir.Write(t, filepath.Join(dir, "nodes.tsv"), "index\tname\n1\tone\n2\ttwo\n")
	return dir, func(labels, space, with string, sets ...string) (*Pipeline, error) {
		return build("x.yaml", []byte(`cohort:
  table:
    file: p.tsv
    bold: scan
    labels: `+labels+`
    nodes: nodes.tsv
    space: `+space+`
stages:
  parcels:
    use: parcellate
    each: subject
    in: { bold: cohort.bold, labels: cohort.labels, nodes: cohort.nodes }
`+with), dir, sets, maxTasks)
	}
}

// A fault of a label image that several participants share is one mistake of the pipeline, at its place there, before
// anything runs; the fault of one participant's image is that participant's.
func TestSharedLabelImages(t *testing.T) {
	dir, load := labeled(t)
	short := need.Value(os.ReadFile(filepath.Join(dir, "both.nii.gz")))(t)
	whole := need.Value(io.ReadAll(need.Value(gzip.NewReader(bytes.NewReader(short)))(t)))(t)
	testdir.Write(t, filepath.Join(dir, "short.nii"), string(whole[:400]))
	for labels, want := range map[string]string{
		"lacks.nii.gz":  "1 of the 2 nodes is missing: 2 two",
		"empty.nii.gz":  "every voxel is 0",
		"halves.nii.gz": "holds 1.5",
		"short.nii":     "truncated at byte 400",
		"site":          "1 of the 2 nodes is missing: 2 two",
	} {
		_, err := load(labels, "MNI152NLin6Asym", "")
		count, file := "the label image of all 3 participants: ", labels
		if labels == "site" {
			count, file = "the label image of 2 of 3 participants: ", "lacks.nii.gz"
		}
		need.Error(t, err, want, "x.yaml:5:13: stage parcels: "+count, filepath.Join(dir, file))
		if err != nil && strings.Count(err.Error(), "stage parcels") != 1 {
			t.Errorf("%s: %v, want one error", labels, err)
		}
	}
	for _, c := range [][2]string{{"both.nii.gz", ""}, {"own", ""}, {"site", "    with: { missing: keep }\n"},
		{"lacks.nii.gz", "    with: { missing: keep }\n"}} {
		p, err := load(c[0], "MNI152NLin6Asym", c[1])
		need.NoError(t, err)
		need.Equal(t, len(precheck.Unusable(p.Roster, p.Graph)), 0, c[0])
	}
	_, err := load("own", "MNI152NLin6Asym", `  direct:
    use: parcellate
    each: subject
    in: { bold: cohort.bold, labels: { file: lacks.nii.gz }, nodes: cohort.nodes }
`)
	need.Error(t, err, "x.yaml:16:", "stage direct: the label image of all 3 participants: ", "1 of the 2 nodes is missing")
	p, err := load("faulty", "native", "")
	need.NoError(t, err)
	need.Equal(t, len(p.Roster.Subjects), 3)
}

// Labels without a row in the node list are noted once, whether the cohort or an input has the image.
func TestLabelsWithoutRegions(t *testing.T) {
	_, load := labeled(t)
	const direct = `  direct:
    use: parcellate
    each: subject
    in: { bold: cohort.bold, labels: { file: more.nii.gz }, nodes: cohort.nodes }
`
	const want = "2 of the 4 labels of more.nii.gz have no row in the node list and belong to no region: 8, 9"
	for _, c := range []struct {
		labels, with string
		notes        int
	}{{"more.nii.gz", "", 1}, {"both.nii.gz", direct, 1}, {"more.nii.gz", direct, 1}, {"both.nii.gz", "", 0}} {
		p := need.Value(load(c.labels, "MNI152NLin6Asym", c.with))(t)
		found := 0
		for _, note := range p.Notes {
			if strings.Contains(note, "have no row") {
				found++
				need.Equal(t, note, want, c)
			}
		}
		need.Equal(t, found, c.notes, c)
	}
}

// One label image cannot lie in the own space of several participants, whatever grids their scans have.
func TestOneImageForSeveral(t *testing.T) {
	_, load := labeled(t)
	const brains = "but the scans lie in the space of each participant"
	for _, c := range []struct{ labels, space, bold, with, refused string }{
		{"both.nii.gz", "native", "", "", "both.nii.gz is one image for 3 participants, " + brains},
		{"both.nii.gz", "T1w", "", "", brains},
		{"linked", "native", "", "", "is one image for 2 participants, " + brains},
		{"mine", "native", "", "", brains},
		{"mine", "auto", "", "", "sub-1_dseg.nii.gz is the image of sub-1"},
		{"mine", "MNI152NLin6Asym", "", "", "sub-1_dseg.nii.gz is the image of sub-1"},
		{"a/sub-1_space-MNI152NLin6Asym_dseg.nii.gz", "MNI152NLin6Asym", "", "", ""},
		{"own", "native", "", "", ""},
		{"both.nii.gz", "auto", "", "", ""},
		{"both.nii.gz", "MNI152NLin6Asym", "", "", ""},
		{"both.nii.gz", "phantom", "", "", ""}, // stated by its name
		{"own", "native", "", "  direct: { use: parcellate, each: subject, in: { bold: cohort.bold, " +
			"labels: { file: both.nii.gz }, nodes: cohort.nodes } }\n", "both.nii.gz is one image for 3 participants"},
		{"both.nii.gz", "auto", "{participant_id}_space-T1w_bold.nii.gz", "", brains},
	} {
		var sets []string
		if c.bold != "" {
			sets = []string{"cohort.table.bold='" + c.bold + "'"}
		}
		_, err := load(c.labels, c.space, c.with, sets...)
		switch {
		case c.refused == "" && err != nil:
			t.Errorf("%+v: %v", c, err)
		case c.refused != "":
			need.Error(t, err, c.refused)
		}
	}
}

// Labels whose name states another space than the scans' are refused, by the cohort and by a connection, as one image
// and as those of each; a transform takes them there, and a name without a space states none.
func TestLabelsOfAnotherSpace(t *testing.T) {
	dir, load := labeled(t)
	whole := need.Value(os.ReadFile(filepath.Join(dir, "both.nii.gz")))(t)
	for _, name := range []string{"tpl-MNI152NLin6Asym_atlas-X_dseg.nii.gz", "space-T1w_dseg.nii.gz",
		"tpl-MNIPediatricAsym_cohort-2_atlas-X_dseg.nii.gz"} {
		testdir.Write(t, filepath.Join(dir, name), string(whole))
	}
	for i := range 3 {
		labels := need.Value(os.ReadFile(filepath.Join(dir, fmt.Sprintf("a/sub-%d_dseg.nii.gz", i+1))))(t)
		testdir.Write(t, filepath.Join(dir, fmt.Sprintf("sub-%d_space-MNI152NLin6Asym_dseg.nii.gz", i+1)), string(labels))
		testdir.Write(t, filepath.Join(dir, fmt.Sprintf("sub-%d_space-T1w_dseg.nii.gz", i+1)), string(labels))
	}
	const lin6, c2009 = "tpl-MNI152NLin6Asym_atlas-X_dseg.nii.gz", "MNI152NLin2009cAsym"
	direct := func(more string) string {
		return "  direct: { use: parcellate, each: subject, in: { bold: cohort.bold, labels: { file: " + lin6 +
			" }, nodes: cohort.nodes" + more + " } }\n"
	}
	testdir.Write(t, filepath.Join(dir, "affine.txt"), "#Insight Transform File V1.0\n#Transform 0\n"+
		"Transform: AffineTransform_double_3_3\nParameters: 1 0 0 0 1 0 0 0 1 0 0 0\nFixedParameters: 0 0 0\n")
	for _, c := range []struct{ labels, space, bold, with, refused string }{
		{lin6, c2009, "", "", lin6 + " is in the space MNI152NLin6Asym by its name, but the scans are in " + c2009 + ": "},
		{"space-T1w_dseg.nii.gz", c2009, "", "", "is in the space T1w by its name, but the scans are in " + c2009},
		{lin6, "auto", "{participant_id}_space-T1w_bold.nii.gz", "", "but the scans lie in the space of each participant"},
		{"'{participant_id}_space-MNI152NLin6Asym_dseg.nii.gz'", c2009, "", "", "sub-1_space-MNI152NLin6Asym_dseg.nii.gz is in the space"},
		{"'{participant_id}_space-MNI152NLin6Asym_dseg.nii.gz'", "native", "", "", "but the scans are in native"},
		{"both.nii.gz", c2009, "", direct(""), "stage direct: " + filepath.Join(dir, lin6) + " is in the space MNI152NLin6Asym"},
		{"tpl-MNIPediatricAsym_cohort-2_atlas-X_dseg.nii.gz", "MNIPediatricAsym+1", "", "", "is in the space MNIPediatricAsym+2"},
		{"tpl-MNIPediatricAsym_cohort-2_atlas-X_dseg.nii.gz", "MNIPediatricAsym", "", "", ""},
		{lin6, "MNI152NLin6Asym", "", "", ""},
		{lin6, "MNI152", "", "", ""},
		{lin6, "auto", "", "", ""},
		{"both.nii.gz", c2009, "", "", ""},
		{"'{participant_id}_space-T1w_dseg.nii.gz'", "native", "", "", ""},
		{"space-T1w_dseg.nii.gz", "phantom", "{participant_id}_space-T1w_bold.nii.gz", "", ""},
		{"both.nii.gz", c2009, "", direct(", warp: { file: affine.txt }"), ""},
	} {
		var sets []string
		if c.bold != "" {
			sets = []string{"cohort.table.bold='" + c.bold + "'"}
		}
		_, err := load(c.labels, c.space, c.with, sets...)
		switch {
		case c.refused == "" && err != nil:
			t.Errorf("%+v: %v", c, err)
		case c.refused != "":
			need.Error(t, err, c.refused)
		}
	}
}

// A table of confounds that a connection gives, by its path, is of one scan, as those of the cohort: not of several
// participants, also saved again, and not that of another in the cohort.
func TestTablesOfConfoundsAreOfOneScan(t *testing.T) {
	dir, load := labeled(t)
	confounds := func(seed, digits int) string {
		text := "trans_x\ttrans_y\tglobal_signal\n"
		for v := range 8 {
			at := func(k int) float64 { return math.Sin(float64(seed*31 + v*v*7 + k*17)) }
			text += fmt.Sprintf("%.*f\t%.*f\t%.*f\n", digits, at(1), digits, at(2), digits, at(3))
		}
		return text
	}
	for i := range 3 {
		for name, text := range map[string]string{"own": confounds(i, 6), "again": confounds(i, 5),
			"new": confounds(i+9, 6), "same": confounds(20, 6),
			"saved": confounds(20, 6-i), "next": confounds((i+1)%3, 6)} {
			testdir.Write(t, filepath.Join(dir, fmt.Sprintf("%s-sub-%d.tsv", name, i+1)), text)
		}
	}
	for _, c := range []struct{ file, want string }{
		{"new-sub-1.tsv", "new-sub-1.tsv, for sub-3, is the table of confounds of sub-1 too, but motion"},
		{"own-sub-1.tsv", "own-sub-1.tsv, for sub-3, is the table of confounds of sub-1 too"},
		{"same-${subject}.tsv", "for sub-3, has the values of " + filepath.Join(dir, "same-sub-1.tsv") + ", that of sub-1 too"},
		{"saved-${subject}.tsv", "for sub-3, has the values of " + filepath.Join(dir, "saved-sub-1.tsv") + ", that of sub-1 too"},
		{"next-${subject}.tsv", "has the values of " + filepath.Join(dir, "own-sub-")},
		{"new-${subject}.tsv", ""},
		{"again-${subject}.tsv", ""},
		{"own-${subject}.tsv", ""},
	} {
		for _, with := range []string{"regress: none", "regress: auto, columns: [trans_x]"} {
			_, err := load("both.nii.gz", "MNI152NLin6Asym", "  series: { use: bootstrap, each: subject, in: { bold: cohort.bold, "+
				"parcels: parcels, nodes: cohort.nodes }, with: { draws: 0 } }\n  clean: { use: denoise, each: subject, "+
				"in: { series: series, scan: series.scan, confounds: { file: \""+c.file+"\" } }, with: { "+with+" } }\n",
				"cohort.table.confounds='own-{participant_id}.tsv'")
			if c.want == "" {
				need.NoError(t, err, c.file)
			} else {
				need.Error(t, err, "x.yaml:", "stage clean: ", c.want)
			}
		}
	}
}

// A mask, a transform, a table of confounds or of events that several participants share, and that is faulty, is one
// mistake of the pipeline; files that are sound, or that a stage does not use, are none.
func TestSharedFiles(t *testing.T) {
	dir, load := labeled(t)
	whole := need.Value(io.ReadAll(need.Value(gzip.NewReader(bytes.NewReader([]byte(need.Value(os.ReadFile(
		filepath.Join(dir, "both.nii.gz")))(t)))))(t)))(t)
	testdir.Write(t, filepath.Join(dir, "short.nii"), string(whole[:400]))
	testdir.Write(t, filepath.Join(dir, "affine.txt"), "#Insight Transform File V1.0\n#Transform 0\n")
	testdir.Write(t, filepath.Join(dir, "confounds.tsv"), "trans_x\ttrans_y\n1\tx\n")
	testdir.Write(t, filepath.Join(dir, "events.tsv"), "onset\ttrial_type\n1\tgo\n")
	parcels := func(port, file string) string {
		return "  other:\n    use: parcellate\n    each: subject\n    in: { bold: cohort.bold, labels: cohort.labels, " +
			"nodes: cohort.nodes, " + port + ": { file: " + file + " } }\n"
	}
	series := func(port, file, with string) string {
		return "  series: { use: bootstrap, each: subject, in: { bold: cohort.bold, parcels: parcels, nodes: cohort.nodes }, " +
			"with: { draws: 0 } }\n  other:\n    use: denoise\n    each: subject\n    in: { series: series, scan: series.scan, " +
			port + ": { file: " + file + " } }\n    with: { " + with + " }\n"
	}
	for _, c := range []struct{ stage, want string }{
		{parcels("mask", "short.nii"), "the brain mask of all 3 participants: "},
		{parcels("within", "short.nii"), "the brain mask of all 3 participants: "},
		{parcels("transform", "affine.txt"), "the transform of all 3 participants: "},
		{parcels("warp", "affine.txt"), "the transform of all 3 participants: "},
		{series("confounds", "confounds.tsv", "regress: none"), "the table of confounds of all 3 participants: "},
		{series("events", "events.tsv", "task: glover"), "the table of events of all 3 participants: "},
		{series("events", "events.tsv", "regress: none"), ""},
		{parcels("mask", "both.nii.gz"), ""},
	} {
		_, err := load("both.nii.gz", "MNI152NLin6Asym", c.stage)
		if c.want == "" {
			need.NoError(t, err)
			continue
		}
		need.Error(t, err, "x.yaml:", "stage other: "+c.want)
		if err != nil && strings.Count(err.Error(), "stage other") != 1 {
			t.Errorf("%v, want one error", err)
		}
	}
}
