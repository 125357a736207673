package listed

import (
	"strings"
	"testing"

	"prgnn/stages/wording"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
)

// Numbers whose meanings the JSON file beside the table states are categories; codes in a column with the name of one
// have a caution. Columns that a merge doubled are named where one is missing, and where they differ.
func TestCodedCategories(t *testing.T) {
	const levels = `{"handedness": {"Levels": {"1": "right", "2": "left", "3": "both"}}}`
	for name, c := range map[string]struct {
		column, values string
		json           string
		texts          bool
		note           string
	}{
		"no levels": {"handedness", "1.0 2.0 3.0 1.0 1.0 n/a", "{}", false,
			"column handedness: 3 codes (1, 2, 3) are read as numbers with equal distances"},
		"levels": {"handedness", "1.0 2.0 3.0 1.0 1.0 n/a", levels, true,
			"column handedness: its numbers are categories, according to Levels in the JSON file beside the table: 1=right, 2=left, 3=both"},
		"a code without a level": {"handedness", "1 2 4 1 1 2", levels, false, "3 codes (1, 2, 4) are read as numbers"},
		"two codes":              {"handedness", "1 2 2 1 1 2", "{}", false, ""},
		"a score":                {"handedness_score", "0.5 1 2 1 1 2", "{}", false, ""},
		"many":                   {"Handedness", "10 20 30 40 50 60", "{}", false, ""},
		"another name":           {"sibs", "1 2 3 1 1 2", "{}", false, ""},
		"words":                  {"RaceCode", "white black asian white white black", "{}", true, ""},
		"race":                   {"RaceCode", "1 2 3 1 1 2", "{}", false, "column RaceCode: 3 codes"},
		"ages with a level": {"age", "20 21 22 25 89 26", `{"age": {"Levels": {"89": "89 or older", "n/a": "unknown"}}}`,
			false, ""},
	} {
		table := "participant_id\tgroup\t" + c.column + "\n"
		for i, v := range strings.Fields(c.values) {
			table += "sub-" + string(rune('1'+i)) + "\t" + "ab"[i%2:i%2+1] + "\t" + v + "\n"
		}
		p := Defaults()
		p.File = "p.tsv"
		l := need.Value(p.Read(testdir.Files(t, map[string]string{"p.tsv": table, "p.json": c.json})))(t)
		people := l.Participants(nil)
		got, _ := people.Column(c.column)
		_, texts := got.Values.([]string)
		need.Equal(t, texts, c.texts, name)
		notes := strings.Join(wording.NoteTexts(l.Notes), "\n")
		if !strings.Contains(notes, c.note) || c.note == "" && strings.Contains(notes, "column "+c.column+":") {
			t.Errorf("%s: notes %q, want %q", name, notes, c.note)
		}
	}
}

// Two codes each that differ between the sites may mean different things; a site with one of the codes does not differ.
func TestCodesThatDifferBySite(t *testing.T) {
	for rows, note := range map[string]string{
		"1,A 2,A 1,B 0,B 1,B": "column sex: the sites have different codes (0 and 1 at B; 1 and 2 at A), so one number may have two meanings",
		"1,A 2,A 1,B 2,B 1,C": "",
		"1,A 2,A 0,A 1,B 0,B": "",
		"1,A 2,A n/a,B 1,B":   "",
	} {
		table := "participant_id\tgroup\tsex\tsite\n"
		for i, v := range strings.Split(rows, " ") {
			v = strings.ReplaceAll(v, ",", "\t")
			table += "sub-" + string(rune('1'+i)) + "\t" + "ab"[i%2:i%2+1] + "\t" + v + "\n"
		}
		p := Defaults()
		p.File = "p.tsv"
		l := need.Value(p.Read(testdir.Files(t, map[string]string{"p.tsv": table})))(t)
		l.Participants(nil)
		notes := strings.Join(wording.NoteTexts(l.Notes), "\n")
		if !strings.Contains(notes, note) || note == "" && strings.Contains(notes, "different codes") {
			t.Errorf("%s: notes %q, want %q", rows, notes, note)
		}
	}
}

func TestMergedColumns(t *testing.T) {
	for name, c := range map[string]struct{ head, rows, note string }{
		"age":         {"age_x\tage_y", "20\t20.0 21\t21 22\t32", "the columns age_x and age_y, probably from a merge of two tables, differ in 1 participant (sub-3: 22 and 32): keep the correct one"},
		"equal":       {"age_x\tage_y", "20\t20.0 21\tn/a 22\t22", ""},
		"R":           {"score.x\tscore.y", "20\t20.0 21\t21 22\t32", "the columns score.x and score.y"},
		"coordinates": {"peak_x\tpeak_y", "20\t1 21\t21 22\t32", ""},
	} {
		table := "participant_id\tgroup\t" + c.head + "\n"
		for i, v := range strings.Split(c.rows, " ") {
			table += "sub-" + string(rune('1'+i)) + "\t" + "ab"[i%2:i%2+1] + "\t" + v + "\n"
		}
		p := Defaults()
		p.File = "p.tsv"
		l := need.Value(p.Read(testdir.Files(t, map[string]string{"p.tsv": table})))(t)
		l.Participants(nil)
		notes := strings.Join(wording.NoteTexts(l.Notes), "\n")
		if !strings.Contains(notes, c.note) || c.note == "" && strings.Contains(notes, "merge") {
			t.Errorf("%s: notes %q, want %q", name, notes, c.note)
		}
		if name == "age" {
			need.Error(t, l.CheckColumn("columns", "age"), `has no column "age"; there are age_x and age_y, probably from a merge of two tables with the column age: keep the correct one under the name age`)
		}
	}
}
