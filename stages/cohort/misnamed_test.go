package cohort

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"prgnn/stages/wording"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/internal/pattern"
	"prgnn/internal/testdir"
	"prgnn/stages/cohort/container"
	"prgnn/stages/cohort/listed"
	"prgnn/stages/column"
)

// exchanged is the participant whose file a row names: two rows are exchanged.
func exchanged(i int) int {
	if i == 2 || i == 3 {
		return 5 - i
	}
	return i
}

// refusedFor are the participants with a problem of a port's file that has the id of another, comma after each.
func refusedFor(t *testing.T, r *Roster, port string) (who string) {
	t.Helper()
	for i, s := range r.Subjects {
		if s.Problem != nil {
			need.Error(t, s.Problem, fmt.Sprintf("its %s file sub-%d_%[1]s.x has the id of sub-%[2]d in its name, and not its own "+
				"(one of 2 rows of which this is so): correct the table (%[1]s", port, exchanged(i)+1), port)
			who += s.ID + ","
		}
	}
	return who
}

// Every file of a participant in a table is its own by its name, in each kind of cohort; one that more than two
// participants have is as the user wrote it.
func TestEveryFileOfOthersIsRefused(t *testing.T) {
	ports := []string{"bold", "labels", "confounds", "confounds_sidecar", "components", "component_table", "events",
		"names", "many"}
	for _, port := range ports {
		files, table := map[string]string{}, "participant_id\tgroup\t"+strings.Join(ports, "\t")+"\n"
		for i := range 6 {
			table += fmt.Sprintf("sub-%d\t%s", i+1, "AB"[i%2:i%2+1])
			for _, p := range ports {
				name := fmt.Sprintf("sub-%d_%s.x", i+1, p)
				files[name] = fmt.Sprintf("a%d\nb\n", i)
				if p == port {
					name = fmt.Sprintf("sub-%d_%s.x", exchanged(i)+1, p)
				}
				if p == "many" {
					name = "sub-1_many.x"
				}
				if p == "names" { // by a path with this column
					name = strings.TrimSuffix(name, ".x")
				}
				table += "\t" + name
			}
			table += "\n"
			files[fmt.Sprintf("sub-%d.tsv", i+1)] = fmt.Sprintf("1\t.%d\n.%[1]d\t1\n", i+1)
		}
		files["table.tsv"] = table
		dir := testdir.Files(t, files)
		p := listed.Defaults()
		p.File = "table.tsv"
		if port == "names" {
			within := container.Within{Names: "{names}.x"}
			r := need.Value((&MatricesCohort{Parameters: p, Pearson: "{participant_id}.tsv", Within: within}).Load(dir))(t)
			need.Equal(t, refusedFor(t, r, "names"), "sub-3,sub-4,")
			r = need.Value((&TimeseriesCohort{Parameters: p, Series: "{participant_id}.tsv", Within: within}).Load(dir))(t)
			need.Equal(t, refusedFor(t, r, "names"), "sub-3,sub-4,")
			continue
		}
		c := &TableCohort{Parameters: p, BOLD: "bold", Labels: "labels", Confounds: "confounds", Nodes: "dk84",
			ConfoundsSidecar: "confounds_sidecar", Components: "components", ComponentTable: "component_table",
			Events: "events"}
		want := "sub-3,sub-4,"
		if port == "many" {
			c.Events, want = "many", ""
		}
		need.Equal(t, refusedFor(t, need.Value(c.Load(dir))(t), port), want, port)
	}

	d := newDataset(t, "participant_id\tgroup\tlabels\n")
	table := "participant_id\tgroup\tlabels\n"
	for i := range 6 {
		d.write(fmt.Sprintf("sub-%d/func/sub-%[1]d_task-rest_space-T1w_desc-preproc_bold.nii.gz", i+1), "")
		d.write(fmt.Sprintf("sub-%d_labels.x", i+1), "x")
		table += fmt.Sprintf("sub-%d\t%s\tsub-%d_labels.x\n", i+1, "AB"[i%2:i%2+1], exchanged(i)+1)
	}
	d.write("participants.tsv", table)
	for _, labels := range []string{"labels", "{labels}"} {
		r := need.Value(d.load(func(c *BIDSCohort) { c.Labels, c.Confounds = labels, false }))(t)
		need.Equal(t, refusedFor(t, r, "labels"), "sub-3,sub-4,", labels)
	}
}

