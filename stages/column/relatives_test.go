package column_test

import (
	"fmt"
	"strings"
	"testing"

	. "prgnn/stages/column"
	"prgnn/stages/wording"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
)

// Families and pairs may be numbered as participants are: their values repeat, and do not refer to each other.
// Kin are the columns of relatives and of persons whose values some share, and no categories, matched pairs or own ids.
func TestKin(t *testing.T) {
	ids, all := make([]string, 24), map[string][]string{}
	for i := range ids {
		ids[i] = fmt.Sprintf("sub-%02d", i)
		for name, v := range map[string]string{"group": []string{"A", "B"}[i%2], "Family_ID": fmt.Sprint("F", i/2),
			"subject_id": fmt.Sprint("P", i), "match_id": fmt.Sprint("M", i/2), "sex": []string{"F", "M"}[i%3/2]} {
			all[name] = append(all[name], v)
		}
	}
	columns := []encoding.Column{{Name: "participant_id", Values: ids}}
	for _, name := range []string{"group", "Family_ID", "subject_id", "match_id", "sex"} {
		columns = append(columns, encoding.Column{Name: name, Values: all[name]})
	}
	need.Equal(t, strings.Join(Kin(encoding.NewTable(columns...)), "; "),
		"Family_ID: 24 of 24 participants share 12 values, each with one A and one B")
}

func TestColumnsThatReferToParticipants(t *testing.T) {
	families := func(n int, of func(i int) int) string {
		var values []string
		for i := 1; i <= n; i++ {
			values = append(values, fmt.Sprint(of(i)))
		}
		return strings.Join(values, " ")
	}
	for _, c := range []struct {
		values string // of sub-01, sub-02 …
		others bool
	}{
		{families(30, func(i int) int { return (i - 1) / 2 }), false}, // from 0
		{families(40, func(i int) int { return (i + 1) / 2 }), false}, // from 1
		{families(40, func(i int) int { return i%20 + 1 }), false},    // two by two, far apart
		{families(20, func(i int) int { return 20 - i/2 }), false},    // backwards
		{"3 3 4 4 n/a n/a 5 5", false},                                // of some
		{"sub-01 sub-01 sub-01 sub-04 sub-04", false},                 // by the id of a member
		{"2 1 4 3", true},
		{"02 01 02 02 02", true}, // a star
		{"2 3 1", true},          // a circle
		{"n/a 01 n/a 03 n/a 05", true},
		{"n/a sub-01 sub-01 n/a sub-04 sub-04", true},
		{"2 1 3 4 5 6 7 8", true}, // and oneself where there is nobody
		{"F1 F1 F2 F2", false},
		{"1 2 3 4", false},
	} {
		values := map[string]string{}
		for i, v := range strings.Fields(c.values) {
			values[fmt.Sprintf("sub-%02d", i+1)] = v
		}
		need.Equal(t, NamesOthers(values), c.others, c.values)
	}
}

