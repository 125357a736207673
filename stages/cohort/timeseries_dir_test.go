package cohort

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/stages/wording"

	"prgnn/artifacts"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/cohort/userfile"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// The columns of sessions.tsv are covariates where series are found by their names, too; another group is a caution.
func TestTimeseriesSessionsTable(t *testing.T) {
	d := newDataset(t, "participant_id\tgroup\nsub-01\tASD\nsub-02\tHC\n")
	for _, sub := range []string{"sub-01", "sub-02"} {
		for _, ses := range []string{"1", "2"} {
			d.write(sub+"/ses-"+ses+"/func/"+sub+"_ses-"+ses+"_task-rest_atlas-A_timeseries.tsv", "L\tR\n1\t2\n")
		}
		d.write(sub+"/"+sub+"_sessions.tsv", "session_id\tgroup\tscore\nses-1\tHC\t1\nses-2\tHC\t4\n")
	}
	kind := &TimeseriesCohort{Parameters: listed.Defaults(), Dir: ".", Sessions: []string{"all"}}
	r := need.Value(kind.Load(d.dir))(t)
	need.Equal(t, fmt.Sprint(need.Value(r.Participants.Floats("score"))(t)), "[2.5 2.5]")
	notes, _ := r.About(r.IDs())
	need.Equal(t, strings.Contains(strings.Join(wording.NoteTexts(notes), "\n"),
		"1 participant with different groups in sessions.tsv and participants.tsv"), true)
}

// The sidecar of a file of series lies beside it, or above and for all; where one is
// missing, nobody has it, and it is said.
func TestTimeseriesSidecar(t *testing.T) {
	load := func(kind *TimeseriesCohort, d dataset) *Roster {
		r := need.Value(kind.Load(d.dir))(t)
		return r
	}
	const series = "sub-0%/func/sub-0%_task-rest_atlas-A_stat-mean_timeseries"
	name := func(who, ext string) string { return strings.ReplaceAll(series, "%", who) + ext }
	for _, c := range []struct {
		files map[string]string
		want  []string // the sidecars of sub-01 and sub-02
		note  string
	}{
		{map[string]string{name("1", ".json"): `{"RepetitionTime": 2}`,
			name("2", ".json"): `{"SamplingFrequency": 0.5}`}, []string{name("1", ".json"), name("2", ".json")}, ""},
		{map[string]string{name("1", ".json"): "{\n\"a\": }",
			name("2", ".json"): `{"RepetitionTime": 2}`}, []string{name("1", ".json"), name("2", ".json")}, ""},
		{map[string]string{"task-rest_timeseries.json": `{"RepetitionTime": 2}`}, []string{"task-rest_timeseries.json", "task-rest_timeseries.json"}, ""},
		{map[string]string{name("1", ".json"): `{"RepetitionTime": 2, "SamplingFrequency": 1}`,
			name("2", ".json"): `{"RepetitionTime": 3, "SamplingFrequency": 0.33}`}, []string{name("1", ".json"), name("2", ".json")},
			"the SamplingFrequency of the sidecar contradicts its RepetitionTime, which is used: sub-01 (RepetitionTime 2 s, SamplingFrequency 1 Hz)"},
		{map[string]string{"task-rest_timeseries.json": `{"Sources": []}`}, []string{"", ""}, ""},
		{map[string]string{name("1", ".json"): `{"RepetitionTime": 2}`}, []string{name("1", ".json"), ""}, "no JSON file gives the RepetitionTime for sub-02: there the parameter tr of their stage, or else what the file of the series gives, counts"},
	} {
		for _, how := range []string{"dir", "table"} {
			d := newDataset(t, "participant_id\tgroup\nsub-01\tASD\nsub-02\tHC\n")
			d.write(name("1", ".tsv"), "L\tR\n1\t2\n")
			d.write(name("2", ".tsv"), "L\tR\n1\t2\n")
			for f, text := range c.files {
				d.write(f, text)
			}
			kind := &TimeseriesCohort{Parameters: listed.Defaults()}
			if how == "dir" {
				kind.Dir = "."
			} else {
				kind.File, kind.Series = "participants.tsv", "{participant_id}/func/{participant_id}_task-rest_atlas-A_stat-mean_timeseries.tsv"
			}
			if _, above := c.files["task-rest_timeseries.json"]; above && how == "table" {
				continue // a table follows no rules of inheritance
			}
			r := load(kind, d)
			for i, s := range r.Subjects {
				want := c.want[i]
				if want != "" {
					want = filepath.Join(d.dir, want)
				}
				need.Equal(t, s.Files["sidecar"], want, how, c.files, s.ID)
			}
			if _, port := r.Files["sidecar"]; port != (c.want[0] != "") {
				t.Errorf("%s, %v: port %v", how, c.files, port)
			}
			for i, s := range r.Subjects {
				if broken := strings.Contains(c.files[name("1", ".json")], "\"a\""); broken && i == 0 {
					need.Error(t, s.Problem, "timeseries.json:2:6: no JSON: invalid character '}' looking for beginning of value: correct the file, or remove it (to continue without it: ")
				} else {
					need.NoError(t, s.Problem, how, c.files, s.ID)
				}
			}
			if c.note != "" && !slices.Contains(wording.NoteTexts(r.Notes), c.note) {
				t.Errorf("%s: notes %q, want %q", how, wording.NoteTexts(r.Notes), c.note)
			}
		}
	}
}

