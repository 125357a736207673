package cohort

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/stages/wording"

	"prgnn/internal/need"
	"prgnn/internal/testdir"

	"prgnn/stages/cohort/listed"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// runsText lists the runs of a roster with the names of one of their files.
func runsText(r *Roster, port string) string {
	var lines []string
	for _, s := range r.Subjects {
		if s.Problem != nil {
			lines = append(lines, fmt.Sprint(s.ID, ": ", s.Problem))
			continue
		}
		for _, run := range s.Runs {
			lines = append(lines, fmt.Sprintf("%s %s %s", s.ID, run.Name, filepath.Base(run.Files[port])))
		}
	}
	return strings.Join(lines, "\n")
}

// Where some participants' scans have no run-, one run is chosen for all by a list with none.
func TestBIDSRunsOfSome(t *testing.T) {
	d := newDataset(t, "participant_id\tgroup\nsub-01\tASD\nsub-02\tHC\n")
	for _, s := range []string{"sub-01/func/sub-01_task-rest_run-1", "sub-01/func/sub-01_task-rest_run-2",
		"sub-02/func/sub-02_task-rest"} {
		d.write(s+"_space-T1w_desc-preproc_bold.nii.gz", "")
		d.write(s+"_space-T1w_desc-aparcaseg_dseg.nii.gz", "")
	}
	load := func(run ...string) (problems []string) {
		r := need.Value(d.load(func(b *BIDSCohort) { b.Confounds, b.Run = false, run }))(t)
		for _, s := range r.Subjects {
			problems = append(problems, fmt.Sprint(s.Problem))
		}
		return problems
	}
	const advice = "run (1, 2): set the parameter run to a list with none, since other participants' scans have no run-"
	if got := load(); !strings.Contains(got[0], advice) || got[1] != "<nil>" {
		t.Errorf("by default %q", got)
	}
	if got := load("2", "none"); got[0] != "<nil>" || got[1] != "<nil>" {
		t.Errorf("with the advice %q", got)
	}
	if got := load("3", "none"); !strings.Contains(got[0], "run-3 or no run-") {
		t.Errorf("with another run %q", got)
	}
}

// A dataset without preprocessed scans that holds fMRIPrep's derivatives names them.
func TestBIDSDerivativesWithin(t *testing.T) {
	d := newDataset(t, onePerson)
	d.write("sub-01/func/sub-01_task-rest_bold.nii.gz", "")
	d.write("derivatives/fmriprep-25.2/dataset_description.json", `{"DatasetType": "derivative"}`)
	d.write("derivatives/fmriprep-25.2/sub-01/func/sub-01_task-rest_space-T1w_desc-preproc_bold.nii.gz", "")
	for _, dir := range []string{".", "derivatives"} {
		_, err := d.load(func(b *BIDSCohort) { b.Dir, b.Confounds = dir, false })
		if want := "fMRIPrep's derivatives are within: write dir: derivatives/fmriprep-25.2"; err == nil ||
			!strings.HasSuffix(err.Error(), want) {
			t.Errorf("dir: %s: %v, want %s", dir, err, want)
		}
	}
}

