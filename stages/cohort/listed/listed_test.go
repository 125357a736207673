package listed

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/stages/wording"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/sheet"
)

// The columns that checks use by default are kept also where the parameter columns does not list them; a site under
// another name is the only one.
func TestColumnsOfChecksAreKept(t *testing.T) {
	dir := t.TempDir()
	text := "participant_id\tgroup\tage\tiq\tsite\tcenter\tFamily_ID\tsubject_id\tmean_fd\n"
	for i := range 12 {
		text += fmt.Sprintf("sub-%02d\t%s\t%d\t%d\t%s\tC%d\tF%d\tP%02d\t0.%d\n", i+1, "AB"[i%2:i%2+1], 20+i, 90+i,
			"xyz"[i%3:i%3+1], i%3, i/2, i, i+1)
	}
	need.NoError(t, os.WriteFile(filepath.Join(dir, "p.tsv"), []byte(text), 0o644))
	for _, c := range []struct {
		columns []string
		want    string
		notes   int
	}{
		{nil, "participant_id group age iq site center Family_ID subject_id mean_fd", 0},
		{[]string{"age"}, "participant_id group age site center Family_ID mean_fd", 1},
		{[]string{"age", "site=center", "mean_fd"}, "participant_id group age site mean_fd Family_ID", 1},
		{[]string{"site", "center", "Family_ID", "mean_fd"}, "participant_id group site center Family_ID mean_fd", 0},
	} {
		p := Defaults()
		p.File = "p.tsv"
		l := need.Value(p.Read(dir))(t)
		if c.columns != nil {
			need.NoError(t, l.Keep(c.columns))
		}
		var names []string
		for _, of := range l.Participants(nil).Columns {
			names = append(names, of.Name)
		}
		need.Equal(t, strings.Join(names, " "), c.want)
		notes := 0
		for _, n := range wording.Notes(l.Notes) {
			if strings.HasPrefix(n.Text, "columns: also kept") {
				notes++
			}
		}
		need.Equal(t, notes, c.notes, c.columns)
	}
}

// Columns that differ between the sessions of a participant are a caution, which states what motion needs.
// TestRowNumbersAreNoCovariates: the index that pandas and R write is a property of no participant.
func TestRowNumbersAreNoCovariates(t *testing.T) {
	for _, c := range []struct {
		name     string
		from, by int
		left     bool
	}{{"Unnamed: 0", 0, 1, true}, {"index", 1, 1, true}, {"row", 0, 1, true}, {"index", 5, 1, false},
		{"row", 0, 2, false}, {"age", 1, 1, false}} {
		dir := t.TempDir()
		text := c.name + "\tparticipant_id\tgroup\n"
		for i := range 12 {
			text += fmt.Sprintf("%d\tsub-%02d\t%s\n", c.from+c.by*(11-i), i+1, "AB"[i%2:i%2+1])
		}
		need.NoError(t, os.WriteFile(filepath.Join(dir, "p.tsv"), []byte(text), 0o644))
		p := Defaults()
		p.File = "p.tsv"
		l := need.Value(p.Read(dir))(t)
		if _, kept := l.Participants(nil).Column(c.name); kept == c.left || c.left && len(l.Notes) != 1 {
			t.Errorf("%+v: kept %t, notes %v", c, kept, l.Notes)
		}
	}
}

// In a column with texts, too, 1.0 is 1 where the column has both: they are one category. 1.000 may be a thousand.
func TestWholeNumbersAmongTexts(t *testing.T) {
	for _, c := range []struct{ values, want, note string }{
		{"1 1.0 2 A 1", "1 1 2 A 1", "column coil: 1.0 is read as 1, the same number"},
		{"1.0 1.0 2 A 3", "1.0 1.0 2 A 3", ""}, // in one way only
		{"1 1.000 2 A 3", "1 1.000 2 A 3", ""},
		{"1 1.5 01.0 A 01", "1 1.5 01 A 01", "column coil: 01.0 is read as 01, the same number"},
	} {
		dir := t.TempDir()
		text := "participant_id\tgroup\tcoil\n"
		for i, v := range strings.Fields(c.values) {
			text += fmt.Sprintf("sub-%d\t%s\t%s\n", i+1, "AB"[i%2:i%2+1], v)
		}
		need.NoError(t, os.WriteFile(filepath.Join(dir, "p.tsv"), []byte(text), 0o644))
		p := Defaults()
		p.File = "p.tsv"
		l := need.Value(p.Read(dir))(t)
		values := need.Value(l.Participants(nil).Strings("coil"))(t)
		need.Equal(t, strings.Join(values, " "), c.want)
		noted := slices.Contains(wording.NoteTexts(l.Notes), c.note)
		need.Equal(t, noted, c.note != "", l.Notes)
	}
}