// A broken sidecar that several participants inherit is one mistake, of series and of scans; that of one is a problem
// of this participant.
func TestBrokenSidecarOfAll(t *testing.T) {
	const people = "participant_id\tgroup\nsub-01\tASD\nsub-02\tHC\nsub-03\tHC\n"
	const want = "json:1:21: no JSON: unexpected end of JSON input: correct the file, or remove it; 3 participants inherit it: sub-01, sub-02, sub-03"
	series, scans := newDataset(t, people), newDataset(t, people)
	for _, s := range []string{"sub-01", "sub-02", "sub-03"} {
		series.write(s+"/func/"+s+"_task-rest_atlas-A_stat-mean_timeseries.tsv", "L\tR\n1\t2\n")
		scan := s + "/func/" + s + "_task-rest_space-T1w_desc-preproc_bold"
		scans.write(scan+".nii.gz", string(stagetest.Encoded(t, artifacts.Bytes{Kind: "nifti", Data: smallScan(t, 2)})))
		scans.write(s+"/anat/"+s+"_desc-aparcaseg_dseg.nii.gz", "")
	}
	scans.write("task-rest_bold.json", `{"RepetitionTime": 2,`)
	series.write("task-rest_timeseries.json", `{"RepetitionTime": 2,`)
	kind := &TimeseriesCohort{Parameters: listed.Defaults()}
	kind.Dir = "."
	_, err := kind.Load(series.dir)
	need.Error(t, err, "task-rest_timeseries."+want)
	_, err = scans.load(func(b *BIDSCohort) { b.Confounds, b.Incomplete = false, "skip" })
	need.Error(t, err, "task-rest_bold."+want)
	scans.write("task-rest_bold.json", `{"RepetitionTime": 2}`)
	scans.write("sub-01/func/sub-01_task-rest_bold.json", `{"RepetitionTime": 2,`)
	r := need.Value(scans.load(func(b *BIDSCohort) { b.Confounds = false }))(t)
	need.Error(t, r.Subjects[0].Problem, "sub-01_task-rest_bold.json:1:21: no JSON")
	need.NoError(t, r.Subjects[1].Problem)
}