// So is a file with the value of another row in any column that the names of files follow, unless its name has the id.
func TestFilesOfOtherRowsByAColumnAreRefused(t *testing.T) {
	for _, c := range []struct {
		file, value string // N is a number of three digits
		ids         string
		refused     string
	}{
		{"scanN.tsv", "scanN", "sub-%02d", "sub-03,sub-04,"},
		{"N_ts.tsv", "N", "sub-%02d", "sub-03,sub-04,"},
		{"d/x_sN.tsv", "N.0", "sub-%02d", "sub-03,sub-04,"},
		{"scanN.tsv", "1", "sub-%02d", ""}, // one value for all
		{"scanN.tsv", "7N", "sub-%02d", ""},
		{"aN.tsv", "aN", "a5%02d", "sub-a503,sub-a504,"}, // by the ids
	} {
		for _, empty := range []bool{false, true} {
			files, table := map[string]string{}, "participant_id\tgroup\tseries\tcode\n"
			for i := range 10 {
				number := func(i int) string { return fmt.Sprint(501 + i) }
				value := strings.ReplaceAll(c.value, "N", number(i))
				if empty && i == 0 {
					value = ""
				}
				name := strings.ReplaceAll(c.file, "N", number(exchanged(i)))
				files[name] = fmt.Sprintf("1\t%d\n3\t5\n2\t7\n", i)
				table += fmt.Sprintf(c.ids+"\t%s\t%s\t%s\n", i+1, "AB"[i%2:i%2+1], name, value)
			}
			files["table.tsv"] = table
			p := listed.Defaults()
			p.File = "table.tsv"
			r := need.Value((&TimeseriesCohort{Parameters: p, Series: "series"}).Load(testdir.Files(t, files)))(t)
			refused := ""
			for _, s := range r.Subjects {
				if s.Problem != nil {
					refused += s.ID + ","
				}
			}
			need.Equal(t, refused, c.refused, c.file, c.value)
			if refused != "" && strings.HasPrefix(c.ids, "sub") {
				need.Error(t, r.Subjects[2].Problem, fmt.Sprintf("table.tsv:4: participant sub-03: its series file %s has %s of "+
					"line 5 in its name, but the code of its row is %s: correct the table (series or code), or rename the files",
					strings.ReplaceAll(c.file, "N", "504"), strings.ReplaceAll(c.value, "N", "504"),
					strings.ReplaceAll(c.value, "N", "503")), c.file)
			}
		}
	}
}

// So is a label image of another session, but not one for several sessions, or of a session that takes no part.
func TestLabelsOfOtherSessionsAreRefused(t *testing.T) {
	for what, c := range map[string]struct {
		of      [2]string // the sessions of the labels of sub-3
		selects string
		refused string
	}{
		"exchanged":         {[2]string{"post", "pre"}, "", "sub-3,"},
		"their own":         {[2]string{"pre", "post"}, "", ""},
		"one for both":      {[2]string{"pre", "pre"}, "", ""},
		"the only session":  {[2]string{"pre", "pre"}, "visit == post", ""},
		"exchanged, of one": {[2]string{"post", "pre"}, "visit == post", ""},
	} {
		dir, table := t.TempDir(), "participant_id\tgroup\tvisit\tbold\tlabels\n"
		for i := range 4 {
			for k, visit := range []string{"pre", "post"} {
				name := fmt.Sprintf("sub-%d_ses-%s", i+1, visit)
				testdir.Write(t, filepath.Join(dir, name+"_bold.x"), "x")
				testdir.Write(t, filepath.Join(dir, name+"_labels.x"), "x")
				of := name
				if i == 2 {
					of = "sub-3_ses-" + c.of[k]
				}
				table += fmt.Sprintf("sub-%d\t%s\t%s\t%s_bold.x\t%s_labels.x\n", i+1, "AB"[i%2:i%2+1], visit, name, of)
			}
		}
		testdir.Write(t, filepath.Join(dir, "table.tsv"), table)
		m := &TableCohort{Parameters: listed.Defaults(), BOLD: "bold", Labels: "labels", Nodes: "dk84"}
		m.File, m.Select, m.Sessions = filepath.Join(dir, "table.tsv"), c.selects, "visit"
		refused := ""
		for _, s := range need.Value(m.Load(dir))(t).Subjects {
			if s.Problem != nil {
				refused += s.ID + ","
				need.Error(t, s.Problem, "its labels file sub-3_ses-post_labels.x has the session post in its name, and not that of its row", what)
			}
		}
		need.Equal(t, refused, c.refused, what)
	}
}