func TestColumnsOfSessions(t *testing.T) {
	dir := t.TempDir()
	text := "participant_id\tgroup\tvisit\tage\tmean_fd\nsub-1\tA\tx\t20\t0.1\nsub-1\tA\ty\t20\t0.2\nsub-2\tB\tx\t30\t0.1\n"
	need.NoError(t, os.WriteFile(filepath.Join(dir, "p.tsv"), []byte(text), 0o644))
	p := Defaults()
	p.File = "p.tsv"
	l := need.Value(p.ReadSessions(dir, "visit"))(t)
	if _, there := l.Participants(nil).Column("mean_fd"); there {
		t.Error("mean_fd differs between sessions")
	}
	visits, err := l.Participants(nil).Strings("visit")
	need.NoError(t, err)
	need.Equal(t, strings.Join(visits, ", "), "x and y, x") // a covariate where they are not the same in all
	note := wording.Notes(l.Notes)[len(l.Notes)-1]
	need.Equal(t, note.Doubt, column.DoubtOfRuns)
	need.Equal(t, strings.HasSuffix(note.Text, "such as the mean over the sessions"), true, note.Text)
}

// An empty cell has what the other rows of the participant have, in every column; several families of one participant
// refuse it.
func TestEmptyCellsOfSessions(t *testing.T) {
	dir := t.TempDir()
	text := "participant_id\tgroup\tvisit\tsite\tage\tFamily_ID\n" +
		"sub-1\tA\tx\tS\tn/a\tf1\nsub-1\tA\ty\t\t20\t\nsub-2\tB\tx\t\t30\tf1\nsub-2\tB\ty\tT\t30\tf2\nsub-3\tB\tx\tT\t\tf2\n"
	need.NoError(t, os.WriteFile(filepath.Join(dir, "p.tsv"), []byte(text), 0o644))
	p := Defaults()
	p.File = "p.tsv"
	l := need.Value(p.ReadSessions(dir, "visit"))(t)
	people := l.Participants([]string{"visit"})
	need.Equal(t, strings.Join(need.Value(people.Strings("site"))(t), " "), "S T T")
	need.Equal(t, fmt.Sprint(need.Value(people.Floats("age"))(t)), "[20 30 NaN]")
	need.Equal(t, len(l.OfRuns), 0)
	need.Equal(t, len(l.Refused), 1)
	need.Error(t, l.Refused["sub-2"], "column Family_ID: several families: f1 in p.tsv:4, f2 in p.tsv:5: a participant belongs to one")
}

// Columns of numbers with other characters would be categories without a word; names and few categories are no numbers.
func TestQuantitiesAsTexts(t *testing.T) {
	ids := lists.Map(make([]int, 12), func(int) string { return "sub-01" })
	for format, noted := range map[string]bool{"%d%%": true, "-%d %%": true, "2020-03-%02d": false,
		"%02d/03/2020": true,
		"10:%02d":      true, "1'%03d": true, "1 %03d": true, "−%d": true, "(%d)": true, "<%d": true, "%d y": true,
		"%d.5 mm": true, "1,0%d.70": true, "1.0%d,70": true,
		"%d": false, "p%d": false, "%dT": false, "%d-a": false, "F0%d": false, "x%d y": false, "ok": false} {
		values := lists.Map(make([]int, 12), func(int) string { return format })
		for i := range values {
			if strings.Contains(format, "%") {
				values[i] = fmt.Sprintf(format, i+10)
			}
		}
		got := oddTexts("score", values, ids)
		if (len(got) == 1) != noted || noted && (got[0].Doubt != column.DoubtTexts ||
			!strings.HasPrefix(wording.NoteTexts(got)[0], "column score: numbers with other characters, or dates (")) {
			t.Errorf("%s: %v", format, got)
		}
	}
	if got := oddTexts("dose", slices.Repeat([]string{"5 mg", "10 mg"}, 6), ids); got != nil {
		t.Error(got)
	}
	if got := oddTexts("change", strings.Split("1 −2 3 −4 −5 6 −7 −8 9 −10 −11 −12", " "), ids); len(got) != 1 {
		t.Error(got)
	}
}