// Series are found under the names that XCP-D, giga_connectome and C-PAC give them.
func TestTimeseriesDialects(t *testing.T) {
	const two = "participant_id\tgroup\nsub-01\tASD\nsub-02\tHC\n"
	const text = "LH_Vis\tRH_Vis\n1\t2\n3\tn/a\n2\t5\n"
	for _, c := range []struct {
		name   string
		files  []string // SUB stands for the participant
		change func(*TimeseriesCohort)
		want   string
		wrong  string
	}{
		{"XCP-D 26", []string{
			"SUB/func/SUB_task-rest_space-MNI152NLin2009cAsym_atlas-Schaefer100_stat-mean_timeseries.tsv",
			"SUB/func/SUB_task-rest_space-MNI152NLin2009cAsym_atlas-Tian_stat-mean_timeseries.tsv",
			"SUB/func/SUB_task-rest_space-MNI152NLin2009cAsym_atlas-Schaefer100_stat-coverage_bold.tsv",
			"SUB/func/SUB_task-rest_desc-abcc_qc.tsv", "SUB/func/SUB_task-rest_motion.tsv",
		}, func(c *TimeseriesCohort) { c.Atlas = "schaefer100" }, "SUB_task-rest_space-MNI152NLin2009cAsym_atlas-Schaefer100_stat-mean_timeseries.tsv", ""},
		{"XCP-D 0.7", []string{"SUB/ses-01/func/SUB_ses-01_task-rest_run-1_space-fsLR_seg-4S456Parcels_stat-mean_timeseries.tsv", "SUB/ses-02/func/SUB_ses-02_task-rest_run-1_space-fsLR_seg-4S456Parcels_stat-mean_timeseries.tsv"},
			func(c *TimeseriesCohort) { c.Session = []string{"1"} }, "SUB_ses-01_task-rest_run-1_space-fsLR_seg-4S456Parcels_stat-mean_timeseries.tsv", ""},
		{"XCP-D 0.3", []string{"SUB/func/SUB_task-rest_space-MNI152NLin2009cAsym_atlas-Gordon_timeseries.tsv"}, nil, "SUB_task-rest_space-MNI152NLin2009cAsym_atlas-Gordon_timeseries.tsv", ""},
		{"giga_connectome", []string{"SUB/func/SUB_task-rest_seg-DiFuMo64_desc-denoiseSimple_timeseries.tsv", "SUB/func/SUB_task-rest_seg-DiFuMo64_desc-denoiseScrubbing5_timeseries.tsv"},
			func(c *TimeseriesCohort) { c.Desc = "denoiseSimple" }, "SUB_task-rest_seg-DiFuMo64_desc-denoiseSimple_timeseries.tsv", ""},
		{"C-PAC", []string{"SUB/ses-1/func/SUB_ses-1_task-rest_atlas-CC200_space-MNI152NLin6ASym_reg-default_desc-Mean_timeseries.1D"}, nil, "SUB_ses-1_task-rest_atlas-CC200_space-MNI152NLin6ASym_reg-default_desc-Mean_timeseries.1D", ""},
		{"C-PAC, a directory a session", []string{"SUB_ses-1/func/SUB_ses-1_task-rest_run-1_atlas-AAL_desc-Mean-1_timeseries.1D"}, nil, "SUB_ses-1_task-rest_run-1_atlas-AAL_desc-Mean-1_timeseries.1D", ""},
		{"confounds alone", []string{"SUB/func/SUB_task-rest_desc-confounds_timeseries.tsv"}, nil, "", "it has no time series of an atlas (func/…_atlas-…_timeseries.tsv or .1D)"},
		{"another atlas", []string{"SUB/func/SUB_task-rest_atlas-A_timeseries.tsv"}, func(c *TimeseriesCohort) { c.Atlas = "B" }, "", "none of its time series matches; it has SUB_task-rest_atlas-A_timeseries.tsv"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDataset(t, two)
			for _, f := range c.files {
				for _, sub := range []string{"sub-01", "sub-02"} {
					d.write(strings.ReplaceAll(f, "SUB", sub), text)
				}
			}
			if c.wrong != "" { // so that the names of the regions can be read somewhere
				d.write("nodes.tsv", "index\tname\n1\tLH_Vis\n2\tRH_Vis\n")
			}
			kind := Sources[slices.IndexFunc(Sources,
				func(c Source) bool { return c.Name == "timeseries" })].New().(*TimeseriesCohort)
			kind.Dir = "."
			if c.wrong != "" {
				kind.Nodes = filepath.Join(d.dir, "nodes.tsv")
			}
			if c.change != nil {
				c.change(kind)
			}
			r := need.Value(kind.Load(d.dir))(t)
			for _, s := range r.Subjects {
				if c.wrong != "" {
					need.Error(t, s.Problem, strings.ReplaceAll(c.wrong, "SUB", s.ID), "problem", c.wrong)
					continue
				}
				if got, want := filepath.Base(s.Files["series"]),
					strings.ReplaceAll(c.want, "SUB", s.ID); got != want || s.Problem != nil {
					t.Errorf("series %s, want %s (%v)", got, want, s.Problem)
				}
			}
			if names := stagetest.Sure(r.Nodes.Strings("name")); !slices.Equal(names, []string{"LH_Vis", "RH_Vis"}) {
				t.Errorf("nodes %q", names)
			}
		})
	}
}