func TestBIDSRuns(t *testing.T) {
	const scan = "_space-T1w_desc-preproc_bold.nii.gz"
	for _, c := range []struct {
		name  string
		scans []string // below sub-01, without what all have
		runs  string
		want  string
	}{
		{"runs", []string{"func/sub-01_task-rest_run-2", "func/sub-01_task-rest_run-10"}, "all", "sub-01 2 sub-01_task-rest_run-2" + scan + "\nsub-01 10 sub-01_task-rest_run-10" + scan},
		{"sessions and runs", []string{"ses-b/func/sub-01_ses-b_task-rest_run-1", "ses-a/func/sub-01_ses-a_task-rest_run-1", "ses-a/func/sub-01_ses-a_task-rest_run-2"}, "all",
			"sub-01 ses-a_run-1 sub-01_ses-a_task-rest_run-1" + scan + "\nsub-01 ses-a_run-2 sub-01_ses-a_task-rest_run-2" + scan + "\nsub-01 ses-b_run-1 sub-01_ses-b_task-rest_run-1" + scan},
		{"one run", []string{"func/sub-01_task-rest"}, "all", "sub-01 1 sub-01_task-rest" + scan},
		{"two tasks by default", []string{"func/sub-01_task-rest", "func/sub-01_task-film"}, "one", "2 scans match; they differ in task (film, rest): set the parameter task"},
		{"two tasks", []string{"func/sub-01_task-rest", "func/sub-01_task-film"}, "all", "differ in task (film, rest): set the parameter task: runs: all joins the runs of one task"},
		{"by default", []string{"func/sub-01_task-rest_run-1", "func/sub-01_task-rest_run-2"}, "one", "2 scans match; they differ in run (1, 2): set the parameter run; runs: all, in a file with extends: runs.yaml (of series: timeseries-runs.yaml), uses them all and joins them after denoising"},
	} {
		d := newDataset(t, onePerson)
		for _, s := range c.scans {
			d.write("sub-01/"+s+scan, "")
			d.write("sub-01/"+s+"_space-T1w_desc-aparcaseg_dseg.nii.gz", "")
		}
		r, err := d.load(func(b *BIDSCohort) { b.Confounds, b.Runs = false, c.runs })
		need.NoError(t, err, c.name)
		if got := runsText(r, "bold"); got != c.want && !(strings.Contains(c.want, "differ") &&
			strings.Contains(got, c.want)) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		} else if strings.Contains(c.name, "tasks") && strings.Contains(got, "uses them all") {
			t.Errorf("%s: runs: all does not join tasks, and it says\n%s", c.name, got)
		}
		for _, s := range r.Subjects {
			for _, run := range s.Runs { // each has labels of its own
				if bold, labels := filepath.Base(run.Files["bold"]),
					filepath.Base(run.Files["labels"]); strings.TrimSuffix(bold, scan) != strings.TrimSuffix(labels,
					"_space-T1w_desc-aparcaseg_dseg.nii.gz") {
					t.Errorf("%s: labels %s of %s", c.name, labels, bold)
				}
			}
		}
	}
}

