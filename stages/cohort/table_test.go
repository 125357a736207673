package cohort

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"prgnn/stages/wording"

	"prgnn/internal/lists"
	"prgnn/internal/testdir"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/cohort/listed"
)

// inDir takes the directory out of a message.
func inDir(dir, message string) string {
	return filepath.ToSlash(strings.ReplaceAll(message, dir+string(filepath.Separator), ""))
}

// study is a table of four participants with scans, in a spreadsheet's manner.
func study(t *testing.T) string {
	return testdir.Files(t, map[string]string{
		"study/people.csv": "name;dx;years;mean_fd;scan;conf\n" +
			"003;ASD;9;0.1;func/c.nii;c.tsv\n" +
			"001;HC;11.5;0.2;func/a.nii;a.tsv\n" +
			"sub-002;ASD;n/a;0.5;func/b.nii;b.tsv\n" +
			"A_4;HC;30;;func/d.nii;d.tsv\n",
		"study/func/a.nii": "a", "study/func/b.nii": "b", "study/func/c.nii": "c", "study/func/d.nii": "d",
		"study/a.tsv": "", "study/b.tsv": "", "study/c.tsv": "", "study/d.tsv": "",
		"study/001.json": "{}", "study/sub-002.json": "{}", "study/003.json": "{}", "study/A_4.json": "{}",
		"atlas.nii": "x",
		"nodes.tsv": "index\tname\n7\tleft\n9\tright\n",
	})
}

func table(change func(*TableCohort)) *TableCohort {
	c := &TableCohort{Parameters: listed.Parameters{File: "study/people.csv", ID: "name", Group: "dx"}, BOLD: "scan",
		Labels: "../atlas.nii", Nodes: "dk84"}
	if change != nil {
		change(c)
	}
	return c
}

func TestTableCohort(t *testing.T) {
	dir := study(t)
	r, err := table(func(c *TableCohort) {
		c.Confounds, c.ConfoundsSidecar, c.Nodes = "conf", "{name}.json", "../nodes.tsv"
	}).Load(dir)
	need.NoError(t, err)
	var ids []string
	for _, s := range r.Subjects {
		ids = append(ids, s.ID)
		if s.Problem != nil {
			t.Error(s.Problem)
		}
	}
	if want := []string{"sub-001", "sub-002", "sub-003", "sub-A4"}; !slices.Equal(ids, want) {
		t.Errorf("participants %v, want %v", ids, want)
	}
	at := filepath.Join(dir, "study")
	if got, want := r.Subjects[2].Files, map[string]string{
		"bold": filepath.Join(at, "func", "c.nii"), "labels": filepath.Join(dir, "atlas.nii"),
		"confounds":         filepath.Join(at, "c.tsv"),
		"confounds_sidecar": filepath.Join(at, "003.json"),
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("files of sub-003: %v, want %v", got, want)
	}
	if got, want := r.Files, map[string]dag.Type{"bold": dag.Format("nifti"), "labels": dag.Format("nifti"),
		"confounds": dag.Format("tsv"), "confounds_sidecar": dag.Format("json")}; !reflect.DeepEqual(got, want) {
		t.Errorf("ports %v", got)
	}
	var columns []string
	for _, c := range r.Participants.Columns {
		columns = append(columns, c.Name)
	}
	// Covariates travel, paths do not; the names before ours do where they differ.
	if want := []string{"participant_id", "group", "name", "years", "mean_fd"}; !slices.Equal(columns, want) {
		t.Errorf("columns %v, want %v", columns, want)
	}
	for column, want := range map[string][]string{
		"participant_id": {"sub-001", "sub-002", "sub-003", "sub-A4"},
		"group":          {"HC", "ASD", "ASD", "HC"},
		"name":           {"001", "sub-002", "003", "A_4"},
		"years":          {"11.5", "n/a", "9", "30"},
	} {
		if got, _ := r.Participants.Strings(column); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", column, got, want)
		}
	}
	if _, err := r.Participants.Floats("years"); err != nil {
		t.Error(err)
	}
	names, _ := r.Nodes.Strings("name")
	values, _ := r.Nodes.Ints("id")
	if !slices.Equal(names, []string{"left", "right"}) || !slices.Equal(values, []int64{7, 9}) {
		t.Errorf("nodes %v %v", names, values)
	}
	if want := []string{"participant names consist of letters and digits only: A_4 is sub-A4"}; !slices.Equal(wording.NoteTexts(r.Notes), want) {
		t.Errorf("notes %q", wording.NoteTexts(r.Notes))
	}
}