// A * in series is any text, in directories too, if one file matches.
func TestTimeseriesStar(t *testing.T) {
	const table = ",file,dx,SITE_ID,AGE\n1,a_1,1,N,9\n2,b_2,2,N,10\n3,c_3,2,M,11\n4,d_4,,M,12\n"
	load := func(change func(*TimeseriesCohort), files ...string) (*Roster, error) {
		d := newDataset(t, "")
		d.write("people.csv", table)
		for _, f := range files {
			d.write(f, "#1\t#2\n1\t2\n")
		}
		people := listed.Parameters{File: filepath.Join(d.dir, "people.csv"), ID: "file", Group: "dx"}
		c := &TimeseriesCohort{Parameters: people,
			Series: "*/{file}_rois_*.1D*", Columns: []string{"site=SITE_ID", "AGE"}, Incomplete: "skip"}
		if change != nil {
			change(c)
		}
		return c.Load(d.dir)
	}
	r, err := load(nil, "cpac/a_1_rois_ho.1D", "niak/b_2_rois_cc200.1D.gz", "cpac/d_4_rois_ho.1D", "cpac/readme")
	need.NoError(t, err)
	var who []string
	for _, s := range r.Subjects {
		who = append(who, s.ID+" "+userfile.NameIn(r.Root, s.Files["series"]))
		if s.Problem != nil {
			t.Error(s.Problem)
		}
	}
	if want := []string{"sub-a1 cpac/a_1_rois_ho.1D", "sub-b2 niak/b_2_rois_cc200.1D.gz"}; !slices.Equal(who, want) {
		t.Errorf("%q, want %q", who, want)
	}
	if want := []listed.LeftOut{
		{ID: "sub-c3", Group: "2", Why: "its series file: no file matches */c_3_rois_*.1D*", Category: listed.UnusableData},
		{ID: "sub-d4", Why: `it has no group (column "dx" is empty)`, Category: listed.UnusableData}}; !slices.Equal(r.Left, want) {
		t.Errorf("left out: %+v, want %+v", r.Left, want)
	}
	if want := []string{"2 participants without a usable file or a group excluded"}; !slices.Contains(wording.NoteTexts(r.Notes), want[0]) {
		t.Errorf("notes %q lack %q", wording.NoteTexts(r.Notes), want)
	}
	var columns []string
	for _, c := range r.Participants.Columns {
		columns = append(columns, c.Name)
	}
	want := []string{"participant_id", "group", "file", "site", "AGE"}
	if !slices.Equal(columns, want) || r.Participants.Rows() != 2 {
		t.Errorf("%d participants with %q, want 2 with %q", r.Participants.Rows(), columns, want)
	}

	// Several files are nobody's choice but the user's.
	r, err = load(nil, "cpac/a_1_rois_ho.1D", "niak/a_1_rois_cc200.1D.gz", "cpac/b_2_rois_ho.1D")
	need.NoError(t, err)
	const wrong = "2 files match */a_1_rois_*.1D*: cpac/a_1_rois_ho.1D, niak/a_1_rois_cc200.1D.gz; series must match only one"
	need.Error(t, r.Subjects[0].Problem, wrong)

	if _, err = load(nil, "cpac/b_2_rois_ho.1D", "niak/b_2_rois_cc200.1D.gz"); err == nil ||
		!strings.Contains(err.Error(), "the first: ") || !strings.Contains(err.Error(), "2 files match */b_2_rois_*.1D*") {
		t.Errorf("got %v", err)
	}

	_, err = load(func(c *TimeseriesCohort) { c.Columns = []string{"site=SITE", "=x", "group=AGE"} }, "cpac/a_1_rois_ho.1D")
	for _, want := range []string{`columns: `, `has no column "SITE" (did you mean "SITE_ID"?); its columns are file, dx, SITE_ID, AGE (set the parameter columns to one of them)`,
		`"=x" is not of the form COLUMN or NAME=COLUMN`, "two columns would be named group"} {
		need.Error(t, err, want, "got")
	}
	_, err = load(func(c *TimeseriesCohort) {
		c.Group, c.Target, c.Columns = "", "AGE", []string{"group=dx", "target=SITE_ID"}
	}, "cpac/a_1_rois_ho.1D")
	for _, want := range []string{"columns: group is the name of groups to predict, but target is set: keep the column " +
		"under another name, such as columns: [diagnosis=dx]", "columns: target is the name of the number to predict, AGE, " +
		"of which a cohort has one: keep the column under another name, such as columns: [score=SITE_ID]"} {
		need.Error(t, err, want, "got")
	}
}