// So is a file of another run than the table has, or one that is earlier than the run of the row before.
func TestFilesOfOtherRunsAreRefused(t *testing.T) {
	const order = "has the run 1 in its name, but its row follows that of run 2 (line 6), and the rows of a participant are " +
		"its runs in the order of time: correct the table (series or participant_id), or rename the files"
	for what, c := range map[string]struct {
		column string
		values [2]string // of the rows of sub-3
		files  [2]int    // their runs, by their names
		name   string    // N is a number
		wrong  string    // "" for nothing
	}{
		"their own":            {"run", [2]string{"1", "2"}, [2]int{1, 2}, "run-N", ""},
		"exchanged in names":   {"run", [2]string{"1", "2"}, [2]int{2, 1}, "run-N", "sub-3_run-2.tsv has the run 2 in its name, and not that of its row (one of 2 rows of which this is so): correct the table (series or run)"},
		"exchanged in a table": {"Run", [2]string{"2.0", "1.0"}, [2]int{1, 2}, "run-0N", "sub-3_run-02.tsv has the run 2 in its name, and not that of its row (one of 2 rows of which this is so): correct the table (series or Run)"},
		"of another column":    {"trial", [2]string{"2", "1"}, [2]int{1, 2}, "run-N", ""},
		"without a column":     {"trial", [2]string{"1", "2"}, [2]int{2, 1}, "runN", "sub-3_run1.tsv " + order},
		"without run- in them": {"run", [2]string{"1", "2"}, [2]int{2, 1}, "N", "sub-3_2.tsv has the run 2 in its name"},
	} {
		files, table := map[string]string{}, "participant_id\tgroup\tseries\t"+c.column+"\n"
		for i := range 6 {
			for k := range 2 {
				run, value := k+1, fmt.Sprint(k+1)
				if i == 2 {
					run, value = c.files[k], c.values[k]
				}
				name := fmt.Sprintf("sub-%d_%s.tsv", i+1, strings.ReplaceAll(c.name, "N", fmt.Sprint(run)))
				files[name] = fmt.Sprintf("1\t%d\n3\t%d\n2\t7\n", i, run)
				table += fmt.Sprintf("sub-%d\t%s\t%s\t%s\n", i+1, "AB"[i%2:i%2+1], name, value)
			}
		}
		files["table.tsv"] = table
		p := listed.Defaults()
		p.File, p.Runs = "table.tsv", "all"
		r := need.Value((&TimeseriesCohort{Parameters: p, Series: "series"}).Load(testdir.Files(t, files)))(t)
		for _, s := range r.Subjects {
			if s.ID != "sub-3" || c.wrong == "" {
				need.Equal(t, s.Problem, nil, what, s.ID)
			} else {
				need.Error(t, s.Problem, c.wrong, what)
			}
		}
	}
}

// Numbers in the names of all files that are those of other participants may be of another kind: the file is refused
// where many show it, unless a column of the table states them; else it is a caution.
func TestFilesNumberedOtherwise(t *testing.T) {
	for _, c := range []struct {
		n       int
		columns string
		series  string
		refused bool
		noted   string
	}{
		{10, "", "file", true, ""},
		{10, "\tscan_no", "file", false, "series: files are not numbered like the participants: 10 of 10 have the number of a " +
			"different one in their names (line 2: rest2run1.tsv, sub-02): check that each row of the table has its own file (file or participant_id)"},
		{10, "\tscan_no", "rest{scan_no}run1.tsv", false, "(scan_no or participant_id)"},
		{6, "", "file", false, "6 of 6 have the number of a different one"},
	} {
		files, table := map[string]string{}, "participant_id\tgroup\tfile"+c.columns+"\n"
		for i := range c.n {
			scan := (i+1)%c.n + 1
			name := fmt.Sprintf("rest%drun1.tsv", scan)
			files[name] = fmt.Sprintf("1\t%d\n3\t5\n2\t7\n", i)
			table += fmt.Sprintf("sub-%02d\t%s\t%s", i+1, "AB"[i%2:i%2+1], name)
			if c.columns != "" {
				table += fmt.Sprint("\t", scan)
			}
			table += "\n"
		}
		files["table.tsv"] = table
		p := listed.Defaults()
		p.File = "table.tsv"
		r := need.Value((&TimeseriesCohort{Parameters: p, Series: c.series}).Load(testdir.Files(t, files)))(t)
		for _, s := range r.Subjects {
			need.Equal(t, s.Problem != nil, c.refused, c.series, s.ID)
		}
		doubts := ""
		for _, n := range wording.Notes(r.Notes) {
			if n.Doubt == column.DoubtNumbered {
				doubts += n.Text
			}
		}
		need.Equal(t, strings.Contains(doubts, c.noted) && (doubts == "") == (c.noted == ""), true, c.series, doubts)
	}
}