func TestTableCohortSelects(t *testing.T) {
	dir := study(t)
	for _, c := range []struct {
		name   string
		change func(*TableCohort)
		ids    string
		notes  []string // besides the one about names
	}{
		{"by query", func(c *TableCohort) { c.Select = "group in [ASD, HC] and mean_fd < 0.3 and years >= 10" }, "sub-001",
			[]string{"selected 1 of 4 participants", "  2 do not meet mean_fd < 0.3 (1 without a value)", "  1 does not meet years >= 10",
				"every participant is in the group HC, so groups cannot be compared"}},
		{"by name", func(c *TableCohort) { c.Exclude = []string{"sub-003", "A_4", "001"} }, "sub-002",
			[]string{"3 participants excluded by name: sub-001, sub-003, sub-A4",
				"every participant is in the group ASD, so groups cannot be compared"}},
		{"by name and query", func(c *TableCohort) {
			c.Exclude, c.Select = []string{"sub-003"}, "years >= 10"
		}, "sub-001 sub-A4", []string{"1 participant excluded by name: sub-003",
			"  1 of these does not meet select either, and is counted under the reason from select",
			"selected 2 of 3 participants", "  1 does not meet years >= 10 (1 without a value)",
			"every participant is in the group HC, so groups cannot be compared"}},
		{"by level", func(c *TableCohort) {
			c.Levels = []string{"ASD=patient", "HC = control"}
			c.Select = "group == patient or dx == HC and years > 20"
		},
			"sub-002 sub-003 sub-A4", []string{"selected 3 of 4 participants", "  1 does not meet group == patient or dx == HC and years > 20"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := need.Value(table(c.change).Load(dir))(t)
			ids := lists.Map(r.Subjects, func(s Subject) string { return s.ID })
			need.Equal(t, strings.Join(ids, " "), c.ids, "participants")
			if got := wording.NoteTexts(r.Notes)[1:]; !slices.Equal(got, c.notes) {
				t.Errorf("notes %q, want %q", got, c.notes)
			}
		})
	}
	r, err := table(func(c *TableCohort) { c.Levels = []string{"ASD=patient", "HC = control"} }).Load(dir)
	need.NoError(t, err)
	if groups, _ := r.Participants.Strings("group"); !slices.Equal(groups,
		[]string{"control", "patient", "patient", "control"}) {
		t.Errorf("groups %v", groups)
	}
}

// Another spelling of a value of select would be excluded, or included, without a word.
func TestSelectSpellings(t *testing.T) {
	dir := study(t)
	path := filepath.Join(dir, "study", "people.csv")
	raw := string(need.Value(os.ReadFile(path))(t))
	for _, c := range []struct{ spelling, query, want string }{
		{"hc", "group in [ASD, HC]", "study/people.csv: column group has hc (1 row, first in line 3), select has HC, and the two differ only in case: " +
			"if they are one, correct the table, or give them one name in levels: [ASD=ASD, HC=HC, hc=HC]; if they are two, add to select: and group != hc"},
		{"hc", "dx != HC", "column dx has hc (1 row, first in line 3), select has HC, and the two differ only in case: if they are one, correct the table, or write both values in select"},
		{"HC\u200b", "group == HC", `has HC\u200b (1 row, first in line 3), select has HC, and the two have similar names`},
		{"\u041dC", "not group == HC", `has \u041dC (1 row`},
		{"hc", "group in [ASD, HC] and group != hc", ""},
		{"hc", "group in [HC, hc]", "seems to have one group in several ways: HC (1 row, first in line 5) and hc (1 row, first in line 3)"},
		{"hc", "group == ASD", ""},
	} {
		need.NoError(t, os.WriteFile(path, []byte(strings.Replace(raw, "001;HC", "001;"+c.spelling, 1)), 0o666))
		_, err := table(func(t *TableCohort) { t.Select = c.query }).Load(dir)
		if c.want == "" {
			need.NoError(t, err, c.query)
		} else {
			need.Error(t, err, c.want, c.query)
		}
	}
}