// A * takes no letter or digit next to a value of the table, in any kind of cohort: sub-11 is not sub-1.
func TestStarExtendsNobody(t *testing.T) {
	d := newDataset(t, "")
	d.write("people.tsv", "participant_id\tgroup\tsite\n1\tA\tN\n2\tA\tN\n3\tB\t[N]\n")
	for _, id := range []string{"11", "2", "3"} {
		for _, ends := range []string{"_ts.tsv", "_bold.nii.gz"} {
			d.write("ts/sub-"+id+ends, "A\tB\n1\t2\n3\t4\n")
			d.write("[N]/"+id+ends, "A\tB\n1\t2\n3\t4\n")
		}
	}
	people := listed.Parameters{File: "people.tsv", ID: "participant_id", Group: "group"}
	series := func(spec string) Loader { return &TimeseriesCohort{Parameters: people, Series: spec} }
	cohorts := map[string]Loader{
		"after":     series("ts/sub-{participant_id}*_ts.tsv"),
		"before":    series("ts/*{participant_id}_ts.tsv"),
		"both":      series("ts/*-*{participant_id}**_ts.tsv"),
		"one sign":  &RowsCohort{File: "people.tsv", Files: []string{"f=t*/sub-{participant_id}?_ts.tsv"}},
		"directory": series("[N]/{participant_id}*_ts.tsv"),
		"table": &TableCohort{Parameters: people, BOLD: "ts/sub-{participant_id}*_bold.nii.gz", Labels: "people.tsv",
			Nodes: "dk84"},
		"matrices": &MatricesCohort{Parameters: people, Pearson: "ts/sub-{participant_id}*_ts.tsv"},
		"rows":     &RowsCohort{File: "people.tsv", Files: []string{"f=ts/sub-{participant_id}*_ts.tsv"}},
	}
	for name, c := range cohorts {
		r, err := c.Load(d.dir)
		need.NoError(t, err)
		need.Error(t, r.Subjects[0].Problem, "11_", name)
		for _, s := range r.Subjects[1:] {
			if s.Problem != nil && name != "one sign" {
				t.Errorf("%s: %v", name, s.Problem)
			}
		}
	}

	// A value with signs of a pattern stands for itself, and a longer name beside the right one is no second file.
	d.write("ts/sub-1_ts.tsv", "A\tB\n1\t2\n3\t4\n")
	r, err := series("ts/sub-{participant_id}*_ts.tsv").Load(d.dir)
	need.NoError(t, err)
	if got := userfile.NameIn(r.Root, r.Subjects[0].Files["series"]); got != "ts/sub-1_ts.tsv" {
		t.Errorf("%s, %v", got, r.Subjects[0].Problem)
	}
	r, err = series("{site}/{participant_id}*_t*.tsv").Load(d.dir)
	need.NoError(t, err)
	if r.Subjects[2].Problem != nil || r.Subjects[0].Problem == nil {
		t.Errorf("%v, %v", r.Subjects[2].Problem, r.Subjects[0].Problem)
	}

	// A * does not make two names one file.
	d.write("ts/x_run-1_y_run-2.tsv", "A\tB\n1\t2\n")
	r, err = (&RowsCohort{File: "people.tsv", Files: []string{"f=ts/*run-{participant_id}*.tsv"}}).Load(d.dir)
	need.NoError(t, err)
	need.Error(t, r.Subjects[0].Problem, "so is that of 2 (line 3), but one file cannot belong to two rows")
	need.Error(t, r.Subjects[1].Problem, "so is that of 1 (line 2), but one file cannot belong to two rows")
	r, err = (&RowsCohort{File: "people.tsv", Files: []string{"f=ts/*{group}_ts.tsv"}}).Load(d.dir)
	need.NoError(t, err)
	need.Error(t, r.Subjects[0].Problem, "no file matches")

	// One number with decimals in some rows only, as of a site, is one name.
	d.write("sites.tsv", "participant_id\tgroup\tsite\n1\tA\t2\n2\tB\t2.00\n")
	d.write("ts/site-2_x.tsv", "A\tB\n1\t2\n")
	r, err = (&RowsCohort{File: "sites.tsv", Files: []string{"f=ts/site-{site}_*.tsv"}}).Load(d.dir)
	need.NoError(t, err)
	need.NoError(t, r.Subjects[0].Problem)
	need.NoError(t, r.Subjects[1].Problem)
}

