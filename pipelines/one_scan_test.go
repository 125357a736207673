package pipelines

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
)

// One file is the scan or series of one participant: of two whose paths lead to it, neither can be used until one is
// excluded or corrected.
func TestOneFileOfTwoParticipants(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.tsv", "b.tsv", "c.tsv"} {
		testdir.Write(t, filepath.Join(dir, name), name+"\ty\n1\t2\n2\t1\n")
	}
	need.NoError(t, os.Symlink("b.tsv", filepath.Join(dir, "link.tsv")))
	testdir.Write(t, filepath.Join(dir, "p.tsv"),
		"participant_id\tgroup\tpath\n1\tA\ta.tsv\n2\tB\tb.tsv\n3\tA\tc.tsv\n4\tB\ta.tsv\n5\tA\tlink.tsv\n")
	load := func(exclude string) map[string]error {
		p := need.Value(build("x.yaml", []byte("cohort:\n  timeseries: { file: p.tsv, group: group, series: path }\n"+
			"  exclude: ["+exclude+"]\nstages:\n  s: { use: echo, with: { value: x } }\n"), dir, nil, maxTasks))(t)
		problems := map[string]error{}
		for _, s := range p.Roster.Subjects {
			if s.Problem != nil {
				problems[s.ID] = s.Problem
			}
		}
		return problems
	}
	problems := load("")
	need.Equal(t, len(problems), 4)
	need.Error(t, problems["sub-1"], "participant sub-1 (p.tsv:2): its series file ", "is also that of sub-4 (p.tsv:5)",
		"exclude: [sub-1]")
	need.Error(t, problems["sub-4"], "is also that of sub-1 (p.tsv:2)")
	need.Error(t, problems["sub-2"], "is also that of sub-5 (p.tsv:6)")
	need.Error(t, problems["sub-5"], filepath.Join(dir, "link.tsv"), "is also that of sub-2 (p.tsv:3)")
	need.Equal(t, len(load("4, 5")), 0, "with one of two excluded")
}

// Series of two atlases are no data of one cohort, until the participants of one are excluded.
func TestSeriesOfTwoAtlases(t *testing.T) {
	dir, table := t.TempDir(), "participant_id\tgroup\tpath\n"
	for i, atlas := range []string{"G", "G", "G", "H"} {
		name := fmt.Sprintf("sub-%d_atlas-%s_timeseries.tsv", i+1, atlas)
		testdir.Write(t, filepath.Join(dir, name), fmt.Sprintf("x\ty\n%d\t2\n2\t1\n", i))
		table += fmt.Sprintf("%d\t%s\t%s\n", i+1, []string{"A", "B"}[i%2], name)
	}
	testdir.Write(t, filepath.Join(dir, "p.tsv"), table)
	load := func(exclude string) error {
		_, err := build("x.yaml", []byte("cohort:\n  timeseries: { file: p.tsv, group: group, series: path }\n"+
			"  exclude: ["+exclude+"]\nstages:\n  s: { use: echo, with: { value: x } }\n"), dir, nil, maxTasks)
		return err
	}
	need.Error(t, load(""), "x.yaml:2:3: cohort timeseries: several atlases: G (3 of 4 participants), H (1 of 4 ")
	need.NoError(t, load("4"))
}