// A column of groups that is empty in all rows is one mistake of the table, and none of its participants.
func TestTableCohortWithoutGroups(t *testing.T) {
	dir := study(t)
	path := filepath.Join(dir, "study", "people.csv")
	raw := need.Value(os.ReadFile(path))(t)
	text := strings.NewReplacer(";HC", ";n/a", ";ASD", ";").Replace(string(raw))
	need.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	_, err := table(nil).Load(dir)
	if want := "study/people.csv:2–5: the column dx is empty: fill it in, or set group to another column"; err == nil || inDir(dir, err.Error()) != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// What is wrong with one participant is told of that one, with the line and the
// remedy; the others go on.
func TestTableCohortProblems(t *testing.T) {
	dir := study(t)
	path := filepath.Join(dir, "study", "people.csv")
	raw := need.Value(os.ReadFile(path))(t)
	text := strings.NewReplacer("001;HC", "001;", "func/b.nii", "func/gone.nii", "func/d.nii", "").Replace(string(raw))
	need.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	r := need.Value(table(nil).Load(dir))(t)
	want := map[string]string{
		"sub-001": `study/people.csv:3: participant sub-001: it has no group (column "dx" is empty) (to continue without it: exclude: [sub-001])`,
		"sub-002": `study/people.csv:4: participant sub-002: its bold file: study/func/gone.nii: there is no such file (to continue without it: exclude: [sub-002])`,
		"sub-A4":  `study/people.csv:5: participant sub-A4: column "scan" is empty, but it must have the path of its bold file (to continue without it: exclude: [sub-A4])`,
	}
	for _, s := range r.Subjects {
		got := ""
		if s.Problem != nil {
			got = inDir(dir, s.Problem.Error())
		}
		if got != want[s.ID] {
			t.Errorf("%s:\ngot  %s\nwant %s", s.ID, got, want[s.ID])
		}
	}
	// A classifier needs groups: who has none is not in the table.
	if ids, _ := r.Participants.Strings("participant_id"); !slices.Equal(ids,
		[]string{"sub-002", "sub-003", "sub-A4"}) {
		t.Errorf("participants %v", ids)
	}
}

// Of a table whose rows are not all scans, such as that of ABIDE's Preprocessed Connectomes Project with no_filename
// for many, only the rows that are chosen need names of their own.
func TestTableCohortNamesOfTheChosen(t *testing.T) {
	const table = "FILE_ID,dx\nno_filename,HC\nNYU_1,HC\nno_filename,ASD\n,ASD\nNYU_2,ASD\nno_filename,HC\nNyu_2,HC\n"
	for _, c := range []struct{ choice, exclude, want string }{
		{"FILE_ID in [NYU_1, NYU_2]", "", ""},
		{"dx == HC", "", "people.csv:7: participant no_filename is already in line 2; if each row is a run: runs: all; if each is a session: sessions: COLUMN, the column that names it; if they are several persons: write ids that differ"},
		{"dx == ASD", "", "people.csv:5: the participant has no name (column \"FILE_ID\" is empty)"},
		{"dx == HC", "no_filename", ""},
	} {
		dir := testdir.Files(t, map[string]string{"people.csv": table})
		people := listed.Parameters{File: "people.csv", ID: "FILE_ID", Group: "dx", Select: c.choice}
		if c.exclude != "" {
			people.Exclude = []string{c.exclude}
		}
		l, err := people.Read(dir)
		if c.want != "" {
			if err == nil || inDir(dir, err.Error()) != c.want {
				t.Errorf("select %s: %v", c.choice, err)
			}
			continue
		}
		need.NoError(t, err)
		if ids := lists.Map(l.Rows, func(r listed.Row) string { return r.Source }); len(ids) != 2 || ids[0] != "NYU_1" {
			t.Errorf("select %s: %v", c.choice, ids)
		}
		for _, o := range l.LeftOut() {
			if o.ID == "sub-" {
				t.Errorf("select %s: somebody without a name is left out", c.choice)
			}
		}
	}
}

func TestTableCohortRefuses(t *testing.T) {
	const columns = "its columns are name, dx, years, mean_fd, scan, conf"
	for _, c := range []struct {
		name   string
		change func(*TableCohort)
		text   string // of the table, when it is not that of study
		want   string
	}{
		{"a sidecar of no confounds", func(c *TableCohort) { c.ConfoundsSidecar = "{name}.json" }, "", "confounds is not set, but confounds_sidecar describes its columns"},
		{"nothing given", func(c *TableCohort) { *c = TableCohort{} }, "", "bold is not set: a column of the table, or a path\nlabels is not set: a column of the table, or a path\nfile is not set: the table of participants"},
		{"no table", func(c *TableCohort) { c.File = "people.tsv" }, "", "file: people.tsv: there is no such file"},
		{"columns", func(c *TableCohort) { c.ID, c.Group = "nam", "group" }, "",
			`id: study/people.csv has no column "nam" (did you mean "name"?); ` + columns + ` (set the parameter id to one of them)` + "\n" +
				`group: study/people.csv has no column "group"; ` + columns + ` (set the parameter group to one of them)`},
		{"files", func(c *TableCohort) { c.BOLD, c.Labels, c.Nodes = "scans", "{nam}/{dx}.nii", "dk" }, "",
			`bold: "scans" is neither a column of study/people.csv (did you mean "scan"?) nor a file (study/scans)` + "\n" +
				`labels: in "{nam}/{dx}.nii", {nam} is not a column of study/people.csv (did you mean "name"?); ` + columns + "\n" +
				`nodes: "dk" is neither a built-in list (dk84, dk84-index) nor a file (study/dk)`},
		{"open brace", func(c *TableCohort) { c.BOLD = "{name.nii" }, "", `bold: "{name.nii" has a { without its }`},
		{"duplicates", nil, "name;dx;scan\n1;HC;a\nsub-1;HC;b\nA_1;HC;c\nA1;HC;d\n1;HC;e\n;HC;f\n_;HC;g\n",
			"study/people.csv:3: \"sub-1\" and \"1\" (line 2) would both be named sub-1: if they are one person, remove one row; if they are two, rename one\n" +
				"study/people.csv:5: \"A1\" and \"A_1\" (line 4) would both be named sub-A1: if they are one person, remove one row; if they are two, rename one\n" +
				"study/people.csv:6: participant 1 is already in line 2; if each row is a run: runs: all; if each is a session: sessions: COLUMN, the column that names it; if they are several persons: write ids that differ\n" +
				"study/people.csv:7: the participant has no name (column \"name\" is empty)\n" +
				"study/people.csv:8: \"_\" has no letter or digit and cannot name a participant: rename it, or set the parameter id to another column"},
		{"levels", func(c *TableCohort) { c.Levels = []string{"ASD", "HC=a", "HC=b"} }, "",
			"levels: \"ASD\" is not of the form VALUE=NAME, such as 1=ASD\nlevels: the value \"HC\" is named twice"},
		{"a level without a name", func(c *TableCohort) { c.Levels = []string{"ASD=1"} }, "",
			"levels: study/people.csv: dx is \"HC\" in 2 rows, but levels has no name for it: name every value in levels: [ASD=1, HC=HC]"},
		{"exclude and select", func(c *TableCohort) { c.Exclude, c.Select = []string{"sub-004"}, "ages > 7" }, "",
			`exclude: study/people.csv: there is no participant "sub-004" (did you mean "sub-001"?)` + "\n" +
				`select: at character 1: there is no column "ages"; the columns are name, dx, years, mean_fd, scan, conf, participant_id, group`},
		{"exclude names participants of a larger table", func(c *TableCohort) {
			c.Exclude = []string{"50192", "A_4", "50209"}
		}, "",
			`exclude: study/people.csv: there is no participant "50192" (available: sub-001, sub-002, sub-003, sub-A4); it lacks 2 of ` +
				`the 3 that exclude lists (50192, 50209): inside the kind of the cohort (cohort: KIND) of your file, set exclude: [A_4]`},
		{"nobody", func(c *TableCohort) { c.Select = "years > 99" }, "",
			`study/people.csv: all of its 4 participants are excluded: participant names consist of letters and digits only: A_4 is sub-A4; selected 0 of 4 participants; 4 do not meet years > 99 (1 without a value); change select or exclude`},
		{"not a table", nil, "name;dx\n1;HC;x\n", "study/people.csv:2: 3 values, but the first line has 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := study(t)
			if c.text != "" {
				need.NoError(t, os.WriteFile(filepath.Join(dir, "study", "people.csv"), []byte(c.text), 0o666))
			}
			_, err := table(c.change).Load(dir)
			if err == nil {
				t.Fatal("no error")
			}
			if got := inDir(dir, err.Error()); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// A path may be absolute, made from columns, and start from another directory.
func TestTableCohortPaths(t *testing.T) {
	dir := study(t)
	r, err := table(func(c *TableCohort) {
		c.Root, c.BOLD, c.Labels = ".", "study/func/{conf}", filepath.Join(dir, "atlas.nii")
		c.Select = "name == 003"
	}).Load(dir)
	need.NoError(t, err)
	want := `participant sub-003: its bold file: study/func/c.tsv: there is no such file`
	if got := inDir(dir, r.Subjects[0].Problem.Error()); !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	need.Equal(t, r.Subjects[0].Files["labels"], filepath.Join(dir, "atlas.nii"), "labels")
	r, err = table(func(c *TableCohort) { c.BOLD = "func" }).Load(dir)
	need.NoError(t, err)
	if got := inDir(dir, r.Subjects[0].Problem.Error()); !strings.Contains(got, "its bold file: study/func is a directory") {
		t.Error(got)
	}
}

// passing is a table of 25 rows, the first column of which is called time.
func passing(time func(i int) string) string {
	text := "first,right\n"
	for i := range 25 {
		text += fmt.Sprintf("%s,%d\n", time(i), i*i%7)
	}
	return text
}

func TestTimeseriesCohort(t *testing.T) {
	dir := testdir.Files(t, map[string]string{
		"p.tsv":           "participant_id\tgroup\nsub-b\tx\nsub-a\ty\n",
		"ts/sub-a.1D":     "#10\t#2001\n0.5\t1\n0.1\t-2\n",
		"ts/sub-b.1D":     "#10\t#2001\n0.5\t1\n",
		"plain/sub-a":     "0.5 1 2\n1 2.5 3\n",
		"plain/sub-b":     "0.5 1 2\n",
		"list.txt":        "left\nright\n",
		"confounds/sub-a": "CSF\tcsf\tframewise_displacement\n1\t2\t3\n",
		"named/sub-a":     "left,right\n1,2\n",
		"broken/sub-a":    "left,right\n1,x\n",
		"timed/sub-a":     passing(func(i int) string { return fmt.Sprintf("%.1f", 0.72*float64(i)) }),
		"down/sub-a":      passing(func(i int) string { return fmt.Sprint(30 - i) }),
		"some/sub-a":      passing(func(i int) string { return fmt.Sprint(2*i + i/5) }),
		"slow/sub-a":      passing(func(i int) string { return fmt.Sprint(int(0.5 * float64(i))) }),
		"rises/sub-a":     passing(func(i int) string { return fmt.Sprint(i - 2*(i/24)) }),
		"steps/sub-a":     passing(func(i int) string { return fmt.Sprint(i / 4) }),
	})
	load := func(series, nodes string) (*Roster, error) {
		c := &TimeseriesCohort{Parameters: listed.Defaults(), Series: series, Nodes: nodes}
		c.File = "p.tsv"
		return c.Load(dir)
	}
	for _, c := range []struct {
		series, nodes string
		names         []string
		ids           []int64
	}{
		{"ts/{participant_id}.1D", "", []string{"10", "2001"}, []int64{10, 2001}},
		{"ts/{participant_id}.1D", "list.txt", []string{"left", "right"}, []int64{1, 2}},
		{"plain/{participant_id}", "", []string{"1", "2", "3"}, []int64{1, 2, 3}},
		{"named/{participant_id}", "", []string{"left", "right"}, []int64{1, 2}},
		{"rises/{participant_id}", "", []string{"first", "right"}, []int64{1, 2}},
		{"steps/{participant_id}", "", []string{"first", "right"}, []int64{1, 2}},
	} {
		r, err := load(c.series, c.nodes)
		if err != nil {
			t.Errorf("%s: %v", c.series, err)
			continue
		}
		names, _ := r.Nodes.Strings("name")
		ids, _ := r.Nodes.Ints("id")
		if !slices.Equal(names, c.names) || !slices.Equal(ids, c.ids) {
			t.Errorf("%s: nodes %v %v", c.series, names, ids)
		}
		if len(r.Subjects) != 2 || r.Subjects[0].ID != "sub-a" || r.Files["series"].Format != "series" {
			t.Errorf("%s: %+v", c.series, r)
		}
	}
	for series, want := range map[string]string{
		"":                           "neither dir nor series is set: a directory of derivatives, or a column of the table, or a path with {columns}",
		"broken/{participant_id}":    "nodes: broken/sub-a: line 2",
		"timed/{participant_id}":     "nodes: timed/sub-a: the column first is not a region: from row to row it only rises, only falls, or begins again, as time does; remove it from all files",
		"down/{participant_id}":      "nodes: down/sub-a: the column first is not a region",
		"some/{participant_id}":      "nodes: some/sub-a: the column first is not a region",
		"slow/{participant_id}":      "nodes: slow/sub-a: the column first is not a region",
		"confounds/{participant_id}": "nodes: confounds/sub-a: confounds, indices or a background among the regions: csf (column 2), framewise_displacement (column 3); remove them from all files",
		"none/{participant_id}":      "nodes is not set, and no participant of p.tsv has a file to read the names from",
	} {
		if _, err := load(series, ""); err == nil || !strings.HasPrefix(inDir(dir, err.Error()), want) {
			t.Errorf("%s: got %v, want %s", series, err, want)
		}
	}
}

// Columns with names of confounds are no regions, in a node list too.
func TestConfoundsAreNoRegions(t *testing.T) {
	dir := testdir.Files(t, map[string]string{"p.tsv": "participant_id\tgroup\nsub-b\tx\nsub-a\ty\n",
		"sub-a": "CSF,tr_x,rot_x_derivative1\n1,2,3\n", "list.txt": "CSF\ntr_x\nrot_x_derivative1\n"})
	for _, nodes := range []string{"", "list.txt"} {
		c := &TimeseriesCohort{Parameters: listed.Defaults(), Series: "{participant_id}", Nodes: nodes}
		c.File = "p.tsv"
		_, err := c.Load(dir)
		need.Error(t, err, "confounds, indices or a background among the regions: rot_x_derivative1 (column 3); remove them from all files")
	}
}

// The NYU site of ABIDE I: 75 of its 175 participants are ASD.
func TestTimeseriesCohortOnABIDE(t *testing.T) {
	dir := need.Shared(t, "data", "abide_nyu")
	c := &TimeseriesCohort{Parameters: listed.Parameters{File: "participants.csv", ID: "file_id", Group: "asd",
		Levels: []string{"1=ASD", "0=TD"}},
		Series: "nyu_original_1D/{file_id}_rois_ho.1D.gz"}
	r := need.Value(c.Load(dir))(t)
	groups, _ := r.Participants.Strings("group")
	asd := lists.Count(groups, func(g string) bool { return g == "ASD" })
	ids, _ := r.Nodes.Ints("id")
	if len(groups) != 175 || asd != 75 || len(ids) != 111 || ids[0] != 10 || ids[110] != 4802 {
		t.Errorf("%d participants, %d ASD, nodes %v", len(groups), asd, ids)
	}
	for _, s := range r.Subjects {
		if s.Problem != nil {
			t.Error(s.Problem)
		}
	}
	c.Nodes = "roi_codes.txt" // the same numbers as a list
	listed := need.Value(c.Load(dir))(t)
	if again, _ := listed.Nodes.Ints("id"); !slices.Equal(again, ids) {
		t.Errorf("the list has %v", again)
	}
}