// One file without names among files with names, or numbered from 0 among numbered from 1, is refused for its
// participant, and the first of the others gives the node list.
func TestOtherHeads(t *testing.T) {
	rows := strings.Repeat("0.5\t1.5\t-2.5\n1.5\t-0.5\t2.5\n", 3)
	for _, c := range []struct {
		heads [4]string
		want  [4]string // part of the problem
		nodes string
	}{
		{[4]string{"a\tb\tc\n", "a\tb\tc\n", "", "a\tb\tc\n"}, [4]string{2: "the columns of c.tsv have no names, but those of 3 files, such as a.tsv, are named a to c: give the columns the same names in all files"}, "a"},
		{[4]string{"0\t1\t2\n", "1\t2\t3\n", "1\t2\t3\n", "1\t2\t3\n"}, [4]string{"the columns of a.tsv are numbered 0 to 2, but those of 3 files, such as b.tsv, are named 1 to 3"}, "1"},
		{[4]string{"0\t1\t2\n", "0\t1\t2\n", "", "a\tb\tc\n"}, [4]string{3: "the columns of d.tsv are named a to c, but those of 3 files, such as a.tsv, are numbered 0 to 2"}, "0"},
		{[4]string{"c\tb\ta\n", "a\tb\tc\n", "a\tb\tc\n", "a\tb\tc\n"}, [4]string{}, "c"},
		{[4]string{"a\tü\tc\n", "a\tü\tc\n", "a\tü\tc\n", "a\tu\u0308\tc\n"}, [4]string{}, "a"},
		{[4]string{"", "", "", "0\t1\t2\n"}, [4]string{}, "1"},
		{[4]string{"a\tb\tc\n", "a\tb\tc\n", "1\t2\t3\n", "1\t2\t3\n"}, [4]string{2: "the columns of c.tsv are named 1 to 3, but those of 2 files, such as a.tsv, are named a to c",
			3: "the columns of d.tsv are named 1 to 3"}, "a"},
		{[4]string{"3\t1\t2\n", "a\tb\tc\n", "a\tb\tc\n", ""}, [4]string{0: "the columns of a.tsv are named 3 to 2, but those of 2 files, such as b.tsv",
			3: "the columns of d.tsv have no names"}, "a"},
	} {
		dir, table := t.TempDir(), "participant_id\tgroup\tf\n"
		for i, head := range c.heads {
			id := string(rune('a' + i))
			table += fmt.Sprintf("%s\t%s\t%s.tsv\n", id, []string{"X", "Y"}[i%2], id)
			need.NoError(t, os.WriteFile(filepath.Join(dir, id+".tsv"), []byte(head+rows), 0o666))
		}
		need.NoError(t, os.WriteFile(filepath.Join(dir, "p.tsv"), []byte(table), 0o666))
		s := timeseriesCohortKind.New().(*TimeseriesCohort)
		s.File, s.Series = "p.tsv", "f"
		r := need.Value(s.Load(dir))(t)
		for i, subject := range r.Subjects {
			if c.want[i] == "" {
				need.NoError(t, subject.Problem, c.heads)
			} else {
				need.Error(t, subject.Problem, c.want[i], c.heads)
			}
		}
		names, _ := r.Nodes.Column("name")
		need.Equal(t, names.Values.([]string)[0], c.nodes, "the first node")
	}
}