// A few texts among numbers are named, with their participants; names made of digits, and texts, are no mistake.
func TestOddTexts(t *testing.T) {
	ids, ages := make([]string, 20), make([]string, 20)
	for i := range ids {
		ids[i], ages[i] = fmt.Sprintf("sub-%02d", i+1), fmt.Sprint(20+i)
	}
	with := func(at int, v string) []string {
		values := append([]string{}, ages...)
		values[at] = v
		return values
	}
	for _, v := range []string{"inf", "1e400", "n.a.", "-", ">30", "1,5", "0x1f"} {
		want := fmt.Sprintf("column age: 19 numbers and 1 text (%q of sub-04): taken as text", v)
		if got := oddTexts("age", with(3, v), ids); len(got) != 1 ||
			!strings.HasPrefix(wording.NoteTexts(got)[0], want) ||
			got[0].Doubt != column.DoubtTexts {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for at, doubt := range map[string]string{"age": column.DoubtTexts, "uid": ""} { // digits that a number would lose
		values := with(3, "9007199254740993")
		if at == "uid" {
			values = []string{"9007199254740993", "9007199254740995"}
		}
		notes := oddTexts(at, values, ids)
		need.Equal(t, len(notes), 1, at)
		need.Equal(t, notes[0].Doubt, doubt, at)
	}
	five := with(3, "?")
	for i := range 4 {
		five[10+i] = "unknown"
	}
	if got := oddTexts("age", five, ids); !strings.Contains(wording.NoteTexts(got)[0], `15 numbers and 5 texts ("?" of sub-04, "unknown" of sub-11, "unknown" of sub-12 and 2 more)`) {
		t.Error(got)
	}
	l := &List{Parameters: &Parameters{ID: "id", Group: "group"},
		Sheet: &sheet.Sheet{Columns: []string{"id", "group", "age"}}}
	for i, age := range with(3, "inf") {
		l.Sheet.Rows, l.Sheet.Lines = append(l.Sheet.Rows, []string{ids[i], "a", age}), append(l.Sheet.Lines, i+2)
	}
	l.Rows = l.BareRows()
	for i := range l.Rows {
		l.Rows[i].ID, l.Rows[i].Label = ids[i], "a"
	}
	if l.Participants(nil); len(wording.NoteTexts(l.Notes)) != 1 ||
		!strings.HasPrefix(wording.NoteTexts(l.Notes)[0], "column age: ") {
		t.Errorf("notes of a cohort: %q", wording.NoteTexts(l.Notes))
	}
	for _, values := range [][]string{ages, with(3, ""), with(3, "007"), {"1", "2", "left", "right"}, {"", ""},
		{"a", "b"}} {
		need.Equal(t, len(oddTexts("score", values, ids)), 0, values)
	}
}

// Few numbers beside texts are noted in a column that is named as a number.
func TestFewNumbersAmongTexts(t *testing.T) {
	values, ids := strings.Fields("0x1F 1_000 Inf 12"), strings.Fields("a b c d")
	need.Equal(t, len(oddTexts("ward", values, ids)), 0)
	if note := wording.NoteTexts(oddTexts("age", values, ids))[0]; !strings.HasPrefix(note, `column age: 1 number and 3 texts ("0x1F" of a`) {
		t.Errorf("note %q", note)
	}
}

func TestNamesOfIdentifiers(t *testing.T) {
	for name, is := range map[string]bool{"SUB_ID": true, "subject": true, "age": false, "fluid": false} {
		if idName.MatchString(name) != is {
			t.Errorf("%s: the name of an identifier: %v", name, !is)
		}
	}
}

func TestLevelOfTwoReadings(t *testing.T) {
	_, _, err := level("a=b=c", []string{"a", "a=b"})
	need.Error(t, err, `levels: "a=b=c" may name the value a or a=b: put the value in quotation marks, such as '"a=b"=c'`)
}

// Categories in two spellings have a caution: in capitals, or by a letter of another script. Numbers and free texts
// have none.
func TestCategoriesInTwoSpellings(t *testing.T) {
	for values, doubt := range map[string]string{
		"M M F F f F": column.DoubtCase, "R r L L R l": column.DoubtCase, "HC НC AD AD HC AD": column.DoubtAlike,
		"1 1.0 2 2 2 1": "", "M F M F M F": "", "a A b c d e f": "", "a A b c d e": "",
	} {
		notes := DoubtTexts("sex", strings.Fields(values), strings.Fields(values))
		need.Equal(t, len(notes) > 0, doubt != "", values)
		if len(notes) > 0 {
			need.Equal(t, notes[0].Doubt, doubt, values)
		}
	}
	need.Equal(t, column.Shown("НC"), `\u041dC`)
	need.Equal(t, column.Shown("Контроль"), "Контроль")
}

// Levels of the pipeline file that exchange those of participants.json would exchange all labels. Codes without levels
// get the names of the file as levels to paste.
func TestLevelsAgainstJSON(t *testing.T) {
	for _, c := range []struct{ json, levels, refused, note string }{
		{`{"group": {"Levels": {"1": "ASD", "2": "HC"}}}`, "1=HC 2=ASD", "levels has 1=HC, and p.json has 1=ASD, 2=HC", ""},
		{`{"group": {"Levels": {"1": "Autism (ASD)", "2": {"Description": "healthy control, HC"}}}}`, "1=HC 2=ASD",
			"levels has 2=ASD, and p.json has 2=healthy control, HC, 1=Autism (ASD)", ""},
		{`{"group": {"Levels": {"1.0": "ASD", "2.0": "HC"}}}`, "1=ASD 2=HC", "", ""},
		{`{"group": {"Levels": {"0": "HC", "1": "ASD"}}}`, "1=HC 2=ASD", "levels has 1=HC, and p.json has 1=ASD, 0=HC", ""},
		{`{"group": {"Levels": {"1": "ASD", "2": "HC", "3": "PDD"}}}`, "1=ASD 2=HC 3=ASD", "", "3=ASD, and 3=PDD"},
		{`{"group": {"Levels": {"1": "no ASD", "2": "autistic"}}}`, "1=HC 2=ASD", "", "1=HC, and 1=no ASD; 2=ASD, and 2=autistic"},
		{`{"group": {"Levels": {"1": "ASD", "2": "HC"}}}`, "", "", "p.json names them in levels: [1=ASD, 2=HC]"},
		{`{"age": {"Units": "months"}, "mean_fd": {"Units": "um"}}`, "", "", "Units months for age, which is read as years"},
		{`{"age": {"Units": "a"}, "mean_fd": {"Units": "mm"}}`, "", "", ""},
		{`{`, "", "", "p.json is not compared with the table"},
	} {
		dir := t.TempDir()
		text := "participant_id\tgroup\tage\tmean_fd\n"
		for i := range 12 {
			text += fmt.Sprintf("sub-%02d\t%d\t%d\t0.%d\n", i+1, i%2+1, 20+i, i+1)
		}
		need.NoError(t, os.WriteFile(filepath.Join(dir, "p.tsv"), []byte(text), 0o644))
		need.NoError(t, os.WriteFile(filepath.Join(dir, "p.json"), []byte(c.json), 0o644))
		p := Defaults()
		p.File, p.Levels = "p.tsv", strings.Fields(c.levels)
		if len(p.Levels) == 0 {
			p.Levels = nil
		}
		l, err := p.Read(dir)
		if c.refused != "" {
			need.Equal(t, strings.Contains(fmt.Sprint(err), c.refused), true, err)
			continue
		}
		need.NoError(t, err)
		notes := strings.Join(wording.NoteTexts(l.Notes), "\n")
		need.Equal(t, strings.Contains(notes, c.note) && (notes == "") == (c.note == ""), true, notes)
	}
}