// A refused file has a remedy that works: the column that the message proposes, with the numbers that it states.
func TestRemedyOfFilesNumberedOtherwise(t *testing.T) {
	for what, c := range map[string]struct {
		file func(i int) string
		id   func(i int) int
	}{
		"CONN, ids with gaps": {func(i int) string { return fmt.Sprintf("ROI_Subject%03d_Condition001.tsv", i) },
			func(i int) int { return 1 + i + i/2 }},
		"sites": {func(i int) string { return fmt.Sprintf("site%d/subject%d.tsv", (i+3)/4, (i-1)%4+1) }, nil},
		"groups": {func(i int) string {
			return fmt.Sprintf("%s/sub%02d.tsv", []string{"hc", "asd"}[(i-1)/6], (i-1)%6+1)
		}, nil},
		"turned": {func(i int) string { return fmt.Sprintf("scan%d.tsv", 13-i) }, nil},
	} {
		numbers := map[int]string{} // by line
		for range 2 {
			files, table := map[string]string{}, "participant_id\tgroup\tfile\tscan_no_2\n"
			if len(numbers) == 0 {
				table = strings.Replace(table, "_2", "", 1)
			}
			for i := 1; i <= 12; i++ {
				id := i
				if c.id != nil {
					id = c.id(i)
				}
				files[c.file(i)] = fmt.Sprintf("1\t%d\n3\t5\n2\t7\n", i)
				number := numbers[i+1]
				if number == "" && len(numbers) > 0 { // of a row that was not refused
					number = pattern.New(`[0-9]+(_Cond|\.tsv)`).FindString(c.file(i))
					number = pattern.New(`[0-9]+`).FindString(number)
				}
				table += fmt.Sprintf("%d\t%s\t%s\t%s\n", id, "AB"[i%2:i%2+1], c.file(i), number)
			}
			files["table.tsv"] = table
			p := listed.Defaults()
			p.File = "table.tsv"
			r := need.Value((&TimeseriesCohort{Parameters: p, Series: "file"}).Load(testdir.Files(t, files)))(t)
			refused := 0
			for _, s := range r.Subjects {
				if s.Problem == nil {
					continue
				}
				refused++
				m := pattern.New(`such as scan_no_2 \(([0-9]+) in line ([0-9]+)\)`).FindStringSubmatch(s.Problem.Error())
				if m == nil {
					t.Fatalf("%s: %v", what, s.Problem)
				}
				numbers[need.Value(strconv.Atoi(m[2]))(t)] = m[1]
			}
			need.Equal(t, refused > 0, strings.Contains(table, "scan_no\n"), what)
			noted := slices.ContainsFunc(r.Notes, func(n column.Note) bool { return n.Doubt == column.DoubtNumbered })
			need.Equal(t, noted, refused == 0, what)
		}
	}
}