// A repetition time and a number of volumes that no two groups share are noted, of series as of scans.
func TestTimeseriesTimesByGroup(t *testing.T) {
	dir, table := t.TempDir(), "participant_id,group,file\n"
	for i := range 6 {
		group, tr := "ASD", "2"
		if i%2 == 1 {
			group, tr = "TD", "3"
		}
		name := fmt.Sprintf("s%d", i)
		table += name + "," + group + "," + name + ".tsv\n"
		rows := strings.Repeat("1.5\t2\n", i%2+2)
		testdir.Write(t, filepath.Join(dir, name+".tsv"), "a\tb\n"+rows)
		testdir.Write(t, filepath.Join(dir, name+".json"), `{"RepetitionTime": `+tr+`}`)
	}
	testdir.Write(t, filepath.Join(dir, "p.csv"), table)
	c := timeseriesCohortKind.New().(*TimeseriesCohort)
	c.File, c.Group, c.Series = "p.csv", "group", "file"
	r := need.Value(c.Load(dir))(t)
	notes, _ := r.About(r.IDs())
	need.Equal(t, strings.Join(wording.NoteTexts(notes), "; "), "the repetition time is completely confounded with the group: ASD 2 s (3), TD 3 s (3); a classifier may learn the acquisition instead of the group difference; "+
		"the number of volumes is completely confounded with the group: ASD 2 volumes (3), TD 3 volumes (3); a classifier may learn the acquisition instead of the group difference")
}

// A participant whose columns have other names than those of most is left out by incomplete: skip, too.
func TestSkipOtherHeads(t *testing.T) {
	d := newDataset(t, "")
	d.write("people.tsv", "participant_id\tgroup\n1\tA\n2\tA\n3\tB\n")
	rows := strings.Repeat("0.5\t1.5\n1.5\t-0.5\n", 3)
	d.write("1.tsv", rows)
	d.write("2.tsv", "a\tb\n"+rows)
	d.write("3.tsv", "a\tb\n"+rows)
	people := listed.Parameters{File: "people.tsv", ID: "participant_id", Group: "group"}
	r := need.Value((&TimeseriesCohort{Parameters: people, Series: "{participant_id}.tsv", Incomplete: "skip"}).Load(d.dir))(t)
	need.Equal(t, len(r.Subjects), 2)
	need.Equal(t, strings.HasPrefix(r.Left[0].Why, "the columns of 1.tsv have no names"), true, r.Left[0].Why)
}

// The first participant's file does not decide for the others when it is damaged, or has other names than most.
func TestSkipDamagedFirst(t *testing.T) {
	rows := "a\tb\n" + strings.Repeat("0.5\t1.5\n1.5\t-0.5\n", 3)
	for damaged, want := range map[string]string{
		"":                                     "its series file: 1.tsv: the file has no numbers",
		"a\tb":                                 "its series file: 1.tsv: the file has column names but no numbers",
		strings.Replace(rows, "-0.5", "x", 1):  "its series file: 1.tsv: line 3, column 2",
		strings.Replace(rows, "\t-0.5", "", 1): "its series file: 1.tsv: line 3 has 1 column",
		"\xff\xfea\x00\t\x00b\x00\n\x00":       "its series file: 1.tsv: it is text in UTF-16: save it as UTF-8",
		strings.Replace(rows, "a\tb", "\xe9\tb", 1):  "1.tsv lacks the columns a and has the columns",
		strings.Replace(rows, "a\tb", "other\tb", 1): "1.tsv lacks the columns a and has the columns other, against 2 files, such as 2.tsv",
		strings.Replace(rows, "1.5", "1.5\x00", 1):   "its series file: 1.tsv: not a text file",
	} {
		d := newDataset(t, "")
		d.write("people.tsv", "participant_id\tgroup\n1\tA\n2\tA\n3\tB\n")
		d.write("1.tsv", damaged)
		d.write("2.tsv", rows)
		d.write("3.tsv", rows)
		people := listed.Parameters{File: "people.tsv", ID: "participant_id", Group: "group"}
		r := need.Value((&TimeseriesCohort{Parameters: people, Series: "{participant_id}.tsv", Incomplete: "skip"}).Load(d.dir))(t)
		if len(r.Left) != 1 || !strings.HasPrefix(r.Left[0].Why, want) || len(r.Subjects) != 2 {
			t.Errorf("%q: left out %v, want %q", damaged, r.Left, want)
		}
	}
}