func TestRowsAreRuns(t *testing.T) {
	texts := map[string]string{"a.nii": "", "b.nii": "", "c.nii": "", "d.nii": "", "atlas.nii": "",
		"people.csv": "participant_id,group,age,fd,scan\n2,HC,9,0.1,c.nii\n1,ASD,8,0.2,a.nii\n2,HC,9,0.7,d.nii\n1,ASD,8,0.3,b.nii\n"}
	load := func(t *testing.T, change func(*TableCohort)) (*Roster, error) {
		c := &TableCohort{Parameters: listed.Defaults(), BOLD: "scan", Labels: "atlas.nii", Nodes: "dk84"}
		c.File, c.Runs = "people.csv", "all"
		if change != nil {
			change(c)
		}
		return c.Load(testdir.Files(t, texts))
	}
	r, err := load(t, nil)
	need.NoError(t, err)
	if got, want := runsText(r, "bold"), "sub-1 1 a.nii\nsub-1 2 b.nii\nsub-2 1 c.nii\nsub-2 2 d.nii"; got != want || !r.PerRun {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	var names []string
	for _, c := range r.Participants.Columns {
		names = append(names, c.Name)
	}
	if want := []string{"participant_id", "group", "source_id", "age"}; !slices.Equal(names, want) ||
		r.Participants.Rows() != 2 {
		t.Errorf("columns %v of %d participants, want %v of 2: fd is of a run", names, r.Participants.Rows(), want)
	}
	if want := "not used as covariates: columns that differ between the runs of a participant (fd)"; !slices.ContainsFunc(wording.Notes(r.Notes),
		func(n column.Note) bool { return n.Text == want && n.Doubt == column.DoubtOfRuns }) {
		t.Errorf("notes %q, want %q", wording.NoteTexts(r.Notes), want)
	}
	r, err = load(t, func(c *TableCohort) { c.Select = "fd < 0.5" })
	need.NoError(t, err)
	if got := runsText(r, "bold"); strings.Contains(got, "d.nii") ||
		!strings.Contains(got, "c.nii") || len(r.Left) != 0 {
		t.Errorf("%s, left %v", got, r.Left)
	}
	if !slices.Contains(wording.NoteTexts(r.Notes), "1 run excluded of participants with other runs included") {
		t.Errorf("notes %q", wording.NoteTexts(r.Notes))
	}
	if _, err = load(t, func(c *TableCohort) { c.Runs = "one" }); err == nil || !strings.Contains(err.Error(), "participant 2 is already in line 2; several rows also have 1; if each row is a run: runs: all") {
		t.Error(err)
	}
	texts["people.csv"] = strings.Replace(texts["people.csv"], "1,ASD,8,0.3", "1,HC,8,0.3", 1)
	if _, err = load(t, nil); err == nil || !strings.Contains(err.Error(), `participant 1 is in group "HC", but in "ASD" in line 3`) {
		t.Error(err)
	}
}

// A participant with several families is refused; the family of the others stays a column.
func TestRowsOfTwoFamilies(t *testing.T) {
	c := &TableCohort{Parameters: listed.Defaults(), BOLD: "scan", Labels: "atlas.nii", Nodes: "dk84"}
	c.File, c.Sessions = "p.csv", "visit"
	r := need.Value(c.Load(testdir.Files(t, map[string]string{"a.nii": "", "b.nii": "", "c.nii": "", "atlas.nii": "",
		"p.csv": "participant_id,group,visit,scan,family_id\n2,HC,1,c.nii,f1\n1,ASD,1,a.nii,f1\n1,ASD,2,b.nii,f2\n"})))(t)
	need.Error(t, r.Subjects[0].Problem, "p.csv:3: participant sub-1: column family_id: several families: f1 in p.csv:3, f2 in p.csv:4")
	need.NoError(t, r.Subjects[1].Problem)
	need.Equal(t, strings.Join(need.Value(r.Participants.Strings("family_id"))(t), " "), "f1 f1")
}

// Rows are sessions, under the names of their column; which ones a participant has is a covariate.
func TestRowsAreSessions(t *testing.T) {
	load := func(sessions string, change func(*TableCohort)) (*Roster, error) {
		c := &TableCohort{Parameters: listed.Defaults(), BOLD: "scan", Labels: "atlas.nii", Nodes: "dk84",
			Sessions: "visit"}
		c.File = "people.csv"
		change(c)
		return c.Load(testdir.Files(t, map[string]string{"a.nii": "", "b.nii": "", "c.nii": "", "atlas.nii": "",
			"people.csv": "participant_id,group,visit,scan\n2,HC,ses-base,c.nii\n1,ASD,01,a.nii\n1,ASD," + sessions + ",b.nii\n"}))
	}
	r := need.Value(load("02", func(*TableCohort) {}))(t)
	if got, want := runsText(r, "bold"), "sub-1 01 a.nii\nsub-1 02 b.nii\nsub-2 base c.nii"; got != want || !r.PerRun || !r.Sessions {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	visits := need.Value(r.Participants.Strings("visit"))(t)
	need.Equal(t, strings.Join(visits, ", "), "01 and 02, base")
	for sessions, want := range map[string]string{
		"ses-01": "session 01 is in an earlier line too", "": "a session has letters and digits", "a/b": "a session has letters and digits",
	} {
		r, err := load(sessions, func(*TableCohort) {})
		if err != nil || r.Subjects[0].Problem == nil || !strings.Contains(r.Subjects[0].Problem.Error(), want) ||
			r.Subjects[1].Problem != nil {
			t.Errorf("%q: %v, %v; want %s", sessions, err, r.Subjects[0].Problem, want)
		}
	}
	for want, change := range map[string]func(*TableCohort){
		"runs: all joins all scans": func(c *TableCohort) { c.Runs = "all" },
		`has no column "wave"`:      func(c *TableCohort) { c.Sessions = "wave" },
	} {
		if _, err := load("02", change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestTimeseriesRuns(t *testing.T) {
	d := newDataset(t, onePerson)
	for _, name := range []string{"run-1", "run-2"} {
		d.write("sub-01/func/sub-01_task-rest_"+name+"_atlas-A_timeseries.tsv", "a\tb\n1\t2\n2\t1\n")
	}
	c := &TimeseriesCohort{Parameters: listed.Defaults(), Dir: "."}
	c.Runs = "all"
	r := need.Value(c.Load(d.dir))(t)
	const name = "sub-01_task-rest_run-%d_atlas-A_timeseries.tsv"
	if got, want := runsText(r, "series"), fmt.Sprintf("sub-01 1 "+name+"\nsub-01 2 "+name, 1, 2); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if names := stagetest.Sure(r.Nodes.Strings("name")); !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("nodes %q", names)
	}
}

// Series have sessions as scans have: of a directory by their names, of a table by a column.
func TestTimeseriesSessions(t *testing.T) {
	const series = "a\tb\n1\t2\n2\t1\n"
	d := newDataset(t, onePerson)
	for _, at := range []string{"ses-10", "ses-2"} {
		d.write("sub-01/"+at+"/func/sub-01_"+at+"_task-rest_atlas-A_timeseries.tsv", series)
	}
	d.write("v1.tsv", series)
	d.write("v2.tsv", series+"9\t9\n")
	d.write("people.csv", "id,group,visit,file\n2,HC,1,v1.tsv\n1,ASD,2,v2.tsv\n1,ASD,ses-1,v1.tsv\n")
	table := func(c *TimeseriesCohort, sessions ...string) {
		c.File, c.ID, c.Series, c.Sessions = "people.csv", "id", "{file}", sessions
	}
	for _, c := range []struct {
		name   string
		change func(*TimeseriesCohort)
		want   string // the runs, or the mistake
	}{
		{"directory", func(c *TimeseriesCohort) { c.Dir, c.Sessions = ".", []string{"all"} },
			"sub-01 2 sub-01_ses-2_task-rest_atlas-A_timeseries.tsv\nsub-01 10 sub-01_ses-10_task-rest_atlas-A_timeseries.tsv"},
		{"some", func(c *TimeseriesCohort) { c.Dir, c.Sessions = ".", []string{"ses-02"} },
			"sub-01 2 sub-01_ses-2_task-rest_atlas-A_timeseries.tsv"},
		{"neither", func(c *TimeseriesCohort) { c.Dir = "." }, "; sessions: all, in a file with extends: sessions.yaml (of series: timeseries-sessions.yaml), treats each as a session"},
		{"both", func(c *TimeseriesCohort) { c.Dir, c.Runs, c.Sessions = ".", "all", []string{"all"} },
			listed.ErrApart.Error()},
		{"table", func(c *TimeseriesCohort) {
			c.File, c.ID, c.Series, c.Sessions = "people.csv", "id", "{file}", []string{"visit"}
		},
			"sub-1 2 v2.tsv\nsub-1 1 v1.tsv\nsub-2 1 v1.tsv"},
		{"two columns", func(c *TimeseriesCohort) {
			c.File, c.ID, c.Series, c.Sessions = "people.csv", "id", "{file}", []string{"1", "2"}
		},
			"with series it is the column that names the session of a row, not [1, 2]"},
		{"table without", func(c *TimeseriesCohort) { table(c) },
			"if each is a session: sessions: COLUMN"},
	} {
		cohort := &TimeseriesCohort{Parameters: listed.Defaults()}
		c.change(cohort)
		r, err := cohort.Load(d.dir)
		if err == nil && len(cohort.Sessions) == 0 {
			err = r.Subjects[0].Problem
		}
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", c.name, err, c.want)
			}
			continue
		}
		if got := runsText(r, "series"); got != c.want || !r.PerRun || !r.Sessions {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
		if notes, _ := r.About(r.IDs()); len(notes) != 1 || !strings.HasPrefix(wording.NoteTexts(notes)[0], "sessions per participant") {
			t.Errorf("%s: notes %q", c.name, notes)
		}
	}
}

// A name that is nobody's is an error that says who may have been meant.
func TestExcludeNobody(t *testing.T) {
	dir := testdir.Files(t, map[string]string{"people.csv": "participant_id,group,scan\nsub-01,HC,a.nii\nsub-02,HC,a.nii\n", "a.nii": ""})
	for name, want := range map[string]string{
		"1": `no participant "1" (did you mean "sub-01"?)`, "sub-2": `no participant "sub-2" (did you mean "sub-02"?)`, "twelve": `no participant "twelve" (available: sub-01, sub-02)`,
	} {
		c := &TableCohort{Parameters: listed.Defaults(), BOLD: "scan", Labels: "a.nii", Nodes: "dk84"}
		c.File, c.Exclude = "people.csv", []string{name}
		if _, err := c.Load(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// One file as two runs of a participant is refused before anything runs, by its path or its bytes; files of one size
// that differ, and files that hold nothing, are two.
func TestOneFileAsTwoRuns(t *testing.T) {
	long := strings.Repeat("1\t2\n", 2000)
	dir := testdir.Files(t, map[string]string{
		"1.tsv": "a\tb\n1\t1\n", "2.tsv": "a\tb\n1\t2\n", "copy.tsv": "a\tb\n1\t2\n", "3.tsv": "a\tb\n1\t3\n",
		"u.tsv": "a\tb\n1\t4\n", "v.tsv": long + "4\n", "w.tsv": long + "3\n", "x.tsv": long + "1\n",
		"y.tsv": long + "2\n",
		"participants.tsv": "participant_id\tgroup\tf\n1\tA\t1.tsv\n1\tA\t1.tsv\n2\tB\t2.tsv\n2\tB\tcopy.tsv\n" +
			"3\tA\t3.tsv\n3\tA\tu.tsv\n4\tB\tv.tsv\n4\tB\tw.tsv\n5\tB\tx.tsv\n5\tB\ty.tsv\n5\tB\tx.tsv\n"})
	c := &TimeseriesCohort{Parameters: listed.Defaults(), Series: "f"}
	c.File, c.Runs = "participants.tsv", "all"
	r := need.Value(c.Load(dir))(t)
	r.RefuseOneScan()
	for i, want := range []string{"participant sub-1 (participants.tsv:2): its scans 1 and 2 are one (1.tsv)",
		"participant sub-2 (participants.tsv:4): its scans 1 and 2 are one (copy.tsv, as in 2.tsv)", "", "",
		"participant sub-5 (participants.tsv:10): its scans 1 and 3 are one (x.tsv)"} {
		if want == "" {
			need.NoError(t, r.Subjects[i].Problem)
		} else {
			need.Error(t, r.Subjects[i].Problem, want)
		}
	}
}

// A choice between scans or series that the cohort leaves open for many is a mistake of the cohort, before anything
// runs; several scans of one participant are this one's.
func TestUndecidedFiles(t *testing.T) {
	for tasks, want := range map[string]string{
		"rest film|rest film|rest": "the cohort does not state which files are meant, for 2 of 3 participants: sub-01: 2 scans match; they " +
			"differ in task (film, rest): set the parameter task",
		"rest film|rest|rest": "", "rest|rest|film": "",
	} {
		d := newDataset(t, threePeople)
		for i, list := range strings.Split(tasks, "|") {
			sub := fmt.Sprintf("sub-0%d", i+1)
			for _, task := range strings.Fields(list) {
				stem := sub + "/func/" + sub + "_task-" + task + "_"
				d.write(stem+"space-T1w_desc-preproc_bold.nii.gz", "")
				d.write(stem+"space-T1w_desc-aparcaseg_dseg.nii.gz", "")
				d.write(stem+"atlas-A_timeseries.tsv", fmt.Sprintf("a\tb\n1\t2\n%d\t1\n", i))
			}
		}
		r, err := d.load(func(b *BIDSCohort) { b.Confounds = false })
		series := &TimeseriesCohort{Parameters: listed.Defaults(), Dir: "."}
		_, other := series.Load(d.dir)
		if want != "" {
			need.Error(t, err, want)
			need.Error(t, other, strings.Replace(want, "scans", "time series files", 1))
			r, err = d.load(func(b *BIDSCohort) { b.Confounds, b.Task = false, []string{"rest"} })
			need.NoError(t, err)
			need.NoError(t, r.Subjects[0].Problem)
			continue
		}
		need.NoError(t, err)
		need.NoError(t, other)
		need.Equal(t, r.Subjects[0].Problem != nil, strings.HasPrefix(tasks, "rest film"))
	}
	d := newDataset(t, threePeople)
	for _, sub := range []string{"sub-01", "sub-02", "sub-03"} {
		for _, atlas := range []string{"A", "B"} {
			d.write(sub+"/func/"+sub+"_task-rest_atlas-"+atlas+"_stat-mean_timeseries.tsv", "a\tb\n1\t2\n")
		}
	}
	_, err := (&TimeseriesCohort{Parameters: listed.Defaults(), Dir: "."}).Load(d.dir)
	need.Error(t, err, "for 3 of 3 participants: sub-01: 2 time series files match; they differ in atlas (A, B): set the parameter atlas")
}

// The rows of a participant are its runs in the order of a column that numbers them, and have its names.
func TestRunsOfAColumn(t *testing.T) {
	const names = "sub-01 1 a1.tsv\nsub-01 2 a2.tsv\nsub-01 10 a10.tsv\nsub-02 2 b2.tsv\nsub-02 3 b3.tsv"
	for what, c := range map[string][2]string{
		"by the column":       {"01\ta1\n2.0\tb2\n2\ta2\n10\ta10\n3\tb3", names},
		"below one another":   {"10\ta10\n2\ta2\n01\ta1\n3\tb3\n2\tb2", names},
		"one number twice":    {"1\ta1\n1\ta2\n1\tb2", "sub-01 1 a1.tsv\nsub-01 2 a2.tsv\nsub-02 1 b2.tsv"},
		"without each number": {"2\ta2\nLR\ta1\n1\tb2", "sub-01 1 a2.tsv\nsub-01 2 a1.tsv\nsub-02 1 b2.tsv"},
	} {
		files, table := map[string]string{}, "participant_id\tgroup\trun\tseries\n"
		for i, line := range strings.Split(c[0], "\n") {
			run, name, _ := strings.Cut(line, "\t")
			id, group := "sub-01", "A"
			if name[0] == 'b' {
				id, group = "sub-02", "B"
			}
			table += fmt.Sprintf("%s\t%s\t%s\t%s.tsv\n", id, group, run, name)
			files[name+".tsv"] = fmt.Sprintf("1\t%d\n3\t5\n2\t7\n", i)
		}
		files["table.tsv"] = table
		p := listed.Defaults()
		p.File, p.Runs = "table.tsv", "all"
		r := need.Value((&TimeseriesCohort{Parameters: p, Series: "series"}).Load(testdir.Files(t, files)))(t)
		need.Equal(t, runsText(r, "series"), c[1], what)
	}
}
