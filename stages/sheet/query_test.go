package sheet

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"prgnn/internal/lists"
	"prgnn/internal/need"
)

var people = map[string][]string{
	"id":        {"a", "b", "c", "d", "e", "f"},
	"group":     {"ASD", "HC", "ASD", "TD", "", "HC"},
	"age":       {"7", "6.9", "12", "30", "9", ""},
	"mean_fd":   {"0.1", "0.3", "0.29", "", "0.2", "0.05"},
	"scan site": {"NYU", "KKI", "NYU", "NYU", "KKI", "KKI"},
	"code":      {"007", "8", "9", "10", "11", "12"},
	"guid":      {"9007199254740992", "9007199254740993", "9007199254740994", "9007199254740995", "", "1"},
}

var names = []string{"id", "group", "age", "mean_fd", "scan site", "code", "guid"}

func parse(text string) (*Query, error) {
	return ParseQuery(text, names, func(name string) []string { return people[name] })
}

// Which of a … f are selected, worked out by hand.
func TestQuery(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{"group in [ASD, HC] and mean_fd < 0.3 and age >= 7", "ac"},
		{"group == ASD", "ac"},
		{"group = 'ASD'", "ac"},
		{"group != ASD", "bdf"},
		{"not group == ASD", "bdf"}, // a missing value is neither
		{"group not in [ASD, TD]", "bf"},
		{"age < 7", "b"}, {"age <= 7", "ab"}, {"age > 12", "d"}, {"age >= 12", "cd"},
		{"age == 7.0", "a"},
		{"age in [7, 30]", "ad"},
		{"`scan site` == NYU and age < 13", "ac"},
		{"group == HC or age > 8 and age < 10", "bef"}, // and before or
		{"(group == HC or age > 8) and age < 10", "be"},
		{"not (group == HC or age > 8)", "a"},
		{"not not age < 7", "b"},
		{"code == 007", "a"}, // a column of texts
		{"code == 8", "b"},
		{"mean_fd < 3e-1", "acef"},
		{"guid == 9007199254740993", "b"}, {"guid != 9007199254740992", "bcdf"}, // one number as float64
		{"guid in [9007199254740995, 1]", "df"},
		{"age>=7 and(age<13)", "ace"},
	} {
		q, err := parse(c.query)
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
			continue
		}
		why, _ := q.Select(6)
		got := ""
		for i, w := range why {
			if w.Term == "" {
				got += people["id"][i]
			}
		}
		need.Equal(t, got, c.want, c.query)
	}
}

func TestQueryCounts(t *testing.T) {
	q := need.Value(parse("group in [ASD, HC] and (mean_fd < 0.3 or age == 1) and age >= 7"))(t)
	why, counts := q.Select(6)
	for i, want := range map[int]Unmet{0: {}, 1: {"(mean_fd < 0.3 or age == 1)", false, true},
		3: {"group in [ASD, HC]", false, false}, 5: {"age >= 7", true, true}} {
		need.Equal(t, why[i], want, i)
	}
	want := []Count{{"group in [ASD, HC]", 1, 1}, {"(mean_fd < 0.3 or age == 1)", 1, 0}, {"age >= 7", 0, 1}}
	if !reflect.DeepEqual(counts, want) {
		t.Errorf("got %+v, want %+v", counts, want)
	}
}

// A value that no row has is listed, with the near one, or with all where they are few.
func TestQueryUnmatched(t *testing.T) {
	q := need.Value(parse("group in [ASD, TDC] and not (`scan site` == none) and code != 7"))(t)
	need.Equal(t, fmt.Sprint(q.Unmatched), `[{group TDC  (did you mean "TD"?)} {scan site none  (available: KKI, NYU)} {code 7  (available: 007, 10, 11, 12, 8, 9)}]`)
}