// With a node list of the user's, columns without names are noted: nothing but their position gives their regions.
func TestColumnsByPosition(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"s1", "s2"} {
		testdir.Write(t, filepath.Join(dir, name+".tsv"), "1.5\t2\n2\t1\n")
		testdir.Write(t, filepath.Join(dir, name+"n.tsv"), "a\tb\n1.5\t2\n2\t1\n")
	}
	testdir.Write(t, filepath.Join(dir, "p.csv"), "participant_id,group,file,named\ns1,A,s1.tsv,s1n.tsv\ns2,B,s2.tsv,s2n.tsv\n")
	testdir.Write(t, filepath.Join(dir, "nodes.tsv"), "index\tname\n1\ta\n2\tb\n")
	for _, c := range []struct {
		series, nodes string
		noted         bool
	}{{"file", "nodes.tsv", true}, {"file", "", false}, {"named", "nodes.tsv", false}} {
		k := timeseriesCohortKind.New().(*TimeseriesCohort)
		k.File, k.Group, k.Series, k.Nodes = "p.csv", "group", c.series, c.nodes
		r := need.Value(k.Load(dir))(t)
		noted := slices.ContainsFunc(r.Notes, func(n column.Note) bool { return n.Doubt == column.DoubtNames })
		need.Equal(t, noted, c.noted, c)
	}
}

// Arrays, and texts without names, with fewer rows than columns may be regions × volumes, as in .mat files: a note on
// transpose says so.
func TestArraysWithFewRows(t *testing.T) {
	for text, want := range map[string]bool{"1.5,2,3\n2,1,4\n": true, "# x\n\n1 2.5 3\n2 1 4": true, "a,b,c\n1.5,2,3\n2,1,4\n": false,
		"1.5,2\n2,1\n": false, "1.5,2,3\n2,1,4\n7,8,9\n": false, "1\t2\t3\n0.5\t1\t2\n7\t8\t9\n": false,
		strings.Repeat("1.5,", 2999) + "1\n" + strings.Repeat("2.5,", 2999) + "1\n": true} {
		dir := testdir.Files(t, map[string]string{"1.csv": text, "2.csv": strings.ReplaceAll(text, "2", "3"),
			"p.csv": "participant_id,group,file\n1,A,1.csv\n2,B,2.csv\n"})
		c := timeseriesCohortKind.New().(*TimeseriesCohort)
		c.File, c.Group, c.Series = "p.csv", "group", "file"
		notes := strings.Join(wording.NoteTexts(need.Value(c.Load(dir))(t).Notes), "; ")
		need.Equal(t, strings.Contains(notes, "series: fewer rows (2) than columns"), want, text[:9], notes)
	}
	for shape, want := range map[string]string{"(2, 3)": "series: fewer rows (2) than columns (3): the rows are read as " +
		"volumes; if they are regions, set transpose: true", "(3, 2)": ""} {
		dir := t.TempDir()
		for _, name := range []string{"1", "2"} {
			header := fmt.Sprintf("%-117s\n", "{'descr': '<f8', 'fortran_order': False, 'shape': "+shape+", }")
			testdir.Write(t, filepath.Join(dir, name+".npy"), "\x93NUMPY\x01\x00\x76\x00"+header+strings.Repeat("\x00", 40)+
				strings.Repeat(name, 8))
		}
		testdir.Write(t, filepath.Join(dir, "p.csv"), "participant_id,group,file\n1,A,1.npy\n2,B,2.npy\n")
		c := timeseriesCohortKind.New().(*TimeseriesCohort)
		c.File, c.Group, c.Series = "p.csv", "group", "file"
		notes := wording.NoteTexts(need.Value(c.Load(dir))(t).Notes)
		need.Equal(t, strings.Contains(strings.Join(notes, "; "), "set transpose"), want != "", notes)
		need.Equal(t, want == "" || slices.Contains(notes, want), true, notes)
	}
}