// So is a file with the word of another group, site or session in its name, unless a column has these words.
func TestFilesWithWordsOfOtherValues(t *testing.T) {
	for what, c := range map[string]struct {
		column, values, words string // of rows by turns
		file                  string // N the participant, W the word
		wrong                 int    // rows
		refused               int
	}{
		"groups by directories": {"dx", "HC ASD", "controls patients", "W/N.tsv", 1, 1},
		"two exchanged":         {"dx", "HC ASD", "controls patients", "W/N.tsv", 2, 2},
		"beside numbers":        {"dx", "HC ASD", "c p", "WN.tsv", 2, 2},
		"right":                 {"dx", "HC ASD", "controls patients", "W/N.tsv", 0, 0},
		"sites":                 {"site", "NYU UCLA KKI", "nyu ucla kki", "W_N_rest.tsv", 2, 2},
		"scanners may change":   {"scanner", "A B", "one two", "W_N.tsv", 2, 0},
		"many":                  {"dx", "HC ASD", "controls patients", "W/N.tsv", 6, 0},
		"words of each other":   {"dx", "HC ASD", "asd hc", "W/N.tsv", 0, 24},
		"numbers of each other": {"dx", "1 2", "2 1", "runW/N.tsv", 0, 0},
	} {
		values, words := strings.Fields(c.values), strings.Fields(c.words)
		for _, explained := range []bool{false, true} {
			files, table := map[string]string{}, "participant_id\tgroup\tseries\t"+c.column+"\tfolder\n"
			for i := range 24 {
				word := words[i%len(words)]
				if i < c.wrong {
					word = words[(i+1)%len(words)]
				}
				name := strings.NewReplacer("N", fmt.Sprintf("%02d", i+1), "W", word).Replace(c.file)
				files[name] = fmt.Sprintf("1\t%d\n3\t5\n2\t7\n", i)
				if !explained {
					word = ""
				}
				table += fmt.Sprintf("sub-%02d\t%s\t%s\t%s\t%s\n", i+1, "AB"[i/12:i/12+1], name, values[i%len(values)], word)
			}
			files["table.tsv"] = table
			p := listed.Defaults()
			if p.File = "table.tsv"; c.column == "dx" {
				p.Group = "dx"
			}
			r := need.Value((&TimeseriesCohort{Parameters: p, Series: "series"}).Load(testdir.Files(t, files)))(t)
			refused := 0
			for _, s := range r.Subjects {
				if s.Problem != nil {
					need.Error(t, s.Problem, "in its name, the word of ", what)
					need.Error(t, s.Problem, "add a column with the word of each file", what)
					refused++
				}
			}
			need.Equal(t, refused, map[bool]int{false: c.refused}[explained], what, explained)
		}
	}
}