// Ids that differ by a column of visits alone may be those of one person. Ids that end alike by chance, one visit of
// each, other columns and families are not.
func TestVisits(t *testing.T) {
	table := func(column string, rows ...string) *encoding.Table {
		var ids, values []string
		for _, r := range rows {
			id, v, _ := strings.Cut(r, " ")
			ids, values = append(ids, "sub-"+id), append(values, v)
		}
		return encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
			encoding.Column{Name: column, Values: values})
	}
	two := []string{"P1V1 1", "P1V2 2", "P2V1 1", "P2V2 2", "P3V1 1", "P3V2 2", "P14V1 1", "P14V2 2", "P15V1 1"}
	dropped := []string{"P10a 1", "P11a 1", "P12a 1", "P20a 1", "P30a 1", "P10b 2", "P20b 2", "P30b 2"}
	words := []string{"01bl baseline", "01fu follow-up", "02bl baseline", "02fu follow-up", "03bl baseline",
		"03fu follow-up"}
	for _, c := range []struct {
		table *encoding.Table
		want  string
	}{
		{table("visit", two...), "8 participants have ids that differ only by it (sub-P14V1 and sub-P14V2, sub-P1V1 and sub-P1V2 " +
			"and 2 more)"},
		{table("Session_ID", two...), "8 participants"},
		{table("timepoint", dropped...), "6 participants"},
		{table("VISCODE", words...), "6 participants"},
		{table("time", "P1_pre pre", "P1_post post", "P2_pre pre", "P2_post post", "P3_pre pre",
			"P3_post post"), "6 participants"},
		{table("visit", "V1P01 1", "V2P01 2", "V1P02 1", "V2P02 2", "V1P03 1", "V2P03 2"),
			"6 participants have ids that differ only by it (sub-V1P01 and sub-V2P01"},
		{table("scan_date", "P1_a 2019-01-03", "P1_b 2019-09-11", "P2_a 2019-01-03", "P2_b 2019-09-11",
			"P3_a 2019-01-03",
			"P3_b 2019-09-11"), "6 participants"},
		{table("age", "P01_ses-1 9", "P01_ses-2 9", "P02_ses-1 9", "P02_ses-2 9", "P3ses1 8", "P3ses2 8"),
			"(sub-P01_ses-1 and sub-P01_ses-2, sub-P02_ses-1 and sub-P02_ses-2, sub-P3ses1 and sub-P3ses2"},
		{table("age", "P01_ses-1 9", "P02_ses-2 9", "P03_ses-1 9", "P04_ses-2 9", "P05_1 8", "P05_2 8"), ""},
		{table("age", "NYU_1 9", "NYU_2 9", "NYU_3 9", "NYU_4 9", "UM_1 8", "UM_2 8", "UM_3 8"), ""},
		{table("age", "SES1 9", "SES2 9", "SES3 9", "SES4 9"), ""},
		{table("session", "101 1", "102 1", "103 1", "201 2", "202 2", "203 2"), ""},
		{table("time", "P1 9", "P2 9", "P3 9", "P4 12", "P5 12", "P6 12"), ""},
		{table("scanner", two...), ""},
		{table("visit", "P1 1", "P2 1", "P3 1", "P4 2", "P5 2", "P6 2"), ""},
		{table("visit", "P1 1", "P2 2", "P3 1", "P4 2", "P5 1", "P6 2", "P7 1", "P8 2"), ""},
		{table("visit", "F1A 1", "F1B 1", "F2A 1", "F2B 1", "F3A 1", "F3B 1"), ""},
		{table("visit", "F1A 1", "F1B 2", "F2A 2", "F2B 1", "F3A 1", "F3B 2", "F4A 2", "F4B 1"), ""},
		{table("session", "A01 1", "A02 1", "A03 1", "B11 2", "B12 2", "B13 2", "B14 2"), ""},
	} {
		notes := DoubtRelatives(c.table, []string{"folds"})
		if c.want == "" {
			need.Equal(t, len(notes), 0, wording.NoteTexts(notes))
		} else if need.Equal(t, len(notes), 1); len(notes) == 1 {
			need.Equal(t, notes[0].Doubt, DoubtRelated)
			need.Equal(t, strings.Contains(wording.NoteTexts(notes)[0], c.want), true, wording.NoteTexts(notes)[0])
		}
	}
}

// Sets of two participants each may be relatives, whatever the name of their column; measurements, categories and
// sites are none. Ids that differ only by their last character may be those of one person.
func TestSmallSetsAndPairedIds(t *testing.T) {
	for _, c := range []struct {
		id, name string
		value    func(i int) string
		want     string
	}{
		{"%02d", "home", func(i int) string { return fmt.Sprint(500 + i/2) }, "if they are relatives, or scans of one person"},
		{"%02d", "couple", func(i int) string { return fmt.Sprint("c", i/2) }, "relatives may be"},
		{"%02d", "cage", func(i int) string { return fmt.Sprint("c", i/3) }, "if they are relatives"},
		{"%02d", "age", func(i int) string { return fmt.Sprint(20 + i/2) }, ""},
		{"%02d", "site", func(i int) string { return fmt.Sprint("s", i/2) }, ""},
		{"%02d", "iq", func(i int) string { return fmt.Sprint(100 + i*i%23) }, ""},
		{"%02d", "score", func(i int) string { return fmt.Sprintf("%d.5", i/2) }, ""},
		{"%02d", "handedness", func(i int) string { return "LR"[i%2 : i%2+1] }, ""},
		{"%03dT", "age", nil, "sub-001T1 and sub-001T2"},
		{"S%02d", "sex", nil, "sub-S01a and sub-S01b"},
		{"S%02d", "age", nil, "sub-S011 and sub-S012"},
	} {
		var ids, values []string
		for i := range 24 {
			if c.value == nil {
				end := "12"
				if c.name == "sex" {
					end = "ab"
				}
				ids = append(ids, fmt.Sprintf("sub-"+c.id, i/2+1)+end[i%2:i%2+1])
				values = append(values, fmt.Sprint(i))
				continue
			}
			ids, values = append(ids, fmt.Sprintf("sub-"+c.id, i+1)), append(values, c.value(i))
		}
		notes := DoubtRelatives(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
			encoding.Column{Name: c.name, Values: values}), []string{"folds"})
		texts := strings.Join(wording.NoteTexts(notes), "; ")
		if c.want == "" && notes != nil || !strings.Contains(texts, c.want) {
			t.Errorf("%s, %s: %q", ids[0], c.name, texts)
		}
		if c.name == "cage" || c.name == "home" {
			need.Equal(t, CovariateColumn{Name: c.name, Text: values}.Identifies(), true)
		}
	}
}