// Confounds of one scan, by a link, with its bytes or with its values in other digits, are of one participant; a
// table without measured columns, such as
// cosines, may be that of several.
func TestConfoundsOfTwoParticipants(t *testing.T) {
	dir := t.TempDir()
	const motion, other, cosines = "trans_x\tcosine00\n0.1\t1\n0.2\t2\n", "trans_x\tcosine00\n0.3\t1\n0.2\t2\n",
		"cosine00\n1\n2\n"
	shaken := func(format string) string { // of one head
		text := "trans_x\n"
		for v := range 40 {
			text += fmt.Sprintf(format+"\n", math.Sin(float64(v)))
		}
		return text
	}
	for name, text := range map[string]string{"1": motion, "2": other, "3": motion, "4": cosines, "5": cosines,
		"7": shaken("%.3f"), "8": shaken("%.9e")} {
		testdir.Write(t, filepath.Join(dir, name+".nii"), name)
		testdir.Write(t, filepath.Join(dir, name+"_confounds.tsv"), text)
	}
	testdir.Write(t, filepath.Join(dir, "6.nii"), "6")
	need.NoError(t, os.Symlink("2_confounds.tsv", filepath.Join(dir, "6_confounds.tsv")))
	testdir.Write(t, filepath.Join(dir, "p.tsv"), "participant_id\tgroup\tfile\n1\tA\t1\n2\tB\t2\n3\tA\t3\n4\tB\t4\n5\tA\t5\n6\tB\t6\n"+
		"7\tA\t7\n8\tB\t8\n")
	p := need.Value(build("x.yaml", []byte("cohort: { table: { file: p.tsv, bold: '{file}.nii', labels: 1.nii, "+
		"confounds: '{file}_confounds.tsv' } }\nstages:\n  s: { use: echo, with: { value: x } }\n"), dir, nil, maxTasks))(t)
	for i, want := range []string{"sub-3 (p.tsv:4)", "sub-6 (p.tsv:7)", "sub-1 (p.tsv:2)", "", "", "sub-2 (p.tsv:3)",
		"sub-8 (p.tsv:9)", "sub-7 (p.tsv:8)"} {
		if err := p.Roster.Subjects[i].Problem; want != "" {
			has := "content"
			if i >= 6 {
				has = "values"
			}
			need.Error(t, err, "its confounds file ", " has the "+has+" of that of "+want, "correct the file of one")
		} else {
			need.NoError(t, err)
		}
	}
}

// A series, matrix or scan with the bytes of another participant's under another path is of one of the two.
func TestContentOfTwoParticipants(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"1": "1\t2\n2\t1\n", "2": "1\t3\n3\t1\n", "3": "1\t2\n2\t1\n"} {
		testdir.Write(t, filepath.Join(dir, name+".tsv"), text)
		testdir.Write(t, filepath.Join(dir, "p"+name+".tsv"), name)
		testdir.Write(t, filepath.Join(dir, name+".nii"), text)
	}
	testdir.Write(t, filepath.Join(dir, "p.tsv"), "participant_id\tgroup\tfile\n1\tA\t1\n2\tB\t2\n3\tA\t3\n")
	testdir.Write(t, filepath.Join(dir, "n.tsv"), "index\tname\n1\ta\n2\tb\n")
	for port, text := range map[string]string{"series": "timeseries: { file: p.tsv, series: '{file}.tsv' }",
		"pearson": "matrices: { file: p.tsv, pearson: '{file}.tsv', nodes: n.tsv }",
		"partial": "matrices: { file: p.tsv, pearson: 'p{file}.tsv', partial: '{file}.tsv', nodes: n.tsv }",
		"bold":    "table: { file: p.tsv, bold: '{file}.nii', labels: p1.tsv }"} {
		p, err := build("x.yaml", []byte("cohort: { "+text+" }\nstages:\n  s: { use: echo, with: { value: x } }\n"), dir,
			nil, maxTasks)
		need.NoError(t, err)
		if err == nil {
			need.Error(t, p.Roster.Subjects[0].Problem, "its "+port+" file ", " has the content of that of sub-3 (p.tsv:4)")
			need.NoError(t, p.Roster.Subjects[1].Problem)
			need.Error(t, p.Roster.Subjects[2].Problem, " has the content of that of sub-1 (p.tsv:2)")
		}
	}
}

// A label image on the grid of each participant is of one; in a template's space, copies of an atlas are as good as the
// atlas, and one file for several is a matter of the stage that reads it.
func TestLabelsOfTwoParticipants(t *testing.T) {
	_, load := labeled(t)
	for _, c := range []struct {
		labels, space string
		refused       bool
	}{{"copied", "native", true}, {"copied", "T1w", true}, {"copied", "MNI152NLin6Asym", false}, {"copied",
		"auto", false},
		{"saved", "native", true}, {"saved", "MNI152NLin6Asym", false},
		{"own", "native", false}} {
		p, err := load(c.labels, c.space, "")
		need.NoError(t, err)
		for i, s := range p.Roster.Subjects {
			if c.refused && i < 2 {
				is := map[string]string{"copied": " has the content of ", "saved": " has at least 99.9% of the voxels of "}[c.labels]
				need.Error(t, s.Problem, "its labels file ", is, "but one label image is not of two participants")
			} else {
				need.NoError(t, s.Problem)
			}
		}
	}
}