// Files of a different task, session, run or atlas than all but a few, and two exchanged between the words of groups or
// sites where the others are few, are cautions; so is a column of sites as sessions.
func TestDoubtfulNames(t *testing.T) {
	for what, c := range map[string]struct {
		n           int
		file, other string // N the participant, W the word of the group
		swapped     int    // rows that have the file of the next
		noted       string
	}{
		"task":    {24, "sub-N_task-rest_timeseries.tsv", "sub-N_task-nback_timeseries.tsv", 0, "series: 1 of 24 files has different words in the name than all others (line 6: sub-05_task-nback_timeseries.tsv, but most are named like sub-01_task-rest_timeseries.tsv): check that no file is of a different task"},
		"session": {24, "sub-N_ses-1_timeseries.tsv", "sub-N_ses-2_timeseries.tsv", 0, "1 of 24 files has different words"},
		"atlas":   {24, "AAL/SN.tsv", "Power/SN.tsv", 0, "1 of 24 files has different words"},
		"at end":  {24, "SN_aal.tsv", "SN_power.tsv", 0, "1 of 24 files has different words"},
		"BIDS":    {24, "SN_atlas-AAL.tsv", "SN_atlas-Power.tsv", 0, "1 of 24 files has different words"},
		"HCP":     {24, "SN_REST1_LR.tsv", "SN_REST2_LR.tsv", 0, "1 of 24 files has different words"},
		"alike":   {24, "SN_aal.tsv", "SN_aal.tsv", 0, ""},
		"desc":    {24, "sub-N_desc-a_timeseries.tsv", "sub-N_desc-b_timeseries.tsv", 0, ""}, // has a caution of its own
		"pair":    {12, "W/ts_N.tsv", "W/ts_N.tsv", 2, "series: 2 of 12 files have the word of a different value of the column group in the name (line 2: patients/ts_02.tsv has \"patients\", the word of PAT, but its row has HC)"},
		"right":   {12, "W/ts_N.tsv", "W/ts_N.tsv", 0, ""},
		"few":     {6, "W/ts_N.tsv", "W/ts_N.tsv", 2, ""},
	} {
		files, table := map[string]string{}, "participant_id\tgroup\tseries\n"
		name := func(i int) string {
			if i < c.swapped {
				i = 1 - i
			}
			file := c.file
			if i == 4 {
				file = c.other
			}
			word := []string{"controls", "patients"}[i%2]
			return strings.NewReplacer("N", fmt.Sprintf("%02d", i+1), "W", word).Replace(file)
		}
		for i := range c.n {
			id := fmt.Sprintf("sub-%02d", i+1)
			if c.swapped > 0 {
				id = "K" + string(rune('A'+i))
			} else if strings.HasPrefix(c.file, "S") || strings.Contains(c.file, "/S") {
				id = fmt.Sprintf("S%02d", i+1)
			}
			files[name(i)] = fmt.Sprintf("1\t%d\n3\t5\n2\t7\n", i)
			table += fmt.Sprintf("%s\t%s\t%s\n", id, []string{"HC", "PAT"}[i%2], name(i))
		}
		files["table.tsv"] = table
		p := listed.Defaults()
		p.File = "table.tsv"
		r := need.Value((&TimeseriesCohort{Parameters: p, Series: "series"}).Load(testdir.Files(t, files)))(t)
		doubts := ""
		for _, n := range wording.Notes(r.Notes) {
			if n.Doubt == column.DoubtWords {
				doubts += n.Text
			}
		}
		if !strings.Contains(doubts, c.noted) || (doubts == "") != (c.noted == "") {
			t.Errorf("%s: %q, want %q", what, doubts, c.noted)
		}
	}

	scans, rows := map[string]string{}, "participant_id\tgroup\tseries\tscan_id\n"
	for i := range 12 {
		name := fmt.Sprintf("E%d_S%03d.tsv", 1171+13*i, i+1)
		scans[name] = fmt.Sprintf("1\t%d\n3\t5\n2\t7\n", i)
		rows += fmt.Sprintf("S%03d\t%s\t%s\tE%d\n", i+1, []string{"HC", "PAT"}[i%2], name, 1171+13*exchanged(i))
	}
	scans["table.tsv"] = rows
	q := listed.Defaults()
	q.File = "table.tsv"
	loaded := need.Value((&TimeseriesCohort{Parameters: q, Series: "series"}).Load(testdir.Files(t, scans)))(t)
	noted := wording.Notes(loaded.Notes)
	need.Equal(t, lists.Count(noted, func(n column.Note) bool { return n.Doubt == column.DoubtWords }), 1)
	need.Equal(t, slices.ContainsFunc(noted, func(n column.Note) bool {
		return strings.Contains(n.Text, "2 of 12 files have the scan_id of a different row in the name (line 4: E1197_S003.tsv, but the scan_id of its row is E1210)")
	}), true)

	files, table := map[string]string{}, "participant_id\tsite\tgroup\tseries\n"
	for i := range 12 {
		name := fmt.Sprintf("%s/%d.tsv", []string{"Leipzig", "Berlin"}[i/6], i%6+1)
		files[name] = fmt.Sprintf("1\t%d\n3\t5\n2\t7\n", i)
		table += fmt.Sprintf("%d\t%s\t%s\t%s\n", i%6+1, []string{"Leipzig", "Berlin"}[i/6],
			[]string{"HC", "PAT"}[i%2], name)
	}
	files["table.tsv"] = table
	p := listed.Defaults()
	p.File = "table.tsv"
	dir := testdir.Files(t, files)
	_, err := (&TimeseriesCohort{Parameters: p, Series: "series"}).Load(dir)
	need.Error(t, err, "if they are several persons: write ids that differ, such as Leipzig1 and Berlin1 by the column site")
	r := need.Value((&TimeseriesCohort{Parameters: p, Series: "series", Sessions: []string{"site"}}).Load(dir))(t)
	need.Equal(t, slices.ContainsFunc(r.Notes, func(n column.Note) bool {
		return n.Doubt == column.DoubtSessionSites
	}), true)
}