// A column that keeps nobody together is of no use, and one in which families are spelled in two ways of little.
func TestColumnsThatKeepNobodyTogether(t *testing.T) {
	for _, c := range []struct {
		format string // of a family, and of a member
		want   string
	}{{"F%d_%d", DoubtRelated}, {"P%d%.0d", ""}, {"x%[2]d%[1]dq", DoubtFamily}} {
		var ids, values []string
		for i := range 24 {
			ids, values = append(ids, fmt.Sprintf("sub-%02d", i+1)), append(values, fmt.Sprintf(c.format, 10+i/2, i%2))
			if c.want == "" {
				values[i] = fmt.Sprint("P", i/2)
			}
		}
		notes := DoubtNobody(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
			encoding.Column{Name: "Family_ID", Values: values}), "Family_ID")
		got := ""
		if notes != nil {
			got = notes[0].Doubt
		}
		need.Equal(t, got, c.want, c.format)
	}
	var ids, values []string
	for i := range 24 {
		ids, values = append(ids, fmt.Sprintf("sub-%02d", i+1)), append(values, fmt.Sprint("Ff"[i%2:i%2+1], 10+i/2))
	}
	notes := DoubtSpelling(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "Family_ID", Values: values}), []string{"Family_ID"}, nil)
	need.Equal(t, notes[0].Doubt, DoubtRelated)
}

// Pairs of a patient and controls are noted by their names or their shape, also where a patient has several controls,
// or a column has the id of the other one.
func TestMatchedSets(t *testing.T) {
	for _, c := range []struct {
		name, values, groups string
		doubt, want          string
	}{
		{"match_id", "1 1 2 2 3 3", "A B A B A B", DoubtMatched, "6 of 6 participants share 3 values, each with one A and one B, as in matched"},
		{"match_id", "1 1 1 2 2 2 3 3", "A B B A B B A B", DoubtMatched, "8 of 8 participants share 3 values, some of them in several groups, as in matched"},
		{"match_id", "1 1 2 2 3 n/a", "A B A B A B", DoubtMatched, "4 of 6 participants share 2 values, each with one A and one B"},
		{"match_id", "1 1 2 2 3 3", "A A B B A A", "", ""},
		{"matched_to", "sub-02 n/a sub-04 n/a sub-06 n/a", "A B A B A B", DoubtMatched, "3 participants have the id of a different participant there, as in matched pairs"},
		{"control_of", "n/a 01 n/a 03 n/a 05", "A B A B A B", DoubtMatched, "add a column with one value for each pair"},
		{"twin_pair", "1 1 2 2 3 3", "A B A B A B", DoubtRelated, "each with one A and one B, and relatives may be"},
		{"pair", "1 1 2 2 3 3", "A A B B A B", DoubtRelated, "some of them in several groups, and relatives may be"},
		{"pair", "1 1 2 2 3 3", "A B A B A B", DoubtMatched, "as in matched pairs"},
		{"Family_ID", "1 1 2 2 3 3", "A A B B A A", DoubtRelated, "each within one group, and relatives may be"},
	} {
		values, groups := strings.Fields(c.values), strings.Fields(c.groups)
		var ids []string
		for i := range values {
			ids = append(ids, fmt.Sprintf("sub-%02d", i+1))
		}
		notes := DoubtRelatives(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
			encoding.Column{Name: "group", Values: groups}, encoding.Column{Name: c.name, Values: values}),
			[]string{"folds"})
		if c.doubt == "" {
			need.Equal(t, len(notes), 0, c.values, wording.NoteTexts(notes))
		} else if need.Equal(t, len(notes), 1, c.name); len(notes) == 1 {
			need.Equal(t, notes[0].Doubt, c.doubt, wording.NoteTexts(notes)[0])
			need.Equal(t, strings.Contains(wording.NoteTexts(notes)[0], c.want), true, wording.NoteTexts(notes)[0])
		}
	}
}

// Participants who share a value are called by what the column is.
func TestSetsOf(t *testing.T) {
	for names, want := range map[string]string{"Family_ID": "families", "twin_pair": "families",
		"famid Mother_ID": "families", "RID": "persons", "match_id": "matched sets", "matched_to": "matched sets",
		"pair_id": "pairs", "sib_pair": "families", "pair_id Family_ID": "families",
		"site": "sets of participants", "Family_ID site": "sets of participants", "": "sets of participants"} {
		need.Equal(t, SetsOf(strings.Fields(names)...), want, names)
	}
}