func TestQueryRefuses(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{"", "the expression is empty"},
		{"grup == ASD", `at character 1: there is no column "grup" (did you mean "group"?); the columns are id, group, age, mean_fd, scan site, code, guid`},
		{"age >= 7 and 0.3 > mean_fd", `at character 14: expected the name of a column, not "0.3": write the column on the left, as in mean_fd < 0.3`},
		{"age", `at character 4: after the column age, expected one of ==, !=, <, <=, >, >=, in, not in, not the end`},
		{"age <", `at character 6: expected a value after <, not the end`},
		{"age < old", `at character 7: < needs a number on its right, not "old"`},
		{"group < 3", `at character 1: < compares numbers, and column group holds the text "ASD"`},
		{"age == ASD", `at character 8: column age holds numbers, but "ASD" is not a number`},
		{"age in 7", `at character 8: expected a list such as [a, b] after in, not "7"`},
		{"age in [7 8]", `at character 11: expected a comma or ] in the list, not "8"`},
		{"age in []", `at character 9: expected a value in the list, not "]"`},
		{"(age < 7", `at character 1: the parenthesis is not closed: the end instead of )`},
		{"7 < age < 12", `at character 1: expected the name of a column, not "7": write the column on the left, as in mean_fd < 0.3`},
		{"age > 7 < 12", `at character 9: unexpected "<"; join comparisons by and, or`},
		{"age > 7 & age < 9", `at character 9: "&" is not an operator; write and or or`},
		{"!age > 7", `at character 1: "!" is not an operator; write not, or !=`},
		{"group == 'ASD", `at character 10: the quotation mark ' is not closed`},
		{"guid < 5", `at character 1: < compares numbers, and column guid holds the text "9007199254740993", a whole number with more digits than a number keeps: such numbers are compared as texts, by ==, != and in`},
		{"age < 9007199254740993", `at character 7: < needs a number on its right, not "9007199254740993", a whole number with more digits than a number keeps: such numbers are compared as texts, by ==, != and in`},
		{"größe > 1", `at character 1: there is no column "größe"; the columns are id, group, age, mean_fd, scan site, code, guid`},
		{strings.Repeat("(", 200) + "age > 1", "at character 101: more than 100 levels of parentheses"},
	} {
		if _, err := parse(c.query); err == nil || err.Error() != c.want {
			t.Errorf("%s:\ngot  %v\nwant %s", c.query, err, c.want)
		}
	}
}

// De Morgan and the order of terms, over random rows with missing values.
func TestQueryLogic(t *testing.T) {
	atom := func(t *rapid.T) string {
		return fmt.Sprintf("x %s %d", rapid.SampledFrom([]string{"<", "<=", ">", ">=", "==", "!="}).Draw(t, "op"),
			rapid.IntRange(0, 4).Draw(t, "v"))
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "rows")
		x := make([]string, n+1)
		for i := range x {
			x[i] = rapid.SampledFrom([]string{"", "0", "1", "2", "3", "4"}).Draw(t, "x")
		}
		x[n] = "0" // so that the column holds numbers
		selects := func(text string) []bool {
			q, err := ParseQuery(text, []string{"x"}, func(string) []string { return x })
			need.NoError(t, err, text)
			why, counts := q.Select(len(x))
			total := lists.Count(why, func(w Unmet) bool { return w.Term == "" })
			for _, c := range counts {
				total += c.No + c.Unknown
			}
			if total != len(x) {
				t.Fatalf("%s: %d rows are accounted for, of %d", text, total, len(x))
			}
			selected := make([]bool, len(x))
			for i, w := range why {
				selected[i] = w.Term == ""
			}
			return selected
		}
		a, b := atom(t), atom(t)
		for _, pair := range [][2]string{
			{"not (" + a + " and " + b + ")", "not " + a + " or not " + b},
			{"not (" + a + " or " + b + ")", "not " + a + " and not " + b},
			{a + " and " + b, b + " and " + a},
			{a + " or " + b, "(" + b + ") or (" + a + ")"},
		} {
			if !reflect.DeepEqual(selects(pair[0]), selects(pair[1])) {
				t.Errorf("%s and %s differ", pair[0], pair[1])
			}
		}
	})
}

func FuzzQuery(f *testing.F) {
	f.Add("group in [ASD, HC] and not (age < 7 or `scan site` != 'NYU')")
	f.Add("age >= 7 and")
	f.Fuzz(func(t *testing.T, text string) {
		if q, err := parse(text); err == nil {
			q.Select(6)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add("id,group\n1,ASD\n")
	f.Add("id\tnote\n1\t\"a\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Read(strings.NewReader(text), "f")
		if err != nil {
			return
		}
		for i, row := range s.Rows {
			if len(row) != len(s.Columns) || s.Lines[i] < 1 {
				t.Errorf("row %d: %q in line %d", i, row, s.Lines[i])
			}
		}
	})
}