// Right studies in the layouts of programs and databases are read, also where words of batches, scanners and versions
// follow the groups but for a few; one exchanged pair is refused wherever the names show it.
func TestLayoutsOfPrograms(t *testing.T) {
	for _, c := range []struct {
		what, id, file string
		more           string // a column of the table
		unseen         bool   // the names do not show whose a file is
	}{
		{what: "CONN", id: "sub-{gap}", file: "{dir}/ROI_Subject{nnn}_Condition001.mat.tsv", more: "{nnn}"},
		{what: "DPABI", id: "Sub_{nnn}", file: "Results/{batch}/ROISignals_Sub_{nnn}.tsv"},
		{what: "GIFT", id: "P{gap}", file: "gica_{scanner}/rest_sub{nnn}_timecourses_ica_s1_.tsv", more: "{nnn}"},
		{what: "HCP", id: "{uid}", file: "{uid}/MNINonLinear/Results/rfMRI_REST1_LR/{batch}.tsv"},
		{what: "ABCD", id: "NDAR_INV{inv}", file: "sub-NDARINV{inv}/ses-baselineYear1Arm1/func/sub-NDARINV{inv}_v2.tsv"},
		{what: "UKB", id: "{uid}", file: "{v}/{uid}_25751_2_0.tsv"},
		{what: "fMRIPrep", id: "sub-{nn}", file: "sub-{nn}/func/sub-{nn}_task-rest_acq-{v}_timeseries.tsv"},
		{what: "XCP-D", id: "sub-{site}{nnn}", file: "{upgrade}/sub-{site}{nnn}/ses-1/sub-{site}{nnn}_seg-Tian.tsv"},
		{what: "C-PAC", id: "{site}_00510{nn}", file: "cpac_{year}/{site}_00510{nn}_rois_ho.tsv"},
		{what: "ADNI", id: "0{nn}_S_{gap}", file: "ADNI2/0{nn}_S_{gap}/{year}-05-01/I{uid}/{scanner}.tsv"},
		{what: "ADNI, number", id: "0{nn}_S_{gap}", file: "{batch}/S_{gap}_rsfmri.tsv"},
		{what: "COBRE", id: "00400{nn}", file: "cobre/{dir}/fmri_00400{nn}_session_1_{v}.tsv"},
		{what: "OpenNeuro", id: "sub-1{nnn}", file: "ds000030/{scanner}/sub-1{nnn}_bold.tsv"},
		{what: "sites", id: "{nnn}_{site}", file: "{site}/sub-{n}/{dir}.tsv"},
		{what: "letters after numbers", id: "S{nn}x", file: "{batch}/sub-{nn}.tsv"},
		{what: "site and number", id: "C01S{nn}", file: "sub-{nn}/ts.tsv"},
		{what: "numbers of nobody", id: "P{gap}", file: "{batch}/{uid}.tsv", unseen: true},
	} {
		for _, exchanged := range []bool{false, true} {
			files, table, rows := map[string]string{}, "participant_id\tgroup\tsite\tseries", []string{}
			if c.more != "" {
				table += "\tscan_no"
			}
			var ids, paths []string
			of := func(i int, text string) string {
				block := i % 2 // as the group, but for two rows
				if i == 11 || i == 20 {
					block = 1 - block
				}
				return strings.NewReplacer("{n}", strconv.Itoa(i+1), "{nn}", fmt.Sprintf("%02d", i+1),
					"{nnn}", fmt.Sprintf("%03d", i+1), "{gap}", strconv.Itoa(1051+3*i+i*i%3),
					"{uid}", strconv.Itoa(1000003+7919*i),
					"{inv}", fmt.Sprintf("%X%cZ", 11213*(i+77), 'A'+i%26), "{site}", []string{"NYU", "KKI"}[i/4%2],
					"{dir}", []string{"controls", "patients"}[i%2], "{batch}", fmt.Sprint("batch", block+1),
					"{scanner}", fmt.Sprint("scanner", "AB"[block:block+1]), "{v}", fmt.Sprint("v", block+1),
					"{upgrade}", []string{"pre", "post"}[block], "{year}", strconv.Itoa(2018+block)).Replace(text)
			}
			for i := range 40 {
				ids, paths = append(ids, of(i, c.id)), append(paths, of(i, c.file))
				files[paths[i]] = fmt.Sprintf("1\t%d\n3\t5\n2\t7\n", i)
			}
			if exchanged {
				paths[16], paths[24] = paths[24], paths[16] // of one group and site
			}
			for i := range 40 {
				row := strings.Join([]string{ids[i], []string{"HC", "PAT"}[i%2], of(i, "{site}"), paths[i]}, "\t")
				if c.more != "" {
					row += "\t" + of(i, c.more)
				}
				rows = append(rows, row)
			}
			files["table.tsv"] = table + "\n" + strings.Join(rows, "\n") + "\n"
			p := listed.Defaults()
			p.File = "table.tsv"
			r := need.Value((&TimeseriesCohort{Parameters: p, Series: "series"}).Load(testdir.Files(t, files)))(t)
			var refused []string
			for _, s := range r.Subjects {
				if s.Problem != nil {
					refused = append(refused, fmt.Sprint(s.Problem))
				}
			}
			if want := map[bool]int{true: 2}[exchanged && !c.unseen]; len(refused) != want {
				t.Errorf("%s, exchanged %t: %d are refused, want %d: %s", c.what, exchanged, len(refused), want, refused)
			}
		}
	}
}
